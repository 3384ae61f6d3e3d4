"""Leases: the wait, the variables, the end, and CUDA that was initialised before."""

import os
import types
import unittest
from typing import Any
from unittest import mock

from tests.support import FakeServer, answer, environment, refusal, stream, view

import berth
from berth import _cuda, safe_gpu
from berth._gpus import start_ticks

UUID = "GPU-1"
MAPS = "7f00-7f01 r-xp 00000000 08:01 1234    /usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14\n"


def event(kind: str, **data: Any) -> bytes:
    import json

    return ("event: %s\ndata: %s\n\n" % (kind, json.dumps(data))).encode()


def granted() -> bytes:
    variables = {"CUDA_VISIBLE_DEVICES": UUID, "BERTH_JOB_ID": "7"}
    gpus = [{"index": "0", "uuid": UUID}]
    return stream(b": here\n\n" + event("granted", attempt=1, gpus=gpus, environment=variables, defaults={}, cpus=[]))


BEGUN = answer({"state": "RUNNING", "stop": None})


class CudaTest(unittest.TestCase):
    def test_a_library_that_is_not_there_is_not_initialised(self) -> None:
        self.assertIsNone(
            _cuda.initialised_by(["7f00-7f01 r-xp 0 08:01 1 /usr/lib/libc.so.6\n", "7f02-7f03 rw-p 0 00:00 0\n"])
        )

    def test_the_library_that_is_there_says_so_itself(self) -> None:
        asked = []

        def count(path: str) -> int:
            asked.append(path)
            return 3 if len(asked) == 1 else 0

        self.assertIsNone(_cuda.initialised_by([MAPS, MAPS], count))
        self.assertIn("libcuda.so.550.54.14", str(_cuda.initialised_by([MAPS], count)))
        self.assertEqual(["/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14"] * 2, asked)

    def test_a_library_that_cannot_be_asked_counts_as_initialised(self) -> None:
        self.assertIsNotNone(_cuda.initialised_by([MAPS.replace("550.54.14", "no (deleted)")]))

    def test_pytorch_says_so_itself(self) -> None:
        for cuda, expected in ((types.SimpleNamespace(is_initialized=lambda: True), "PyTorch"), (None, None)):
            with mock.patch.dict("sys.modules", torch=types.SimpleNamespace(cuda=cuda)):
                self.assertEqual(expected, _cuda.initialised_by([]))


class GpusTest(unittest.TestCase):
    def lease(self, fake: FakeServer, **options: Any) -> berth.Lease:
        return berth.gpus(1, server=berth.Server(socket=fake.path), **options)

    def test_the_variables_are_there_within_the_block_alone(self) -> None:
        queue = stream(event("waiting", state="QUEUED", reason="BEHIND_HEAD", sentence="it waits"))
        with FakeServer(answer(view("QUEUED")), queue, granted(), BEGUN, BEGUN) as fake:
            with environment(CUDA_VISIBLE_DEVICES="5", BERTH_JOB_ID=None):
                with self.lease(fake, gpu_type="a100") as lease:
                    self.assertEqual([UUID], lease.uuids)
                    self.assertEqual((UUID, "7"), (os.environ["CUDA_VISIBLE_DEVICES"], os.environ["BERTH_JOB_ID"]))
                self.assertEqual(("5", None), (os.environ["CUDA_VISIBLE_DEVICES"], os.environ.get("BERTH_JOB_ID")))
            submit, first, _, begin, end = fake.requests
        request = submit.json()
        self.assertEqual(
            (1, True, True, "lease", "a100"),
            tuple(request[key] for key in ("gpus", "host", "shell", "name", "gpuType")),
        )
        self.assertIn("pid=%d&startTicks=%d" % (os.getpid(), start_ticks()), first.path)
        self.assertEqual((os.getpid(), True, [UUID]), tuple(begin.json()[key] for key in ("pid", "shell", "gpus")))
        self.assertTrue(end.path.endswith("/jobs/7/lease/exit"))
        self.assertEqual({"attempt": 1, "exitCode": 0}, end.json())

    def test_the_gpus_go_back_where_the_block_fails(self) -> None:
        with FakeServer(answer(view("QUEUED")), granted(), BEGUN, refusal(404, "JOB_NOT_FOUND")) as fake:
            with self.assertRaises(ZeroDivisionError), self.lease(fake):
                raise ZeroDivisionError
            self.assertEqual(4, len(fake.requests))
        self.assertNotIn("BERTH_JOB_ID", os.environ)

    def test_a_forked_child_gives_nothing_back(self) -> None:
        with FakeServer(answer(view("QUEUED")), granted(), BEGUN, BEGUN) as fake:
            lease = self.lease(fake)
            child = os.fork()
            if child == 0:
                lease.release()
                os._exit(0)
            os.waitpid(child, 0)
            self.assertEqual(3, len(fake.requests))
            lease.release()
            lease.release()
            self.assertEqual(4, len(fake.requests))

    def test_a_turn_that_never_comes(self) -> None:
        ended = stream(event("ended", state="CANCELLED", sentence="cancelled by root", exitCode=None))
        with FakeServer(answer(view("QUEUED")), ended, refusal(409, "JOB_ENDED")) as fake:
            with self.assertRaises(berth.BerthError) as caught:
                self.lease(fake)
        self.assertEqual("NO_GPUS", caught.exception.code)

    def test_who_stops_waiting_leaves_the_queue(self) -> None:
        with FakeServer(answer(view("QUEUED")), answer(view("CANCELLED"))) as fake:
            interrupted = mock.patch("berth._gpus._Turn._granted", side_effect=KeyboardInterrupt)
            with interrupted, self.assertRaises(KeyboardInterrupt):
                self.lease(fake)
            self.assertTrue(fake.requests[-1].path.endswith("/cancel"))

    def test_it_is_refused_where_cuda_is_initialised(self) -> None:
        with mock.patch("berth._gpus.initialised_by", return_value="PyTorch"), self.assertRaises(
            berth.BerthError
        ) as caught:
            berth.gpus(1, server=berth.Server(socket="/nonexistent"))
        self.assertEqual("CUDA_INITIALISED", caught.exception.code)

    def test_it_is_for_this_machine_alone(self) -> None:
        with self.assertRaises(berth.BerthError) as caught:
            berth.gpus(1, server=berth.Server("http://127.0.0.1:1"))
        self.assertEqual("LOCAL_ONLY", caught.exception.code)


class SafeGpuTest(unittest.TestCase):
    def test_its_words(self) -> None:
        with FakeServer(answer(view("QUEUED")), granted(), BEGUN, BEGUN) as fake:
            with environment(BERTH_SOCKET=fake.path):
                safe_gpu.claim_gpus(nb_gpus=1, placeholder_fn=safe_gpu.pytorch_placeholder)
                assert safe_gpu.gpu_owner is not None
                self.assertEqual([UUID], safe_gpu.gpu_owner.devices_taken)
                safe_gpu.release_gpus()
                safe_gpu.release_gpus()
                self.assertEqual(4, len(fake.requests))

    def test_without_a_wait_it_fails_as_safe_gpu_did(self) -> None:
        with FakeServer(refusal(409, "NOT_NOW")) as fake, environment(BERTH_SOCKET=fake.path):
            with self.assertRaisesRegex(RuntimeError, "Required 2 GPUs"):
                safe_gpu.GPUOwner(2, wait=False)
            self.assertTrue(fake.requests[0].json()["noWait"])
