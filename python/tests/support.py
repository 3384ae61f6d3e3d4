"""What several tests need: the package's sources on the path, and a server that says what a test wants."""

import contextlib
import json
import os
import socket
import sys
import tempfile
import threading
import unittest
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Union

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(PYTHON)

# Where the package is installed, that is what is tested.
if os.environ.get("BERTH_TEST_INSTALLED") != "1":
    sys.path.insert(0, os.path.join(PYTHON, "src"))


class Request(NamedTuple):
    method: str
    path: str
    headers: "dict[str, str]"
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body.decode("utf-8"))


Reply = Union[bytes, Callable[[Request, socket.socket], None]]


def answer(value: Any, status: int = 200, headers: str = "") -> bytes:
    """A whole answer of JSON."""
    body = json.dumps(value).encode()
    head = "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n" % (
        status,
        len(body),
        headers,
    )
    return head.encode() + body


def refusal(status: int, code: str, headers: str = "", **details: str) -> bytes:
    return answer({"code": code, "message": "a sentence", "details": details}, status, headers)


def stream(body: bytes, headers: str = "", whole: bool = True) -> bytes:
    """An answer in chunks, with its last one or broken off."""
    chunk = b"%x\r\n%s\r\n" % (len(body), body) if body else b""
    head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n%s\r\n" % headers
    return head.encode() + chunk + (b"0\r\n\r\n" if whole else b"")


def view(state: str = "RUNNING", **more: Any) -> Any:
    """A job as the server shows it, as far as the package looks at it."""
    fields = {
        "id": 7,
        "number": "7",
        "state": state,
        "sentence": "it is so",
        "reason": None,
        "exitCode": None,
        "tags": [],
    }
    return dict(fields, name="x", project="p", parameters=None, attempt=1, **more)


class FakeServer:
    """Answers the requests that come with the replies in their order, each over any connection."""

    def __init__(self, *replies: Reply, close: bool = False) -> None:
        self.requests: List[Request] = []
        self.connections = 0
        self._replies = list(replies)
        self._close = close
        self._folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self._folder.name, "berth.sock")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen(8)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as reader:
            while True:
                request = _read(reader)
                if request is None or not self._replies:
                    return
                self.requests.append(request)
                reply = self._replies.pop(0)
                if callable(reply):
                    reply(request, connection)
                    return
                connection.sendall(reply)
                if self._close or b"Connection: close" in reply or not reply:
                    return

    def __enter__(self) -> "FakeServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self._listener.close()
        self._folder.cleanup()


def _read(reader: Any) -> Optional[Request]:
    first = reader.readline().decode().split()
    if len(first) != 3:
        return None
    headers = {}
    for line in iter(lambda: reader.readline().strip(), b""):
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    body = reader.read(int(headers.get("content-length", "0")))
    return Request(first[0], first[1], headers, body)


@contextlib.contextmanager
def environment(**variables: Optional[str]) -> Iterator[None]:
    """Sets variables, None for unset, and restores them."""
    before = {name: os.environ.get(name) for name in variables}
    _set(variables)
    try:
        yield
    finally:
        _set(before)


def _set(variables: "dict[str, Optional[str]]") -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class FolderTest(unittest.TestCase):
    """A test with a folder of its own, in ``self.folder``."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def at(self, *steps: str) -> str:
        return os.path.join(self.folder, *steps)

    def write(self, name: str, content: Union[str, bytes] = "") -> str:
        path = self.at(*name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return path
