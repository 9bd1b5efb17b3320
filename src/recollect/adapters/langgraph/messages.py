"""The request for a chat model of LangChain: what is known before the user's message, as in every face.

messages = await request_messages(memory, "where do I live?", user="ann")
reply = await model.bind_tools([schema("openai")]).ainvoke(messages)
"""

from uuid import uuid4

from recollect.adapters.turns import AnyMemory, asynchronous, run_on
from recollect.core.clock import Clock, now
from recollect.core.errors import MissingExtra
from recollect.core.types import Message, Place
from recollect.faces.assistant.request import agent_request
from recollect.inputs import UserId, place_of, user_id

try:
    from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
except ImportError as missing:
    raise MissingExtra("memory for LangGraph", "langgraph") from missing


async def request_messages(
    memory: AnyMemory, text: str, *, user: UserId, place: Place | None = None, clock: Clock = now
) -> list[BaseMessage]:
    """Instructions about memory, and a user turn that ends with the text; by default in the user's DM.

    Nothing is stored: `memory.add` does that. If the memory can't be reached, the turn is the text alone.
    """
    name = user_id(user)
    message = Message(str(uuid4()), name, place_of(place) or Place(dm=name), text, clock())
    request = await run_on(memory, agent_request(asynchronous(memory), message))
    return [SystemMessage(request.instructions), HumanMessage(request.prompt.text)]
