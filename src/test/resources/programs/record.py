"""Writes down when it ran and which GPUs it can open, then waits: at its gate, or for some seconds."""

import errno
import json
import os
import sys
import time

BEGIN = time.monotonic_ns()
GPUS = 8
OUTPUT = os.environ["BERTH_OUTPUT_DIR"]


def answer(path):
    try:
        os.close(os.open(path, os.O_RDWR))
        return "opened"
    except OSError as e:
        return errno.errorcode[e.errno]


def publish(name, record):
    # Anyone who sees the name sees the whole.
    path = os.path.join(OUTPUT, name)
    with open(path + ".part", "w") as file:
        json.dump(record, file)
    os.rename(path + ".part", path)


def note_start():
    with open(os.path.join(OUTPUT, "starts"), "a") as file:
        file.write(os.environ["BERTH_ATTEMPT"] + "\n")


def hold(how):
    if how != "gate":
        time.sleep(float(how))
        return
    while not os.path.exists(os.path.join(OUTPUT, "gate")):
        time.sleep(0.01)


note_start()
record = {
    "job": int(os.environ["BERTH_JOB_ID"]),
    "attempt": int(os.environ["BERTH_ATTEMPT"]),
    "begin": BEGIN,
    "wall": time.time(),
    "uuids": os.environ["BERTH_GPU_UUIDS"],
    "answers": [answer("/dev/nvidia%d" % gpu) for gpu in range(GPUS)],
    "nodes": sorted(node for node in os.listdir("/dev") if node.startswith("nvidia")),
    "environment": dict(os.environ),
}
publish("begun.json", record)
hold(sys.argv[1] if len(sys.argv) > 1 else "0")
record["end"] = time.monotonic_ns()
publish("record.json", record)
print(json.dumps(record))
