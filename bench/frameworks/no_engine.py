"""Answers as a Docker Engine that has no containers and starts none: `berth run` and `berth.gpus` need no more of it."""

import json
import os
import socketserver
import threading
from http.server import BaseHTTPRequestHandler

VERSION = {"Version": "20.10.0", "ApiVersion": "1.41", "MinAPIVersion": "1.12", "Os": "linux", "Arch": "amd64"}
RUNTIMES = {name: {"path": name} for name in ("runc", "nvidia")}
INFO = {"ID": "none", "ServerVersion": "20.10.0", "Runtimes": RUNTIMES, "DefaultRuntime": "runc", "OSType": "linux",
        "DockerRootDir": "/var/lib/docker", "NCPU": os.cpu_count(), "CgroupDriver": "cgroupfs", "CgroupVersion": "2",
        "MemTotal": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "Driver": "overlay2", "SecurityOptions": []}
IMAGE = {"Id": "sha256:" + "0" * 64, "RepoTags": ["none:latest"], "Config": {"Env": []}, "Os": "linux", "Size": 0}


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path.endswith("/events"):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.flush()
            self.rfile.read(1)
        elif path.endswith("/version"):
            self.answer(VERSION)
        elif path.endswith("/info"):
            self.answer(INFO)
        elif path.endswith("/containers/json") or path.endswith("/images/json"):
            self.answer([])
        elif "/images/" in path:
            self.answer(IMAGE)
        elif path.endswith("/_ping"):
            self.answer("OK")
        else:
            self.answer({"message": "there is no engine"}, 404)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.answer({"message": "there is no engine"}, 500)

    def do_DELETE(self):
        self.answer({"message": "there is no such thing"}, 404)

    def answer(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Api-Version", "1.41")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self):
        return "a socket"

    def log_message(self, *_):
        pass


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


def serve(path):
    """Begins to answer at a socket, until the process ends; the value for DOCKER_HOST."""
    server = _Server(path, _Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "unix://" + path
