"""Long-term memory for LangChain: `create_agent(model, middleware=[MemoryMiddleware(memory, user="ann")])`.

`MemoryRetriever` finds memories for a chain. `invoke` needs a `Memory`, `ainvoke` takes an `AsyncMemory` too.
"""

# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
# The framework is only in the environment of `make test-adapters`.

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from recollect.adapters.turns import Turns
from recollect.core.types import Place
from recollect.inputs import UserId
from recollect.memory import AsyncMemory
from recollect.recall.query import Hit
from recollect.sync import Memory

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
    from langchain_core.retrievers import BaseRetriever
    from langgraph.runtime import Runtime
    from pydantic import ConfigDict, PrivateAttr
except ImportError as missing:
    raise ImportError("memory for LangChain needs its package: pip install langchain") from missing


class MemoryMiddleware(AgentMiddleware):
    """What is known and fits the user's message goes into the system prompt of each call; after the run the message and
    the reply are added to memory, each once. The messages of the agent's state are not changed.
    """

    def __init__(self, memory: AsyncMemory | Memory, *, user: UserId, place: Place | None = None) -> None:
        super().__init__()
        self._turns = Turns(memory, user, place)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        instructions = self._turns.wait(self._turns.instructions(_last_question(request.messages)))
        return handler(_with_memory(request, instructions))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        instructions = await self._turns.run(self._turns.instructions(_last_question(request.messages)))
        return await handler(_with_memory(request, instructions))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:  # noqa: ARG002 - LangChain's signature
        self._turns.wait(self._turns.add(_last_turn(state["messages"])))

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:  # noqa: ARG002
        await self._turns.run(self._turns.add(_last_turn(state["messages"])))


class MemoryRetriever(BaseRetriever):
    """A user's memories as documents, best first: `MemoryRetriever.of(memory, user="ann").invoke("food")`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    limit: int = 5
    strict: bool = True
    """Nothing rather than what is merely nearest."""
    _turns: Turns = PrivateAttr()

    @classmethod
    def of(
        cls, memory: AsyncMemory | Memory, *, user: UserId, place: Place | None = None, **options: Any
    ) -> "MemoryRetriever":
        retriever = cls(**options)
        retriever._turns = Turns(memory, user, place)
        return retriever

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002
        return self._turns.wait(self._search(query))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain's signature
    ) -> list[Document]:
        return await self._turns.run(self._search(query))

    async def _search(self, query: str) -> list[Document]:
        turns = self._turns
        hits = await turns.memory.search(
            query, user=turns.user, place=turns.place, limit=self.limit, strict=self.strict
        )
        return [_document(hit) for hit in hits]


def _document(hit: Hit) -> Document:
    return Document(
        hit.text, id=hit.item.id, metadata={"id": hit.item.id, "score": hit.score, "relevant": hit.relevant}
    )


def _with_memory(request: ModelRequest[Any], known: str) -> ModelRequest[Any]:
    if not known:
        return request
    instructions = f"{request.system_prompt}\n\n{known}" if request.system_prompt else known
    return request.override(system_message=SystemMessage(instructions))


def _last_question(messages: Sequence[Any]) -> str:
    return next((message.text for message in reversed(messages) if isinstance(message, HumanMessage)), "")


def _last_turn(messages: Sequence[BaseMessage]) -> list[tuple[str, str, bool]]:
    """The last message of the person, and the text of the last reply to it."""
    numbers = [number for number, message in enumerate(messages) if isinstance(message, HumanMessage)]
    if not numbers:
        return []
    question, replies = messages[numbers[-1]], [item for item in messages[numbers[-1] :] if isinstance(item, AIMessage)]
    turn = [(f"{question.id}", str(question.text), False)]
    return turn + [(f"{reply.id}", str(reply.text), True) for reply in replies[-1:]]
