"""Reads what is in a directory, but for what is left out, and checks that it can be sent. It writes nothing."""

import os
import stat
from typing import Dict, List, NamedTuple, Optional, Union

from .._errors import BerthError
from .ignore import IgnoreRules

_PERMISSIONS = 0o777
_OWNER_RWX = 0o700
_NAMED = 5
# The number of links that Linux follows before it says ELOOP.
_MAX_LINKS = 40


class Stamp(NamedTuple):
    """What changes when a file does: two equal stamps, one before and one after it was read, and it was whole."""

    is_file: bool
    size: int
    modified_ns: int
    device: int
    inode: int

    @staticmethod
    def of(found: os.stat_result) -> "Stamp":
        return Stamp(stat.S_ISREG(found.st_mode), found.st_size, found.st_mtime_ns, found.st_dev, found.st_ino)


class Entry(NamedTuple):
    """A directory, a regular file or a link.

    Attributes:
        name: its path below the directory, with slashes
        mode: its permissions; 0 for a link
        path: where a regular file lies; None for others
        stamp: how a regular file was when the directory was read
        target: where a link leads; None for others
    """

    name: str
    mode: int
    path: Optional[str] = None
    stamp: Optional[Stamp] = None
    target: Optional[str] = None


class Limits(NamedTuple):
    """How much one directory may hold."""

    entries: int = 100_000
    bytes: int = 1 << 30


class Scan:
    """A directory as it is found.

    Attributes:
        root: the directory, without symbolic links in its path
        entries: sorted by the bytes of their names, each directory before what is in it
        skipped: what was left out, by its path below the directory

    Raises:
        BerthError: ``BAD_DIRECTORY`` naming what cannot be sent and what to do.
    """

    def __init__(self, directory: "Union[str, os.PathLike[str]]", limits: Limits) -> None:
        self.root = os.path.realpath(os.fspath(directory))
        self.entries: List[Entry] = []
        self.skipped: List[str] = []
        self._limits = limits
        try:
            self._directory(self.root, "", IgnoreRules.own())
        except OSError as unreadable:
            raise _bad("%s cannot be read (%s)" % (unreadable.filename or self.root, unreadable.strerror)) from None
        self._require_bytes()
        self.entries.sort(key=lambda entry: entry.name.encode("utf-8"))

    def _directory(self, directory: str, prefix: str, above: IgnoreRules) -> None:
        rules = above.within(directory, prefix)
        with os.scandir(directory) as children:
            for child in sorted(children, key=lambda child: os.fsencode(child.name)):
                self._entry(child.path, prefix + _named(child.name, child.path, "name"), rules)

    def _entry(self, path: str, name: str, rules: IgnoreRules) -> None:
        found = os.lstat(path)
        is_directory = stat.S_ISDIR(found.st_mode)
        if rules.leaves_out(path, name, is_directory):
            self.skipped.append(name)
            return
        if len(self.entries) == self._limits.entries:
            raise self._too_many()
        mode = found.st_mode & _PERMISSIONS
        if is_directory:
            self.entries.append(Entry(name, mode | _OWNER_RWX))
            self._directory(path, name + "/", rules)
        elif stat.S_ISREG(found.st_mode):
            self.entries.append(Entry(name, mode, path, Stamp.of(found)))
        elif stat.S_ISLNK(found.st_mode):
            self.entries.append(Entry(name, 0, target=self._target(path)))
        else:
            raise _bad(
                "%s is a socket, a pipe or a device, which cannot be sent to a job; take it out of the directory, or"
                " leave it out by a line in .berthignore" % path
            )

    def _target(self, path: str) -> str:
        target = os.readlink(path)
        if not stays_within(self.root, os.path.dirname(path), target):
            how = "is an absolute path" if target.startswith("/") else "leads out of the directory"
            raise _bad(
                "%s is a symbolic link to %s, which %s; a job sees the submitted directory only: link within it by a"
                " relative path, or take the link out" % (path, target, how)
            )
        return _named(target, path, "target")

    def _too_many(self) -> BerthError:
        counts: Dict[str, int] = {}
        for entry in self.entries:
            top = entry.name.split("/", 1)[0] if "/" in entry.name else "."
            counts[top] = counts.get(top, 0) + 1
        most = sorted(counts, key=lambda top: -counts[top])[:_NAMED]
        return _bad(
            "the directory %s holds more than %d files, which is the most that can be submitted; most of them are in"
            " %s; leave out what the job does not need by lines in .berthignore"
            % (self.root, self._limits.entries, ", ".join(most))
        )

    def _require_bytes(self) -> None:
        files = [(entry.stamp.size, entry.name) for entry in self.entries if entry.stamp is not None]
        total = sum(size for size, _ in files)
        if total > self._limits.bytes:
            biggest = ", ".join("%s (%s)" % (name, in_words(size)) for size, name in sorted(files)[: -_NAMED - 1 : -1])
            raise _bad(
                "the directory %s has %s, but at most %s can be submitted; the biggest files are %s; leave out what the"
                " job does not need by lines in .berthignore"
                % (self.root, in_words(total), in_words(self._limits.bytes), biggest)
            )


def _bad(message: str) -> BerthError:
    return BerthError("BAD_DIRECTORY", message)


def _named(text: str, path: str, what: str) -> str:
    """Python shows bytes that are no UTF-8 as half characters."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _bad(
            "the %s of %s is not UTF-8; rename it, or take it out of the directory"
            % (what, path.encode("utf-8", "replace").decode())
        ) from None
    return text


def stays_within(root: str, parent: str, target: str) -> bool:
    """Whether a link stays in a directory, followed step by step as the kernel does (path_resolution(7)).

    The text alone does not tell: ``a/..`` is not here where ``a`` is a link.

    Args:
        root: the directory, without symbolic links in its path
        parent: the directory at or below it that holds the link
        target: what the link says
    """
    here = parent
    rest, links = _steps(target), 1
    if target.startswith("/"):
        return False
    while rest:
        step = rest.pop(0)
        here_next = os.path.dirname(here) if step == ".." else os.path.join(here, step)
        if here_next != root and not here_next.startswith(root.rstrip("/") + "/"):
            return False
        try:
            inner = os.readlink(here_next)
        except OSError:
            here = here_next
            continue
        links += 1
        if links > _MAX_LINKS:
            # A loop leads nowhere, so it does not lead out.
            return True
        if inner.startswith("/"):
            return False
        rest = _steps(inner) + rest
    return True


def _steps(target: str) -> List[str]:
    return [step for step in target.split("/") if step not in ("", ".")]


def in_words(size: int) -> str:
    """Bytes for people: "17 B", "1.2 MiB"."""
    if size < 1024:
        return "%d B" % size
    amount, unit = float(size), -1
    while amount >= 1024:
        amount /= 1024
        unit += 1
    tenths = int(amount * 10) / 10
    return "%g %s" % (tenths, ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")[unit])
