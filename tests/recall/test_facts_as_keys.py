"""A learned fact also finds the message that it comes from, what was said around it, and what has its names."""

from dataclasses import replace

from recollect import Place
from tests.scenes import DEV, DM, GENERAL, PRIVATE_THREAD, STAFF, Stage, opened

SOURCE, ECHO = "we picked up our little one from the shelter, meet Miso!", "Miso threw up again"
QUESTION = "which cat does she have?"


async def adopted(stage: Stage, place: Place = DEV) -> None:
    """A cat is never called one, but a fact says so."""
    message = await stage.say(SOURCE, place=place)
    await stage.remember("Has a cat named Miso", place=place, message=message.id)
    await stage.say("how lovely", user="bob", place=place)
    for number in range(30):
        await stage.say(f"the budget of project {number} has a hole", user="bob", place=place)
    await stage.say(ECHO, place=place)
    for number in range(30):
        await stage.say(f"project {number} is on time", user="bob", place=place)


async def found(stage: Stage, question: str = QUESTION, place: Place = DEV, user: str = "bob") -> list[str]:
    hits = await stage.memory.search(question, user=user, place=place, over="messages", limit=5, strict=True)
    assert all(hit.parts["fact"] > 0 for hit in hits)
    return [hit.text for hit in hits]


async def test_a_fact_finds_its_message_its_neighbors_and_what_has_its_name() -> None:
    async with opened() as stage:
        await adopted(stage)
        texts = await found(stage)
        assert texts[0] == SOURCE
        hits = await stage.memory.search(QUESTION, user="bob", place=DEV, over="messages", limit=5)
        assert {SOURCE, "how lovely", ECHO} <= {hit.text for hit in hits}
        assert "fact" in hits[0].why
        await stage.memory.forget("cat named Miso", user="ann", place=DEV)
        assert await found(stage) == []


async def test_neither_a_fact_nor_a_message_leads_across_a_wall() -> None:
    async with opened() as stage:
        await adopted(stage, STAFF)
        for place in (DEV, GENERAL, DM):  # said in a closed channel: neither is known elsewhere
            assert await found(stage, place=place, user="ann" if place == DM else "bob") == []
        assert SOURCE in await found(stage, place=STAFF)
    async with opened() as stage:
        # Said in a private thread of the channel, then shared: the fact may be told there, the thread may not.
        message = await stage.say(SOURCE, place=PRIVATE_THREAD)
        memo = await stage.remember("Has a cat named Miso", place=PRIVATE_THREAD, message=message.id)
        await stage.memory.share(memo.id, user="ann", place=PRIVATE_THREAD)
        await stage.say("nothing to see here", place=DEV)
        assert (await stage.memory.search(QUESTION, user="ann", place=DEV))[0].text == "Has a cat named Miso"
        hits = await stage.memory.search(QUESTION, user="ann", place=DEV, over="messages")
        assert SOURCE not in [hit.text for hit in hits]
    async with opened() as stage:
        # A fact of the person's DM finds nothing in a channel, though its words stand there.
        await stage.say(ECHO, place=DEV)
        private = await stage.say(SOURCE, place=DM)
        await stage.remember("Has a cat named Miso", place=DM, message=private.id)
        assert await found(stage, place=DEV, user="ann") == []
        assert SOURCE in await found(stage, place=DM, user="ann")


async def test_the_documents_rankers_go_by_the_messages_alone() -> None:
    async with opened() as stage:
        await adopted(stage)
        for ranker in ("hybrid", "rrf", "overlap", "recency", "bm25"):
            hits = await stage.memory.search(QUESTION, user="bob", place=DEV, over="messages", ranker=ranker, limit=3)
            assert SOURCE not in [hit.text for hit in hits]


async def test_a_fact_from_another_channel_leads_to_what_names_it_here_only() -> None:
    async with opened() as stage:
        await adopted(stage, GENERAL)
        await stage.say("Miso is in the office today", place=replace(DEV))
        assert await found(stage) == ["Miso is in the office today"]
