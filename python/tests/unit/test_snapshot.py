"""Directories: what is left out, what cannot be sent, and the manifest."""

import hashlib
import json
import os
import random
import socket
import subprocess
from typing import Any, Dict, List
from unittest import mock

from tests.support import FakeServer, FolderTest, answer, refusal, view

import berth
from berth._snapshot import git, upload
from berth._snapshot.glob import Glob
from berth._snapshot.ignore import IgnoreRules, _patterns
from berth._snapshot.scan import Limits, Scan

PIECES = [
    "a",
    "b",
    "*",
    "**",
    "?",
    "/",
    "[ab]",
    "[!a]",
    "[a-",
    "\\*",
    "\\",
    "**/",
    "/**",
    "[[:alpha:]]",
    "[]]",
    " ",
    "é",
    "!",
]
NAMES = ["a", "b", "ab", "a*", "*", "[", "]", "é", "a b", "-", "!a", "#", "a]", "aab", "ba"]


class IgnoreTest(FolderTest):
    def test_it_decides_as_git_does(self) -> None:
        """Random lines against random paths; git is the judge."""
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        seed = int(os.environ.get("BERTH_TEST_SEED", "16"))
        for round_number in range(60):
            chance = random.Random(seed * 1000 + round_number)
            lines = ["".join(chance.choices(PIECES, k=chance.randint(1, 5))) for _ in range(4)]
            paths = ["/".join(chance.choices(NAMES, k=chance.randint(1, 3))) for _ in range(30)]
            self.assert_as_git(lines, paths)

    def assert_as_git(self, lines: List[str], paths: List[str]) -> None:
        self.write(".git/info/exclude", "\n".join(lines) + "\n")
        asked = subprocess.run(
            ["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", "--stdin", "-z"],
            cwd=self.folder,
            input="\0".join(paths).encode(),
            stdout=subprocess.PIPE,
        )
        ignored = set(asked.stdout.decode().split("\0"))
        rules = IgnoreRules(None, "", _patterns("\n".join(lines)))
        for path in paths:
            # As a file; git says the same of one below a directory that is left out.
            above = [path[:at] for at, c in enumerate(path) if c == "/"]
            own = any(rules.leaves_out("", each, True) for each in above) or rules.leaves_out("", path, False)
            self.assertEqual(path in ignored, own, (lines, path))

    def test_a_pattern_of_stars_takes_no_long_time(self) -> None:
        self.assertFalse(Glob(b"*a" * 200 + b"b", False).matches(b"a" * 2000))

    def names(self, **limits: int) -> List[str]:
        return [entry.name for entry in Scan(self.folder, Limits(**limits)).entries]

    def test_own_list_and_what_brings_back(self) -> None:
        for name in (
            "a.pyc",
            "__pycache__/x",
            "venv/pyvenv.cfg",
            ".git/x",
            "sub/.git",
            "sub/b.pyc",
            "keep.log",
            "x.log",
        ):
            self.write(name)
        self.write(".berthignore", "*.log\r\n!keep.log\n")
        self.write("sub/.berthignore", "!*.pyc\n# comment\n\n")
        self.assertEqual([".berthignore", "keep.log", "sub", "sub/.berthignore", "sub/b.pyc"], self.names())

    def test_a_file_of_rules_that_cannot_be_read_is_told(self) -> None:
        self.write(".berthignore", b"\xff")
        with self.assertRaises(berth.BerthError) as caught:
            self.names()
        self.assertIn("UTF-8", str(caught.exception))


class ScanTest(FolderTest):
    def refused(self, **limits: int) -> str:
        with self.assertRaises(berth.BerthError) as caught:
            Scan(self.folder, Limits(**limits))
        self.assertEqual("BAD_DIRECTORY", caught.exception.code)
        return str(caught.exception)

    def test_links_that_lead_out(self) -> None:
        os.mkdir(self.at("sub"))
        os.symlink("sub", self.at("inner"))
        for target in ("/etc", "..", "sub/../../x", "inner/../..", self.folder):
            with self.subTest(target):
                os.symlink(target, self.at("link"))
                self.assertIn("symbolic link", self.refused())
                os.unlink(self.at("link"))
        for number, target in enumerate(("sub", "inner/..", "nowhere", "loop5", "./sub/..//sub")):
            os.symlink(target, self.at("loop%d" % (number + 1)))
        self.assertEqual(7, len(Scan(self.folder, Limits()).entries))

    def test_what_is_no_file(self) -> None:
        os.mkfifo(self.at("pipe"))
        self.assertIn("pipe is a socket, a pipe or a device", self.refused())
        os.unlink(self.at("pipe"))
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.at("sock"))
            self.assertIn("sock is a socket, a pipe or a device", self.refused())

    def test_names_that_are_no_utf_8(self) -> None:
        with open(os.fsencode(self.folder) + b"/a\xff", "wb"):
            self.assertIn("is not UTF-8", self.refused())

    def test_limits(self) -> None:
        for name in ("a/1", "a/2", "b"):
            self.write(name, "x" * 2000)
        self.assertIn("most of them are in a, .", self.refused(entries=3))
        self.assertIn(
            "has 5.8 KiB, but at most 1 KiB can be submitted; the biggest files are", self.refused(bytes=1024)
        )

    def test_a_directory_that_is_none(self) -> None:
        self.write("file")
        with self.assertRaises(berth.BerthError):
            Scan(self.at("gone"), Limits())
        with self.assertRaises(berth.BerthError):
            Scan(self.at("file"), Limits())


class UploadTest(FolderTest):
    def server(self, fake: FakeServer) -> berth.Server:
        return berth.Server(socket=fake.path)

    def snapshot(self, name: str, *missing: str) -> bytes:
        return answer({"snapshot": name, "files": 1, "bytes": 1, "missing": list(missing)})

    def test_only_what_is_lacking_is_sent(self) -> None:
        self.write("a", "one")
        self.write("b\n", "two")
        os.chmod(self.at("a"), 0o754)
        digest = hashlib.sha256(b"two").hexdigest()
        with FakeServer(self.snapshot("s" * 64, digest), self.snapshot("s" * 64)) as fake:
            self.assertEqual("s" * 64, upload.upload(self.server(fake), Scan(self.folder, Limits())))
            manifest, contents = fake.requests
        entries = json.loads(manifest.body)["entries"]
        self.assertEqual([("a", "754", 3), ("b\n", "644", 3)], [(e["path"], e["mode"], e["size"]) for e in entries])
        self.assertEqual(digest.encode() + b" 3\ntwo", contents.body)

    def test_the_same_directory_has_the_same_manifest(self) -> None:
        self.write("a", "one")
        first = upload.Snapshot(Scan(self.folder, Limits()), None).manifest()
        os.utime(self.at("a"), (1, 1))
        self.assertEqual(first, upload.Snapshot(Scan(self.folder, Limits()), None).manifest())

    def test_a_file_that_changes_meanwhile_is_told(self) -> None:
        self.write("a", "one")
        scan = Scan(self.folder, Limits())
        for content in ("other", "on"):
            self.write("a", content)
            with self.assertRaises(berth.BerthError) as caught:
                upload.Snapshot(scan, None)
            self.assertIn("changed while it was being read", str(caught.exception))

    def test_a_server_that_asks_for_what_is_not_there(self) -> None:
        self.write("a", "one")
        with FakeServer(self.snapshot("s" * 64, "0" * 64)) as fake, self.assertRaises(berth.BerthError) as caught:
            upload.upload(self.server(fake), Scan(self.folder, Limits()))
        self.assertEqual("BAD_ANSWER", caught.exception.code)

    def test_a_server_that_never_has_enough(self) -> None:
        self.write("a", "one")
        digest = hashlib.sha256(b"one").hexdigest()
        with FakeServer(*[self.snapshot("s" * 64, digest)] * 40) as fake, self.assertRaises(berth.BerthError):
            upload.upload(self.server(fake), Scan(self.folder, Limits()))

    def test_git_is_asked_and_runs_nothing_of_the_tree(self) -> None:
        run = lambda *words: subprocess.run(["git", "-C", self.folder, *words], check=True, stdout=subprocess.PIPE)
        run("init", "-q", "-b", "main")
        self.write("a", "one\n")
        run("add", ".")
        run("-c", "user.email=a@b", "-c", "user.name=n", "commit", "-qm", "x")
        clean = git.capture(self.folder)
        assert clean is not None
        self.assertEqual(("main", b"", None), (clean.branch, clean.diff, clean.digest))
        self.write("a", "two\n")
        self.write(".gitattributes", "a filter=evil\n")
        for setting in ("filter.evil.clean", "core.fsmonitor", "diff.external", "core.pager"):
            run("config", setting, "touch %s; cat" % self.at("ran"))
        dirty = git.capture(self.folder)
        assert dirty is not None
        self.assertIn(b"+two", dirty.diff)
        self.assertFalse(os.path.exists(self.at("ran")))

    def test_without_git_there_is_no_word_of_it(self) -> None:
        os.mkdir(self.at(".git"))
        with mock.patch.object(git, "_HARDENED", ["/nonexistent/git"]):
            self.assertIsNone(git.capture(self.folder))


class SubmitTest(FolderTest):
    def submitted(self, *words: Any, **options: Any) -> Dict[str, Any]:
        replies = [answer({"snapshot": "s" * 64, "files": 0, "bytes": 0, "missing": []})] if words[0] else []
        with FakeServer(*replies, answer(view("QUEUED"), 201)) as fake:
            berth.submit(*words, server=berth.Server(socket=fake.path), **options)
            return dict(fake.requests[-1].json())

    def test_options_go_by_their_names_in_the_api(self) -> None:
        request = self.submitted(
            os.path.dirname(self.write("main.py")),
            "main.py --lr '0.1 x'",
            num_gpus=2,
            gpu_memory_bytes=5,
            tags=("a",),
            environment={"A": "1"},
            requeue=True,
            sweep=["lr=1,2"],
            target="cluster",
        )
        expected = {"command": ["main.py", "--lr", "0.1 x"], "gpus": 2, "gpuMemoryBytes": 5, "tags": ["a"]}
        expected.update(environment={"A": "1"}, requeue=True, sweep=["lr=1,2"], target="cluster")
        self.assertEqual(dict(expected, snapshot="s" * 64, project=os.path.basename(self.folder)), request)

    def test_nothing_is_said_that_was_not_given(self) -> None:
        self.assertEqual({"command": ["true"]}, self.submitted(None, ["true"]))
        self.assertEqual({"command": ["true"], "gpuMilli": 500}, self.submitted(None, "true", 0.5))

    def test_a_script_that_is_not_sent_is_told_before_anything_is(self) -> None:
        self.write("train.py")
        self.write("old/train.py")
        os.symlink("old", self.at("link"))
        self.write(".berthignore", "old/train.py\n")
        for word, rule in (
            ("trian.py", "did you mean train.py?"),
            ("old/train.py", "leaves it out"),
            ("../x.py", "name a script"),
            ("/etc/x.py", "name a script"),
        ):
            with self.subTest(word), self.assertRaises(berth.BerthError) as caught:
                berth.submit(self.folder, word, server=berth.Server(socket="/nonexistent"))
            self.assertEqual("BAD_OPTION", caught.exception.code)
            self.assertIn(rule, str(caught.exception))
        for word in ("train.py", "./train.py", "/workspace/train.py", "link/x.py", "{script}.py"):
            self.assertEqual([word], self.submitted(self.folder, word)["command"])
        self.assertTrue(self.submitted(self.folder, "none.py", entrypoint="python2"))

    def test_options_that_cannot_be_are_told(self) -> None:
        for options in ({"num_gpus": 1.5}, {"tags": "word"}, {"dependencies": "afterok:1"}):
            with self.subTest(options), self.assertRaises(berth.BerthError) as caught:
                berth.submit(None, "true", server=berth.Server(socket="/nonexistent"), **options)  # type: ignore
            self.assertEqual("BAD_OPTION", caught.exception.code)
        with self.assertRaises(berth.BerthError):
            berth.submit(None, "open 'quote", server=berth.Server(socket="/nonexistent"))

    def test_a_submit_whose_answer_is_lost_is_sent_again_under_the_same_key(self) -> None:
        with FakeServer(b"", answer(view("QUEUED"), 201), close=True) as fake, mock.patch("time.sleep"):
            with self.assertLogs("berth"):
                self.assertEqual(7, berth.submit(None, "true", server=berth.Server(socket=fake.path)).id)
            keys = {request.headers["idempotency-key"] for request in fake.requests}
            self.assertEqual((2, 1), (len(fake.requests), len(keys)))

    def test_a_refusal_is_not_repeated(self) -> None:
        with FakeServer(refusal(422, "NEVER_FITS")) as fake, self.assertRaises(berth.BerthError):
            berth.submit(None, "true", server=berth.Server(socket=fake.path))
        self.assertEqual(1, len(fake.requests))
