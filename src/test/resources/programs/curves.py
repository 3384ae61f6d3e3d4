"""
Writes as training code does: so many scalars into TensorBoard's event files and CW2's table, one every 50 ms. The second and the
last third are written once the gates 1 and 2 are open.
"""

import os
import struct
import sys
import time

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def masked(data):
    """The checksum of a record: CRC-32C, turned and moved."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def record(event):
    length = struct.pack("<Q", len(event))
    return length + masked(length) + event + masked(event)


def scalar(tag, step, value):
    """An Event of protocol buffers: wall time, step, and a summary of one value. Lengths and step are below 128."""
    value = b"\x0a" + bytes([len(tag)]) + tag + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + bytes([len(value)]) + value
    return b"\x09" + struct.pack("<d", time.time()) + b"\x10" + bytes([step]) + b"\x2a" + bytes([len(summary)]) + summary


output = os.environ["BERTH_OUTPUT_DIR"]
for run in "train", "validation":
    os.makedirs(os.path.join(output, run))
rows = "iter,reward\n"
steps = int(sys.argv[1])
for step in range(steps):
    third, begins = divmod(step, steps // 3)
    while step > 0 and begins == 0 and not os.path.exists(os.path.join(output, "gate%d" % third)):
        time.sleep(0.02)
    for run in "train", "validation":
        with open(os.path.join(output, run, "events.out.tfevents.1764200000.host"), "ab") as events:
            events.write(record(scalar(b"loss", step, step / 2)))
    rows += "%d,%d\n" % (step, step * 2)
    with open(os.path.join(output, "rep_0.csv"), "w") as table:
        table.write(rows)
    print("::berth metric spoken=%d step=%d" % (step, step), flush=True)
    time.sleep(0.05)
