"""The package as it is shipped: its version, its types, the oldest Python, the wheel."""

import ast
import glob
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from typing import List

from tests.support import PYTHON, ROOT, FolderTest

import berth
from berth import _submit


def sources() -> List[str]:
    found = [
        path
        for part in ("src", "backend", "tests")
        for path in glob.glob(PYTHON + "/%s/**/*.py" % part, recursive=True)
    ]
    assert len(found) > 40, found
    return found


def read(*steps: str) -> str:
    with open(os.path.join(ROOT, *steps), encoding="utf-8") as file:
        return file.read()


class PackageTest(FolderTest):
    def test_the_version_is_the_project_s(self) -> None:
        found = re.search(r"<artifactId>berth</artifactId>\s*<version>([^<]+)</version>", read("pom.xml"))
        assert found is not None
        self.assertEqual(found.group(1).replace("-SNAPSHOT", ".dev0"), berth.__version__)

    def test_all_files_are_python_3_8(self) -> None:
        for path in sources():
            with self.subTest(path), open(path, encoding="utf-8") as file:
                ast.parse(file.read(), path, feature_version=(3, 8))

    def test_types_and_names_are_those_of_python_3_8(self) -> None:
        mypy = subprocess.run(
            ["mypy", "--no-incremental"], cwd=PYTHON, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.assertEqual(0, mypy.returncode, mypy.stdout.decode())

    def test_lines_fit(self) -> None:
        for path in sources():
            with open(path, encoding="utf-8") as file:
                long = [number for number, line in enumerate(file, 1) if len(line.rstrip("\n")) > 120]
            self.assertEqual([], long, path)

    def test_the_options_of_a_submit_are_those_of_the_api(self) -> None:
        yaml = read("docs", "api", "openapi.yaml")
        schema = yaml[yaml.index("\n    SubmitRequest:") :].split("\n      properties:\n", 1)[1]
        fields = set(re.findall(r"^        (\w+):$", schema.split("\n    SubmitPlan:")[0], re.MULTILINE))
        options = set(berth.submit.__annotations__) - {"return", "directory", "server"}
        own = {"gpus" if name == "num_gpus" else _submit._field(name) for name in options}
        # gpuMilli is num_gpus below 1, snapshot the directory; parameters is for sweep files, the rest for leases.
        self.assertEqual(fields - {"gpuMilli", "snapshot", "parameters", "host", "directory", "noWait", "shell"}, own)

    def test_the_wheel_is_whole_and_always_the_same(self) -> None:
        contents = []
        for name in ("one", "two"):
            build = [sys.executable, os.path.join(PYTHON, "backend", "berth_build.py"), self.at(name)]
            wheel = subprocess.run(build, check=True, stdout=subprocess.PIPE).stdout.decode().strip()
            with open(self.at(name, wheel), "rb") as file:
                contents.append(hashlib.sha256(file.read()).hexdigest())
        self.assertEqual(1, len(set(contents)))
        self.assertEqual("berth_scheduler-%s-py3-none-any.whl" % berth.__version__, wheel)
        with zipfile.ZipFile(self.at("one", wheel)) as archive:
            self.assertIsNone(archive.testzip())
            names = set(archive.namelist())
            record = [name for name in names if name.endswith("/RECORD")][0]
            listed = {line.split(",")[0] for line in archive.read(record).decode().splitlines()}
        self.assertEqual(names, listed)
        self.assertIn("berth/py.typed", names)
        modules = {os.path.relpath(path, PYTHON + "/src") for path in sources() if path.startswith(PYTHON + "/src/")}
        self.assertEqual(modules, {name for name in names if name.endswith(".py")})

    def test_it_needs_no_setuptools_and_no_index(self) -> None:
        backend = read("python", "backend", "berth_build.py") + read("python", "pyproject.toml")
        self.assertIn("requires = []", backend)
        self.assertNotIn("import setuptools", backend)
