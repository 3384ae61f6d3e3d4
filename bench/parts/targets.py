"""What is measured of jobs that go to Slurm: their hand-over, the looks at a thousand of them, and the end of all."""

import os
import sqlite3
import time
from contextlib import closing

from parts.samples import Row, Side, in_turn, say, seconds
from parts.server import run

CLUSTER = "src/test/slurm/cluster"
JOBS = 1_000
LOOK_SECONDS = 5
LOOKS = 20
# A thousand hand-overs one after the other take minutes.
PATIENCE_SECONDS = 900
MICROS = 1e6


def handing_over(bench):
    root = bench.root
    # The daemons of the cluster are other users.
    bench.directory.chmod(0o755)
    place = bench.directory / "slurm"
    configuration = run([str(root / CLUSTER), "start", str(place)])
    os.environ["SLURM_CONF"] = configuration
    try:
        return measured(bench, configuration)
    finally:
        run([str(root / CLUSTER), "remove", str(place)])


def measured(bench, configuration):
    server = bench.server("targets", gpus=1)
    server.more = (f"targets:\n  cluster:\n    at-once: {JOBS}\n    slurm:\n      partition: big\n"
                   f"      directory: {bench.directory}/shared\n      environment: {{SLURM_CONF: {configuration}}}\n"
                   "privileges:\n  root-jobs: true\n")
    (bench.directory / "shared").mkdir()
    server.start()
    times = in_turn("hand-overs", bench.rounds, {
        "berth": lambda: handed_over(server), "sbatch": lambda: seconds(lambda: sbatch(place=bench.directory))})
    rows = [Row("from the accepted job to its hand-over to Slurm", Side("", times["berth"]),
                Side("a bare `sbatch` of such a job", times["sbatch"]))]
    rows += looks(bench, server)
    server.stop(with_jobs=True)
    return rows


def submit(server, gpus, command=("true",)):
    return server.http.json("POST", "/api/v1/jobs", {"command": list(command), "gpus": gpus, "target": "cluster"})["id"]


def handed_over(server):
    """By the server's own dates, which stand in the job's history."""
    number = submit(server, 0)
    dates = {}
    until(lambda: "HandedOver" in dates or dates.update(history(server, number)), "a job was not handed over")
    return (dates["HandedOver"] - dates["JobAccepted"]) / MICROS


def history(server, number):
    """When each event of a job happened, in microseconds."""
    with closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as database:
        return dict(database.execute("SELECT event, at FROM job_event WHERE job = ?", (number,)))


def sbatch(place):
    run(["sbatch", "--parsable", "--partition=big", f"--chdir={place}", "--output=/dev/null", "--wrap=true"])


def looks(bench, server):
    """With a thousand jobs behind one that runs, of which nothing changes."""
    jobs = 50 if bench.rounds < 10 else JOBS
    blocked = [submit(server, 4, ("sleep", "3600")) for _ in range(jobs)]
    say(f"{jobs} jobs are handed over")
    until(lambda: server.job(blocked[-1])["reason"] == "AT_TARGET", "the last job was not handed over", pause=0.5)
    names = ",".join(name for name in run(["squeue", "--noheader", "--format=%j"]).split() if name.startswith("berth-"))
    line = ["squeue", "--noheader", "--states=all", f"--name={names}", "--format=%i|%T|%j"]
    bare = [seconds(lambda: run(line)) for _ in range(bench.rounds)]
    spent = []
    for _ in range(LOOKS):
        before = server.processor_seconds()
        time.sleep(LOOK_SECONDS)
        spent.append(server.processor_seconds() - before)
    return [Row(f"processor time of the server for a look at {jobs} jobs", Side("", spent),
                Side("a bare `squeue` that names them all", bare)),
            Row(f"cancel of {jobs} jobs there, until all have ended", Side("", [seconds(lambda: cancel(server, blocked))]),
                Side("", [0.0]))]


def cancel(server, numbers):
    """Cancels jobs, and waits until each has ended."""
    for number in numbers:
        server.http.json("POST", f"/api/v1/jobs/{number}/cancel", {})
    left = list(numbers)
    while left:
        until(lambda: server.job(left[-1])["endedAt"] is not None, "a cancelled job did not end", pause=0.1)
        left.pop()


def until(condition, failure, pause=0.005):
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > end:
            say(failure)
            raise RuntimeError(failure)
        time.sleep(pause)
