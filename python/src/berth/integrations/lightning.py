"""PyTorch Lightning: ``Trainer(logger=BerthLogger(), callbacks=[BerthCallback()])``."""

import argparse
import dataclasses
import importlib
import os
from typing import Any, Dict, Mapping, Optional, Union

from .. import _track


def _lightning(module: str) -> Any:
    """A module of Lightning under the name that it is installed by."""
    try:
        return importlib.import_module("lightning.pytorch" + module)
    except ImportError:
        return importlib.import_module("pytorch_lightning" + module)


_Logger: Any = _lightning(".loggers").Logger
_Callback: Any = _lightning(".callbacks").Callback
_rank_zero_only: Any = _lightning(".utilities").rank_zero_only


def _logs() -> bool:
    """Whether this is the process of a distributed run that logs."""
    return bool(_rank_zero_only.rank == 0)


class BerthLogger(_Logger):  # type: ignore[misc]
    """Sends what Lightning logs to the job's metrics, and hyperparameters to its parameters."""

    @property
    def name(self) -> str:
        return os.environ.get("BERTH_PROJECT", "berth")

    @property
    def version(self) -> str:
        return os.environ.get("BERTH_JOB_ID", "0")

    @property
    def save_dir(self) -> Optional[str]:
        """Where Lightning puts checkpoints: what is there is kept with the job."""
        return os.environ.get("BERTH_OUTPUT_DIR")

    def log_metrics(self, metrics: Mapping[str, Any], step: Optional[int] = None) -> None:
        if _logs():
            _track.log_metrics(metrics, step)

    def log_hyperparams(self, params: Union[Dict[str, Any], argparse.Namespace], *args: Any, **kwargs: Any) -> None:
        if _logs():
            _track.log_params(_mapping(params))


def _mapping(params: Any) -> Mapping[str, Any]:
    if isinstance(params, argparse.Namespace):
        return vars(params)
    if dataclasses.is_dataclass(params) and not isinstance(params, type):
        return dataclasses.asdict(params)
    return dict(params)


class BerthCallback(_Callback):  # type: ignore[misc]
    """Tells how far the training is, and the metrics of each epoch where another logger has Lightning's."""

    def __init__(self, log_metrics: bool = False) -> None:
        super().__init__()
        self._log_metrics = log_metrics

    def on_train_epoch_end(self, trainer: Any, module: Any) -> None:
        if not trainer.is_global_zero:
            return
        done = trainer.current_epoch + 1
        if trainer.max_epochs is not None and trainer.max_epochs > 0:
            _track.progress(done, trainer.max_epochs, "epoch")
        if self._log_metrics:
            _track.log_metrics(trainer.callback_metrics, trainer.global_step)
