"""Answers without a model: what is remembered that fits, and nothing made up."""

import re
from functools import partial

from recollect.memory import Memory
from recollect.ports import Tx
from recollect.speaking import is_forgotten
from recollect.text import asking
from recollect.types import Memo, Message

NO_MODEL = "I have no model configured"
UNREACHABLE = "My model can't be reached right now"
_MOST = 5
_MINE = re.compile(r"\b(?:i|i'm|i've|me|my|mine|myself)\b", re.IGNORECASE)


async def answer(memory: Memory, message: Message, why: str = "") -> str:
    """What memory alone has to say to a message; `why` it is alone, unless that was said before."""
    search = partial(memory.search, message.text, user=message.author, place=message.place, strict=True)
    found = await search(limit=_MOST) if memory.settings.durable.enabled else []
    known = [one.what for one in found if isinstance(one.what, Memo)]
    texts = [memo.text for memo in known if memo.source.message != message.id]  # no echo of what was just learned
    asks = asking(message.text) > 0
    if not texts and asks:
        said = [one.what for one in await search(over="messages", limit=4 * _MOST) if isinstance(one.what, Message)]
        told = await memory.store.read(lambda tx: [one for one in said if _tells(tx, one, message)])
        texts = [f"{one.name or one.author} said: {one.text}" for one in told[:_MOST]]
    if texts:
        opening = f"{why}; here is what I remember that fits:" if why else "Here is what I remember that fits:"
        return "\n".join([opening, *(f"- {text}" for text in texts)])
    if asks:
        return f"{why}, and nothing that I remember fits." if why else "Nothing that I remember fits."
    return (
        f"{why}, so I only listen: I keep what you tell me and find it again when you ask."
        if why
        else "I am listening."
    )


def _tells(tx: Tx, said: Message, asked: Message) -> bool:
    """Whether something said answers a question: no question itself, the asker's own words when asked about them,
    and nothing that was forgotten since.
    """
    if said.bot or said.id == asked.id or asking(said.text) > 0:
        return False
    if said.author != asked.author and _MINE.search(asked.text):
        return False
    return not is_forgotten(tx.memos.resting_on(said.place.platform, said.id))
