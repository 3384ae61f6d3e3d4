"""Requests to a server: HTTP/1.1 over its Unix socket, or over TCP with a token."""

import http.client
import json
import os
import threading
import weakref
from typing import Any, Callable, Dict, Iterable, Mapping, NamedTuple, Optional, Tuple, Union

from . import _json
from ._connection import Answer, fresh, reached, response_of
from ._errors import BerthError, lost
from ._location import Place, RemotePlace, SocketPlace, find
from ._retry import Busy
from ._version import __version__

API = "/api/v1"


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


# Those that there are, for a process that is forked.
_servers: "weakref.WeakSet[Server]" = weakref.WeakSet()


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
        _servers.add(self)
        self._kept: Optional[http.client.HTTPConnection] = None
        self._kept_by = 0

    def renew(self) -> None:
        """Makes it good for use in a process that was forked while another thread was at it."""
        self._lock = threading.Lock()

    def close(self) -> None:
        """Ends the connection that is kept for the next call; there may be a next call all the same."""
        with self._lock:
            kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()

    def __del__(self) -> None:
        if hasattr(self, "_lock"):
            self.close()

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
                text = self._ask(connection, method, path, body, headers).whole()
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
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: Sent,
        headers: Optional[Mapping[str, str]],
    ) -> Answer:
        """The answer, asked for again where the server is too busy to take the request on."""
        busy = Busy()
        while True:
            answer = self._send(connection, method, path, body, headers)
            if answer.status < 300:
                return answer
            with answer:
                error = _refusal(answer)
            busy.wait_or_raise(answer.header("retry-after"), error)
            reached(connection, self.place)

    def _send(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: Sent,
        headers: Optional[Mapping[str, str]],
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
        return response_of(connection)

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
        if kept is not None:
            kept.close()
        return self._connect(), False

    def _connect(self) -> http.client.HTTPConnection:
        return reached(fresh(self.place), self.place)

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            before, self._kept, self._kept_by = self._kept, connection, os.getpid()
        if before is not None:
            before.close()


_shared: Dict[Place, Server] = {}


def _renew_all() -> None:
    for server in list(_servers):
        server.renew()


os.register_at_fork(after_in_child=_renew_all)


def usual() -> Server:
    """The server of the environment or of this machine, the same one for each call that names none."""
    place = find()
    found = _shared.get(place)
    if found is None:
        _shared.clear()
        found = _shared[place] = Server()
    return found


def _bytes(body: Union[None, bytes, Mapping[str, Any]]) -> Optional[bytes]:
    return body if body is None or isinstance(body, bytes) else json.dumps(body, allow_nan=False).encode("utf-8")


def _refusal(answer: Answer) -> BerthError:
    status = answer.status
    body = answer.whole()
    if not (answer.header("content-type") or "").startswith("application/json"):
        return BerthError("HTTP_%d" % status, "the server answered %d" % status, status)
    error = _json.parsed(body)
    details = {name: str(value) for name, value in dict(error.get("details") or {}).items()}
    return BerthError(_json.text(error, "code"), _json.text(error, "message"), status, details)
