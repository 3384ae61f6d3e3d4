"""The file that a program's lines go to."""

import errno
import os
import stat
import sys
import threading
from typing import Optional, Set


class Sink:
    """The file that lines go to. Safe for any thread, and good for use after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._chosen: Optional[str] = None
        self._opened: Optional[str] = None
        self._file = -1
        self._is_cut = False
        self._told: Set[str] = set()

    def renew(self) -> None:
        """Makes it good for use in a process that was forked while another thread was writing."""
        self._lock = threading.Lock()

    @property
    def path(self) -> Optional[str]:
        """Where the lines go; None for nowhere."""
        return self._chosen or os.environ.get("BERTH_TRACK") or None

    def choose(self, path: Optional[str]) -> None:
        """Sends them there; None for where ``$BERTH_TRACK`` says."""
        self._chosen = path

    def write(self, line: bytes) -> None:
        """Appends a line with its end; nothing where they go nowhere. It never raises."""
        path = self.path
        if path is None:
            return
        try:
            if path != self._opened:
                self._open(path)
            # What was cut off by a full disk ends here, and spoils no other line.
            whole = b"\n" + line if self._is_cut else line
            self._is_cut = os.write(self._file, whole) < len(whole)
            if self._is_cut:
                self.warn("cut", "a line was cut off while it was written to %s; is the disk full?" % path)
        except (OSError, ValueError) as failed:
            why = failed.strerror if isinstance(failed, OSError) else failed
            self.warn("write", "%s cannot be written (%s); what is logged is lost meanwhile" % (ascii(path), why))

    def _open(self, path: str) -> None:
        with self._lock:
            if path == self._opened:
                return
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
            opened = os.open(path, flags, 0o666)
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                os.close(opened)
                raise OSError(errno.EINVAL, "it is no regular file")
            # The one before may be in use by another thread just now; a program has few of them.
            self._file, self._opened, self._is_cut = opened, path, False

    def warn(self, kind: str, sentence: str) -> None:
        """Says it on standard error, each kind once."""
        if kind in self._told:
            return
        self._told.add(kind)
        try:
            sys.stderr.write("berth: %s\n" % sentence)
        except (OSError, ValueError, AttributeError):
            # There is no standard error any more.
            pass


sink = Sink()
os.register_at_fork(after_in_child=sink.renew)
