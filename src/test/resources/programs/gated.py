"""Adds its name to the file "started" of a folder, says what it sees, and ends with a code once its gate, the file of its name
in that folder, is there: gated.py FOLDER NAME CODE"""

import getpass
import json
import os
import sys
import time

FOLDER, NAME, CODE = sys.argv[1:]

with open(os.path.join(FOLDER, "started"), "a") as started:
    started.write(NAME + "\n")
with open(os.path.join(os.environ["BERTH_OUTPUT_DIR"], "result"), "w") as result:
    result.write("of " + NAME + "\n")
with open(os.environ["BERTH_TRACK"], "a") as track:
    track.write('{"metric": "loss", "value": 0.5}\n')
devices = os.environ.get("CUDA_VISIBLE_DEVICES")
print(json.dumps({"user": getpass.getuser(), "uid": os.getuid(), "devices": devices, "files": os.listdir()}), flush=True)
while time.process_time() < 1:
    pass
while not os.path.exists(os.path.join(FOLDER, NAME)):
    time.sleep(0.05)
print("the gate of", NAME, "is open")
sys.exit(int(CODE))
