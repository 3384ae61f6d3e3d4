"""How often, and after what pauses, something is tried again while a server is away."""

import logging
import random
import time
import uuid
from typing import Callable, Optional, TypeVar

from ._errors import BerthError

_T = TypeVar("_T")

# How a server that has too much to do is asked again, in seconds.
_BUSY_PATIENCE = 60.0
_BUSY_LONGEST = 30.0
_MAX_SPREAD = 8

# How one that is away is asked again, in seconds.
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


class Busy:
    """Waits where a server has too much to do: as long as it says, and a while more by chance. For one request."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._tries = 0

    def wait_or_raise(self, retry_after: Optional[str], error: BerthError) -> None:
        """Waits for the next try, or raises the refusal where there is to be none."""
        wanted = self._wanted(retry_after, error.status)
        if wanted is None or wanted > _BUSY_LONGEST:
            raise error
        self._tries += 1
        # Those who were refused together are not to come back together.
        wait = wanted + random.uniform(0, wanted * min(self._tries, _MAX_SPREAD))
        if self._spent + wait > _BUSY_PATIENCE:
            error.message += "; asked %d times in %d s, in vain" % (self._tries, self._spent)
            raise error
        time.sleep(wait)
        self._spent += wait

    @staticmethod
    def _wanted(said: Optional[str], status: Optional[int]) -> Optional[float]:
        if said is not None and said.isdigit() and status in (429, 503):
            return float(said)
        return 1.0 if status == 429 else None
