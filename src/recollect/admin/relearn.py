"""Learning from messages again: of a person, a place, a time range, or everyone."""

from typing import Unpack

from recollect.admin.people import PeopleAdmin
from recollect.core.errors import BadInput
from recollect.core.outcomes import RelearnOutcome, RelearnRun
from recollect.core.ports import Progress
from recollect.core.types import Place
from recollect.learning.relearn import RelearnOptions, Selection


class RelearnAdmin(PeopleAdmin):
    async def relearn(
        self,
        *,
        user: str | None = None,
        place: Place | None = None,
        everyone: bool = False,
        dry_run: bool = False,
        **options: Unpack[RelearnOptions],
    ) -> RelearnOutcome:
        """Learn again from the messages that match all that is given, with the model that is configured now, in the
        background; or with `dry_run`, what that would change. Raises ModelUnavailable in a preview.
        """
        if user is None and place is None and not everyone and not any(options.values()):
            raise BadInput("say what to learn again: a message, a person, a place, a time range, or everything")
        person = None if user is None else await self.resolve(user, changes=True)
        selection = Selection(person=person, place=place, **options)
        return await self.memory.engine.relearn(selection, self.name, dry_run=dry_run)

    async def relearned(self, run: str) -> RelearnRun | None:
        """How far a run is; None when there is no such run."""
        return await self.memory.relearned(run)

    async def wait_relearned(self, run: RelearnRun, progress: Progress | None = None) -> RelearnRun:
        """Wait until a run is over, or does not go on."""
        return await self.memory.engine.relearner.wait(run, progress)
