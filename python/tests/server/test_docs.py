"""Each example of docs/python.md, but for those that the tests in ``tests/tracking`` run."""

import os

from tests import docs
from tests.support import FolderTest


class DocsTest(FolderTest):
    def test_the_examples_do_what_they_say(self) -> None:
        if not os.environ.get("BERTH_SOCKET"):
            self.fail("BERTH_SOCKET is not set; the examples need a server with four simulated GPUs")
        docs.write_project(self.folder)
        names = tuple(name for name, _ in docs.sections() if name not in docs.TRACKING)
        self.assertGreater(docs.run(self, self.folder, names), 25)
