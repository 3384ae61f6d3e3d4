"""Archives of outputs, and those that nobody should unpack."""

import io
import os
import shutil
import stat
import tarfile
from typing import Any, List, Union

from tests.support import FakeServer, FolderTest, stream, view

import berth

LINK, HARD, DEVICE, FIFO, FOLDER = tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE


class Archive:
    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        self._tar = tarfile.open(fileobj=self._bytes, mode="w", format=tarfile.PAX_FORMAT)

    def add(
        self, name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, target: str = "", **pax: str
    ) -> "Archive":
        member = tarfile.TarInfo(name)
        member.size, member.type, member.linkname, member.mode = len(content), kind, target, 0o4755
        member.pax_headers = {key.replace("_", "."): value for key, value in pax.items()}
        self._tar.addfile(member, io.BytesIO(content))
        return self

    def bytes(self) -> bytes:
        self._tar.close()
        return self._bytes.getvalue()


class OutputsTest(FolderTest):
    def fetch(self, archive: Union[bytes, Archive], whole: bool = True, **options: Any) -> berth.Unpacked:
        content = archive if isinstance(archive, bytes) else archive.bytes()
        with FakeServer(stream(content, whole=whole)) as fake:
            return berth.Job(berth.Server(socket=fake.path), view()).outputs(self.at("out"), **options)

    def refused(self, archive: Union[bytes, Archive], whole: bool = True) -> str:
        with self.assertRaises(berth.BerthError) as caught:
            self.fetch(archive, whole)
        return caught.exception.code

    def names(self) -> List[str]:
        found = []
        for folder, folders, files in os.walk(self.folder):
            found += [os.path.relpath(os.path.join(folder, name), self.folder) for name in folders + files]
        return sorted(found)

    def test_files_and_links_within(self) -> None:
        archive = (
            Archive().add("./").add("./a/", kind=FOLDER).add("./a/b", b"content").add("./a/c", kind=LINK, target="b")
        )
        self.assertEqual(["a/b", "a/c"], self.fetch(archive.add("d", kind=LINK, target="a/../a/b")))
        with open(self.at("out", "a", "c"), "rb") as file:
            self.assertEqual(b"content", file.read())

    def test_set_user_id_is_dropped(self) -> None:
        self.fetch(Archive().add("a", b"x"))
        self.assertFalse(os.stat(self.at("out", "a")).st_mode & stat.S_ISUID)

    def test_names_that_lead_out_are_refused(self) -> None:
        for name in ("../x", "a/../../x", "/x", "a/..", ".."):
            with self.subTest(name):
                self.assertEqual("UNSAFE_OUTPUT", self.refused(Archive().add(name, b"x")))
        self.assertEqual(["out"], self.names())

    def test_links_that_lead_out_are_left_out(self) -> None:
        archive = Archive().add("inner", kind=LINK, target=".")
        for number, target in enumerate(("/etc/passwd", "..", "../x", "inner/..", "inner/../../x", "./../x", "")):
            archive.add("link%d" % number, kind=LINK, target=target)
        unpacked = self.fetch(archive.add("a/up", kind=LINK, target="../inner").add("a/out", kind=LINK, target="../.."))
        self.assertEqual(["inner", "a/up"], unpacked)
        self.assertEqual(8, len(unpacked.left_out))

    def test_nothing_is_written_through_a_link_of_the_archive(self) -> None:
        archive = Archive().add("real/", kind=FOLDER).add("link", kind=LINK, target="real").add("link/x", b"x")
        with self.assertRaises(FileExistsError):
            self.fetch(archive)
        self.assertNotIn("out/real/x", self.names())

    def test_nothing_is_written_through_a_link_that_is_there(self) -> None:
        os.mkdir(self.at("elsewhere"))
        os.mkdir(self.at("out"))
        os.symlink(self.at("elsewhere"), self.at("out", "a"))
        os.symlink(self.at("elsewhere", "file"), self.at("out", "b"))
        for name in ("a/x", "b"):
            with self.subTest(name), self.assertRaises(FileExistsError):
                self.fetch(Archive().add(name, b"x"))
        self.fetch(Archive().add("b", b"x"), replace=True)
        self.assertEqual([], os.listdir(self.at("elsewhere")))

    def test_devices_pipes_and_hard_links_are_left_out(self) -> None:
        archive = Archive().add("null", kind=DEVICE).add("pipe", kind=FIFO).add("hard", kind=HARD, target="/etc/passwd")
        unpacked = self.fetch(archive.add("a", b"x"))
        self.assertEqual((["a"], 3), (unpacked, len(unpacked.left_out)))
        self.assertEqual(["out", "out/a"], self.names())

    def test_what_the_owner_may_not_read_is_named(self) -> None:
        unpacked = self.fetch(Archive().add("a", b"x").add("BERTH-LEFT-OUT.txt", b"..", BERTH_leftout="secret"))
        self.assertEqual((["a"], ["secret"]), (unpacked, unpacked.left_out))

    def test_files_that_are_there_are_replaced_only_where_that_is_wanted(self) -> None:
        self.fetch(Archive().add("a", b"one"))
        with self.assertRaises(FileExistsError):
            self.fetch(Archive().add("a", b"two"))
        self.fetch(Archive().add("a", b"three"), replace=True)
        with open(self.at("out", "a"), "rb") as file:
            self.assertEqual(b"three", file.read())

    def test_an_archive_that_breaks_off_is_no_whole_one(self) -> None:
        whole = Archive().add("a", b"x" * 5000).add("b", b"y").bytes()
        for cut in (100, 600, 3000):
            with self.subTest(cut):
                self.assertIn(self.refused(whole[:cut]), ("CONNECTION_LOST", "BAD_ANSWER"))
                self.assertNotIn("out/b", self.names())
            shutil.rmtree(self.at("out"))
        self.assertEqual("CONNECTION_LOST", self.refused(whole, whole=False))

    def test_what_is_no_archive_is_told(self) -> None:
        self.assertIn(self.refused(b"hello" * 1000), ("CONNECTION_LOST", "BAD_ANSWER"))
