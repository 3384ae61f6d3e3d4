"""Writes down on which cores it runs and what it was told of them, then waits at its gate."""

import json
import os
import time

OUTPUT = os.environ["BERTH_OUTPUT_DIR"]

record = {
    "cores": sorted(os.sched_getaffinity(0)),
    "told": os.environ.get("BERTH_CPU_CORES"),
    "threads": os.environ.get("OMP_NUM_THREADS"),
}
with open(os.path.join(OUTPUT, "begun.part"), "w") as file:
    json.dump(record, file)
os.rename(os.path.join(OUTPUT, "begun.part"), os.path.join(OUTPUT, "begun.json"))
while not os.path.exists(os.path.join(OUTPUT, "gate")):
    time.sleep(0.01)
