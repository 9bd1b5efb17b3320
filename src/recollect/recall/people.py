"""Who is meant by an id: one without a platform means a local person, if there is one.

If only one other platform has it, readers see that person; who changes something has to say whom they mean.
"""

from recollect.core.errors import BadInput
from recollect.core.ports import Tx
from recollect.core.types import LOCAL, Subject, person_key


def resolve(tx: Tx, user: str, *, changes: bool, speakers: bool = False) -> str:
    """The `person_key` that an id means; raises BadInput where it is to be changed, and is not a local person's.

    With `speakers`, people count too about whom nothing is remembered: their messages are searched, all of them.
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
