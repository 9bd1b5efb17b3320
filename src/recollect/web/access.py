"""Who may do what: tokens in a file of the operator's, sessions of browsers, and a limit on guesses.

A token is shown to an API as `Authorization: Bearer …`; a browser trades it for a cookie that says the role and the
time, signed with a key made from the tokens, so nothing is kept between requests and new tokens end all sessions.
"""

import hashlib
import hmac
import json
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

from recollect.errors import ConfigError

SHORTEST = 16
"""Characters of a token that somebody chose."""
COOKIE = "recollect_session"


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
        raise ConfigError(f"RECOLLECT_WEB_TOKEN has fewer than {SHORTEST} characters; take a longer one")
    if operator is not None and (operator.startswith("#") or any(map(str.isspace, operator))):
        raise ConfigError("RECOLLECT_WEB_TOKEN has a space in it or is a comment; is there one behind it in its file?")
    made = not path.exists()
    if made:
        _write(path, Tokens(secrets.token_urlsafe(24), secrets.token_urlsafe(24)))
    found = _read(path)
    return Tokens(operator or found.operator, found.reader), made


def _write(path: Path, tokens: Tokens) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
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


class Sessions:
    """Makes and checks the cookies of browsers."""

    def __init__(self, tokens: Tokens, lifetime: float, clock: Callable[[], float] = time) -> None:
        self._key = hashlib.sha256(f"recollect session\0{tokens.operator}\0{tokens.reader}".encode()).digest()
        self._lifetime = lifetime
        self._clock = clock
        self._ended: dict[str, int] = {}

    def begin(self, role: Role) -> tuple[Session, str]:
        """A new session, and the cookie's value."""
        session = Session(role, int(self._clock() + self._lifetime), secrets.token_urlsafe(12))
        plain = f"{session.role}.{session.until}.{session.nonce}"
        return session, f"{plain}.{self._sign('session', plain)}"

    def read(self, cookie: str) -> Session | None:
        """The session of a cookie, unless it is not ours or too old."""
        plain, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("session", plain).encode()):
            return None
        role, until, nonce = plain.split(".")
        return Session(Role(role), int(until), nonce) if self._stands(int(until), nonce) else None

    def _stands(self, until: int, nonce: str) -> bool:
        return until > self._clock() and nonce not in self._ended

    def end(self, session: Session) -> None:
        """Sign out: the cookie is of no use to this process any more, wherever it was copied to."""
        self._ended = {nonce: until for nonce, until in self._ended.items() if until > self._clock()}
        self._ended[session.nonce] = session.until

    def form_token(self, session: Session) -> str:
        """What a form of this session has to carry, so that no other site can send one."""
        return self._sign("form", session.nonce)

    def is_form_token(self, session: Session, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.form_token(session).encode())

    def seal(self, data: bytes) -> str:
        """Something of ours to be shown again later, packed so that it fits into an address."""
        plain = urlsafe_b64encode(zlib.compress(data, 9)).decode()
        return f"{plain}.{self._sign('seal', plain)}"

    def unseal(self, sealed: str) -> bytes | None:
        """What was sealed; nothing if that was not by us."""
        plain, _, signature = sealed.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("seal", plain).encode()):
            return None
        return zlib.decompress(urlsafe_b64decode(plain))

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"{purpose}\0{text}".encode(), hashlib.sha256).hexdigest()


class Guesses:
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
