"""What is measured while jobs run: the way to the start, from one to the next, many at once, a log that is followed."""

import shlex
import subprocess
import threading
import time

from parts.engine import BareContainers
from parts.samples import Row, Side, in_turn, seconds
from parts.server import environment, run

NANO = 1e9
WORKERS = 4
JOBS_A_ROUND = 12
MEGABYTES_A_SECOND = 100
CHUNKS_A_SECOND = 100
READ_BYTES = 1 << 20
LOOK_BYTES = 1_000_000

# The program says itself when its first instruction and its last ran.
NOTE_BEGIN = ["sh", "-c", "date +%s%N >/output/began"]
NOTE_BOTH = ["sh", "-c", "date +%s%N >/output/began; sleep 0.3; date +%s%N >/output/ended"]


def bare_containers(bench, server):
    """Containers as the server makes them, without it."""
    job = server.submit(["sleep", "3600"])
    until = time.monotonic() + 60
    while server.job(job)["state"] != "RUNNING":
        if time.monotonic() > until:
            raise TimeoutError("the job whose container is to be the model did not start within 60 s")
        time.sleep(0.05)
    model = bench.engine.inspect(bench.engine.below(server.directory)[0]["Id"])
    bare = BareContainers(bench.engine, model, server.place(job), bench.directory / f"bare-{job}-{server.gpus}")
    server.http.json("POST", f"/api/v1/jobs/{job}/cancel", {})
    server.wait(job)
    bench.engine.await_gone(server.directory)
    return bare


def to_the_start(bench):
    server = bench.lone()
    bare = bare_containers(bench, server)
    directory = bench.directory / "starting"
    directory.mkdir()
    (directory / "main.py").write_text("print('started')\n", encoding="ascii")
    submit = server.line("submit", "scheduler", str(directory), "--num-gpus", "1", "-q", "--", *NOTE_BEGIN)

    def with_berth():
        began = time.time_ns()
        job = run(submit)
        server.wait(job)
        bench.engine.await_gone(server.directory)
        return (int(server.output(job, "began")) - began) / NANO

    def with_docker():
        place = bare.place()
        began = time.time_ns()
        run(bare.run_line(place, NOTE_BEGIN))
        return (int((place / "output" / "began").read_text(encoding="ascii")) - began) / NANO

    times = in_turn("submit to start", bench.rounds, {"berth": with_berth, "docker": with_docker})
    return [Row("from `berth submit` to the program's first instruction", Side("", times["berth"]),
                Side("`docker run`, the same options", times["docker"]))]


def to_the_next(bench):
    server = bench.lone()
    bare = bare_containers(bench, server)

    def gap(read):
        return (int(read(1, "began")) - int(read(0, "ended"))) / NANO

    def with_berth():
        jobs = [server.submit(NOTE_BOTH), server.submit(NOTE_BOTH)]
        server.wait(jobs[1])
        bench.engine.await_gone(server.directory)
        return gap(lambda which, name: server.output(jobs[which], name))

    def with_engine():
        places = [bare.place(), bare.place()]
        first = begin(bench.engine, bare.body(places[0], NOTE_BOTH))
        bench.engine.wait(first[0])
        second = begin(bench.engine, bare.body(places[1], NOTE_BOTH))
        end(bench.engine, first)
        bench.engine.wait(second[0])
        end(bench.engine, second)
        return gap(lambda which, name: (places[which] / "output" / name).read_text(encoding="ascii"))

    times = in_turn("exit to next start", bench.rounds, {"berth": with_berth, "engine": with_engine})
    return [Row("from a job's last instruction to the first of the next on its GPU", Side("", times["berth"]),
                Side("the bare calls of the engine", times["engine"]), ratio_at_most=1.05)]


def begin(engine, body):
    container = engine.create(body)
    output = engine.attach(container)
    engine.start(container)
    return container, output


def end(engine, begun):
    container, output = begun
    output.close()
    engine.remove(container)


def in_parallel(bench):
    server = bench.server("four-gpus", gpus=WORKERS).start()
    bare = bare_containers(bench, server)
    place = bare.place()
    each = JOBS_A_ROUND // WORKERS

    def with_berth():
        jobs = [server.submit(["true"]) for _ in range(JOBS_A_ROUND)]
        for job in jobs:
            server.wait(job)
        bench.engine.await_gone(server.directory)

    def with_docker():
        line = f"for job in {' '.join(map(str, range(each)))}; do {shlex.join(bare.run_line(place, ['true']))}; done"
        shells = [subprocess.Popen(["sh", "-ec", line], env=environment(), stdin=subprocess.DEVNULL)
                  for _ in range(WORKERS)]
        if any([shell.wait() for shell in shells]):
            raise RuntimeError("docker run failed; it has said why")

    def with_engine():
        threads = [threading.Thread(target=worker) for _ in range(WORKERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def worker():
        for _ in range(each):
            begun = begin(bench.engine, bare.body(place, ["true"]))
            bench.engine.wait(begun[0])
            end(bench.engine, begun)

    times = in_turn("jobs in parallel", bench.rounds, {
        "berth": lambda: seconds(with_berth), "docker": lambda: seconds(with_docker),
        "engine": lambda: seconds(with_engine)})
    server.stop(with_jobs=True)
    ours = Side("", times["berth"])
    what = f"{JOBS_A_ROUND} no-op jobs on {WORKERS} workers"
    return [
        # 1.1 times the jobs a second is 1 / 1.1 of the time.
        Row(what, ours, Side(f"`docker run --rm` in {WORKERS} shells", times["docker"]), ratio_at_most=0.91),
        Row(what, ours, Side(f"the bare calls of the engine, {WORKERS} at a time", times["engine"])),
    ]


def following(bench):
    server = bench.lone()
    bare = bare_containers(bench, server)
    program = ["python3", "-c", WRITER.format(chunks=bench.log_megabytes * CHUNKS_A_SECOND // MEGABYTES_A_SECOND)]
    wanted = bench.log_megabytes * 1_000_000
    before, most = [], []

    def with_berth():
        job = server.submit(program)
        before.append(server.memory())
        during = []
        last = read_all(server.line("logs", "-f", str(job)), wanted, lambda: during.append(server.memory()))
        most.append(max(during))
        bench.engine.await_gone(server.directory)
        return last - int(server.output(job, "began")) / NANO

    def with_docker():
        place = bare.place()
        begun = begin(bench.engine, bare.body(place, program))
        begun[1].close()
        last = read_all(["docker", "logs", "-f", begun[0]], wanted)
        bench.engine.remove(begun[0])
        return last - int((place / "output" / "began").read_text(encoding="ascii")) / NANO

    times = in_turn("logs", bench.rounds, {"berth": with_berth, "docker": with_docker})
    what = f"{bench.log_megabytes} MB at {MEGABYTES_A_SECOND} MB/s through `berth logs -f`"
    return [
        Row(f"{what}, first byte written to last byte read", Side("", times["berth"]),
            Side("`docker logs -f`", times["docker"]), ratio_at_most=1),
        Row("most resident memory of the server meanwhile", Side("", most[1:]), Side("before it began", before[1:]),
            unit="MiB", ratio_at_most=1.1),
    ]


# It waits a moment, so that anyone who follows is there from the first byte on.
WRITER = """
import sys, time
chunk = ((b"0123456789" * 10)[:99] + b"\\n") * 10_000
time.sleep(1)
open("/output/began", "w").write(str(time.time_ns()))
began = time.monotonic()
for number in range(1, {chunks} + 1):
    sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()
    time.sleep(max(0, began + number / 100 - time.monotonic()))
"""


def read_all(line, wanted, look=lambda: None):
    """When the last byte came. Looks at something now and then meanwhile."""
    total, last = 0, time.time()
    with subprocess.Popen(line, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          bufsize=0) as reader:
        while piece := reader.stdout.read(READ_BYTES):
            last = time.time()
            if total // LOOK_BYTES != (total + len(piece)) // LOOK_BYTES:
                look()
            total += len(piece)
    if reader.returncode != 0 or total != wanted:
        raise RuntimeError(f"{line[0]} ended with {reader.returncode} and brought {total} bytes of {wanted}")
    return last
