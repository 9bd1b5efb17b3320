"""Messages: add them, list them, see what was learned from one, and get the prompt for answering one."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from recollect.core.errors import BadInput
from recollect.core.sessions import parse_session
from recollect.core.types import Message, Place
from recollect.faces.http.api import records
from recollect.faces.http.api.common import (
    CHANGING,
    MAX_MESSAGE_CHARS,
    PAGING,
    READING,
    SPELLING,
    Cursor,
    Limit,
    Name,
    Time,
    Wire,
    missing,
    next_cursor,
    number_after,
    problems,
    router,
)
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.policy.viewer import valid_user
from recollect.prompting.assemble import Prompt

routes = router("messages")
MAX_BATCH = 500
"""Messages in one request."""
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
    guild_name: Name | None = Field(None, description="What the guild is called.")
    public: bool = Field(False, description="Everyone in the guild can read it; unless said, it is private.")
    private_thread: bool = False
    readers: Readers = Field("", description="Who can read it, as a place says it that was read before.")

    def place(self) -> Place:
        if self.dm is None and self.channel is None and self.thread is None:
            raise BadInput("a place needs a channel, a thread, or whose direct messages (dm) it is")
        if self.dm is not None and (self.guild is not None or self.thread is not None):
            raise BadInput("a place is either in a guild or someone's direct messages (dm), not both")
        return Place(**self.model_dump(exclude={"guild_name"}))


class MessageIn(Wire):
    id: Name = Field(description="Its id on its platform: a message counts once.")
    author: Name
    place: PlaceIn
    text: MessageText
    at: Time | None = Field(None, description="When it was said, with a zone; now unless said.")
    name: Annotated[str, Field(max_length=512)] = Field(
        "", description="What its author is called; as before unless said."
    )
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


class MessageAdded(Wire):
    new: bool = Field(description="False when it was known already, was deleted before, or memory is switched off.")


class Batch(Wire):
    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=MAX_BATCH)]


class BatchAdded(Wire):
    added: int = Field(description="How many of them are new.")
    messages: int = Field(description="How many there were.")


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
    count_use: bool = Field(True, description="What it shows counts as used; false for only a look at the prompt.")
    trial: bool = Field(False, description="The opposite of `count_use`, by its former name.")


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


@routes.get("/messages", responses=PAGING)
async def list_messages(
    state: AppStateDep,
    user: Annotated[Name | None, Query(description=f"Only of this person, {SPELLING}.")] = None,
    guild: Annotated[Name | None, Query(description="Only of this guild.")] = None,
    session: Annotated[Name | None, Query(description="Only of this conversation, as `place.session` says.")] = None,
    since: Annotated[Time | None, Query(description="Said from then on.")] = None,
    until: Annotated[Time | None, Query(description="Said before then.")] = None,
    order: Annotated[
        Literal["oldest", "newest"], Query(description="Which come first; newest goes with a session.")
    ] = "oldest",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> records.MessagePage:
    """Messages that match all that is given, without deleted ones: of a conversation in order, else by conversation.
    A page may have fewer than `limit`, or a few more that were said at the same time; `next` says whether more follow.
    """
    conversation = None if session is None else parse_session(session)
    if session is not None and conversation is None:
        raise BadInput(f"{session!r} is not a conversation")
    if order == "newest" and conversation is None:
        raise BadInput("the newest come first only within a conversation: say which session")
    listing = "messages" if conversation is None else f"messages {order}"
    position = number_after(listing, cursor)
    page = await state.admin.messages(
        user=None if user is None else await state.admin.resolve(user, changes=False),
        guild=guild,
        place=None if conversation is None else conversation.place,
        since=since,
        until=until,
        newest=order == "newest",
        limit=limit,
        after="" if position is None else str(position),
    )
    return records.MessagePage(
        messages=[records.from_message(message) for message in page.messages],
        next=next_cursor(listing, page.after) if page.after else None,
    )


@routes.get("/message", responses=READING | problems(404))
async def get_message(
    state: AppStateDep,
    message: Annotated[Name, Query(alias="id", description="The message's id on its platform.")],
    platform: Annotated[Name, Query(description="Where it was said.")] = "local",
) -> records.MessageDetails:
    """A message, what was learned from it, and what was not and why."""
    line = await state.admin.message_line(platform, message)
    if line is None or not line.message.text:
        raise missing(f"there is no message {message!r} of {platform}, or it was deleted")
    return records.from_line(line)


@routes.post("/messages", responses=CHANGING)
async def add_messages(state: AppStateDep, body: Batch) -> BatchAdded:
    """Add several messages in one transaction: all of them, or after an error none. Each says when it was
    said with `at`, so that a history can be told later.
    """
    added = await _add(state, body.messages)
    return BatchAdded(added=added, messages=len(body.messages))


@routes.post("/observe", responses=CHANGING)
async def add_message(state: AppStateDep, body: MessageIn) -> MessageAdded:
    """Add a message. When this answers, it is on disk; it is learned from in the background."""
    return MessageAdded(new=bool(await _add(state, [body])))


async def _add(state: AppState, messages: list[MessageIn]) -> int:
    said = [message.message(state) for message in messages]
    names = await state.admin.profile_names({message.person for message in said if not message.name})
    added = await state.memory.add(
        [replace(message, name=message.name or names.get(message.person, "")) for message in said]
    )
    guilds = {
        key: message.place.guild_name
        for message in messages
        if message.place.guild_name and (key := message.place.place().guild_key)
    }
    if guilds:
        await state.admin.name_guilds(guilds)
    return added.new


@routes.post("/observe/edited", responses=CHANGING)
async def edit_message(state: AppStateDep, body: EditIn) -> Changed:
    """A message was edited: what was learned from its old text is reverted."""
    place = None if body.place is None else body.place.place()
    return Changed(changed=await state.memory.message_edited(body.platform, body.id, body.text, body.at, place))


@routes.post("/observe/deleted", responses=CHANGING)
async def delete_message(state: AppStateDep, body: DeletionIn) -> Changed:
    """A message was deleted: what was learned from it is reverted."""
    return Changed(changed=await state.memory.message_deleted(body.platform, body.id, body.at))


@routes.post("/context", responses=CHANGING)
async def context(state: AppStateDep, body: Asking) -> PromptOut:
    """The prompt for answering a message, within its budgets, with the reason of each line. Nothing is stored."""
    message = Message(body.id or "", valid_user(body.author), body.place.place(), body.text, state.clock())
    return render_prompt(
        await state.memory.context(message, actions=body.actions, count_use=body.count_use and not body.trial)
    )


def render_prompt(prompt: Prompt) -> PromptOut:
    return PromptOut(
        text=prompt.text,
        blocks=prompt.blocks(),
        sections=[SectionOut.model_validate(section) for section in prompt.sections],
        missing=list(prompt.missing),
    )
