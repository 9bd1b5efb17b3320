"""Memos through the API: each is listed, written, corrected, taken back and explained, whatever its ids are made of."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect import AsyncMemory, Place
from recollect.core.types import Audience, Message, Origin
from recollect.faces.http.app import create
from recollect.testing.clock import FakeClock
from recollect.testing.embedding_server import EmbeddingServer
from tests.faces.http.conftest import OPERATOR, TOKENS, asking, opened
from tests.waiting import eventually

DEV = Place("discord", "g1", "c-dev", name="dev", public=True)
ODD = ["a/b", "?x=1&y", "%2F%252F", "👩‍🚀 space", "..", "a b+c", "zurück\u202eknil", "#", "x" * 256]


async def wrote(client: httpx.AsyncClient, text: str, **more: Any) -> dict[str, Any]:
    answer = await client.post("/api/v1/memos", json={"user": "ann", "text": text, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()["memo"]


async def listed(client: httpx.AsyncClient, **params: Any) -> dict[str, Any]:
    answer = await client.get("/api/v1/memos", params={"user": "ann", **params})
    assert answer.status_code == 200, answer.text
    return answer.json()


def texts(page: dict[str, Any]) -> list[str]:
    return [memo["text"] for memo in page["memos"]]


async def test_a_memo_is_written_down_read_corrected_retired_and_brought_back(client: httpx.AsyncClient):
    memo = await wrote(client, "Likes green tea", kind="preference", tags=[" Tea ", "DRINKS"], pinned=True)
    assert (memo["kind"], memo["tags"], memo["pinned"]) == ("preference", ["tea", "drinks"], True)
    assert memo["source"]["actor"] == "operator"
    which = {"user": "ann", "id": memo["id"]}
    changed = await client.patch("/api/v1/memo", params=which, json={"text": "Likes black tea"})
    assert (changed.json()["id"], changed.json()["text"]) == (memo["id"], "Likes black tea")
    gone = await client.delete("/api/v1/memo", params=which)
    assert gone.json()["status"] == "deprecated"
    assert texts(await listed(client, status="active")) == []
    undone = (await client.post("/api/v1/memos/undo", json={"user": "ann"})).json()
    assert [one["text"] for one in undone["restored"]] == ["Likes black tea"]
    assert (await client.get("/api/v1/memo", params=which)).json()["status"] == "active"


async def test_a_memo_is_for_its_person_alone_unless_said_otherwise_and_the_answer_says_so(
    client: httpx.AsyncClient, memory: AsyncMemory
):
    answer = (await client.post("/api/v1/memos", json={"user": "discord:ann", "text": "Is HIV positive"})).json()
    assert answer["memo"]["audience"] == "dm:discord:ann"
    assert answer["heard"] == (
        "It may be recalled in the person's direct messages only; POST /api/v1/memo/share changes that."
    )
    assert (await memory.show(user="ann", place=DEV)).memos == ()
    which = {"user": "discord:ann", "id": answer["memo"]["id"]}
    shared = await client.post("/api/v1/memo/share", params=which, json={"audience": "everywhere"})
    assert shared.json()["audience"] == "everywhere"
    assert [memo.text for memo in (await memory.show(user="ann", place=DEV)).memos] == ["Is HIV positive"]
    told = await wrote(client, "Likes green tea", user="discord:ann", audience="everywhere")
    assert told["audience"] == "everywhere"


async def test_a_change_of_what_was_changed_since_is_refused_and_says_what_to_do(client: httpx.AsyncClient):
    memo = await wrote(client, "Likes green tea")
    which = {"user": "ann", "id": memo["id"]}
    seen = await client.get("/api/v1/memo", params=which)
    assert (memo["version"], seen.headers["etag"]) == (1, '"1"')
    changed = await client.patch("/api/v1/memo", params=which, json={"text": "Likes white tea", "version": 1})
    assert (changed.json()["version"], changed.headers["etag"]) == (2, '"2"')
    stale: list[tuple[str, str, dict[str, Any]]] = [
        ("PATCH", "/memo", {"json": {"text": "Likes black tea", "version": 1}}),
        ("PATCH", "/memo", {"json": {"text": "Likes black tea"}, "headers": {"If-Match": '"1"'}}),
        ("PATCH", "/memo", {"json": {"tags": ["tea"]}, "headers": {"If-Match": 'W/"1"'}}),
        ("DELETE", "/memo", {"headers": {"If-Match": '"1"'}}),
        ("DELETE", "/memo", {"params": {**which, "version": 1}}),
        ("POST", "/memo/pin", {"json": {"pinned": True, "version": 1}}),
        ("POST", "/memo/share", {"json": {"audience": "everywhere", "version": 1}}),
        ("POST", "/memo/restore", {"json": {"version": 1}}),
    ]
    for method, path, sent in stale:
        answer = await client.request(method, f"/api/v1{path}", **{"params": which, **sent})
        problem = answer.json()
        assert (answer.status_code, problem["version"], answer.headers["etag"]) == (409, 2, '"2"'), (path, sent)
        assert "Read it again, then repeat your change with version 2" in problem["detail"]
    assert (await client.get("/api/v1/memo", params=which)).json() == changed.json()
    for tag in ("*", '"3"'):
        answer = await client.patch("/api/v1/memo", params=which, json={"tags": [tag]}, headers={"If-Match": tag})
        assert answer.status_code == 200, tag
    wrong = await client.delete("/api/v1/memo", params=which, headers={"If-Match": '"abc"'})
    assert wrong.status_code == 422
    assert (await client.delete("/api/v1/memo", params=which, headers={"If-Match": '"4"'})).status_code == 200


async def test_what_may_not_be_remembered_is_refused_with_the_reason(client: httpx.AsyncClient):
    for text, reason in (("AKIAIOSFODNN7EXAMPLE", "secret"), ("  ", "empty")):
        answer = await client.post("/api/v1/memos", json={"user": "ann", "text": text})
        assert (answer.status_code, answer.json()["reason"]) == (422, reason)
    assert (await listed(client))["total"] == 0


async def test_of_many_who_change_a_memo_at_once_none_overwrites_another(client: httpx.AsyncClient):
    memo = await wrote(client, "Counts: 0")
    which = {"user": "ann", "id": memo["id"]}

    async def add_one() -> int:
        for tries in range(100):
            seen = await client.get("/api/v1/memo", params=which)
            count = int(seen.json()["text"].rpartition(" ")[2])
            change, match = {"text": f"Counts: {count + 1}"}, {"If-Match": seen.headers["etag"]}
            if (answer := await client.patch("/api/v1/memo", params=which, json=change, headers=match)).is_success:
                return tries
            assert answer.status_code == 409
        raise AssertionError("never got through")

    tries = await asyncio.gather(*(add_one() for _ in range(8)))
    assert (await client.get("/api/v1/memo", params=which)).json()["text"] == "Counts: 8"
    assert sum(tries) > 0, "they met"


async def test_an_undo_names_its_change_and_takes_back_no_other(client: httpx.AsyncClient):
    memo = await wrote(client, "Likes green tea")
    assert (await client.get("/api/v1/memos/undo", params={"user": "ben"})).json()["change"] is None
    await client.post("/api/v1/memo/pin", params={"user": "ann", "id": memo["id"]}, json={"pinned": True})
    offer = (await client.get("/api/v1/memos/undo", params={"user": "ann"})).json()
    assert (offer["actor"], offer["refused"]) == ("operator", "")
    assert [(one["text"], one["pinned"]) for one in offer["restored"]] == [("Likes green tea", False)]
    await wrote(client, "Plays the cello")
    other = {"user": "ann", "id": memo["id"]}
    await client.post("/api/v1/memo/share", params=other, json={"audience": "everywhere"})
    late = await client.post("/api/v1/memos/undo", json={"user": "ann", "change": offer["change"]})
    assert (late.status_code, late.headers["content-type"]) == (409, "application/problem+json")
    assert "in the meantime" in late.json()["detail"]
    assert sorted(texts(await listed(client, status="active"))) == ["Likes green tea", "Plays the cello"]
    named = {"user": "ann", "change": offer["change"]}
    assert "in the meantime" in (await client.get("/api/v1/memos/undo", params=named)).json()["refused"]
    await client.post("/api/v1/memos/undo", json={"user": "ann"})
    assert (await client.get("/api/v1/memos/undo", params=named)).json()["change"] == offer["change"]
    done = (await client.post("/api/v1/memos/undo", json={"user": "ann", "change": offer["change"]})).json()
    assert [(one["text"], one["pinned"]) for one in done["restored"]] == [("Likes green tea", False)], (
        "not the last one"
    )
    assert sorted(texts(await listed(client, status="active"))) == ["Likes green tea", "Plays the cello"]


async def test_an_undo_is_redone_once(client: httpx.AsyncClient):
    await wrote(client, "Likes green tea")
    await client.post("/api/v1/memos/undo", json={"user": "ann"})
    assert texts(await listed(client, status="active")) == []
    done = (await client.post("/api/v1/memos/redo", json={"user": "ann"})).json()
    assert (done["redone"], [one["text"] for one in done["restored"]]) == (True, ["Likes green tea"])
    assert texts(await listed(client, status="active")) == ["Likes green tea"]
    assert not (await client.post("/api/v1/memos/redo", json={"user": "ann"})).json()["redone"]


async def test_an_undo_is_refused_where_the_last_change_came_with_a_deleted_message(
    client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    where = Place("discord", "g1", "c1", public=True)
    await wrote(client, "Plays the cello", user="discord:ann")
    await memory.add(Message("7", "ann", where, "I live in Ghent", clock()))
    await memory.remember("Lives in Ghent", user="ann", place=where, message="7", origin=Origin.DISCORD)
    await memory.message_deleted("discord", "7")
    offer = (await client.get("/api/v1/memos/undo", params={"user": "ann"})).json()
    assert offer["change"] is None
    assert "deleted" in offer["refused"]
    answer = await client.post("/api/v1/memos/undo", json={"user": "discord:ann"})
    assert (answer.status_code, answer.json()["detail"]) == (409, offer["refused"])
    assert texts(await listed(client, status="active")) == ["Plays the cello"]


async def test_what_was_said_before_is_merged_and_the_changes_say_so(client: httpx.AsyncClient):
    first = await wrote(client, "Works at Acme")
    again = (await client.post("/api/v1/memos", json={"user": "ann", "text": "Works at Acme"})).json()
    assert again["memo"]["id"] == first["id"]
    assert [change["done"] for change in again["changes"]] != ["added"]


async def test_a_secret_is_not_written_down(client: httpx.AsyncClient):
    memo = await wrote(client, "Deploys on Tuesdays with the key " + "AKIA" + "IOSFODNN7EXAMPLE")
    assert "IOSFODNN7" not in memo["text"]
    alone = {"user": "ann", "text": "The key is " + "AKIA" + "IOSFODNN7EXAMPLE"}
    assert (await client.post("/api/v1/memos", json=alone)).status_code == 422


async def test_lists_are_filtered_and_paged_with_the_total(client: httpx.AsyncClient, clock: FakeClock):
    for number in range(5):
        await wrote(client, f"Owns the book number {number}", kind="fact")
        clock.advance(minutes=1)
    retired = await wrote(client, "Likes tea", kind="preference")
    await client.delete("/api/v1/memo", params={"user": "ann", "id": retired["id"]})
    page = await listed(client, kind="fact", limit=2)
    assert (texts(page), page["total"]) == (["Owns the book number 4", "Owns the book number 3"], 5)
    await wrote(client, "Owns a newer book", kind="fact")
    page = await listed(client, kind="fact", limit=2, cursor=page["next"])
    assert texts(page) == ["Owns the book number 2", "Owns the book number 1"], "a newer one moves nothing"
    page = await listed(client, kind="fact", limit=2, cursor=page["next"])
    assert (texts(page), page["next"]) == (["Owns the book number 0"], None)
    assert texts(await listed(client, part="NUMBER 4")) == ["Owns the book number 4"]
    assert texts(await listed(client, status="deprecated")) == ["Likes tea"]
    assert (await listed(client, kind=["fact", "preference"]))["total"] == 7


async def test_one_memo_stands_for_others_and_undo_brings_all_back(client: httpx.AsyncClient):
    keep, other = await wrote(client, "Plays the cello"), await wrote(client, "Owns a house in Lyon")
    body = {"user": "ann", "keep": keep["id"], "others": [other["id"]], "text": "Plays the cello in Lyon"}
    outdated = await client.post("/api/v1/memos/merge", json={**body, "versions": {other["id"]: other["version"] + 1}})
    assert (outdated.status_code, outdated.json()["version"]) == (409, other["version"])
    merged = await client.post("/api/v1/memos/merge", json={**body, "versions": {other["id"]: other["version"]}})
    assert merged.json()["text"] == "Plays the cello in Lyon"
    assert texts(await listed(client, status="active")) == ["Plays the cello in Lyon"]
    await client.post("/api/v1/memos/undo", json={"user": "ann"})
    assert sorted(texts(await listed(client, status="active"))) == ["Owns a house in Lyon", "Plays the cello"]


async def test_a_memo_is_pinned_and_shared(client: httpx.AsyncClient):
    memo = await wrote(client, "Lives in Lisbon")
    which = {"user": "ann", "id": memo["id"]}
    assert (await client.post("/api/v1/memo/pin", params=which, json={})).json()["pinned"] is True
    assert (await client.post("/api/v1/memo/pin", params=which, json={"pinned": False})).json()["pinned"] is False
    shared = await client.post("/api/v1/memo/share", params=which, json={"audience": "dm:ann"})
    assert shared.json()["audience"] == "dm:ann"
    wrong = await client.post("/api/v1/memo/share", params=which, json={"audience": "the moon"})
    assert wrong.status_code == 422


async def test_history_and_why_tell_who_changed_what_and_which_message_said_it(
    client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    said = Message("m1", "ann", DEV, "I live in Lisbon", clock(), "Ann")
    await memory.add(said)
    done = await memory.remember(
        "Lives in Lisbon", user="ann", place=DEV, message="m1", audience=Audience("guild", "g1", "g1")
    )
    which = {"user": "discord:ann", "id": done.memo.id}
    await client.patch("/api/v1/memo", params=which, json={"text": "Lives in Lisbon since May"})
    events = (await client.get("/api/v1/memo/history", params={**which, "user": "ann"})).json()["events"]
    assert [(event["kind"], event["actor"]) for event in events] == [
        ("memo.revised", "operator"),
        ("memo.added", "discord:ann"),
    ]
    assert events[0]["data"]["before"]["text"] == "Lives in Lisbon"
    other = await memory.remember("Speaks Portuguese", user="ann", place=DEV, message="m1")
    why = (await client.get("/api/v1/memo/why", params={"user": "ann", "id": other.memo.id})).json()
    assert why["message"]["text"] == "I live in Lisbon"
    assert why["message"]["place"]["session"] == DEV.session


async def test_lore_belongs_to_its_guild(client: httpx.AsyncClient):
    answer = await client.post("/api/v1/memos", json={"guild": "g1", "text": "The otter is our mascot"})
    memo = answer.json()["memo"]
    assert (memo["user"], memo["guild"], memo["kind"], memo["audience"]) == (None, "g1", "lore", "guild:g1")
    page = (await client.get("/api/v1/memos", params={"guild": "g1"})).json()
    assert texts(page) == ["The otter is our mascot"]


@pytest.mark.parametrize("name", ODD)
async def test_ids_may_have_any_characters(client: httpx.AsyncClient, memory: AsyncMemory, name: str):
    answer = await client.post("/api/v1/memos", json={"user": name, "text": "Likes tea"})
    which = {"user": name, "id": answer.json()["memo"]["id"]}
    assert (await client.get("/api/v1/memo", params=which)).json()["user"] == name
    pinned = await client.post("/api/v1/memo/pin", params=which, json={"pinned": True})
    assert pinned.json()["pinned"] is True
    found = (await client.get("/api/v1/people", params={"part": name})).json()["people"]
    assert [(person["user"], person["memos"]) for person in found] == [(name, 1)]
    assert (await client.get("/api/v1/memo", params={"user": "ann", "id": name})).status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        {"user": "ann"},
        {"text": "Likes tea"},
        {"user": "ann", "guild": "g1", "text": "Likes tea"},
        {"user": "__lore__", "text": "Likes tea"},
        {"user": "  ", "text": "Likes tea"},
        {"user": "ann", "text": ""},
        {"user": "ann", "text": " \n "},
        {"user": "ann", "text": "x" * 8_001},
        {"user": "a" * 513, "text": "Likes tea"},
        {"user": "ann", "text": "Likes tea", "colour": "green"},
        {"user": "ann", "text": "Likes tea", "kind": "gossip"},
        {"user": "ann", "text": "Likes tea", "audience": "guild:"},
        {"user": "ann", "text": "Likes tea", "happened": "2025-05-01T12:00:00"},
        {"user": "ann", "text": "Likes tea", "happened": "0001-01-01T00:00:00+14:00"},
        {"user": "ann", "text": "Likes tea", "tags": ["x"] * 51},
        {"user": "ann\ud800", "text": "Likes tea"},
        {"user": "ann", "text": "Likes tea", "\ud800": 1},
        ["ann"],
    ],
)
async def test_an_invalid_body_is_refused_with_a_reason(client: httpx.AsyncClient, body: Any):
    said = {"content": json.dumps(body), "headers": {"content-type": "application/json"}}  # half characters, too
    answer = await client.post("/api/v1/memos", **said)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"]
    assert (await client.get("/api/v1/stats")).json()["memos"] == 0


async def test_times_are_kept_in_utc(client: httpx.AsyncClient):
    memo = await wrote(client, "Moved to Lisbon", happened="2025-05-01T12:00:00+02:00")
    assert memo["happened"] == "2025-05-01T10:00:00Z"


async def test_unknown_memos_and_parameters_are_told(client: httpx.AsyncClient):
    which = {"user": "ann", "id": "nothing"}
    for method, path, body in [
        ("GET", "/memo", None),
        ("PATCH", "/memo", {"text": "x y"}),
        ("DELETE", "/memo", None),
        ("POST", "/memo/pin", {}),
        ("POST", "/memo/share", {"audience": "everywhere"}),
        ("GET", "/memo/history", None),
        ("GET", "/memo/why", None),
    ]:
        answer = await client.request(method, f"/api/v1{path}", params=which, json=body)
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json"), path
    misspelt = await client.get("/api/v1/memos", params={"user": "ann", "statuss": "active"})
    assert misspelt.status_code == 422
    assert "statuss" in misspelt.json()["detail"]
    memo = await wrote(client, "Likes tea")
    nothing = await client.patch("/api/v1/memo", params={"user": "ann", "id": memo["id"]}, json={})
    assert nothing.status_code == 422


async def test_a_second_value_is_refused_where_one_is_meant_and_welcome_where_several_are(client: httpx.AsyncClient):
    await wrote(client, "Likes green tea", kind="preference")
    twice = await client.get("/api/v1/memos?user=bob&user=ann")
    assert (twice.status_code, "'user' is given more than once" in twice.json()["detail"]) == (422, True)
    several = await client.get("/api/v1/memos?user=ann&kind=fact&kind=preference")
    assert texts(several.json()) == ["Likes green tea"]


async def test_where_durable_memory_is_switched_off_nothing_can_be_written_down(tmp_path: Path, clock: FakeClock):
    async with (
        opened(tmp_path, clock, memos={"enabled": False}) as memory,
        asking(create(memory, TOKENS, clock=clock), OPERATOR) as client,
    ):
        for body in ({"user": "ann", "text": "Likes tea"}, {"guild": "g1", "text": "We meet on Mondays"}):
            answer = await client.post("/api/v1/memos", json=body)
            assert answer.status_code == 422
            assert answer.json()["detail"].startswith("durable memory is switched off; switch it on with")
        assert texts(await listed(client)) == []


async def test_what_the_operator_writes_or_merges_gets_its_vector_without_another_write(
    tmp_path: Path, clock: FakeClock
):
    async with (
        EmbeddingServer() as server,
        opened(tmp_path, clock, embedder="openai:m", embedder_base_url=server.url) as memory,
        asking(create(memory, TOKENS, clock=clock), OPERATOR) as client,
    ):

        async def embedded(text: str) -> None:
            await eventually(lambda: any(text in request.texts for request in server.requests))

        kept = await wrote(client, "Plays the cello in an orchestra")
        await embedded(kept["text"])
        other = await wrote(client, "Has a string instrument at home")
        await embedded(other["text"])
        merging = {"user": "ann", "keep": kept["id"], "others": [other["id"]], "text": "Plays the cello everywhere"}
        assert (await client.post("/api/v1/memos/merge", json=merging)).status_code == 200
        await embedded("Plays the cello everywhere")


async def restored(
    client: httpx.AsyncClient, memo: dict[str, Any], status: int = 200, user: str = "ann"
) -> dict[str, Any]:
    answer = await client.post("/api/v1/memo/restore", params={"user": user, "id": memo["id"]})
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_a_retired_memo_is_restored_after_other_changes_and_that_can_be_undone(client: httpx.AsyncClient):
    memo = await wrote(client, "Likes green tea")
    await client.delete("/api/v1/memo", params={"user": "ann", "id": memo["id"]})
    await wrote(client, "Plays the cello")
    answer = await restored(client, memo)
    assert (answer["restored"], answer["memo"]["status"], answer["replaced"]) == (True, "active", [])
    assert sorted(texts(await listed(client, status="active"))) == ["Likes green tea", "Plays the cello"]
    assert (await restored(client, memo))["restored"] is False
    await client.post("/api/v1/memos/undo", json={"user": "ann"})
    assert texts(await listed(client, status="active")) == ["Plays the cello"]


async def test_what_contradicts_a_restored_memo_gives_way_and_is_named(client: httpx.AsyncClient):
    memo = await wrote(client, "Works at Acme Corp")
    newer = await wrote(client, "Works at Globex")
    assert (await client.get("/api/v1/memo", params={"user": "ann", "id": memo["id"]})).json()["status"] == "superseded"
    answer = await restored(client, memo)
    assert [one["id"] for one in answer["replaced"]] == [newer["id"]]
    assert texts(await listed(client, status="active")) == ["Works at Acme Corp"]


async def test_a_memo_whose_message_is_gone_or_that_nobody_knows_is_not_restored(
    client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    await memory.add(Message("m1", "ann", DEV, "I like green tea", clock()))
    memo = (await memory.remember("Likes green tea", user="ann", place=DEV, message="m1", origin=Origin.DISCORD)).memo
    await memory.forget(memo.id, user="discord:ann")
    await memory.store.write(lambda tx: tx.messages.delete("discord", "m1", clock()))  # as by an earlier version
    refusal = await restored(client, {"id": memo.id}, 409, "discord:ann")
    assert "message was deleted" in refusal["detail"]
    await memory.add(Message("m2", "ann", DEV, "I live in Ghent", clock()))
    other = await memory.remember("Lives in Ghent", user="ann", place=DEV, message="m2", origin=Origin.DISCORD)
    await memory.message_deleted("discord", "m2")
    for gone in (other.memo.id, "durable-none"):
        await restored(client, {"id": gone}, 404, "discord:ann")


async def test_a_reader_restores_nothing(client: httpx.AsyncClient, reader: httpx.AsyncClient):
    memo = await wrote(client, "Likes green tea")
    await client.delete("/api/v1/memo", params={"user": "ann", "id": memo["id"]})
    await restored(reader, memo, 403)
    assert texts(await listed(client, status="active")) == []
