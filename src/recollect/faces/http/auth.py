"""Who may do what: tokens in a file of the operator's, sessions of browsers, and a limit on guesses.

A token is shown to an API as `Authorization: Bearer …`; a browser trades it for a cookie that says the role and the
time, signed with a key made from the tokens, so new tokens end all sessions. Only sessions that were ended before
their time are kept, in a folder that all processes look at.
"""

import hashlib
import hmac
import json
import logging
import os
import secrets
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from time import monotonic, time

from recollect.core.errors import ConfigError
from recollect.workspace.disk import make_folder

log = logging.getLogger("recollect.http")

SHORTEST = 16
"""Characters of a token that somebody chose."""
COOKIE = "recollect_session"
LOOK = 1.0
"""Seconds between two looks whether the tokens were replaced."""
ENDED = "ended-sessions"
"""The folder, among the data, of sessions that were ended."""


class Role(StrEnum):
    """The operator sees and changes everything; a reader sees it."""

    OPERATOR = "operator"
    READER = "reader"


@dataclass(frozen=True, slots=True)
class Tokens:
    operator: str = field(repr=False)
    reader: str = field(repr=False)

    def role(self, token: str) -> Role | None:
        """Whose token this is; takes as long for a wrong one."""
        given = token.encode()
        is_operator = hmac.compare_digest(given, self.operator.encode())
        is_reader = hmac.compare_digest(given, self.reader.encode())
        return Role.OPERATOR if is_operator else Role.READER if is_reader else None


def load_tokens(path: Path, operator: str | None = None) -> tuple[Tokens, bool]:
    """The tokens of this file, and whether they were made just now; `operator` replaces the operator's."""
    if operator is not None and len(operator) < SHORTEST:
        raise ConfigError(f"RECOLLECT_HTTP_TOKEN has fewer than {SHORTEST} characters; take a longer one")
    if operator is not None and (operator.startswith("#") or any(map(str.isspace, operator))):
        raise ConfigError("RECOLLECT_HTTP_TOKEN has a space in it or is a comment; is there one behind it in its file?")
    made = not path.exists()
    if made:
        _write(path, Tokens(secrets.token_urlsafe(24), secrets.token_urlsafe(24)))
    found = _read(path)
    return Tokens(operator or found.operator, found.reader), made


class TokenFile:
    """The tokens of a file as they are by now: other ones count a moment after they were written."""

    def __init__(self, path: Path, operator: str | None = None, clock: Callable[[], float] = monotonic) -> None:
        self._path, self._operator, self._clock = path, operator, clock
        self._stamp = _stamp(path)
        self._tokens, _ = load_tokens(path, operator)
        self._looked = clock()

    def __call__(self) -> Tokens:
        if self._clock() - self._looked >= LOOK:
            self._looked = self._clock()
            self._look()
        return self._tokens

    def _look(self) -> None:
        stamp = _stamp(self._path)
        if stamp in (None, self._stamp):  # who deletes it has not said yet what counts instead
            return
        self._stamp = stamp
        try:
            self._tokens, _ = load_tokens(self._path, self._operator)
            log.info("%s was written anew: its tokens count from now on", self._path)
        except ConfigError as error:
            log.warning("the tokens that were read before still count: %s", error)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file is written or replaced."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _write(path: Path, tokens: Tokens) -> None:
    make_folder(path.parent)
    text = json.dumps({"operator": tokens.operator, "reader": tokens.reader}, indent=2) + "\n"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another process was quicker
        return
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def _read(path: Path) -> Tokens:
    try:
        value = json.loads(path.read_text("utf-8"))
        operator, reader = str(value["operator"]), str(value["reader"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} can't be read as a file of tokens; delete it, and new ones are made") from error
    if min(len(operator), len(reader)) < SHORTEST or operator == reader:
        raise ConfigError(f"the tokens in {path} are too short or alike; delete it, and new ones are made")
    return Tokens(operator, reader)


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that signed in."""

    role: Role
    until: int
    nonce: str


class RevokedSessions:
    """Sessions that were ended before their time: an empty file for each, until its time is over."""

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
            log.warning("that somebody signed out can't be written down (%s): only this process knows it", error)
            self._unwritten.add(session)

    def _sweep(self) -> None:
        for path in self._folder.iterdir():
            until = path.name.partition(".")[0]
            if until.isdecimal() and int(until) < self._clock():
                path.unlink(missing_ok=True)

    def _path(self, session: Session) -> Path:
        return self._folder / f"{session.until}.{session.nonce}"


class Sessions:
    """Makes and checks the cookies of browsers."""

    def __init__(
        self, tokens: Callable[[], Tokens], lifetime: float, ended: RevokedSessions, clock: Callable[[], float] = time
    ) -> None:
        self._tokens = tokens
        self._lifetime = lifetime
        self._ended = ended
        self._clock = clock

    def begin(self, role: Role) -> tuple[Session, str]:
        """A new session, and the cookie's value."""
        session = Session(role, int(self._clock() + self._lifetime), secrets.token_urlsafe(12))
        plain = f"{session.role}.{session.until}.{session.nonce}"
        return session, f"{plain}.{self._sign('session', plain)}"

    def read(self, cookie: str) -> Session | None:
        """The session of a cookie, unless it is not ours, too old or ended."""
        plain, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("session", plain).encode()):
            return None
        role, until, nonce = plain.split(".")
        session = Session(Role(role), int(until), nonce)
        return session if session.until > self._clock() and session not in self._ended else None

    def end(self, session: Session) -> None:
        """Sign out: the cookie is of no use any more, wherever it was copied to."""
        self._ended.add(session)

    def form_token(self, session: Session) -> str:
        """What a form of this session has to carry, so that no other site can send one."""
        return self._sign("form", session.nonce)

    def is_form_token(self, session: Session, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.form_token(session).encode())

    def sign(self, data: bytes) -> str:
        """Something of ours to be shown again later, packed so that it fits into an address."""
        plain = urlsafe_b64encode(zlib.compress(data, 9)).decode()
        return f"{plain}.{self._sign('seal', plain)}"

    def verify(self, sealed: str) -> bytes | None:
        """What was sealed; nothing if that was not by us."""
        plain, _, signature = sealed.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("seal", plain).encode()):
            return None
        return zlib.decompress(urlsafe_b64decode(plain))

    def _sign(self, purpose: str, text: str) -> str:
        tokens = self._tokens()
        key = hashlib.sha256(f"recollect session\0{tokens.operator}\0{tokens.reader}".encode()).digest()
        return hmac.new(key, f"{purpose}\0{text}".encode(), hashlib.sha256).hexdigest()


class LoginThrottle:
    """Counts wrong tokens: after a few, an address has to wait, and after many, everybody who has no session."""

    def __init__(
        self, each: int = 5, total: int = 50, window: float = 60.0, clock: Callable[[], float] = monotonic
    ) -> None:
        self._each, self._total, self._window, self._clock = each, total, window, clock
        self._wrong: deque[tuple[float, str]] = deque(maxlen=total)

    def wait(self, address: str) -> int:
        """Seconds until this address may try again; 0 for now."""
        start = self._clock() - self._window
        while self._wrong and self._wrong[0][0] <= start:
            self._wrong.popleft()
        own = [at for at, who in self._wrong if who == address]
        blocking = own[-self._each] if len(own) >= self._each else None
        if len(self._wrong) >= self._total:
            blocking = self._wrong[0][0] if blocking is None else max(blocking, self._wrong[0][0])
        return 0 if blocking is None else int(blocking - start) + 1

    def note(self, address: str) -> None:
        self._wrong.append((self._clock(), address))
