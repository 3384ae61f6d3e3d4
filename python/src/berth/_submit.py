"""Hands jobs in."""

import os
import shlex
from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._command import require_script
from ._errors import BerthError
from ._http import Server, usual
from ._job import Job
from ._retry import once
from ._snapshot.scan import Limits, Scan
from ._snapshot.upload import upload

_THOUSANDTHS = 1000


def submit(
    directory: "Union[str, os.PathLike[str], None]",
    command: Union[str, Sequence[str], None],
    num_gpus: Optional[float] = None,
    *,
    gpu_memory_bytes: Optional[int] = None,
    gpu_type: Optional[str] = None,
    gpu_labels: Optional[Sequence[str]] = None,
    name: Optional[str] = None,
    project: Optional[str] = None,
    tags: Optional[Sequence[str]] = None,
    profile: Optional[str] = None,
    image: Optional[str] = None,
    pull: Optional[str] = None,
    environment: Optional[Mapping[str, str]] = None,
    volumes: Optional[Sequence[str]] = None,
    working_directory: Optional[str] = None,
    entrypoint: Optional[str] = None,
    cpu_milli: Optional[int] = None,
    cpu_guarantee_milli: Optional[int] = None,
    nice: Optional[int] = None,
    memory_bytes: Optional[int] = None,
    memory_guarantee_bytes: Optional[int] = None,
    shm_bytes: Optional[int] = None,
    time_limit_seconds: Optional[int] = None,
    idle_timeout_seconds: Optional[int] = None,
    signal: Optional[str] = None,
    grace_seconds: Optional[int] = None,
    network: Optional[str] = None,
    requeue: Optional[bool] = None,
    retries: Optional[int] = None,
    retry_on: Optional[Sequence[str]] = None,
    retry_delay: Optional[str] = None,
    retry_place: Optional[str] = None,
    track: Optional[Sequence[str]] = None,
    notify: Optional[Sequence[str]] = None,
    dependencies: Optional[Sequence[str]] = None,
    keep_waiting: Optional[bool] = None,
    begin: Union[datetime, str, None] = None,
    array: Optional[str] = None,
    sweep: Optional[Sequence[str]] = None,
    zip: Optional[Sequence[str]] = None,
    sample: Optional[int] = None,
    seed: Optional[int] = None,
    pack: Optional[int] = None,
    parallel: Optional[int] = None,
    target: Optional[str] = None,
    server: Optional[Server] = None,
) -> Job:
    """Submits a command with a copy of a directory; when it returns, the job is on the server's disk.

    The options are those of ``berth submit``, by their names in the API; one that is None is as the server is
    configured. Units end the names: ``cpu_milli=1500`` are one and a half CPUs.

    Args:
        directory: what is sent, but for what its ``.berthignore`` and Berth's own list leave out; None for nothing
        command: the program and its arguments; a text is split as a shell would. A first word that ends in ``.py`` is a
            file of the directory. None only with an entrypoint
        num_gpus: how many; below 1 a share of one, where the server shares GPUs
        gpu_memory_bytes, gpu_type, gpu_labels: which GPUs will do
        name, project, tags: what to find it by; the project is by default the directory's name
        profile: what the operator calls a set of options
        image, pull, environment, volumes, working_directory, entrypoint, network: its container
        cpu_milli, cpu_guarantee_milli, nice, memory_bytes, memory_guarantee_bytes, shm_bytes: what it may use
        time_limit_seconds, idle_timeout_seconds, signal, grace_seconds: when and how it is ended, as in
            ``signal="USR1@300"``
        requeue, retries, retry_on, retry_delay, retry_place: whether it is started again
        track: what is read for metrics beside the file: of ``["tensorboard", "csv", "stdout"]``, or ``["none"]``
        notify: who is told of it, as in ``["end,fail:https://example.org/hook"]``
        dependencies, keep_waiting, begin: what it waits for: ``["afterok:42"]``; a datetime, or ISO 8601 with its zone
        array, sweep, zip, sample, seed, pack, parallel: many runs as one job: ``array="0-31%4"``,
            ``sweep=["lr=0.1,0.01", "seed=1..5"]``
        target: where it goes, a name of ``targets()``; None for the queue of the server's machine
        server: None for the one of the environment, or of this machine

    Raises:
        BerthError: ``BAD_DIRECTORY``, ``BAD_OPTION``; the server's refusals such as ``INVALID_FIELD`` and
            ``NEVER_FITS``; ``UNREACHABLE``.
    """
    said = dict(locals())
    at = usual() if server is None else server
    request = _options(said)
    if command is not None:
        request["command"] = _words(command)
    if directory is not None:
        # The path as the caller wrote it: a link's own name is the project's.
        base = os.path.basename(os.path.abspath(directory))
        if base:
            request.setdefault("project", base)
        scan = Scan(directory, Limits())
        if entrypoint is None:
            require_script(request.get("command", ()), scan, working_directory)
        request["snapshot"] = upload(at, scan)
    return Job(at, once(lambda key: at.call("POST", "/jobs", request, {"Idempotency-Key": key})))


# What is no option of the API by its own name.
_OTHERS = frozenset(("directory", "command", "num_gpus", "begin", "server"))


def _options(said: Mapping[str, Any]) -> Dict[str, Any]:
    request: Dict[str, Any] = _gpus(said["num_gpus"])
    for name, value in said.items():
        if name not in _OTHERS and value is not None:
            is_list = isinstance(value, Sequence) and not isinstance(value, str)
            request[_field(name)] = list(value) if is_list else value
    for name in ("gpu_labels", "tags", "volumes", "retry_on", "track", "notify", "dependencies", "sweep", "zip"):
        if isinstance(said[name], str):
            raise BerthError(
                "BAD_OPTION", "%s: %r must be a list of texts, as in [%r]" % (name, said[name], said[name])
            )
    if said["begin"] is not None:
        request["begin"] = _date(said["begin"])
    return request


def _field(name: str) -> str:
    """``gpu_memory_bytes`` as ``gpuMemoryBytes``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _gpus(count: Optional[float]) -> Dict[str, Any]:
    if count is None:
        return {}
    if 0 < count < 1:
        return {"gpuMilli": round(count * _THOUSANDTHS)}
    if count != int(count):
        raise BerthError("BAD_OPTION", "num_gpus: %r must be a whole number, or a share of one GPU below 1" % count)
    return {"gpus": int(count)}


def _date(begin: Union[datetime, str]) -> str:
    if isinstance(begin, str):
        return begin
    if begin.tzinfo is None:
        raise BerthError("BAD_OPTION", "begin: %s has no zone; give it one, as by .astimezone()" % begin)
    return begin.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _words(command: Union[str, Sequence[str]]) -> List[str]:
    if not isinstance(command, str):
        return list(command)
    try:
        return shlex.split(command)
    except ValueError as open_quote:
        raise BerthError(
            "BAD_OPTION", "command: %r cannot be split (%s); give a list of words" % (command, open_quote)
        ) from None


def submit_host(
    server: Server, num_gpus: Optional[float], command: Sequence[str], no_wait: bool, options: Mapping[str, Any]
) -> Dict[str, Any]:
    """Asks for GPUs for a process that is there already, and answers the job's view."""
    directory = os.getcwd()
    request: Dict[str, Any] = _gpus(num_gpus)
    request.update((_field(name), value) for name, value in options.items() if value is not None)
    request.update(
        command=[word or "python" for word in command] or ["python"], host=True, shell=True, directory=directory
    )
    request.setdefault("name", "lease")
    base = os.path.basename(directory)
    if base:
        request.setdefault("project", base)
    if no_wait:
        request["noWait"] = True
    return once(lambda key: server.call("POST", "/jobs", request, {"Idempotency-Key": key}))
