"""Which known memo a change told in a message of its own is about: one must be clearly meant, else nothing changes."""

from collections.abc import Sequence

from recollect.core.ports import Proposal, Retraction
from recollect.core.types import Memo, Message
from recollect.language import changes
from recollect.models.local import rejections
from recollect.models.local.corrections import just_said
from recollect.policy.guard.own_words import own_words


def read(message: Message, known: Sequence[Memo], context: Sequence[Message]) -> Proposal | Retraction | None:
    """The successor, revision or end of the one memo that a message changes by its form."""
    said = own_words(message.text, message.name) if len(message.text) <= changes.MAX_CHARS else ""
    if not said or not changes.may_change(said) or rejections.is_play(said):
        return None
    fresh = {memo.id for memo in just_said(message, known, context)}
    others = [memo for memo in known if memo.active and memo.source.message != message.id]
    effects = [(memo, changes.effect(memo.text, said, is_fresh=memo.id in fresh)) for memo in others]
    changed = [(memo, text) for memo, text in effects if text is not None]
    if len(changed) != 1:
        return None
    memo, text = changed[0]
    if not text:
        return Retraction("the speaker said that it is over", id=memo.id, evidence=said)
    # What was just said is rather put right than no longer so.
    replaces = () if memo.id in fresh else (memo.id,)
    return Proposal(text, memo.kind.value, said, message.id, memo.id, replaces, confidence=memo.confidence)
