"""Jobs over a connection that breaks, and lists of them."""

import socket
import struct
import unittest
from typing import Optional
from unittest import mock

from tests.support import FakeServer, Request, answer, refusal, stream, view

import berth


def frame(offset: int, text: bytes, source: int = 0) -> bytes:
    return struct.pack(">QQII", offset, 0, source, len(text)) + text


def event(number: int, to: str) -> bytes:
    return b'id: %d\nevent: X\ndata: {"to": "%s"}\n\n' % (number, to.encode())


class JobTest(unittest.TestCase):
    def setUp(self) -> None:
        sleep = mock.patch("time.sleep")
        self.sleep = sleep.start()
        self.addCleanup(sleep.stop)

    def job(self, fake: FakeServer) -> berth.Job:
        return berth.Job(berth.Server(socket=fake.path), view())

    def test_wait_goes_on_behind_the_last_event_that_came(self) -> None:
        with FakeServer(
            answer(view()),
            stream(event(3, "RUNNING"), whole=False),
            answer(view()),
            stream(event(4, "COMPLETED")),
            answer(dict(view("COMPLETED"), exitCode=0)),
        ) as fake:
            self.assertEqual(0, self.job(fake).wait().exit_code)
            self.assertNotIn("last-event-id", fake.requests[1].headers)
            self.assertEqual("3", fake.requests[3].headers["last-event-id"])

    def test_wait_outlives_a_restart(self) -> None:
        with FakeServer(answer(view()), refusal(503, "STOPPING"), b"", answer(view("FAILED")), close=True) as fake:
            self.assertEqual("FAILED", self.job(fake).wait().state)

    def test_wait_gives_up_after_a_minute(self) -> None:
        job = berth.Job(berth.Server(socket="/nonexistent/berth.sock"), view())
        with self.assertRaises(berth.BerthError) as caught, self.assertLogs("berth", "WARNING"):
            job.wait()
        self.assertEqual("UNREACHABLE", caught.exception.code)
        self.assertLess(55, sum(call.args[0] for call in self.sleep.call_args_list))

    def test_wait_ends_in_time(self) -> None:
        def silent(_: Request, connection: socket.socket) -> None:
            connection.sendall(stream(event(3, "RUNNING"), whole=False))
            connection.recv(1)

        with FakeServer(answer(view()), silent, answer(view())) as fake, self.assertRaises(TimeoutError) as caught:
            self.job(fake).wait(0.2)
        self.assertIn("RUNNING after 0.2 s: it is so", str(caught.exception))

    def test_a_refusal_ends_the_wait(self) -> None:
        with FakeServer(refusal(404, "JOB_NOT_FOUND")) as fake, self.assertRaises(berth.BerthError) as caught:
            self.job(fake).wait()
        self.assertEqual(404, caught.exception.status)

    def test_follow_resumes_where_it_was(self) -> None:
        with FakeServer(
            stream(frame(10, b"one\ntw") + frame(16, b"o\nthr")[:20], "Berth-Log-Offset: 10\r\n", whole=False),
            stream(frame(16, b"o\n"), "Berth-Log-Offset: 16\r\n"),
            answer(view()),
            stream(frame(18, b"three"), "Berth-Log-Offset: 18\r\n"),
            answer(view("COMPLETED")),
            stream(b"", "Berth-Log-Offset: 23\r\n"),
        ) as fake:
            self.assertEqual(["one", "two", "three"], list(self.job(fake).follow(tail=3)))
            asked = [request.path for request in fake.requests if "/log" in request.path]
        self.assertEqual(["0", "16", "18", "23"], [path.split("offset=")[1].split("&")[0] for path in asked])
        self.assertEqual([True, False, False, False], ["tail=3" in path for path in asked])

    def test_lines_of_the_two_streams_do_not_mix(self) -> None:
        pieces = frame(0, b"out") + frame(3, b"err\n", 1) + frame(7, b"put\n")
        with FakeServer(stream(pieces), answer(view("COMPLETED")), stream(b"")) as fake:
            self.assertEqual(["err", "output"], list(self.job(fake).follow()))

    def test_a_line_without_an_end_comes_in_pieces(self) -> None:
        pieces = b"".join(frame(at * 65536, b"x" * 65536) for at in range(40))
        with FakeServer(stream(pieces), answer(view("COMPLETED")), stream(b"")) as fake:
            lines = list(self.job(fake).follow())
        self.assertEqual(40 * 65536, sum(map(len, lines)))
        self.assertLessEqual(max(map(len, lines)), 1 << 20)

    def test_what_is_no_log_is_told(self) -> None:
        with FakeServer(stream(b"a" * 100)) as fake, self.assertRaises(berth.BerthError) as caught:
            self.job(fake).logs()
        self.assertEqual("BAD_ANSWER", caught.exception.code)

    def test_a_log_that_is_no_utf_8_is_shown(self) -> None:
        with FakeServer(stream(frame(0, b"a\xffb\n"))) as fake:
            self.assertEqual("a\ufffdb\n", self.job(fake).logs())

    def test_a_cancel_whose_answer_was_lost_may_have_been_heard(self) -> None:
        with FakeServer(b"", refusal(409, "JOB_ENDED"), answer(view("CANCELLED")), close=True) as fake:
            self.assertEqual("CANCELLED", self.job(fake).cancel().state)

    def test_a_cancel_of_what_is_over_is_refused(self) -> None:
        with FakeServer(refusal(409, "JOB_ENDED")) as fake, self.assertRaises(berth.BerthError) as caught:
            self.job(fake).cancel()
        self.assertEqual("JOB_ENDED", caught.exception.code)

    def test_a_list_is_read_page_by_page(self) -> None:
        with FakeServer(answer({"jobs": [view()], "next": 5}), answer({"jobs": [view()], "next": None})) as fake:
            found = berth.jobs(project="a b&c", state="FAILED", server=berth.Server(socket=fake.path))
            self.assertEqual(2, len(found))
            self.assertIn("project=a+b%26c&state=FAILED", fake.requests[0].path)
            self.assertIn("cursor=5", fake.requests[1].path)

    def test_conditions_and_the_best_are_asked_of_what_was_told(self) -> None:
        with FakeServer(answer({"jobs": [view()], "next": None}), answer({"jobs": [view()], "next": None})) as fake:
            at = berth.Server(socket=fake.path)
            berth.jobs(where="acc>0.9 and lr=0.01", server=at)
            self.assertIn("/tracked?scope=all&where=acc%3E0.9+and+lr%3D0.01", fake.requests[0].path)
            self.assertEqual(1, len(berth.best("acc", project="p", by_last=True, limit=3, server=at)))
            self.assertIn("/tracked?best=acc&order=max&limit=3&project=p&last=true", fake.requests[1].path)

    def test_jobs_are_found_by_text_and_tag(self) -> None:
        with FakeServer(answer({"jobs": [view()], "next": None})) as fake:
            berth.jobs(text="res net", tag="base=v2", server=berth.Server(socket=fake.path))
            self.assertIn("/jobs?scope=all&text=res+net&tag=base%3Dv2", fake.requests[0].path)

    def test_jobs_have_the_order_of_a_column(self) -> None:
        with FakeServer(answer({"jobs": [], "next": None}), answer({"jobs": [], "next": None})) as fake:
            berth.jobs(sort="duration:desc", server=berth.Server(socket=fake.path))
            berth.jobs(sort="name", server=berth.Server(socket=fake.path))
            self.assertIn("/jobs?scope=all&sort=duration&order=desc&limit=", fake.requests[0].path)
            self.assertIn("/jobs?scope=all&sort=name&limit=", fake.requests[1].path)

    def test_a_number_goes_into_the_path_alone(self) -> None:
        with FakeServer(answer(view())) as fake:
            berth.job("42_[0-4]/../x?y", berth.Server(socket=fake.path))
            self.assertEqual("/api/v1/jobs/42_%5B0-4%5D%2F..%2Fx%3Fy", fake.requests[0].path)


class ToldTest(unittest.TestCase):
    TRACKING = {
        "params": {"lr": "0.1"},
        "tags": {"best": "", "stage": "2"},
        "metrics": [
            {
                "name": "loss\n",
                "count": 3,
                "last": {"step": 2, "time": "2026-01-01T00:00:00Z", "value": "NaN"},
                "min": {"step": 0, "time": "2026-01-01T00:00:00Z", "value": "-Infinity"},
                "max": None,
            }
        ],
    }

    def test_metrics_have_values_that_json_has_no_number_for(self) -> None:
        with FakeServer(answer(self.TRACKING)) as fake:
            metric = berth.Job(berth.Server(socket=fake.path), view()).metrics()["loss\n"]
        self.assertEqual((3, 2), (metric.count, metric.last.step))
        self.assertNotEqual(metric.last.value, metric.last.value)
        assert metric.min is not None
        self.assertEqual((float("-inf"), None), (metric.min.value, metric.max))

    def test_params_and_tags_of_submit_and_program(self) -> None:
        with FakeServer(answer(self.TRACKING), answer(self.TRACKING)) as fake:
            shown = dict(view(), parameters={"seed": "1", "lr": "9"}, tags=["mine"])
            job = berth.Job(berth.Server(socket=fake.path), shown)
            self.assertEqual({"seed": "1", "lr": "0.1"}, job.params)
            self.assertEqual({"mine": "", "best": "", "stage": "2"}, job.tags)

    def test_all_points_come_in_pages(self) -> None:
        def page(first: int, following: Optional[int]) -> bytes:
            points = [{"step": first + at, "time": "t", "value": 1} for at in range(2)]
            return answer({"points": points, "next": following})

        with FakeServer(page(0, 2), page(2, None), page(0, None)) as fake:
            job = berth.Job(berth.Server(socket=fake.path), view())
            self.assertEqual([0, 1, 2, 3], [point.step for point in job.points("a&b=c")])
            self.assertEqual(2, len(job.points("loss", width=1)))
            self.assertIn("metric=a%26b%3Dc&after=2", fake.requests[1].path)
            self.assertIn("metric=loss&width=1", fake.requests[2].path)
