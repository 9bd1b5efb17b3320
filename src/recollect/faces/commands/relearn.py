"""The command `relearn`: learns again from what the user said, after showing what that would change."""

from recollect.core.outcomes import NothingToRelearn, RelearnPreview, RelearnRun
from recollect.faces import outcome_text
from recollect.faces.commands.help import usage
from recollect.faces.commands.request import CommandRequest, clean_text
from recollect.faces.wording import say

GO_ON = "yes"
_NOTHING = "There is nothing that you said to learn from again."
_UNDERWAY = "Learning again from {}, in the background. Take it back later: {}"


async def relearn(request: CommandRequest) -> str:
    words = clean_text(request.words).casefold()
    if words not in ("", GO_ON):
        return usage("relearn", request.prefix)
    outcome = await request.view.relearn(dry_run=words != GO_ON)
    if isinstance(outcome, NothingToRelearn):
        return say(_NOTHING)
    if isinstance(outcome, RelearnPreview):
        return _render_preview(request, outcome)
    return _render_underway(request, outcome)


def _render_preview(request: CommandRequest, preview: RelearnPreview) -> str:
    lines = [*map(outcome_text.render_step, preview.changes), *outcome_text.render_relearning(preview)]
    confirmation = [say('To go on, say "{}".', f"{request.prefix}relearn {GO_ON}")] if preview.messages else []
    return "\n".join([*lines, *confirmation])


def _render_underway(request: CommandRequest, outcome: RelearnRun) -> str:
    if not outcome.messages:
        return say(_NOTHING)
    return say(_UNDERWAY, outcome_text.count_noun(outcome.messages, "message"), f"{request.prefix}undo")
