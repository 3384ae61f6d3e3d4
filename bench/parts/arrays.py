"""What is measured of arrays: their submit, lists with a large one, its cancel, and how fast its tasks start."""

import sqlite3
from contextlib import closing

from parts.running import WORKERS
from parts.samples import Row, Side, in_turn, seconds
from parts.server import run
from parts.tables import HOLD_THE_GPU

SIZES = (1, 1_000, 100_000)
TASKS_A_ROUND = 12
PACK = {"pack": TASKS_A_ROUND // WORKERS, "parallel": 1}


def arraying(bench):
    return [*submits(bench), *lists(bench), *starts(bench)]


def submit(server, command, tasks, **options):
    body = {"command": command, "gpus": 1, "array": f"0-{tasks - 1}", **options}
    return server.http.json("POST", "/api/v1/jobs", body)["id"]


def occupied(bench, name):
    server = bench.server(name, gpus=1).start()
    server.submit(HOLD_THE_GPU)
    return server


def bytes_of(server):
    """The database as large as its pages, whatever of it is still in its log."""
    with closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as database:
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
        return pages * size


def submits(bench):
    server = occupied(bench, "arrays")
    before = server.memory()
    took = in_turn("submits of arrays", bench.rounds, {
        **{str(size): lambda size=size: seconds(lambda: submit(server, ["true"], size)) for size in SIZES},
        "single": lambda: seconds(lambda: server.submit(["true"]))})
    grown = bytes_of(server)
    for _ in range(bench.rounds):
        submit(server, ["true"], SIZES[-1])
    grown = (bytes_of(server) - grown) / bench.rounds
    newest = submit(server, ["true"], SIZES[-1])
    cancel = seconds(lambda: server.http.json("POST", f"/api/v1/jobs/{newest}/cancel", {}))
    memory = server.memory()
    server.stop(with_jobs=True)
    rows = [Row(f"submit of an array of {size:,} over the API", Side("", took[str(size)]),
                Side("of a single job", took["single"])) for size in SIZES]
    return [
        *rows,
        Row(f"the database's growth by an array of {SIZES[-1]:,}", Side("", [grown / 1024]), Side("", [0.0]), unit="KiB"),
        Row(f"cancel of an array of {SIZES[-1]:,} over the API", Side("", [cancel]), Side("", [0.0])),
        Row(f"resident memory of the server after {4 * bench.rounds + 4:,} submits of arrays", Side("", [memory]),
            Side("before them", [before]), unit="MiB"),
    ]


def lists(bench):
    many, none = occupied(bench, "with-array"), occupied(bench, "without-array")
    submit(many, ["true"], SIZES[-1])
    none.submit(["true"])
    took = in_turn("lists", bench.rounds, {
        "array": lambda: seconds(lambda: run(many.line("ps"))), "job": lambda: seconds(lambda: run(none.line("ps")))})
    for server in (many, none):
        server.stop(with_jobs=True)
    return [Row(f"`berth ps` with an array of {SIZES[-1]:,}", Side("", took["array"]), Side("with a single job", took["job"]),
                ratio_at_most=1.2)]


def starts(bench):
    """Tasks of an array, in containers of their own and in packs, and as many single jobs, to their ends on as many workers."""
    server = bench.server("array-starts", gpus=WORKERS).start()

    def with_array(**options):
        server.wait(submit(server, ["true"], TASKS_A_ROUND, **options))
        bench.engine.await_gone(server.directory)

    def with_jobs():
        for job in [server.submit(["true"]) for _ in range(TASKS_A_ROUND)]:
            server.wait(job)
        bench.engine.await_gone(server.directory)

    took = in_turn("tasks in parallel", bench.rounds, {
        "array": lambda: TASKS_A_ROUND / seconds(with_array),
        "packs": lambda: TASKS_A_ROUND / seconds(lambda: with_array(**PACK)),
        "jobs": lambda: TASKS_A_ROUND / seconds(with_jobs)})
    server.stop(with_jobs=True)
    jobs = Side("single jobs", took["jobs"])
    return [
        Row(f"tasks of an array that do nothing, {WORKERS} at a time", Side("", took["array"]), jobs, unit="a second",
            ratio_at_least=1),
        Row(f"the same, {PACK['pack']} to a container, one after the other", Side("", took["packs"]), jobs, unit="a second"),
    ]
