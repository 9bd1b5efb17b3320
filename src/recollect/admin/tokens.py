"""Access tokens: one table of them for the REST API, the pages, the metrics and MCP.

`Admin.tokens`, or `AccessTokens(memory, clock)` where there is no `Admin`:

    issued = await tokens.create(Role.USER, "laptop", user="ana", lifetime=timedelta(days=90))
    issued.secret                       # shown once: only its digest is stored
    issued.token                        # AccessToken: id, role, label, user, place, created, expires, last_used
    await tokens.list()                 # all of them, newest first, expired ones too
    await tokens.check(secret)          # the AccessToken; None if unknown, wrong, revoked or expired
    await tokens.is_valid(reference)    # whether a session that was begun with `token.reference` may go on
    await tokens.rotate(id)             # the same token with a new secret, or None; the old one ends at once
    await tokens.revoke(id)             # the AccessToken that is gone, or None; it ends at once, in every process

A token of `Role.USER` is bound to one person and one place (by default their private conversation): who shows it reads
and changes that person's memory as visible there, and nothing else. It belongs to the person, so erasing them ends it.
The tokens in the settings (`http.token_file`, RECOLLECT_HTTP_TOKEN) are no part of the table and stay valid beside it.
"""

import hashlib
import hmac
import json
import logging
import secrets
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from recollect.core.clock import Clock
from recollect.core.errors import BadInput, StoreError
from recollect.core.ports import Tx
from recollect.core.state import Owner, StateKind
from recollect.core.types import Place
from recollect.memory import AsyncMemory

log = logging.getLogger("recollect")

PREFIX = "rcl_"
"""What every token starts with, so that it is recognized in a text, and redacted there."""
USE_INTERVAL = timedelta(minutes=1)
"""The resolution of `last_used`: not every request writes."""
MAX_LABEL_CHARS = 100
_ID_BYTES, _SECRET_BYTES = 5, 24


class Role(StrEnum):
    """The operator sees and changes everything; a reader sees it; metrics are numbers without anyone's words; a user
    sees and changes their own memory.
    """

    OPERATOR = "operator"
    READER = "reader"
    METRICS = "metrics"
    USER = "user"


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token as the table has it: everything but its secret."""

    id: str
    role: Role
    label: str
    created: datetime
    expires: datetime | None = None
    user: str | None = None
    """Whose memory it opens, as `person_key`; only with `Role.USER`."""
    place: Place | None = None
    """From where that memory is seen; only with `Role.USER`."""
    last_used: datetime | None = None
    """To the minute; None if never."""
    digest: str = field(default="", repr=False)

    def is_expired(self, now: datetime) -> bool:
        return self.expires is not None and self.expires <= now

    @property
    def reference(self) -> str:
        """Identifies the token and its present secret without revealing it; for sessions that are based on it."""
        return f"{self.id}-{self.digest[:16]}"


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token with its secret, which is never shown again."""

    token: AccessToken
    secret: str = field(repr=False)


class AccessTokens:
    def __init__(self, memory: AsyncMemory, clock: Clock) -> None:
        self._memory, self._clock = memory, clock
        self._uses: dict[str, datetime] = {}
        """When this process last stored that a token was used."""

    async def create(
        self,
        role: Role,
        label: str = "",
        *,
        user: str | None = None,
        place: Place | None = None,
        lifetime: timedelta | None = None,
    ) -> IssuedToken:
        """A new token; `user` and `place` go with `Role.USER` and no other. Raises BadInput."""
        label = " ".join(label.split())
        if len(label) > MAX_LABEL_CHARS:
            raise BadInput(f"the label has {len(label)} characters; at most {MAX_LABEL_CHARS} are kept")
        if (role is Role.USER) != (user is not None):
            raise BadInput("a token for a user needs the user, and no other token takes one")
        if place is not None and user is None:
            raise BadInput("only a token for a user is bound to a place")
        if lifetime is not None and lifetime <= timedelta():
            raise BadInput("a token has to last for some time")
        # An ambiguous id, or one of another platform, is refused: a token must never open someone else's memory.
        view = None if user is None else await self._memory.view_of(user, place, changes=True)
        now = self._clock()
        token = AccessToken(
            secrets.token_hex(_ID_BYTES),
            role,
            label,
            now,
            None if lifetime is None else now + lifetime,
            None if view is None else view.user,
            None if view is None else view.place,
        )
        return await self._issue(token)

    async def list(self) -> list[AccessToken]:
        """All tokens, newest first."""

        def work(tx: Tx) -> list[AccessToken]:
            tokens = [_read(tx, token_id) for token_id in tx.state.keys(StateKind.ACCESS_TOKEN)]
            return [token for token in tokens if token is not None]

        return sorted(await self._memory.store.read(work), key=lambda token: (token.created, token.id), reverse=True)

    async def revoke(self, token_id: str) -> AccessToken | None:
        """Delete a token; None when there is none with this id."""

        def work(tx: Tx) -> AccessToken | None:
            token = _read(tx, token_id)
            tx.state.clear(StateKind.ACCESS_TOKEN, token_id)
            tx.state.clear(StateKind.ACCESS_TOKEN_USE, token_id)
            return token

        return await self._memory.store.write(work)

    async def rotate(self, token_id: str) -> IssuedToken | None:
        """Give a token a new secret, and as long a life as it had; None when there is none with this id."""
        token = await self._memory.store.read(lambda tx: _read(tx, token_id))
        if token is None:
            return None
        now = self._clock()
        expires = None if token.expires is None else now + (token.expires - token.created)
        return await self._issue(replace(token, created=now, expires=expires, last_used=None))

    async def check(self, secret: str) -> AccessToken | None:
        """The token with this secret, as long as it is valid; its use is noted. Raises StoreError."""
        token_id, separator, _ = secret.removeprefix(PREFIX).partition("_")
        if not (separator and secret.startswith(PREFIX)):
            return None
        token = await self._memory.store.read(lambda tx: _read(tx, token_id))
        if token is None or not hmac.compare_digest(token.digest, _digest(secret)):
            return None
        now = self._clock()
        if token.is_expired(now):
            return None
        await self._note_use(token, now)
        return token

    async def is_valid(self, reference: str) -> bool:
        """Whether the token of a `reference` is still valid, with the secret that it had. Raises StoreError."""
        token = await self._memory.store.read(lambda tx: _read(tx, reference.partition("-")[0]))
        return token is not None and token.reference == reference and not token.is_expired(self._clock())

    async def _issue(self, token: AccessToken) -> IssuedToken:
        secret = f"{PREFIX}{token.id}_{secrets.token_hex(_SECRET_BYTES)}"
        issued = replace(token, digest=_digest(secret))

        def work(tx: Tx) -> None:
            tx.state.clear(StateKind.ACCESS_TOKEN, token.id)
            tx.state.clear(StateKind.ACCESS_TOKEN_USE, token.id)
            tx.state.append(StateKind.ACCESS_TOKEN, token.id, json.dumps(_to_json(issued)), _owner(token))

        await self._memory.store.write(work)
        self._uses.pop(token.id, None)
        return IssuedToken(issued, secret)

    async def _note_use(self, token: AccessToken, now: datetime) -> None:
        last = self._uses.get(token.id) or token.last_used
        if last is not None and now - last < USE_INTERVAL:
            return
        self._uses[token.id] = now

        def work(tx: Tx) -> None:
            if tx.state.count(StateKind.ACCESS_TOKEN, token.id):  # it may have been revoked meanwhile
                tx.state.clear(StateKind.ACCESS_TOKEN_USE, token.id)
                tx.state.append(StateKind.ACCESS_TOKEN_USE, token.id, now.isoformat(), _owner(token))

        try:
            await self._memory.store.write(work)
        except StoreError as error:  # a store that can't be written to can still be read
            log.warning("the use of an access token could not be noted: %s", error)


def _owner(token: AccessToken) -> Owner:
    """It goes with the person, and with the guild of its place."""
    return Owner.member(token.user, token.place.guild_key if token.place else None)


def _digest(secret: str) -> str:
    """A plain digest is enough: a secret has 192 random bits, so it can't be guessed from it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _read(tx: Tx, token_id: str) -> AccessToken | None:
    items = tx.state.items(StateKind.ACCESS_TOKEN, token_id)
    uses = tx.state.items(StateKind.ACCESS_TOKEN_USE, token_id)
    return _from_json(token_id, json.loads(items[-1]), uses[-1] if uses else None) if items else None


def _to_json(token: AccessToken) -> dict[str, Any]:
    place = None if token.place is None else {name: value for name, value in asdict(token.place).items() if value}
    return {
        "role": token.role.value,
        "label": token.label,
        "created": token.created.isoformat(),
        "expires": None if token.expires is None else token.expires.isoformat(),
        "user": token.user,
        "place": place,
        "digest": token.digest,
    }


def _from_json(token_id: str, record: dict[str, Any], last_used: str | None) -> AccessToken:
    known = {field.name for field in fields(Place)}
    place = record["place"]
    return AccessToken(
        token_id,
        Role(record["role"]),
        record["label"],
        datetime.fromisoformat(record["created"]),
        None if record["expires"] is None else datetime.fromisoformat(record["expires"]),
        record["user"],
        None if place is None else Place(**{name: value for name, value in place.items() if name in known}),
        None if last_used is None else datetime.fromisoformat(last_used),
        record["digest"],
    )
