"""Writes the files that the tests of dev.berth.server.track.source read, by the programs that users have.

    pip install tensorflow-cpu tensorboard tensorboardX pandas
    python3 write.py DIRECTORY

The files beside this script were made so, with tensorflow-cpu 2.21.0, tensorboard 2.21.0, tensorboardX 2.6.5 and
pandas 2.3.3. Each NAME.expected holds what TensorBoard's own reader finds in the file of events: tag, step, wall time
and value as Python shows them, with tabs between.
"""

import datetime
import glob
import math
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import pandas as pd
import tensorboardX
import tensorflow as tf
from tensorboard.backend.event_processing import event_file_loader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.hparams import api as hp
from tensorboard.plugins.scalar import summary_v2
from tensorboard.summary.writer.event_file_writer import EventFileWriter

OUT = sys.argv[1]


def tensorboardx(directory):
    """As PyTorch's SummaryWriter, whose code it shares: scalars, a histogram, a text and parameters."""
    with tensorboardX.SummaryWriter(directory) as writer:
        for step in range(10):
            writer.add_scalar("train/loss", 1 / (step + 1), step, walltime=1764200000 + step)
        writer.add_scalar("nan", float("nan"), 3, walltime=1764200003.5)
        writer.add_scalar("endless", float("-inf"), -1, walltime=1764200003.5)
        writer.add_histogram("weights", np.arange(1000), 3)
        writer.add_text("note", "a text", 3)


def tensorboardx_parameters(directory):
    with tensorboardX.SummaryWriter(directory) as writer:
        writer.add_hparams({"lr": 0.1, "batch": 32, "optimizer": "adam", "nesterov": True}, {"accuracy": 0.9}, name="run")
    for made in glob.glob(directory + "/run/*"):
        os.rename(made, os.path.join(directory, os.path.basename(made)))
    os.rmdir(directory + "/run")
    # The outer writer's file holds nothing but its header.
    for made in sorted(glob.glob(directory + "/*"), key=os.path.getsize)[:-1]:
        os.remove(made)


def tensorflow1(directory):
    """TF1's FileWriter: simple values, and tensors whose metadata is written once a tag."""
    with tf.compat.v1.Graph().as_default():
        writer = tf.compat.v1.summary.FileWriter(directory)
        from tensorboard.plugins.scalar import summary as scalar_v1
        for step in range(5):
            value = Summary.Value(tag="loss", simple_value=0.5 / (step + 1)).SerializeToString()
            writer.add_summary(b"\x0a" + bytes([len(value)]) + value, step)
            writer.add_summary(scalar_v1.pb("accuracy", step / 10).SerializeToString(), step)
        writer.add_graph(tf.compat.v1.get_default_graph())
        writer.close()


def tensorflow2(directory):
    """tf.summary of TF2, as Keras's callback uses it."""
    writer = tf.summary.create_file_writer(directory)
    with writer.as_default():
        for step in range(10):
            tf.summary.scalar("epoch_loss", 2.0 ** -step, step=step)
        tf.summary.scalar("big", 1, step=2**53 + 1)
        tf.summary.histogram("weights", tf.range(100), step=1)
        tf.summary.image("picture", tf.zeros((1, 8, 8, 3)), step=1)
        tf.summary.text("note", "a text", step=1)
        hp.hparams({"lr": 0.25, "units": 16, "optimizer": "sgd", "dropout": False})
    writer.close()


def tensors(directory):
    """One tensor of each type of numbers in both forms, by TensorBoard's own writer."""
    writer = EventFileWriter(directory)
    kinds = ["float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
             "uint64", "bool"]
    for step, kind in enumerate(kinds):
        number = np.array(1 if kind == "bool" else 3, dtype=tf.as_dtype(kind).as_numpy_dtype)
        content = tf.make_tensor_proto(np.reshape(number, (1, 1)))
        for field in [f for f, _ in content.ListFields() if f.name.endswith("_val")]:
            content.ClearField(field.name)
        content.tensor_content = number.tobytes()
        for form, tensor in ("val", tf.make_tensor_proto(number)), ("content", content):
            packed = summary_v2.scalar_pb("%s/%s" % (kind, form), 0.0)
            packed.value[0].tensor.ParseFromString(tensor.SerializeToString())
            event = Event(step=step, wall_time=1764200000.25 + step)
            event.summary.ParseFromString(packed.SerializeToString())
            writer.add_event(event)
    writer.close()


def expected(directory):
    """What TensorBoard's own reader finds: numbers of one element of the plugin of scalars, or of no plugin that it knows."""
    file, = glob.glob(directory + "/events.out.tfevents.*")
    plugins = {}
    with open(directory + ".expected", "w") as to:
        for event in event_file_loader.LegacyEventFileLoader(file).Load():
            for value in event.summary.value:
                plugin = plugins.setdefault(value.tag, value.metadata.plugin_data.plugin_name)
                if value.WhichOneof("value") == "simple_value":
                    number = value.simple_value
                elif value.WhichOneof("value") == "tensor" and plugin == "scalars":
                    number = float(tf.make_ndarray(value.tensor).item())
                else:
                    continue
                print(value.tag, event.step, repr(event.wall_time), repr(number), sep="\t", file=to)
    os.rename(file, directory + ".tfevents")
    os.rmdir(directory)


def cw2(directory):
    """As CW2's PandasLogger: each iteration appends to the frame, and the whole file is written anew."""
    frame = pd.DataFrame()
    for n in range(5):
        result = {"loss": 1 / (n + 1), "net.depth": 3, "done": n == 4, "note": 'says "a, b"\nand more', "worst": math.nan}
        if n >= 2:
            result["late"] = 10 * n
        result["ts"] = datetime.datetime(2025, 11, 27, 12, 0, n, 250000 * (n % 2))
        result["rep"] = 0
        result["iter"] = n
        frame = pd.concat([frame, pd.DataFrame([result])], ignore_index=True)
        frame.to_csv("%s/rep_0.after-%d.csv" % (directory, n + 1), index_label="index")


def cw2_old(directory):
    """As PandasRepSaver of CW2's first versions: a header, and each iteration's row appended."""
    for n in range(3):
        result = {"loss": 1 / (n + 1), "ts": datetime.datetime(2020, 6, 1, 8, 0, n), "r": 1, "i": n}
        name = directory + "/rep_1.csv"
        if n == 0:
            pd.DataFrame(result, index=[0]).to_csv(name, mode="w", header=True, index_label="iteration")
        else:
            pd.DataFrame(result, index=[n]).to_csv(name, mode="a", header=False)


for write in (tensorboardx, tensorboardx_parameters, tensorflow1, tensorflow2, tensors):
    write(os.path.join(OUT, write.__name__))
    expected(os.path.join(OUT, write.__name__))
cw2(OUT)
cw2_old(OUT)
