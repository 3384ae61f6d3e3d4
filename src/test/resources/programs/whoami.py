"""Writes down as JSON who it is and where it may write, and tells a metric that is called secret."""

import json
import os
import subprocess
import sys
import time

# A pod has neither.
OUTPUT = os.environ.get("BERTH_OUTPUT_DIR", ".")


def may_write(folder):
    try:
        with open(os.path.join(folder, "written-by-the-job"), "w") as file:
            file.write("ink\n")
        return True
    except OSError:
        return False


os.makedirs(os.path.join(OUTPUT, "deep", "down"))
record = {
    "uid": os.getuid(),
    "gid": os.getgid(),
    "groups": sorted(os.getgroups()),
    "name": subprocess.run(["whoami"], capture_output=True, text=True).stdout.strip(),
    "home": os.environ["HOME"],
    "mayWrite": {
        "home": may_write(os.path.expanduser("~")),
        "workspace": may_write(os.getcwd()),
        "output": may_write(OUTPUT),
        "deep": may_write(os.path.join(OUTPUT, "deep", "down")),
        "etc": may_write("/etc"),
    },
}
with open(os.path.join(OUTPUT, "whoami.part"), "w") as file:
    json.dump(record, file)
os.rename(os.path.join(OUTPUT, "whoami.part"), os.path.join(OUTPUT, "whoami.json"))
with open(os.environ.get("BERTH_TRACK", os.devnull), "a") as track:
    track.write('{"metric": "secret", "value": 1, "tag": "hidden"}\n')
print("I am", record["name"])
if "gate" in sys.argv:
    while not os.path.exists(os.path.join(OUTPUT, "gate")):
        time.sleep(0.01)
