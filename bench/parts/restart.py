"""What is measured at a start: until the first new container, and until jobs that run are taken over."""

import time

from parts.samples import Row, Side, in_turn, say, seconds
from parts.tables import multiply

NANO = 1e9
ADOPTED = 8
PATIENCE_SECONDS = 60
HOLDS_UP = ("AT_HEAD_WAITING_FOR_GPUS", "WAITING_FOR_WORKER")
GATE = "/output/gate"
AT_THE_GATE = ["sh", "-c", f"while [ ! -e {GATE} ]; do sleep 0.05; done"]
NOTE_BEGIN = ["sh", "-c", "date +%s%N >/output/began"]
TICKS = ["sh", "-c", "while :; do date +%s%N; sleep 0.05; done"]


def restarting(bench):
    servers = {"none": ended_server(bench, "ended-none", 0), "many": ended_server(bench, "ended-many", bench.most)}
    busy = bench.server("busy", gpus=ADOPTED).start()
    jobs = [busy.submit(TICKS) for _ in range(ADOPTED)]
    for job in jobs:
        until(lambda job=job: busy.job(job)["state"] == "RUNNING", f"job {job} did not start")
    plain = {"none": [], "many": [], "busy": []}

    def first(name):
        took, ready = to_the_first_container(bench, servers[name])
        plain[name].append(ready)
        return took

    def adopted():
        busy.stop()
        began = time.time()
        plain["busy"].append(seconds(busy.start))
        for job in jobs:
            until(lambda job=job: last_tick(busy, job) >= began, f"job {job} was not taken over")
        return time.time() - began

    times = in_turn("starts", bench.rounds, {
        "none": lambda: first("none"), "many": lambda: first("many"), "busy": adopted})
    for server in [*servers.values(), busy]:
        server.stop(with_jobs=True)
    title = f"{bench.most:,} ended jobs in the table"
    none = Side("none in the table", times["none"])
    starts = Side("the same, nothing to take over", plain["none"][1:])
    return [
        Row(f"`berth server start` to the first instruction of a job that waited, {title}", Side("", times["many"]),
            none, ratio_at_most=1.5),
        Row(f"`berth server start`, until it accepts, {title}", Side("", plain["many"][1:]),
            Side("none in the table", plain["none"][1:]), ratio_at_most=1.5),
        Row(f"`berth server start` to the logs of {ADOPTED} running containers going on", Side("", times["busy"]),
            starts),
        Row("of which more than the start itself",
            Side("", [each - starts.median() for each in times["busy"]]), starts, ours_at_most=1),
        Row(f"`berth server start`, until it accepts, with {ADOPTED} running containers",
            Side("", plain["busy"][1:]), starts),
    ]


def ended_server(bench, name, jobs):
    server = bench.server(name, gpus=1).start()
    job = server.submit(["true"])
    server.wait(job)
    bench.engine.await_gone(server.directory)
    server.stop()
    if jobs:
        say(f"making a table of {jobs:,} jobs that have ended")
        say(f"it took {seconds(lambda: multiply(server.database, job, jobs)):.0f} s")
    return server.start()


def to_the_first_container(bench, server):
    """A job holds the GPU and ends while no server runs; another waits behind it. Answers what both take."""
    holder = server.submit(AT_THE_GATE)
    until(lambda: server.job(holder)["state"] == "RUNNING", f"job {holder} did not start")
    waiting = server.submit(NOTE_BEGIN)
    until(lambda: server.job(waiting)["reason"] in HOLDS_UP, f"job {waiting} does not wait")
    server.stop()
    (server.place(holder) / "output" / "gate").touch()
    until(lambda: not any(each["State"] == "running" for each in bench.engine.below(server.directory)),
          f"job {holder} did not end")
    began = time.time()
    ready = seconds(server.start)
    server.wait(waiting)
    bench.engine.await_gone(server.directory)
    return int(server.output(waiting, "began")) / NANO - began, ready


def last_tick(server, job):
    """When the last line of a job's log was written, in seconds; its program wrote it down."""
    lines = server.http.ask("GET", f"/api/v1/jobs/{job}/log?tail=2").split()
    return int(lines[0]) / NANO if len(lines) > 1 else 0


def until(condition, complaint):
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{complaint} within {PATIENCE_SECONDS} s")
        time.sleep(0.01)
