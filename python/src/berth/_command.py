"""Looks at a command before anything is sent: a script that is not in the directory would fail hours later.

What the ``berth`` command refuses beyond that (programs without a run bit, scripts of interpreters) it refuses alone.
"""

import difflib
import posixpath
from typing import List, Optional, Sequence, Set

from ._errors import BerthError
from ._snapshot.scan import Scan


def require_script(command: Sequence[str], scan: Scan, working_directory: Optional[str]) -> None:
    """Refuses a first word that ends in ``.py`` and names no file of the directory, where the job starts in that.

    Raises:
        BerthError: ``BAD_OPTION`` with the nearest name, or how it is left out.
    """
    word = command[0] if command else ""
    if not word.endswith(".py") or "{" in word or working_directory not in (None, "/workspace"):
        return
    path = posixpath.normpath(posixpath.relpath(word, "/workspace") if word.startswith("/") else word)
    names = {entry.name for entry in scan.entries}
    parts = path.split("/")
    above = {"/".join(parts[:end]) for end in range(1, len(parts))}
    links = {entry.name for entry in scan.entries if entry.target is not None}
    # What lies behind a link is not looked for.
    if path in names or above & links:
        return
    raise BerthError("BAD_OPTION", "command: %r is not a file in the directory%s" % (word, _way_out(path, scan, names)))


def _way_out(path: str, scan: Scan, names: Set[str]) -> str:
    if any(path == skipped or path.startswith(skipped + "/") for skipped in scan.skipped):
        return " as it is sent: a line of a .berthignore, or Berth's own list, leaves it out"
    near: List[str] = difflib.get_close_matches(path, names, 1)
    return "; did you mean %s?" % near[0] if near else "; name a script that is there"
