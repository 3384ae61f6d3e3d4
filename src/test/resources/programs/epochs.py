"""Keeps an epoch in its first attempt and waits; ends in the next with what it finds."""

import os
import stat
import time

KEPT = os.environ["BERTH_CHECKPOINT_DIR"]
ATTEMPT = os.environ["BERTH_ATTEMPT"]
path = os.path.join(KEPT, "epoch")

if os.path.exists(path):
    with open(path) as file:
        print("finds %s, %04o" % (file.read(), stat.S_IMODE(os.stat(KEPT).st_mode)))
else:
    print("finds nothing" if not os.listdir(KEPT) else "finds something else")
    with open(path, "w") as file:
        file.write("epoch 3 of attempt " + ATTEMPT)
    with open(os.path.join(os.environ["BERTH_OUTPUT_DIR"], "ready-" + ATTEMPT), "w"):
        pass
    time.sleep(600)
