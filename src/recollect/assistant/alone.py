"""Answers without a model: what is remembered that fits, and nothing made up."""

from functools import partial

from recollect.memory import Memory
from recollect.text import asking
from recollect.types import Memo, Message

NO_MODEL = "I have no model configured"
UNREACHABLE = "My model can't be reached right now"
_MOST = 5


async def answer(memory: Memory, message: Message, why: str = NO_MODEL) -> str:
    """What memory alone has to say to a message; `why` it is alone."""
    search = partial(memory.search, message.text, user=message.author, place=message.place, strict=True)
    found = await search(limit=_MOST)
    texts = [one.what.text for one in found if isinstance(one.what, Memo)]
    if not texts and asking(message.text) > 0:
        said = await search(over="messages", limit=_MOST + 1)
        others = [one.what for one in said if isinstance(one.what, Message) and one.what.id != message.id]
        texts = [f"{one.name or one.author} said: {one.text}" for one in others if not one.bot][:_MOST]
    if texts:
        return "\n".join([f"{why}; here is what I remember that fits:", *(f"- {text}" for text in texts)])
    if asking(message.text) > 0:
        return f"{why}, and nothing that I remember fits."
    return f"{why}, so I only listen: I keep what you tell me and find it again when you ask."
