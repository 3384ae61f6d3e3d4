"""What is measured of projects: their list beside very many jobs, another name for one with many, and submits meanwhile."""

import threading

from parts.samples import Row, Side, in_turn, say, seconds
from parts.tables import HOLD_THE_GPU, multiply

NAMES = ("large", "renamed")


def projects(bench):
    say(f"making a table of {bench.most:,} jobs, {bench.many:,} of them in one project")
    server = bench.server("projects", gpus=1).start()
    jobs = {name: submit(server, name) for name in (NAMES[0], "others")}
    for job in jobs.values():
        server.wait(job)
    bench.engine.await_gone(server.directory)
    server.stop()
    multiply(server.database, jobs[NAMES[0]], bench.many - 1)
    multiply(server.database, jobs["others"], bench.most - bench.many - 1)
    server.start()
    server.submit(HOLD_THE_GPU)
    rounds = max(2, bench.rounds // 4)
    took = in_turn("projects", rounds, {
        "list": lambda: seconds(lambda: server.http.ask("GET", "/api/v1/projects")),
        "alone": lambda: seconds(lambda: submit(server, "others"))})
    renames, meanwhile = [], []
    for turn in range(rounds):
        say(f"renames: {turn + 1} of {rounds}")
        meanwhile += submits_while(server, NAMES[turn % 2], NAMES[(turn + 1) % 2], renames)
    server.stop(with_jobs=True)
    return [
        Row(f"`GET /projects` beside {bench.most:,} jobs", Side("", took["list"]), Side("", [0.0])),
        Row(f"`POST /projects/rename` of {bench.many:,} jobs", Side("", renames), Side("", [0.0])),
        Row("a submit meanwhile, the slowest of each rename", Side("", meanwhile), Side("alone", took["alone"])),
    ]


def submit(server, project):
    return server.http.json("POST", "/api/v1/jobs", {"command": ["true"], "gpus": 1, "project": project})["id"]


def submits_while(server, name, to, renames):
    """Renames, and answers how long the slowest submit took meanwhile."""
    body = {"project": name, "name": to}
    rename = threading.Thread(target=lambda: renames.append(
        seconds(lambda: server.http.json("POST", "/api/v1/projects/rename", body))))
    rename.start()
    submits = []
    while rename.is_alive():
        submits.append(seconds(lambda: submit(server, "others")))
    return [max(submits)]
