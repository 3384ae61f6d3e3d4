"""Asks git what a directory is: which commit, which branch, what differs. It never fails a submit.

The work tree may be another user's: git is bounded in time and output, on nobody's terminal, and runs nothing that the
tree's configuration names.
"""

import hashlib
import logging
import os
import subprocess
import threading
import unicodedata
from typing import Dict, List, NamedTuple, Optional

_MAX_TEXT_BYTES = 1 << 16
_MAX_DIFF_BYTES = 1 << 20
_MAX_BRANCH = 255
_PATIENCE_SECONDS = 10
# No monitors, no hooks, no pager.
_HARDENED = "git --no-pager -c core.fsmonitor=false -c core.untrackedCache=false -c core.hooksPath=/dev/null".split()
_DIFF = "diff --no-ext-diff --no-textconv --no-color --ignore-submodules=dirty HEAD -- .".split()
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))

_log = logging.getLogger("berth")


class GitCapture(NamedTuple):
    """The state of a work tree.

    Attributes:
        commit: the commit that is checked out
        branch: None where none is
        diff: the difference of tracked files below the directory from the commit; empty for none
    """

    commit: str
    branch: Optional[str]
    diff: bytes

    @property
    def digest(self) -> Optional[str]:
        return hashlib.sha256(self.diff).hexdigest() if self.diff else None


class _NoAnswer(Exception):
    pass


def capture(directory: str) -> Optional[GitCapture]:
    """What git says; None outside of work trees, and where it says nothing."""
    here = directory
    while not os.path.exists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above
    try:
        return _Git(directory).capture()
    except (_NoAnswer, OSError) as failed:
        _log.debug("git's state is not recorded: %s", failed)
        return None


class _Git:
    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._settings: Dict[str, str] = {}

    def capture(self) -> GitCapture:
        commit = self._text("rev-parse", "--verify", "--quiet", "HEAD")
        if len(commit) not in (40, 64) or not set(commit) <= set("0123456789abcdef"):
            raise _NoAnswer("git names no commit but %r" % commit)
        self._leave_filters_out()
        return GitCapture(commit, self._branch(), self._diff())

    def _branch(self) -> Optional[str]:
        try:
            name = self._text("symbolic-ref", "--quiet", "--short", "HEAD")
        except _NoAnswer:
            return None
        # The server takes no name that a terminal would not show as it is.
        is_shown = 0 < len(name) <= _MAX_BRANCH and not any(unicodedata.category(c) in _HIDDEN for c in name)
        return name if is_shown else None

    def _leave_filters_out(self) -> None:
        """The work tree's own configuration may name programs that rewrite files before they are compared."""
        try:
            said = self._text("config", "--show-scope", "--null", "--name-only", "--get-regexp", r"^filter\.")
        except _NoAnswer:
            return
        words = said.split("\0")
        for scope, name in zip(words[::2], words[1::2]):
            if scope in ("local", "worktree"):
                self._set(name, "false" if name.endswith(".required") else "")

    def _set(self, name: str, value: str) -> None:
        """Overrides the configuration from here on; through the environment, as a name may hold anything."""
        count = len(self._settings) // 2
        self._settings["GIT_CONFIG_KEY_%d" % count] = name
        self._settings["GIT_CONFIG_VALUE_%d" % count] = value

    def _diff(self) -> bytes:
        diff = self._bytes(_MAX_DIFF_BYTES, _DIFF)
        if len(diff) <= _MAX_DIFF_BYTES:
            return diff
        cut = "\nberth: the difference is cut here, at %d bytes\n" % _MAX_DIFF_BYTES
        return diff[:_MAX_DIFF_BYTES] + cut.encode()

    def _text(self, *question: str) -> str:
        answer = self._bytes(_MAX_TEXT_BYTES, list(question))
        if len(answer) > _MAX_TEXT_BYTES:
            raise _NoAnswer("git %s said more than %d bytes" % (question[0], _MAX_TEXT_BYTES))
        return answer.decode("utf-8", "replace").strip()

    def _bytes(self, limit: int, question: List[str]) -> bytes:
        """An answer; it has one byte more than the limit where there is more."""
        git = subprocess.Popen(
            _HARDENED + question,
            cwd=self._directory,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        watch = threading.Timer(_PATIENCE_SECONDS, git.kill)
        watch.daemon = True
        watch.start()
        try:
            with git:
                assert git.stdout is not None
                answer = git.stdout.read(limit + 1)
                if len(answer) > limit:
                    git.kill()
        finally:
            watch.cancel()
        if git.returncode != 0 and len(answer) <= limit:
            raise _NoAnswer("git %s ended with code %d" % (question[0], git.returncode))
        return answer

    def _environment(self) -> Dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment.update(GIT_OPTIONAL_LOCKS="0", GIT_NO_LAZY_FETCH="1", GIT_TERMINAL_PROMPT="0", LC_ALL="C.UTF-8")
        environment.update(self._settings)
        environment["GIT_CONFIG_COUNT"] = str(len(self._settings) // 2)
        return environment
