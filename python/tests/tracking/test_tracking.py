"""What programs log, from the call to the answer of a real server, which is found as in ``tests/server``."""

import math
import os
import shutil
from typing import Any

from tests import docs
from tests.server.test_server import ServerTest
from tests.support import PYTHON, FolderTest

import berth
from berth import foundations

PROGRAM = """\
import os, sys
from berth import foundations
import berth

berth.log_params({"lr": 0.1, "net": {"depth": 3}, "list": [1, 2]})
for step in range(int(sys.argv[1])):
    berth.log_metrics({"loss": 1 / (step + 1), "acc": step}, step=step)
berth.log_metric("odd", float("nan"))
berth.log_metric("odd", float("inf"))
berth.log_metric("name\\nwith a line", 1)
berth.set_tag("best")
berth.progress(1, of=2, unit="epoch")
open("model.pt", "w").write("x")
berth.save_artifact("model.pt", key="model")
foundations.log_params({"outer": {"inner": 1}})
if os.fork() == 0:
    berth.log_metric("child", 5)
    os._exit(0)
os.wait()
os.kill(os.getpid(), 9)
"""


class TrackingTest(ServerTest):
    def run_program(self, steps: int, **options: Any) -> berth.Job:
        shutil.copytree(os.path.join(PYTHON, "src", "berth"), self.at("project", "berth"))
        self.write("project/main.py", PROGRAM)
        return self.submit("main.py", steps, **options).wait(120)

    def test_what_a_killed_program_logged_is_there(self) -> None:
        job = self.run_program(10, tags=["mine"])
        self.assertEqual("FAILED", job.state, job.sentence)
        params = job.params
        self.assertEqual(("0.1", "3", "1"), (params["lr"], params["net.depth"], params["outer_inner"]))
        self.assertEqual({"mine": "", "best": ""}, job.tags)
        metrics = job.metrics()
        acc = metrics["acc"]
        assert acc.min is not None and acc.max is not None
        self.assertEqual((10, 9, 0.0, 9.0), (acc.count, acc.last.step, acc.min.value, acc.max.value))
        self.assertEqual(5, metrics["child"].last.value)
        self.assertEqual([True, False], [math.isnan(point.value) for point in job.points("odd")])
        self.assertEqual([0, 1], [point.step for point in job.points("odd")])
        told = job.tracking()
        self.assertEqual([("model.pt", "model")], [(each["path"], each["key"]) for each in told["artifacts"]])
        self.assertEqual((1.0, 2.0, "epoch"), tuple(told["progress"][key] for key in ("value", "of", "unit")))
        self.assertNotIn("name\nwith a line", metrics)
        self.assertTrue(told["warnings"])

    def test_long_curves_come_whole_and_thinned(self) -> None:
        job = self.run_program(25_000)
        self.assertEqual(list(range(25_000)), [point.step for point in job.points("acc")])
        thinned = job.points("acc", width=100)
        self.assertLessEqual(len(thinned), 300)
        self.assertEqual((0, 24_999), (thinned[0].step, thinned[-1].step))

    def test_atlas_s_words_for_what_was_found_out(self) -> None:
        deployment = foundations.Deployment(self.run_program(3))
        self.assertEqual(("0.1", 2.0), (deployment.get_param("lr"), deployment.get_metric("acc")))

    def test_a_job_that_told_nothing(self) -> None:
        job = self.submit("true").wait(60)
        self.assertEqual(({}, {}, {}), (job.params, job.tags, job.metrics()))


class DocsTest(FolderTest):
    def test_the_examples_do_what_they_say(self) -> None:
        if not os.environ.get("BERTH_SOCKET"):
            self.fail("BERTH_SOCKET is not set; the examples need a server with four simulated GPUs")
        docs.write_project(self.folder)
        self.assertGreater(docs.run(self, self.folder, ("Submit and follow",) + docs.TRACKING), 15)
