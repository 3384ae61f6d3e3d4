"""Whether CUDA is initialised in this process: it reads CUDA_VISIBLE_DEVICES then, and never again."""

import ctypes
import sys
from typing import Callable, Iterable, Optional, Set

# cuda.h: CUDA_ERROR_NOT_INITIALIZED, which each call answers before cuInit.
_NOT_INITIALISED = 3


def initialised_by(
    maps: Optional[Iterable[str]] = None, device_count: Optional[Callable[[str], int]] = None
) -> Optional[str]:
    """Who has initialised CUDA, in words; None for nobody.

    It loads nothing and initialises nothing: a library of the driver that is not in the process cannot have been used.

    Args:
        maps: the lines of ``/proc/self/maps``
        device_count: what ``cuDeviceGetCount`` of the library at a path answers
    """
    torch = sys.modules.get("torch")
    if torch is not None and _torch_is_initialised(torch):
        return "PyTorch"
    count = _device_count if device_count is None else device_count
    for path in sorted(_libraries(_own_maps() if maps is None else maps)):
        if count(path) != _NOT_INITIALISED:
            return "a library that uses %s" % path
    return None


def _torch_is_initialised(torch: object) -> bool:
    try:
        return bool(torch.cuda.is_initialized())  # type: ignore[attr-defined]
    except Exception:  # A PyTorch without CUDA, or one that is only half imported.
        return False


def _own_maps() -> Iterable[str]:
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
            return file.readlines()
    except OSError:
        return []


def _libraries(maps: Iterable[str]) -> Set[str]:
    """The paths of the driver's library among what is mapped."""
    paths = (line.split(None, 5)[5].rstrip("\n") for line in maps if len(line.split(None, 5)) == 6)
    return {path for path in paths if path.rsplit("/", 1)[-1].startswith("libcuda.so")}


def _device_count(path: str) -> int:
    """Asks the library that is loaded already; it is only found by its path here, not loaded anew."""
    try:
        return int(ctypes.CDLL(path).cuDeviceGetCount(ctypes.byref(ctypes.c_int())))
    except (OSError, AttributeError):
        # It was replaced on the disk, or is none of NVIDIA's: nobody knows, so it counts as used.
        return 0
