"""GPUs for this very process: a lease, in the same queue as every job (docs/decisions/022)."""

import logging
import os
import sys
import threading
from types import TracebackType
from typing import Any, Dict, List, Optional, Type

from . import _json
from ._cuda import initialised_by
from ._errors import BerthError
from ._http import Server, usual
from ._json import Object
from ._retry import Backoff, once
from ._submit import submit_host

# The server says something every 15 seconds.
_SILENCE = 60.0

_log = logging.getLogger("berth")


class Lease:
    """GPUs that this process has until ``release()``, or until it ends in whatever way.

    Attributes:
        id: the job's number, as in ``berth status``
        uuids: the GPUs, in the order in which CUDA numbers them from 0
    """

    def __init__(self, server: Server, id: int, attempt: int, uuids: List[str], environment: Dict[str, str]) -> None:
        self.id = id
        self._attempt = attempt
        self.uuids = uuids
        self._server = server
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._before: Optional[Dict[str, Optional[str]]] = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)

    def __repr__(self) -> str:
        return "<berth.Lease job %d: %s>" % (self.id, ", ".join(self.uuids) or "no GPU")

    def release(self) -> None:
        """Gives the GPUs back and restores the variables; once more does nothing more.

        What has initialised CUDA goes on seeing the GPUs: end it before. A forked child releases nothing.
        """
        with self._lock:
            before, self._before = self._before, None
        if before is None or os.getpid() != self._owner:
            return
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        try:
            end = {"attempt": self._attempt, "exitCode": 0}
            once(lambda _: self._server.call("POST", "/jobs/%d/lease/exit" % self.id, end))
        except BerthError as refused:
            # Somebody has deleted it meanwhile.
            if refused.code != "JOB_NOT_FOUND":
                _log.warning("the GPUs of job %d are free once this process ends: %s", self.id, refused)

    def __enter__(self) -> "Lease":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], at: Optional[TracebackType]
    ) -> None:
        self.release()


def gpus(
    num_gpus: int = 1,
    *,
    wait: bool = True,
    name: Optional[str] = None,
    project: Optional[str] = None,
    gpu_type: Optional[str] = None,
    gpu_memory_bytes: Optional[int] = None,
    gpu_labels: Optional[List[str]] = None,
    time_limit_seconds: Optional[int] = None,
    server: Optional[Server] = None,
) -> Lease:
    """Waits for GPUs for this process and makes CUDA see them alone; to be used with ``with``, before CUDA is used.

    ``CUDA_VISIBLE_DEVICES`` (UUIDs), ``CUDA_DEVICE_ORDER`` and the variables of ``berth run`` are set until the block
    ends. That is an agreement with CUDA and no confinement. The GPUs are free again at the end of the block, or when
    the process ends, however it does.

    Args:
        num_gpus: how many; 0 for a turn without any, which hides all
        wait: False to be refused where they are not free at once
        name, project: what the lease is called in lists; ``lease``, the working directory's name
        gpu_type, gpu_memory_bytes, gpu_labels: which GPUs will do
        time_limit_seconds: after so long the GPUs count as free again; the process is not ended
        server: one of this machine, at its socket

    Raises:
        BerthError: ``CUDA_INITIALISED`` where it is too late; ``NO_GPUS`` where its turn never came; ``NOT_NOW`` with
            ``wait=False``; the server's refusals.
    """
    user = initialised_by()
    if user is not None:
        raise BerthError(
            "CUDA_INITIALISED",
            "CUDA is initialised in this process already, by %s, and looks at no variable any more; ask for GPUs before"
            " anything uses CUDA (torch.cuda.is_available() does)" % user,
        )
    at = usual() if server is None else server
    if not at.is_local:
        raise BerthError("LOCAL_ONLY", "gpus() gives GPUs of this machine; use its Berth server's socket, or submit()")
    options = dict(gpu_type=gpu_type, gpu_memory_bytes=gpu_memory_bytes, gpu_labels=gpu_labels)
    options.update(time_limit_seconds=time_limit_seconds, project=project, name=name)
    job = submit_host(at, num_gpus, sys.argv, not wait, options)
    turn = _Turn(at, _json.whole(job, "id"))
    try:
        return turn.lease()
    except BaseException:
        # Also at Ctrl-C: nobody waits for that turn any more.
        turn.give_up()
        raise


class _Turn:
    """The wait for the GPUs of a job, and the word that this process has them. For one thread."""

    def __init__(self, server: Server, id: int) -> None:
        self._server = server
        self._id = id
        self._pid = os.getpid()
        self._ticks = start_ticks()

    def lease(self) -> Lease:
        granted = self._granted()
        uuids = [_json.text(gpu, "uuid") for gpu in _json.objects(granted, "gpus")]
        attempt = _json.whole(granted, "attempt")
        # The word of a shell: this process was there before its GPUs, and is not ended with them.
        start: Dict[str, Any] = {"attempt": attempt, "shell": True, "gpus": uuids}
        start.update(pid=self._pid, startTicks=self._ticks)
        once(lambda _: self._server.call("POST", "/jobs/%d/lease" % self._id, start))
        return Lease(self._server, self._id, attempt, uuids, _json.text_map(granted, "environment"))

    def _granted(self) -> Object:
        """Waits for the turn, over restarts of the server."""
        backoff = Backoff()
        while True:
            try:
                path = "/jobs/%d/lease?pid=%d&startTicks=%d" % (self._id, self._pid, self._ticks)
                with self._server.open(path, {"Accept": "text/event-stream"}) as answer:
                    answer.wait_at_most(_SILENCE)
                    backoff.connected()
                    event = ""
                    for line in iter(answer.line, b""):
                        if line.startswith(b"event:"):
                            event = line[6:].strip().decode("ascii", "replace")
                        elif line.startswith(b"data:"):
                            found = self._heard(event, _json.parsed(line[5:]))
                            if found is not None:
                                return found
                backoff.rest()
            except BerthError as error:
                backoff.away(error)

    def _heard(self, event: str, data: Object) -> Optional[Object]:
        if event == "granted":
            return data
        if event == "ended":
            raise BerthError(
                "NO_GPUS", "job %d %s: %s" % (self._id, _json.text(data, "state"), _json.text(data, "sentence"))
            )
        if event == "waiting":
            _log.info("job %d: %s", self._id, _json.text(data, "sentence"))
        return None

    def give_up(self) -> None:
        try:
            self._server.call("POST", "/jobs/%d/cancel" % self._id, {})
        except BerthError:
            # The server sees for itself that nobody waits any more.
            pass


def start_ticks() -> int:
    """When this process began, field 22 of proc(5)'s stat: with its number it names one process for all time."""
    with open("/proc/self/stat", "rb") as file:
        # The second field is the program's name in brackets, and may hold anything.
        return int(file.read().rpartition(b")")[2].split()[19])
