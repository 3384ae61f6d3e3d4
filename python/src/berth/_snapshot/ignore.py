"""What is left out of a snapshot: the lines of .berthignore files, and Berth's own list behind them."""

import os
import stat
from typing import List, NamedTuple, Optional

from .._errors import BerthError
from .glob import Glob

FILE = ".berthignore"

_ENVIRONMENT = "pyvenv.cfg"
_MAX_BYTES = 1 << 20

_OWN_LIST = """\
__pycache__/
*.pyc
node_modules/
.ipynb_checkpoints/
.berth/
.mypy_cache/
.pytest_cache/
.ruff_cache/
.tox/
.nox/
.DS_Store
"""


class _Pattern(NamedTuple):
    glob: Glob
    brings: bool
    directories_only: bool
    is_path: bool

    def matches(self, path: bytes, name: bytes, is_directory: bool) -> bool:
        return (is_directory or not self.directories_only) and self.glob.matches(path if self.is_path else name)


class IgnoreRules:
    """The rules in one directory: the nearest file that speaks of an entry counts, and its last line that does."""

    def __init__(self, above: "Optional[IgnoreRules]", base: str, patterns: List[_Pattern]) -> None:
        self._above = above
        self._base = len(os.fsencode(base))
        self._patterns = patterns

    @staticmethod
    def own() -> "IgnoreRules":
        """Berth's own list, and nothing of the directory yet."""
        return IgnoreRules(None, "", _patterns(_OWN_LIST))

    def within(self, directory: str, prefix: str) -> "IgnoreRules":
        """The rules in a directory, with those of its own file if it has one.

        Args:
            prefix: its path below the submitted directory with a slash at its end; empty for that itself
        """
        file = os.path.join(directory, FILE)
        try:
            found = os.lstat(file)
        except OSError:
            return self
        if not stat.S_ISREG(found.st_mode):
            return self
        if found.st_size > _MAX_BYTES:
            raise BerthError("BAD_DIRECTORY", "%s has more than 1 MiB; make it shorter" % file)
        return IgnoreRules(self, prefix, _patterns(_text(file)))

    def leaves_out(self, entry: str, name: str, is_directory: bool) -> bool:
        """Whether an entry is left out, and all below it.

        Args:
            entry: where it lies
            name: its path below the submitted directory
        """
        path = os.fsencode(name)
        last = path[path.rfind(b"/") + 1 :]
        if last == b".git":
            return True
        rules: Optional[IgnoreRules] = self
        while rules is not None:
            said = rules._last(path[rules._base :], last, is_directory)
            if said is not None:
                return not said.brings
            rules = rules._above
        return is_directory and _is_file(os.path.join(entry, _ENVIRONMENT))

    def _last(self, path: bytes, name: bytes, is_directory: bool) -> Optional[_Pattern]:
        for pattern in reversed(self._patterns):
            if pattern.matches(path, name, is_directory):
                return pattern
        return None


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _text(file: str) -> str:
    try:
        with open(file, encoding="utf-8-sig", newline="") as opened:
            return opened.read()
    except UnicodeDecodeError:
        raise BerthError("BAD_DIRECTORY", "%s is not UTF-8; write it in UTF-8" % file) from None


def _patterns(text: str) -> List[_Pattern]:
    found = (_pattern(line[:-1] if line.endswith("\r") else line) for line in text.split("\n"))
    return [pattern for pattern in found if pattern is not None]


def _pattern(line: str) -> Optional[_Pattern]:
    """The pattern of a line without its end; None for an empty one and a comment."""
    text = "" if line.startswith("#") else _without_trailing_blanks(line)
    brings = text.startswith("!")
    text = text[1:] if brings else text
    directories_only = text.endswith("/")
    text = text[:-1] if directories_only else text
    if not text:
        return None
    is_path = "/" in text
    text = text[1:] if text.startswith("/") else text
    return _Pattern(Glob(text.encode("utf-8"), is_path), brings, directories_only, is_path)


def _without_trailing_blanks(line: str) -> str:
    """Blanks at the end do not count, but for one that a backslash keeps."""
    kept = line.rstrip(" ")
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return kept + " " if backslashes % 2 == 1 and len(kept) < len(line) else kept
