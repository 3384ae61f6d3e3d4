"""Which server is meant."""

import os
from typing import Any, Dict
from unittest import mock

from tests.support import FolderTest

import berth
from berth._location import RemotePlace, SocketPlace, find


class LocationTest(FolderTest):
    def find(self, *words: Any, **variables: str) -> Any:
        return find(*words, environment=variables)

    def refused(self, *words: Any, **variables: str) -> str:
        with self.assertRaises(berth.BerthError) as caught:
            self.find(*words, **variables)
        self.assertEqual("BAD_PLACE", caught.exception.code)
        return str(caught.exception)

    def test_the_order_of_the_places(self) -> None:
        everything: Dict[str, str] = {"BERTH_SOCKET": "/s", "BERTH_DATA_DIR": "/d", "XDG_STATE_HOME": "/x"}
        self.assertEqual(SocketPlace("/s"), self.find(**everything))
        self.assertEqual(SocketPlace("/d/berth.sock"), self.find(BERTH_DATA_DIR="/d", BERTH_SOCKET=""))
        self.assertEqual(SocketPlace("/a"), self.find(None, "/a", **everything))
        self.assertEqual(SocketPlace("/var/lib/berth/berth.sock"), self.find(XDG_STATE_HOME=self.folder))

    def test_ones_own_server(self) -> None:
        path = self.write("berth/berth.sock")
        if os.geteuid() == 0:
            # Root's server is the system's.
            self.assertEqual(SocketPlace("/var/lib/berth/berth.sock"), self.find(XDG_STATE_HOME=self.folder))
            os.chown(path, 1000, -1)
        with mock.patch("os.geteuid", return_value=os.lstat(path).st_uid):
            self.assertEqual(SocketPlace(path), self.find(XDG_STATE_HOME=self.folder))

    def test_over_tcp(self) -> None:
        place = self.find(BERTH_URL="https://gpu.example.org", BERTH_TOKEN=" berth_x\n")
        self.assertEqual(("gpu.example.org", 443, True, "berth_x"), (place.host, place.port, place.tls, place.token))
        self.assertEqual("::1", self.find("http://[::1]:5555", None, "berth_x").host)
        self.assertNotIn("berth_x", repr(place) + str(place) + repr(berth.Server("https://h", token="berth_x")))

    def test_a_token_from_a_file(self) -> None:
        path = self.write("token", "berth_y\n")
        os.chmod(path, 0o644)
        with self.assertLogs("berth", "WARNING"):
            place = self.find("https://h", BERTH_TOKEN_FILE=path)
        self.assertEqual("berth_y", place.token)
        self.assertIn("both set", self.refused("https://h", BERTH_TOKEN_FILE=path, BERTH_TOKEN="berth_x"))
        self.assertIn("cannot be read", self.refused("https://h", BERTH_TOKEN_FILE=self.at("gone")))

    def test_what_no_server_can_be(self) -> None:
        for url in (
            "gpu:5555",
            "ftp://h",
            "http://",
            "http://h/path",
            "http://h?x",
            "http://h:x",
            "https://u:secret@h",
        ):
            with self.subTest(url):
                self.assertNotIn("secret", self.refused(url))
        self.assertIn("exclude", self.refused("http://h", "/s"))
        self.assertIn("both set", self.refused(BERTH_URL="http://h", BERTH_SOCKET="/s"))
        self.assertIn("107", self.refused(None, "/" + "x" * 107))

    def test_a_token_goes_over_no_open_network(self) -> None:
        self.assertIn("everybody to read", self.refused("http://gpu.example.org", None, "berth_x"))
        self.assertIn("everybody to read", self.refused("http://127.example.org", None, "berth_x"))
        self.assertIsInstance(self.find("http://127.0.0.1:1", None, "berth_x"), RemotePlace)
        self.assertIsInstance(self.find("http://h", None, "berth_x", BERTH_ALLOW_INSECURE="1"), RemotePlace)

    def test_a_token_brings_no_other_lines(self) -> None:
        for token in ("", "a b", "a\nX: y", "é", "x" * 5000):
            with self.subTest(token[:9]):
                self.assertIn("is no token", self.refused("https://h", None, token))
