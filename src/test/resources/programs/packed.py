"""A task of a pack: says who it is, and does what its first argument says for its number."""

import os
import sys
import time

TASK = int(os.environ["BERTH_ARRAY_TASK"])
OUTPUT = os.environ["BERTH_OUTPUT_DIR"]

print("task", os.environ["BERTH_JOB_ID"], "as", os.getuid(), "in", os.getcwd(), flush=True)
print("error of", TASK, file=sys.stderr, flush=True)
with open(os.path.join(OUTPUT, "begun"), "a") as begun:
    begun.write(os.environ["BERTH_ATTEMPT"] + "\n")
what = sys.argv[1 + TASK % (len(sys.argv) - 1)]
if what.startswith("exit"):
    sys.exit(int(what[4:]))
if what == "memory":
    blocks = []
    while True:
        blocks.append(b"x" * (1 << 24))
if what == "wait":
    while not os.path.exists(os.path.join(OUTPUT, "go")):
        time.sleep(0.05)
