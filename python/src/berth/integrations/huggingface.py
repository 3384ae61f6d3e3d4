"""Hugging Face Trainer: ``Trainer(..., callbacks=[BerthCallback()])``."""

import importlib
from typing import Any, Mapping, Optional

from .. import _track

_TrainerCallback: Any = importlib.import_module("transformers").TrainerCallback


class BerthCallback(_TrainerCallback):  # type: ignore[misc]
    """Sends what the Trainer logs to the job's metrics, its arguments to the parameters, and how far it is."""

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            _track.log_params(args.to_sanitized_dict())

    def on_log(
        self, args: Any, state: Any, control: Any, logs: Optional[Mapping[str, Any]] = None, **kwargs: Any
    ) -> None:
        if state.is_world_process_zero and logs:
            numbers = {
                name: value for name, value in logs.items() if isinstance(value, (int, float)) or hasattr(value, "item")
            }
            _track.log_metrics(numbers, state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        # Each step would be a line; a hundredth of the way is enough for a forecast.
        every = max(1, state.max_steps // 100)
        if state.is_world_process_zero and state.max_steps > 0 and state.global_step % every == 0:
            _track.progress(state.global_step, state.max_steps, "step")
