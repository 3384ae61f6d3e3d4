"""Patterns of gitignore(5), compiled. They work on bytes, as git does."""

from typing import Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

_SLASH = ord("/")
_STAR, _QUESTION, _OPEN, _ESCAPE = b"*?[\\"
_SPECIAL = frozenset(b"*?[\\")
_ALL = frozenset(range(256))

_ONE, _RUN, _ANY_RUN, _DIRECTORIES = range(4)


class _Token(NamedTuple):
    kind: int
    values: FrozenSet[int] = frozenset()


class Glob:
    """A pattern. Its time is the pattern's length times the text's, whatever the stars.

    Args:
        pattern: without the slash before or behind it
        is_path: whether it is for a path, where wildcards keep off slashes, or for one name
    """

    def __init__(self, pattern: bytes, is_path: bool) -> None:
        self._literal: Optional[bytes] = None
        self._ending: Optional[bytes] = None
        if not _SPECIAL & set(pattern):
            self._literal = pattern
        elif not is_path and pattern[:1] == b"*" and not _SPECIAL & set(pattern[1:]):
            self._ending = pattern[1:]
        tokens = _Compiler(pattern, is_path).tokens()
        self._end = 1 << len(tokens)
        self._steps: Dict[int, int] = {}
        self._tokens = tokens
        self._runs = _bits(tokens, _RUN)
        self._any_runs = _bits(tokens, _ANY_RUN)
        self._directories = _bits(tokens, _DIRECTORIES)
        self._empty = self._runs | self._any_runs | self._directories

    def matches(self, text: bytes) -> bool:
        """Whether the pattern matches all of the text."""
        if self._literal is not None:
            return text == self._literal
        if self._ending is not None:
            return text.endswith(self._ending)
        return self._follow(text)

    def _follow(self, text: bytes) -> bool:
        """Follows all ways through the pattern at once: bit N is set where the first N tokens are passed."""
        reached = self._passed(1)
        # Of directories that have begun; they end at any slash, and never have to.
        inside = 0
        for value in text:
            after = (reached & self._accepting(value)) << 1 | reached & self._any_runs
            inside |= reached & self._directories
            if value == _SLASH:
                after |= inside << 1
            else:
                after |= reached & self._runs
            reached = self._passed(after)
            if not reached and not inside:
                return False
        return bool(reached & self._end)

    def _passed(self, reached: int) -> int:
        """Runs and directories may also be nothing."""
        more = (reached & self._empty) << 1 & ~reached
        while more:
            reached |= more
            more = (more & self._empty) << 1 & ~reached
        return reached

    def _accepting(self, value: int) -> int:
        found = self._steps.get(value)
        if found is None:
            found = sum(1 << at for at, token in enumerate(self._tokens) if value in token.values)
            self._steps[value] = found
        return found


def _bits(tokens: List[_Token], kind: int) -> int:
    return sum(1 << at for at, token in enumerate(tokens) if token.kind == kind)


class _Compiler:
    """Reads a pattern from its beginning to its end, once."""

    def __init__(self, pattern: bytes, is_path: bool) -> None:
        self._pattern = pattern
        self._is_path = is_path
        self._at = 0

    def tokens(self) -> List[_Token]:
        found = []
        while self._at < len(self._pattern):
            found.append(self._next())
        return found

    def _next(self) -> _Token:
        value = self._pattern[self._at]
        if value == _STAR:
            return self._stars()
        if value == _OPEN:
            values, self._at = _Class(self._pattern, self._at + 1).read()
            return self._one(values)
        if value == _ESCAPE:
            self._at += 2
            # An escape of nothing never matches.
            kept = self._pattern[self._at - 1 : self._at] if self._at <= len(self._pattern) else b""
            return _Token(_ONE, frozenset(kept))
        self._at += 1
        return self._one(_ALL) if value == _QUESTION else _Token(_ONE, frozenset((value,)))

    def _one(self, values: FrozenSet[int]) -> _Token:
        return _Token(_ONE, values - {_SLASH} if self._is_path else values)

    def _stars(self) -> _Token:
        """Two stars mean directories only where they are a whole part of a path; elsewhere they are as one."""
        begin = self._at
        while self._pattern[self._at : self._at + 1] == b"*":
            self._at += 1
        if not self._is_path:
            return _Token(_ANY_RUN)
        rest = self._pattern[self._at :]
        closes = not rest or rest.startswith((b"/", b"\\/"))
        is_part = self._at - begin > 1 and self._opens_part(begin) and closes
        if is_part and rest.startswith(b"/"):
            self._at += 1
            return _Token(_DIRECTORIES)
        return _Token(_ANY_RUN if is_part else _RUN)

    def _opens_part(self, at: int) -> bool:
        """For git, what stands before the first wildcard is apart, so that stars behind it open a part as well."""
        return not _SPECIAL & set(self._pattern[:at]) or self._pattern[at - 1] == _SLASH


class _Class:
    """A class of bytes such as ``[a-z]``, ``[!0-9]`` or ``[[:alpha:]_]``, while it is read."""

    def __init__(self, pattern: bytes, at: int) -> None:
        self._pattern = pattern
        self._at = at
        self._values: Set[int] = set()
        # The byte before a dash, that a range may begin with; -1 for none.
        self._last = -1

    def read(self) -> Tuple[FrozenSet[int], int]:
        """The bytes in it, none where it is not closed, and where the pattern goes on."""
        pattern = self._pattern
        negated = pattern[self._at : self._at + 1] in (b"!", b"^")
        self._at += 1 if negated else 0
        first = self._at
        while self._at < len(pattern) and (pattern[self._at : self._at + 1] != b"]" or self._at == first):
            if not self._member():
                return frozenset(), len(pattern)
        if self._at >= len(pattern):
            return frozenset(), len(pattern)
        values = frozenset(self._values)
        return (_ALL - values if negated else values), self._at + 1

    def _member(self) -> bool:
        """Reads one byte, range or named class; false where the whole class is none."""
        pattern = self._pattern
        if self._is_named():
            return self._named()
        following = pattern[self._at + 1 : self._at + 2]
        is_range = pattern[self._at : self._at + 1] == b"-" and self._last >= 0 and following not in (b"", b"]")
        self._at += 1 if is_range else 0
        if pattern[self._at : self._at + 1] == b"\\":
            self._at += 1
        if self._at >= len(pattern):
            return False
        value = pattern[self._at]
        self._at += 1
        self._values.update(range(self._last, value + 1) if is_range else (value,))
        self._last = -1 if is_range else value
        return True

    def _close(self) -> int:
        close = self._pattern.find(b"]", self._at + 2)
        return len(self._pattern) if close < 0 else close

    def _is_named(self) -> bool:
        if self._pattern[self._at : self._at + 2] != b"[:":
            return False
        close = self._close()
        is_ended = close > self._at + 2 and self._pattern[close - 1 : close] == b":"
        return close == len(self._pattern) or is_ended

    def _named(self) -> bool:
        close = self._close()
        if close == len(self._pattern):
            return False
        values = _NAMED.get(self._pattern[self._at + 2 : close - 1])
        self._at = close + 1
        self._last = -1
        if values is not None:
            self._values.update(values)
        return values is not None


def _range(first: str, last: str) -> FrozenSet[int]:
    return frozenset(range(ord(first), ord(last) + 1))


_DIGIT, _LOWER, _UPPER, _GRAPH = _range("0", "9"), _range("a", "z"), _range("A", "Z"), _range("!", "~")

# The classes of POSIX in the locale C.
_NAMED: Dict[bytes, FrozenSet[int]] = {
    b"alnum": _DIGIT | _LOWER | _UPPER,
    b"alpha": _LOWER | _UPPER,
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset(range(32)) | {127},
    b"digit": _DIGIT,
    b"graph": _GRAPH,
    b"lower": _LOWER,
    b"print": _GRAPH | {32},
    b"punct": _GRAPH - _DIGIT - _LOWER - _UPPER,
    b"space": frozenset(b" \t\n\v\f\r"),
    b"upper": _UPPER,
    b"xdigit": _DIGIT | _range("a", "f") | _range("A", "F"),
}
