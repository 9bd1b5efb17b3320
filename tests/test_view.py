"""Every verb exists once, in `View`; whatever it writes, the workers and the embedder are told."""

import inspect
from collections.abc import Awaitable, Callable

import pytest

from recollect import AsyncMemory, Place
from recollect.core.outcomes import AlreadyKnown, Remembered
from recollect.core.types import Memo
from recollect.engine import Engine
from recollect.view import View
from tests.scenes import DEV, STAFF, Stage, opened

DM = Place("discord", dm="ann")
VERBS: dict[str, Callable[[View, Memo], Awaitable[object]]] = {
    "remember": lambda view, _: view.remember("I play chess"),
    "update": lambda view, memo: view.update(memo.id, "I like green tea"),
    "forget": lambda view, memo: view.forget(memo.id),
    "withdraw": lambda view, _: view.withdraw([]),
    "restore": lambda view, memo: view.restore(memo.id),
    "undo": lambda view, _: view.undo(),
    "pin": lambda view, memo: view.pin(memo.id),
    "share": lambda view, memo: view.share(memo.id),
    "reset": lambda view, _: view.reset(),
    "flush": lambda view, _: view.flush(),
    "pause": lambda view, _: view.pause_learning(),
    "resume": lambda view, _: view.resume_learning(),
    "consolidate": lambda view, _: view.consolidate(),
}


class CountingEngine(Engine):
    woken = 0

    def wake(self) -> None:
        self.woken += 1
        super().wake()


def counted(stage: Stage) -> CountingEngine:
    return CountingEngine(stage.memory.engine.parts, stage.clock)


@pytest.mark.parametrize("verb", VERBS)
async def test_every_verb_that_writes_wakes_who_has_to_follow_up(verb: str) -> None:
    async with opened() as stage:
        memo = await stage.remember("I like tea", place=DM)
        engine = counted(stage)
        await VERBS[verb](View(engine, "ann", DM), memo)
        assert engine.woken == 1


async def test_a_message_that_is_edited_or_deleted_wakes_them_too() -> None:
    async with opened() as stage:
        said = await stage.say("I like tea")
        engine, memory = counted(stage), AsyncMemory(clock=stage.clock)
        memory.use(engine)
        assert await memory.message_edited("discord", said.id, "I like coffee")
        assert await memory.message_deleted("discord", said.id)
        assert engine.woken == 2


async def test_the_public_verbs_are_those_of_the_view_of_a_user_in_a_place() -> None:
    async with opened() as stage:
        view = stage.memory.view("ann", DEV)
        memo = (await view.remember("I like tea")).memo
        assert (await stage.memory.get(memo.id, user="ann", place=DEV)) == await view.get(memo.id)
        assert (await stage.memory.show(user="ann", place=DEV)).memos == (await view.show()).memos
        assert [known.id for known in (await stage.memory.view("discord:ann").show()).memos] == [memo.id], "in their DM"
        assert (await stage.memory.view("bob", DEV).show()).memos == ()


def test_a_verb_of_the_public_object_has_its_place_in_the_view() -> None:
    verbs = {name for name, member in inspect.getmembers(View, inspect.iscoroutinefunction) if name[0] != "_"}
    public = inspect.getmembers(AsyncMemory, inspect.iscoroutinefunction)
    personal = {name for name, member in public if name[0] != "_" and "user" in inspect.signature(member).parameters}
    assert personal - {"log", "view_of"} <= verbs


async def test_a_statement_that_is_known_already_is_an_outcome_of_its_own() -> None:
    async with opened() as stage:
        view = stage.memory.view("ann", DEV)
        first = await view.remember("I like green tea from Japan")
        again = await stage.memory.view("ann", STAFF).remember("I like green tea from Japan")
        assert (type(first), first.verdict) == (Remembered, "added")
        assert (type(again), again.verdict, again.memo.id) == (AlreadyKnown, "known", first.memo.id)


async def test_why_tells_where_a_memo_comes_from_and_what_it_replaced() -> None:
    async with opened() as stage:
        said = await stage.say("I live in Ghent")
        ghent = await stage.remember("I live in Ghent", message=said.id)
        bruges = await stage.remember("I live in Bruges")
        view = stage.memory.view("ann", DM)
        explanation = await view.why(ghent.id)
        assert explanation.message == said
        assert explanation.successor is not None
        assert explanation.successor.id == bruges.id
        assert [event.kind for event in explanation.events] == ["memo.retired", "memo.added"]
        assert (await view.why(bruges.id)).predecessor == explanation.memo


async def test_learning_is_paused_and_resumed_once() -> None:
    async with opened() as stage:
        view = stage.memory.view("ann", DEV)
        assert not await view.is_learning_paused()
        assert [await view.pause_learning(), await view.pause_learning()] == [True, False]
        assert await view.is_learning_paused()
        assert [await view.resume_learning(), await view.resume_learning()] == [True, False]
