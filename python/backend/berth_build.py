"""Builds the package's wheel with the standard library alone (PEP 517, PEP 660).

Thus ``pip install ./python`` needs neither an index nor a setuptools, and the build of the distribution makes the same
wheel by ``python3 python/backend/berth_build.py DIRECTORY``. The same sources give the same bytes.
"""

import base64
import hashlib
import io
import os
import re
import sys
import tarfile
import zipfile
from typing import Any, Dict, List, Mapping, Optional, Tuple

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = os.path.join(HERE, "src")

# The index has another project's "berth".
NAME = "berth-scheduler"
FILE_NAME = NAME.replace("-", "_")

# ZIP knows no earlier date.
_DATE = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16

Settings = Optional[Mapping[str, Any]]


def version() -> str:
    """The version that the package says it has."""
    found = re.search(r'__version__ = "([^"]+)"', _read("src", "berth", "_version.py"))
    assert found is not None, "_version.py names no version"
    return found.group(1)


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    """Writes the wheel and answers its file's name."""
    return _wheel(wheel_directory, _package())


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    """Writes a wheel that leads to the sources where they lie."""
    return _wheel(wheel_directory, {"__editable__%s.pth" % FILE_NAME: (SOURCES + "\n").encode()})


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Writes the archive of the sources and answers its file's name."""
    root = "%s-%s" % (FILE_NAME, version())
    files = {"src/" + name: content for name, content in _package().items()}
    for name in ("pyproject.toml", "README.md", "LICENSE", os.path.join("backend", "berth_build.py")):
        files[name] = _read(name).encode()
    files["PKG-INFO"] = _metadata().encode()
    with tarfile.open(os.path.join(sdist_directory, root + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(files):
            member = tarfile.TarInfo("%s/%s" % (root, name))
            member.size = len(files[name])
            archive.addfile(member, io.BytesIO(files[name]))
    return root + ".tar.gz"


def _wheel(directory: str, files: Dict[str, bytes]) -> str:
    folder = "%s-%s.dist-info" % (FILE_NAME, version())
    name = "%s-%s-py3-none-any.whl" % (FILE_NAME, version())
    files = dict(files)
    files[folder + "/METADATA"] = _metadata().encode()
    files[folder + "/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: berth_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[folder + "/LICENSE"] = _read("LICENSE").encode()
    entries = sorted(files.items())
    entries.append((folder + "/RECORD", _record(entries, folder + "/RECORD")))
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in entries:
            entry = zipfile.ZipInfo(path, _DATE)
            entry.external_attr = _MODE
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def _record(entries: List[Tuple[str, bytes]], own: str) -> bytes:
    lines = []
    for path, content in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append("%s,sha256=%s,%d\n" % (path, digest, len(content)))
    return ("".join(lines) + own + ",,\n").encode()


def _package() -> Dict[str, bytes]:
    """The files of the package by their names below the sources."""
    files: Dict[str, bytes] = {}
    for folder, _, names in os.walk(os.path.join(SOURCES, "berth")):
        for name in names:
            if name.endswith((".py", ".typed")):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    files[os.path.relpath(path, SOURCES).replace(os.sep, "/")] = file.read()
    return files


def _metadata() -> str:
    return (
        "Metadata-Version: 2.1\n"
        "Name: %s\n"
        "Version: %s\n"
        "Summary: Jobs, metrics and GPUs of a Berth server\n"
        "License: Apache-2.0\n"
        "License-File: LICENSE\n"
        "Classifier: License :: OSI Approved :: Apache Software License\n"
        "Classifier: Operating System :: POSIX :: Linux\n"
        "Classifier: Typing :: Typed\n"
        "Requires-Python: >=3.8\n"
        "Description-Content-Type: text/markdown\n"
        "\n"
        "%s" % (NAME, version(), _read("README.md"))
    )


def _read(*steps: str) -> str:
    with open(os.path.join(HERE, *steps), encoding="utf-8") as file:
        return file.read()


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    print(build_wheel(sys.argv[1]))
