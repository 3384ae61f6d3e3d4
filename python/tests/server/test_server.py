"""The package against a real server, and jobs in real containers.

``BERTH_SOCKET`` names the server, which has simulated GPUs, four of them, and root's or the caller's own rights.
``BERTH_COMMAND`` names the ``berth`` command of the same distribution. Without them each test fails.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any, Dict, List

from tests.support import PYTHON, FolderTest, environment

import berth
from berth import foundations, safe_gpu

PROGRAM = """\
import os, sys, time
print("hello", sys.argv[1:], flush=True)
print("complaint", file=sys.stderr, flush=True)
out = os.environ["BERTH_OUTPUT_DIR"]
os.makedirs(out + "/model", exist_ok=True)
open(out + "/model/weights", "wb").write(bytes(range(256)) * 1000)
os.symlink("weights", out + "/model/last")
os.symlink("/etc/passwd", out + "/model/passwd")
time.sleep(float(sys.argv[1]))
sys.exit(int(sys.argv[2]))
"""


class ServerTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        for name in ("BERTH_SOCKET", "BERTH_COMMAND"):
            if not os.environ.get(name):
                self.fail(name + " is not set; these tests need a server: set it as the file's first lines say")
        self.project = self.at("project")
        self.write("project/main.py", PROGRAM)
        self.project_name = "python-%d" % os.getpid()

    def submit(self, *words: Any, **options: Any) -> berth.Job:
        job = berth.submit(self.project, list(map(str, words)), project=self.project_name, **options)
        self.addCleanup(self.end, job)
        return job

    def end(self, job: berth.Job) -> None:
        if not job.refresh().is_finished:
            job.cancel()

    def holders(self) -> List[int]:
        gpus = berth.Server().call("GET", "/gpus")["gpus"]
        return [holder["job"] for gpu in gpus for holder in gpu["holders"]]

    def command(self, *words: str) -> str:
        ran = subprocess.run([os.environ["BERTH_COMMAND"], *words], stdout=subprocess.PIPE, check=True)
        return ran.stdout.decode()


class JobTest(ServerTest):
    def test_from_submit_to_output(self) -> None:
        job = self.submit("main.py", 0.2, 3, num_gpus=2, name="first", tags=["mine"], time_limit_seconds=60)
        self.assertEqual(["hello ['0.2', '3']", "complaint"], sorted(job.follow(), reverse=True))
        self.assertEqual(("FAILED", 3), (job.wait(60).state, job.exit_code))
        self.assertEqual((2, ["mine"], "first"), (job.view["gpus"], job.view["tags"], job.name))
        self.assertIn("exit code 3", job.sentence)
        self.assertEqual("complaint\n", job.logs(stream="stderr"))
        self.assertEqual(1, job.logs(tail=1).count("\n"))
        out = self.at("out")
        fetched = job.outputs(out)
        self.assertEqual(["model/last", "model/weights"], sorted(fetched))
        self.assertEqual(["model/passwd -> /etc/passwd"], [name.lstrip("./") for name in fetched.left_out])
        self.assertEqual(256_000, os.path.getsize(os.path.join(out, "model", "last")))
        with self.assertRaises(FileExistsError):
            job.outputs(out)
        self.assertEqual(
            ["weights"], [os.path.basename(name) for name in job.outputs(out, "model/weights", replace=True)]
        )

    def test_wait_in_time_and_cancel(self) -> None:
        job = self.submit("main.py", 60, 0)
        with self.assertRaises(TimeoutError):
            job.wait(0.3)
        next(job.follow())
        self.assertIn(job.cancel().state, ("STOPPING", "CANCELLED"))
        self.assertEqual("CANCELLED", job.wait(60).state)
        with self.assertRaises(berth.BerthError) as caught:
            job.cancel()
        self.assertEqual(("JOB_ENDED", 409), (caught.exception.code, caught.exception.status))

    def test_an_array_and_its_tasks(self) -> None:
        array = self.submit("sh", "-c", "echo $BERTH_ARRAY_TASK", array="0-2")
        self.assertEqual("COMPLETED", array.wait(120).state)
        self.assertEqual("2\n", berth.job("%d_2" % array.id).logs())
        self.assertEqual(3, len(berth.jobs(array=array.id)))

    def test_a_task_that_has_no_turn_ends_with_its_array(self) -> None:
        array = self.submit("sleep", "60", array="0-2%1")
        last = berth.job("%d_2" % array.id)
        array.cancel()
        self.assertEqual("CANCELLED", last.wait(60).state)

    def test_parameters_of_a_sweep_reach_the_program(self) -> None:
        self.write("project/show.py", "import json, os\nprint(open(os.environ['BERTH_PARAMS']).read())\n")
        array = self.submit("show.py", sweep=["net.lr=0.5"])
        array.wait(60)
        self.assertEqual({"net": {"lr": 0.5}}, json.loads(berth.job("%d_0" % array.id).logs()))

    def test_the_best_runs_of_a_sweep(self) -> None:
        program = "import berth\nberth.log_metric('acc', 1 - float(berth.load_parameters()['lr']))\n"
        self.write("project/tell.py", program)
        array = self.submit("tell.py", sweep=["lr=0.5,0.1,0.3"])
        array.wait(60)
        best = berth.best("acc", project=self.project_name)
        self.assertEqual(["%d_%d" % (array.id, task) for task in (1, 2, 0)], [job.number for job in best])
        found = berth.jobs(project=self.project_name, where="acc>0.6 and lr<0.2")
        self.assertEqual(["%d_1" % array.id], [job.number for job in found])

    def test_lists(self) -> None:
        job = self.submit("true")
        job.wait(60)
        found = berth.jobs(project=self.project_name, state="COMPLETED,FAILED")
        self.assertIn(job.id, [each.id for each in found])
        self.assertEqual([], berth.jobs(project=self.project_name + "-none"))

    def test_refusals_are_the_server_s(self) -> None:
        for code, options in (
            ("NEVER_FITS", {"num_gpus": 5}),
            ("INVALID_FIELD", {"retries": -1}),
            ("INVALID_FIELD", {"name": "a\nb"}),
            ("INVALID_FIELD", {"environment": {"CUDA_VISIBLE_DEVICES": "0"}}),
        ):
            with self.subTest(code), self.assertRaises(berth.BerthError) as caught:
                self.submit("true", **options)
            self.assertEqual(code, caught.exception.code)
        with self.assertRaises(berth.BerthError) as caught:
            berth.job(10**12)
        self.assertEqual("JOB_NOT_FOUND", caught.exception.code)

    def test_the_same_directory_has_the_same_snapshot_as_by_the_command(self) -> None:
        for name in (
            "a.log",
            "keep.log",
            "a/b/c",
            "a/x.pyc",
            "__pycache__/x",
            "venv/pyvenv.cfg",
            "A.TXT",
            "n\nl",
            "é",
            "\u2028",
            'q"\\',
        ):
            self.write("project/" + name, name)
        self.write("project/.berthignore", "*.log\n!keep.log\n[[:upper:]]*.TXT\n")
        self.write("project/a/.berthignore", "!*.pyc\r\n")
        os.symlink("../keep.log", self.at("project", "a", "link"))
        os.chmod(self.at("project", "main.py"), 0o755)
        git = ["git", "-C", self.project, "-c", "user.email=a@b", "-c", "user.name=n"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
            subprocess.run(git + words, check=True)
        self.write("project/keep.log", "changed")
        theirs = json.loads(self.command("submit", "--json", "scheduler", self.project, "true"))
        self.assertEqual(theirs["snapshot"], self.submit("true").view["snapshot"])

    def test_an_unchanged_directory_is_not_sent_again(self) -> None:
        self.write("project/big", os.urandom(8 << 20))
        self.submit("true")
        began = time.monotonic()
        self.submit("true")
        self.assertLess(time.monotonic() - began, 5)

    def test_atlas_s_words(self) -> None:
        self.write("project/atlas.py", "import os\nprint(os.environ['FOUNDATIONS_JOB_PARAMETERS'])\n")
        deployment = foundations.submit(
            "scheduler",
            self.project,
            self.project_name,
            params={"lr": 0.1},
            stream_job_logs=False,
            command=["atlas.py"],
        )
        deployment.wait_for_deployment_to_complete()
        self.assertEqual(("completed", True), (deployment.get_job_status(), deployment.is_job_complete()))
        self.assertEqual('{"lr": 0.1}\n', deployment.get_job_logs())


class LeaseTest(ServerTest):
    def test_gpus_for_a_block(self) -> None:
        with environment(CUDA_VISIBLE_DEVICES="7"):
            with berth.gpus(2, project=self.project_name) as lease:
                self.assertEqual(",".join(lease.uuids), os.environ["CUDA_VISIBLE_DEVICES"])
                self.assertEqual(2, self.holders().count(lease.id))
                self.assertEqual("RUNNING", berth.job(lease.id).state)
            self.assertEqual("7", os.environ["CUDA_VISIBLE_DEVICES"])
        self.assertEqual("COMPLETED", berth.job(lease.id).state)
        self.assertEqual(0, self.holders().count(lease.id))

    def test_it_waits_in_the_queue(self) -> None:
        job = self.submit("sleep", "2", num_gpus=4)
        while job.refresh().state != "RUNNING":
            time.sleep(0.05)
        with self.assertRaises(berth.BerthError) as caught:
            berth.gpus(1, wait=False)
        self.assertEqual("NOT_NOW", caught.exception.code)
        with berth.gpus(1):
            self.assertTrue(job.refresh().is_finished)

    def test_the_gpus_are_free_when_the_process_is_killed(self) -> None:
        program = "import berth, os\nlease = berth.gpus(3)\nprint(lease.id, flush=True)\nos.kill(os.getpid(), 9)"
        sources: Dict[str, str] = dict(os.environ, PYTHONPATH=os.path.join(PYTHON, "src"))
        killed = subprocess.run([sys.executable, "-c", program], env=sources, stdout=subprocess.PIPE)
        job = berth.job(int(killed.stdout))
        self.assertTrue(job.wait(30).is_finished)
        deadline = time.monotonic() + 30
        while job.id in self.holders():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_safe_gpu_s_words(self) -> None:
        safe_gpu.claim_gpus(2)
        self.assertEqual(2, len(os.environ["CUDA_VISIBLE_DEVICES"].split(",")))
        with self.assertRaises(RuntimeError):
            safe_gpu.GPUOwner(4, wait=False)
        safe_gpu.release_gpus()
        self.assertNotIn("CUDA_VISIBLE_DEVICES", os.environ)
