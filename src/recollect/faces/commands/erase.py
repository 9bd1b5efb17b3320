"""The command `erase`: deletes everything about the user, for good, after a confirmation."""

from collections.abc import Mapping

from recollect.faces import outcome_text
from recollect.faces.commands.help import usage
from recollect.faces.commands.request import CommandRequest, clean_text
from recollect.faces.wording import say
from recollect.view import View

EVERYTHING, HERE = "everything", "here"
NOTHING_TO_ERASE = "Nothing is known of you that could be erased."
QUESTION = (
    "Everything that is known of you, here and everywhere else,{} would be erased for good. This can't be undone."
)
QUESTION_HERE = "Everything that you left on this server{} would be erased for good. This can't be undone."
FOUND_NOTHING = "A search for it afterwards found nothing."
FOUND_MORE = "A search for it afterwards still found something in {} places; the person who runs me can see where."
_NOUNS = {"memos": "item", "messages": "message", "replies": "answer"}
"""What the answer counts, with the noun for each."""


async def erase(request: CommandRequest) -> str:
    words = clean_text(request.words).casefold().split()
    here, is_confirmed = HERE in words, EVERYTHING in words
    if set(words) - {EVERYTHING, HERE}:
        return usage("erase", request.prefix)
    if is_confirmed:
        return await run_erasure(request.view, here=here, with_counts=request.is_private)
    question = await render_question(request.view, here=here, with_counts=request.is_private)
    command = f"{request.prefix}erase {EVERYTHING}{f' {HERE}' if here else ''}"
    confirmation = say('To go on, say "{}".', command)
    return say(NOTHING_TO_ERASE) if question is None else f"{question}\n{confirmation}"


async def render_question(view: View, *, here: bool = False, with_counts: bool = True) -> str | None:
    """What would be erased; None when there is nothing. The numbers are private: `with_counts` is for one's own DM."""
    preview = await view.preview_erasure(here=here)
    if preview is None:
        return None
    counts = f" ({_render_counts(preview.counts)})" if with_counts else ""
    return say(QUESTION_HERE if here else QUESTION, counts)


async def run_erasure(view: View, *, here: bool = False, with_counts: bool = True) -> str:
    """Erase at the person's own request, and render the report."""
    report = await view.erase(here=here)
    if report is None:
        return say(NOTHING_TO_ERASE)
    counts = f": {_render_counts(report.counts)}" if with_counts else ""
    remaining = sum(check.count for check in report.probe)
    verification = say(FOUND_NOTHING) if report.clean else say(FOUND_MORE, remaining)
    return say("Erased{}. {} From here on we start over.", counts, verification)


def _render_counts(counts: Mapping[str, int]) -> str:
    parts = [outcome_text.count_noun(counts[kind], noun) for kind, noun in _NOUNS.items() if counts.get(kind)]
    return ", ".join(parts) or say("nothing")
