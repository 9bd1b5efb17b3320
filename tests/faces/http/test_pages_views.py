"""Pages that only show data: overview, search, prompt, conversations, log, refused proposals, jobs."""

import json
import re
from datetime import UTC, date, datetime, timedelta
from functools import partial
from html import unescape
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from recollect import AsyncMemory
from recollect.admin.overview import PROBLEM_KINDS, Day
from recollect.core.events import Event, EventKind
from recollect.core.ports.jobs import NewJob
from recollect.core.reasons import Reason
from recollect.core.types import Memo, Message, Place, Summary
from recollect.faces.assistant.request import chat_request
from recollect.faces.http.pages import chart, labels, log, log_rows
from recollect.faces.http.pages import search as asking_page
from recollect.faces.http.pages.format import ago
from recollect.recall.rankers import DESIGN_RANKERS
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import Served, asking
from tests.faces.http.visiting import text_of, visiting

DEV = Place("discord", "77", "701", name="dev", public=True)
STAFF = Place("discord", "77", "702", name="staff")


async def note(memory: AsyncMemory, *events: Event) -> None:
    def work(tx):
        for event in events:
            tx.events.add(event)

    await memory.store.write(work)


async def test_the_overview_counts_what_there_is_and_what_went_wrong(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    await memory.remember("Likes tea", user="ann")
    await memory.add(Message("1", "ann", DEV, "hello there", clock()))
    cost = {"input": 1_200, "output": 80, "requests": 2}
    await note(
        memory,
        Event("extract.call", clock(), "haiku", "user:ann", data=cost),
        Event(
            "consolidation.done", clock(), "consolidation", "user:ann", data={"input": 0, "output": 0}
        ),  # it asked no model
        Event("memo.refused", clock(), "haiku", "user:ann", reason=Reason.INSTRUCTIONS, data={"text": "x"}),
        Event("summarize.error", clock(), "worker", "session:x", detail="the model is asleep"),
    )
    async with visiting(app) as visitor:
        page = text_of(await visitor.see("/"))
    for words in ("Memories in use 1", "Messages 1", "2 calls", "1,200 tokens read, 80 written", "the model is asleep"):
        assert words in page
    assert "2025-03-01: 1 learned, 0 revised, 1 refused" in page
    assert "failed within the hour" in page


async def test_the_store_is_examined_only_when_asked(app: FastAPI):
    async with visiting(app) as visitor:
        assert "store is sound" not in await visitor.see("/")
        assert "The store is sound" in await visitor.see("/", examine="yes")


async def test_the_chart_has_a_table_with_the_same_numbers(app: FastAPI, memory: AsyncMemory):
    await memory.remember("Likes tea", user="ann")
    async with visiting(app) as visitor:
        page = await visitor.see("/")
    assert page.count('<rect class="learned"') == 1
    row = re.search(r"<tr><th scope=\"row\"><a href=\"/journal\?day=2025-03-01\">.*?</tr>", page, re.DOTALL)
    assert row
    assert text_of(row[0]).strip() == "2025-03-01 1 0 0 0"


def test_bars_are_stacked_and_fill_the_picture():
    drawn = chart.draw([Day(date(2025, 3, 1), 3, 2, 9, 1), Day(date(2025, 3, 2), 0, 0, 0, 0)])
    assert drawn.top == 6
    assert [(bar.sort, bar.y, bar.height) for bar in drawn.bars] == [
        ("learned", 50.0, 50.0),
        ("revised", 16.67, 100 * 2 / 6),
        ("refused", 0.0, 100 / 6),
    ]
    assert drawn.width == 20


@pytest.mark.parametrize(("highest", "top"), [(0, 2), (1, 2), (7, 8), (13, 16), (17, 20), (41, 60), (101, 120)])
def test_the_scale_ends_at_a_round_number(highest: int, top: int):
    assert chart.draw([Day(date(2025, 3, 1), highest, 0, 0, 0)]).top == top


async def test_five_rankers_answer_side_by_side_and_each_score_is_taken_apart(app: FastAPI, memory: AsyncMemory):
    await memory.remember("Likes green tea", user="ann")
    await memory.remember("Works at Globex", user="ann")
    async with visiting(app) as visitor:
        page = await visitor.see("/search/rankers", q="green tea", user="ann")
    columns = re.split(r'<h2 id="ranker-', page)[1:]
    assert [column.partition('"')[0] for column in columns] == ["unified", "recency", "overlap", "hybrid", "rrf"]
    assert tuple(asking_page.RANKERS) == DESIGN_RANKERS
    found = await memory.search("green tea", user="ann", ranker="unified")
    assert f"{found[0].score:.3f}" in columns[0]
    for name, part in found[0].parts.items():
        assert name in columns[0]
        if part not in (0.0, 1.0):
            assert f"{part:.3f}" in columns[0]
    assert "words in common" in columns[2]
    assert "lexical" in columns[3]


async def test_search_hears_only_what_may_be_heard_there(app: FastAPI, memory: AsyncMemory):
    await memory.remember("Likes green tea", user="ann", place=STAFF, audience=STAFF.audience)
    await memory.remember("Drinks black tea", user="ann", place=DEV, audience=DEV.audience)
    async with visiting(app) as visitor:
        public = await visitor.see("/search/rankers", q="tea", user="ann", place=DEV.session)
        own = await visitor.see("/search/rankers", q="tea", user="ann")
    assert "green tea" not in public
    assert "black tea" in public
    assert "green tea" in own
    assert "#staff" in own  # a place to choose


async def test_messages_are_searched_too(app: FastAPI, memory: AsyncMemory, clock: FakeClock):
    await memory.add(Message("1", "ann", DEV, "the compressor hums", clock(), name="Ann"))
    async with visiting(app) as visitor:
        page = await visitor.see("/search", q="compressor", user="ann", place=DEV.session, over="messages")
    assert "the compressor hums" in page
    assert 'href="/message?platform=discord&amp;id=1"' in page


async def test_the_prompt_is_shown_word_for_word_with_a_reason_for_each_line(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    await memory.remember("Likes green tea", user="ann", place=DEV)
    await memory.add(Message("1", "ann", DEV, "good morning", clock(), name="Ann"))
    clock.advance(minutes=1)
    before = await memory.store.read(lambda tx: (tx.index.row_counts(), tx.events.list()))
    async with visiting(app) as visitor:
        page = await visitor.see("/prompt", q="what tea?", user="ann", place=DEV.session)
    asked = Message("x", "ann", DEV, "what tea?", clock(), name="ann")
    request = await chat_request(memory, asked)
    made = request.prompt
    shown = re.search(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert shown
    assert unescape(shown[1]) == request.text
    assert made.text in request.text
    told = text_of(page)
    for part in request.parts():
        assert f"{part.tokens:,} tokens" in told
    for section in made.sections:
        for line in section.lines:
            assert line.reason in told
    durable = next(section for section in made.sections if section.name == "durable")
    assert f"{durable.used:,} of {durable.limit:,}" in told
    assert await memory.store.read(lambda tx: (tx.index.row_counts(), tx.events.list())) == before


async def test_a_session_shows_how_its_summary_changed_and_is_cleared(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    for number, text in enumerate(["They plan a trip to the lake.", "They plan a trip to the sea."], 1):
        summary = Summary(DEV.session, text, number, clock.advance(hours=1))
        await memory.store.write(lambda tx, one=summary: tx.summaries.save(one))
    async with visiting(app) as visitor:
        assert "They plan a trip to the sea." in await visitor.see("/sessions", part="701")
        assert "No conversation has" in await visitor.see("/sessions", part="999")
        page = await visitor.see("/session", name=DEV.session)
        assert "<del>lake</del><ins>sea</ins>" in page
        cleared = await visitor.follow(await visitor.send("/session/reset", name=DEV.session))
        assert "The summary is cleared." in cleared
        again = await visitor.follow(await visitor.send("/session/reset", name=DEV.session))
        assert "There was no summary" in again
    assert await memory.store.read(lambda tx: tx.summaries.get(DEV.session)) is None
    reset = (await memory.log(limit=1))[0]
    assert (reset.kind, reset.actor) == ("summary.reset", "operator")


async def test_the_journal_is_shown_by_day_and_by_kind(app: FastAPI, memory: AsyncMemory, clock: FakeClock):
    await memory.remember("Likes tea", user="ann")
    clock.advance(days=2)
    await memory.pin((await memory.show(user="ann")).memos[0].id, user="ann")
    clock.advance(days=2)
    await note(memory, Event("extract.error", clock(), "worker", "user:ann", detail="it hung"))
    await note(memory, Event("extract.degraded", clock(), "haiku", "user:ann", reason=Reason.LEARNED_BY_FALLBACK))
    async with visiting(app) as visitor:
        for path in ("/", "/journal"):
            assert "learned by the local model instead" in text_of(await visitor.see(path))
        assert "learned less" in text_of(await visitor.see("/jobs"))
        page = text_of(await visitor.see("/journal"))
        days = ["Wednesday, 05 March 2025", "Monday, 03 March 2025", "Saturday, 01 March 2025"]
        assert [page.find(day) for day in days] == sorted(page.find(day) for day in days)
        assert "it hung" in page
        trouble = text_of(await visitor.see("/journal", kind="Trouble"))
        assert "it hung" in trouble
        assert "learned by the local model instead" in trouble
        assert "added" not in trouble
        assert "learning failed" in trouble
        earlier = await visitor.see("/journal", day="2025-03-03")
        assert "it hung" not in earlier
        assert "memo.revised" in earlier
        first = await visitor.see("/journal", day="2025-03-02")
        assert "memo.revised" not in first
        assert "memo.added" in first
        assert "Nothing of that" in await visitor.see("/journal", day="2024-01-01")
        assert "it hung" in await visitor.see("/journal", day="not a day")


def test_every_kind_of_event_is_in_one_group_of_the_journal():
    assert sorted(kind for kinds in log_rows.KINDS.values() for kind in kinds) == sorted(EventKind)
    assert set(log_rows.KINDS["Trouble"]) == set(PROBLEM_KINDS)
    assert sorted(labels.EVENTS) == sorted(EventKind)
    assert not any("." in label for label in labels.EVENTS.values())


async def test_the_journal_goes_on_on_older_pages(app: FastAPI, memory: AsyncMemory, clock: FakeClock):
    await note(
        memory,
        *(Event("consolidation.done", clock(), detail=f"dream number {n} ended") for n in range(log.MAX_ROWS + 5)),
    )
    async with visiting(app) as visitor:
        page = await visitor.see("/journal", kind="Tidying")
        assert "dream number 4 " not in page
        older = re.search(r'href="([^"]+)" rel="next"', page)
        assert older
        rest = await visitor.see(unescape(older[1]))
        assert "dream number 4 " in rest
        assert "dream number 5 " not in rest


async def test_daily_files_are_shown_where_they_are_kept(app: FastAPI, memory: AsyncMemory, tmp_path: Path):
    folder = memory.settings.mirror.dir
    folder.mkdir(parents=True)
    line = "- 10:42:07 #dev Ann: <b>hi</b> <!-- discord/1 ann -->"
    (folder / "2025-03-01.md").write_text(f"# 2025-03-01\n\n{line}\n", "utf-8")
    (tmp_path / "2025-03-02.md").write_text("secret", "utf-8")
    async with visiting(app) as visitor:
        assert "/journal/day?day=2025-03-01" in await visitor.see("/journal")
        page = await visitor.see("/journal/day", day="2025-03-01")
        assert "10:42:07 #dev Ann: &lt;b&gt;hi&lt;/b&gt;" in page
        assert "discord/1" not in page
        for day in ("2025-03-02", "../../2025-03-02", "/etc/passwd", ""):
            assert "secret" not in await visitor.see("/journal/day", 404, day=day)


def test_the_log_is_followed_live_from_where_the_page_ended(served: Served):
    served.run(lambda memory: memory.remember("Likes tea", user="ann"))
    headers = {"Authorization": f"Bearer {served.tokens.reader}"}
    with httpx.stream("GET", f"{served.url}/journal/stream?after=1", headers=headers, timeout=20) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        assert next(lines) == "retry: 2000"
        served.run(lambda memory: memory.remember("Plays <script>alert(1)</script> often", user="ann"))
        told = ""
        for line in lines:
            told += line + "\n"
            if line == "" and "event: row" in told:
                break
    assert "id: 2\nevent: row" in told
    assert "Likes tea" not in told
    assert "&lt;script&gt;" in told
    assert "<script>" not in told


async def test_refusals_are_grouped_by_reason(app: FastAPI, memory: AsyncMemory, clock: FakeClock):
    refused = partial(Event, EventKind.MEMO_REFUSED, clock(), "haiku", "user:ann")
    reasons = [Reason.INSTRUCTIONS, Reason.SECRET, Reason.INSTRUCTIONS]
    events = (refused(reason=why, data={"text": f"text {n}", "kind": "fact"}) for n, why in enumerate(reasons))
    await note(memory, *events)
    async with visiting(app) as visitor:
        page = text_of(await visitor.see("/refused"))
        assert -1 < page.find("gives instructions2") < page.find("holds a secret1")
        one = text_of(await visitor.see("/refused", reason="holds a secret"))
        assert "text 1" in one
        assert "text 0" not in one


async def test_a_refusal_whose_words_were_erased_is_still_counted(app: FastAPI, memory: AsyncMemory, clock: FakeClock):
    await note(
        memory, Event("memo.refused", clock(), "haiku", "user:ann", reason=Reason.TOO_SHORT, data={"text": "otters"})
    )
    await memory.store.write(lambda tx: tx.events.redact([1]))
    async with visiting(app) as visitor:
        page = text_of(await visitor.see("/refused"))
        assert "1 in all" in page
        assert "not kept" in page
        assert "otters" not in page
        await visitor.see("/journal")


@pytest.mark.slow
async def test_jobs_are_tried_again_or_dropped(app: FastAPI, memory: AsyncMemory, clock: FakeClock):
    def work(tx) -> list[int]:
        for lane in ("a", "b"):
            tx.jobs.add(NewJob("extract", lane, {}, clock(), tenant=lane))
        taken = tx.jobs.claim("w", clock(), clock() + timedelta(hours=1), 2)
        for job in taken:
            tx.jobs.fail(job.id, "w", "the answer was cut off")
        return [job.id for job in taken]

    one, two = await memory.store.write(work)
    async with visiting(app) as visitor:
        page = text_of(await visitor.see("/jobs"))
        assert page.count("the answer was cut off") == 2
        assert "It is tried now" in await visitor.follow(await visitor.send("/jobs/retry", job=one))
        assert (await memory.store.read(lambda tx: tx.jobs.counts()))["waiting"] == 1
        assert "The job is dropped" in await visitor.follow(await visitor.send("/jobs/drop", job=two))
        assert "no longer there" in await visitor.follow(await visitor.send("/jobs/drop", job=two))
        assert "no longer there" in await visitor.follow(await visitor.send("/jobs/retry", job="x" * 9))
        assert "no longer there" in await visitor.follow(await visitor.send("/jobs/retry-all"))


async def test_no_word_from_an_address_is_shown_as_news(app: FastAPI):
    async with visiting(app) as visitor:
        page = await visitor.see("/people", done="Your store was stolen", undo="<script>")
    assert "stolen" not in page
    assert 'class="flash"' not in page


async def test_pages_load_nothing_from_elsewhere_and_hold_no_inline_script_or_style(app: FastAPI, memory: AsyncMemory):
    memo: Memo = (await memory.remember("Likes tea", user="ann")).memo
    paths = [
        "/",
        "/people",
        "/people/memos?user=ann",
        f"/memo?user=ann&id={memo.id}",
        "/lore",
        "/search?q=tea",
        "/search/rankers?q=tea&user=ann",
        "/prompt?q=tea&user=ann",
        "/sessions",
        "/journal",
        "/refused",
        "/jobs",
        "/erase?user=ann",
    ]
    async with visiting(app) as visitor:
        for path in paths:
            page = await visitor.see(path)
            assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page), path
            assert re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL) == [""], path
            assert set(re.findall(r'(?:src|href)="(https?://[^/"]+)', page)) <= {"https://discord.com"}, path
        for name in ("page.css", "page.js", "icon.svg"):
            answer = await visitor.client.get(f"/static/{name}")
            assert answer.status_code == 200
            assert answer.headers["cache-control"] == "private, max-age=86400"
            outside = re.findall(r"https?://[^\s\"')]+", answer.text)
            assert set(outside) <= {"http://www.w3.org/2000/svg"}


async def test_an_error_that_nobody_foresaw_is_a_page_without_its_cause(app: FastAPI):
    async def breaks() -> None:
        raise RuntimeError("the secret of the failure")

    app.get("/breaks")(breaks)
    async with visiting(app) as visitor:
        answer = await visitor.client.get("/breaks")
        assert answer.status_code == 500
        assert "something went wrong" in answer.text.lower()
        assert "<html" in answer.text
        assert "secret of the failure" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        program = await visitor.client.get("/breaks", headers={"accept": "application/json"})
        assert json.loads(program.text)["status"] == 500


async def test_an_unknown_address_and_a_wrong_way_to_ask_are_pages_too(app: FastAPI):
    async with visiting(app) as visitor:
        assert "There is no page at this address" in await visitor.see("/nowhere", 404)
        assert "user" in await visitor.see("/people/memos", 422)
        assert "say whose" in (await visitor.see("/memo", 422, id="x")).lower()
    async with asking(app, {"accept": "text/html", "authorization": "Bearer wrong-token-of-nobody"}) as guesser:
        answer = await guesser.post("/memos/pin")
        assert answer.status_code == 401
        assert "<html" in answer.text
        assert 'aria-label="Pages"' not in answer.text


def test_a_moment_far_away_is_told_in_its_largest_unit():
    now = datetime(2025, 3, 1, tzinfo=UTC)
    spans = {
        "just now": 5,
        "1 minute ago": 61,
        "3 hours ago": 3 * 3600 + 5,
        "2 days ago": 2 * 86_400,
        "in 5 minutes": -300,
    }
    for told, seconds in spans.items():
        assert ago(now - timedelta(seconds=seconds), now) == told
