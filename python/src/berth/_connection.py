"""Connections to a server, and the answers that come over them."""

import http.client
import socket
from types import TracebackType
from typing import Any, Callable, List, Optional, Type, TypeVar

from ._errors import BerthError, bad_answer, lost
from ._location import Place, RemotePlace, SocketPlace

# A server that says nothing for so long is none. Seconds.
_IDLE_SECONDS = 60.0
_CONNECT_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 30
# A page of jobs ends at 4 MiB; more is no answer of a Berth server.
_MAX_ANSWER = 64 << 20

_T = TypeVar("_T")


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

    @property
    def status(self) -> int:
        return self._response.status

    def header(self, name: str) -> Optional[str]:
        return self._response.getheader(name)

    def wait_at_most(self, seconds: Optional[float]) -> None:
        """Bounds each read from now on; a BerthError follows where nothing comes for so long."""
        self._sock.settimeout(seconds)

    def read(self, size: int) -> bytes:
        """At most so many bytes; none where the answer is complete."""
        piece = answered("reading its answer", lambda: self._response.read(size))
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

    def whole(self) -> bytes:
        """All of it, which is not long; closed where it is not to be had."""
        try:
            return self._whole()
        except BaseException:
            self.close()
            raise

    def _whole(self) -> bytes:
        pieces: List[bytes] = []
        size = 0
        while True:
            piece = self.read(1 << 16)
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)
            size += len(piece)
            if size > _MAX_ANSWER:
                raise bad_answer("it has more than %d bytes" % _MAX_ANSWER)

    def line(self) -> bytes:
        """The next line with its end; empty where the answer is complete."""
        return answered("reading its answer", lambda: self._response.readline(_MAX_ANSWER))

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    def __enter__(self) -> "Answer":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], at: Optional[TracebackType]
    ) -> None:
        self.close()


def fresh(place: Place) -> http.client.HTTPConnection:
    """A connection that is not connected yet."""
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


def reached(connection: http.client.HTTPConnection, place: Place) -> http.client.HTTPConnection:
    """The connection, connected."""
    try:
        connection.connect()
    except (OSError, http.client.HTTPException) as unreachable:
        connection.close()
        raise _unreachable(place, unreachable) from None
    sock = connection.sock
    if isinstance(place, RemotePlace):
        # A log may be silent for hours; that the other machine is gone must be noticed all the same.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for option, value in (
            ("TCP_KEEPIDLE", _KEEP_ALIVE_SECONDS),
            ("TCP_KEEPINTVL", _KEEP_ALIVE_SECONDS),
            ("TCP_KEEPCNT", 3),
        ):
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


def response_of(connection: http.client.HTTPConnection) -> Answer:
    """Waits for the answer to what was sent."""
    # Of an answer that ends the connection, the connection forgets its socket.
    sock = connection.sock
    response = answered("waiting for its answer", connection.getresponse)
    answer = Answer(connection, sock, response)
    if response.length is None and not response.chunked:
        # Of a head that breaks off, http.client takes what came for all of it.
        answer.close()
        raise lost("waiting for its answer", EOFError("its head says no length"))
    return answer


def answered(doing: str, read: Callable[[], _T]) -> _T:
    """What is read; whatever http.client and the kernel can raise meanwhile is a BerthError."""
    try:
        return read()
    except (OSError, http.client.IncompleteRead) as broken:
        raise lost(doing, broken) from None
    except http.client.HTTPException as nonsense:
        if isinstance(nonsense, http.client.BadStatusLine) and not str(nonsense.args[0]).endswith("\n"):
            raise lost(doing, EOFError("its first line broke off")) from None
        raise bad_answer("%s %s" % (type(nonsense).__name__, str(nonsense)[:80])) from None
    except ValueError as nonsense:
        # The size of a chunk that is no number; or another thread has closed the answer.
        raise bad_answer(str(nonsense)[:80]) from None
