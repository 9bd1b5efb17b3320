"""Against the real LangChain; run by `make test-adapters`."""

import pytest

pytest.importorskip("langchain", reason="make test-adapters installs it")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from recollect import AsyncMemory, Memory, Place
from recollect.adapters.langchain import MemoryMiddleware, MemoryRetriever


class Model(GenericFakeChatModel):
    seen: list

    def _generate(self, messages, *args, **kwargs):
        self.seen.append(messages)
        return super()._generate(messages, *args, **kwargs)


def model(*replies: str) -> Model:
    return Model(messages=iter(AIMessage(reply) for reply in replies), seen=[])


QUESTION = {"messages": [{"role": "user", "content": "I live in Lisbon. What should I eat?"}]}


def test_an_agent_is_told_what_fits_and_its_turn_is_added():
    with Memory("sqlite://", embedder="null", model="local") as memory:
        memory.remember("Allergic to nuts", user=42)
        llm = model("No nuts, then.")
        agent = create_agent(llm, system_prompt="Be brief.", middleware=[MemoryMiddleware(memory, user=42)])
        result = agent.invoke(QUESTION)
        system = llm.seen[0][0].text
        assert system.startswith("Be brief.")
        assert "Allergic to nuts" in system
        assert [message.type for message in result["messages"]] == ["human", "ai"]
        found = memory.search("eat", user=42, over="messages", limit=9)
        assert {hit.text for hit in found} >= {QUESTION["messages"][0]["content"], "No nuts, then."}
        assert memory.search("nuts", user="local") == []


async def test_it_works_asynchronously_with_both_kinds_of_memory():
    with Memory("sqlite://", embedder="null", model="local") as blocking:
        async with AsyncMemory("sqlite://", embedder="null", model="local") as memory:
            for one in (blocking, memory):
                llm = model("Fine.")
                agent = create_agent(llm, middleware=[MemoryMiddleware(one, user="ann")])
                await agent.ainvoke(QUESTION)
                docs = await MemoryRetriever.of(one, user="ann").ainvoke("Lisbon")
                assert isinstance(docs, list)
    with Memory("sqlite://", embedder="null", model="local") as memory:
        memory.remember("Lives in Lisbon", user="ann")
        (doc,) = MemoryRetriever.of(memory, user="ann").invoke("Lisbon")
        assert (doc.page_content, doc.metadata["relevant"]) == ("Lives in Lisbon", True)


def test_wrong_users_and_places_are_refused():
    with Memory("sqlite://", embedder="null") as memory:
        for user, place in ((None, None), (" ", None), ("ann", Place(dm="ben")), ("ann", "dm")):
            with pytest.raises(ValueError):
                MemoryMiddleware(memory, user=user, place=place)
