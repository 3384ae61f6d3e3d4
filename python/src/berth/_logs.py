"""A job's log, piece by piece, resumed where a connection breaks."""

import struct
from typing import Dict, Iterator, Optional, Tuple
from urllib.parse import urlencode

from ._errors import bad_answer
from ._connection import Answer
from ._http import Server

# Offset, epoch milliseconds, stream, length; the API's format=frames.
_HEAD = struct.Struct(">QQII")
_MAX_LENGTH = 1 << 16
# A line that has no end is handed out in pieces of this size.
_MAX_LINE = 1 << 20

STREAMS = ("both", "stdout", "stderr")


class LogPart:
    """The part of a log that is wanted, and how far it was read. For one thread."""

    def __init__(self, job: int, stream: str, tail: Optional[int], attempt: Optional[int]) -> None:
        if stream not in STREAMS:
            raise ValueError("stream: %r is none of %s" % (stream, ", ".join(STREAMS)))
        self._job = job
        self._stream = stream
        self._tail = tail
        self._attempt = attempt
        self._offset = 0

    def frames(self, server: Server, follow: bool) -> Iterator[Tuple[int, bytes]]:
        """What one answer brings, from where the last one ended: the stream (0 out, 1 err, 2 Berth's own) and bytes."""
        query: Dict[str, str] = {"format": "frames", "offset": str(self._offset), "stream": self._stream}
        query["follow"] = "true" if follow else "false"
        if self._attempt is not None:
            query["attempt"] = str(self._attempt)
        if self._tail is not None:
            query["tail"] = str(self._tail)
        with server.open("/jobs/%d/log?%s" % (self._job, urlencode(query))) as answer:
            # A program may be silent for hours.
            answer.wait_at_most(None if follow else 60.0)
            self._begin(answer)
            while True:
                head = answer.read_whole(_HEAD.size)
                if not head:
                    return
                offset, _, stream, length = _HEAD.unpack(head)
                if length > _MAX_LENGTH or stream > 2:
                    raise bad_answer("not a piece of a log: %r" % head)
                piece = answer.read_whole(length)
                self._offset = offset + length
                yield stream, piece

    def _begin(self, answer: Answer) -> None:
        first = answer.header("berth-log-offset") or "0"
        if not first.isdigit():
            raise bad_answer("Berth-Log-Offset is %r" % first)
        self._offset = max(self._offset, int(first))
        # From here on it is known where the part begins: by now the last lines may be others.
        self._tail = None


class Lines:
    """Makes lines of pieces, each stream's apart. For one thread."""

    def __init__(self) -> None:
        self._begun: Dict[int, bytes] = {}

    def add(self, stream: int, piece: bytes) -> Iterator[str]:
        """The lines that are whole now, without their ends."""
        *whole, rest = (self._begun.get(stream, b"") + piece).split(b"\n")
        while len(rest) > _MAX_LINE:
            whole.append(rest[:_MAX_LINE])
            rest = rest[_MAX_LINE:]
        self._begun[stream] = rest
        for line in whole:
            yield _shown(line)

    def rest(self) -> Iterator[str]:
        """What stands behind the last line's end."""
        for rest in self._begun.values():
            if rest:
                yield _shown(rest)
        self._begun.clear()


def _shown(line: bytes) -> str:
    return line.decode("utf-8", "replace")
