"""What is measured of programs on the machine itself: their start, and when their GPUs are free after a kill."""

import os
import signal
import subprocess
import time

from parts.samples import Row, Side, in_turn, say
from parts.server import environment

GPUS = 4
AIM_SECONDS = 2.0
PATIENCE_SECONDS = 60

# Notes its own number and the time of its first instruction, and stays; its child is in a session of its own.
STAYS = ("import os, subprocess, sys, time; began = time.time(); subprocess.Popen(['sleep', '100000'],"
         " start_new_session=True); open(sys.argv[1] + '.new', 'w').write(f'{began} {os.getpid()}');"
         " os.rename(sys.argv[1] + '.new', sys.argv[1]); time.sleep(100000)")
NOTES = "import sys, time; open(sys.argv[1], 'w').write(repr(time.time()))"
PYTHON = "/usr/bin/python3"


def leasing(bench):
    server = bench.server("leases", gpus=GPUS).start()
    times = in_turn("leases", bench.rounds, {
        "run": lambda: to_the_start(bench, server), "bare": lambda: bare_start(bench),
        "program": lambda: until_free(bench, server, kill_program),
        "command": lambda: until_free(bench, server, kill_command),
        "server": lambda: until_free_after_restart(bench, server)})
    server.stop(with_jobs=True)
    aim = Side("the aim", [AIM_SECONDS] * bench.rounds)
    return [
        Row("from `berth run` to the program's first instruction", Side("", times["run"]),
            Side("the same program without Berth", times["bare"])),
        Row("`kill -9` of a program of `berth run`, until its 4 GPUs are free",
            Side("", times["program"]), aim, ratio_at_most=1),
        Row("`kill -9` of `berth run`, until program and child are ended and the GPUs free",
            Side("", times["command"]), aim, ratio_at_most=1),
        Row("`kill -9` of the server, then of both: from the next server's start to free GPUs",
            Side("", times["server"]), aim, ratio_at_most=1),
    ]


def start(bench, server):
    """A `berth run` on all GPUs whose program has begun, with the numbers of both."""
    note = bench.directory / "began"
    note.unlink(missing_ok=True)
    run = subprocess.Popen(server.line("run", "--num-gpus", str(GPUS), "-q", "--", PYTHON, "-c", STAYS, str(note)),
                           env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE)
    until(note.exists, "the program did not begin")
    return run, int(note.read_text(encoding="ascii").split()[1])


def kill_program(run, program):
    os.kill(program, signal.SIGKILL)


def kill_command(run, program):
    run.kill()


def until_free(bench, server, kill):
    run, program = start(bench, server)
    until(lambda: held(server) == GPUS, "the GPUs are not held")
    began = time.perf_counter()
    kill(run, program)
    until(lambda: held(server) == 0, "the GPUs are not free")
    took = time.perf_counter() - began
    run.wait(PATIENCE_SECONDS)
    run.stderr.close()
    return took


def until_free_after_restart(bench, server):
    run, program = start(bench, server)
    until(lambda: held(server) == GPUS, "the GPUs are not held")
    os.kill(server.pid(), signal.SIGKILL)
    run.kill()
    os.kill(program, signal.SIGKILL)
    run.wait(PATIENCE_SECONDS)
    run.stderr.close()
    server.process = None
    server.start()
    began = time.perf_counter()
    until(lambda: held(server) == 0, "the GPUs are not free")
    return time.perf_counter() - began


def to_the_start(bench, server):
    note = bench.directory / "first"
    began = time.time()
    subprocess.run(server.line("run", "--num-gpus", "1", "-q", "--", PYTHON, "-c", NOTES, str(note)),
                   env=environment(), stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS, check=True)
    return float(note.read_text(encoding="ascii")) - began


def bare_start(bench):
    note = bench.directory / "first"
    began = time.time()
    subprocess.run([PYTHON, "-c", NOTES, str(note)], stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS, check=True)
    return float(note.read_text(encoding="ascii")) - began


def held(server):
    return sum(1 for gpu in server.http.json("GET", "/api/v1/gpus")["gpus"] if gpu["holders"])


def until(condition, failure):
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > end:
            say(failure)
            raise RuntimeError(failure)
        time.sleep(0.005)
