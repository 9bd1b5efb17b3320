"""Resolves an id to a person: without a platform, it means a local person, if there is one.

If it exists on only one other platform, reads get that person; a change has to name the platform.
"""

from recollect.core.errors import BadInput
from recollect.core.ports import Tx
from recollect.core.types import LOCAL, Subject, person_key


def resolve(tx: Tx, user: str, *, changes: bool, speakers: bool = False) -> str:
    """The `person_key` that an id means; raises BadInput for a change whose id is not a local person's.

    With `speakers`, people who only have messages count too, at the cost of a search through all messages.
    """
    spoken = tx.messages.platforms_of(user) if speakers else []
    if ":" in user or LOCAL in spoken or tx.memos.count(Subject(user)):
        return person_key(LOCAL, user)
    known = {subject.id for subject in tx.memos.namesakes(user)}
    others = sorted(known | {person_key(platform, user) for platform in spoken})
    if not others:
        return user
    if changes:
        names = " or ".join(others)
        raise BadInput(f"there is no local {user}: say {names}, or {LOCAL}:{user} for somebody new")
    return others[0] if len(others) == 1 else user
