"""How often, and after what pauses, something is tried again while a server is away."""

import logging
import random
import time
import uuid
from typing import Callable, TypeVar

from ._errors import BerthError

_T = TypeVar("_T")

# Seconds.
_FIRST = 0.1
_LONGEST = 2.0
_PATIENCE = 60.0

_log = logging.getLogger("berth")


class Backoff:
    """Pauses that double, for a minute in all since the server last answered. For one thread."""

    def __init__(self) -> None:
        self._next = _FIRST
        self._spent = 0.0
        self._told = False

    def connected(self) -> None:
        """The server answers: what it was away before counts no more."""
        if self._told:
            _log.warning("the server is back")
        self._told = False
        self._spent = 0.0

    def reset(self) -> None:
        """The server gives what was asked for."""
        self.connected()
        self._next = _FIRST

    def away(self, cause: BerthError) -> None:
        """Waits where the server is away or in trouble; raises the cause where it means what it says, or it is long."""
        if not (cause.is_break or cause.is_server_side) or self._spent >= _PATIENCE:
            raise cause
        if not self._told:
            self._told = True
            _log.warning("the server is away (%s); trying again for %d s", cause.message, _PATIENCE)
        self.rest()

    def rest(self) -> None:
        """A short wait without giving up."""
        # Those whose server went together are not to come back together.
        time.sleep(self._next * random.uniform(0.875, 1.125))
        self._spent += self._next
        self._next = min(self._next * 2, _LONGEST)


def once(attempt: Callable[[str], _T]) -> _T:
    """Does something once, however often it has to be sent: each try has the same key, by which the server knows it.

    Raises:
        BerthError: ``UNREACHABLE`` at once where nothing was sent; otherwise after a minute the last break.
    """
    key = uuid.uuid4().hex
    backoff = Backoff()
    is_broken = False
    while True:
        try:
            return attempt(key)
        except BerthError as error:
            if not is_broken and error.code != "CONNECTION_LOST":
                raise
            is_broken = True
            backoff.away(error)
