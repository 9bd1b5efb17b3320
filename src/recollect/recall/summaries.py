"""Which summary of a conversation may be shown in a place: never one of messages that someone there could not hear."""

from recollect.core.ports import Tx
from recollect.core.types import Place, Summary
from recollect.policy.visibility import audience_covers_place


def latest_for(tx: Tx, session: str, place: Place) -> Summary | None:
    """The newest summary of a session that may be told in a place: after the place was opened to more people, that is
    an earlier one, or one of what was said since. Until one person's share of a place has a summary of its own, that is
    the place's, as it was imported or written before sessions were per person.
    """
    if session != place.session and not tx.summaries.sequence(session):
        session = place.session
    newest = tx.summaries.get(session)
    if newest is None or may_be_shown(newest, place):
        return newest
    return next((summary for summary in tx.summaries.history(session) if may_be_shown(summary, place)), None)


def may_be_shown(summary: Summary, place: Place) -> bool:
    """Whether everyone in a place could hear what the summary covers; if unknown, in its own conversation alone."""
    if summary.audience is None:
        return summary.session == place.session or summary.session.startswith(f"{place.session}:user:")
    return audience_covers_place(summary.audience, place)
