"""Unpacks what a job wrote. Nobody vouches for it: the job's program made its names and links."""

import errno
import os
import shutil
import tarfile
from typing import BinaryIO, Callable, List, cast

from ._errors import BerthError, lost
from ._connection import Answer

_BUFFER_BYTES = 1 << 18
_PERMISSIONS = 0o777
_OWNER_MAY_USE = 0o600
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# What the owner may not read is named by a last member of the server's own.
_LEFT_OUT = "BERTH.leftout"


class Unpacked(List[str]):
    """The paths of files and links that are there now, below the directory.

    Attributes:
        left_out: what was not unpacked: links that lead out, what is neither file nor directory nor link, and what the
            job's owner may not read
    """

    def __init__(self) -> None:
        super().__init__()
        self.left_out: List[str] = []


def unpack(answer: Answer, directory: str, replace: bool) -> Unpacked:
    """Unpacks an archive; nothing is written outside of the directory, or through a link.

    Args:
        directory: made where it is not there
        replace: whether files that are there are replaced; otherwise FileExistsError

    Raises:
        BerthError: ``UNSAFE_OUTPUT`` for a name that leads out; a broken answer.
        OSError: what is there is in the way, or the disk is full.
    """
    os.makedirs(directory, exist_ok=True)
    top = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    unpacked = Unpacked()
    try:
        stream = cast(BinaryIO, _Stream(answer))
        with tarfile.open(fileobj=stream, mode="r|", errorlevel=2) as archive:
            for member in archive:
                _Member(archive, member, replace).unpack(top, unpacked)
        # tarfile stops at the archive's end; whether the answer is whole shows behind it.
        while answer.read(_BUFFER_BYTES):
            pass
    except tarfile.TarError as broken:
        raise lost("reading the output", broken) from None
    finally:
        os.close(top)
    return unpacked


class _Stream:
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def read(self, size: int) -> bytes:
        return self._answer.read(size)


class _Member:
    def __init__(self, archive: tarfile.TarFile, member: tarfile.TarInfo, replace: bool) -> None:
        self._archive = archive
        self._member = member
        self._steps = _steps(member.name)
        self._replace = replace

    def unpack(self, top: int, unpacked: Unpacked) -> None:
        member, steps = self._member, self._steps
        left_out = member.pax_headers.get(_LEFT_OUT)
        if left_out is not None:
            unpacked.left_out.append(left_out)
        elif not steps:
            return
        elif member.isdir():
            os.close(_folder(top, steps))
        elif member.isreg():
            self._within(top, self._write)
            unpacked.append("/".join(steps))
        elif member.issym() and not _leads_out(member.linkname, len(steps) - 1):
            self._within(top, self._link)
            unpacked.append("/".join(steps))
        elif member.issym():
            unpacked.left_out.append("%s -> %s" % (member.name, member.linkname))
        else:
            unpacked.left_out.append("%s (neither file nor directory nor link)" % member.name)

    def _within(self, top: int, make: Callable[[str, int], None]) -> None:
        folder = _folder(top, self._steps[:-1])
        try:
            if self._replace:
                _remove(self._steps[-1], folder)
            make(self._steps[-1], folder)
        finally:
            os.close(folder)

    def _write(self, name: str, folder: int) -> None:
        content = self._archive.extractfile(self._member)
        assert content is not None
        mode = self._member.mode & _PERMISSIONS | _OWNER_MAY_USE
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(name, flags, mode, dir_fd=folder), "wb") as file:
            try:
                shutil.copyfileobj(content, file, _BUFFER_BYTES)
                file.flush()
            except BaseException:
                # Half a file looks like a whole one.
                os.unlink(name, dir_fd=folder)
                raise

    def _link(self, name: str, folder: int) -> None:
        os.symlink(self._member.linkname, name, dir_fd=folder)


def _remove(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass


def _steps(name: str) -> List[str]:
    """The names on the way to a member, none for the directory itself."""
    if name.startswith("/") or "\0" in name or ".." in name.split("/"):
        raise BerthError("UNSAFE_OUTPUT", "the archive of the output names %r, which leads out of it" % name)
    return [step for step in name.split("/") if step not in ("", ".")]


def _folder(top: int, steps: List[str]) -> int:
    """Real directories all the way, each held, so that nothing is written through a link; to be closed."""
    folder = os.dup(top)
    for step in steps:
        try:
            inner = _enter(step, folder)
        finally:
            os.close(folder)
        folder = inner
    return folder


def _enter(step: str, folder: int) -> int:
    try:
        os.mkdir(step, dir_fd=folder)
    except FileExistsError:
        pass
    try:
        return os.open(step, _FOLDER, dir_fd=folder)
    except OSError as other:
        if other.errno in (errno.ELOOP, errno.ENOTDIR):
            raise FileExistsError(
                errno.EEXIST, "is there and no directory; remove it, or unpack elsewhere", step
            ) from None
        raise


def _leads_out(target: str, depth: int) -> bool:
    """Whether a link may lead out of the directory, whatever other links there are.

    Its own folder is real, so that each ``..`` at the beginning goes up by one. One behind a name may go up by more,
    where that name is a link.

    Args:
        depth: how many folders down it lies
    """
    steps = [step for step in target.split("/") if step not in ("", ".")]
    ups = 0
    while ups < len(steps) and steps[ups] == "..":
        ups += 1
    return not target or target.startswith("/") or ups > depth or ".." in steps[ups:]
