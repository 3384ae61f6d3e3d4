"""What is measured of jobs that wait for others: their submit, lists with them, and the end of what many wait for."""

import http.client
import json
import random
from pathlib import Path

from parts.restart import until
from parts.running import NANO, NOTE_BEGIN, NOTE_BOTH
from parts.samples import Row, Side, in_turn, seconds
from parts.server import run
from parts.tables import HOLD_THE_GPU
from parts.unix_http import UnixConnection

MOST_AWAITED = 3
DEPENDENTS = 1_000
SEED = 7


def chaining(bench):
    graph, plain = occupied(bench, "graph"), occupied(bench, "no-graph")
    batch = bench.some // bench.rounds
    ids = {"graph": [], "plain": []}
    chance = random.Random(SEED)

    def dependencies():
        others = chance.sample(ids["graph"], min(len(ids["graph"]), chance.randint(1, MOST_AWAITED)))
        return [f"{chance.choice(['afterok', 'afterany', 'afternotok'])}:{each}" for each in others]

    def submit_graph():
        ids["graph"] += submit_all(graph, (dependencies() for _ in range(batch)))

    def submit_plain():
        ids["plain"] += submit_all(plain, ([] for _ in range(batch)))

    took = in_turn(f"submits of {batch}", bench.rounds, {
        "graph": lambda: batch / seconds(submit_graph), "plain": lambda: batch / seconds(submit_plain)})
    jobs = len(ids["graph"])
    listing = in_turn("lists", bench.rounds, {
        "graph": lambda: seconds(lambda: run(graph.line("ps"))), "plain": lambda: seconds(lambda: run(plain.line("ps")))})
    memory = {"graph": graph.memory(), "plain": plain.memory()}
    for server in (graph, plain):
        server.stop(with_jobs=True)
    gaps = ends(bench)
    title = f"{jobs:,} jobs, most of which wait for one to {MOST_AWAITED} others"
    return [
        Row(f"submits by one client over the API, {title}", Side("", took["graph"]),
            Side("jobs that wait for none", took["plain"]), unit="a second"),
        Row(f"`berth ps`, {title}", Side("", listing["graph"]), Side("as many that wait for none", listing["plain"]),
            ratio_at_most=1.2),
        Row(f"resident memory, {title}", Side("", [memory["graph"]]), Side("as many that wait for none", [memory["plain"]]),
            unit="MiB", ratio_at_most=1.1),
        Row(f"from a job's last instruction to the first of one that waits for it, beside {DEPENDENTS:,} that fail by its end",
            Side("", gaps["many"]), Side("beside none", gaps["none"])),
    ]


def occupied(bench, name):
    server = bench.server(name, gpus=1).start()
    server.submit(HOLD_THE_GPU)
    return server


def submit_all(server, dependencies):
    """The ids of jobs of which each waits as said, submitted over one connection."""
    connection = UnixConnection(server.http.path)
    ids = []
    try:
        for each in dependencies:
            body = json.dumps({"command": ["true"], "gpus": 1, "dependencies": each})
            connection.request("POST", "/api/v1/jobs", body=body, headers={"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != http.client.CREATED:
                raise RuntimeError(f"a submit was answered with {answer.status}: {content!r}")
            ids.append(json.loads(content)["id"])
    finally:
        connection.close()
    return ids


def ends(bench):
    server = bench.server("ends", gpus=1).start()

    def gap(dependents):
        first = server.submit(["sh", "-c", f"until [ -e /output/gate ]; do sleep 0.05; done; {NOTE_BOTH[-1]}"])
        submit_all(server, ([f"afternotok:{first}"] for _ in range(dependents)))
        last = server.http.json("POST", "/api/v1/jobs",
                                {"command": NOTE_BEGIN, "gpus": 1, "dependencies": [f"afterok:{first}"]})["id"]
        until(lambda: server.job(first)["state"] == "RUNNING", f"job {first} did not start")
        (Path(server.job(first)["outputDirectory"]) / "gate").touch()
        server.wait(last)
        bench.engine.await_gone(server.directory)
        return (int(server.output(last, "began")) - int(server.output(first, "ended"))) / NANO

    gaps = in_turn("ends", bench.rounds, {"many": lambda: gap(DEPENDENTS), "none": lambda: gap(0)})
    server.stop(with_jobs=True)
    return gaps
