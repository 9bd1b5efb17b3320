"""Memos on the page: listed, filtered, changed under the operator's name, and undone."""

import re
from dataclasses import replace
from html import unescape

import pytest
from fastapi import FastAPI

from recollect import AsyncMemory
from recollect.admin import Admin
from recollect.core.events import Event
from recollect.core.outcomes import Forgotten
from recollect.core.types import Audience, Memo, Message, Origin, Place, Status, Subject, Summary
from recollect.faces.http.pages import memos as memos_page
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import READER, TOKENS, asking
from tests.faces.http.visiting import PAGE, Visitor, hidden, text_of, visiting

DEV = Place("discord", "77", "701", name="dev", public=True)
ODD = ["a/b", "?", "%2F", "🦦 otter", "x&user=y", "#1", "a b+c", "..", "'\"<>", "\u202eevil"]


@pytest.fixture
async def memo(memory: AsyncMemory) -> Memo:
    return (await memory.remember("Likes green tea", user="ann", tags=["drink"])).memo


async def state(memory: AsyncMemory, memo: Memo) -> Memo:
    found = await memory.store.read(lambda tx: tx.memos.get(memo.subject, memo.id))
    assert found is not None
    return found


def rows(page: str) -> str:
    """The list of memos, without what stands above it."""
    return page.partition("<tbody>")[2]


async def press(visitor: Visitor, page: str, action: str) -> str:
    """Send the undo form of a page; the page that it leads to."""
    button = re.search(r'name="change" value="(\d+)"', page)
    assert button, page
    return await visitor.follow(await visitor.send(action, user="ann", change=button[1], back=hidden(page, "back")))


async def test_people_are_listed_with_how_much_is_known_and_found_by_id_or_name(app: FastAPI, memory: AsyncMemory):
    said = Message("1", "u1", DEV, "I like otters", FakeClock()(), name="Ottilie")
    await memory.add(said)
    source = {"user": "u1", "place": DEV, "message": "1", "origin": Origin.DISCORD}
    await memory.remember("Likes otters", **source)
    await memory.remember("Likes tea", user="ben")
    async with visiting(app) as visitor:
        page = text_of(await visitor.see("/people"))
        assert "Ottiliediscord:u1" in page
        assert "ben" in page
        for part, other in (("U1", "ben"), ("ottil", "ben"), ("BEN", "Ottilie")):
            found = text_of(await visitor.see("/people", part=part))
            assert other not in found
        assert "Nobody whose id or name contains" in await visitor.see("/people", part="zed")


async def test_a_long_list_of_people_goes_on_on_the_next_page(app: FastAPI, memory: AsyncMemory):
    for number in range(60):
        await memory.remember("Likes tea", user=f"user-{number:02}")
    async with visiting(app) as visitor:
        page = await visitor.see("/people")
        assert "user-49" in page
        assert "user-50" not in page
        more = re.search(r'href="(/people\?after=[^"]+)"', page)
        assert more
        rest = await visitor.see(unescape(more[1]))
        assert "user-50" in rest
        assert "user-59" in rest
        assert "user-49" not in rest


async def test_a_memo_shows_its_kind_words_source_audience_and_certainty(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    said = Message("9001", "ann", DEV, "I'm allergic to nuts, sadly", clock(), name="Ann")
    await memory.add(said)
    await memory.remember(
        "Is allergic to nuts",
        user="ann",
        place=DEV,
        message="9001",
        origin=Origin.DISCORD,
        kind="constraint",
        confidence=0.9,
        audience=DEV.audience,
        pinned=True,
    )
    async with visiting(app) as visitor:
        typed = await visitor.client.get("/people/memos", params={"user": "ann", "part": "nuts"})
        assert typed.headers["location"] == "/people/memos?user=discord%3Aann&part=nuts"
        page = await visitor.follow(typed)
        told = text_of(page)
        for words in ("Is allergic to nuts", "constraint", "pinned", "#dev", "server", "90 %"):
            assert words in told
        assert 'href="https://discord.com/channels/77/701/9001"' in page
        assert 'href="/message?platform=discord&amp;id=9001"' in page
        assert "I'm allergic to nuts, sadly" in text_of(await visitor.see("/message", platform="discord", id="9001"))


async def test_a_source_that_is_not_on_discord_leads_to_the_journal_alone(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    where = Place("slack", "g", "c", name="dev", public=True)
    await memory.add(Message("5", "ann", where, "I like tea", clock()))
    await memory.remember("Likes tea", user="ann", place=where, message="5", origin=Origin.TOOL)
    async with visiting(app) as visitor:
        page = await visitor.see("/people/memos", user="slack:ann")
        assert "discord.com" not in page
        assert 'href="/message?platform=slack&amp;id=5"' in page


async def test_the_filter_looks_at_words_kind_and_status(app: FastAPI, memory: AsyncMemory):
    await memory.remember("Likes green tea", user="ann", kind="preference")
    await memory.remember("Works at Globex", user="ann", kind="fact")
    await memory.forget("Globex", user="ann")
    async with visiting(app) as visitor:
        assert "Globex" not in rows(await visitor.see("/people/memos", user="ann"))
        assert "Globex" in await visitor.see("/people/memos", user="ann", status="retired")
        both = await visitor.see("/people/memos", user="ann", status="all")
        assert "Globex" in both
        assert "green tea" in both
        assert "green tea" in await visitor.see("/people/memos", user="ann", part="GREEN")
        assert "Nothing matches" in await visitor.see("/people/memos", user="ann", part="coffee")
        assert "Nothing matches" in await visitor.see("/people/memos", user="ann", kind="project")


async def test_a_script_that_filters_gets_the_list_alone(app: FastAPI, memo: Memo):
    async with visiting(app) as visitor:
        answer = await visitor.client.get("/people/memos?user=ann&part=tea", headers={"x-fragment": "1"})
    assert "Likes green tea" in answer.text
    assert "<html" not in answer.text
    assert '<nav aria-label="Pages"' not in answer.text


async def test_many_memos_are_shown_page_by_page(app: FastAPI, memory: AsyncMemory):
    for number in range(memos_page.PAGE_SIZE + 3):
        await memory.remember(f"Owns the record number {number} of the series", user="ann", kind="fact")
    async with visiting(app) as visitor:
        first = await visitor.see("/people/memos", user="ann", part="series")
        older = re.search(r'href="([^"]+)" rel="next"', first)
        assert older
        second = await visitor.see(unescape(older[1]))
    assert "record number 2 of" not in first
    assert "record number 2 of" in second
    assert "26–28 of 28" in second
    assert 'rel="prev"' in second


async def test_words_and_tags_are_changed_and_the_change_is_undone(app: FastAPI, memory: AsyncMemory, memo: Memo):
    async with visiting(app) as visitor:
        done = await visitor.send("/memo/revise", user="ann", memo=memo.id, text="Likes white tea", tags="Drink, tea")
        page = await visitor.follow(done)
        now = await state(memory, memo)
        assert (now.text, now.tags) == ("Likes white tea", ("drink", "tea"))
        assert "Saved." in page
        assert "<del>green </del><ins>white </ins>" in page
        event = (await memory.log(user="ann", limit=1))[0]
        assert event.actor == "operator"
        page = await press(visitor, page, "/memos/undo")
        assert "undone" in page
    now = await state(memory, memo)
    assert (now.text, now.tags) == ("Likes green tea", ("drink",))


async def test_a_change_that_is_refused_keeps_what_was_typed(app: FastAPI, memory: AsyncMemory, memo: Memo):
    endless = "tea and " * 1_500
    async with visiting(app) as visitor:
        answer = await visitor.send("/memo/revise", 422, user="ann", memo=memo.id, text=endless)
        assert 'role="alert"' in answer.text
        assert "too long to remember" in answer.text
        assert f">{endless}</textarea>" in answer.text
    assert (await state(memory, memo)).text == "Likes green tea"


async def test_pin_unpin_and_retire_lead_back_to_the_same_list(app: FastAPI, memory: AsyncMemory, memo: Memo):
    back = "/people/memos?user=ann&part=tea"
    async with visiting(app) as visitor:
        done = await visitor.send("/memos/pin", user="ann", memo=memo.id, back=back)
        assert done.headers["location"].startswith(f"{back}&done=pinned&undo=")
        assert (await state(memory, memo)).pinned
        await visitor.send("/memos/unpin", user="ann", memo=memo.id, back=back)
        assert not (await state(memory, memo)).pinned
        page = await visitor.follow(await visitor.send("/memos/retire", user="ann", memo=memo.id, back=back))
        assert "Forgotten" in page
        assert (await state(memory, memo)).status is Status.DEPRECATED
        await press(visitor, page, "/memos/undo")
    assert (await state(memory, memo)).active


async def test_a_form_leads_to_no_other_site(app: FastAPI, memo: Memo):
    async with visiting(app) as visitor:
        done = await visitor.send("/memos/pin", user="ann", memo=memo.id, back="//evil.example/x")
    assert done.headers["location"].startswith("/people/memos?user=ann&done=pinned")


async def test_nothing_is_undone_when_the_memory_changed_meanwhile(app: FastAPI, memory: AsyncMemory, memo: Memo):
    async with visiting(app) as visitor:
        page = await visitor.follow(await visitor.send("/memos/pin", user="ann", memo=memo.id))
        await memory.update(memo.id, "Likes white tea", user="ann")
        page = await press(visitor, page, "/memos/undo")
        assert "changed meanwhile" in page
    assert (await state(memory, memo)).pinned
    assert (await state(memory, memo)).text == "Likes white tea"


async def test_what_the_page_offers_is_undone_though_something_else_was_changed_since(
    app: FastAPI, memory: AsyncMemory, memo: Memo
):
    async with visiting(app) as visitor:
        page = await visitor.follow(await visitor.send("/memos/pin", user="ann", memo=memo.id))
        await memory.remember("Plays the cello", user="ann")
        assert "is undone" in await press(visitor, page, "/memos/undo")
    assert not (await state(memory, memo)).pinned
    assert "Plays the cello" in [one.text for one in (await memory.show(user="ann")).memos]


async def test_after_an_undo_the_page_offers_to_redo_it(app: FastAPI, memory: AsyncMemory, memo: Memo):
    async with visiting(app) as visitor:
        page = await visitor.follow(await visitor.send("/memos/pin", user="ann", memo=memo.id))
        assert ">Redo</button>" not in page
        page = await press(visitor, page, "/memos/undo")
        assert ">Redo</button>" in page
        page = await press(visitor, page, "/memos/redo")
        assert "The change holds again." in page
        assert ">Redo</button>" not in page
    assert (await state(memory, memo)).pinned


async def test_what_changed_nothing_offers_no_undo_of_something_else(app: FastAPI, memory: AsyncMemory, memo: Memo):
    async with visiting(app) as visitor:
        for path, fields in (
            ("/memo/revise", {"memo": memo.id, "text": memo.text, "tags": "drink"}),
            ("/memos/retire", {"memo": memo.id}),
        ):
            done = await visitor.send(path, user="ann", **fields)
            assert ("undo=" in done.headers["location"]) is (path == "/memos/retire")
        await memory.undo(user="ann")
        page = await visitor.see("/memo", user="ann", id=memo.id, done="retired", undo="3")
        assert 'class="flash"' in page
        assert ">Undo</button>" not in page, "that change is taken back already"


async def test_what_was_changed_since_the_page_was_opened_is_not_overwritten(
    app: FastAPI, memory: AsyncMemory, memo: Memo
):
    async with visiting(app) as visitor:
        page = await visitor.see(f"/memo?user=ann&id={memo.id}")
        listed = await visitor.see("/people/memos?user=ann")
        changed = await memory.update(memo.id, "Likes white tea", user="ann")
        mine = {"user": "ann", "memo": memo.id, "version": hidden(page, "version")}
        assert mine["version"] == "1"
        answer = await visitor.send("/memo/revise", 409, **mine, text="Likes black tea", tags="drink")
        assert 'changed since you opened it, and now says: "Likes white tea"' in text_of(answer.text)
        assert "Likes black tea</textarea>" in answer.text, "what was typed is not lost"
        mine["version"] = [hidden(listed, "version")]
        for action in ("/memos/retire", "/memos/pin", "/memos/unpin", "/memos/restore"):
            told = await visitor.follow(await visitor.send(action, **mine))
            assert "changed since you opened it, so nothing was done" in text_of(told)
        told = await visitor.follow(
            await visitor.send("/memo/share", **{**mine, "version": "1", "audience": "everywhere"})
        )
        assert "nothing was done" in text_of(told)
        assert await state(memory, memo) == changed
        mine["version"] = hidden(answer.text, "version")
        await visitor.send("/memo/revise", **mine, text="Likes black tea", tags="drink")
        assert (await state(memory, memo)).text == "Likes black tea", "whoever has seen both may choose"


async def test_what_may_not_be_remembered_is_told_beside_what_was_typed(app: FastAPI, memory: AsyncMemory):
    async with visiting(app) as visitor:
        answer = await visitor.send("/memos/add", 422, user="ann", text="AKIAIOSFODNN7EXAMPLE")
        assert "That looks like a secret, so it was not remembered." in text_of(answer.text)
    assert (await memory.show(user="ann")).memos == ()


class Crowded(Admin):
    """Something is learned right after each thing that the operator does."""

    async def retire(self, subject: Subject, memo_id: str, version: int | None = None) -> Forgotten:
        done = await super().retire(subject, memo_id, version)
        await self.memory.remember("Plays the cello", user=subject.id)
        return done


async def test_a_change_is_not_followed_by_the_undo_of_another(app: FastAPI, memory: AsyncMemory, memo: Memo):
    state = app.state.recollect
    app.state.pages = replace(app.state.pages, state=replace(state, admin=Crowded(memory, state.clock)))
    async with visiting(app) as visitor:
        page = await visitor.follow(await visitor.send("/memos/retire", user="ann", memo=memo.id))
        assert "Forgotten" in page
        assert ">Undo</button>" not in page
        assert "last change: added “Plays the cello”" in text_of(page)


async def test_a_merge_that_leaves_one_as_it_is_can_be_undone(app: FastAPI, memory: AsyncMemory, memo: Memo):
    other = (await memory.remember("Collects stamps of Peru", user="ann")).memo
    async with visiting(app) as visitor:
        done = await visitor.send("/memos/merge", user="ann", pick=[memo.id, other.id], keep=memo.id, text=memo.text)
        page = await visitor.follow(done)
        assert ">Undo</button>" in page
        await press(visitor, page, "/memos/undo")
    assert (await memory.show(user="ann")).total == 2


async def test_a_page_names_what_its_undo_takes_back_and_afterwards_what_it_took_back(
    app: FastAPI, memory: AsyncMemory, memo: Memo
):
    await memory.remember("Plays the cello", user="ann")
    await memory.update(memo.id, "Likes white tea", user="ann")
    async with visiting(app) as visitor:
        page = await visitor.see("/people/memos", user="ann")
        assert "last change: reworded “Likes white tea” (was “Likes green tea”) just now by ann" in text_of(page)
        assert "Undo the last change" in await visitor.see("/memo", user="ann", id=memo.id)
        page = await press(visitor, page, "/memos/undo")
        assert "The change is undone. “Likes green tea” undid: " in text_of(page)
        assert "last change: added “Plays the cello”" in text_of(page)
        page = await press(visitor, page, "/memos/undo")
        assert [one.text for one in (await memory.show(user="ann")).memos] == ["Likes green tea"]


async def test_a_change_that_cannot_be_undone_has_no_button_and_says_why(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    memo = (await memory.remember("Likes green tea", user="discord:ann", tags=["drink"])).memo
    await memory.add(Message("9", "ann", DEV, "I live in Ghent", clock(), name="Ann"))
    await memory.remember("Lives in Ghent", user="ann", place=DEV, message="9", origin=Origin.DISCORD)
    offered = (await memory.log(user="discord:ann", limit=1))[0].id
    await memory.message_deleted("discord", "9")
    async with visiting(app) as visitor:
        page = await visitor.see("/people/memos", user="discord:ann")
        assert "That change can't be undone: it came with a message that was deleted" in text_of(page)
        assert "/memos/undo" not in page
        assert "/memos/undo" not in await visitor.see("/memo", user="discord:ann", id=memo.id)
        for change in (str(offered), "0", "x"):
            told = await visitor.follow(await visitor.send("/memos/undo", user="discord:ann", change=change))
            assert "changed meanwhile" in told
    assert (await state(memory, memo)).active


async def test_a_memo_is_added_for_a_person_and_for_a_guild(app: FastAPI, memory: AsyncMemory):
    async with visiting(app) as visitor:
        done = await visitor.send(
            "/memos/add", user="ann", text="Owns a cargo bike", kind="fact", heard="dm", pinned="yes"
        )
        assert "Added to memory" in await visitor.follow(done)
        await visitor.send("/memos/add", guild="77", text="The café opens at nine")
        assert "café opens" in await visitor.see("/lore", guild="77")
        assert "77" in await visitor.see("/lore")
        refused = await visitor.send("/memos/add", 422, user="ann", text=" ")
        assert 'role="alert"' in refused.text
    (memo,) = (await memory.show(user="ann")).memos
    assert memo.pinned
    assert memo.audience == Audience("dm", "ann")
    assert memo.source.actor == "operator"


async def test_two_memos_are_merged_into_one_and_come_apart_again(app: FastAPI, memory: AsyncMemory):
    one = (await memory.remember("Works at the library", user="ann", kind="fact")).memo
    two = (await memory.remember("Collects stamps of Peru", user="ann", kind="fact")).memo
    async with visiting(app) as visitor:
        chosen = await visitor.send("/memos/pick", user="ann", pick=[one.id, two.id])
        page = await visitor.follow(chosen)
        assert "Works at the library" in page
        assert "Collects stamps" in page
        text = "Works at the library and collects stamps of Peru"
        done = await visitor.send("/memos/merge", user="ann", pick=[one.id, two.id], keep=one.id, text=text)
        page = await visitor.follow(done)
        assert [memo.text for memo in (await memory.show(user="ann")).memos] == [text]
        assert (await state(memory, two)).superseded_by == one.id
        await press(visitor, page, "/memos/undo")
    assert {memo.text for memo in (await memory.show(user="ann")).memos} == {one.text, two.text}


async def test_a_person_on_the_screen_is_changed_without_being_typed_again(app: FastAPI, memory: AsyncMemory):
    one = (await memory.remember("Works at the library", user="1042", place=DEV, kind="fact")).memo
    two = (await memory.remember("Collects stamps of Peru", user="1042", place=DEV, kind="fact")).memo
    async with visiting(app) as visitor:
        link = re.search(r'<a href="(/people/memos\?[^"]+)"', await visitor.see("/people"))
        assert link
        page = await visitor.see(unescape(link[1]))
        typed = await visitor.client.get("/people/memos", params={"user": "1042"})
        assert typed.headers["location"] == unescape(link[1])
        user = hidden(page, "user")
        await visitor.send("/memos/pin", user=user, memo=one.id)
        for at in (f"/memo?user=1042&id={two.id}", f"/merge?user=1042&pick={one.id}&pick={two.id}"):
            assert hidden(await visitor.see(at), "user") == user
        await visitor.send("/memo/revise", user=user, memo=two.id, text="Collects stamps of Chile")
        merging = await visitor.send("/memos/pick", user="1042", pick=[one.id, two.id])
        page = await visitor.follow(merging)
        await visitor.send("/memos/merge", user=hidden(page, "user"), pick=[one.id, two.id], keep=one.id)
    (left,) = (await memory.show(user="1042", place=Place("discord", dm="1042"))).memos
    assert (left.id, left.pinned) == (one.id, True)


async def test_a_bare_id_of_two_platforms_is_asked_about_and_changes_nobody(app: FastAPI, memory: AsyncMemory):
    memo = (await memory.remember("Likes green tea", user="1042", place=DEV)).memo
    await memory.remember("Likes coffee", user="1042", place=Place("irc", "77", "701", public=True))
    async with visiting(app) as visitor:
        page = await visitor.follow(await visitor.client.get("/people/memos", params={"user": "1042"}))
        links = re.findall(r'<a href="(/people/memos\?[^"]+)"', page)
        assert links == ["/people/memos?user=discord%3A1042", "/people/memos?user=irc%3A1042"]
        answer = await visitor.send("/memos/retire", 422, user="1042", memo=memo.id)
        assert "say discord:1042 or irc:1042, or local:1042 for somebody new" in text_of(answer.text)
        answer = await visitor.send("/memos/add", 422, user="1042", text="Owns a cargo bike")
        assert "say discord:1042 or irc:1042" in text_of(answer.text)
    assert (await state(memory, memo)).active


async def test_merging_requires_two_memos(app: FastAPI, memory: AsyncMemory, memo: Memo):
    async with visiting(app) as visitor:
        page = await visitor.follow(await visitor.send("/memos/pick", user="ann", pick=[memo.id]))
        assert "Tick two memories or more" in page
        answer = await visitor.send("/memos/merge", 422, user="ann", pick=[memo.id], keep=memo.id)
        assert "Tick two memories or more" in answer.text


async def test_who_may_hear_a_memo_is_chosen_from_those_whom_it_concerns(app: FastAPI, memory: AsyncMemory, memo: Memo):
    async with visiting(app) as visitor:
        await visitor.send("/memo/share", user="ann", memo=memo.id, audience="dm:ann")
        assert (await state(memory, memo)).audience == Audience("dm", "ann")
        answer = await visitor.send("/memo/share", 422, user="ann", memo=memo.id, audience="guild:somewhere-else")
        assert "can't be chosen" in text_of(answer.text)
    assert (await state(memory, memo)).audience == Audience("dm", "ann")


async def test_a_memo_tells_its_whole_story(app: FastAPI, memory: AsyncMemory, memo: Memo):
    await memory.update(memo.id, "Likes white tea", user="ann")
    await memory.pin(memo.id, user="ann")
    await memory.forget(memo.id, user="ann")
    async with visiting(app) as visitor:
        page = text_of(await visitor.see("/memo", user="ann", id=memo.id))
    order = ["retired forgotten by ann", "revised pinned", "pinned no → yes", "Likes green white tea", "added new"]
    places = [page.find(words) for words in order]
    assert -1 not in places, (order, places, page)
    assert places == sorted(places)


async def test_a_reader_sees_everything_and_no_way_to_change_it(app: FastAPI, memory: AsyncMemory, memo: Memo):
    await memory.remember("Opens at nine", user="ann", place=DEV, lore=True)
    paths = [
        "/",
        "/people",
        "/people/memos?user=ann",
        f"/memo?user=ann&id={memo.id}",
        "/lore?guild=77",
        "/jobs",
        "/erase?user=ann",
    ]
    async with visiting(app, TOKENS.reader) as visitor:
        for path in paths:
            page = await visitor.see(path)
            forms = re.findall(r'<form[^>]*method="post"[^>]*action="([^"]+)"', page)
            assert forms == ["/logout"], path
            assert "formaction" not in page
        assert "Likes green tea" in await visitor.see(paths[2])
        answer = await visitor.send("/memos/pin", 403, user="ann", memo=memo.id)
        assert "reader" in answer.text
    assert not (await state(memory, memo)).pinned


async def test_a_form_without_its_token_changes_nothing(app: FastAPI, memory: AsyncMemory, memo: Memo):
    async with visiting(app) as visitor:
        for token in ("", "0" * 64):
            data = {"user": "ann", "memo": memo.id, "form_token": token}
            answer = await visitor.client.post("/memos/retire", data=data)
            assert answer.status_code == 403
            assert "text/html" in answer.headers["content-type"]
    assert (await state(memory, memo)).active


@pytest.mark.parametrize("name", ODD)
async def test_ids_may_hold_any_characters(app: FastAPI, memory: AsyncMemory, name: str):
    memo = (await memory.remember("Likes green tea", user=name)).memo
    lore = Place("local", name, "c", public=True)
    await memory.remember("Opens at nine", user="ann", place=lore, lore=True)
    async with visiting(app) as visitor:
        people = await visitor.see("/people")
        link = next(href for href in re.findall(r'href="(/people/memos[^"]+)"', people) if "ann" not in href)
        page = await visitor.see(unescape(link))
        assert "Likes green tea" in page
        story = re.search(r'<a href="(/memo\?[^"]+)"', page)
        assert story
        assert "History" in await visitor.see(unescape(story[1]))
        back = hidden(page, "back")
        done = await visitor.send("/memos/pin", user=name, memo=memo.id, back=back)
        assert "Likes green tea" in await visitor.follow(done)
        guild = re.search(r'href="(/lore\?guild=[^"]+)"', await visitor.see("/lore"))
        assert guild
        assert "Opens at nine" in await visitor.see(unescape(guild[1]))
        assert "What there is about" in await visitor.see("/erase", user=name)
    assert (await memory.store.read(lambda tx: tx.memos.get(Subject(name), memo.id))).pinned


async def test_a_memo_that_is_not_there_is_a_page_for_people_and_a_problem_for_programs(app: FastAPI):
    async with visiting(app) as visitor:
        page = await visitor.see("/memo", 404, user="ann", id="nothing")
        assert "There is no memo" in page
        assert 'aria-label="Pages"' in page
    async with asking(app, READER) as program:
        answer = await program.get("/memo", params={"user": "ann", "id": "nothing"})
        assert answer.headers["content-type"] == "application/problem+json"
    async with asking(app, {**READER, **PAGE}) as browser:
        assert (await browser.get("/api/v1/nothing")).headers["content-type"] == "application/problem+json"


HOSTILE = "<script>alert(1)</script> \"'><img src=x onerror=alert(1)> {{7*7}} ${7*7} {% raw %} &lt;b&gt; Z̷̢̛͎a̶l̵g̴o̶ שלום"


async def test_hostile_words_names_and_tags_are_only_text_wherever_they_are_shown(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    where = Place("discord", HOSTILE, HOSTILE, name=HOSTILE, public=True)
    await memory.add(Message(HOSTILE, HOSTILE, where, HOSTILE, clock(), name=HOSTILE))
    source = {"user": HOSTILE, "place": where, "message": HOSTILE, "origin": Origin.DISCORD, "tags": [HOSTILE]}
    memo = (await memory.remember(HOSTILE, **source)).memo
    await memory.remember(HOSTILE, user=HOSTILE, place=where, lore=True)
    await memory.update(memo.id, f"{HOSTILE} {HOSTILE}", user=HOSTILE, place=where)
    summary = Summary(where.session, HOSTILE, 1, clock())
    await memory.store.write(lambda tx: tx.summaries.save(summary))
    looks = [
        ("/", {}),
        ("/people", {"part": HOSTILE}),
        ("/people/memos", {"user": f"discord:{HOSTILE}", "part": HOSTILE[:20]}),
        ("/memo", {"user": HOSTILE, "id": memo.id}),
        ("/merge", {"user": HOSTILE, "pick": memo.id}),
        ("/lore", {"guild": HOSTILE}),
        ("/search", {"user": HOSTILE, "q": HOSTILE, "place": where.session}),
        ("/prompt", {"user": HOSTILE, "q": HOSTILE, "place": where.session}),
        ("/sessions", {}),
        ("/session", {"name": where.session}),
        ("/journal", {"kind": HOSTILE, "day": HOSTILE}),
        ("/message", {"platform": "discord", "id": HOSTILE}),
        ("/refused", {"reason": HOSTILE}),
        ("/erase", {"user": HOSTILE, "guild": HOSTILE}),
    ]
    async with visiting(app) as visitor:
        for path, query in looks:
            page = await visitor.see(path, **query)
            assert "<script>alert" not in page, path
            assert "<img" not in page, path
            assert "onerror=alert(1)> 49" not in text_of(page), path
        shown = unescape(await visitor.see("/session", name=where.session))
        assert HOSTILE in shown


async def test_a_long_memory_is_clipped_in_lists_with_the_rest_at_hand_and_whole_on_its_own_page(
    app: FastAPI, memory: AsyncMemory
):
    text = "Sings: " + " ".join(f"verse{number}" for number in range(500))
    long = (await memory.remember(text, user="ann")).memo
    await memory.remember("Likes green tea", user="ann")
    async with visiting(app) as visitor:
        listed = await visitor.see("/people/memos", user="ann")
        for page in (listed, await visitor.see("/journal")):
            (link,) = re.findall(r"<a[^>]*>\s*<bdi[^>]*>(Sings: [^<]*)", page)
            assert (len(link) <= 300, link[-1]) == (True, "…")
        assert re.findall(r"<details class=\"more\">.*?verse499", listed, re.DOTALL)
        assert listed.count('<details class="more">') == 1, "short ones have nothing to unfold"
        own = await visitor.see("/memo", user="ann", id=long.id)
        assert f"{text}</bdi></h1>" in own


async def test_a_retired_memo_is_restored_from_its_page_and_from_the_list(
    app: FastAPI, memory: AsyncMemory, memo: Memo
):
    async with visiting(app) as visitor:
        assert "Restore" not in text_of(await visitor.see("/memo", user="ann", id=memo.id))
        await memory.forget(memo.id, user="ann")
        await memory.remember("Plays the cello", user="ann")
        assert "Restore" in text_of(await visitor.see("/people/memos", user="ann", status="retired"))
        page = await visitor.see("/memo", user="ann", id=memo.id)
        assert "Bring it back" in page
        answer = await visitor.send("/memos/restore", user="ann", memo=memo.id, back=f"/memo?user=ann&id={memo.id}")
        page = await visitor.follow(answer)
        assert "Restored: it is recalled again." in text_of(page)
        assert "Bring it back" not in page
        assert (await memory.get(memo.id, user="ann")).active
        again = await visitor.follow(await visitor.send("/memos/restore", user="ann", memo=memo.id))
        assert "It is in use already." in text_of(again)


async def test_a_page_says_what_gave_way_to_a_restored_memo(app: FastAPI, memory: AsyncMemory):
    old = (await memory.remember("I work at Acme Corp", user="ann")).memo
    new = (await memory.remember("I work at Globex", user="ann")).memo
    async with visiting(app) as visitor:
        page = await visitor.follow(await visitor.send("/memos/restore", user="ann", memo=old.id))
        assert "others gave way to it" in text_of(page)
        assert "retired “I work at Globex”" in text_of(page)
        assert (await memory.get(new.id, user="ann")).superseded_by == old.id


async def test_a_page_says_that_a_memo_can_not_be_restored_without_its_message(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    await memory.add(Message("m1", "ann", DEV, "I like green tea", clock()))
    memo = (await memory.remember("Likes green tea", user="ann", place=DEV, message="m1", origin=Origin.DISCORD)).memo
    await memory.forget(memo.id, user="discord:ann")
    await memory.store.write(lambda tx: tx.messages.delete("discord", "m1", clock()))  # as by an earlier version
    async with visiting(app) as visitor:
        page = await visitor.follow(await visitor.send("/memos/restore", user="discord:ann", memo=memo.id))
        assert "so it can't be restored" in text_of(page)


async def test_the_timeline_names_the_person_of_a_job_that_failed(app: FastAPI, memory: AsyncMemory, clock: FakeClock):
    await memory.add(Message("m1", "ann", DEV, "I like green tea", clock(), name="Annabel"))
    await memory.remember("Likes green tea", user="ann", place=DEV, message="m1", origin=Origin.DISCORD)
    for queue in (f"learn:{DEV.session}:ann", "consolidate:discord:ann"):
        event = Event("job.failed", clock(), "worker", queue, detail="the answer was cut off")
        await memory.store.write(lambda tx, event=event: tx.events.add(event))
    async with visiting(app) as visitor:
        page = await visitor.see("/journal", kind="Trouble")
        assert len(re.findall(r'<a class="about" href="/jobs"[^>]*>(?:<[^>]+>)*Annabel', page)) == 2, page
