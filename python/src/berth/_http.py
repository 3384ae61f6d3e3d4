"""Requests to a server: HTTP/1.1 over its Unix socket, or over TCP with a token."""

import http.client
import json
import os
import random
import socket
import threading
import time
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Type, TypeVar, Union, cast

from . import _json
from ._errors import BerthError, bad_answer, lost
from ._location import Place, RemotePlace, SocketPlace, find
from ._version import __version__

API = "/api/v1"

# A server that says nothing for so long is none. Seconds.
_IDLE_SECONDS = 60.0
_CONNECT_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 30
# A page of jobs ends at 4 MiB; more is no answer of a Berth server.
_MAX_ANSWER = 64 << 20

# How a server that has too much to do is asked again, in seconds.
_BUSY_PATIENCE = 60.0
_BUSY_LONGEST = 30.0
_MAX_SPREAD = 8

_T = TypeVar("_T")


class Body(NamedTuple):
    """What a request sends that is no JSON.

    Attributes:
        type: its media type
        size: in bytes
        pieces: makes the bytes, each time anew
    """

    type: str
    size: int
    pieces: Callable[[], Iterable[bytes]]


Sent = Union[None, bytes, Body, Mapping[str, Any]]


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: Optional[float]) -> None:
        super().__init__("berth", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Answer:
    """An answer that is no refusal, its body still to be read. For one thread; to be closed."""

    def __init__(self, connection: http.client.HTTPConnection, sock: Any, response: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._sock = sock
        self._response = response
        self._left = response.length

    def header(self, name: str) -> Optional[str]:
        return self._response.getheader(name)

    def wait_at_most(self, seconds: Optional[float]) -> None:
        """Bounds each read from now on; a BerthError follows where nothing comes for so long."""
        self._sock.settimeout(seconds)

    def read(self, size: int) -> bytes:
        """At most so many bytes; none where the answer is complete."""
        piece = _answered("reading its answer", lambda: self._response.read(size))
        if self._left is not None:
            self._left -= len(piece)
            # Of an answer with a length, http.client takes an early end for a good one.
            if not piece and size > 0 and self._left > 0:
                raise lost("reading its answer", EOFError("%d bytes are missing" % self._left))
        return piece

    def read_whole(self, size: int) -> bytes:
        """So many bytes, or none where the answer is complete before the first of them."""
        found = b""
        while len(found) < size:
            piece = self.read(size - len(found))
            if not piece:
                if found:
                    raise lost("reading its answer", EOFError("it ended in the middle of a piece"))
                return b""
            found += piece
        return found

    def line(self) -> bytes:
        """The next line with its end; empty where the answer is complete."""
        return _answered("reading its answer", lambda: self._response.readline(_MAX_ANSWER))

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    def __enter__(self) -> "Answer":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], at: Optional[TracebackType]) -> None:
        self.close()


class Server:
    """A server that is spoken to. Safe for any thread, and good for use after a fork.

    Args:
        url: ``https://HOST:PORT``; None for a server on this machine
        socket: its Unix socket; None for that of ``BERTH_SOCKET`` or the usual places
        token: who asks, over TCP; None for ``BERTH_TOKEN`` or the file in ``BERTH_TOKEN_FILE``

    Raises:
        BerthError: ``BAD_PLACE`` where that names no server. Nothing is connected yet.
    """

    def __init__(self, url: Optional[str] = None, socket: Optional[str] = None, token: Optional[str] = None) -> None:
        self.place: Place = find(url, socket, token)
        self._lock = threading.Lock()
        self._kept: Optional[http.client.HTTPConnection] = None
        self._kept_by = 0

    def __repr__(self) -> str:
        return "berth.Server(%r)" % str(self.place)

    @property
    def is_local(self) -> bool:
        """Whether it is reached at its socket."""
        return isinstance(self.place, SocketPlace)

    def call(
        self, method: str, path: str, body: Sent = None, headers: Optional[Mapping[str, str]] = None
    ) -> Dict[str, Any]:
        """The JSON that a request below ``/api/v1`` is answered with.

        Raises:
            BerthError: a refusal, a server that cannot be reached, an answer that is none.
        """
        while True:
            connection, is_used = self._connection()
            try:
                text = _limited(self._ask(connection, method, path, body, headers))
            except BerthError as error:
                connection.close()
                # The server may have closed it while it was not used; that says nothing of the server.
                if is_used and error.code == "CONNECTION_LOST":
                    continue
                raise
            except BaseException:
                connection.close()
                raise
            self._keep(connection)
            return _json.parsed(text)

    def open(self, path: str, headers: Optional[Mapping[str, str]] = None) -> Answer:
        """The answer to a GET, to be read piece by piece, over a connection of its own."""
        connection = self._connect()
        try:
            return self._ask(connection, "GET", path, None, headers)
        except BaseException:
            connection.close()
            raise

    def _ask(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: Sent, headers: Optional[Mapping[str, str]]
    ) -> Answer:
        """The answer, asked for again where the server is too busy to take the request on."""
        busy = _Busy()
        while True:
            answer = self._send(connection, method, path, body, headers)
            if answer._response.status < 300:
                return answer
            error = _refusal(answer)
            connection.close()
            busy.wait_or_raise(answer, error)
            _reached(connection, self.place)

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: Sent, headers: Optional[Mapping[str, str]]
    ) -> Answer:
        said = self._headers(body)
        said.update(headers or {})
        pieces = body.pieces() if isinstance(body, Body) else _bytes(body)
        try:
            connection.request(method, API + path, pieces, said)
        except (BrokenPipeError, ConnectionResetError):
            # A server that refuses what is too large answers before it has taken all of it.
            pass
        except (OSError, http.client.HTTPException) as broken:
            raise lost("sending a request", broken) from None
        sock = connection.sock
        response = _answered("waiting for its answer", connection.getresponse)
        return Answer(connection, sock, response)

    def _headers(self, body: Sent) -> Dict[str, str]:
        headers = {"User-Agent": "berth-python/" + __version__, "Accept": "application/json"}
        if isinstance(body, Body):
            headers.update({"Content-Type": body.type, "Content-Length": str(body.size)})
        elif body is not None:
            headers["Content-Type"] = "application/json"
        if isinstance(self.place, RemotePlace) and self.place.token is not None:
            headers["Authorization"] = "Bearer " + self.place.token
        return headers

    def _connection(self) -> Tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            kept, self._kept = self._kept, None
            # After a fork two processes would read each other's answers.
            is_own = self._kept_by == os.getpid()
        if kept is not None and is_own and kept.sock is not None:
            return kept, True
        return self._connect(), False

    def _connect(self) -> http.client.HTTPConnection:
        return _reached(_fresh(self.place), self.place)

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            before, self._kept, self._kept_by = self._kept, connection, os.getpid()
        if before is not None:
            before.close()


def _bytes(body: Union[None, bytes, Mapping[str, Any]]) -> Optional[bytes]:
    return body if body is None or isinstance(body, bytes) else json.dumps(body, allow_nan=False).encode("utf-8")


def _fresh(place: Place) -> http.client.HTTPConnection:
    if isinstance(place, SocketPlace):
        return _UnixConnection(place.path, _IDLE_SECONDS)
    if not place.tls:
        return http.client.HTTPConnection(place.host, place.port, timeout=_CONNECT_SECONDS)
    import ssl

    try:
        context = ssl.create_default_context(cafile=place.authority)
    except OSError as unreadable:
        raise BerthError("BAD_PLACE", "BERTH_CA_FILE: %s cannot be used (%s)" % (place.authority, unreadable)) from None
    return http.client.HTTPSConnection(place.host, place.port, timeout=_CONNECT_SECONDS, context=context)


def _reached(connection: http.client.HTTPConnection, place: Place) -> http.client.HTTPConnection:
    try:
        connection.connect()
    except (OSError, http.client.HTTPException) as unreachable:
        raise _unreachable(place, unreachable) from None
    sock = connection.sock
    if isinstance(place, RemotePlace):
        # A log may be silent for hours; that the other machine is gone must be noticed all the same.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for option, value in (("TCP_KEEPIDLE", _KEEP_ALIVE_SECONDS), ("TCP_KEEPINTVL", _KEEP_ALIVE_SECONDS), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, option):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    sock.settimeout(_IDLE_SECONDS)
    return connection


def _unreachable(place: Place, why: Exception) -> BerthError:
    if isinstance(why, PermissionError):
        return BerthError("UNREACHABLE", "the socket %s may not be used by you (permission denied)" % place)
    if isinstance(place, SocketPlace):
        return BerthError("UNREACHABLE", "no Berth server answers at %s; start one with: berth server start -g" % place)
    return BerthError("UNREACHABLE", "no Berth server answers at %s (%s)" % (place, why))


def _answered(doing: str, read: Callable[[], _T]) -> _T:
    """What is read; whatever http.client and the kernel can raise meanwhile is a BerthError."""
    try:
        return read()
    except (OSError, http.client.IncompleteRead) as broken:
        raise lost(doing, broken) from None
    except http.client.HTTPException as nonsense:
        raise bad_answer("%s %s" % (type(nonsense).__name__, str(nonsense)[:80])) from None
    except ValueError as nonsense:
        # The size of a chunk that is no number; or another thread has closed the answer.
        raise bad_answer(str(nonsense)[:80]) from None


def _limited(answer: Answer) -> bytes:
    pieces: List[bytes] = []
    size = 0
    while True:
        piece = answer.read(1 << 16)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
        if size > _MAX_ANSWER:
            raise bad_answer("it has more than %d bytes" % _MAX_ANSWER)


def _refusal(answer: Answer) -> BerthError:
    status = answer._response.status
    body = _limited(answer)
    if not (answer.header("content-type") or "").startswith("application/json"):
        return BerthError("HTTP_%d" % status, "the server answered %d" % status, status)
    error = _json.parsed(body)
    details = {name: str(value) for name, value in cast(Dict[str, Any], error.get("details") or {}).items()}
    return BerthError(_json.text(error, "code"), _json.text(error, "message"), status, details)


class _Busy:
    """Waits where a server has too much to do: as long as it says, and a while more by chance. For one request."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._tries = 0

    def wait_or_raise(self, answer: Answer, error: BerthError) -> None:
        """Waits for the next try, or raises the refusal where there is to be none."""
        wanted = self._wanted(answer)
        if wanted is None or wanted > _BUSY_LONGEST:
            raise error
        self._tries += 1
        # Those who were refused together are not to come back together.
        wait = wanted + random.uniform(0, wanted * min(self._tries, _MAX_SPREAD))
        if self._spent + wait > _BUSY_PATIENCE:
            error.message += "; asked %d times in %d s, in vain" % (self._tries, self._spent)
            raise error
        time.sleep(wait)
        self._spent += wait

    @staticmethod
    def _wanted(answer: Answer) -> Optional[float]:
        said = answer.header("retry-after")
        status = answer._response.status
        if said is not None and said.isdigit() and status in (429, 503):
            return float(said)
        return 1.0 if status == 429 else None
