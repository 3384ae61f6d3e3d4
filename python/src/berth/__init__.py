"""Jobs, metrics and GPUs of a Berth server.

Jobs: ``submit``, ``job``, ``jobs``, ``best``, ``Job``, ``Server``; where they can go: ``targets``. In a program:
``log_metric``, ``log_params``, ``set_tag``, ``save_artifact``, ``progress``, ``load_parameters``. GPUs for a process of
the machine itself: ``gpus``.
What goes wrong is a ``BerthError``, but in the calls of the second group, which never end a program.
"""

from ._artifact import save_artifact
from ._errors import BerthError
from ._find import best, job, jobs
from ._frame import curve, frame
from ._gpus import Lease, gpus
from ._http import Server
from ._job import Job
from ._outputs import Unpacked
from ._submit import submit
from ._targets import Target, targets
from ._told import Metric, Point
from ._track import (
    load_parameters,
    log_metric,
    log_metrics,
    log_param,
    log_params,
    progress,
    set_tag,
    track_to,
)
from ._version import __version__

__all__ = [
    "BerthError",
    "Job",
    "Lease",
    "Metric",
    "Point",
    "Server",
    "Target",
    "Unpacked",
    "__version__",
    "best",
    "curve",
    "frame",
    "gpus",
    "job",
    "jobs",
    "load_parameters",
    "log_metric",
    "log_metrics",
    "log_param",
    "log_params",
    "progress",
    "save_artifact",
    "set_tag",
    "submit",
    "targets",
    "track_to",
]
