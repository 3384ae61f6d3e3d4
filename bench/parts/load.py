"""What is measured under load: many clients at once, more connections than there may be, a full table, a loud job."""

import http.client
import itertools
import json
import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import List

from parts import running
from parts.samples import Row, Side, in_turn, say, seconds
from parts.server import run
from parts.tables import HOLD_THE_GPU, multiply
from parts.unix_http import UnixConnection

CLIENTS = 50
CROWD = 300
WAVES = 3
JOB = json.dumps({"command": ["true"], "gpus": 1})
TOO_MANY = (429, 503)


@dataclass
class Told:
    """What one client was told: the ids of its jobs in their order, and how often it was to come again."""

    ids: List[int] = field(default_factory=list)
    refusals: List[str] = field(default_factory=list)


def loading(bench):
    rows = clients_at_once(bench)
    rows += a_full_table(bench)
    bench.log_megabytes *= 10
    return rows + running.following(bench)


# ---- many clients ---------------------------------------------------------------------------------------------------


def clients_at_once(bench):
    server = bench.server("crowd", gpus=1).start()
    server.submit(HOLD_THE_GPU)
    jobs = bench.some
    # The first waves make the server as big as it becomes: its code is compiled, its heap has grown to its bound.
    took, memory, told = [], [], []
    for wave in range(WAVES + 1):
        say(f"{jobs:,} submits of {CLIENTS} clients at once: {'warming up' if wave == 0 else f'{wave} of {WAVES}'}")
        took.append(seconds(lambda: told.append(wave_of(server, CLIENTS, each(jobs, CLIENTS), keep_alive=True))))
        memory.append(server.memory())
    say(f"{jobs:,} submits of {CROWD} clients at once")
    crowd = []
    crowd_took = seconds(lambda: crowd.append(wave_of(server, CROWD, each(jobs, CROWD), keep_alive=False)))
    refusals = [code for one in crowd[0] for code in one.refusals]
    say(f"the crowd was refused {len(refusals):,} times ({', '.join(sorted(set(refusals))) or 'never'}),"
        f" and took {crowd_took:.1f} s")
    most = server.memory("VmHWM")
    require_each_once(server, [one for wave in [*told, *crowd] for one in wave])
    server.stop(with_jobs=True)
    per_second = [jobs / one for one in took[1:]]
    return [
        Row(f"{jobs:,} submits of {CLIENTS} clients at once, all acknowledged once, in order for each client",
            Side("", per_second), Side("the first time", [jobs / took[0]]), unit="jobs a second"),
        Row(f"resident memory of the server after {(WAVES + 1) * jobs:,} of them", Side("", [memory[-1]]),
            Side(f"after the first {2 * jobs:,}", [memory[1]]), unit="MiB", ratio_at_most=1.1),
        Row(f"the same with {CROWD} clients, {CROWD - 250} above the bound: {len(refusals):,} refusals, all followed",
            Side("", [each(jobs, CROWD) * CROWD / crowd_took]), Side(f"{CLIENTS} clients", per_second),
            unit="jobs a second"),
        Row("most resident memory of the server in all this", Side("", [most]), Side("after the first wave", memory[:1]),
            unit="MiB", ours_at_most=400),
    ]


def each(jobs, clients):
    return max(1, jobs // clients)


def wave_of(server, clients, each, keep_alive):
    told = [Told() for _ in range(clients)]
    begin = threading.Barrier(clients)
    threads = [threading.Thread(target=client, args=(server, each, keep_alive, one, begin)) for one in told]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    missing = clients * each - sum(len(one.ids) for one in told)
    if missing:
        raise RuntimeError(f"{missing} submits were not acknowledged")
    return told


def client(server, each, keep_alive, told, begin):
    begin.wait()
    connection = UnixConnection(str(server.http.path))
    for _ in range(each):
        while True:
            status, headers, body = submit(connection, keep_alive)
            if status == 201:
                told.ids.append(json.loads(body)["id"])
                break
            if status not in TOO_MANY:
                raise RuntimeError(f"a submit was answered with {status} {body.decode(errors='replace')}")
            told.refusals.append(json.loads(body)["code"])
            connection.close()
            # What the server says, and a part of it more, as the command does.
            time.sleep(float(headers["Retry-After"]) * (1 + (id(told) // 64 % 100) / 100))
    connection.close()


def submit(connection, keep_alive):
    """A connection that was closed without a word, or that the kernel has no room to keep waiting, is one too many, too."""
    try:
        connection.request("POST", "/api/v1/jobs", body=JOB, headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        if not keep_alive:
            connection.close()
        return answer.status, answer.headers, content
    except (http.client.RemoteDisconnected, ConnectionError, BlockingIOError):
        connection.close()
        return 503, {"Retry-After": "1"}, b'{"code": "closed without a word"}'


def require_each_once(server, told):
    """By the answers, and by the table."""
    for one in told:
        if one.ids != sorted(one.ids):
            raise RuntimeError("the jobs of a client are not in its order")
    acknowledged = sorted(itertools.chain.from_iterable(one.ids for one in told))
    if len(set(acknowledged)) != len(acknowledged):
        raise RuntimeError("a job was acknowledged twice")
    with closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as table:
        kept = [row[0] for row in table.execute("SELECT id FROM job WHERE id > 1 ORDER BY id")]
    if kept != acknowledged:
        raise RuntimeError(f"{len(acknowledged):,} jobs were acknowledged, and {len(kept):,} are in the table")
    say(f"{len(kept):,} jobs were acknowledged, and are in the table, each once")


# ---- a full table ---------------------------------------------------------------------------------------------------


def a_full_table(bench):
    small = bench.tables.small
    say(f"making a table of {2 * bench.many:,} jobs that have ended")
    full = bench.server("full", gpus=1).start()
    job = full.submit(["true"])
    full.wait(job)
    bench.engine.await_gone(full.directory)
    full.stop()
    multiply(full.database, job, 2 * bench.many)
    full.start()
    bench.tables.occupy(full)
    servers = {"few": small, "many": full}
    arms = {}
    for name, server in servers.items():
        arms[f"ps {name}"] = lambda server=server: seconds(lambda: run(server.line("ps")))
        arms[f"submit {name}"] = lambda server=server: seconds(lambda: server.submit(["true"]))
        arms[f"start {name}"] = lambda server=server: restarted(server)
    times = in_turn("a full table", bench.rounds, arms)
    full.stop(with_jobs=True)
    title = f"{2 * bench.many:,} ended jobs in the table"

    def row(what, arm):
        return Row(f"{what}, {title}", Side("", times[f"{arm} many"]), Side("the same, ten jobs", times[f"{arm} few"]),
                   ratio_at_most=1.2)

    return [row("`berth ps`", "ps"), row("a submit, until it is on disk", "submit"),
            row("`berth server start`, until it accepts", "start")]


def restarted(server):
    server.stop()
    return seconds(server.start)
