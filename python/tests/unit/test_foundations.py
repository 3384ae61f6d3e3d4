"""Atlas's words."""

import contextlib
import io
import json
import os
from typing import Any, Dict, List
from unittest import mock

from tests.support import FakeServer, FolderTest, answer, environment, stream, view
from tests.unit.test_jobs import frame
from tests.unit.test_libraries import library, tracking

from berth import foundations
from berth._sink import Sink


class ProgramTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        os.mkdir(self.at("output"))
        for each in (
            environment(BERTH_TRACK=self.at("track"), BERTH_OUTPUT_DIR=self.at("output"), BERTH_PARAMS=None),
            mock.patch.object(os, "getcwd", lambda: self.folder),
        ):
            each.__enter__()
            self.addCleanup(each.__exit__, None, None, None)

    def lines(self) -> List[Dict[str, Any]]:
        with open(self.at("track"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_nested_parameters_are_joined_by_underscores(self) -> None:
        foundations.log_params({"net": {"depth": 3, "sizes": [1, 2]}, "lr": 0.1, "none": []})
        self.assertEqual(
            {"net_depth": 3, "net_sizes_0": 1, "net_sizes_1": 2, "lr": 0.1, "none": "[]"}, self.lines()[0]["param"]
        )

    def test_a_metric_appends(self) -> None:
        foundations.log_metric("loss", 0.5)
        foundations.log_metric("loss", [0.4, 0.3])
        self.assertEqual([0.5, 0.4, 0.3], [line["metric"]["loss"] for line in self.lines()])

    def test_parameters_of_a_submit(self) -> None:
        with environment(FOUNDATIONS_JOB_PARAMETERS='{"net": {"lr": 1}}'):
            self.assertEqual({"net": {"lr": 1}}, foundations.load_parameters())
            foundations.load_parameters(log_parameters=False)
        self.assertEqual([{"net_lr": 1}], [line["param"] for line in self.lines()])

    def test_a_directory_that_is_kept(self) -> None:
        kept = foundations.create_syncable_directory("model", self.at("work"))
        self.write("work/a", "x")
        kept.upload()
        self.assertTrue(os.path.exists(self.at("output", "model", "a")))
        os.unlink(self.at("work", "a"))
        kept.download()
        self.assertTrue(os.path.exists(os.path.join(kept, "a")))
        self.assertEqual(self.at("output", "plots"), str(foundations.create_syncable_directory("plots")))
        with self.assertRaises(ValueError):
            foundations.create_syncable_directory("../x")

    def test_tensorboard_files_are_kept(self) -> None:
        foundations.set_tensorboard_logdir(self.at("tb"))
        self.write("tb/events.out.tfevents.1", "x")
        self.assertTrue(os.path.exists(self.at("output", "tb", "events.out.tfevents.1")))
        foundations.set_tensorboard_logdir(self.at("tb"))
        foundations.set_tensorboard_logdir(self.at("output", "inner"))
        self.write("full/file")
        said = io.StringIO()
        with contextlib.redirect_stderr(said), mock.patch("berth._syncable.sink", Sink()):
            foundations.set_tensorboard_logdir(self.at("full"))
        self.assertIn("is not kept", said.getvalue())


class SubmitTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("main.py")

    SNAPSHOT = answer({"snapshot": "s" * 64, "files": 0, "bytes": 0, "missing": []})

    def test_a_deployment_has_atlas_s_methods(self) -> None:
        replies = [self.SNAPSHOT, answer(view("QUEUED"), 201), answer(view("QUEUED")), answer(view("COMPLETED"))]
        with FakeServer(*replies, answer(tracking()), answer(tracking()), answer(tracking())) as fake:
            with environment(BERTH_SOCKET=fake.path):
                foundations.set_project_name("mine")
                foundations.set_job_resources(num_gpus=2, ram=1.5)
                self.addCleanup(foundations.set_project_name, "")
                self.addCleanup(foundations.set_job_resources)
                deployment = foundations.submit(
                    "scheduler", self.folder, entrypoint="main.py", params={"lr": 0.1}, stream_job_logs=False
                )
                self.assertEqual("7", deployment.job_name())
                self.assertEqual("queued", deployment.get_job_status())
                self.assertTrue(deployment.is_job_complete())
                self.assertEqual("0.1", deployment.get_param("lr"))
                self.assertEqual((0.9, None), (deployment.get_metric("acc"), deployment.get_metric("none")))
            request = fake.requests[1].json()
        self.assertEqual(
            (["main.py"], "mine", 2, 1_500_000_000),
            tuple(request[k] for k in ("command", "project", "gpus", "memoryBytes")),
        )
        self.assertEqual({"FOUNDATIONS_JOB_PARAMETERS": '{"lr": 0.1}'}, request["environment"])

    def test_logs_are_streamed_until_the_end(self) -> None:
        log = [stream(frame(0, b"hello\n")), answer(view("COMPLETED")), stream(b""), answer(view("COMPLETED"))]
        with FakeServer(self.SNAPSHOT, answer(view("QUEUED"), 201), *log) as fake, environment(BERTH_SOCKET=fake.path):
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                foundations.submit("scheduler", self.folder, command=["main.py"])
        self.assertEqual("hello\n", said.getvalue())

    def test_another_place_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "scheduler"):
            foundations.submit("ssh", self.folder, command="main.py")

    def test_metrics_of_a_project(self) -> None:
        page = {"jobs": [view("COMPLETED")], "next": None}
        with FakeServer(answer(page), answer(tracking())) as fake, environment(BERTH_SOCKET=fake.path):
            with mock.patch.dict("sys.modules", pandas=library(DataFrame=dict)):
                found = foundations.get_metrics_for_all_jobs("p")
        self.assertEqual((["7"], ["p"], [0.1], [0.9]), tuple(found[k] for k in ("job_id", "project_name", "lr", "acc")))
        self.assertEqual(["COMPLETED"], found["state"])
