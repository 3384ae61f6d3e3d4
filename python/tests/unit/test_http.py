"""A server that is slow, busy, away or none at all."""

import os
import socket
import time
import unittest
from unittest import mock

from tests.support import FakeServer, Request, answer, refusal, stream

import berth
from berth import _connection
from berth._http import Body


def server_of(fake: FakeServer) -> berth.Server:
    return berth.Server(socket=fake.path)


class HttpTest(unittest.TestCase):
    def refused(self, *replies: bytes, close: bool = False) -> berth.BerthError:
        with FakeServer(*replies, close=close) as fake, self.assertRaises(berth.BerthError) as caught:
            server_of(fake).call("GET", "/server")
        return caught.exception

    def test_a_refusal_has_code_message_status_and_details(self) -> None:
        error = self.refused(refusal(400, "INVALID_FIELD", field="limit"))
        self.assertEqual(("INVALID_FIELD", "a sentence", 400), (error.code, error.message, error.status))
        self.assertEqual({"field": "limit"}, error.details)
        self.assertEqual("a sentence", str(error))

    def test_nobody_answers(self) -> None:
        with self.assertRaises(berth.BerthError) as caught:
            berth.Server(socket="/nonexistent/berth.sock").call("GET", "/server")
        self.assertEqual(("UNREACHABLE", None), (caught.exception.code, caught.exception.status))
        self.assertIn("/nonexistent/berth.sock", str(caught.exception))

    def test_nonsense_is_told_apart_from_a_break(self) -> None:
        for nonsense in (
            b"SSH-2.0-OpenSSH_9.2\r\n",
            b"HTTP/9.9 banana\r\n\r\n",
            answer([1, 2]),
            answer("text"),
            b'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{"a":',
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xff\xfe",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nbanana\r\n{}\r\n0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\n" + b"X: " + b"a" * 70_000 + b"\r\n\r\n{}",
            b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 200 + b"\r\n{}",
            b"HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n" + b"[" * 20_000,
            answer({"message": "no code"}, 400),
        ):
            with self.subTest(nonsense[:40]):
                self.assertIn(self.refused(nonsense, close=True).code, ("BAD_ANSWER", "CONNECTION_LOST"))

    def test_a_refusal_that_is_no_json_has_its_status(self) -> None:
        error = self.refused(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\nContent-Type: text/html\r\n\r\n<p/>")
        self.assertEqual(("HTTP_502", 502), (error.code, error.status))

    def test_an_answer_that_breaks_off_is_no_answer(self) -> None:
        whole = answer({"a": "b" * 100})
        chunked = stream(b'{"a": 1}', whole=False)
        for cut in (whole[:10], whole[:60], whole[:-1], chunked, chunked[:-5], b""):
            with self.subTest(cut):
                self.assertEqual("CONNECTION_LOST", self.refused(cut, close=True).code)

    def test_an_endless_answer_is_given_up(self) -> None:
        with mock.patch.object(_connection, "_MAX_ANSWER", 1000):
            self.assertEqual("BAD_ANSWER", self.refused(answer({"a": "b" * 2000})).code)

    def test_a_silent_server_is_given_up(self) -> None:
        def silent(_: Request, connection: socket.socket) -> None:
            time.sleep(2)

        with FakeServer(silent) as fake, mock.patch.object(_connection, "_IDLE_SECONDS", 0.2):
            with self.assertRaises(berth.BerthError) as caught:
                server_of(fake).call("GET", "/server")
        self.assertEqual("CONNECTION_LOST", caught.exception.code)

    def test_one_connection_carries_one_call_after_the_other(self) -> None:
        with FakeServer(answer({"n": 1}), answer({"n": 2})) as fake:
            server = server_of(fake)
            self.assertEqual([1, 2], [server.call("GET", "/a")["n"], server.call("GET", "/b")["n"]])
            self.assertEqual(1, fake.connections)

    def test_a_connection_that_was_closed_meanwhile_says_nothing_of_the_server(self) -> None:
        with FakeServer(answer({"n": 1}), answer({"n": 2}), close=True) as fake:
            server = server_of(fake)
            self.assertEqual([1, 2], [server.call("GET", "/a")["n"], server.call("POST", "/b", {})["n"]])
            self.assertEqual(2, fake.connections)

    def test_a_fork_does_not_share_its_parents_connection(self) -> None:
        with FakeServer(answer({"n": 1}), answer({"n": 2}), answer({"n": 3})) as fake:
            server = server_of(fake)
            server.call("GET", "/a")
            child = os.fork()
            if child == 0:
                os._exit(server.call("GET", "/b")["n"])
            self.assertEqual(2, os.WEXITSTATUS(os.waitpid(child, 0)[1]))
            self.assertEqual(3, server.call("GET", "/c")["n"])
            self.assertEqual(2, fake.connections)

    def test_a_busy_server_is_asked_again_when_it_says(self) -> None:
        busy = refusal(429, "BUSY", "Retry-After: 1\r\n")
        with FakeServer(busy, busy, answer({"n": 1})) as fake, mock.patch("time.sleep") as sleep:
            self.assertEqual(1, server_of(fake).call("GET", "/a")["n"])
        self.assertEqual(2, sleep.call_count)
        self.assertTrue(all(1 <= call.args[0] <= 3 for call in sleep.call_args_list))

    def test_a_server_that_is_busy_for_long_is_given_up(self) -> None:
        with mock.patch("time.sleep"):
            error = self.refused(*[refusal(429, "BUSY", "Retry-After: 20\r\n")] * 9)
        self.assertEqual("BUSY", error.code)
        self.assertIn("in vain", error.message)

    def test_a_server_that_stops_is_not_asked_again(self) -> None:
        self.assertEqual("STOPPING", self.refused(refusal(503, "STOPPING")).code)

    def test_the_refusal_of_a_body_that_is_not_read_arrives(self) -> None:
        def refuse(_: Request, connection: socket.socket) -> None:
            connection.sendall(refusal(413, "TOO_LARGE"))

        def pieces() -> "list[bytes]":
            return [b"x" * 100_000] * 50

        with FakeServer() as fake:
            # The head alone is read, as by a server that looks at the length.
            fake._serve = lambda connection: refuse(None, connection) or connection.close()  # type: ignore
            with self.assertRaises(berth.BerthError) as caught:
                server_of(fake).call("POST", "/contents", Body("application/octet-stream", 5_000_000, pieces))
        self.assertIn(caught.exception.code, ("TOO_LARGE", "CONNECTION_LOST"))

    def test_a_null_where_none_may_be_is_no_answer(self) -> None:
        with FakeServer(answer({"id": None, "state": "RUNNING"})) as fake, self.assertRaises(
            berth.BerthError
        ) as caught:
            berth.job(7, server_of(fake))
        self.assertEqual("BAD_ANSWER", caught.exception.code)
        self.assertIn("id", str(caught.exception))
