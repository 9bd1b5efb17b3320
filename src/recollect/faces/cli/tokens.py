"""The command `tokens`: creates, lists, rotates and revokes the access tokens of the servers."""

import re
import sys
from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, NoReturn

import typer

from recollect.admin.tokens import AccessToken, AccessTokens, IssuedToken, Role
from recollect.core.clock import now
from recollect.core.errors import BadInput
from recollect.core.types import Place
from recollect.faces.cli import places
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail
from recollect.faces.cli.output import local_time, safe

_DURATION = re.compile(r"(\d{1,4})\s*([hdwmy])\w*", re.IGNORECASE)
_UNIT_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_COLUMNS = ["id", "role", "for", "label", "created", "expires", "last used"]


class Action(StrEnum):
    CREATE = "create"
    LIST = "list"
    REVOKE = "revoke"
    ROTATE = "rotate"


def tokens(
    call: Invocation,
    action: Annotated[Action, typer.Argument(metavar="ACTION", help="create, list, revoke or rotate.")] = Action.LIST,
    token_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="With revoke and rotate: the token's id.", show_default=False)
    ] = None,
    role: Annotated[
        Role | None,
        typer.Option(
            metavar="ROLE",
            help="With create: user (one person's memory, by MCP; the default), operator, reader or metrics.",
            show_default=False,
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(metavar="USER", help="With create: whose memory it opens; as --as.", show_default=False),
    ] = None,
    label: Annotated[str, typer.Option(metavar="TEXT", help="With create: what it is for.", show_default=False)] = "",
    expires: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="With create: after 12h, 90d, 4w, 1y; never by default.", show_default=False),
    ] = None,
) -> None:
    """Create, list and revoke access tokens for MCP, the REST API, the page and the metrics."""
    if action is Action.CREATE and token_id is not None:
        raise BadInput(f"'tokens create' takes no id; for the memory of {token_id}: --user {token_id}")
    if action is Action.LIST and token_id is not None:
        raise BadInput("'tokens list' takes no id; see 'recollect tokens --help'")
    if action is not Action.CREATE and (role or user or label or expires):
        raise BadInput(f"--role, --user, --label and --expires go with 'tokens create', not with 'tokens {action}'")
    match action:
        case Action.CREATE:
            _print_issued(call, _create(call, role or Role.USER, user, label, expires))
        case Action.LIST:
            _print_list(call, call.run(lambda memory: AccessTokens(memory, now).list()))
        case Action.REVOKE:
            _revoke(call, _required(token_id, action))
        case Action.ROTATE:
            _rotate(call, _required(token_id, action))


def _create(call: Invocation, role: Role, user: str | None, label: str, expires: str | None) -> IssuedToken:
    lifetime = _lifetime(expires)
    if user is not None and call.options.speaker is not None:
        raise BadInput("--user and --as say the same; give one of them")
    if role is not Role.USER:
        if user is not None or call.options.speaker is not None or call.options.place is not None:
            raise BadInput(f"a token of the role {role} is for no single user or place")
        return call.run(lambda memory: AccessTokens(memory, now).create(role, label, lifetime=lifetime))
    person = call.user if user is None else user.strip()
    if not person:
        raise BadInput("--user needs a name")
    place = None if call.options.place is None else places.parse(call.options.place, person, call.options.restricted)
    where = place if place is not None and place.dm is None else None
    return call.run(
        lambda memory: AccessTokens(memory, now).create(role, label, user=person, place=where, lifetime=lifetime)
    )


def _lifetime(text: str | None) -> timedelta | None:
    if text is None or text.strip().lower() == "never":
        return None
    match = _DURATION.fullmatch(text.strip())
    if match is None or int(match[1]) == 0:
        raise BadInput(f"{text!r} is no time for a token to last; write 12h, 90d, 4w, 1y or never")
    return timedelta(hours=int(match[1]) * _UNIT_HOURS[match[2].lower()])


def _revoke(call: Invocation, token_id: str) -> None:
    token = call.run(lambda memory: AccessTokens(memory, now).revoke(token_id))
    if token is None:
        _fail_unknown(token_id)
    if call.options.json:
        call.screen.data({"revoked": _to_json(token)})
    else:
        call.screen.say(f"Revoked: token {token.id} {_describe(token)} opens nothing any more")


def _rotate(call: Invocation, token_id: str) -> None:
    issued = call.run(lambda memory: AccessTokens(memory, now).rotate(token_id))
    if issued is None:
        _fail_unknown(token_id)
    _print_issued(call, issued)


def _required(token_id: str | None, action: Action) -> str:
    if token_id is None:
        raise BadInput(f"'tokens {action}' needs the id of a token; 'recollect tokens' lists them")
    return token_id.strip()


def _fail_unknown(token_id: str) -> NoReturn:
    fail(f"there is no token with the id {token_id[:40]!r}; 'recollect tokens' lists them", NO_MATCH)


def _print_issued(call: Invocation, issued: IssuedToken) -> None:
    """The secret alone on standard output, for scripts; its description on the error stream."""
    if call.options.json:
        call.screen.data({"token": _to_json(issued.token), "secret": issued.secret})
        return
    until = "never expires" if issued.token.expires is None else f"expires {local_time(issued.token.expires)}"
    print(f"recollect: token {issued.token.id} {safe(_describe(issued.token))}, {until}", file=sys.stderr)
    print("recollect: only its digest is stored, so it is not shown again; keep it now", file=sys.stderr, flush=True)
    call.screen.say(issued.secret)


def _print_list(call: Invocation, listed: Sequence[AccessToken]) -> None:
    if call.options.json:
        call.screen.data({"tokens": [_to_json(token) for token in listed]})
    elif not listed:
        call.screen.say(
            "No tokens yet; 'recollect tokens create' makes one. 'recollect serve --tokens' shows those of its file."
        )
    else:
        call.screen.table(_COLUMNS, [_row(token) for token in listed], "label")


def _row(token: AccessToken) -> list[str]:
    expiry = "never" if token.expires is None else local_time(token.expires)
    return [
        token.id,
        token.role.value,
        "" if token.user is None else f"{token.user} {_describe_place(token.place)}".strip(),
        token.label,
        local_time(token.created),
        f"{expiry} (expired)" if token.is_expired(now()) else expiry,
        "never" if token.last_used is None else local_time(token.last_used),
    ]


def _describe(token: AccessToken) -> str:
    label = f" ({token.label})" if token.label else ""
    if token.user is None:
        return f"for the role {token.role}{label}"
    return f"for the memory of {token.user} {_describe_place(token.place)}".strip() + label


def _describe_place(place: Place | None) -> str:
    if place is None or place.dm is not None:
        return ""
    return f"in #{place.name}" if place.name else f"in {place.session}"


def _to_json(token: AccessToken) -> dict[str, object]:
    return {
        "id": token.id,
        "role": token.role.value,
        "label": token.label,
        "user": token.user,
        "place": None if token.place is None else token.place.session,
        "created": token.created,
        "expires": token.expires,
        "expired": token.is_expired(now()),
        "last_used": token.last_used,
    }
