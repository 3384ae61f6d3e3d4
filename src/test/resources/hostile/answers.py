"""SOCKET: sixty connections at once that ask for whole lists and large jobs, read slowly, or send large bodies."""

import collections
import concurrent.futures
import http.client
import json
import socket
import sys
import time


class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.sock.settimeout(50)
        self.sock.connect(sys.argv[1])


LARGE = json.dumps({"command": ["x"], "environment": {f"V{i}": "\u20ac" * 40 for i in range(1000)}}, ensure_ascii=False)
BODY = (LARGE + " " * (1024 * 1024 - len(LARGE.encode()))).encode()


def ask(number):
    kind = number % 4
    connection = Connection("localhost")
    try:
        if kind == 0:
            connection.request("GET", "/api/v1/jobs?scope=all&limit=1000")
        elif kind == 1:
            connection.request("GET", "/api/v1/jobs/5")
        elif kind == 2:
            connection.request("GET", "/api/v1/events")
        else:
            connection.request("POST", "/api/v1/jobs?dryRun=true", BODY, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        if kind < 3:
            time.sleep(2)
        answer.read()
        return answer.status
    finally:
        connection.close()


with concurrent.futures.ThreadPoolExecutor(60) as clients:
    for status, count in collections.Counter(clients.map(ask, range(180))).items():
        print(status, count)
