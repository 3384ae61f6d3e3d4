"""Where the server is: what the caller says, the environment, the usual places, in the order of the berth command."""

import ipaddress
import os
import stat
from dataclasses import dataclass
from typing import Mapping, Optional, Union
from urllib.parse import urlsplit

from ._errors import BerthError

SYSTEM_DATA_DIRECTORY = "/var/lib/berth"

# sun_path of unix(7) has 108 bytes, the last one for the terminating zero.
_MAX_SOCKET_BYTES = 107
_MAX_TOKEN_LENGTH = 4096
_SOCKET_NAME = "berth.sock"


@dataclass(frozen=True)
class SocketPlace:
    """A server at a Unix socket, where the kernel says who asks."""

    path: str

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True, repr=False)
class RemotePlace:
    """A server that is reached over TCP, where a token says who asks."""

    url: str
    tls: bool
    host: str
    port: int
    token: Optional[str]
    authority: Optional[str]

    def __str__(self) -> str:
        return self.url

    def __repr__(self) -> str:
        """Without the token, which belongs in no message and no log."""
        return "RemotePlace(%r)" % self.url


Place = Union[SocketPlace, RemotePlace]


def find(
    url: Optional[str] = None,
    socket: Optional[str] = None,
    token: Optional[str] = None,
    environment: Optional[Mapping[str, str]] = None,
) -> Place:
    """The server that is meant.

    Arguments go before variables. Then ``BERTH_URL`` (with ``BERTH_TOKEN`` or ``BERTH_TOKEN_FILE``, ``BERTH_CA_FILE``),
    ``BERTH_SOCKET``, ``BERTH_DATA_DIR``, the user's own server where there is one, the system's.

    Raises:
        BerthError: ``BAD_PLACE`` where two of them contradict each other or one cannot be.
    """
    variables = os.environ if environment is None else environment
    if url is not None and socket is not None:
        raise _bad("url and socket exclude each other; give one of them")
    if url is not None:
        return _remote(url, token, variables)
    if token is not None and socket is not None:
        raise _bad("at a socket the kernel says who asks; leave the token out")
    if socket is not None:
        return _socket(socket)
    said_url, said_socket = variables.get("BERTH_URL"), variables.get("BERTH_SOCKET")
    if said_url and said_socket:
        raise _bad("BERTH_URL and BERTH_SOCKET are both set; unset the one that is not meant")
    if said_url:
        return _remote(said_url, token, variables)
    return _socket(said_socket or _usual_socket(variables))


def _bad(message: str) -> BerthError:
    return BerthError("BAD_PLACE", message)


def _usual_socket(variables: Mapping[str, str]) -> str:
    data = variables.get("BERTH_DATA_DIR")
    if data:
        return os.path.join(data, _SOCKET_NAME)
    # By the XDG base directory specification, which wants a relative value ignored.
    state = variables.get("XDG_STATE_HOME", "")
    base = state if state.startswith("/") else os.path.expanduser("~/.local/state")
    own = os.path.join(base, "berth", _SOCKET_NAME)
    return own if _is_own(own) else os.path.join(SYSTEM_DATA_DIRECTORY, _SOCKET_NAME)


def _is_own(path: str) -> bool:
    """Root's server is the system's. A process that became another user may still have the home of the one before."""
    try:
        return os.geteuid() != 0 and os.lstat(path).st_uid == os.geteuid()
    except OSError:
        return False


def _socket(path: str) -> SocketPlace:
    absolute = os.path.abspath(path)
    size = len(os.fsencode(absolute))
    if size > _MAX_SOCKET_BYTES:
        raise _bad(
            "the socket path %s has %d bytes, but a Unix socket's path has at most %d; name a shorter one"
            % (absolute, size, _MAX_SOCKET_BYTES)
        )
    return SocketPlace(absolute)


def _remote(url: str, token: Optional[str], variables: Mapping[str, str]) -> RemotePlace:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _not_a_url(url) from None
    tls = parts.scheme == "https"
    extra = parts.username is not None or parts.query or parts.fragment or parts.path not in ("", "/")
    if parts.scheme not in ("http", "https") or not parts.hostname or extra:
        raise _not_a_url(url)
    said = token if token is not None else _token(variables)
    secret = None if said is None else _checked_token(said)
    if secret and not tls and not _is_loopback(parts.hostname) and variables.get("BERTH_ALLOW_INSECURE") != "1":
        raise _bad(
            "%s would send your token over the network for everybody to read; use https://, or a tunnel (ssh -L), or"
            " set BERTH_ALLOW_INSECURE=1 where the network itself is safe" % url
        )
    usual = 443 if tls else 80
    authority = variables.get("BERTH_CA_FILE") or None
    return RemotePlace(url, tls, parts.hostname, port if port is not None else usual, secret, authority)


def _not_a_url(url: str) -> BerthError:
    # What stands before an @ may be a secret.
    shown = "..." + url[url.index("@") :] if "@" in url else url
    return _bad("'%s' is not where a server can be; write https://HOST:PORT" % shown)


def _is_loopback(host: str) -> bool:
    """Names but localhost may be anywhere."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _token(variables: Mapping[str, str]) -> Optional[str]:
    said, file = variables.get("BERTH_TOKEN"), variables.get("BERTH_TOKEN_FILE")
    if said and file:
        raise _bad("BERTH_TOKEN and BERTH_TOKEN_FILE are both set; keep one of them, and unset the other")
    if not file:
        return said or None
    try:
        with open(file, encoding="utf-8") as opened:
            if os.fstat(opened.fileno()).st_mode & (stat.S_IRGRP | stat.S_IROTH):
                _warn("the token in %s can be read by others; run: chmod 600 %s" % (file, file))
            return opened.read(_MAX_TOKEN_LENGTH + 2)
    except (OSError, UnicodeDecodeError) as unreadable:
        raise _bad("BERTH_TOKEN_FILE: %s cannot be read (%s)" % (file, unreadable)) from None


def _warn(sentence: str) -> None:
    # Here, so that programs that only log metrics do not load it.
    import logging

    logging.getLogger("berth").warning("%s", sentence)


def _checked_token(token: str) -> str:
    """A token goes into a line of its own in the request, and nothing else may come with it."""
    stripped = token.strip()
    if not stripped or len(stripped) > _MAX_TOKEN_LENGTH or not all("!" <= c <= "~" for c in stripped):
        raise _bad("that is no token; berth token create makes one, a single line that begins with berth_")
    return stripped
