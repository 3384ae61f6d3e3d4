"""A directory whose every file was read, and how it reaches the server: the manifest first, then what is lacking."""

import hashlib
import json
import os
from typing import Dict, Iterator, List, Optional

from .. import _json
from .._errors import BerthError, bad_answer
from .._http import Body, Server
from .git import GitCapture, capture
from .scan import Entry, Scan, Stamp

_BUFFER_BYTES = 1 << 18
# The server asks for ten thousand at a time, and may have to ask again for what it swept meanwhile.
_MAX_ROUNDS = 32


class Snapshot:
    """The manifest and the contents of a directory. The same directory gives the same manifest, byte for byte."""

    def __init__(self, scan: Scan, git: Optional[GitCapture]) -> None:
        self._scan = scan
        self._git = git
        self._digests: Dict[str, str] = {}
        self._contents: Dict[str, Entry] = {}
        for entry in scan.entries:
            if entry.stamp is not None:
                digest = hashlib.sha256()
                for piece in _checked(entry):
                    digest.update(piece)
                self._digests[entry.name] = digest.hexdigest()
                self._contents.setdefault(digest.hexdigest(), entry)

    def manifest(self) -> bytes:
        """The manifest as the server keeps it, whose SHA-256 is the snapshot's name."""
        head = '{"version":1'
        if self._git is not None:
            view = {"commit": self._git.commit, "branch": self._git.branch}
            state = {"dirty": bool(self._git.diff), "diff": self._git.digest}
            head += ',"git":' + _line(dict(view, **state))
        entries = ",\n".join(self._entry(entry) for entry in self._scan.entries)
        return (head + ',"entries":[' + ("\n" + entries if entries else "") + "\n]}\n").encode("utf-8")

    def _entry(self, entry: Entry) -> str:
        if entry.target is not None:
            return _line({"path": entry.name, "type": "link", "target": entry.target})
        mode = "%03o" % entry.mode
        if entry.stamp is None:
            return _line({"path": entry.name, "type": "directory", "mode": mode})
        file = {"path": entry.name, "type": "file", "mode": mode, "size": entry.stamp.size}
        return _line(dict(file, sha256=self._digests[entry.name]))

    def send(self, server: Server) -> str:
        """Sends what the server lacks, and answers the snapshot's name."""
        view = server.call("POST", "/snapshots", self.manifest())
        name = _json.text(view, "snapshot")
        missing = _json.texts(view, "missing")
        for _ in range(_MAX_ROUNDS):
            if not missing:
                return name
            missing = self._send_contents(server, name, missing)
        raise bad_answer("it still lacks %d contents after %d times" % (len(missing), _MAX_ROUNDS))

    def _send_contents(self, server: Server, name: str, missing: List[str]) -> List[str]:
        for digest in missing:
            if self._size(digest) is None:
                raise bad_answer("it asks for the content %s, which is not in the directory" % digest[:64])
        heads = {digest: ("%s %d\n" % (digest, self._size(digest) or 0)).encode() for digest in missing}
        size = sum(len(head) + (self._size(digest) or 0) for digest, head in heads.items())
        body = Body("application/octet-stream", size, lambda: self._pieces(heads))
        try:
            view = server.call("POST", "/contents?snapshot=" + name, body)
        except BerthError as refused:
            entry = self._contents.get(refused.details.get("digest", ""))
            if refused.code == "INVALID_CONTENT" and entry is not None:
                raise _changed(entry, "its content is not what it was") from None
            raise
        return _json.texts(view, "missing")

    def _size(self, digest: str) -> Optional[int]:
        entry = self._contents.get(digest)
        if entry is not None and entry.stamp is not None:
            return entry.stamp.size
        return len(self._git.diff) if self._git is not None and digest == self._git.digest else None

    def _pieces(self, heads: Dict[str, bytes]) -> Iterator[bytes]:
        for digest, head in heads.items():
            yield head
            entry = self._contents.get(digest)
            if entry is not None:
                yield from _checked(entry)
            elif self._git is not None:
                yield self._git.diff


def upload(server: Server, scan: Scan) -> str:
    """Brings a directory to the server, and answers the snapshot's name.

    Raises:
        BerthError: ``BAD_DIRECTORY`` where it changes meanwhile; the server's refusals.
    """
    return Snapshot(scan, capture(scan.root)).send(server)


def _line(entry: Dict[str, object]) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def _checked(entry: Entry) -> Iterator[bytes]:
    """All bytes of a file, which has to be as it was when the directory was read."""
    path, stamp = entry.path, entry.stamp
    assert path is not None and stamp is not None
    left = stamp.size
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except PermissionError:
        raise BerthError(
            "BAD_DIRECTORY",
            "%s cannot be read (permission denied); make it readable, or leave it out by a line in .berthignore" % path,
        ) from None
    except OSError as gone:
        raise _changed(entry, "it cannot be read: %s" % gone.strerror) from None
    try:
        if Stamp.of(os.fstat(opened)) != stamp:
            raise _changed(entry, "it was written to or replaced")
        while left > 0:
            piece = os.read(opened, min(left, _BUFFER_BYTES))
            if not piece:
                raise _changed(entry, "it has shrunk")
            left -= len(piece)
            yield piece
        if Stamp.of(os.fstat(opened)) != stamp:
            raise _changed(entry, "it was written to")
    except OSError as broken:
        raise _changed(entry, "it cannot be read: %s" % broken.strerror) from None
    finally:
        os.close(opened)


def _changed(entry: Entry, how: str) -> BerthError:
    return BerthError(
        "BAD_DIRECTORY",
        "%s changed while it was being read (%s); nothing was submitted, try again when it rests" % (entry.path, how),
    )
