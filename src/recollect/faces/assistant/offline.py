"""Answers without a model: what is remembered that fits, and nothing made up."""

import re
from functools import partial

from recollect.core.ports import Tx
from recollect.core.text import normalize, question_share
from recollect.core.types import Memo, Message
from recollect.faces import outcome_text
from recollect.learning import consent
from recollect.memory import AsyncMemory
from recollect.policy.rendering import speaker
from recollect.policy.visibility import is_forgotten

NO_MODEL = "I have no model configured"
UNREACHABLE = "My model can't be reached right now"
HELP = 'Tell me something about yourself and ask me later; "what do you know about me?" lists what I remember.'
SWITCHED_OFF = "My memory is switched off, so nothing is kept."
_MOST = 5
_LISTED = 30
"""Memos that are told to someone who asks what is known of them."""
_MINE = re.compile(r"\b(?:i|i'm|i've|me|my|mine|myself)\b", re.IGNORECASE)

_LEARNED = "(?:learn(?:ed|t)?|remembered|stored|saved|kept|noted|got|gathered|picked up)"
_KNOW = f"(?:know|remember|recall|have|keep|store|{_LEARNED})"
_ABOUT_ME = "(?:about|of|on|regarding) (?:me|myself)"
_WHAT = "what(?: all| else| exactly| things| facts| information| info)*(?: do| did| can| have|'ve)?"
_YOU_KNOW = f"(?:that )?you(?:'ve| have)?(?: already| actually| really| still| currently)* {_KNOW}"
_FAMILY = (
    rf"{_WHAT} {_YOU_KNOW}(?: stored| saved| on file)? {_ABOUT_ME}",
    rf"{_WHAT} you (?:know|remember)",
    rf"what (?:can|could|would) you tell me {_ABOUT_ME}",
    rf"what(?:'s| is| was)(?: it)? (?:known|remembered|{_LEARNED}) {_ABOUT_ME}",
    rf"what(?:'s| is) in (?:your|my) memory(?: {_ABOUT_ME})?",
    r"(?:tell|show|remind|give) me (?:everything |anything |something |all |more |a bit |what |the things |a list of )*"
    rf"(?:{_YOU_KNOW} )?{_ABOUT_ME}",
    rf"(?:tell|show|remind) me (?:everything|all|what) {_YOU_KNOW}",
    rf"(?:everything|all|anything|list (?:everything|all|what)|summari[sz]e what) {_YOU_KNOW} {_ABOUT_ME}",
    r"(?:(?:tell|remind) me |do you (?:even |still )?(?:know|remember) )?who (?:am i|i am)",
    r"who do you think i am",
    r"do you (?:even |still )?(?:know|remember)(?: me| (?:anything|something|things|a thing) about me)",
    rf"have you {_LEARNED} (?:anything|something) about me",
    r"how well do you know me",
    r"describe me|about me|what about me",
    r"(?:list |show |show me |what are |tell me )?(?:all )?my (?:memories|facts)",
)
_BEFORE = r"(?:(?:hey|hi|hello|ok|okay|so|well|and|now|please|then|just|(?:can|could|would|will) you(?: please)?),? )*"
_AFTER = r"(?:,? (?:please|so far|now|right now|then|already|again|at the moment|by now|exactly|anyway|today|here))*"
_ABOUT_SELF = re.compile(rf"{_BEFORE}(?:{'|'.join(_FAMILY)}){_AFTER}")
_HELP = re.compile(rf"{_BEFORE}(?:help(?: me)?|commands|what can you do|how does this work|how do you work){_AFTER}")


def asks_about_self(text: str) -> bool:
    """Whether somebody asks what is known of them, in one of the many ways to say it."""
    return _ABOUT_SELF.fullmatch(_plain(text)) is not None


def asks_for_help(text: str) -> bool:
    return _HELP.fullmatch(_plain(text)) is not None


def _plain(text: str) -> str:
    return normalize(text[:200]).replace("’", "'") if len(text) <= 200 else ""


async def offline_answer(memory: AsyncMemory, message: Message, why: str = "") -> str:
    """What memory alone has to say to a message; `why` it is alone, unless that was said before."""
    if asks_for_help(message.text):
        return f"{why}. {HELP}" if why else HELP
    if asks_about_self(message.text):
        return await _all_known(memory, message, why)
    search = partial(memory.search, message.text, user=message.author, place=message.place, strict=True)
    found = await search(limit=_MOST) if memory.settings.memos.enabled else []
    known = [one.item for one in found if isinstance(one.item, Memo)]
    texts = [memo.text for memo in known if memo.source.message != message.id]  # no echo of what was just learned
    asks = question_share(message.text) > 0
    if not texts and asks:
        said = [one.item for one in await search(over="messages", limit=4 * _MOST) if isinstance(one.item, Message)]
        told = await memory.store.read(
            lambda tx: memory.names.tagged(tx, [one for one in said if _tells(tx, one, message)][:_MOST])
        )
        texts = [f"{speaker(one)} said: {one.text}" for one in told]
    if texts:
        opening = f"{why}; here is what I remember that fits:" if why else "Here is what I remember that fits:"
        return "\n".join([opening, *(f"- {text}" for text in texts)])
    if asks:
        return f"{why}, and nothing that I remember fits." if why else "Nothing that I remember fits."
    return await _listening(memory, message, why)


async def _all_known(memory: AsyncMemory, message: Message, why: str) -> str:
    """All that is known of the one who asks and may be told here, newest first, as `show` does."""
    shown = await memory.show(user=message.author, place=message.place, limit=_LISTED)
    if not shown.memos:
        here = "yet" if message.place.dm is not None else "that I could tell here"
        return f"{why}, and I remember nothing about you {here}." if why else f"I remember nothing about you {here}."
    opening = f"{why}; here is what I remember about you:" if why else "Here is what I remember about you:"
    lines = [opening, *(f"- {memo.text}" for memo in shown.memos)]
    if left := shown.total - len(shown.memos):
        how = '; "!memory show" lists them all' if memory.settings.chat_commands.enabled else ""
        lines.append(f"and {outcome_text.counted(left)} more{how}.")
    return "\n".join(lines)


async def _listening(memory: AsyncMemory, message: Message, why: str) -> str:
    """The answer to something that asks for none: what comes of it."""
    if not memory.settings.enabled:
        return f"{why}. {SWITCHED_OFF}" if why else SWITCHED_OFF
    if await memory.store.read(lambda tx: consent.is_paused(tx, message.author)):
        return f"{why}. {outcome_text.PAUSED}" if why else outcome_text.PAUSED
    if why:
        return f"{why}, so I only listen: I keep what you tell me and find it again when you ask."
    return "I am listening."


def _tells(tx: Tx, said: Message, asked: Message) -> bool:
    """Whether something said answers a question: no question itself, the asker's own words when asked about them,
    and nothing that was forgotten since.
    """
    if said.bot or said.id == asked.id or question_share(said.text) > 0:
        return False
    if said.author != asked.author and _MINE.search(asked.text):
        return False
    return not is_forgotten(tx.memos.from_message(said.place.platform, said.id))
