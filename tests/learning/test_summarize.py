"""Rolling summaries, from turns to the prompt: real store, real worker, a model that says what it is told to."""

import asyncio
import re
from datetime import timedelta

import pytest

from recollect.core.errors import ModelError, ModelUnavailable
from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.core.state import StateKind
from recollect.core.types import Message, Place, Summary
from recollect.jobs.options import WorkerOptions
from recollect.learning.summarize import MAX_MESSAGES_PER_SUMMARY, exchanges
from recollect.models.local import LocalModel
from recollect.testing.clock import START
from recollect.testing.models import FakeModel, propose_everything, propose_nothing
from tests import ground
from tests.scenes import DEV, DM, GENERAL, THREAD, Stage, lines, opened
from tests.waiting import eventually


def summing(condenses: object = None, **how: object) -> FakeModel:
    model = FakeModel(propose_nothing, **how)  # type: ignore[arg-type]
    if condenses is not None:
        model.condenses = condenses  # type: ignore[assignment]
    return model


async def talk(stage: Stage, turns: int, place: Place = DEV, user: str = "ann", about: str = "topic") -> None:
    for number in range(turns):
        asked = await stage.say(f"{about} {number}: what next?", user=user, place=place)
        await stage.reply(f"answer {number} on {about}", asked)


async def summary(stage: Stage, place: Place = DEV, user: str = "ann") -> str | None:
    found = (await stage.memory.show(user=user, place=place)).summary
    return None if found is None else found.text


@pytest.mark.acceptance("A3", "A5", "B30", "C15")
@pytest.mark.parametrize("profile", ["unified", "discoclaw", "dnam", "rolling"])
async def test_every_five_turns_the_session_is_summarised_in_the_background(profile: str) -> None:
    model = summing(lambda previous, exchange, limit: f"{previous or ''} The answer is on topic.".strip())
    async with opened(profile, model=model) as stage:
        await talk(stage, 4)
        await stage.settle()
        assert await summary(stage) is None
        await talk(stage, 1)
        await stage.settle()
        assert await summary(stage) == "The answer is on topic."
        await talk(stage, 5)
        await stage.settle()
        assert await summary(stage) == "The answer is on topic. The answer is on topic."
        journal = await stage.memory.store.read(lambda tx: tx.messages.recent(DEV, 100))
    assert [exchange.count("topic") for _, exchange, _ in model.exchanges] == [10, 10]
    assert len(journal) == 20, "nothing but the conversation itself was said"


async def test_a_channel_where_only_people_talk_is_summarized_unless_its_document_counts_replies() -> None:
    talk = (
        ("ann", "the importer looks fine now, the tests went green last night after I fixed the fixture again"),
        ("bob", "good to hear, mine took forever this morning and then failed because the disk was full"),
        ("ann", "We decided to ship the importer on Friday."),
        ("bob", "lunch was great by the way, they had those little dumplings again and nobody was in the queue"),
        ("ann", "I'll write the changelog by Thursday."),
    )
    for profile, expected in (("unified", True), ("rolling", False)):
        async with opened(profile, model=LocalModel()) as stage:
            for user, text in talk:
                await stage.say(text, user=user, name=user)
            await stage.settle()
            text = await summary(stage)
        assert (text is not None) is expected, profile
        if text is not None:
            assert text.splitlines()[:2] == ["ann: We decided to ship the importer on Friday.", f"ann: {talk[-1][1]}"]
            assert len(text) <= 0.4 * sum(len(line) for _, line in talk)


@pytest.mark.acceptance("A42", "C17", "C18")
@pytest.mark.parametrize("profile", ["unified", "discoclaw", "rolling"])
async def test_the_model_gets_the_previous_summary_and_the_exchange_with_replies_cut_short(profile: str) -> None:
    model = summing(lambda previous, exchange, limit: "so far")
    async with opened(profile, model=model, summary={"every_n_turns": 1}) as stage:
        await stage.reply("x" * 900, await stage.say("tell me everything", name="Ann"))
        await stage.settle()
        await stage.reply("fine", await stage.say("and then?", name="Ann"))
        await stage.settle()
    (first, second) = model.exchanges
    assert first[0] is None
    assert first[1].splitlines()[0] == "[Ann]: tell me everything"
    reply = first[1].splitlines()[1]
    assert reply.startswith("[recollect]: xxx")
    assert len(reply) == len("[recollect]: ") + 500
    assert second == ("so far", "[Ann]: and then?\n[recollect]: fine", 2000)


SENTENCES = (
    "The answer is on topic.",
    "Ann asks about the topic.",
    "Ann asks what is next on the topic.",
    "The topic has an answer.",
)


async def test_a_summary_over_its_limit_is_recompressed_once_and_then_cut_at_a_sentence() -> None:
    asked: list[int] = []

    def shortens(text: str, limit: int) -> str:
        asked.append(len(text))
        return " ".join(SENTENCES)

    model = summing(lambda previous, exchange, limit: f"{'y' * 300} {' '.join(SENTENCES)}", shortens=shortens)
    async with opened(model=model, summary={"every_n_turns": 1, "max_chars": 100}) as stage:
        await talk(stage, 1)
        await stage.settle()
        text = await summary(stage)
    assert asked == [301 + len(" ".join(SENTENCES))]
    assert text == " ".join(SENTENCES[:3])


@pytest.mark.parametrize("shortened", ["", "They bought a yacht in Monaco for 900 dollars."])
async def test_a_summary_that_cannot_be_recompressed_is_cut(shortened: str) -> None:
    words = " ".join(f"word{number}" for number in range(40))
    model = summing(lambda previous, exchange, limit: words, shortens=lambda text, limit: shortened)
    async with opened(model=model, summary={"every_n_turns": 1, "max_chars": 100}) as stage:
        await talk(stage, 1, about=words)
        await stage.settle()
        text = await summary(stage)
    assert text is not None
    assert len(text) <= 100
    assert text.startswith("word0 word1"), "a shorter text that makes something up is not used"


@pytest.mark.acceptance("B73", "C11", "C20", "C25")
@pytest.mark.parametrize("profile", ["dnam", "rolling"])
async def test_a_model_that_fails_leaves_the_summary_as_it_was(caplog: pytest.LogCaptureFixture, profile: str) -> None:
    broken = [False]

    def condenses(previous: str | None, exchange: str, limit: int) -> str:
        del previous, exchange, limit
        if broken[0]:
            raise ModelError("no good")
        return "the first one"

    async with opened(profile, model=summing(condenses), summary={"every_n_turns": 1}) as stage:
        await talk(stage, 1)
        await stage.settle()
        broken[0] = True
        await talk(stage, 1)
        await stage.memory.worker.wait_idle(5)
        assert await summary(stage) == "the first one"
    assert f"summarize of session:{DEV.session} failed: no good" in caplog.messages


async def test_an_empty_answer_leaves_the_summary_as_it_was() -> None:
    answers = ["the first one", ""]
    model = summing(lambda previous, exchange, limit: answers.pop(0))
    async with opened(model=model, summary={"every_n_turns": 1}) as stage:
        for _ in range(2):
            await talk(stage, 1)
            await stage.settle()
        assert await summary(stage) == "the first one"


async def test_the_count_is_reset_even_when_the_model_fails() -> None:
    def condenses(previous: str | None, exchange: str, limit: int) -> str:
        raise ModelUnavailable("down")

    model = summing(condenses)
    async with opened(model=model, summary={"every_n_turns": 2}) as stage:
        stage.memory.worker.options = WorkerOptions(poll_interval=0.02, retry_delay=30)
        await talk(stage, 2)
        await stage.memory.worker.wait_idle(5)
        assert len(model.exchanges) == 1
        left = await stage.memory.store.read(lambda tx: tx.state.items(StateKind.TURNS, DEV.session))
    assert left == []


async def test_after_an_outage_the_summary_catches_up() -> None:
    down = [True]

    def condenses(previous: str | None, exchange: str, limit: int) -> str:
        if down[0]:
            raise ModelUnavailable("down")
        asked = re.findall(r"topic \d", f"{previous} {exchange}")  # an attempt that began early covers fewer
        return " ".join(f"Ann asks about {topic}." for topic in sorted(set(asked)))

    async with opened(model=summing(condenses), summary={"every_n_turns": 2}) as stage:
        stage.memory.worker.options = WorkerOptions(poll_interval=0.02, retry_delay=0.01, max_retry_delay=0.02)
        await talk(stage, 6)
        down[0] = False

        async def caught_up() -> bool:
            stage.clock.advance(minutes=1)  # a job that failed last is due a moment after the time it failed at
            return (await summary(stage) or "").count("asks about") == 6

        await eventually(caught_up)


@pytest.mark.acceptance("A8", "A21")
async def test_a_reset_clears_this_session_and_wins_over_work_in_flight() -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    async def condenses(previous: str | None, exchange: str, limit: int) -> str:
        del previous, limit
        if "secret plan" in exchange:
            asked.set()
            await answer.wait()
        return exchange[:60]

    async with opened(model=summing(condenses), summary={"every_n_turns": 1}) as stage:
        await talk(stage, 1, place=GENERAL, about="weather")
        await stage.settle()
        await talk(stage, 1, about="secret plan")
        await asked.wait()
        assert not await stage.memory.reset(user="ann", place=DEV)
        answer.set()
        await stage.settle()
        assert await summary(stage) is None
        assert "weather" in (await summary(stage, GENERAL) or "")
        assert await stage.memory.reset(user="ann", place=GENERAL)
        assert await summary(stage, GENERAL) is None


async def test_a_summary_that_was_overtaken_is_thrown_away() -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    async def condenses(previous: str | None, exchange: str, limit: int) -> str:
        asked.set()
        await answer.wait()
        return "stale"

    async with opened(model=summing(condenses), summary={"every_n_turns": 1}) as stage:
        await talk(stage, 1)
        await asked.wait()
        newer = Summary(DEV.session, "newer", 5, stage.clock(), stage.clock())
        await stage.memory.store.write(lambda tx: tx.summaries.save(newer))
        answer.set()
        await stage.settle()
        assert await summary(stage) == "newer"


async def test_past_summaries_are_kept() -> None:
    model = summing(lambda previous, exchange, limit: "Ann asks about the topic.")
    async with opened(model=model, summary={"every_n_turns": 1}) as stage:
        for _ in range(3):
            await talk(stage, 1)
            await stage.settle()
        history = await stage.memory.store.read(lambda tx: tx.summaries.history(DEV.session))
    assert [one.sequence for one in history] == [3, 2, 1]


@pytest.mark.acceptance("C24")
async def test_channels_threads_and_dms_are_summarised_apart() -> None:
    model = summing(lambda previous, exchange, limit: exchange.split("\n")[0])
    async with opened(model=model, summary={"every_n_turns": 1}) as stage:
        for place, about in ((DEV, "dev"), (GENERAL, "general"), (THREAD, "thread"), (DM, "dm")):
            await talk(stage, 1, place=place, about=about)
        await stage.settle()
        for place, about in ((DEV, "dev"), (GENERAL, "general"), (THREAD, "thread"), (DM, "dm")):
            assert f"{about} 0" in (await summary(stage, place) or "")


@pytest.mark.acceptance("A4")
async def test_in_discoclaw_each_user_of_a_channel_has_a_summary_of_their_own() -> None:
    model = summing(lambda previous, exchange, limit: exchange)
    async with opened("discoclaw", model=model, summary={"every_n_turns": 2}) as stage:
        await talk(stage, 2, user="ann", about="tea")
        await talk(stage, 2, user="bob", about="coffee")
        await stage.settle()
        ann, bob = await summary(stage, user="ann"), await summary(stage, user="bob")
        prompt = await stage.prompt("go on", user="ann")
    assert "tea 1" in (ann or "")
    assert "coffee" not in (ann or "")
    assert "coffee 1" in (bob or "")
    assert "tea" not in (bob or "")
    assert "tea 1" in "\n".join(lines(prompt, "rolling"))


@pytest.mark.acceptance("A6", "A14", "C26")
async def test_after_a_restart_the_topic_is_still_known(tmp_path: object) -> None:
    store = ground.at(tmp_path / "memory.db")
    model = summing(lambda previous, exchange, limit: "Ann plans the move to the new database")
    async with opened("discoclaw", store, model=model) as stage:
        await talk(stage, 5, about="the new database")
        await stage.settle()
    async with opened("discoclaw", store, model=model) as stage:
        stage.clock.advance(days=3)
        stage.said = 100
        prompt = await stage.prompt("what were we talking about?")
    assert "Ann plans the move to the new database" in prompt.text
    async with opened("discoclaw", store, model=model, summary={"enabled": False}) as stage:
        stage.said = 200
        stage.clock.advance(days=3)
        window = await stage.prompt("what were we talking about?")
    assert "Ann plans" not in window.text
    assert "the new database 4" in window.text


@pytest.mark.acceptance("C16")
@pytest.mark.parametrize("profile", ["unified", "rolling"])
async def test_turns_are_counted_across_a_restart(profile: str, tmp_path: object) -> None:
    store = ground.at(tmp_path / "memory.db")
    model = summing(lambda previous, exchange, limit: "done")
    for start in (0, 1):
        async with opened(profile, store, model=model) as stage:
            stage.said = 100 * start
            stage.clock.advance(hours=start)
            await talk(stage, 3 if not start else 2)
            await stage.settle()
            assert await summary(stage) == ("done" if start else None)


async def test_the_prompt_says_how_old_a_summary_is() -> None:
    model = summing(lambda previous, exchange, limit: "Ann plans a trip")
    async with opened(model=model) as stage:
        await talk(stage, 5, about="trip plans")
        await stage.settle()
        prompt = await stage.prompt("and?")
    text, note = lines(prompt, "rolling")
    assert text == "Ann plans a trip"
    assert note.startswith("(As of 2025-03-01 12:09; what was said since is not in it")


async def test_a_secret_that_a_model_writes_into_a_summary_is_taken_out() -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    model = summing(lambda previous, exchange, limit: f"Ann's key is {key}.")
    async with opened(model=model, summary={"every_n_turns": 1}) as stage:
        await talk(stage, 1)
        await stage.settle()
        assert key not in (await summary(stage) or "")


async def test_a_summary_after_silence_waits_for_it() -> None:
    model = summing(lambda previous, exchange, limit: "quiet now")
    async with opened(model=model, summary={"trigger": "idle"}, extraction={"idle_after": "10m"}) as stage:
        await talk(stage, 2)
        await stage.settle()
        assert await summary(stage) is None
        stage.clock.advance(minutes=11)
        await stage.settle()
        assert await summary(stage) == "quiet now"


async def test_a_summary_is_made_of_everything_said_since_however_much_that_is() -> None:
    seen: list[str] = []

    def condenses(previous: str | None, exchange: str, limit: int) -> str:
        seen.append(exchange)
        return "so far"

    async with opened(model=summing(condenses), summary={"every_n_turns": 1}) as stage:
        await talk(stage, 1)
        await stage.settle()
        seen.clear()
        for number in range(250):
            await stage.memory.add(stage.message(f"line {number} " + "x" * 90, user="bob"))
            stage.clock.advance(seconds=1)
        await talk(stage, 1)
        await stage.settle()
    told = "\n".join(seen)
    assert all(f"line {number} x" in told for number in range(250))
    assert len(seen) > 1


def test_an_exchange_is_cut_into_pieces_a_model_can_take() -> None:
    messages = [Message(f"m{n}", "ann", DEV, "word " * 200, START, name="Ann") for n in range(20)]
    pieces = exchanges(messages, 500)
    assert all(len(piece) <= 6_000 for piece in pieces)
    assert sum(piece.count("[Ann]:") for piece in pieces) == 20


def adding(previous: str | None, exchange: str, limit: int) -> str:
    return f"{previous or ''}\n{exchange}".strip()[:limit]


@pytest.mark.parametrize("seconds", [30, 0])
async def test_a_late_message_is_in_the_next_summary(seconds: int) -> None:
    async with opened(model=summing(adding), summary={"every_n_turns": 1}) as stage:
        await talk(stage, 1, about="first")
        await stage.settle()
        last = (await stage.memory.store.read(lambda tx: tx.messages.recent(DEV, 1)))[0]
        when = last.at - timedelta(seconds=seconds) + timedelta(microseconds=400)
        await stage.memory.add(Message("late", "ann", DEV, "zebras came late", when, name="Ann"))
        await talk(stage, 1, about="second")
        await stage.settle()
        await talk(stage, 1, about="third")
        await stage.settle()
        text = await summary(stage) or ""
        left = await stage.memory.store.read(lambda tx: tx.state.keys(StateKind.LATE_MESSAGES))
    assert text.count("zebras came late") == 1
    assert [text.count(f"{about} 0: what next?") for about in ("first", "second", "third")] == [1, 1, 1]
    assert left == []


async def test_a_reply_that_comes_late_is_in_the_next_summary_of_whom_it_answers() -> None:
    own = {"every_n_turns": 1, "session_key": "user_channel"}
    async with opened("discoclaw", model=summing(adding), summary=own) as stage:
        asked = await stage.say("where do zebras live?")
        await talk(stage, 1, about="first")
        await stage.settle()
        late = Message("late", "bot", DEV, "in the savanna", asked.at, name="Bot", bot=True, reply_to=asked.id)
        await stage.memory.add(late)
        await talk(stage, 1, about="second")
        await stage.settle()
        assert (await summary(stage) or "").count("in the savanna") == 1


async def test_what_comes_late_while_a_summary_is_made_is_in_the_next_one() -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    async def condenses(previous: str | None, exchange: str, limit: int) -> str:
        asked.set()
        await answer.wait()
        return adding(previous, exchange, limit)

    async with opened(model=summing(condenses), summary={"every_n_turns": 1}) as stage:
        before = stage.clock()
        await talk(stage, 1, about="first")
        await asked.wait()
        await stage.memory.add(Message("late", "ann", DEV, "zebras came late", before, name="Ann"))
        answer.set()
        await stage.settle()
        await talk(stage, 1, about="second")
        await stage.settle()
        text = await summary(stage) or ""
    assert text.count("zebras came late") == 1


async def test_history_that_is_brought_in_is_not_summarised_as_if_it_were_late() -> None:
    async with opened(model=summing(adding), summary={"every_n_turns": 1}) as stage:
        await talk(stage, 1, about="first")
        await stage.settle()
        old = stage.clock() - timedelta(days=30)
        await stage.memory.add(Message("old", "ann", DEV, "zebras of last month", old, name="Ann"))
        await talk(stage, 1, about="second")
        await stage.settle()
        assert "zebras" not in (await summary(stage) or "")


async def test_what_is_forgotten_leaves_the_summary_and_an_undo_brings_it_back() -> None:
    def learns(hearing: ExtractionInput) -> ExtractionResult:
        return propose_everything(hearing) if "live" in hearing.messages[-1].text else ExtractionResult()

    async with opened(model=FakeModel(learns, adding), summary={"every_n_turns": 1}) as stage:
        await talk(stage, 1, about="weather")
        await stage.settle()
        await stage.reply("Berlin is lovely", await stage.say("I live in Berlin"))
        await talk(stage, 1, about="budget")
        await stage.settle()
        assert "Berlin" in (await summary(stage) or "")
        await stage.memory.forget("Berlin", user="ann", place=DEV)
        assert "Berlin" not in (await summary(stage) or "")
        await stage.settle()
        text = await summary(stage) or ""
        assert "Berlin" not in text
        assert "weather" in text
        assert "budget" in text
        await stage.memory.undo(user="ann", place=DEV)
        await stage.settle()
        assert "Berlin" in (await summary(stage) or "")


async def test_the_summary_of_one_user_gets_past_pages_of_what_others_said() -> None:
    async with opened(
        "dnam", model=summing(adding), summary={"every_n_turns": 1, "session_key": "user_channel"}
    ) as stage:
        await talk(stage, 1, about="first")
        await stage.settle()
        for number in range(MAX_MESSAGES_PER_SUMMARY + 5):
            await stage.say(f"noise {number}", user="bob")
        await talk(stage, 1, about="second")
        await stage.settle()
        assert "second 0" in (await summary(stage) or "")


async def test_a_person_who_takes_the_assistants_name_is_told_apart_in_what_is_summarized() -> None:
    model = summing(lambda previous, exchange, limit: "They talk about lunch.")
    async with opened(model=model, summary={"every_n_turns": 1}) as stage:
        stage.memory.names.reserve("Rec")
        await stage.reply("I see.", await stage.say("I promise lunch to all", user="mallory", name="Rec"))
        await stage.settle()
    ((_, exchange, _),) = model.exchanges
    assert "I promise lunch to all" in exchange
    assert "[Rec]: I promise" not in exchange
