"""Files that are kept with a job."""

import errno
import os
import shutil
import time
from typing import Any, Dict, Optional

from ._sink import sink
from ._track import Path, write_line
from ._values import shown


def save_artifact(path: Path, key: Optional[str] = None) -> Optional[str]:
    """Keeps a file or directory with the job: copied to ``$BERTH_OUTPUT_DIR`` unless it lies there already.

    Args:
        key: a short name to find it by

    Returns:
        its path below the output directory; None where it could not be kept, which is told, and outside of a job.
    """
    if sink.path is None and not os.environ.get("BERTH_OUTPUT_DIR"):
        return None
    try:
        kept = _kept(os.path.realpath(os.fspath(path)))
    except (OSError, shutil.Error, TypeError, ValueError) as failed:
        sink.warn("artifact " + str(path), "the artifact %s is not kept (%s)" % (shown(str(path)), failed))
        return None
    line: Dict[str, Any] = {"artifact": kept, "time": round(time.time(), 6)}
    write_line(line if key is None else dict(line, key=str(key)))
    return kept


def _kept(source: str) -> str:
    """Where an artifact lies below the output directory, once it does; where it lies, where there is none."""
    os.stat(source)
    output = os.environ.get("BERTH_OUTPUT_DIR")
    if not output:
        return source
    root = os.path.realpath(output)
    if source.startswith(root + os.sep):
        return os.path.relpath(source, root)
    if (root + os.sep).startswith(source.rstrip(os.sep) + os.sep):
        raise OSError(errno.EINVAL, "it holds the output directory")
    name = os.path.basename(source)
    target = os.path.join(root, name)
    if os.path.isdir(source):
        copy_tree(source, target)
    else:
        # Who looks meanwhile sees the one before, or the whole of this one.
        begun = "%s.%d.part" % (target, os.getpid())
        shutil.copy2(source, begun)
        os.replace(begun, target)
    return name


def copy_tree(source: str, target: str) -> None:
    """Copies a directory into another; links stay links, and files that are there are replaced."""
    os.makedirs(target, exist_ok=True)
    for folder, _, files in os.walk(source):
        inner = os.path.normpath(os.path.join(target, os.path.relpath(folder, source)))
        os.makedirs(inner, exist_ok=True)
        for file in files:
            place = os.path.join(inner, file)
            if os.path.islink(place):
                os.unlink(place)
            shutil.copy2(os.path.join(folder, file), place, follow_symlinks=False)
