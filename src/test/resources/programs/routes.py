"""Asks an API at a Unix socket, as the user who runs it, and prints a list of a status and a body each.

Usage: routes.py SOCKET REQUESTS, where REQUESTS is a JSON list of a method, a path and a body each.
"""

import http.client
import json
import socket
import sys

LIMIT_SECONDS = 30


def ask(method, path, body):
    with socket.socket(socket.AF_UNIX) as unix:
        unix.settimeout(LIMIT_SECONDS)
        unix.connect(sys.argv[1])
        # In one piece: a server that refuses may close without reading the body.
        unix.sendall(
            f"{method} /api/v1{path} HTTP/1.1\r\nHost: berth\r\nConnection: close\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        answer = http.client.HTTPResponse(unix, method=method)
        answer.begin()
        return [answer.status, answer.read().decode("utf-8", "replace")]


print(json.dumps([ask(*request) for request in json.loads(sys.argv[2])]))
