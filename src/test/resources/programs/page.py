"""Writes what a page shows, some of it hostile, and waits at its gate: a log with colours, curves, and files."""

import json
import os
import sys
import time

output = os.environ["BERTH_OUTPUT_DIR"]
print("\x1b[32mgreen\x1b[0m and plain <script>window.hacked = 1</script>", flush=True)
print("\x1b]8;;javascript:window.hacked=1\x07link\x1b]8;;\x07 \x1b[2J\x1b[H right to left \u202e", flush=True)
print("\x1b[31m\" onmouseover=\"window.hacked=1\" <span style=\"background:url(//elsewhere.example)\">marked</span>\x1b[0m", flush=True)
print("\x1b]0;another title\x07\x1b[38;2;999;0;0mno colour\x1b[", flush=True)
sys.stdout.buffer.write(b"\xff\xfe\x00 no text\n")
sys.stdout.flush()
print("x" * 1_000_000, flush=True)
print("to standard error <img src=x onerror=window.hacked=1>", file=sys.stderr, flush=True)
with open(os.environ["BERTH_TRACK"], "a") as track:
    track.write(json.dumps({"param": {"lr": float(sys.argv[1]), "<b>bold</b>": "<i>x</i>"}}) + "\n")
    for step in range(50):
        track.write(json.dumps({"metric": {"loss": 1 / (1 + step * float(sys.argv[1])), "acc": step / 50}, "step": step}) + "\n")
    track.write(json.dumps({"progress": 1, "of": 2, "unit": "epoch"}) + "\n")
with open(os.path.join(output, "page.html"), "w") as page:
    page.write("<script>window.hacked = 1</script>")
with open(os.path.join(output, "picture.svg"), "w") as picture:
    picture.write('<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked = 1"/>')
with open(os.path.join(output, "result.json"), "w") as result:
    result.write('{"loss": 0.25}')
print("written", flush=True)
while not os.path.exists(os.path.join(output, "gate")):
    time.sleep(0.02)
