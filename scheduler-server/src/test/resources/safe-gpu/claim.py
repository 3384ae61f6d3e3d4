"""Claims GPUs in the order in which safe-gpu does, as a user's program does with it: LOCK-FILE NUMBER.

What it asks of nvidia-smi, what it reads of the answers, and when it has the lock are safe-gpu's; no line is. It tells each
step in a line, waits for a line once it has the lock, and keeps its GPUs until its input ends.
"""
import ctypes
import fcntl
import os
import pathlib
import subprocess
import sys

CSV = "--format=csv,noheader"


def say(words):
    print(words, flush=True)


def nvidia_smi(*words):
    done = subprocess.run(["nvidia-smi", *words], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("nvidia-smi failed: " + done.stdout)
    return done.stdout.splitlines()


def machine():
    """How many GPUs there are, and whether a screen is on the last one."""
    facts = {}
    for line in nvidia_smi("-q"):
        if ":" in line:
            name, value = line.split(":", 1)
            facts[name.strip()] = value.strip()
    return int(facts["Attached GPUs"]), facts["Display Mode"] == "Enabled"


def free():
    gpus = [line.split(", ") for line in nvidia_smi(CSV, "--query-gpu=index,gpu_bus_id")]
    used = {bus for _, bus in (line.split(", ") for line in nvidia_smi(CSV, "--query-compute-apps=pid,gpu_bus_id"))}
    return sorted(index for index, bus in gpus if bus not in used)


def context(index):
    """A context on a GPU of CUDA_VISIBLE_DEVICES, which the stand-in's CUDA knows by UUIDs alone."""
    uuids = dict(line.split(", ") for line in nvidia_smi(CSV, "--query-gpu=index,uuid"))
    os.environ["CUDA_VISIBLE_DEVICES"] = uuids[index]
    device, made = ctypes.c_int(), ctypes.c_void_p()
    assert cuda.cuInit(0) == 0
    assert cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
    assert cuda.cuCtxCreate_v2(ctypes.byref(made), 0, device) == 0


lock, wanted = pathlib.Path(sys.argv[1]), int(sys.argv[2])
cuda = ctypes.CDLL("libcuda.so.1")
count, has_screen = machine()
say("%d GPUs%s" % (count, ", with a screen" if has_screen else ""))
lock.parent.mkdir(mode=0o777, parents=True, exist_ok=True)
mask = os.umask(0)
descriptor = os.open(lock, os.O_CREAT | os.O_WRONLY, 0o666)
os.umask(mask)
say("acquiring lock")
fcntl.lockf(descriptor, fcntl.LOCK_EX)
say("lock acquired")
sys.stdin.readline()
found = ["0"] if count == 1 and has_screen else free()
if len(found) < wanted:
    fcntl.lockf(descriptor, fcntl.LOCK_UN)
    say("only found these free: %s" % found)
    sys.exit()
chosen = found[:wanted]
for each in chosen:
    context(each)
fcntl.lockf(descriptor, fcntl.LOCK_UN)
os.close(descriptor)
say("has " + ",".join(chosen))
sys.stdin.read()
