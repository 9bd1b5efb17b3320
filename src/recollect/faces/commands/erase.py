"""The command `erase`: deletes everything about the user, for good, after a confirmation."""

from collections.abc import Mapping

from recollect.core.errors import BadInput
from recollect.core.types import Place
from recollect.faces import outcome_text
from recollect.faces.commands.help import usage
from recollect.faces.commands.request import CommandRequest, clean_text
from recollect.memory import AsyncMemory
from recollect.privacy.target import ErasureTarget

EVERYTHING, HERE = "everything", "here"
NOTHING_TO_ERASE = "Nothing is known of you that could be erased."
_NOUNS = {"memos": "item", "messages": "message", "replies": "answer"}
"""What the answer counts, with the noun for each."""


async def erase(request: CommandRequest) -> str:
    words = clean_text(request.words).casefold().split()
    here, is_confirmed = HERE in words, EVERYTHING in words
    if set(words) - {EVERYTHING, HERE}:
        return usage("erase")
    target = erasure_target(request.user, request.place, here=here)
    if is_confirmed:
        return await run_erasure(request.memory, target, with_counts=request.is_private)
    question = await render_question(request.memory, target, with_counts=request.is_private)
    command = f"!memory erase {EVERYTHING}{f' {HERE}' if here else ''}"
    return NOTHING_TO_ERASE if question is None else f'{question}\nTo go on, say "{command}".'


async def render_question(memory: AsyncMemory, target: ErasureTarget, *, with_counts: bool = True) -> str | None:
    """What would be erased; None when there is nothing. The numbers are private: `with_counts` is for one's own DM."""
    if await memory.privacy.is_clean(target):
        return None
    preview = await memory.privacy.preview(target)
    scope = "you left on this server" if target.guild else "is known of you, here and everywhere else,"
    counts = f" ({_render_counts(preview.counts)})" if with_counts else ""
    return f"Everything that {scope}{counts} would be erased for good. This can't be undone."


async def run_erasure(memory: AsyncMemory, target: ErasureTarget, *, with_counts: bool = True) -> str:
    """Erase at the person's own request, and render the report.

    An erasure is work for the whole store, so it is skipped when there is nothing to erase.
    """
    if await memory.privacy.is_clean(target):
        return NOTHING_TO_ERASE
    report = await memory.privacy.erase(target, asked_by=target.user or "")
    counts = f": {_render_counts(report.counts)}" if with_counts else ""
    verification = "A search for it afterwards found nothing."
    if not report.clean:
        remaining = sum(check.count for check in report.probe)
        verification = (
            f"A search for it afterwards still found something in {remaining} places; "
            "the person who runs me can see where."
        )
    return f"Erased{counts}. {verification} From here on we start over."


def erasure_target(user: str, place: Place, *, here: bool = False) -> ErasureTarget:
    """Everything about someone, or, with `here`, what they left on this server; raises BadInput where there is none."""
    if here and place.guild is None:
        raise BadInput('this is not a server: leave out "here" to erase everything')
    return ErasureTarget(user, place.guild if here else None)


def _render_counts(counts: Mapping[str, int]) -> str:
    parts = [outcome_text.count_noun(counts[kind], noun) for kind, noun in _NOUNS.items() if counts.get(kind)]
    return ", ".join(parts) or "nothing"
