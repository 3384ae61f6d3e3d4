"""Jobs and curves as data frames, where pandas or polars is installed."""

import importlib
from typing import Any, Dict, Iterable, List, Optional

from . import _json
from ._job import Job
from ._told import metric_of, params_of, tags_of

# The fields of a job that are columns, by their names in the API.
_COLUMNS = {
    "id": "id",
    "number": "number",
    "name": "name",
    "project": "project",
    "state": "state",
    "exit_code": "exitCode",
    "submitted_at": "submittedAt",
    "started_at": "startedAt",
    "ended_at": "endedAt",
    "ran_seconds": "ranSeconds",
}


def frame(jobs: Iterable[Job], kind: str = "pandas") -> Any:
    """A data frame with a row a job: what it is, ``params.NAME``, ``metrics.NAME`` (the last value), ``tags.NAME``.

    What a job lacks is missing in its row. A parameter that is a number in all rows that have it is a number.

    Args:
        kind: ``pandas`` or ``polars``

    Raises:
        ImportError: that library is not installed.
        BerthError: the server cannot be asked what the jobs have told.
    """
    library = _library(kind)
    return library.DataFrame(_columns(jobs))


def named(jobs: Iterable[Job], kind: str) -> Any:
    """As ``frame``, with parameters and metrics by their own names, as Atlas had them.

    Of one name the job's own field goes before a metric, and that before a parameter; tags are called ``tags.NAME``.
    """
    library = _library(kind)
    columns = _columns(jobs)
    short = {"job_id": columns.pop("number"), "project_name": columns.pop("project")}
    for prefix in ("params.", "metrics."):
        own = {name: values for name, values in columns.items() if name.startswith(prefix)}
        short.update((name[len(prefix) :], values) for name, values in own.items())
        columns = {name: values for name, values in columns.items() if name not in own}
    return library.DataFrame(dict(short, **columns))


def _columns(jobs: Iterable[Job]) -> Dict[str, List[Any]]:
    rows = [_row(each) for each in jobs]
    names = list(_COLUMNS) + sorted({name for row in rows for name in row} - set(_COLUMNS))
    return {name: _column(name, rows) for name in names}


def curve(job: Job, name: str, width: Optional[int] = None, kind: str = "pandas") -> Any:
    """The curve of a metric as a data frame with the columns ``step``, ``time`` and ``value``; as ``Job.points``."""
    library = _library(kind)
    points = job.points(name, width)
    columns = {"step": [p.step for p in points], "time": [p.time for p in points], "value": [p.value for p in points]}
    return library.DataFrame(columns)


def _library(kind: str) -> Any:
    if kind not in ("pandas", "polars"):
        raise ValueError("kind: %r is none of pandas, polars" % kind)
    try:
        return importlib.import_module(kind)
    except ImportError as missing:
        raise ImportError("%s is not installed: pip install %s" % (kind, kind)) from missing


def _row(job: Job) -> Dict[str, Any]:
    tracking = job.tracking()
    row: Dict[str, Any] = {column: job.view.get(field) for column, field in _COLUMNS.items()}
    row.update(("params." + name, value) for name, value in params_of(job.view, tracking).items())
    row.update(("tags." + name, value) for name, value in tags_of(job.view, tracking).items())
    for view in _json.objects(tracking, "metrics"):
        metric = metric_of(view)
        row["metrics." + metric.name] = metric.last.value
    return row


def _column(name: str, rows: List[Dict[str, Any]]) -> List[Any]:
    values = [row.get(name) for row in rows]
    if not name.startswith("params."):
        return values
    try:
        return [None if value is None else float(value) for value in values]
    except ValueError:
        return values
