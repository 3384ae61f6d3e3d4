"""What is measured while nothing runs: start-up, lists, submits, idling, with few and with many jobs in the table."""

import os
import sqlite3
import time
from contextlib import closing

from parts.samples import Row, Side, in_turn, seconds
from parts.server import run

SUBMITS_A_ROUND = 20
IDLE_SECONDS = 1.0


def listing(bench):
    small, ended = bench.tables.small, bench.tables.ended
    queue = small.http.json("GET", "/api/v1/jobs")["jobs"]
    newest = {server: str(server.http.json("GET", "/api/v1/jobs?scope=all&limit=1")["jobs"][0]["id"])
              for server in (small, ended)}
    few, many = f"{len(queue):,} jobs", f"{bench.many:,} jobs"
    arms = {
        "docker ps": lambda: seconds(lambda: run(["docker", "ps"])),
        "docker --version": lambda: seconds(lambda: run(["docker", "--version"])),
        "berth --version": lambda: seconds(lambda: run(small.line("--version"))),
        "request": lambda: seconds(lambda: small.http.json("GET", "/api/v1/jobs")),
        "request many": lambda: seconds(lambda: ended.http.json("GET", "/api/v1/jobs")),
        "ps": lambda: seconds(lambda: run(small.line("ps"))),
        "ps many": lambda: seconds(lambda: run(ended.line("ps"))),
        "status": lambda: seconds(lambda: run(small.line("status", newest[small]))),
        "status many": lambda: seconds(lambda: run(ended.line("status", newest[ended]))),
    }
    times = in_turn("lists", bench.rounds, arms)

    def row(what, ours, theirs, title, aim=None):
        return Row(what, Side("", times[ours]), Side(title, times[theirs]), ratio_at_most=aim)

    return [
        row(f"`berth ps`, {few}", "ps", "docker ps", "`docker ps`", 5),
        row(f"`berth ps`, {many}", "ps many", "docker ps", "`docker ps`", 5),
        row(f"`berth status ID`, {few}", "status", "docker ps", "`docker ps`", 5),
        row(f"`berth status ID`, {many}", "status many", "docker ps", "`docker ps`", 5),
        row(f"`berth ps`, {many}", "ps many", "ps", f"the same, {few}", 1.2),
        row(f"`berth status ID`, {many}", "status many", "status", f"the same, {few}", 1.2),
        row("`berth --version`: a command that asks nobody", "berth --version", "docker --version",
            "`docker --version`"),
        row("the server's answer to `berth ps`, as Python gets it", "request many", "request", f"the same, {few}"),
    ]


def submitting(bench):
    server = bench.tables.small
    directory = bench.directory / "project"
    directory.mkdir()
    for number in range(20):
        (directory / f"part{number}.py").write_text(f"print({number})\n" * 400, encoding="ascii")
    submit = server.line("submit", "scheduler", str(directory), "main.py", "--num-gpus", "1")

    def first():
        # Content that the server has never seen.
        (directory / "main.py").write_text(f"print({os.urandom(16).hex()!r})\n", encoding="ascii")
        return seconds(lambda: run(submit))

    def created():
        made = []
        line = ["docker", "create", "--label", bench.label, bench.IMAGE, "true"]
        took = seconds(lambda: made.append(run(line)))
        bench.engine.remove(made[0])
        return took

    times = in_turn("submit", bench.rounds, {
        "first": first, "repeated": lambda: seconds(lambda: run(submit)), "create": created})
    first_side, repeated = Side("", times["first"]), Side("", times["repeated"])
    create = Side("`docker create`", times["create"])
    return [
        Row("`berth submit` of 21 files, 100 kB, new to the server", first_side, create),
        Row("the same directory again", repeated, create),
        Row("the same directory again", repeated, Side("the first time", times["first"])),
    ]


def accepting(bench):
    servers = {"none": bench.tables.small, "some": bench.tables.queued_some, "many": bench.tables.queued_many}
    arms = {name: lambda server=server: seconds(lambda: submit_some(server)) / SUBMITS_A_ROUND
            for name, server in servers.items()}
    with closing(sqlite3.connect(bench.directory / "bare.db", isolation_level=None)) as bare:
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        bare.execute("CREATE TABLE job (id INTEGER PRIMARY KEY, row TEXT NOT NULL)")
        arms["bare"] = lambda: seconds(lambda: commit_some(bare)) / SUBMITS_A_ROUND
        times = in_turn("durable submits", bench.rounds, arms)
    shallow = Side("the same, none waiting", times["none"])
    return [
        Row("a submit, none waiting, until it is on disk", Side("", times["none"]),
            Side("a bare SQLite commit with `synchronous=FULL`", times["bare"])),
        Row(f"a submit, {bench.some:,} jobs waiting", Side("", times["some"]), shallow, ratio_at_most=1.2),
        Row(f"a submit, {bench.many:,} jobs waiting", Side("", times["many"]), shallow, ratio_at_most=1.2),
    ]


def submit_some(server):
    for _ in range(SUBMITS_A_ROUND):
        server.submit(["true"])


def commit_some(database):
    for _ in range(SUBMITS_A_ROUND):
        database.execute("INSERT INTO job (row) VALUES (?)", ("x" * 500,))


def idling(bench):
    many, few = bench.tables.queued_many, bench.tables.small
    percents = {many: [], few: []}
    memory = {many: [], few: []}

    def window():
        before = {server: server.processor_seconds() for server in percents}
        began = time.perf_counter()
        time.sleep(IDLE_SECONDS)
        took = time.perf_counter() - began
        for server, values in percents.items():
            values.append(100 * (server.processor_seconds() - before[server]) / took)
            memory[server].append(server.memory())

    in_turn("idling", bench.rounds, {"window": window})
    title = f"{bench.many:,} jobs waiting"
    return [
        Row(f"processor time of an idle server, {title}", Side("", percents[many][1:]),
            Side("the same, few waiting", percents[few][1:]), unit="%", ours_at_most=1),
        Row(f"resident memory of the server in use, {title}", Side("", memory[many][1:]),
            Side("the same, few waiting", memory[few][1:]), unit="MiB", ours_at_most=256),
    ]


def starting(bench):
    servers = {"many": bench.tables.queued_many, "few": bench.tables.small}
    memory = {name: [] for name in servers}

    def start(name):
        servers[name].stop()
        took = seconds(servers[name].start)
        memory[name].append(servers[name].memory())
        return took

    times = in_turn("start-up", bench.rounds, {name: lambda name=name: start(name) for name in servers})
    title = f"{bench.many:,} jobs waiting"
    return [
        Row(f"`berth server start` until it is ready, {title}", Side("", times["many"]),
            Side("the same, few waiting", times["few"]), ratio_at_most=1.2),
        Row(f"resident memory of the server after that, {title}", Side("", memory["many"][1:]),
            Side("the same, few waiting", memory["few"][1:]), unit="MiB", ours_at_most=256),
    ]
