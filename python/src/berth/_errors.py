"""The one kind of error that this package raises of its own."""

from typing import Mapping, Optional


class BerthError(Exception):
    """A refusal of the server, or that it cannot be reached or understood.

    Attributes:
        code: stable word for programs: those of the API (``JOB_NOT_FOUND``, ``NEVER_FITS``, ...), and of this
            package ``UNREACHABLE`` (nobody answers), ``CONNECTION_LOST`` (an answer broke off), ``BAD_ANSWER`` (what
            came is no answer of Berth's), ``BAD_PLACE`` (no server is named as it must be), ``BAD_DIRECTORY`` (the
            directory cannot be sent), ``BAD_OPTION``, ``UNSAFE_OUTPUT``, ``CUDA_INITIALISED`` and ``NO_GPUS``.
        message: a sentence for people.
        status: the HTTP status of a refusal; None where no server refused.
        details: what the server adds, such as ``field``, ``value`` and ``rule``.
    """

    # As callers know it, in tracebacks too.
    __module__ = "berth"

    def __init__(
        self,
        code: str,
        message: str,
        status: Optional[int] = None,
        details: Optional[Mapping[str, str]] = None,
    ) -> None:
        super().__init__(code, message, status)
        self.code = code
        self.message = message
        self.status = status
        self.details = dict(details or {})

    def __str__(self) -> str:
        return self.message

    @property
    def is_break(self) -> bool:
        """Whether the connection is at fault, and the same request may have another end."""
        return self.code in ("UNREACHABLE", "CONNECTION_LOST")

    @property
    def is_server_side(self) -> bool:
        """Whether the server itself is in trouble, or about to end."""
        return self.status is not None and self.status >= 500


def bad_answer(what: str) -> BerthError:
    """The error for what no Berth server answers."""
    return BerthError("BAD_ANSWER", "that is no answer of a Berth server: " + what)


def lost(what: str, cause: BaseException) -> BerthError:
    """The error for a connection that broke."""
    return BerthError(
        "CONNECTION_LOST", "the connection to the server broke while %s (%s)" % (what, cause or type(cause).__name__)
    )
