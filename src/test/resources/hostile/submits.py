"""SOCKET COUNT: that many submits of the largest job that one may be, eight at a time; counts what is answered."""

import collections
import concurrent.futures
import http.client
import json
import socket
import sys


class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(50)
        self.sock.connect(sys.argv[1])


# Three bytes in UTF-8, one character.
LARGE = "\u20ac" * (125 * 1024 // 3)
TAGS = [f"{i:02}" + "\u20ac" * 40 for i in range(32)]
BODY = json.dumps(
    {"command": ["/bin/true", LARGE], "environment": {"A": LARGE[:-4000]}, "gpus": 1, "tags": TAGS}, ensure_ascii=False
).encode()


def submit(_):
    connection = Connection("localhost")
    try:
        connection.request("POST", "/api/v1/jobs", BODY, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


with concurrent.futures.ThreadPoolExecutor(8) as clients:
    for status, count in collections.Counter(clients.map(submit, range(int(sys.argv[2])))).items():
        print(status, count)
