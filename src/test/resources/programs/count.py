"""Writes numbered lines to a stream, out or err, until its gate opens, then ends with a code: count.py out 0

Its own record: "starts" gets a line for each start, "lines" tells how many lines were written so far, and "ended" is there
once there will be no more.
"""

import os
import sys
import time

OUTPUT = os.environ["BERTH_OUTPUT_DIR"]
STREAM = {"out": sys.stdout, "err": sys.stderr}[sys.argv[1]]


def path(name):
    return os.path.join(OUTPUT, name)


def publish(name, text):
    with open(path(name) + ".part", "w") as file:
        file.write(text)
    os.rename(path(name) + ".part", path(name))


with open(path("starts"), "a") as file:
    file.write("started\n")
lines = 0
while not os.path.exists(path("gate")):
    # Of many lengths, so that pieces are cut at many places.
    lines += 1
    STREAM.write("%d %s\n" % (lines, "x" * (lines * 37 % 500)))
    STREAM.flush()
    if lines % 50 == 0:
        publish("lines", str(lines))
    time.sleep(0.004)
publish("lines", str(lines))
publish("ended", "")
sys.exit(int(sys.argv[2]))
