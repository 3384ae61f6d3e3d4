"""What a program tells of its run: a line of JSON for each call, appended to the file ``$BERTH_TRACK``.

A line is one write to a descriptor that appends: nothing is kept in the process, so that what a call wrote is there
whatever kills the process next, and lines of threads and of forked processes never mix. A call that cannot write says so
once and goes on: logging never ends a training.
"""

import json
import math
import os
import shutil
import stat
import sys
import threading
import time
from typing import Any, Dict, List, Mapping, Optional, Set, Union

# The server leaves out a longer line.
MAX_LINE = 64 * 1024

# Floats are exact up to here; what is beyond loses nothing by being one.
_EXACT = 1 << 53
_MAX_DEPTH = 32

Path = Union[str, "os.PathLike[str]"]


class _Sink:
    """The file that lines go to. Safe for any thread, and good for use after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._chosen: Optional[str] = None
        self._path: Optional[str] = None
        self._file = -1
        self._is_cut = False
        self._told: Set[str] = set()

    def choose(self, path: Optional[str]) -> None:
        self._chosen = path

    def write(self, line: bytes) -> None:
        path = self._chosen or os.environ.get("BERTH_TRACK")
        if not path:
            return
        try:
            if path != self._path:
                self._open(path)
            # What was cut off by a full disk ends here, and spoils no other line.
            whole = b"\n" + line if self._is_cut else line
            self._is_cut = os.write(self._file, whole) < len(whole)
            if self._is_cut:
                self.warn("cut", "a line was cut off while it was written to %s; is the disk full?" % path)
        except OSError as failed:
            self.warn("write", "%s cannot be written (%s); what is logged is lost meanwhile" % (path, failed.strerror))

    def _open(self, path: str) -> None:
        with self._lock:
            if path == self._path:
                return
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
            opened = os.open(path, flags, 0o666)
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                os.close(opened)
                raise OSError(0, "it is no regular file")
            # The one before may be in use by another thread just now; a program has few of them.
            self._file, self._path, self._is_cut = opened, path, False

    def warn(self, kind: str, sentence: str) -> None:
        """Says it on standard error, each kind once."""
        if kind in self._told:
            return
        self._told.add(kind)
        try:
            sys.stderr.write("berth: %s\n" % sentence)
        except (OSError, ValueError, AttributeError):
            # There is no standard error any more.
            pass


_sink = _Sink()


def warn(kind: str, sentence: str) -> None:
    """Says it on standard error, each kind once in a process."""
    _sink.warn(kind, sentence)


def track_to(path: Optional[Path]) -> None:
    """Writes what is logged to a file of one's own, in a job and outside; None for ``$BERTH_TRACK`` again.

    Without it, and without that variable, the logging calls do nothing.
    """
    _sink.choose(None if path is None else os.path.abspath(os.fspath(path)))


def log_metric(name: str, value: Any, step: Optional[int] = None) -> None:
    """Logs one value of a metric, with the time of now.

    Args:
        value: a number, a truth value, a text that is a number, or an array or tensor of one element. NaN and infinity count
        step: whole number; None for one more than the metric's last
    """
    log_metrics({name: value}, step)


def log_metrics(values: Mapping[str, Any], step: Optional[int] = None) -> None:
    """Logs values of several metrics at the same step, as with ``log_metric``."""
    found: Dict[str, Any] = {}
    for name, value in values.items():
        number = _number(value)
        if number is None:
            _sink.warn("value", "metric %s: %s is no number; left out" % (_shown(name), _shown(value)))
        else:
            found[str(name)] = number
    _entries("metric", found, dict(_at(step), time=round(time.time(), 6)))


def log_param(name: str, value: Any) -> None:
    """Logs a parameter; a later value replaces an earlier one."""
    log_params({name: value})


def log_params(values: Mapping[str, Any]) -> None:
    """Logs parameters; those of nested mappings are called by their path, ``net.depth``."""
    _entries("param", {str(name): _plain(value) for name, value in values.items()}, {})


def set_tag(name: str, value: Any = "") -> None:
    """Sets a tag of the job, a word or a word with a value."""
    shown = _plain(value)
    _entries("tag", {str(name): shown if isinstance(shown, str) else json.dumps(shown)}, {})


def progress(value: Any, of: Any = 1, unit: Optional[str] = None) -> None:
    """Tells how far it is: ``progress(0.4)``, ``progress(3, of=10, unit="epoch")``. Its expected end follows from it."""
    done, all_of_it = _number(value), _number(of)
    if done is None or all_of_it is None:
        _sink.warn("value", "progress: %s of %s are no numbers; left out" % (_shown(value), _shown(of)))
        return
    line: Dict[str, Any] = {"progress": done, "of": all_of_it, "time": round(time.time(), 6)}
    _write(line if unit is None else dict(line, unit=str(unit)))


def save_artifact(path: Path, key: Optional[str] = None) -> Optional[str]:
    """Keeps a file or directory with the job: copied to ``$BERTH_OUTPUT_DIR`` unless it lies there already.

    Args:
        key: a short name to find it by

    Returns:
        its path below the output directory; None where it could not be kept, which is told, and outside of a job.
    """
    if not (_sink._chosen or os.environ.get("BERTH_TRACK")):
        return None
    try:
        kept = _kept(os.path.realpath(os.fspath(path)))
    except (OSError, shutil.Error) as failed:
        _sink.warn("artifact " + str(path), "the artifact %s is not kept (%s)" % (_shown(str(path)), failed))
        return None
    line: Dict[str, Any] = {"artifact": kept, "time": round(time.time(), 6)}
    _write(line if key is None else dict(line, key=str(key)))
    return kept


def _kept(source: str) -> str:
    """Where an artifact lies below the output directory, once it does; where it lies, where there is none."""
    os.stat(source)
    output = os.environ.get("BERTH_OUTPUT_DIR")
    if not output:
        return source
    root = os.path.realpath(output)
    if source.startswith(root + os.sep):
        return os.path.relpath(source, root)
    name = os.path.basename(source)
    target = os.path.join(root, name)
    if os.path.isdir(source):
        copy_tree(source, target)
    else:
        # Who looks meanwhile sees the one before, or the whole of this one.
        begun = "%s.%d.part" % (target, os.getpid())
        shutil.copy2(source, begun)
        os.replace(begun, target)
    return name


def copy_tree(source: str, target: str) -> None:
    """Copies a directory into another; links stay links, and files that are there are replaced."""
    os.makedirs(target, exist_ok=True)
    for folder, _, files in os.walk(source):
        inner = os.path.normpath(os.path.join(target, os.path.relpath(folder, source)))
        os.makedirs(inner, exist_ok=True)
        for file in files:
            place = os.path.join(inner, file)
            if os.path.islink(place):
                os.unlink(place)
            shutil.copy2(os.path.join(folder, file), place, follow_symlinks=False)


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
        _sink.write(line)
    elif len(values) == 1:
        _sink.warn("long", "%s %s takes more than %d bytes; left out" % (kind, _shown(next(iter(values))), MAX_LINE))
    else:
        names: List[str] = list(values)
        for half in (names[: len(names) // 2], names[len(names) // 2 :]):
            _entries(kind, {name: values[name] for name in half}, rest)


def _write(line: Dict[str, Any]) -> None:
    text = _line(line)
    if len(text) <= MAX_LINE:
        _sink.write(text)
    else:
        _sink.warn("long", "a line of more than %d bytes is left out" % MAX_LINE)


def _line(value: Dict[str, Any]) -> bytes:
    # ASCII alone, so that half characters do not matter; what ends a line is escaped in a text.
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def _number(value: Any) -> Any:
    """A value as the file has it: a number, a truth value, or a word for what is none in JSON; None for no number."""
    if isinstance(value, bool):
        return value
    try:
        # Arrays and tensors of one element say so themselves, whatever library they are of.
        plain = value.item() if hasattr(value, "item") else value
        if isinstance(plain, (bool, int)) and abs(plain) <= _EXACT:
            return plain
        number = float(plain)
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"
    except Exception:  # A tensor of a library that is not known here may raise anything.
        return None
    if math.isnan(number):
        return "NaN"
    return number if not math.isinf(number) else "Infinity" if number > 0 else "-Infinity"


def _at(step: Any) -> Dict[str, Any]:
    """The step of a line; none where there is none, or it is no whole number."""
    try:
        plain = step.item() if hasattr(step, "item") else step
        if plain is None or (int(plain) == plain and not isinstance(plain, bool)):
            return {} if plain is None else {"step": int(plain)}
    except Exception:  # As in _number.
        pass
    _sink.warn("step", "step %s is no whole number; the metric's last one and 1 is taken" % _shown(step))
    return {}


def _plain(value: Any, depth: int = 0) -> Any:
    """A parameter's value as JSON has it; what is none of its kinds is a text."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Mapping) and depth < _MAX_DEPTH:
        return {str(name): _plain(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return str(list(value)) if depth < _MAX_DEPTH else "..."
    number = _number(value) if isinstance(value, (int, float)) or hasattr(value, "item") else None
    return str(value) if number is None else number


def _shown(value: Any) -> str:
    try:
        return ascii(value)[:80]
    except Exception:  # Its own text may raise anything.
        return "a " + type(value).__name__
