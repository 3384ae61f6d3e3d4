"""Atlas's words: ``from berth import foundations`` in place of ``import foundations``.

What a program logs is kept as it is written, also of a job that is killed; Atlas kept nothing of those. Parameters of a
``submit`` reach the job by a variable, and nothing is written into the submitted directory.
"""

import json
import os
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Union

from . import _track
from ._artifact import save_artifact
from ._find import jobs as _jobs
from ._frame import named
from ._http import Server
from ._job import Job
from ._submit import submit as _submit
from ._syncable import SyncableDirectory, create_syncable_directory, set_tensorboard_logdir
from ._track import log_metric as _log_metric
from ._track import set_tag

__all__ = [
    "Deployment",
    "SyncableDirectory",
    "create_syncable_directory",
    "get_metrics_for_all_jobs",
    "load_parameters",
    "log_metric",
    "log_param",
    "log_params",
    "save_artifact",
    "set_job_resources",
    "set_project_name",
    "set_tag",
    "set_tensorboard_logdir",
    "submit",
]

# What carries the parameters of a submit to its job.
PARAMETERS = "FOUNDATIONS_JOB_PARAMETERS"
_FILE = "foundations_job_parameters.json"
_GB = 10**9

_STATUS = {
    "QUEUED": "queued",
    "HELD": "queued",
    "STARTING": "queued",
    "RUNNING": "running",
    "STOPPING": "running",
    "COMPLETED": "completed",
}


class _Defaults:
    """What set_project_name and set_job_resources said for the submits of this process."""

    project: Optional[str] = None
    num_gpus: Optional[int] = None
    ram: Optional[float] = None


def set_project_name(project_name: str = "default") -> None:
    """Names the project of the submits that follow. That of a job that runs is the one it was submitted with."""
    _Defaults.project = project_name


def set_job_resources(num_gpus: Optional[int] = None, ram: Optional[float] = None) -> None:
    """Says what the submits that follow ask for.

    Args:
        num_gpus: how many GPUs
        ram: in GB
    """
    _Defaults.num_gpus = num_gpus
    _Defaults.ram = ram


def log_param(key: str, value: Any) -> None:
    """Logs a parameter; a later value replaces an earlier one."""
    log_params({key: value})


def log_params(parameters: Mapping[str, Any]) -> None:
    """Logs parameters; nested keys are joined by ``_``, as in Atlas."""
    _track.log_params(dict(_flat(parameters, "")))


def _flat(parameters: Mapping[str, Any], prefix: str) -> Iterator[Tuple[str, Any]]:
    for key, value in parameters.items():
        if isinstance(value, Mapping):
            yield from _flat(value, "%s%s_" % (prefix, key))
        elif isinstance(value, (list, tuple)) and value:
            # Atlas numbered the elements of lists.
            yield from _flat({str(at): item for at, item in enumerate(value)}, "%s%s_" % (prefix, key))
        else:
            yield prefix + str(key), value


def log_metric(key: str, value: Any, step: Optional[int] = None) -> None:
    """Logs a value of a metric; another one is its next point. A list logs each of its elements."""
    if isinstance(value, (list, tuple)):
        for each in value:
            _log_metric(key, each)
    else:
        _log_metric(key, value, step)


def load_parameters(log_parameters: bool = True) -> Dict[str, Any]:
    """The job's parameters: those of ``submit``, of a sweep's task, or of ``foundations_job_parameters.json``.

    Args:
        log_parameters: whether they are logged as the job's parameters, too
    """
    found = _given_parameters()
    if log_parameters:
        log_params(found)
    return found


def _given_parameters() -> Dict[str, Any]:
    said = os.environ.get(PARAMETERS)
    if said:
        return _object(said, PARAMETERS)
    if os.environ.get("BERTH_PARAMS"):
        return _track.load_parameters()
    try:
        with open(_FILE, encoding="utf-8") as file:
            return _object(file.read() or "{}", _FILE)
    except FileNotFoundError:
        return {}


def _object(text: str, where: str) -> Dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("%s holds no object" % where)
    return found


class Deployment:
    """A job that was submitted, with Atlas's methods.

    Attributes:
        job: the same as a ``berth.Job``
    """

    def __init__(self, job: Job) -> None:
        self.job = job

    def job_name(self) -> str:
        """The job's number."""
        return self.job.number

    def is_job_complete(self) -> bool:
        """Whether it is finished, in whatever way."""
        return self.job.refresh().is_finished

    def wait_for_deployment_to_complete(self, wait_interval: float = 5) -> None:
        """Waits until it is finished. Nothing is asked at intervals: the server tells."""
        self.job.wait()

    def get_job_status(self) -> str:
        """``queued``, ``running``, ``completed`` or ``failed``."""
        return _STATUS.get(self.job.refresh().state, "failed")

    def get_job_logs(self) -> str:
        """What it has written so far."""
        return self.job.logs()

    def stream_job_logs(self) -> None:
        """Prints what it writes until it is finished."""
        for line in self.job.follow():
            print(line, flush=True)

    def get_param(self, param_name: str) -> Optional[str]:
        """The parameter's value as text; None where it has none of that name."""
        return self.job.params.get(param_name)

    def get_metric(self, metric_name: str) -> Optional[float]:
        """The metric's last value; None where it has none of that name."""
        metric = self.job.metrics().get(metric_name)
        return None if metric is None else metric.last.value


def submit(
    scheduler_config: str = "scheduler",
    job_directory: str = ".",
    project_name: Optional[str] = None,
    entrypoint: Optional[str] = None,
    params: Optional[Mapping[str, Any]] = None,
    ram: Optional[float] = None,
    num_gpus: Optional[int] = None,
    stream_job_logs: bool = True,
    command: Union[str, Sequence[str], None] = None,
    server: Optional[Server] = None,
) -> Deployment:
    """Submits a directory's command to this machine's queue.

    Args:
        scheduler_config: ``scheduler``, the only place there is
        project_name: by default what ``set_project_name`` said, or the directory's name
        entrypoint: a program before the command; alone, and named ``*.py``, it is the command, as in Atlas
        params: what ``load_parameters`` answers in the job
        ram: in GB
        stream_job_logs: whether to print what it writes until it is finished, and return then

    Raises:
        ValueError: ``scheduler_config`` names another place.
        BerthError: as ``berth.submit``.
    """
    if scheduler_config != "scheduler":
        raise ValueError("scheduler_config: %r is none; write 'scheduler', this machine's queue" % scheduler_config)
    if not command and entrypoint:
        command, entrypoint = entrypoint, None
    wanted = _Defaults.ram if ram is None else ram
    submitted = _submit(
        job_directory,
        command or None,
        _Defaults.num_gpus if num_gpus is None else num_gpus,
        project=project_name or _Defaults.project,
        entrypoint=entrypoint,
        environment=None if params is None else {PARAMETERS: json.dumps(params)},
        memory_bytes=None if wanted is None else round(wanted * _GB),
        server=server,
    )
    deployment = Deployment(submitted)
    if stream_job_logs:
        deployment.stream_job_logs()
        submitted.wait()
    return deployment


def get_metrics_for_all_jobs(project_name: str, include_input_params: bool = False, kind: str = "pandas") -> Any:
    """A data frame of a project's jobs: what they are, their parameters and last metrics, each by its own name.

    Args:
        include_input_params: for Atlas's sake; parameters are there in any case
        kind: ``pandas`` or ``polars``
    """
    return named(_jobs(project=project_name), kind)
