"""Where jobs can go, and where one goes."""

import unittest
from typing import Any

from tests.support import FakeServer, answer, view

import berth


def target(name: str, **more: Any) -> Any:
    fields = {"name": name, "kind": "Slurm", "state": "ok", "sentence": "it is up", "capacity": "", "order": "fair"}
    return dict(fields, open=True, atOnce=100, jobs=3, **more)


class TargetsTest(unittest.TestCase):
    def test_each_target_comes_as_it_is(self) -> None:
        own = dict(target("scheduler"), kind="Berth", atOnce=None)
        closed = dict(target("cluster"), state="unreachable", open=False)
        with FakeServer(answer({"targets": [own, closed]})) as fake:
            found = berth.targets(server=berth.Server(socket=fake.path))
            self.assertEqual("/api/v1/targets", fake.requests[0].path)
        self.assertEqual(["scheduler", "cluster"], [each.name for each in found])
        self.assertEqual([(None, True), (100, False)], [(each.at_once, each.open) for each in found])
        cluster = berth.Target("cluster", "Slurm", "unreachable", "it is up", "", "fair", False, 100, 3)
        self.assertEqual(cluster, found[1])

    def test_a_job_knows_its_target(self) -> None:
        server = berth.Server(socket="/nonexistent")
        self.assertIsNone(berth.Job(server, view()).target)
        self.assertIsNone(berth.Job(server, view(target=None)).target)
        self.assertEqual("cluster", berth.Job(server, view(target="cluster")).target)
