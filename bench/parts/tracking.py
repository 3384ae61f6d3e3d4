"""What is measured of tracking: points kept beside starts, their size, the course of a long metric, many jobs compared."""

import shlex
import sqlite3
import time
from contextlib import closing

from parts.running import NANO, NOTE_BEGIN
from parts.samples import Row, Side, in_turn, say, seconds
from parts.server import run

WRITERS = 8
POINTS_A_SECOND = 50_000
MANY_POINTS = 1_000_000
STRETCHES = 333
COMPARED = 100

# Points of a metric at an even pace, to the file that is told or to one that nobody reads, until it is stopped.
WRITER = """
import json, os, time
out = open({file}, "a")
pace, step, began = {pace}, 0, time.time()
while True:
    for _ in range(pace // 20):
        out.write(json.dumps({{"metric": "loss", "value": 1 / (step + 1), "step": step}}) + "\\n")
        step += 1
    out.flush()
    time.sleep(max(0, began + step / pace - time.time()))
"""

TOLD = 'os.environ["BERTH_TRACK"]'
UNREAD = '"/output/unread"'

ALL_POINTS = """
import math, os
with open(os.environ["BERTH_TRACK"], "a") as out:
    for step in range({points}):
        out.write('{{"metric":"loss","value":%r,"step":%d}}\\n' % (math.exp(-step / 2e5) + math.sin(step * 7.3) / 50, step))
"""

RUN = """
import json, os
task = int(os.environ["BERTH_ARRAY_TASK"])
with open(os.environ["BERTH_TRACK"], "a") as out:
    out.write(json.dumps({"param": {"lr": task / 1000, "depth": task % 7, "optimizer": "adam"}}) + "\\n")
    for step in range(100):
        out.write(json.dumps({"metric": {"loss": 1 / (1 + step + task), "acc": 1 - 1 / (2 + step * task)}}) + "\\n")
"""


def tracking(bench):
    return [*beside_starts(bench), *long_metric(bench), *comparison(bench)]


def python(program):
    return ["python3", "-c", program]


def told(server):
    """How many points are kept of all jobs."""
    with closing(sqlite3.connect(f"file:{server.directory / 'tracking.db'}?mode=ro", uri=True)) as database:
        return database.execute("SELECT coalesce(sum(points), 0) FROM series").fetchone()[0]


def beside_starts(bench):
    """How long a job takes to its first instruction, while programs tell points, and while they write as many elsewhere."""
    server = bench.server("tracked", gpus=WRITERS + 1).start()
    directory = bench.directory / "beside"
    directory.mkdir()
    submit = server.line("submit", "scheduler", str(directory), "--num-gpus", "1", "-q", "--", *NOTE_BEGIN)
    rates = []

    def to_the_start():
        began = time.time_ns()
        job = run(submit)
        server.wait(job)
        return (int(server.output(job, "began")) - began) / NANO

    def beside(file):
        program = WRITER.format(file=file, pace=POINTS_A_SECOND // WRITERS)
        jobs = [server.submit(python(program)) for _ in range(WRITERS)]
        while any(server.job(job)["state"] != "RUNNING" for job in jobs):
            time.sleep(0.5)
        time.sleep(2)
        before, began = told(server), time.perf_counter()
        took = [to_the_start() for _ in range(5)]
        rates.append((file, (told(server) - before) / (time.perf_counter() - began)))
        for job in jobs:
            server.http.json("POST", f"/api/v1/jobs/{job}/cancel", {})
        for job in jobs:
            server.wait(job)
        return took

    server.http.json("POST", "/api/v1/jobs", {"command": ["true"], "gpus": 1})
    told_times, unread_times = [], []
    for turn in range(max(1, bench.rounds // 5)):
        say(f"starts beside points: {turn + 1} of {max(1, bench.rounds // 5)}")
        told_times += beside(TOLD)
        unread_times += beside(UNREAD)
    server.stop(with_jobs=True)
    if any(rate < POINTS_A_SECOND * 0.8 for file, rate in rates if file == TOLD):
        raise RuntimeError(f"fewer points were kept than were to be told: {rates}")
    return [
        Row(f"from `berth submit` to the first instruction, while {WRITERS} jobs tell {POINTS_A_SECOND:,} points a second",
            Side("", told_times), Side("while they write as much to a file that nobody reads", unread_times),
            ratio_at_most=1.05),
        Row("points kept meanwhile", Side("", [rate for file, rate in rates if file == TOLD]), Side("", [0.0]),
            unit="a second"),
    ]


def long_metric(bench):
    points = MANY_POINTS // (100 if bench.rounds < 20 else 1)
    server = bench.server("long-metric", gpus=1).start()
    job = server.submit(python(ALL_POINTS.format(points=points)))
    server.wait(job)
    target = f"/api/v1/jobs/{job}/points?metric=loss"
    if server.http.json("GET", f"/api/v1/jobs/{job}/tracking")["metrics"][0]["count"] != points:
        raise RuntimeError("points are missing")
    with closing(sqlite3.connect(f"file:{server.directory / 'tracking.db'}?mode=ro", uri=True)) as database:
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    took = in_turn("curves", bench.rounds, {
        "curve": lambda: seconds(lambda: server.http.ask("GET", f"{target}&width={STRETCHES}")),
        "page": lambda: seconds(lambda: server.http.ask("GET", f"{target}&after={points // 2}"))})
    server.stop(with_jobs=True)
    return [
        Row(f"bytes on the disk for each of {points:,} points", Side("", [pages * size / points]), Side("", [0.0]), unit="B"),
        Row(f"the course of {points:,} points in {3 * STRETCHES} of them, over the API", Side("", took["curve"]),
            Side("10,000 points out of their middle", took["page"])),
    ]


def comparison(bench):
    server = bench.server("compared", gpus=4).start()
    body = {"command": python(RUN), "gpus": 1, "array": f"0-{COMPARED - 1}", "pack": COMPARED // 4, "parallel": 1}
    array = server.http.json("POST", "/api/v1/jobs", body)["id"]
    server.wait(array)
    best = shlex.split("best --metric acc --max -n 100")
    took = in_turn("comparisons", bench.rounds, {
        "api": lambda: seconds(lambda: server.http.ask("GET", f"/api/v1/tracking?jobs={array}")),
        "compare": lambda: seconds(lambda: run(server.line("compare", str(array)))),
        "best": lambda: seconds(lambda: run(server.line(*best))),
        "ps": lambda: seconds(lambda: run(server.line("ps", "--tasks", str(array))))})
    server.stop(with_jobs=True)
    lists = Side(f"`berth ps --tasks` of {COMPARED}", took["ps"])
    return [
        Row(f"what {COMPARED} jobs told, over the API", Side("", took["api"]), Side("", [0.0])),
        Row(f"`berth compare` of {COMPARED} jobs", Side("", took["compare"]), lists),
        Row(f"`berth best`, {COMPARED} jobs", Side("", took["best"]), lists),
    ]
