"""The examples of docs/python.md, run as they stand there, section by section."""

import contextlib
import doctest
import os
import re
import shutil
import unittest
from typing import Any, Dict, List, Tuple

from tests.support import PYTHON, ROOT

_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

# What asks the server for what jobs have told.
TRACKING = ("What jobs found out",)


def page() -> str:
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        return file.read()


def sections() -> List[Tuple[str, str]]:
    """The headings of the page with what stands below each."""
    parts = re.split(r"^## (.*)$", page(), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


def write_project(folder: str) -> None:
    """Makes ``my-project`` with the program of the page, and the package in it, as a job needs it."""
    program = re.search(r"lies this `train.py`:\n\n((?:    .*\n|\n)+)", page())
    assert program is not None
    project = os.path.join(folder, "my-project")
    shutil.copytree(os.path.join(PYTHON, "src", "berth"), os.path.join(project, "berth"))
    with open(os.path.join(project, "train.py"), "w", encoding="utf-8") as file:
        file.write(re.sub(r"^    ", "", program.group(1), flags=re.MULTILINE))


def run(test: unittest.TestCase, folder: str, names: Tuple[str, ...]) -> int:
    """Runs the examples of these sections in one namespace, one behind the other; how many there are."""
    names_there: Dict[str, Any] = {}
    runner = doctest.DocTestRunner(optionflags=_FLAGS)
    with contextlib.ExitStack() as at_end:
        at_end.callback(os.chdir, os.getcwd())
        os.chdir(folder)
        for heading, text in sections():
            if heading in names:
                examples = doctest.DocTestParser().get_doctest(text, names_there, heading, "docs/python.md", 0)
                said: List[str] = []
                runner.run(examples, out=said.append, clear_globs=False)
                names_there.update(examples.globs)
                test.assertFalse(said, "".join(said))
    return runner.tries
