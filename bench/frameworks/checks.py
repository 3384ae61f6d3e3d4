"""The checks of bench/gpu-frameworks, each with its line."""

import csv
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
import traceback
from datetime import datetime
from pathlib import Path

import berth

from frameworks import no_engine

PROGRAMS = str(Path(__file__).with_name("programs.py"))
PATIENCE = 90


def until(what, look, patience=PATIENCE):
    """Waits for an answer that is not empty."""
    deadline = time.monotonic() + patience
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError("not within %d s: %s" % (patience, what))
        time.sleep(0.02)


def said(folder, name, program=None):
    """What a program wrote about itself, once it did."""
    path = Path(folder, name + ".json")
    until(str(path), lambda: path.exists() or program is not None and program.poll() is not None)
    assert path.exists(), "it ended with code %s before it wrote %s" % (program and program.poll(), path.name)
    return json.loads(path.read_text())


class Run:
    """A server with the machine's GPU, and the checks on it."""

    def __init__(self, command, folder, keep, simulated, rounds):
        self.command, self.folder, self.keep, self.simulated, self.rounds = str(command), folder, keep, simulated, rounds
        self.passed = self.failed = 0
        self.processes = []
        self.has_engine = False
        os.environ.update(BERTH_DATA_DIR=str(folder / "data"), FRAMEWORKS_DEVICE="cpu" if simulated else "cuda")
        for name in ("BERTH_SOCKET", "BERTH_URL", "CUDA_VISIBLE_DEVICES"):
            os.environ.pop(name, None)

    # ---- the server

    def start(self):
        answers = subprocess.run(["docker", "version"], capture_output=True) if shutil.which("docker") else None
        self.has_engine = answers is not None and answers.returncode == 0
        if not self.has_engine:
            os.environ["DOCKER_HOST"] = no_engine.serve(str(self.folder / "engine.sock"))
        gpus = ["--simulate-gpus", "1"] if self.simulated else ["-g", "--gpu-mode", "auto"]
        self.berth("server", "start", "--port", "0", *gpus)
        if not self.simulated:
            print(self.nvidia_smi("--query-gpu=name,memory.total,driver_version")[0])

    def stop(self):
        subprocess.run([self.command, "server", "stop", "--stop-jobs"], capture_output=True)
        for log in (self.folder / "data").rglob("server.log"):
            shutil.copy(str(log), str(self.keep))

    # ---- what the checks need

    def berth(self, *words, expect=0):
        done = subprocess.run([self.command, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert expect is None or done.returncode == expect, "%s: %d %s" % (words, done.returncode, done.stdout)
        return done.stdout

    def nvidia_smi(self, query):
        line = ["nvidia-smi", query, "--format=csv,noheader,nounits"]
        return [each.split(", ") for each in subprocess.check_output(line, text=True).splitlines()]

    def room(self, name):
        folder = self.folder / name
        folder.mkdir()
        return folder

    def program(self, name, folder, **variables):
        """One that Berth does not know."""
        log = open(str(self.keep / (folder.name + ".log")), "a")
        line = [sys.executable, PROGRAMS, name, str(folder)]
        return self.begun(line, log, variables)

    def job(self, name, folder, *options, **variables):
        """The same by `berth run` with a GPU."""
        log = open(str(self.keep / (folder.name + ".log")), "a")
        line = [self.command, "run", "--num-gpus", "1", "--name", folder.name, "--project", "frameworks", *options, "--"]
        line += [sys.executable, PROGRAMS, name, str(folder)]
        return self.begun(line, log, variables)

    def begun(self, line, log, variables):
        process = subprocess.Popen(line, stdout=log, stderr=log, env=dict(os.environ, **variables))
        self.processes.append(process)
        return process

    def newest(self, name):
        return until("a job " + name, lambda: berth.jobs(name=name, limit=1))[0].refresh()

    def ended(self, process, folder):
        code = process.wait(PATIENCE)
        log = self.keep / (folder.name + ".log")
        assert code == 0, "exit code %d: %s" % (code, log.read_text()[-1500:])

    def is_free(self):
        return all(not gpu["holders"] and not gpu["processes"] and gpu["cleaning"] is None for gpu in self.gpus())

    def gpus(self):
        return json.loads(self.berth("gpus", "--json"))["gpus"]

    def line(self, is_so, name, value):
        self.passed += 1 if is_so else 0
        self.failed += 0 if is_so else 1
        print("%s  %-46s %s" % ("PASS" if is_so else "FAIL", name, value), flush=True)

    def note(self, name, value):
        print("      %-46s %s" % (name, value), flush=True)

    def all(self, only):
        for check in (self.lightning, self.transformers, self.frames, self.events, self.claims, self.claims_here,
                      self.too_late, self.in_turn, self.foreign, self.usage, self.latency, self.submits):
            if only and only not in check.__name__:
                continue
            began = time.monotonic()
            try:
                check()
            except Exception as error:
                self.line(False, check.__name__, "%s: %s" % (type(error).__name__, str(error)[:2000]))
                traceback.print_exc(file=sys.stdout)
            for process in self.processes:
                if process.poll() is None:
                    process.terminate()
                    process.wait(PATIENCE)
            self.processes.clear()
            self.note(check.__name__ + " took", "%.1f s" % (time.monotonic() - began))

    # ---- training libraries

    def half_way(self, name):
        """A training that waits in the middle: what Berth shows of it meanwhile, and the job when it has ended."""
        folder = self.room(name)
        process = self.job(name, folder)
        half = said(folder, "half", process)
        job = self.newest(name)
        metrics = until("metrics while it runs", lambda: job.metrics())
        until("progress while it runs", lambda: job.refresh().view.get("progress"))
        self.line(job.state == "RUNNING" and half["device"].startswith("cpu" if self.simulated else "cuda"),
                  name + " while it runs", "%s on %s: %d metrics, progress %s, %d parameters"
                  % (job.state, half["device"], len(metrics), job.view["progress"], len(job.params)))
        print(self.berth("ps"), end="")
        Path(folder, "go").touch()
        self.ended(process, folder)
        return job.refresh(), said(folder, name)

    def compare(self, name, job, wrote):
        """Every point of every metric against what the library itself kept, by step."""
        kept = {metric: {point.step: point.value for point in job.points(metric)} for metric in job.metrics()}
        lost = {metric: (points, kept.get(metric)) for metric, points in wrote.items() if not _same(points, kept.get(metric))}
        self.line(wrote and not lost, name + ": each point as the library kept it",
                  "%d metrics, %d points%s" % (len(wrote), sum(map(len, wrote.values())), lost or ""))

    def lightning(self):
        job, kept = self.half_way("fit_lightning")
        wrote = {}
        with open(kept["csv"]) as file:
            for row in csv.DictReader(file):
                for name, value in row.items():
                    if name != "step" and value:
                        wrote.setdefault(name, {})[int(row["step"])] = float(value)
        self.compare("lightning " + kept["version"], job, wrote)
        self.line(job.params == {"lr": "0.05", "width": "16"}, "lightning: parameters", job.params)
        self.line("16" in self.berth("params", job.number), "lightning: berth params", "")
        best = self.berth("best", "--project", "frameworks", "--metric", "val_loss", "--min")
        self.line(best.splitlines()[1].split()[0] == job.number, "lightning: berth best", best.splitlines()[1])
        print(self.berth("metrics", job.number), end="")

    def transformers(self):
        job, kept = self.half_way("fit_transformers")
        wrote = {}
        for entry in kept["log"]:
            for name, value in entry.items():
                if name != "step":
                    wrote.setdefault(name, {})[entry["step"]] = float(value)
        self.compare("transformers " + kept["version"], job, wrote)
        self.line(float(job.params.get("learning_rate", "nan")) == kept["learning_rate"], "transformers: parameters",
                  "%d, learning_rate %s" % (len(job.params), job.params.get("learning_rate")))
        print(self.berth("metrics", job.number), end="")

    def frames(self):
        import pandas

        jobs = berth.jobs(project="frameworks")
        frame = berth.frame(jobs)
        job = next(each for each in jobs if each.name == "fit_lightning")
        curve = berth.curve(job, "train_loss_step")
        points = job.points("train_loss_step")
        row = frame[frame["number"] == job.number].iloc[0]
        self.line(len(frame) == len(jobs) and row["metrics.val_loss"] == job.metrics()["val_loss"].last.value
                  and row["params.lr"] == 0.05, "pandas %s: a row a job" % pandas.__version__,
                  "%d rows, %d columns, lr %s, val_loss %s" % (*frame.shape, row["params.lr"], row["metrics.val_loss"]))
        self.line(list(curve["value"]) == [point.value for point in points] and len(points) > 0,
                  "pandas: a curve", "%d points, types %s" % (len(curve), [str(each) for each in curve.dtypes]))

    # ---- TensorBoard

    def events(self):
        folder = self.room("write_events")
        self.ended(self.job("write_events", folder), folder)
        kept = said(folder, "write_events")
        shutil.copytree(str(folder), str(self.keep / "events"), dirs_exist_ok=True)
        files = list((self.keep / "events" / "events").iterdir())
        self.note("event files by torch %s" % kept["version"], [each.name for each in files])
        if self.has_engine:
            self.read_events(self.keep / "events")
        else:
            self.note("event files", "written; where containers can be started, --events reads them")

    def read_events(self, folder):
        """A job writes such files to its output directory: what Berth reads, against what the program says it wrote."""
        kept = said(folder, "write_events")
        command = ["sh", "-c", "mkdir $BERTH_OUTPUT_DIR/runs && cp events/* $BERTH_OUTPUT_DIR/runs"]
        job = berth.submit(str(folder), command, project="events").wait(PATIENCE)
        self.line(job.state == "COMPLETED", "a job with event files", job.sentence)
        until("its metrics", lambda: len(job.metrics()) >= 2)
        self.compare("torch.utils.tensorboard", job, {name: dict(points) for name, points in kept["wrote"].items()})
        self.line(set(job.metrics()) == set(kept["wrote"]), "only scalars are metrics", sorted(job.metrics()))

    # ---- GPUs for a process

    def claims(self):
        folder = self.room("claim")
        process = self.program("claim", folder)
        lease = said(folder, "inside", process)
        job = berth.job(lease["id"])
        self.line(job.state == "RUNNING", "berth.gpus: its job while it has them", job.sentence)
        Path(folder, "go").touch()
        self.ended(process, folder)
        kept = said(folder, "claim")
        inside = kept["inside"]
        self.line(inside["sum"] == 1000 and inside["devices"] == 1 and kept["visible"] == ",".join(kept["uuids"]),
                  "berth.gpus: CUDA inside", "%s, %d device, granted in %.0f ms"
                  % (inside["name"], inside["devices"], kept["granted"] * 1000))
        if not self.simulated:
            self.line(str(inside["pid"]) in [each[0] for each in inside["apps"]], "berth.gpus: nvidia-smi shows it",
                      "pid %s in %s" % (inside["pid"], inside["apps"]))
        self.line(kept["after"] is None, "berth.gpus: the variable afterwards", kept["after"])
        until("the GPU is free", self.is_free)
        self.line(berth.job(kept["id"]).state == "COMPLETED", "berth.gpus: free afterwards", self.berth("gpus").strip())

    def claims_here(self):
        folder = self.room("claim_here")
        process = self.program("claim_here", folder)
        inside = said(folder, "inside", process)
        self.line(inside["sum"] == 1000 and inside["devices"] == 1, "berth.gpus: CUDA in the process itself, torch imported",
                  "%s, torch %s, apps %s" % (inside["name"], inside["torch"], inside["apps"]))
        shown = self.berth("gpus").strip()
        self.line(":%d" % inside["id"] in shown, "berth.gpus: berth gpus names its job", shown)
        Path(folder, "go").touch()
        said(folder, "outside", process)
        if not self.simulated:
            late = until("it counts as foreign", lambda: self.busy(inside["pid"]))
            self.line(True, "after the block, with CUDA still open", late)
        Path(folder, "end").touch()
        self.ended(process, folder)
        until("the GPU is free", self.is_free)
        folder = self.room("claim_safe_gpu")
        self.ended(self.program("claim_safe_gpu", folder), folder)
        kept = said(folder, "claim_safe_gpu")
        self.line(kept["sum"] == 1000 and len(kept["taken"]) == 1, "safe_gpu.claim_gpus(1)", "%(name)s, %(taken)s" % kept)
        until("the GPU is free", self.is_free)

    def busy(self, pid):
        """What `berth run --no-wait` says while that process is on the GPU."""
        done = subprocess.run([self.command, "run", "--num-gpus", "1", "--no-wait", "--", "true"], capture_output=True, text=True)
        return done.returncode == 75 and "process %d" % pid in done.stderr and done.stderr.strip()

    def too_late(self):
        if self.simulated:
            return
        folder = self.room("claim_too_late")
        self.ended(self.program("claim_too_late", folder), folder)
        for way, heard in said(folder, "claim_too_late").items():
            wanted = "granted" if way == "import torch" else "CUDA_INITIALISED"
            self.line(heard.startswith(wanted), "berth.gpus after " + way, heard)

    # ---- several programs

    def in_turn(self):
        folder = self.room("in_turn")
        processes = [self.job("multiply", folder, FRAMEWORKS_NAME=name, FRAMEWORKS_SECONDS="3") for name in ("one", "two")]
        for process in processes:
            self.ended(process, folder)
        one, two = sorted((said(folder, name) for name in ("one", "two")), key=lambda each: each["began"])
        self.line(two["began"] >= one["ended"], "two programs: one after the other",
                  "job %s %.3f to %.3f, job %s %.3f to %.3f; %.0f ms between (the second's import of torch is in it)"
                  % (one["job"], 0, one["ended"] - one["began"], two["job"], two["began"] - one["began"],
                     two["ended"] - one["began"], (two["began"] - one["ended"]) * 1000))

    def foreign(self):
        if self.simulated:
            return
        holder, waiter = self.room("hold"), self.room("behind")
        foreign = self.program("hold", holder)
        kept = said(holder, "hold", foreign)
        process = self.job("multiply", waiter, FRAMEWORKS_NAME="behind", FRAMEWORKS_SECONDS="0.5")
        job = self.newest("behind")
        until("it waits", lambda: job.refresh().reason == "GPU_BUSY_FOREIGN")
        self.line(str(kept["pid"]) in job.sentence, "a foreign process: the job waits", "%s %s: %s"
                  % (job.state, job.reason, job.sentence))
        shown = self.berth("gpus").strip()
        self.line("process %d" % kept["pid"] in shown or "/%d" % kept["pid"] in shown, "berth gpus names it", shown)
        Path(holder, "go").touch()
        foreign.wait(PATIENCE)
        gone = time.time()
        started = said(waiter, "behind.began", process)["at"]
        self.ended(process, waiter)
        self.line(started - gone < 20, "it starts when that is gone", "%.1f s after its end" % (started - gone))

    # ---- utilisation

    def usage(self):
        if self.simulated:
            return
        until("the GPU is free", self.is_free)
        samples, over = [], threading.Event()

        def sample():
            while not over.is_set():
                at = time.time()
                found = self.nvidia_smi("--query-gpu=utilization.gpu,memory.used,power.draw,temperature.gpu")[0]
                samples.append((at, *map(float, found)))
                over.wait(0.5)

        sampler = threading.Thread(target=sample)
        sampler.start()
        folder = self.room("usage")
        process = self.job("multiply", folder, FRAMEWORKS_NAME="usage", FRAMEWORKS_SECONDS="15")
        began = said(folder, "usage.began", process)["at"]
        time.sleep(8)
        shown = self.berth("gpus").strip()
        self.ended(process, folder)
        kept = said(folder, "usage")
        time.sleep(3)
        over.set()
        sampler.join()
        uuid = self.gpus()[0]["uuid"]
        history = berth.Server().call("GET", "/gpus/%s/history?resolution=seconds" % uuid)
        start = datetime.fromisoformat(history["start"].replace("Z", "+00:00")).timestamp()

        def middle(name):
            values = [(start + index * history["stepSeconds"], value) for index, value in enumerate(history[name])]
            return [value for at, value in values if value is not None and began + 4 < at < kept["ended"] - 1]

        own = [each for each in samples if began + 4 < each[0] < kept["ended"] - 1]
        compared = (("utilisation, %", "utilisationPercent", 1, 5), ("memory, MiB", "memoryUsedMiB", 2, 16),
                    ("power, W", "powerWatts", 3, 60), ("temperature, C", "temperatureCelsius", 4, 4))
        for name, field, column, slack in compared:
            ours, theirs = middle(field), [each[column] for each in own]
            self.line(bool(ours) and abs(statistics.mean(ours) - statistics.mean(theirs)) <= slack, "history: " + name,
                      "Berth %.1f (%d looks), nvidia-smi %.1f (%d)"
                      % (statistics.mean(ours or [math.nan]), len(ours), statistics.mean(theirs), len(theirs)))
        self.line(" 100 %" in shown or " 9" in shown.split("|")[1], "berth gpus meanwhile", shown)
        self.note("berth status", [each for each in self.berth("status", self.newest("usage").number).splitlines()
                                   if "busy" in each.lower() or "gpu" in each.lower()])

    # ---- latency

    def latency(self):
        ours, plain, computing = [], [], []
        folder = self.room("latency")

        def once(way, key, **variables):
            Path(folder, "first.json").unlink(missing_ok=True)
            began = time.time()
            process = way("first", folder, **variables)
            at = said(folder, "first", process)
            self.ended(process, folder)
            until("the GPU is free", self.is_free)
            return (at[key] - began) * 1000

        for _ in range(self.rounds):
            ours.append(once(self.job, "at"))
            plain.append(once(self.program, "at"))
        for _ in range(3):
            computing.append((once(self.job, "computed", FRAMEWORKS_COMPUTES="1"),
                              once(self.program, "computed", FRAMEWORKS_COMPUTES="1")))
        cost = statistics.median(ours) - statistics.median(plain)
        self.line(cost < 2000, "berth run to the first line of Python, ms", "median of %d: %.0f (%.0f to %.0f); by itself %.0f"
                  % (len(ours), statistics.median(ours), min(ours), max(ours), statistics.median(plain)))
        self.note("berth run to the first sum on the GPU, ms", "median of 3: %.0f; by itself %.0f"
                  % tuple(statistics.median(each) for each in zip(*computing)))

    def submits(self):
        project = self.room("project")
        for number in range(20):
            Path(project, "file%03d.py" % number).write_text("print(%d)\n" % number * 100)
        self.berth("server", "pause")
        times = {"berth.submit": [], "berth submit": []}
        berth.submit(str(project), ["true"])
        for _ in range(self.rounds):
            began = time.perf_counter()
            berth.submit(str(project), ["true"])
            middle = time.perf_counter()
            self.berth("submit", "-q", "scheduler", str(project), "true")
            times["berth.submit"].append((middle - began) * 1000)
            times["berth submit"].append((time.perf_counter() - middle) * 1000)
        ours, theirs = (statistics.median(times[name]) for name in ("berth.submit", "berth submit"))
        self.line(ours < theirs, "a submit of 20 files, ms", "from Python %.1f, berth submit %.1f" % (ours, theirs))


def _same(wrote, kept):
    """NaN is like NaN; a file of 32 bits or rounded text is as near as it can be."""
    if kept is None or set(wrote) != set(kept):
        return False
    return all(math.isclose(wrote[step], kept[step], rel_tol=1e-6, abs_tol=1e-9) or math.isnan(wrote[step]) and math.isnan(kept[step])
               for step in wrote)
