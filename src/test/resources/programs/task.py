"""A task of an array: writes down that it began and ended, and what it was told of itself."""

import json
import os
import sys
import time

BEGIN = time.monotonic_ns()
OUTPUT = os.environ["BERTH_OUTPUT_DIR"]

with open(os.path.join(OUTPUT, "starts"), "a") as starts:
    starts.write(os.environ["BERTH_ATTEMPT"] + "\n")
time.sleep(float(sys.argv[1]))
told = {name: value for name, value in os.environ.items() if "_ARRAY_" in name or name == "BERTH_JOB_ID"}
with open(os.path.join(OUTPUT, "record.json"), "w") as file:
    json.dump({"begin": BEGIN, "end": time.monotonic_ns(), "told": told}, file)
print("task", os.environ["SLURM_ARRAY_TASK_ID"])
