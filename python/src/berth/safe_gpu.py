"""The words of safe-gpu: ``from berth import safe_gpu`` in place of ``from safe_gpu import safe_gpu``.

GPUs come from Berth's queue, so that jobs and these processes never have the same one, and no placeholder has to hold
them: they are the process's until it ends. Where there are too few, the call waits; safe-gpu failed, which
``wait=False`` does here.
"""

import logging
from typing import Any, Callable, List, Optional

from ._errors import BerthError
from ._gpus import Lease, gpus

Placeholder = Callable[[int], Any]


def pytorch_placeholder(device_no: int) -> None:
    """Does nothing: what holds a GPU is the lease."""


tensorflow_placeholder = pycuda_placeholder = pytorch_placeholder


class GPUOwner:
    """Has GPUs from when it is made until ``release_gpus()`` or the end of the process.

    Args:
        nb_gpus: how many
        placeholder_fn: not used
        logger: is told which GPUs they are; None for that of this module
        debug_sleep: not used
        wait: whether to wait in the queue where they are not free at once

    Raises:
        RuntimeError: with ``wait=False``, they are not free.
        BerthError: CUDA is initialised already, or the server refuses.
    """

    def __init__(
        self,
        nb_gpus: int = 1,
        placeholder_fn: Placeholder = pytorch_placeholder,
        logger: Optional[logging.Logger] = None,
        debug_sleep: float = 0.0,
        wait: bool = True,
    ) -> None:
        self._logger = logger or logging.getLogger(__name__)
        try:
            self._lease: Lease = gpus(nb_gpus, wait=wait)
        except BerthError as refused:
            if refused.code not in ("NOT_NOW", "NO_GPUS") or wait:
                raise
            raise RuntimeError("Required %d GPUs: %s" % (nb_gpus, refused)) from refused
        self._logger.info("Set CUDA_VISIBLE_DEVICES=%s", ",".join(self.devices_taken))

    @property
    def devices_taken(self) -> List[str]:
        """The UUIDs of the GPUs."""
        return list(self._lease.uuids)

    def release_gpus(self) -> None:
        """Gives them back; what has initialised CUDA goes on seeing them."""
        self._lease.release()


gpu_owner: Optional[GPUOwner] = None


def claim_gpus(
    nb_gpus: int = 1,
    placeholder_fn: Placeholder = pytorch_placeholder,
    logger: Optional[logging.Logger] = None,
    debug_sleep: float = 0.0,
    wait: bool = True,
) -> None:
    """Gets GPUs for this process, which has them until ``release_gpus()`` or its end; as ``GPUOwner``."""
    global gpu_owner
    gpu_owner = GPUOwner(nb_gpus, placeholder_fn, logger, debug_sleep, wait)


def release_gpus() -> None:
    """Gives back what ``claim_gpus`` has got; nothing where it has not."""
    global gpu_owner
    owner, gpu_owner = gpu_owner, None
    if owner is not None:
        owner.release_gpus()
