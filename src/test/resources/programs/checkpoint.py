"""Says what it is told, and takes as many seconds to end as its argument says."""

import signal
import sys
import time


def note(number, frame):
    print("told by", signal.Signals(number).name, flush=True)


def end(number, frame):
    note(number, frame)
    time.sleep(float(sys.argv[1]))
    print("saved", flush=True)
    sys.exit(0)


signal.signal(signal.SIGUSR1, note)
signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
while True:
    time.sleep(0.05)
