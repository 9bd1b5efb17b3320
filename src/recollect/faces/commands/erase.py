"""The order to erase: all that is known of oneself, for good. It is told what would go, and done when that is said."""

from collections.abc import Mapping

from recollect.core.errors import BadInput
from recollect.core.types import Place
from recollect.faces import outcome_text
from recollect.faces.commands.help import usage
from recollect.faces.commands.request import CommandRequest, meaning
from recollect.memory import AsyncMemory
from recollect.privacy.target import ErasureTarget

EVERYTHING, HERE = "everything", "here"
NOTHING = "Nothing is known of you that could be erased."
_SORTS = {"memos": "item", "messages": "message", "replies": "answer"}
"""What people are told about, each sort in one word."""


async def erase(ask: CommandRequest) -> str:
    words = meaning(ask.words).casefold().split()
    here, sure = HERE in words, EVERYTHING in words
    if set(words) - {EVERYTHING, HERE}:
        return usage("erase")
    target = whose(ask.user, ask.place, here=here)
    if sure:
        return await erased(ask.memory, target, counted=ask.alone)
    asked = await question(ask.memory, target, counted=ask.alone)
    order = f"!memory erase {EVERYTHING}{f' {HERE}' if here else ''}"
    return NOTHING if asked is None else f'{asked}\nTo go on, say "{order}".'


async def question(memory: AsyncMemory, target: ErasureTarget, *, counted: bool = True) -> str | None:
    """What would go; None when there is nothing. How much it is concerns nobody else, so that it is `counted` only
    where nobody else hears it.
    """
    if await memory.privacy.is_clean(target):
        return None
    survey = await memory.privacy.preview(target)
    scope = "you left on this server" if target.guild else "is known of you, here and everywhere else,"
    much = f" ({_listed(survey.counts)})" if counted else ""
    return f"Everything that {scope}{much} would be erased for good. This can't be undone."


async def erased(memory: AsyncMemory, target: ErasureTarget, *, counted: bool = True) -> str:
    """Erase, as the person who is meant asked for; what came of it, in short. It makes work for the whole store: where
    there is nothing to erase, nothing is done.
    """
    if await memory.privacy.is_clean(target):
        return NOTHING
    done = await memory.privacy.erase(target, asked_by=target.user or "")
    much = f": {_listed(done.counts)}" if counted else ""
    looked = "A search for it afterwards found nothing."
    if not done.clean:
        left = sum(check.found for check in done.probe)
        looked = f"A search for it afterwards still found something in {left} places; whoever runs me can see where."
    return f"Erased{much}. {looked} From here on we start anew."


def whose(user: str, place: Place, *, here: bool = False) -> ErasureTarget:
    """All about someone, or what they left in the guild where they say so; raises BadInput where there is none."""
    if here and place.guild is None:
        raise BadInput('this is no server: leave out "here" to erase everything')
    return ErasureTarget(user, place.guild if here else None)


def _listed(counts: Mapping[str, int]) -> str:
    found = [outcome_text.counted(counts[sort], name) for sort, name in _SORTS.items() if counts.get(sort)]
    return ", ".join(found) or "nothing"
