"""Tells so many points of a metric, some at a time; "hostile" tells what no server should have to bear, and cuts the file once its gate is open."""

import os
import sys
import time

A_TIME = 500

path = os.environ["BERTH_TRACK"]
track = os.open(path, os.O_WRONLY | os.O_APPEND)


def tell(text):
    data = text.encode()
    while data:
        data = data[os.write(track, data) :]


if sys.argv[1] == "hostile":
    for attempt in (os.remove, lambda name: os.rename("/workspace/tell.py", name), lambda name: os.symlink("/etc/shadow", name)):
        try:
            attempt(path)
            print("the file could be replaced")
        except OSError:
            pass
    for _ in range(100):
        tell("x" * 1000000)
    tell("\n")
    for number in range(5000):
        tell('{"metric":"m%d","value":1}\n' % number)
    tell('{"metric":"m0","value":NaN}\n{"metric":"m1","value":9223372036854775808}\n{"metric":"m2","value":1e999}\n')
    tell("{" * 60000 + "\n")
    while not os.path.exists(os.environ["BERTH_OUTPUT_DIR"] + "/gate"):
        time.sleep(0.05)
    os.truncate(path, 0)
    tell('{"tag":"after"}\n')
else:
    for begin in range(0, int(sys.argv[1]), A_TIME):
        tell("".join('{"metric":"loss","value":%d,"step":%d}\n' % (i, i) for i in range(begin, begin + A_TIME)))
        time.sleep(0.005)
