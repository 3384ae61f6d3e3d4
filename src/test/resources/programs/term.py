"""Waits to be told to end, and says when it is."""

import os
import signal
import sys

# A pod has none.
OUTPUT = os.environ.get("BERTH_OUTPUT_DIR", ".")


def end(signum, frame):
    print("told to end by %s" % signal.Signals(signum).name)
    with open(os.path.join(OUTPUT, "told"), "w") as file:
        file.write(signal.Signals(signum).name)
    sys.exit(0)


signal.signal(signal.SIGTERM, end)
with open(os.path.join(OUTPUT, "ready"), "w"):
    pass
print("ready")
while True:
    signal.pause()
