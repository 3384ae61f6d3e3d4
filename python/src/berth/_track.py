"""What a program tells of its run: a line of JSON a call, appended to the file ``$BERTH_TRACK``.

A line is one write to a descriptor that appends: nothing is kept in the process, so that what a call wrote is there
whatever kills the process next, and lines of threads and of forked processes never mix. A call that cannot write says
so once and goes on: logging never ends a training.
"""

import json
import os
import time
from typing import Any, Dict, List, Mapping, Optional, Union

from ._sink import sink
from ._values import number, plain, shown, text

# The server leaves out a longer line.
MAX_LINE = 64 * 1024

Path = Union[str, "os.PathLike[str]"]


def track_to(path: Optional[Path]) -> None:
    """Writes what is logged to a file of one's own, in a job and outside; None for ``$BERTH_TRACK`` again.

    Without it, and without that variable, the logging calls do nothing.
    """
    sink.choose(None if path is None else os.path.abspath(os.fspath(path)))


def log_metric(name: str, value: Any, step: Optional[int] = None) -> None:
    """Logs one value of a metric, with the time of now.

    Args:
        value: a number, a truth value, a text that is a number, or an array or tensor of one element;
            NaN and infinity count
        step: whole number; None for one more than the metric's last
    """
    log_metrics({name: value}, step)


def log_metrics(values: Mapping[str, Any], step: Optional[int] = None) -> None:
    """Logs values of several metrics at the same step, as with ``log_metric``."""
    found: Dict[str, Any] = {}
    for name, value in values.items():
        at = number(value)
        if at is None:
            sink.warn("value", "metric %s: %s is no number; left out" % (shown(name), shown(value)))
        else:
            found[text(name)] = at
    _entries("metric", found, dict(_at(step), time=round(time.time(), 6)))


def log_param(name: str, value: Any) -> None:
    """Logs a parameter; a later value replaces an earlier one."""
    log_params({name: value})


def log_params(values: Mapping[str, Any]) -> None:
    """Logs parameters; those of nested mappings are called by their path, ``net.depth``."""
    _entries("param", {text(name): plain(value) for name, value in values.items()}, {})


def set_tag(name: str, value: Any = "") -> None:
    """Sets a tag of the job, a word or a word with a value."""
    said = plain(value)
    _entries("tag", {text(name): said if isinstance(said, str) else json.dumps(said)}, {})


def progress(value: Any, of: Any = 1, unit: Optional[str] = None) -> None:
    """Tells how far it is: ``progress(0.4)``, ``progress(3, of=10, unit="epoch")``."""
    done, all_of_it = number(value), number(of)
    if done is None or all_of_it is None:
        sink.warn("value", "progress: %s of %s are no numbers; left out" % (shown(value), shown(of)))
        return
    line: Dict[str, Any] = {"progress": done, "of": all_of_it, "time": round(time.time(), 6)}
    write_line(line if unit is None else dict(line, unit=text(unit)))


def load_parameters() -> Dict[str, Any]:
    """The parameters of this task of a sweep, nested as they were given; empty for any other program.

    Raises:
        OSError, ValueError: the file that ``$BERTH_PARAMS`` names cannot be read.
    """
    path = os.environ.get("BERTH_PARAMS")
    if not path:
        return {}
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    if not isinstance(found, dict):
        raise ValueError("%s holds no object" % path)
    return found


def _entries(kind: str, values: Dict[str, Any], rest: Dict[str, Any]) -> None:
    """One line for all of them, or as few as there can be where they are too long for one."""
    if not values:
        return
    line = _line(dict({kind: values}, **rest))
    if len(line) <= MAX_LINE:
        sink.write(line)
    elif len(values) == 1:
        sink.warn("long", "%s %s takes more than %d bytes; left out" % (kind, shown(next(iter(values))), MAX_LINE))
    else:
        names: List[str] = list(values)
        for half in (names[: len(names) // 2], names[len(names) // 2 :]):
            _entries(kind, {name: values[name] for name in half}, rest)


def write_line(line: Dict[str, Any]) -> None:
    """Writes an object as a line."""
    whole = _line(line)
    if len(whole) <= MAX_LINE:
        sink.write(whole)
    else:
        sink.warn("long", "a line of more than %d bytes is left out" % MAX_LINE)


def _line(value: Dict[str, Any]) -> bytes:
    # ASCII alone, so that half characters do not matter; what ends a line is escaped in a text.
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def _at(step: Any) -> Dict[str, Any]:
    """The step of a line; none where there is none, or it is no whole number."""
    try:
        bare = step.item() if hasattr(step, "item") else step
        if bare is None or (int(bare) == bare and not isinstance(bare, bool)):
            return {} if bare is None else {"step": int(bare)}
    except Exception:  # As in number.
        pass
    sink.warn("step", "step %s is no whole number; the metric's last one and 1 is taken" % shown(step))
    return {}
