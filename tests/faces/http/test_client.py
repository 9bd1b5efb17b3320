"""The typed client against the real app."""

import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from fastapi import FastAPI

from recollect import AsyncMemory, Place, Refused
from recollect.client import ApiError, Client, SyncClient
from recollect.core.events import Event
from recollect.core.reasons import Reason
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Message, Status, Subject, Summary
from recollect.faces.http.api import describe
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import BASE, TOKENS, Served, asking

DEV = Place("discord", "g1", "c-dev", name="dev", public=True)


def transport(app: FastAPI) -> httpx.ASGITransport:
    return httpx.ASGITransport(app)


@pytest.fixture
async def remote(app: FastAPI) -> AsyncIterator[Client]:
    async with Client(BASE, TOKENS.operator, transport=transport(app)) as client:
        yield client


async def test_a_memo_comes_back_as_it_is_stored(remote: Client, memory: AsyncMemory):
    made = await remote.remember("Likes green tea", user="ann", kind=Kind.PREFERENCE, tags=["tea"], pinned=True)
    assert isinstance(made, Memo)
    stored = await memory.get(made.id, user="ann")
    (listed,) = (await remote.list(user="ann")).memos
    assert listed.subject == Subject("ann")
    assert listed == replace(stored, key=0), "all but the store's own number of it"


async def test_a_memos_whole_life(remote: Client):
    memo = await remote.remember("Likes green tea", user="ann")
    memo = await remote.update(memo, "Likes black tea", ["drinks"])
    assert (memo.text, memo.tags) == ("Likes black tea", ("drinks",))
    assert (await remote.pin(memo)).pinned
    assert (await remote.share(memo, Audience("dm", "ann"))).audience == Audience("dm", "ann")
    assert (await remote.forget(memo)).status is Status.DEPRECATED
    assert (await remote.list(user="ann")).total == 0
    offer = await remote.undoable(user="ann")
    assert [one["text"] for one in offer["restored"]] == ["Likes black tea"]
    assert await remote.undo(user="ann", change=offer["change"])
    assert (await remote.list(user="ann")).total == 1
    await remote.forget(memo)
    await remote.remember("Plays the cello", user="ann")
    assert (await remote.restore(memo)).active
    assert (await remote.list(user="ann")).total == 2
    kinds = [event.kind for event in await remote.history(memo)]
    assert kinds[-1] == "memo.added"
    assert "memo.retired" in kinds


async def test_a_memo_that_was_changed_since_is_left_as_it_is(remote: Client):
    memo = await remote.remember("Likes green tea", user="ann")
    changed = await remote.update(memo, "Likes white tea", version=memo.version)
    for change in (
        remote.update(memo, "Likes black tea", version=memo.version),
        remote.pin(memo, version=memo.version),
        remote.share(memo, EVERYWHERE, version=memo.version),
        remote.forget(memo, version=memo.version),
        remote.restore(memo, version=memo.version),
    ):
        with pytest.raises(ApiError, match="changed in the meantime") as refused:
            await change
        assert (refused.value.status, refused.value.version) == (409, changed.version)
    assert (await remote.list(user="ann")).memos == (changed,)
    assert not (await remote.forget(changed, version=changed.version)).active


async def test_remember_returns_refused_for_a_secret(remote: Client):
    assert await remote.remember("AKIAIOSFODNN7EXAMPLE", user="ann") == Refused(Reason.SECRET)


async def test_lore_is_a_guilds(remote: Client):
    memo = await remote.remember("The otter is our mascot", guild="g1")
    assert memo.subject == Subject.lore("g1")
    assert (await remote.pin(memo)).pinned


async def test_what_was_said_goes_in_and_prompts_and_results_come_out(remote: Client, clock: FakeClock):
    message = Message("m1", "ann", DEV, "We deploy with Terraform", clock(), "Ann")
    assert await remote.add(message)
    assert not await remote.add(message)
    await remote.remember("Prefers tea over coffee", user="discord:ann", audience=DEV.audience)
    (found,) = await remote.search("terraform", user="ann", place=DEV, over="messages")
    assert found.item == message
    (best, *_) = await remote.search("which drink?", user="ann", ranker="unified")
    assert isinstance(best.item, Memo)
    assert best.parts
    prompt = await remote.context(Message("m2", "ann", DEV, "which drink do I prefer?", clock()))
    assert "Prefers tea" in prompt.text
    assert all(line.reason for section in prompt.sections for line in section.lines)
    clock.advance(minutes=1)
    assert await remote.message_edited("discord", "m1", "We deploy with Ansible")
    assert await remote.message_deleted("discord", "m1")
    assert not await remote.message_deleted("discord", "m1")


async def test_numbers_the_log_export_and_erasure(remote: Client):
    await remote.remember("Collects porcelain otters", user="ann")
    assert (await remote.stats())["memos"] == 1
    (event,) = await remote.events(["memo.added"])
    assert (event.actor, event.scope) == ("operator", "user:ann")
    assert len((await remote.export(user="ann"))["memos"]) == 1
    with pytest.raises(ApiError, match="nothing was erased"):
        await remote.erase(user="ann", confirm="Ann")
    assert (await remote.erase(user="ann", confirm="ann"))["clean"]


async def test_an_event_has_its_reason_in_words_and_as_a_code(
    remote: Client, app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    memo = await remote.remember("Likes tea", user="ann")
    await remote.share(memo, EVERYWHERE)
    earlier_edition = Event("memo.revised", clock(), scope="user:ben", detail="audience everywhere")
    await memory.store.write(lambda tx: tx.events.add(earlier_edition))
    await memory.store.write(lambda tx: tx.events.add(replace(earlier_edition, detail="he felt like it")))
    odd, old, new = await remote.events(["memo.revised"])
    assert [(event.reason, event.detail) for event in (old, new)] == [(Reason.AUDIENCE_SET, "everywhere")] * 2
    assert (odd.reason, odd.text) == (None, "he felt like it")
    async with asking(app, {"Authorization": f"Bearer {TOKENS.reader}"}) as web:
        answer = (await web.get("/api/v1/events", params={"kind": "memo.revised"})).json()
    fields = [(event["reason"], event["code"], event["detail"]) for event in answer["events"]]
    assert fields[0] == ("he felt like it", None, "he felt like it")
    assert fields[1] == fields[2] == ("audience everywhere", "audience_set", "everywhere")


async def test_a_refused_request_raises_with_status_and_reason(remote: Client, app: FastAPI):
    with pytest.raises(ApiError, match="say whose memory") as refused:
        await remote.list()
    assert refused.value.status == 422
    memo = await remote.remember("Likes tea", user="ann")
    async with Client(BASE, TOKENS.reader, transport=transport(app)) as reader:
        with pytest.raises(ApiError, match="reader's token") as refused:
            await reader.forget(memo)
    assert refused.value.status == 403
    assert TOKENS.reader not in str(refused.value)


async def test_a_server_that_is_not_there_is_told():
    async with Client("http://127.0.0.1:1", TOKENS.operator, timeout=2) as nobody:
        with pytest.raises(ApiError, match="can't be reached") as refused:
            await nobody.stats()
    assert refused.value.status == 0


async def test_the_log_is_followed_as_it_is_written(served: Served):
    served.run(lambda memory: memory.remember("Likes tea", user="ann"))
    served.run(lambda memory: memory.remember("Works at Acme", user="ann"))
    async with Client(served.url, TOKENS.operator) as remote:
        heard = []
        async for event in remote.follow(after=0):
            heard.append((event.kind, event.scope))
            if len(heard) == 2:
                break
    assert heard == [("memo.added", "user:ann")] * 2


@pytest.mark.slow
async def test_the_client_has_a_method_for_every_operation_and_sends_what_is_described(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    sent: set[tuple[str, str]] = set()

    class Recording(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            path = request.url.path
            operation = describe()["paths"][path][request.method.lower()]
            parameters = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
            assert {*request.url.params} <= parameters, (path, request.url.params)
            sent.add((request.method, path))
            return await super().handle_async_request(request)

    async with Client(BASE, TOKENS.operator, transport=Recording(app)) as remote:
        talk = [Message(str(number), "ann", DEV, f"line {number}", clock(), "Ann") for number in range(4)]
        assert await remote.add_many(talk[:3]) == 3
        await remote.add(talk[3])
        page = await remote.messages(session=DEV.session, limit=10)
        assert (page.messages, page.next) == (tuple(talk), None)
        assert (await remote.message("2", platform="discord")).message == talk[2]
        clock.advance(minutes=1)
        await remote.message_edited("discord", "0", "line zero")
        await remote.message_deleted("discord", "0")
        await remote.context(talk[3], count_use=False)
        said = clock() - timedelta(days=9)
        memo = await remote.remember("Likes tea", user="discord:ann", audience=DEV.audience, said=said)
        other = await remote.remember("Plays the cello", user="discord:ann")
        assert isinstance(memo, Memo)
        assert memo.created == said
        assert isinstance(other, Memo)
        assert await remote.get(memo.id, user="discord:ann") == memo
        assert (await remote.why(memo)).memo == memo
        (person,) = await remote.people("ann")
        assert (person.user, person.memos, person.paused) == ("discord:ann", 2, False)
        assert not await remote.guilds()
        assert await remote.pause(user="discord:ann")
        assert not await remote.is_learning(user="discord:ann")
        assert await remote.resume(user="discord:ann")
        assert await remote.pause(guild="g1")
        assert await remote.resume(guild="g1")
        summary = Summary(DEV.session, "They talk.", 1, clock(), clock())
        await memory.store.write(lambda tx: tx.summaries.save(summary))
        assert (await remote.sessions()).items == (DEV.session,)
        assert await remote.summary(DEV.session) == summary
        assert await remote.summary_history(DEV.session) == [summary]
        assert await remote.reset(DEV.session)
        assert await remote.compare_rankers("tea", user="discord:ann")
        await remote.search("tea", user="discord:ann")
        assert (await remote.merge(memo, [other], "Likes tea and plays the cello")).id == memo.id
        (await remote.undoable(user="discord:ann"), await remote.undo(user="discord:ann"))
        await remote.redo(user="discord:ann")
        await remote.history(memo)
        await remote.update(memo, "Likes green tea")
        (await remote.pin(memo), await remote.share(memo, EVERYWHERE))
        (await remote.forget(memo), await remote.restore(memo), await remote.list(user="discord:ann"))
        assert (await remote.jobs())["counts"]["failed"] == 0
        assert await remote.retry_jobs() == 0
        with pytest.raises(ApiError):
            await remote.drop_job(999)
        with pytest.raises(ApiError):
            await remote.relearning("none")
        await remote.preview_relearning(user="discord:ann")
        await remote.relearn(user="discord:ann")
        (await remote.events(limit=1), await remote.stats(), await remote.export(user="discord:ann"))
        assert (await remote.preview_erasure(user="discord:ann"))["confirm"] == "discord:ann"
        await remote.erase(user="discord:ann", confirm="discord:ann")
    described = {(method.upper(), path) for path, methods in describe()["paths"].items() for method in methods}
    described = {operation for operation in described if operation[1].startswith("/api/v1/")}
    assert described - sent == {("GET", "/api/v1/events/stream")}, "`follow` is tested above"


def test_the_client_without_await_does_the_same(served: Served):
    with SyncClient(served.url, TOKENS.operator) as remote:
        memo = remote.remember("Likes tea", user="ann")
        assert isinstance(memo, Memo)
        assert [person.user for person in remote.people()] == ["ann"]
        assert next(remote.follow(after=0)).memo == memo.id
        with pytest.raises(ApiError) as refused:
            remote.get("none", user="ann")
        assert refused.value.status == 404
    public = {name for name in vars(Client) if not name.startswith("_")}
    assert public <= {*dir(SyncClient)}, "whatever one can do, the other can"


def test_without_httpx_the_extra_is_named():
    program = "import sys; sys.modules['httpx'] = None\nimport recollect.client"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "pip install 'recollect[client]'" in done.stderr
