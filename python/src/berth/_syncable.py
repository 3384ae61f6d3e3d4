"""Atlas's directories that are kept with a job."""

import os
import tempfile
from typing import Optional

from ._artifact import copy_tree
from ._find import job
from ._sink import sink


class SyncableDirectory:
    """A directory whose files are kept with the job, under a key.

    Args:
        key: its name below the job's output directory
        directory: where it lies for the program
        source: the number of the job whose files ``download`` fetches; None for the job's own earlier attempts
    """

    def __init__(self, key: str, directory: str, source: Optional[str]) -> None:
        if not key or key in (".", "..") or "/" in key:
            raise ValueError("key: %r must be the name of a directory" % key)
        self._key = key
        self._source = source
        self.path = os.path.abspath(directory)
        os.makedirs(self.path, exist_ok=True)

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path

    def upload(self) -> None:
        """Keeps the files as they are now; nothing outside of a job, and where they lie in its output already."""
        kept = self._kept()
        if kept is not None and os.path.realpath(kept) != os.path.realpath(self.path):
            copy_tree(self.path, kept)

    def download(self) -> None:
        """Fetches the files that were kept.

        Raises:
            BerthError: the job has none, or the server cannot be asked; jobs in containers cannot ask it.
        """
        kept = self._kept()
        if self._source is not None:
            self._fetch(self._source)
        elif kept is not None and os.path.isdir(kept) and os.path.realpath(kept) != os.path.realpath(self.path):
            copy_tree(kept, self.path)

    def _fetch(self, source: str) -> None:
        """An archive names the key; the directory may be called otherwise."""
        with tempfile.TemporaryDirectory(dir=os.path.dirname(self.path)) as beside:
            job(source).outputs(beside, self._key)
            copy_tree(os.path.join(beside, self._key), self.path)

    def _kept(self) -> Optional[str]:
        output = os.environ.get("BERTH_OUTPUT_DIR")
        return None if not output else os.path.join(output, self._key)


def create_syncable_directory(
    key: str, directory_path: Optional[str] = None, source_job_id: Optional[str] = None
) -> SyncableDirectory:
    """Makes a directory whose files can be kept with the job.

    Args:
        key: its name among the job's outputs
        directory_path: where it lies; None for the place where they are kept, so that nothing has to be copied
        source_job_id: the job whose files are fetched, which are there when this returns
    """
    place = directory_path or os.path.join(os.environ.get("BERTH_OUTPUT_DIR") or ".", key)
    directory = SyncableDirectory(key, place, source_job_id)
    if source_job_id is not None:
        directory.download()
    return directory


def set_tensorboard_logdir(path: str) -> None:
    """Says where the program writes its TensorBoard files, before it does: they are kept.

    Their scalars are metrics of the job: Berth reads event files below its output directory while it runs. Outside
    of that the path becomes a link into it, unless files are there already; then that is told, and nothing changes.
    """
    output = os.environ.get("BERTH_OUTPUT_DIR")
    if not output:
        return
    place, root = os.path.abspath(path), os.path.realpath(output)
    if (os.path.realpath(place) + os.sep).startswith(root + os.sep):
        return
    kept = os.path.join(root, os.path.basename(place))
    try:
        os.makedirs(kept, exist_ok=True)
        if os.path.isdir(place) and not os.path.islink(place):
            os.rmdir(place)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(kept, place)
    except OSError as failed:
        sink.warn("tensorboard", "what is written to %s is not kept with the job (%s)" % (path, failed.strerror))
