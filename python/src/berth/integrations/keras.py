"""Keras: ``model.fit(..., callbacks=[BerthCallback()])``."""

import importlib
from typing import Any, Mapping, Optional

from .. import _track


def _callback() -> Any:
    """The class of Keras 3, or of the Keras within an older TensorFlow."""
    try:
        return importlib.import_module("keras.callbacks").Callback
    except ImportError:
        return importlib.import_module("tensorflow.keras.callbacks").Callback


_Callback: Any = _callback()


class BerthCallback(_Callback):  # type: ignore[misc]
    """Sends each epoch's logs to the job's metrics, and how far the training is.

    Args:
        batches: every so many batches, too, under names that begin with ``batch_``; 0 for epochs alone
    """

    def __init__(self, batches: int = 0) -> None:
        super().__init__()
        self._batches = batches
        self._batch = 0

    def on_epoch_end(self, epoch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        _track.log_metrics(logs or {}, epoch)
        epochs = (self.params or {}).get("epochs")
        if epochs:
            _track.progress(epoch + 1, epochs, "epoch")

    def on_train_batch_end(self, batch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._batch += 1
        if self._batches > 0 and self._batch % self._batches == 0:
            _track.log_metrics({"batch_" + name: value for name, value in (logs or {}).items()}, self._batch)
