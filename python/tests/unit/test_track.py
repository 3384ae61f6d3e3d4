"""What programs log: whole lines, whatever they log, and whatever becomes of the disk and of them."""

import contextlib
import decimal
import io
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from typing import Any, Dict, List
from unittest import mock

from tests.support import PYTHON, FolderTest, environment

import berth
from berth import _track
from berth._sink import Sink

NAN, INFINITY = float("nan"), float("inf")


class Scalar:
    """As numpy's and PyTorch's: a value that says itself what it is."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def item(self) -> Any:
        if isinstance(self._value, Exception):
            raise self._value
        return self._value


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


class TrackTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.at("track")
        for each in (environment(BERTH_TRACK=self.file), mock.patch("berth._track.sink", Sink())):
            each.__enter__()
            self.addCleanup(each.__exit__, None, None, None)
        self.said = io.StringIO()
        screen = contextlib.redirect_stderr(self.said)
        screen.__enter__()
        self.addCleanup(screen.__exit__, None, None, None)

    def lines(self) -> List[Dict[str, Any]]:
        with open(self.file, "rb") as file:
            content = file.read()
        self.assertTrue(content.endswith(b"\n"), content[-80:])
        return [json.loads(line, parse_constant=self.fail) for line in content.splitlines()]

    def metric(self, value: Any) -> Any:
        berth.log_metric("m", value)
        return self.lines()[-1]["metric"]["m"]

    def test_one_call_is_one_line(self) -> None:
        berth.log_metrics({"loss": 0.5, "acc": 1}, step=3)
        berth.log_param("net", {"depth": 3, "name": "a", 4: None})
        berth.set_tag("best")
        berth.set_tag("stage", 1)
        berth.progress(3, of=10, unit="epoch")
        first, *others = self.lines()
        self.assertAlmostEqual(first.pop("time"), os.stat(self.file).st_mtime, delta=60)
        self.assertEqual({"metric": {"loss": 0.5, "acc": 1}, "step": 3}, first)
        del others[-1]["time"]
        self.assertEqual({"param": {"net": {"depth": 3, "name": "a", "4": None}}}, others[0])
        self.assertEqual([{"tag": {"best": ""}}, {"tag": {"stage": "1"}}], others[1:3])
        self.assertEqual({"progress": 3, "of": 10, "unit": "epoch"}, others[3])

    def test_each_kind_of_number(self) -> None:
        for value, written in (
            (NAN, "NaN"),
            (INFINITY, "Infinity"),
            (-INFINITY, "-Infinity"),
            (True, True),
            (2**53, 2**53),
            (2**70, float(2**70)),
            (10**400, "Infinity"),
            (-(10**400), "-Infinity"),
            (decimal.Decimal("0.1"), 0.1),
            ("0.3", 0.3),
            (Scalar(0.25), 0.25),
            (Scalar(NAN), "NaN"),
            (Scalar(True), True),
        ):
            with self.subTest(value=str(value)[:20]):
                self.assertEqual(written, self.metric(value))

    def test_what_is_no_number_is_left_out_and_told_once(self) -> None:
        for value in ("x", None, [1], {}, 1j, Rude(), Scalar(ValueError("two elements"))):
            berth.log_metrics({"odd": value, "good": 1})
        self.assertEqual([{"good": 1}] * 7, [line["metric"] for line in self.lines()])
        self.assertEqual(1, self.said.getvalue().count("\n"))

    def test_steps(self) -> None:
        for step in (0, 7.0, Scalar(2**62 + 1), 2**63 - 1, None, 0.5, "x", NAN, INFINITY, True):
            berth.log_metric("m", 1, step)
        self.assertEqual([0, 7, 2**62 + 1, 2**63 - 1] + [None] * 6, [line.get("step") for line in self.lines()])

    def test_parameters_of_any_kind(self) -> None:
        deep: Dict[str, Any] = {}
        deep["self"] = deep
        values = {
            "big": 2**60,
            "list": [1, "a", Scalar(0.5)],
            "rude": Rude(),
            "nan": NAN,
            "array": Scalar(ValueError()),
            "deep": deep,
        }
        berth.log_params(values)
        found = self.lines()[0]["param"]
        self.assertEqual(
            [str(2**60), "[1, 'a', 0.5]", "a Rude", "NaN"], [found[key] for key in ("big", "list", "rude", "nan")]
        )

    def test_names_cannot_break_a_line(self) -> None:
        names = ["a\nb", 'q"\\', "\u2028", "\0", "\ud800", "x" * 300, "é", "::berth metric a=1"]
        for name in names:
            berth.log_metric(name, 1)
        self.assertEqual(names, [name for line in self.lines() for name in line["metric"]])

    def test_a_line_has_at_most_64_kib(self) -> None:
        berth.log_metrics({"m%05d" % at: at for at in range(10_000)}, step=1)
        berth.log_param("huge", "x" * 100_000)
        berth.progress(1, unit="x" * 100_000)
        with open(self.file, "rb") as file:
            self.assertLessEqual(max(map(len, file)), _track.MAX_LINE)
        found = [name for line in self.lines() for name in line["metric"]]
        self.assertEqual(["m%05d" % at for at in range(10_000)], found)
        self.assertEqual({1}, {line["step"] for line in self.lines()})
        self.assertIn("more than 65536 bytes", self.said.getvalue())

    def test_threads_do_not_mix_their_lines(self) -> None:
        def log(number: int) -> None:
            for step in range(300):
                berth.log_metric("t%d" % number, "0." + "1" * 15, step)

        threads = [threading.Thread(target=log, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(2400, len(self.lines()))

    def test_forked_processes_do_not_mix_their_lines(self) -> None:
        berth.log_metric("parent", 1)
        children = []
        for number in range(4):
            child = os.fork()
            if child == 0:
                for step in range(300):
                    berth.log_metric("c%d" % number, 1, step)
                os._exit(0)
            children.append(child)
        for child in children:
            self.assertEqual(0, os.waitpid(child, 0)[1])
        self.assertEqual(1201, len(self.lines()))

    def test_a_process_forked_while_another_thread_opens_the_file_logs_too(self) -> None:
        program = (
            "import berth, os, signal\n"
            "from berth._sink import sink\n"
            "with sink._lock:\n"
            "    child = os.fork()\n"
            "    if child == 0:\n"
            "        signal.alarm(20)\n"
            "        berth.log_metric('m', 1, 5)\n"
            "        os._exit(0)\n"
            "assert os.waitpid(child, 0)[1] == 0\n"
        )
        sources = dict(os.environ, PYTHONPATH=os.path.join(PYTHON, "src"))
        subprocess.run([sys.executable, "-c", program], env=sources, check=True)
        self.assertEqual([5], [line["step"] for line in self.lines()])

    def test_a_killed_process_leaves_each_line_that_a_call_wrote(self) -> None:
        program = "import berth, os\nberth.log_metric('m', 1, 5)\nos.kill(os.getpid(), 9)"
        sources = dict(os.environ, PYTHONPATH=os.path.join(PYTHON, "src"))
        ended = subprocess.run([sys.executable, "-c", program], env=sources)
        self.assertEqual(-signal.SIGKILL, ended.returncode)
        self.assertEqual([5], [line["step"] for line in self.lines()])

    def test_a_full_disk_cuts_no_other_line(self) -> None:
        # The bound of a file's size stands for the disk: a write that goes over it is cut, the next one refused.
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        berth.log_metric("a", 1, 1)
        resource.setrlimit(resource.RLIMIT_FSIZE, (os.stat(self.file).st_size + 10, before[1]))
        try:
            berth.log_metric("b", 1, 2)
            berth.log_metric("c", 1, 3)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        berth.log_metric("d", 1, 4)
        with open(self.file, "rb") as file:
            first, cut, last = file.read().splitlines()
        self.assertEqual([1, 10, 4], [json.loads(first)["step"], len(cut), json.loads(last)["step"]])
        self.assertEqual(2, self.said.getvalue().count("\n"))

    def test_a_file_that_cannot_be_written_is_told_once(self) -> None:
        os.mkfifo(self.at("pipe"))
        for path in (self.at("no", "such"), self.folder, self.at("pipe"), "/dev/null", "a\0b", "/proc/self/stat"):
            with self.subTest(path), mock.patch("berth._track.sink", Sink()):
                said = io.StringIO()
                with contextlib.redirect_stderr(said):
                    berth.track_to(path)
                    berth.log_metric("m", 1)
                    berth.log_metric("m", 2)
                self.assertIn("cannot be written", said.getvalue())
                self.assertEqual(1, said.getvalue().count("\n"))

    def test_without_a_standard_error_it_goes_on(self) -> None:
        with mock.patch("sys.stderr", None):
            berth.log_metric("m", "x")

    def test_outside_of_a_job_nothing_happens(self) -> None:
        with environment(BERTH_TRACK=None, BERTH_OUTPUT_DIR=None):
            berth.log_metric("m", 1)
            self.assertIsNone(berth.save_artifact("/nonexistent"))
            self.assertEqual({}, berth.load_parameters())
        self.assertEqual("", self.said.getvalue())

    def test_a_file_of_ones_own(self) -> None:
        berth.track_to(self.at("run.jsonl"))
        berth.log_metric("m", 1)
        berth.track_to(None)
        berth.log_metric("n", 1)
        self.assertEqual(["n"], [name for line in self.lines() for name in line["metric"]])
        self.assertTrue(os.path.exists(self.at("run.jsonl")))


class ArtifactTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.output = self.at("output")
        os.mkdir(self.output)
        outer = environment(BERTH_TRACK=self.at("track"), BERTH_OUTPUT_DIR=self.output)
        outer.__enter__()
        self.addCleanup(outer.__exit__, None, None, None)

    def told(self) -> Dict[str, Any]:
        with open(self.at("track"), encoding="utf-8") as file:
            line = json.loads(file.read().splitlines()[-1])
        self.assertGreater(line.pop("time"), 0)
        return dict(line)

    def test_a_file_in_the_output_directory_stays_where_it_is(self) -> None:
        path = self.write("output/a/model.pt", "x")
        self.assertEqual("a/model.pt", berth.save_artifact(path, key="model"))
        self.assertEqual({"artifact": "a/model.pt", "key": "model"}, self.told())
        self.assertEqual(["a"], os.listdir(self.output))

    def test_a_file_elsewhere_is_copied(self) -> None:
        for content in ("one", "two"):
            self.assertEqual("model.pt", berth.save_artifact(self.write("model.pt", content)))
            with open(os.path.join(self.output, "model.pt"), encoding="utf-8") as file:
                self.assertEqual(content, file.read())
        self.assertEqual({"artifact": "model.pt"}, self.told())
        self.assertEqual(["model.pt"], os.listdir(self.output))

    def test_a_directory_is_copied_and_links_in_it_stay_links(self) -> None:
        self.write("plots/a/x.png", "x")
        os.symlink("/etc/passwd", self.at("plots", "link"))
        for _ in range(2):
            self.assertEqual("plots", berth.save_artifact(self.at("plots")))
        self.assertTrue(os.path.islink(os.path.join(self.output, "plots", "link")))
        self.assertTrue(os.path.exists(os.path.join(self.output, "plots", "a", "x.png")))

    def test_what_cannot_be_kept_is_told_and_ends_nothing(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertIsNone(berth.save_artifact(self.at("gone")))
            self.assertIsNone(berth.save_artifact(self.folder))
            self.assertIsNone(berth.save_artifact("a\0b"))
        self.assertIn("gone", said.getvalue())
        self.assertIn("holds the output directory", said.getvalue())
        self.assertEqual([], os.listdir(self.output))

    def test_parameters_of_a_sweep(self) -> None:
        with environment(BERTH_PARAMS=self.write("params.json", '{"net": {"lr": 0.1}}')):
            self.assertEqual({"net": {"lr": 0.1}}, berth.load_parameters())
        with environment(BERTH_PARAMS=self.write("odd.json", "[]")), self.assertRaises(ValueError):
            berth.load_parameters()
