"""A job of the chaos run: numbered lines on both streams for a while, then an exit code. Some lines are bytes that are no
text, progress bars or bursts of 100 KiB; the first on standard error of a job that lasts is a bar of six seconds.

chaos.py NUMBER MILLISECONDS CODES heeds|ignores: the exit code of each attempt with commas between them, the last one also of
all that follow; the last word says what SIGTERM does.

What it did is noted in /records/NUMBER, of a task of an array in /records/NUMBER_TASK, a JSON object a line, appended and forced to disk, where neither server nor engine
has a hand in it. As long as this process lives, it holds a lock of the kernel's on itself and on each of its GPUs: two
that hold one GPU at one instant are seen, however short that instant is and however they end. Tasks of a pack hold its GPUs
together, and are told from others by what no environment can say wrongly: the namespace of processes that they share.
"""

import errno
import fcntl
import json
import os
import signal
import struct
import sys
import time

BEGIN = time.monotonic_ns()
GPUS = 8
RECORDS = "/records"
NUMBER, MILLISECONDS, CODES, MANNERS = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(","), sys.argv[4]
ATTEMPT = int(os.environ["BERTH_ATTEMPT"])
TASK = os.environ.get("BERTH_ARRAY_TASK")
NAME = NUMBER if TASK is None else NUMBER + "_" + TASK
TICK_SECONDS = 0.02
SLOW_MILLISECONDS = 7_000
SLOW_STEPS = 60
SLOW_STEP_NANOS = 100_000_000
NOTE_NANOS = 200_000_000
STREAMS = {"out": 1, "err": 2}
CONTAINER = os.stat("/proc/self/ns/pid").st_ino
LOCK = "hhqqi"

journal = os.open(os.path.join(RECORDS, NAME), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
lines = {"out": 0, "err": 0}


def note(event, at=None, **facts):
    record = {
        "event": event,
        "job": os.environ["BERTH_JOB_ID"],
        "attempt": ATTEMPT,
        "at": at or time.monotonic_ns(),
        "wall": time.time_ns(),
    }
    os.write(journal, (json.dumps({**record, **lines, **facts}) + "\n").encode())
    os.fsync(journal)


def container_job():
    """The number of the job that this container was made for, by what its first process was given."""
    with open("/proc/1/environ", "rb") as environment:
        variables = dict(each.partition(b"=")[::2] for each in environment.read().split(b"\0"))
    return variables[b"BERTH_JOB_ID"].decode()


def is_contended(name, holder):
    """Locks a thing for this process's life, as one of those that hold it together; whether others have it.

    Each holder has a byte of its own. It is locked before the others are looked at, so that of two at least one sees the
    other, and looking takes no lock that a third might see.
    """
    lock = os.open(os.path.join(RECORDS, "lock-" + name), os.O_RDWR | os.O_CREAT, 0o644)
    fcntl.lockf(lock, fcntl.LOCK_SH, 1, holder)
    return any(is_locked(lock, *others) for others in ((0, holder), (holder + 1, 0)))


def is_locked(lock, start, length):
    """Whether another process has locked one of these bytes; length 0 is to the end."""
    asked = struct.pack(LOCK, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
    return struct.unpack(LOCK, fcntl.fcntl(lock, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK


def is_allowed(gpu):
    try:
        os.close(os.open("/dev/nvidia%d" % gpu, os.O_RDWR))
        return True
    except OSError as e:
        # The stand-in's GPUs have no driver.
        return e.errno == errno.ENXIO


def head(stream):
    return ("%s %d %d " % (stream, ATTEMPT, lines[stream] + 1)).encode()


def body(number):
    """What Written.java knows as well."""
    if number % 13 == 5:
        return bytes(each for each in ((number * 31 + at * 7) % 256 for at in range(200)) if each != 10)
    if number % 13 == 9:
        return b"".join(b"\r%3d%%" % step for step in range(0, 100, 5))
    if number == 30:
        return b"y" * (100 << 10)
    return b"x" * (number * 37 % 300)


def put(stream, piece):
    while piece:
        piece = piece[os.write(STREAMS[stream], piece) :]


def write(stream):
    put(stream, head(stream) + body(lines[stream] + 1) + b"\n")
    lines[stream] += 1


def bar():
    """The first line on standard error, a step at a time; it says whether there is more of it."""
    put("err", head("err"))
    for step in range(SLOW_STEPS):
        while time.monotonic_ns() < BEGIN + step * SLOW_STEP_NANOS:
            yield True
        put("err", b"\r%3d" % step)
    put("err", b"\n")
    lines["err"] += 1


def end(code):
    note("end", code=code)
    os._exit(code)


def told(signum, frame):
    note("told")
    if MANNERS == "heeds":
        end(128 + signum)


# Heard once the begin is noted, so that no notes are without one.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
signal.signal(signal.SIGTERM, told)
gpus = [gpu for gpu in range(GPUS) if is_allowed(gpu)]
# No two processes begin in one nanosecond.
held = {"job-" + NAME: BEGIN, **{"gpu-%d" % gpu: CONTAINER for gpu in gpus}}
note(
    "begin",
    at=BEGIN,
    granted=[int(uuid[4:12], 16) for uuid in os.environ["BERTH_GPU_UUIDS"].split(",") if uuid],
    opened=gpus,
    contended=[name for name, holder in held.items() if is_contended(name, holder)],
    container={"job": container_job(), "id": CONTAINER},
)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
noted = time.monotonic_ns()
slow = bar() if MILLISECONDS >= SLOW_MILLISECONDS else iter(())
while time.monotonic_ns() < BEGIN + MILLISECONDS * 1_000_000:
    write("out")
    if not next(slow, False) and lines["out"] % 3 == 0:
        write("err")
    if time.monotonic_ns() > noted + NOTE_NANOS:
        noted = time.monotonic_ns()
        note("wrote")
    time.sleep(TICK_SECONDS)
end(int(CODES[min(ATTEMPT, len(CODES)) - 1]))
