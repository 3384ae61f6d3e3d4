"""Frames and callbacks, with stand-ins for the libraries: what is called, and with what."""

import argparse
import importlib
import json
import sys
import types
from typing import Any, Dict, List
from unittest import mock

from tests.support import FakeServer, FolderTest, answer, environment, view

import berth

TIME = "2026-01-01T00:00:00Z"


def tracking(**more: Any) -> Dict[str, Any]:
    last = {"step": 1, "time": TIME, "value": 0.9}
    metric = {"name": "acc", "count": 2, "last": last, "min": last, "max": last}
    return dict({"params": {"lr": "0.1", "opt": "adam"}, "tags": {"best": ""}, "metrics": [metric]}, **more)


def library(**names: Any) -> types.ModuleType:
    module = types.ModuleType("stand-in")
    module.__dict__.update(names)
    return module


class FrameTest(FolderTest):
    def columns(self, *told: Dict[str, Any], kind: str = "pandas") -> Dict[str, List[Any]]:
        with FakeServer(*map(answer, told)) as fake, mock.patch.dict("sys.modules", {kind: library(DataFrame=dict)}):
            server = berth.Server(socket=fake.path)
            return dict(berth.frame([berth.Job(server, view("COMPLETED")) for _ in told], kind))

    def test_a_row_a_job(self) -> None:
        for kind in ("pandas", "polars"):
            found = self.columns(tracking(), tracking(params={"lr": "x"}, metrics=[]), kind=kind)
            self.assertEqual([7, 7], found["id"])
            self.assertEqual((["0.1", "x"], [0.9, None]), (found["params.lr"], found["metrics.acc"]))
            self.assertEqual(["adam", None], found["params.opt"])

    def test_parameters_that_are_numbers_in_all_rows_are_numbers(self) -> None:
        self.assertEqual([0.1, None], self.columns(tracking(), tracking(params={}))["params.lr"])

    def test_a_curve(self) -> None:
        points = [{"step": step, "time": TIME, "value": "NaN" if step else 1} for step in range(2)]
        with FakeServer(answer({"points": points, "next": None})) as fake:
            with mock.patch.dict("sys.modules", pandas=library(DataFrame=dict)):
                found = berth.curve(berth.Job(berth.Server(socket=fake.path), view()), "loss")
        self.assertEqual(([0, 1], 1.0), (found["step"], found["value"][0]))

    def test_a_library_that_is_not_there_is_named(self) -> None:
        with mock.patch.dict("sys.modules", pandas=None), self.assertRaisesRegex(ImportError, "pip install pandas"):
            berth.frame([])
        with self.assertRaisesRegex(ValueError, "spark"):
            berth.frame([], "spark")


class CallbackTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        outer = environment(BERTH_TRACK=self.at("track"), BERTH_OUTPUT_DIR=self.folder)
        outer.__enter__()
        self.addCleanup(outer.__exit__, None, None, None)

    def load(self, name: str, **modules: Any) -> Any:
        full = "berth.integrations." + name
        sys.modules.pop(full, None)
        self.addCleanup(sys.modules.pop, full, None)
        stand_ins = {key.replace("__", "."): module for key, module in modules.items()}
        with mock.patch.dict("sys.modules", stand_ins):
            return importlib.import_module(full)

    def lines(self) -> List[Dict[str, Any]]:
        with open(self.at("track"), encoding="utf-8") as file:
            found = [json.loads(line) for line in file]
        for line in found:
            line.pop("time", None)
        return found

    def test_keras(self) -> None:
        class Callback:
            params = {"epochs": 4}

        callback = self.load("keras", keras__callbacks=library(Callback=Callback)).BerthCallback(batches=2)
        callback.on_train_batch_end(0, {"loss": 2.0})
        callback.on_train_batch_end(1, {"loss": 1.0})
        callback.on_epoch_end(0, {"loss": 0.5})
        self.assertEqual(
            [
                {"metric": {"batch_loss": 1.0}, "step": 2},
                {"metric": {"loss": 0.5}, "step": 0},
                {"progress": 1, "of": 4, "unit": "epoch"},
            ],
            self.lines(),
        )

    def test_keras_within_an_older_tensorflow(self) -> None:
        module = self.load(
            "keras", keras=None, keras__callbacks=None, tensorflow__keras__callbacks=library(Callback=object)
        )
        self.assertTrue(module.BerthCallback())

    def test_huggingface(self) -> None:
        module = self.load("huggingface", transformers=library(TrainerCallback=object))
        callback = module.BerthCallback()
        arguments = types.SimpleNamespace(to_sanitized_dict=lambda: {"learning_rate": 0.1})
        state = types.SimpleNamespace(is_world_process_zero=True, global_step=20, max_steps=1000)
        callback.on_train_begin(arguments, state, None)
        callback.on_log(arguments, state, None, logs={"loss": 0.5, "note": "text"})
        for state.global_step in range(19, 22):
            callback.on_step_end(arguments, state, None)
        state.is_world_process_zero = False
        callback.on_log(arguments, state, None, logs={"loss": 0.4})
        self.assertEqual(
            [
                {"param": {"learning_rate": 0.1}},
                {"metric": {"loss": 0.5}, "step": 20},
                {"progress": 20, "of": 1000, "unit": "step"},
            ],
            self.lines(),
        )

    def lightning(self, rank: int = 0) -> Any:
        base = type("Base", (), {})
        zero = types.SimpleNamespace(rank=rank)
        return self.load(
            "lightning",
            lightning__pytorch__loggers=library(Logger=base),
            lightning__pytorch__callbacks=library(Callback=base),
            lightning__pytorch__utilities=library(rank_zero_only=zero),
        )

    def test_lightning(self) -> None:
        module = self.lightning()
        logger = module.BerthLogger()
        logger.log_hyperparams({"lr": 0.1})
        logger.log_hyperparams(argparse.Namespace(depth=3))
        logger.log_metrics({"loss": 0.5}, 7)
        trainer = types.SimpleNamespace(
            is_global_zero=True, current_epoch=1, max_epochs=10, callback_metrics={"v": 1}, global_step=9
        )
        module.BerthCallback(log_metrics=True).on_train_epoch_end(trainer, None)
        trainer.max_epochs = -1
        module.BerthCallback().on_train_epoch_end(trainer, None)
        self.assertEqual(self.folder, logger.save_dir)
        self.assertEqual(
            [
                {"param": {"lr": 0.1}},
                {"param": {"depth": 3}},
                {"metric": {"loss": 0.5}, "step": 7},
                {"progress": 2, "of": 10, "unit": "epoch"},
                {"metric": {"v": 1}, "step": 9},
            ],
            self.lines(),
        )

    def test_nothing_is_imported_that_was_not_asked_for(self) -> None:
        self.assertFalse([name for name in sys.modules if name.startswith("berth.integrations.")])
