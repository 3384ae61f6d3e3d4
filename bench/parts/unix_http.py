"""HTTP on a Unix socket, as Berth and the Docker Engine speak it."""

import http.client
import json
import socket

TIMEOUT_SECONDS = 300


class Refused(Exception):
    """The other side answered that it will not."""


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=TIMEOUT_SECONDS)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class UnixHttp:
    """One connection a request, as a command would make it."""

    def __init__(self, path):
        self.path = str(path)

    def ask(self, method, target, body=None, media_type="application/json"):
        """The answer's bytes, to their end."""
        connection = UnixConnection(self.path)
        try:
            headers = {"Content-Type": media_type} if body is not None else {}
            connection.request(method, target, body=body, headers=headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status >= 400:
            raise Refused(f"{method} {target}: {answer.status} {content.decode(errors='replace').strip()}")
        return content

    def json(self, method, target, body=None):
        content = self.ask(method, target, None if body is None else json.dumps(body))
        return json.loads(content) if content else None
