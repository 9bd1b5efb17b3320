"""Answers without a model: memories that match, and nothing made up."""

import re
from functools import partial

from recollect.core.text import normalize, question_share
from recollect.core.types import Memo, Message
from recollect.faces import outcome_text
from recollect.memory import AsyncMemory
from recollect.policy.rendering import speaker

NO_MODEL = "I have no model configured"
UNREACHABLE = "My model can't be reached right now"
HELP = 'Tell me something about yourself and ask me later; "what do you know about me?" lists what I remember.'
SWITCHED_OFF = "My memory is switched off, so nothing is kept."
MAX_RESULTS = 5
MAX_LISTED = 30
"""Limit of the answer to "what do you know about me?"."""
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
    """Whether someone asks what is known about them, in one of the many ways to say it."""
    return _ABOUT_SELF.fullmatch(_normalized(text)) is not None


def asks_for_help(text: str) -> bool:
    return _HELP.fullmatch(_normalized(text)) is not None


def _normalized(text: str) -> str:
    return normalize(text[:200]).replace("’", "'") if len(text) <= 200 else ""


async def offline_answer(memory: AsyncMemory, message: Message, reason: str = "") -> str:
    """The answer from memory alone; `reason` says why there is no model, unless that was said before."""
    if asks_for_help(message.text):
        return f"{reason}. {HELP}" if reason else HELP
    if asks_about_self(message.text) and memory.settings.memos.enabled:
        return await _describe_known(memory, message, reason)
    search = partial(memory.search, message.text, user=message.author, place=message.place, strict=True)
    hits = await search(limit=MAX_RESULTS) if memory.settings.memos.enabled else []
    memos = [hit.item for hit in hits if isinstance(hit.item, Memo)]
    texts = [
        memo.text for memo in memos if memo.source.message != message.id
    ]  # not what was learned from this very message
    is_question = question_share(message.text) > 0
    if not texts and is_question:
        hits = await search(over="messages", limit=4 * MAX_RESULTS)
        candidates = [hit.item for hit in hits if isinstance(hit.item, Message)]
        possible = [candidate for candidate in candidates if _is_answer(candidate, message)]
        answers = await memory.timeline.quotable(possible, MAX_RESULTS)
        texts = [f"{speaker(answer)} said: {answer.text}" for answer in answers]
    if texts:
        opening = f"{reason}; here is what I remember that fits:" if reason else "Here is what I remember that fits:"
        return "\n".join([opening, *(f"- {text}" for text in texts)])
    if is_question:
        return f"{reason}, and nothing that I remember fits." if reason else "Nothing that I remember fits."
    return await _acknowledge(memory, message, reason)


async def _describe_known(memory: AsyncMemory, message: Message, reason: str) -> str:
    """What is known about the author and visible here, newest first, as in `show`."""
    listing = await memory.show(user=message.author, place=message.place, limit=MAX_LISTED)
    if not listing.memos:
        scope = "yet" if message.place.dm is not None else "that I could tell here"
        return (
            f"{reason}, and I remember nothing about you {scope}."
            if reason
            else f"I remember nothing about you {scope}."
        )
    opening = f"{reason}; here is what I remember about you:" if reason else "Here is what I remember about you:"
    lines = [opening, *(f"- {memo.text}" for memo in listing.memos)]
    if omitted := listing.total - len(listing.memos):
        hint = '; "!memory show" lists them all' if memory.settings.chat_commands.enabled else ""
        lines.append(f"and {outcome_text.count_noun(omitted)} more{hint}.")
    return "\n".join(lines)


async def _acknowledge(memory: AsyncMemory, message: Message, reason: str) -> str:
    """The answer to a statement: what happens with it."""
    if not memory.settings.enabled:
        return f"{reason}. {SWITCHED_OFF}" if reason else SWITCHED_OFF
    if await memory.view(message.author, message.place).is_learning_paused():
        return f"{reason}. {outcome_text.PAUSED}" if reason else outcome_text.PAUSED
    if reason:
        return f"{reason}, so I only listen: I keep what you tell me and find it again when you ask."
    return "I am listening."


def _is_answer(message: Message, question: Message) -> bool:
    """Whether a message may answer a question: it is no question itself, and what someone asks about themselves they
    have said themselves.
    """
    if message.bot or message.id == question.id or question_share(message.text) > 0:
        return False
    return message.author == question.author or _MINE.search(question.text) is None
