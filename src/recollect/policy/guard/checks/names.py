"""Each name in the fact was said; the speaker's own need not be."""

from recollect.core.reasons import Reason
from recollect.policy.guard.case import Case
from recollect.policy.guard.grounding import keeps_names


def refuse(case: Case) -> Reason | None:
    is_kept = keeps_names(case.fact, f"{case.own_text}\n{case.revised}", case.speaker)
    return None if is_kept else Reason.NAME_NOT_SAID
