"""Access tokens: bound to what they open, kept as digests, and ended at once."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

import recollect
from recollect import AsyncMemory, Place
from recollect.admin import Admin
from recollect.admin.tokens import AccessTokens, Role
from recollect.core.errors import BadInput
from recollect.core.state import StateKind
from recollect.policy.redaction import redact
from recollect.privacy.target import ErasureTarget
from recollect.testing.clock import START, FakeClock
from tests import ground


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def memory(clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    async with recollect.AsyncMemory(ground.new(), embedder="null", clock=clock) as memory:
        yield memory


@pytest.fixture
def tokens(memory: AsyncMemory, clock: FakeClock) -> AccessTokens:
    return Admin(memory, clock).tokens


async def test_a_token_is_known_by_its_secret_which_is_stored_nowhere(memory: AsyncMemory, tokens: AccessTokens):
    issued = await tokens.create(Role.USER, "  my   laptop ", user="ana")
    assert await tokens.check(issued.secret) == issued.token
    assert (issued.token.user, issued.token.place, issued.token.label) == ("ana", Place(dm="ana"), "my laptop")
    rows = await memory.store.read(lambda tx: tx.state.naming(""))
    assert rows
    assert not any(issued.secret[15:] in f"{row.key} {row.item}" for row in rows)
    assert issued.secret not in f"{issued!r}"
    assert issued.secret not in redact(f"here is {issued.secret}, keep it safe").text
    other = await tokens.create(Role.USER, user="ben")
    mixed = issued.secret[:15] + other.secret[15:]
    for wrong in (mixed, issued.secret[:-1], issued.secret + "0", "", "rcl_", "rcl__", issued.secret[4:], "operator"):
        assert await tokens.check(wrong) is None


async def test_a_token_ends_when_it_is_revoked_rotated_or_expired(
    memory: AsyncMemory, tokens: AccessTokens, clock: FakeClock
):
    first = await tokens.create(Role.READER, "grafana", lifetime=timedelta(days=10))
    assert first.token.expires == START + timedelta(days=10)
    clock.advance(days=9)
    second = await tokens.rotate(first.token.id)
    assert second is not None
    assert second.token.id == first.token.id
    assert second.token.expires == START + timedelta(days=19)
    assert await tokens.check(first.secret) is None
    clock.advance(days=9, hours=23)
    assert await tokens.check(second.secret) is not None
    clock.advance(hours=1)
    assert await tokens.check(second.secret) is None
    assert [token.is_expired(clock()) for token in await tokens.list()] == [True]

    third = await tokens.create(Role.OPERATOR)
    elsewhere = AccessTokens(memory, clock)
    assert await elsewhere.check(third.secret) is not None
    revoked = await tokens.revoke(third.token.id)
    assert revoked is not None
    assert revoked.id == third.token.id
    assert await elsewhere.check(third.secret) is None
    assert await tokens.revoke("0000000000") is None
    assert await tokens.rotate("0000000000") is None


async def test_a_tokens_last_use_is_recorded_to_the_minute(memory: AsyncMemory, tokens: AccessTokens, clock: FakeClock):
    issued = await tokens.create(Role.METRICS, "prometheus")
    assert [token.last_used for token in await tokens.list()] == [None]
    clock.advance(hours=1)
    await tokens.check(issued.secret)
    used = clock()
    clock.advance(seconds=59)
    await tokens.check(issued.secret)
    assert [token.last_used for token in await tokens.list()] == [used]
    clock.advance(seconds=1)
    await AccessTokens(memory, clock).check(issued.secret)
    assert [token.last_used for token in await tokens.list()] == [clock()]
    await tokens.revoke(issued.token.id)
    assert await memory.store.read(lambda tx: tx.state.keys(StateKind.ACCESS_TOKEN_USE)) == []


async def test_a_user_s_token_is_for_exactly_the_one_who_was_meant(memory: AsyncMemory, tokens: AccessTokens):
    await memory.remember("Likes tea", user="discord:1042")
    with pytest.raises(BadInput, match="discord:1042"):
        await tokens.create(Role.USER, user="1042")
    assert (await tokens.create(Role.USER, user="discord:1042")).token.user == "discord:1042"
    dev = Place("discord", "g1", "c-dev", name="dev", public=True)
    in_a_channel = await tokens.create(Role.USER, user="1042", place=dev)
    assert (in_a_channel.token.user, in_a_channel.token.place) == ("discord:1042", dev)
    assert await tokens.check(in_a_channel.secret) is not None
    for role, user, place in ((Role.USER, None, None), (Role.READER, "ana", None), (Role.READER, None, dev)):
        with pytest.raises(BadInput):
            await tokens.create(role, user=user, place=place)
    with pytest.raises(BadInput, match="DM of 'ben'"):
        await tokens.create(Role.USER, user="ana", place=Place(dm="ben"))
    with pytest.raises(BadInput, match="label"):
        await tokens.create(Role.READER, "x" * 101)
    with pytest.raises(BadInput, match="last"):
        await tokens.create(Role.READER, lifetime=timedelta())


async def test_erasing_a_person_ends_their_tokens_and_no_others(memory: AsyncMemory, tokens: AccessTokens):
    await memory.remember("Likes tea", user="ana")
    hers, his = await tokens.create(Role.USER, user="ana"), await tokens.create(Role.USER, user="ben")
    await tokens.check(hers.secret)
    receipt = await memory.privacy.erase(ErasureTarget(user="ana"), asked_by="operator")
    assert receipt.clean
    assert await tokens.check(hers.secret) is None
    assert await tokens.check(his.secret) is not None
