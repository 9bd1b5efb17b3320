"""Authentication: the token file, browser sessions, and a limit on guesses.

An API client sends a token as `Authorization: Bearer …`, either one of the file or one of the table (`admin/tokens`); a
browser exchanges it for a cookie with the role and the expiry, signed with a key derived from the file's tokens, so new
ones there end all sessions. A session that was begun with a token of the table ends with it. Only revoked sessions are
stored, in a folder that all processes share.
"""

import hashlib
import hmac
import json
import logging
import os
import secrets
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from ipaddress import ip_address, ip_network
from pathlib import Path
from time import monotonic, time

from recollect.admin.tokens import AccessToken, Role
from recollect.core.errors import ConfigError
from recollect.workspace.disk import make_folder

log = logging.getLogger("recollect.http")

MIN_TOKEN_CHARS = 16
"""Minimum length of a token that someone chose."""
COOKIE = "recollect_session"
LOGIN_COOKIE = "recollect_login"
"""Holds the nonce of the sign-in form."""
RELOAD_INTERVAL_SECONDS = 1.0
"""How often the token file is checked for changes."""
REVOKED_SESSIONS_DIR = "ended-sessions"
"""Subfolder of the data folder for revoked sessions."""


@dataclass(frozen=True, slots=True)
class Tokens:
    operator: str = field(repr=False)
    reader: str = field(repr=False)
    metrics: str = field(default="", repr=False)
    """Empty where there is none; no token equals it."""

    def role(self, token: str) -> Role | None:
        """The role of a token, compared in constant time; None for a wrong one."""
        token_bytes = token.encode()
        # All are compared, whichever fits: the time must not tell which one was close.
        is_operator = hmac.compare_digest(token_bytes, self.operator.encode())
        is_reader = hmac.compare_digest(token_bytes, self.reader.encode())
        is_metrics = hmac.compare_digest(token_bytes, self.metrics.encode()) and bool(self.metrics)
        if is_operator or is_reader:
            return Role.OPERATOR if is_operator else Role.READER
        return Role.METRICS if is_metrics else None


def load_tokens(path: Path, operator: str | None = None) -> tuple[Tokens, bool]:
    """The tokens of this file, and whether they were just created; `operator` replaces the operator's."""
    if operator is not None and len(operator) < MIN_TOKEN_CHARS:
        raise ConfigError(f"RECOLLECT_HTTP_TOKEN has fewer than {MIN_TOKEN_CHARS} characters; take a longer one")
    if operator is not None and (operator.startswith("#") or any(map(str.isspace, operator))):
        raise ConfigError("RECOLLECT_HTTP_TOKEN has a space in it or is a comment; is there one behind it in its file?")
    is_new = not path.exists()
    if is_new:
        _write(path, Tokens(*(secrets.token_urlsafe(24) for _ in range(3))))
    tokens = _read(path)
    return replace(tokens, operator=operator or tokens.operator), is_new


class TokenFile:
    """The tokens of a file; a changed file takes effect within a second."""

    def __init__(self, path: Path, operator: str | None = None, clock: Callable[[], float] = monotonic) -> None:
        self._path, self._operator, self._clock = path, operator, clock
        self._fingerprint = _fingerprint(path)
        self._tokens, _ = load_tokens(path, operator)
        self._checked_at = clock()

    def __call__(self) -> Tokens:
        if self._clock() - self._checked_at >= RELOAD_INTERVAL_SECONDS:
            self._checked_at = self._clock()
            self._reload_if_changed()
        return self._tokens

    def _reload_if_changed(self) -> None:
        fingerprint = _fingerprint(self._path)
        if fingerprint in (None, self._fingerprint):  # deleted: keep the old tokens until new ones are written
            return
        # Noted also when reading fails, so that a broken file is reported once.
        self._fingerprint = fingerprint
        try:
            self._tokens, _ = load_tokens(self._path, self._operator)
            log.info("%s was rewritten: its tokens count from now on", self._path)
        except ConfigError as error:
            log.warning("the tokens that were read before still count: %s", error)


def _fingerprint(path: Path) -> tuple[int, int, int] | None:
    """A fingerprint that changes when the file is written or replaced."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _write(path: Path, tokens: Tokens) -> None:
    make_folder(path.parent)
    text = json.dumps(asdict(tokens), indent=2) + "\n"
    try:
        # O_EXCL: of two processes that start together, the second reads the tokens of the first.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another process was faster
        return
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def _read(path: Path) -> Tokens:
    try:
        value = json.loads(path.read_text("utf-8"))
        operator, reader, metrics = str(value["operator"]), str(value["reader"]), str(value.get("metrics") or "")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} can't be read as a file of tokens; delete it, and new ones are made") from error
    tokens = [token for token in (operator, reader, metrics) if token]
    if min(map(len, (operator, reader, *tokens))) < MIN_TOKEN_CHARS or len(set(tokens)) < len(tokens):
        raise ConfigError(f"the tokens in {path} are too short or alike; delete it, and new ones are made")
    return Tokens(operator, reader, metrics or _derived_metrics_token(operator, reader))


def _derived_metrics_token(operator: str, reader: str) -> str:
    """The metrics token of a file that earlier versions wrote: derived, so that the file stays as it is and all
    processes agree; neither of the others follows from it.
    """
    return hmac.new(f"{operator}\0{reader}".encode(), b"recollect metrics", hashlib.sha256).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that signed in."""

    role: Role
    until: int
    nonce: str
    token: str = ""
    """The `reference` of the table's token that it was begun with; empty for one of the file."""


class RevokedSessions:
    """Sessions that were ended before they expire: an empty file for each, until it would have expired."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time) -> None:
        self._folder, self._clock = folder, clock
        self._unwritten: set[Session] = set()

    def __contains__(self, session: Session) -> bool:
        return session in self._unwritten or os.path.exists(self._path(session))  # noqa: PTH110 - raises nothing

    def add(self, session: Session) -> None:
        try:
            make_folder(self._folder)
            self._path(session).touch(0o600)
            self._sweep()
        except OSError as error:
            log.warning("a sign-out can't be written down (%s): only this process knows of it", error)
            # Better signed out of one process than of none.
            self._unwritten.add(session)

    def _sweep(self) -> None:
        for path in self._folder.iterdir():
            until = path.name.partition(".")[0]
            if until.isdecimal() and int(until) < self._clock():
                path.unlink(missing_ok=True)

    def _path(self, session: Session) -> Path:
        return self._folder / f"{session.until}.{session.nonce}"


class Sessions:
    """Creates and checks session cookies."""

    def __init__(
        self, tokens: Callable[[], Tokens], lifetime: float, revoked: RevokedSessions, clock: Callable[[], float] = time
    ) -> None:
        self._tokens = tokens
        self._lifetime = lifetime
        self._revoked = revoked
        self._clock = clock

    def begin(self, role: Role, token: AccessToken | None = None) -> tuple[Session, str]:
        """A new session and its cookie value; it ends no later than the token of the table that it is based on."""
        until = self._clock() + self._lifetime
        if token is not None and token.expires is not None:
            until = min(until, token.expires.timestamp())
        session = Session(role, int(until), secrets.token_urlsafe(12), token.reference if token else "")
        # The cookie holds all of it, so that any process can check it without shared memory.
        payload = f"{session.role}.{session.until}.{session.nonce}" + (f".{session.token}" if token else "")
        return session, f"{payload}.{self._sign('session', payload)}"

    def read(self, cookie: str) -> Session | None:
        """The session of a cookie; None when it is forged, expired or revoked."""
        payload, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("session", payload).encode()):
            return None
        role, until, nonce, *token = payload.split(".")
        session = Session(Role(role), int(until), nonce, *token)
        return session if session.until > self._clock() and session not in self._revoked else None

    def end(self, session: Session) -> None:
        """Sign out: copies of the cookie stop working, too."""
        self._revoked.add(session)

    def form_token(self, session: Session) -> str:
        """The CSRF token that forms of this session carry."""
        return self._sign("form", session.nonce)

    def is_form_token(self, session: Session, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self.form_token(session).encode())

    def login_token(self, nonce: str) -> str:
        """The CSRF token of the sign-in form, for a browser that has the nonce in its cookie."""
        return self._sign("login", nonce)

    def is_login_token(self, nonce: str, token: str) -> bool:
        return bool(nonce) and hmac.compare_digest(token.encode(), self.login_token(nonce).encode())

    def sign(self, data: bytes) -> str:
        """Data signed and compressed, to travel in a URL."""
        payload = urlsafe_b64encode(zlib.compress(data, 9)).decode()
        return f"{payload}.{self._sign('seal', payload)}"

    def verify(self, signed: str) -> bytes | None:
        """The data that `sign` packed; None when the signature is wrong."""
        payload, _, signature = signed.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("seal", payload).encode()):
            return None
        return zlib.decompress(urlsafe_b64decode(payload))

    def _sign(self, purpose: str, text: str) -> str:
        tokens = self._tokens()
        key = hashlib.sha256(f"recollect session\0{tokens.operator}\0{tokens.reader}".encode()).digest()
        return hmac.new(key, f"{purpose}\0{text}".encode(), hashlib.sha256).hexdigest()


class LoginThrottle:
    """Counts wrong tokens by source: after a few, each doubles the time that the source is asked to wait.

    A right token always works, whatever the count, so nobody can lock its owner out with wrong ones: neither a
    stranger behind the same proxy, nor a web page that the owner's browser has open.
    """

    def __init__(
        self, free: int = 5, longest: float = 900.0, sources: int = 10_000, clock: Callable[[], float] = monotonic
    ) -> None:
        self._free, self._longest, self._sources, self._clock = free, longest, sources, clock
        self._failures: dict[str, tuple[int, float]] = {}
        """Wrong tokens of a source, and when the last one came; the latest source is last."""

    def failed(self, address: str) -> int:
        """Count a wrong token; returns the seconds that the source is asked to wait, 0 for the first few."""
        now, source = self._clock(), source_of(address)
        count, last = self._failures.pop(source, (0, now))
        count = 1 if now - last > self._longest else count + 1
        self._failures[source] = count, now
        if len(self._failures) > self._sources:
            del self._failures[next(iter(self._failures))]
        return 0 if count <= self._free else int(min(self._longest, 2.0 ** min(count - self._free, 30)))

    def succeeded(self, address: str) -> None:
        self._failures.pop(source_of(address), None)


def source_of(address: str) -> str:
    """The source of a request: its address or, with IPv6, the network that one customer gets."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(ip_network((ip, 64), strict=False)) if ip.version == 6 else str(ip)
