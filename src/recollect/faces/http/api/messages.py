"""For assistants in other languages: hand in what was said, and get the prompt for answering it."""

from typing import Annotated, Any

from pydantic import Field

from recollect.core.errors import BadInput
from recollect.core.types import Message, Place
from recollect.faces.http.api.common import CHANGING, LONGEST_MESSAGE, Name, Time, Wire, router
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.policy.viewer import valid_user
from recollect.prompting.assemble import Prompt, Section

routes = router("talking")
Words = Annotated[str, Field(max_length=LONGEST_MESSAGE)]


class PlaceIn(Wire):
    """Where something is said: a guild's channel or thread, or one person's DM."""

    platform: Name = "local"
    guild: Name | None = None
    channel: Name | None = None
    thread: Name | None = None
    dm: Name | None = Field(None, description="Whose direct messages.")
    name: Name | None = Field(None, description="What the channel is called.")
    public: bool = Field(False, description="Everyone in the guild can read it; unless said, it is private.")
    private_thread: bool = False

    def place(self) -> Place:
        if self.dm is None and self.channel is None and self.thread is None:
            raise BadInput("a place needs a channel, a thread, or whose direct messages (dm) it is")
        return Place(**self.model_dump())


class MessageIn(Wire):
    id: Name = Field(description="Its id on its platform: a message counts once.")
    author: Name
    place: PlaceIn
    text: Words
    at: Time | None = Field(None, description="When it was said, with a zone; now unless said.")
    name: Annotated[str, Field(max_length=512)] = Field("", description="What its author is called.")
    bot: bool = False
    source: Name = Field("text", description="text, or where it was transcribed, as voice.")
    reply_to: Name | None = None

    def message(self, house: AppState) -> Message:
        return Message(
            id=self.id,
            author=valid_user(self.author),
            place=self.place.place(),
            text=self.text,
            at=self.at or house.clock(),
            name=self.name,
            bot=self.bot,
            source=self.source,
            reply_to=self.reply_to,
        )


class Observed(Wire):
    new: bool = Field(description="False when it was known already, was deleted before, or memory is switched off.")


class EditIn(Wire):
    platform: Name
    id: Name
    text: Words
    at: Time | None = Field(None, description="When it was edited; now unless said.")
    place: PlaceIn | None = Field(None, description="Where it stands now, if fewer people can hear that.")


class DeletionIn(Wire):
    platform: Name
    id: Name
    at: Time | None = None


class Changed(Wire):
    changed: bool = Field(description="False when it is not known, or known in a newer state.")


class Asking(Wire):
    author: Name
    place: PlaceIn
    text: Words
    id: Name | None = Field(None, description="Of the message, if it was observed: it is not quoted twice.")
    actions: Annotated[str, Field(max_length=20_000)] = Field("", description="What the assistant may do, verbatim.")
    trial: bool = Field(False, description="Only a look at the prompt: what it shows does not count as used.")


class LineOut(Wire):
    text: str
    reason: str = Field(description="Why it is there.")


class SectionOut(Wire):
    name: str
    text: str
    lines: list[LineOut]
    used: int = Field(description="Characters of its lines.")
    limit: int | None = Field(description="Characters that they may take.")
    left_out: int = Field(description="Lines that did not fit.")


class PromptOut(Wire):
    text: str = Field(description="The whole prompt.")
    blocks: list[dict[str, Any]] = Field(description="The same as text blocks with marks for a prompt cache.")
    sections: list[SectionOut]
    missing: list[str] = Field(description="Layers that failed or were late.")


@routes.post("/observe", responses=CHANGING)
async def observe(house: AppStateDep, given: MessageIn) -> Observed:
    """Take note of a message; when this answers, it is on disk, and it is learned from in the background."""
    return Observed(new=await house.memory.add(given.message(house)))


@routes.post("/observe/edited", responses=CHANGING)
async def observe_edited(house: AppStateDep, given: EditIn) -> Changed:
    """A message was edited: what rested on its old words is taken back."""
    place = None if given.place is None else given.place.place()
    return Changed(changed=await house.memory.message_edited(given.platform, given.id, given.text, given.at, place))


@routes.post("/observe/deleted", responses=CHANGING)
async def observe_deleted(house: AppStateDep, given: DeletionIn) -> Changed:
    """A message was deleted, and with it what rests on it."""
    return Changed(changed=await house.memory.message_deleted(given.platform, given.id, given.at))


@routes.post("/context", responses=CHANGING)
async def context(house: AppStateDep, given: Asking) -> PromptOut:
    """The prompt for answering a message, within its budgets, with the reason of each line. Nothing is stored."""
    message = Message(given.id or "", valid_user(given.author), given.place.place(), given.text, house.clock())
    return prompt(await house.memory.context(message, actions=given.actions, count_use=not given.trial))


def prompt(made: Prompt) -> PromptOut:
    return PromptOut(
        text=made.text,
        blocks=made.blocks(),
        sections=[_section(one) for one in made.sections],
        missing=list(made.missing),
    )


def _section(one: Section) -> SectionOut:
    lines = [LineOut(text=line.text, reason=line.reason) for line in one.lines]
    return SectionOut(name=one.name, text=one.text, lines=lines, used=one.used, limit=one.limit, left_out=one.left_out)
