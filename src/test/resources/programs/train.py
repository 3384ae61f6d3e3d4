"""Tells what a training would, for pictures of the page: parameters lr, batch and depth, curves, progress; with a fifth word it waits at its gate."""

import json
import math
import os
import random
import sys
import time

EPOCHS = 40
lr, batch, depth = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
epochs = EPOCHS * 2 // 3 if len(sys.argv) > 4 else EPOCHS
best = 0.94 - 0.05 * abs(math.log10(lr / 0.05)) - 0.015 * abs(depth - 50) / 16 - batch / 8000
noise = random.Random(lr * batch * depth)
with open(os.environ["BERTH_TRACK"], "a", buffering=1) as track:
    print(json.dumps({"param": {"lr": lr, "batch": batch, "depth": depth}}), file=track)
    for epoch in range(1, epochs + 1):
        acc = best * (1 - math.exp(-epoch * (4 + 40 * lr) / EPOCHS)) + noise.gauss(0, 0.006)
        loss = 2.2 * math.exp(-epoch * (3 + 20 * lr) / EPOCHS) + 1.6 * (1 - best) + noise.gauss(0, 0.015)
        for name, value in (("acc", acc), ("loss", loss)):
            print(json.dumps({"metric": name, "value": round(value, 4), "step": epoch}), file=track)
        print(json.dumps({"progress": epoch, "of": EPOCHS, "unit": "epochs"}), file=track)
        print(f"\x1b[36mepoch {epoch:2d}/{EPOCHS}\x1b[0m  loss \x1b[33m{loss:.4f}\x1b[0m  acc \x1b[32m{acc:.4f}\x1b[0m", flush=True)
        if epoch % 20 == 0:
            print(f"warning: {epoch} epochs without a checkpoint", file=sys.stderr, flush=True)
with open(os.path.join(os.environ["BERTH_OUTPUT_DIR"], "result.json"), "w") as result:
    result.write(json.dumps({"acc": round(acc, 4), "epochs": epochs}))
while len(sys.argv) > 4 and not os.path.exists(os.path.join(os.environ["BERTH_OUTPUT_DIR"], "gate")):
    time.sleep(0.02)
