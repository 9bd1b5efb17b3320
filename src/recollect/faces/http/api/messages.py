"""For assistants in other languages: report messages, and get the prompt for answering them."""

from typing import Annotated, Any

from pydantic import Field

from recollect.core.errors import BadInput
from recollect.core.types import Message, Place
from recollect.faces.http.api.common import CHANGING, MAX_MESSAGE_CHARS, Name, Time, Wire, router
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.policy.viewer import valid_user
from recollect.prompting.assemble import Prompt, Section

routes = router("talking")
Readers = Annotated[str, Field(max_length=20_000)]
MessageText = Annotated[str, Field(max_length=MAX_MESSAGE_CHARS)]


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
    readers: Readers = Field("", description="Who can read it, as a place says it that was read before.")

    def place(self) -> Place:
        if self.dm is None and self.channel is None and self.thread is None:
            raise BadInput("a place needs a channel, a thread, or whose direct messages (dm) it is")
        return Place(**self.model_dump())


class MessageIn(Wire):
    id: Name = Field(description="Its id on its platform: a message counts once.")
    author: Name
    place: PlaceIn
    text: MessageText
    at: Time | None = Field(None, description="When it was said, with a zone; now unless said.")
    name: Annotated[str, Field(max_length=512)] = Field("", description="What its author is called.")
    bot: bool = False
    source: Name = Field("text", description="text, or where it was transcribed, as voice.")
    reply_to: Name | None = None

    def message(self, state: AppState) -> Message:
        return Message(
            id=self.id,
            author=valid_user(self.author),
            place=self.place.place(),
            text=self.text,
            at=self.at or state.clock(),
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
    text: MessageText
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
    text: MessageText
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
async def observe(state: AppStateDep, body: MessageIn) -> Observed:
    """Take note of a message; when this answers, it is on disk, and it is learned from in the background."""
    return Observed(new=bool(await state.memory.add(body.message(state))))


@routes.post("/observe/edited", responses=CHANGING)
async def observe_edited(state: AppStateDep, body: EditIn) -> Changed:
    """A message was edited: what rested on its old words is taken back."""
    place = None if body.place is None else body.place.place()
    return Changed(changed=await state.memory.message_edited(body.platform, body.id, body.text, body.at, place))


@routes.post("/observe/deleted", responses=CHANGING)
async def observe_deleted(state: AppStateDep, body: DeletionIn) -> Changed:
    """A message was deleted, and with it what rests on it."""
    return Changed(changed=await state.memory.message_deleted(body.platform, body.id, body.at))


@routes.post("/context", responses=CHANGING)
async def context(state: AppStateDep, body: Asking) -> PromptOut:
    """The prompt for answering a message, within its budgets, with the reason of each line. Nothing is stored."""
    message = Message(body.id or "", valid_user(body.author), body.place.place(), body.text, state.clock())
    return render_prompt(await state.memory.context(message, actions=body.actions, count_use=not body.trial))


def render_prompt(prompt: Prompt) -> PromptOut:
    return PromptOut(
        text=prompt.text,
        blocks=prompt.blocks(),
        sections=[_section(section) for section in prompt.sections],
        missing=list(prompt.missing),
    )


def _section(section: Section) -> SectionOut:
    lines = [LineOut(text=line.text, reason=line.reason) for line in section.lines]
    return SectionOut(
        name=section.name,
        text=section.text,
        lines=lines,
        used=section.used,
        limit=section.limit,
        left_out=section.left_out,
    )
