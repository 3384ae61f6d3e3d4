"""Jobs: submitted, found, followed, and what they found out."""

import time
from typing import Dict, Iterator, List, Mapping, Optional, Tuple
from urllib.parse import urlencode

from . import _json
from ._errors import BerthError
from ._http import Server
from ._json import Object
from ._logs import LogPart, Lines
from ._outputs import Unpacked, unpack
from ._retry import Backoff, once
from ._told import Metric, Point, metric_of, params_of, points_of, tags_of

FINAL_STATES = frozenset(("COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "LOST", "CANCELLED"))

# The server says something every 15 seconds.
_SILENCE = 60.0
# Packing the output of one user's jobs waits for its turn. Seconds.
_OUTPUT_PATIENCE = 3600.0


class Job:
    """A job as it was when last asked for; ``refresh()`` asks again. For one thread at a time.

    Attributes:
        view: all that the server says of it, by the names of the API (``docs/api/openapi.yaml``, JobView)
    """

    def __init__(self, server: Server, view: Object) -> None:
        self._server = server
        self.view = view
        self._id = _json.whole(view, "id")
        _json.text(view, "state")

    @property
    def id(self) -> int:
        """Its number among all jobs."""
        return self._id

    @property
    def number(self) -> str:
        """What people call it: its id, or ``42_7`` for task 7 of array 42."""
        return _json.text(self.view, "number")

    @property
    def state(self) -> str:
        """``QUEUED``, ``HELD``, ``STARTING``, ``RUNNING``, ``STOPPING``, or one of the final states."""
        return _json.text(self.view, "state")

    @property
    def is_finished(self) -> bool:
        return self.state in FINAL_STATES

    @property
    def sentence(self) -> str:
        """One true sentence about where it stands."""
        return _json.text(self.view, "sentence")

    @property
    def reason(self) -> Optional[str]:
        """Why it waits or how it ended, as a stable word."""
        return None if self.view.get("reason") is None else _json.text(self.view, "reason")

    @property
    def exit_code(self) -> Optional[int]:
        """The program's, 128 + n for signal n; None where there is none (yet)."""
        return _json.whole_or_none(self.view, "exitCode")

    @property
    def name(self) -> str:
        return _json.text(self.view, "name")

    @property
    def project(self) -> str:
        return _json.text(self.view, "project")

    @property
    def target(self) -> Optional[str]:
        """Where it goes, or went; None for the queue of the server's machine."""
        return None if self.view.get("target") is None else _json.text(self.view, "target")

    def __repr__(self) -> str:
        return "<berth.Job %s %s>" % (self.number, self.state)

    def refresh(self) -> "Job":
        """Asks the server how it stands; answers itself."""
        self.view = self._server.call("GET", "/jobs/%d" % self._id)
        return self

    def wait(self, timeout: Optional[float] = None) -> "Job":
        """Waits until it is finished, over restarts of the server; answers itself.

        Args:
            timeout: in seconds; None for as long as it takes

        Raises:
            TimeoutError: it is not finished by then, and goes on.
            BerthError: the server is away for a minute, or refuses.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        backoff = Backoff()
        last = 0
        while True:
            try:
                if self.refresh().is_finished:
                    return self
                backoff.connected()
                _require_time(deadline, self, timeout)
                last, is_over = self._await_end(last, deadline)
                if not is_over:
                    backoff.rest()
            except BerthError as error:
                _require_time(deadline, self, timeout)
                backoff.away(error)

    def _await_end(self, last: int, deadline: Optional[float]) -> Tuple[int, bool]:
        """Reads events until one ends the job or their stream ends: the number of the last one, and which it was."""
        headers = {"Last-Event-ID": str(last)} if last else {}
        with self._server.open("/jobs/%d/events" % self._id, headers) as answer:
            while True:
                left = _SILENCE if deadline is None else min(_SILENCE, max(0.001, deadline - time.monotonic()))
                answer.wait_at_most(left)
                line = answer.line()
                if not line:
                    return last, False
                if line.startswith(b"id:") and line[3:].strip().isdigit():
                    last = int(line[3:])
                elif line.startswith(b"data:") and _json.text(_json.parsed(line[5:]), "to") in FINAL_STATES:
                    return last, True

    def logs(self, stream: str = "both", tail: Optional[int] = None, attempt: Optional[int] = None) -> str:
        """What its program has written so far; what is no UTF-8 is replaced.

        Args:
            stream: ``both``, ``stdout`` or ``stderr``
            tail: only so many last lines
            attempt: only what that attempt wrote, from 1

        Up to 1 GiB is kept; ``follow()`` reads it line by line.
        """
        part = LogPart(self._id, stream, tail, attempt)
        return b"".join(piece for _, piece in part.frames(self._server, False)).decode("utf-8", "replace")

    def follow(self, stream: str = "both", tail: Optional[int] = None, attempt: Optional[int] = None) -> Iterator[str]:
        """The lines that its program writes, without their ends, until it is finished.

        It goes on where it was when a connection breaks or the server restarts: no line twice, none missing but those
        that the log has not kept. Arguments are as with ``logs``.

        Raises:
            BerthError: the server is away for a minute, or refuses.
        """
        part = LogPart(self._id, stream, tail, attempt)
        lines = Lines()
        backoff = Backoff()
        is_over = False
        while True:
            try:
                for source, piece in part.frames(self._server, True):
                    backoff.reset()
                    yield from lines.add(source, piece)
                # A server that is being stopped ends its answers in good order, too.
                if is_over:
                    break
                is_over = self._is_over(attempt)
                if not is_over:
                    backoff.rest()
            except BerthError as error:
                backoff.away(error)
        yield from lines.rest()

    def _is_over(self, attempt: Optional[int]) -> bool:
        """Whether nothing more is written, by the job or by that attempt."""
        self.refresh()
        now = _json.whole(self.view, "attempt")
        is_between = now == attempt and self.state in ("QUEUED", "HELD")
        return self.is_finished or (attempt is not None and (now > attempt or is_between))

    def cancel(self) -> "Job":
        """Ends it: one that waits never starts, one that runs gets TERM and 10 seconds later KILL; answers itself.

        Raises:
            BerthError: ``JOB_ENDED`` where it was finished already.
        """
        tries: List[str] = []

        def attempt(key: str) -> Object:
            tries.append(key)
            return self._server.call("POST", "/jobs/%d/cancel" % self._id, {})

        try:
            self.view = once(attempt)
        except BerthError as refused:
            # A try whose answer was lost may have been heard.
            if refused.code != "JOB_ENDED" or len(tries) == 1:
                raise
            self.refresh()
        return self

    def tracking(self) -> Object:
        """All that its program has told, as the API has it; after ``wait()`` all is there."""
        return self._server.call("GET", "/jobs/%d/tracking" % self._id)

    def metrics(self) -> Dict[str, Metric]:
        """The metrics by their names, without their curves."""
        found = (metric_of(each) for each in _json.objects(self.tracking(), "metrics"))
        return {metric.name: metric for metric in found}

    def points(self, name: str, width: Optional[int] = None) -> List[Point]:
        """The curve of a metric, in the order in which its points came.

        Args:
            width: the lowest, the highest and the last point of each of so many stretches, all as long; None for all

        A million points take some hundred megabytes here.
        """
        if width is not None:
            return points_of(self._curve({"metric": name, "width": str(width)}))
        found: List[Point] = []
        after: Optional[int] = 0
        while after is not None:
            page = self._curve({"metric": name, "after": str(after), "limit": "10000"})
            found.extend(points_of(page))
            after = _json.whole_or_none(page, "next")
        return found

    def _curve(self, query: Mapping[str, str]) -> Object:
        return self._server.call("GET", "/jobs/%d/points?%s" % (self._id, urlencode(query)))

    @property
    def params(self) -> Dict[str, str]:
        """The parameters: those of its sweep, and those that its program logged."""
        return params_of(self.view, self.tracking())

    @property
    def tags(self) -> Dict[str, str]:
        """The tags: those of its submit, with empty values, and those that its program set."""
        return tags_of(self.view, self.tracking())

    def outputs(self, directory: str, path: Optional[str] = None, replace: bool = False) -> Unpacked:
        """Fetches what it wrote to its output directory, whatever its state; answers the files' paths.

        Nothing is written outside of the directory. Links that lead out of it, devices, sockets and pipes are left out,
        and named in ``left_out`` of the answer.

        Args:
            directory: where to; made where it is not there
            path: a file or directory below the output directory; None for all
            replace: whether files that are there are replaced

        Raises:
            BerthError: ``NO_OUTPUT`` where there is nothing; ``UNSAFE_OUTPUT`` for a name that leads out.
            FileExistsError: something is in the way.
        """
        query = "" if path is None else "?" + urlencode({"path": path})
        headers = {"Accept": "application/x-tar"}
        with self._server.open("/jobs/%d/output%s" % (self._id, query), headers) as answer:
            answer.wait_at_most(_OUTPUT_PATIENCE)
            return unpack(answer, directory, replace)


def _require_time(deadline: Optional[float], job: Job, timeout: Optional[float]) -> None:
    if deadline is not None and time.monotonic() >= deadline:
        raise TimeoutError("job %s is %s after %s s: %s" % (job.number, job.state, timeout, job.sentence))
