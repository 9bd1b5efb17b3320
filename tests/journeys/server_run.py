"""A large Discord server for a month, in minutes: people talk, edit and delete, permissions change, the bot is offline
now and then, and someone floods. Then an audit of everything that the bot stored, posted or sent to a model against
what was true when the words were said, by a reading of the permissions that is not the bot's own.

`python -m tests.journeys.server_run` runs it in full. Messages come in bursts: what many people say at one moment.
"""

import argparse
import asyncio
import gc
import itertools
import logging
import random
import re
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import discord
from simcord import ChannelHandle, MemberActor
from simcord.backend.models import Message as SentMessage
from simcord.backend.models import Overwrite
from simcord.backend.permissions import compute
from simcord.enums import OverwriteType
from simcord.results import to_discord_message

from recollect.core.ports import Tx
from recollect.core.types import Audience, Memo
from recollect.faces.discord import catch_up, consent, log_follower, resync
from recollect.faces.discord.log_follower import LogFollower
from recollect.learning import consolidate
from recollect.policy.similarity import Similarity, compare
from recollect.policy.visibility import audience_covers_place
from recollect.recall import usage
from recollect.stores.sqlite.database import Database
from recollect.testing.models import FakeModel
from tests.faces.discord.scene import Scene, acting, make_client

consolidation_plan = sys.modules[consolidate.tidy.__module__]  # the package has a function of this name
TOKEN = re.compile(r"zq\d+zq")
THINGS = (
    "tea coffee cocoa soup bread cheese honey garlic lemon pepper piano cello drums flute opera jazz chess poker "
    "rugby tennis sailing skiing hiking rowing pottery poetry comics maps trains bicycles boats kites cats dogs "
    "parrots ferns orchids cactus snow rain"
).split()
READ = discord.Permissions(view_channel=True, read_message_history=True).value
VIEW = discord.Permissions(view_channel=True).value
SETTLE_SECONDS = 600.0
POLL_SECONDS = 3 * 3600.0
"""How often learned lines are posted: a month of virtual time would have a million polls at the usual pace."""


@dataclass(frozen=True, slots=True)
class Size:
    members: int = 5000
    channels: int = 200
    messages: int = 20_000
    days: int = 30
    speakers: int = 0
    """Who writes all this; 0 is as many as write 60 messages each."""
    burst: int = 40
    seed: int = 7
    style: str = "panel"
    agreed: bool = False
    """Everyone who speaks agrees before the start, and nobody withdraws or opts out: consent stays the same."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What was counted until a moment."""

    said: int = 0
    kept: int = 0
    """Messages that may be kept."""
    cpu: float = 0.0
    consolidating: float = 0.0
    """Seconds of CPU for planning consolidations."""
    collecting: float = 0.0
    """Seconds of CPU of Python's garbage collector, which walks through the simulated Discord too."""
    rechecking: float = 0.0
    """Other seconds of CPU when the bot comes back, and looks at the last messages of all channels."""
    statements: int = 0
    rows: int = 0
    """Statements for the store, and the rows that were read: unlike CPU, the same on a busy machine."""
    compared: int = 0
    """Pairs of memories that a consolidation compared."""

    def since(self, before: "Mark") -> "Mark":
        return Mark(*(getattr(self, name) - getattr(before, name) for name in self.__slots__))

    def __str__(self) -> str:
        parts = {"consolidate": self.consolidating, "collect garbage": self.collecting, "recheck": self.rechecking}
        rest = self.cpu - sum(parts.values())
        named = ", ".join(f"{self._per_message(part):.1f} to {name}" for name, part in parts.items())
        return (
            f"{self._per_message(self.cpu):.1f} ms CPU per message: {named}, {self._per_message(rest):.1f} for the "
            f"rest; {self._count(self.statements)} statements, {self._count(self.rows)} rows, "
            f"{self._count(self.compared)} pairs compared; {self.kept / max(1, self.said):.0%} of the messages may be "
            "kept"
        )

    def _count(self, number: int) -> str:
        return f"{number / max(1, self.said):.1f}"

    def _per_message(self, seconds: float) -> float:
        return 1000 * seconds / max(1, self.said)


@dataclass(slots=True)
class Said:
    """A message, and what was true when it was sent."""

    token: str
    author: int
    channel: int
    readers: frozenset[str]
    """The sets of roles that could read it; in a direct message, nobody else."""
    may_be_kept: bool
    is_dm: bool = False
    is_gone: bool = False
    """It was deleted, or its words were replaced."""
    may_be_lost: bool = False
    """It was beyond a limit."""
    answered_to: frozenset[str] | None = None
    """The sets of roles that could read its answer, if that came later."""

    @property
    def text(self) -> str:
        """People like many things: no word is in all that they say."""
        return f"I like the {THINGS[int(self.token.strip('zq')) % len(THINGS)]} {self.token}"


@dataclass(slots=True)
class Report:
    said: int = 0
    stored: int = 0
    prompts: int = 0
    lines: int = 0
    """Messages of the bot that quote someone, in the memory channel."""
    checked: int = 0
    """Words that were found somewhere, and compared with the permissions of their time."""
    leaks: list[str] = field(default_factory=list[str])
    unconsented: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])
    undead: list[str] = field(default_factory=list[str])
    whole: Mark = Mark()
    quarters: list[Mark] = field(default_factory=list[Mark])
    memory_growth_mb: float = 0.0
    peak_memory_mb: float = 0.0

    @property
    def is_clean(self) -> bool:
        return not (self.leaks or self.unconsented or self.lost or self.undead)


@dataclass(slots=True)
class Sent:
    said: Said
    person: MemberActor
    message: SentMessage


class Run:
    def __init__(self, scene: Scene, size: Size, model: FakeModel, meter: "Meter") -> None:
        self.model, self.meter = model, meter
        self.marks: list[Mark] = []
        self.scene, self.size, self.random = scene, size, random.Random(size.seed)
        self.backend = scene.env.backend
        self.backend.expire_due_polls = lambda: None  # there are none, and simcord looks for them in every message
        self.backend.next_poll_deadline = lambda: None
        self.said: dict[str, Said] = {}
        self.report = Report()
        self.people: list[MemberActor] = []
        self.channels: list[ChannelHandle] = []
        self.sent: list[Sent] = []
        self.agreed: set[int] = set()
        self.refused: set[int] = set()
        self.agreed_to_dms: set[int] = set()
        self.deaf: set[int] = set()
        self._readers: dict[int, frozenset[str]] = {}

    # the server

    def build(self) -> None:
        """Members with four sets of roles; a third of the channels closed to some of them."""
        guild, size = self.scene.guild, self.size
        self.roles = [guild.create_role(name) for name in ("verified", "staff", "muted")]
        verified, staff, muted = self.roles
        sets = [[], [verified], [verified, staff], [verified, muted]]
        for number in range(size.members):
            user = self.scene.env.create_user(f"user{number}")
            self.people.append(guild.add_member(user, roles=self.random.choice(sets)))
        for number in range(size.channels):
            self.channels.append(guild.create_text_channel(f"channel{number}"))
            if number % 3 == 0:
                self.close(self.channels[-1])
        self.memory_channel = self.scene.general
        self.by_id = {channel.id: channel for channel in (*self.channels, self.memory_channel)}
        speakers = size.speakers or max(12, size.messages // 60)
        self.speakers = self.random.sample(self.people, min(len(self.people), speakers))
        self.roles_of = {person.id: self.class_of(person) for person in self.people}
        self.classes = {self.roles_of[person.id]: person for person in self.people}

    def class_of(self, person: MemberActor) -> str:
        member = self.backend.get_guild(self.scene.guild.id).members[person.id]
        return ",".join(map(str, sorted(member.role_ids)))

    def close(self, channel: ChannelHandle) -> None:
        """Let only some of the roles view a channel, or all but one; the bot always."""
        everyone, role = self.scene.guild.id, self.random.choice(self.roles)
        overwrites = [(everyone, VIEW, 0), (role.id, 0, VIEW)]
        if self.random.random() < 0.5:
            overwrites = [(everyone, 0, VIEW), (role.id, VIEW, 0)]
        for target, deny, allow in overwrites:
            self.backend.set_overwrite(channel.id, Overwrite(target, OverwriteType.ROLE, allow, deny))
        bot = Overwrite(self.scene.client.user.id, OverwriteType.MEMBER, VIEW, 0)
        self.backend.set_overwrite(channel.id, bot)
        self._readers.pop(channel.id, None)

    def open(self, channel: ChannelHandle) -> None:
        everyone = Overwrite(self.scene.guild.id, OverwriteType.ROLE, VIEW, 0)
        self.backend.set_overwrite(channel.id, everyone)
        self._readers.pop(channel.id, None)

    def readers(self, channel: ChannelHandle) -> frozenset[str]:
        """The sets of roles whose members can read a channel now."""
        if channel.id not in self._readers:
            now, guild = self.scene.env.now(), self.backend.get_guild(self.scene.guild.id)
            place = self.backend.get_channel(channel.id)
            self._readers[channel.id] = frozenset(
                name
                for name, person in self.classes.items()
                if compute(guild, person.id, place, now=now) & READ == READ
            )
        return self._readers[channel.id]

    # what happens

    async def live(self) -> None:
        """Bursts of messages, and between them the rest of a server's life."""
        events = [self.ask] * 6 + [self.whisper] * 2 + [self.change_channel] * 4 + [self.delete] * 3 + [self.edit] * 3
        events += [self.flood, self.change_memory_channel]
        if self.size.agreed:
            await self.agree()
        else:
            events += [self.opt, self.withdraw]
        bursts = max(1, self.size.messages // self.size.burst)
        pause, outages = self.size.days * 86400 / bursts, max(1, self.size.days // 3)
        for number in range(bursts):
            if number % max(1, bursts // outages) == bursts // outages - 1:
                await self.go_away()
            else:
                await self.talk()
            for _ in range(3):
                await self.random.choice(events)()
            await self.scene.env.advance_time(pause)
            self.look()
            if number % max(1, bursts // 20) == 0:
                self.note_progress(number / bursts)
        await self.scene.settle()
        await self.scene.env.advance_time(POLL_SECONDS + 1)
        self.look()

    def look(self) -> None:
        """Compare what was sent and posted meanwhile; the time for that is not the bot's."""
        before = time.process_time()
        self.read_prompts()
        self.read_memory_channel()
        self.tidy()
        self.looked += time.process_time() - before

    def tidy(self) -> None:
        """Drop what the doubles keep of the past, which would count as the bot's memory, and slow the simulation."""
        self.backend.http_requests.clear()
        self.backend.transcript.clear()
        self.model.inputs.clear()
        loop = asyncio.get_running_loop()
        for timer in loop._scheduled:  # type: ignore[attr-defined]
            name = getattr(getattr(timer, "_callback", None), "__qualname__", "")
            if name.startswith("Env._schedule_timer") and timer.when() > loop.time() + 60:
                timer.cancel()  # in real time; the virtual clock has its own

    looked = 0.0
    """Seconds of CPU."""

    def note_progress(self, share: float) -> None:
        mark = self.mark()
        self.marks.append(mark)
        line = f"{share:4.0%} {mark.said:,} messages, {mark.cpu:.0f} s CPU, {peak_mb():.0f} MB"
        print(line, file=sys.stderr, flush=True)

    def mark(self) -> Mark:
        kept = sum(said.may_be_kept for said in self.said.values())
        cpu, meter = time.process_time() - self.looked, self.meter
        seconds = cpu, meter.consolidating, meter.collecting, self.rechecking
        return Mark(self.report.said, kept, *seconds, meter.statements, meter.rows, meter.compared)

    rechecking = 0.0

    def compose(self, person: MemberActor, channel: ChannelHandle | None, *, is_addressed: bool = False) -> Said:
        """A message with a word of its own; without a channel, a direct message."""
        token = f"zq{len(self.said)}zq"
        agrees = person.id in (self.agreed_to_dms if channel is None else self.agreed)
        may_be_kept = agrees and (is_addressed or channel is None or person.id not in self.deaf)
        readers = frozenset[str]() if channel is None else self.readers(channel)
        place = person.user.dm_channel.id if channel is None else channel.id
        said = self.said[token] = Said(token, person.id, place, readers, may_be_kept, channel is None)
        self.report.said += 1
        return said

    def somewhere(self) -> Iterator[tuple[MemberActor, ChannelHandle]]:
        """People, each with a channel that they can write in."""
        while True:
            person, channel = self.random.choice(self.speakers), self.random.choice(self.channels)
            if self.roles_of[person.id] in self.readers(channel):
                yield person, channel

    def say(self, person: MemberActor, channel: ChannelHandle, *, is_addressed: bool = False) -> Sent:
        said = self.compose(person, channel, is_addressed=is_addressed)
        mention = f"<@{self.scene.client.user.id}> " if is_addressed else ""
        message = self.backend.create_message(channel.id, person.id, f"{mention}{said.text}")
        self.sent.append(Sent(said, person, message))
        return self.sent[-1]

    async def talk(self) -> None:
        for _, (person, channel) in zip(range(self.size.burst), self.somewhere(), strict=False):
            self.say(person, channel)
        await self.scene.env.settle()

    async def ask(self) -> None:
        """The first mention asks for consent; most people agree, by the button."""
        person, channel = next(self.somewhere())
        sent = self.say(person, channel, is_addressed=True)
        await self.scene.env.settle()
        question = self.last_message(channel)
        if person.id in self.agreed | self.refused or question is None or "Do you agree?" not in question.content:
            return
        if self.random.random() < 0.5:
            await self.change_channel(channel)  # between the words and the consent
        if self.roles_of[person.id] not in self.readers(channel):
            return
        if self.random.random() < 0.9:
            self.agreed.add(person.id)
            sent.said.may_be_kept = True  # the question is answered after the consent
            sent.said.answered_to = self.readers(channel)
            await person.click(question, label="I agree")
        else:
            self.refused.add(person.id)
            await person.click(question, label="No thanks")

    def last_message(self, channel: ChannelHandle) -> discord.Message | None:
        """Simcord's own way makes an object of every message of the channel."""
        messages = self.backend.messages.get(channel.id, {})
        return to_discord_message(self.scene.env, messages[max(messages)]) if messages else None

    async def whisper(self) -> None:
        person = self.random.choice(self.speakers)
        self.agreed_to_dms.add(person.id)
        await consent.decide(self.scene.client.bot, person.id, None, consent.YES)
        await person.send_dm(self.compose(person, None).text)

    async def agree(self) -> None:
        """All who speak agree, without being asked."""
        for person in self.speakers:
            for agreed, guild in ((self.agreed, self.scene.guild.id), (self.agreed_to_dms, None)):
                agreed.add(person.id)
                await consent.decide(self.scene.client.bot, person.id, guild, consent.YES)

    async def change_channel(self, channel: ChannelHandle | None = None) -> None:
        channel = channel or self.random.choice(self.channels)
        (self.close if self.random.random() < 0.6 else self.open)(channel)
        await self.scene.env.settle()

    async def change_memory_channel(self) -> None:
        (self.close if self.random.random() < 0.5 else self.open)(self.memory_channel)
        await self.scene.env.settle()

    def pick(self) -> Sent | None:
        """A message that its author can still reach."""
        for _ in range(20):
            index = self.random.randrange(len(self.sent))
            sent = self.sent[index]
            if self.roles_of[sent.person.id] in self.readers(self.by_id[sent.said.channel]):
                return self.sent.pop(index)
        return None

    async def delete(self) -> None:
        if (sent := self.pick()) is not None:
            sent.said.is_gone = True
            self.backend.delete_message(sent.said.channel, sent.message.id)
            await self.scene.env.settle()

    async def edit(self) -> None:
        """Other words in place of these: they are heard by those who could read both, and kept if both may be."""
        if (sent := self.pick()) is None:
            return
        before, channel = sent.said, self.by_id[sent.said.channel]
        said = self.compose(sent.person, channel)
        said.readers &= before.readers
        said.may_be_kept &= before.may_be_kept
        said.may_be_lost = True  # how far words go that were changed behind a door is not known
        before.is_gone = True
        self.backend.edit_message(channel.id, sent.message.id, {"content": said.text})
        await self.scene.env.settle()

    async def go_away(self) -> None:
        """The bot is offline for a while; people go on, and permissions change."""
        await self.scene.settle()
        before = self.mark()
        client = make_client(self.scene.memory, self.scene.server, lambda: self.scene.env.now())
        set_up = client.setup_hook

        async def meanwhile() -> None:
            for _, (person, channel) in zip(range(self.size.burst), self.somewhere(), strict=False):
                self.say(person, channel)
            self.close(self.random.choice(self.channels))
            for channel in self.random.sample(self.channels, 2):
                self.open(channel)
            await set_up()

        client.setup_hook = meanwhile  # type: ignore[method-assign]
        await self.scene.env.restart_bot(client)
        await self.scene.env.advance_time(120)
        spent = self.mark().since(before)
        self.rechecking += spent.cpu - spent.consolidating - spent.collecting

    async def flood(self) -> None:
        """One person says far too much at once: only they are not heard out."""
        person, channel = next(self.somewhere())
        for _ in range(80):
            self.say(person, channel).said.may_be_lost = True
        for _, (other, elsewhere) in zip(range(3), self.somewhere(), strict=False):
            self.say(other, elsewhere).said.may_be_lost = other is person
        await self.scene.env.settle()
        await self.scene.env.advance_time(61)

    async def opt(self) -> None:
        """Someone opts out of being overheard, or in again."""
        person = self.random.choice(self.speakers)
        out = person.id not in self.deaf
        (self.deaf.add if out else self.deaf.discard)(person.id)
        await consent.opt(self.scene.client.bot, person.id, consent.OVERHEARING, out=out)

    async def withdraw(self) -> None:
        """Someone withdraws their consent: what was said before may stay, nothing else is kept."""
        if self.agreed:
            await self.scene.settle()
            person = self.random.choice(sorted(self.agreed))
            self.agreed.discard(person)
            self.refused.add(person)
            await consent.decide(self.scene.client.bot, person, self.scene.guild.id, consent.NO)

    # the audit

    def compare(self, where: str, said: Said, listeners: frozenset[str]) -> None:
        self.report.checked += 1
        if not listeners <= said.readers:
            self.report.leaks.append(f"{said} in {where}, heard by {sorted(listeners)}")
        if not said.may_be_kept:
            self.report.unconsented.append(f"{said.token} in {where}")

    def read_prompts(self) -> None:
        """Compare the prompts since the last look with the permissions of the place that they were for."""
        requests = self.scene.server.requests[:]
        self.scene.server.requests.clear()
        for request in requests:
            asked = TOKEN.findall(str(request.body["messages"][-1]))
            if not asked:
                continue
            self.report.prompts += 1
            question = self.said[asked[-1]]
            for token in set(TOKEN.findall(str(request.body))) - {question.token}:
                said = self.said[token]
                is_own = question.is_dm and said.author == question.author
                here = question.readers if question.answered_to is None else question.answered_to
                listeners = frozenset({self.roles_of[question.author]}) if question.is_dm else here
                self.compare(f"the prompt of {question.token}", said, frozenset() if is_own else listeners)

    def read_memory_channel(self) -> None:
        """Compare all that stands in the memory channel with who can read it now."""
        listeners, messages = self.readers(self.memory_channel), self.backend.messages.get(self.memory_channel.id, {})
        self.report.lines = 0
        for message in messages.values():
            tokens = TOKEN.findall(f"{message.content} {message.embeds}")
            self.report.lines += bool(tokens)
            for token in tokens:
                self.compare("the memory channel", self.said[token], listeners)
                if self.said[token].is_gone and self.is_settled:
                    self.report.undead.append(f"{token} in the memory channel")

    is_settled = False
    """Learned lines follow the log with a delay; what is gone has to be gone at the end."""

    async def audit(self) -> None:
        self.is_settled = True
        self.read_memory_channel()
        memos = await self.scene.memory.store.read(self.all_memos)
        by_token = {token: memo for memo in memos for token in TOKEN.findall(memo.text)}
        for said in self.said.values():
            memo = by_token.get(said.token)
            if memo is not None and not said.may_be_kept:
                self.report.unconsented.append(f"{said.token} in a memory")
            if memo is not None and said.is_gone:
                self.report.undead.append(said.token)
            if memo is None and said.may_be_kept and not (said.is_gone or said.may_be_lost):
                self.report.lost.append(said.token)
            self.report.stored += memo is not None
        self.check_audiences(by_token)
        for text in await self.scene.memory.store.read(self.all_texts):
            for token in TOKEN.findall(text):
                self.report.checked += 1
                if not self.said[token].may_be_kept:
                    self.report.unconsented.append(f"{token} in a stored message")
                if self.said[token].is_gone:
                    self.report.undead.append(f"{token} in a stored message")
        failed = (await self.scene.memory.timeline.job_counts()).get("failed", 0)
        assert not failed, f"{failed} jobs failed"

    def all_memos(self, tx: Tx) -> list[Memo]:
        people = {f"discord:{said.author}" for said in self.said.values()}
        return [memo for person in people for memo in tx.memos.stated_by(actor=person) if memo.active]

    def all_texts(self, tx: Tx) -> list[str]:
        """Stored messages and summaries."""
        texts: list[str] = []
        for section in ("messages", "summaries", "exchanges"):
            cursor: Any = None
            while True:
                page = tx.archive.read(section, cursor, 1000)
                texts += map(str, page.records)
                cursor = page.after
                if cursor is None:
                    break
        return texts

    def check_audiences(self, memos: dict[str, Memo]) -> None:
        """In whatever channel a memory may be told, as the bot sees it, everyone could read its words when they were
        said."""
        groups: dict[Audience, list[Said]] = defaultdict(list)
        for token, memo in memos.items():
            groups[memo.audience].append(self.said[token])
        for audience, said in groups.items():
            heard_by_all = frozenset.intersection(*(one.readers for one in said))
            for channel in self.channels:
                self.report.checked += 1
                listeners = self.readers(channel)
                if audience_covers_place(audience, self.scene.place(channel)) and not listeners <= heard_by_all:
                    late = [one for one in said if not listeners <= one.readers]
                    self.report.leaks += [f"{one} may be told in {channel.id}, {audience}" for one in late]


class Meter:
    """Seconds of CPU for consolidation and for the garbage collector, and what was asked of the store and compared,
    while it is entered.
    """

    def __init__(self) -> None:
        self.consolidating = self.collecting = self._began = 0.0
        self.statements = self.rows = self.compared = 0

    def __enter__(self) -> "Meter":
        self._plan = consolidate.plan
        self._undo = [setattr_undoably(consolidate, "plan", self._measure)]
        self._undo += [setattr_undoably(consolidation_plan, "compare", self._compare)]
        execute, rows = Database._execute, Database.rows

        def count_statement(db: Database, sql: str, values: Any) -> Any:
            self.statements += 1
            return execute(db, sql, values)

        def count_rows(db: Database, sql: str, values: Any = ()) -> Any:
            result = rows(db, sql, values)
            self.rows += len(result)
            return result

        self._undo += [setattr_undoably(Database, "_execute", count_statement)]
        self._undo += [setattr_undoably(Database, "rows", count_rows)]
        gc.callbacks.append(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for undo in self._undo:
            undo()
        gc.callbacks.remove(self._note)

    def _compare(self, new: str, old: str) -> Similarity:
        self.compared += 1
        return compare(new, old)

    def _measure(self, *args: Any) -> consolidate.Plan:
        before = time.thread_time()
        try:
            return self._plan(*args)
        finally:
            self.consolidating += time.thread_time() - before

    def _note(self, phase: str, _: object) -> None:
        if phase == "start":
            self._began = time.thread_time()
        else:
            self.collecting += time.thread_time() - self._began


def setattr_undoably(thing: object, name: str, value: object) -> Callable[[], None]:
    usual = getattr(thing, name)
    setattr(thing, name, value)
    return lambda: setattr(thing, name, usual)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def run(size: Size) -> Report:
    log, level = logging.getLogger("recollect"), logging.getLogger("recollect").level
    log.setLevel(logging.ERROR)
    try:
        with _without_pauses():
            return await _run(size)
    finally:
        log.setLevel(level)


@contextmanager
def _without_pauses() -> Iterator[None]:
    """Pauses between requests and between writes would be spent for real; only the virtual clock is to pass. Each poll
    removes as many learned lines as the usual ones would in that time.
    """
    pauses = [(resync, "DELAY_SECONDS"), (catch_up, "DELAY_SECONDS"), (usage, "WRITE_INTERVAL_SECONDS")]
    lines_per_poll = log_follower._LINES_PER_POLL
    log_follower._LINES_PER_POLL = int(lines_per_poll * POLL_SECONDS / log_follower.POLL_INTERVAL_SECONDS)
    usual, polling, interval = [getattr(*pause) for pause in pauses], LogFollower._poll, LogFollower._poll.seconds
    polling.change_interval(seconds=POLL_SECONDS)
    for module, name in pauses:
        setattr(module, name, 0.0)
    try:
        yield
    finally:
        polling.change_interval(seconds=interval or 0.0)
        log_follower._LINES_PER_POLL = lines_per_poll
        for (module, name), seconds in zip(pauses, usual, strict=True):
            setattr(module, name, seconds)


def _be_patient(scene: Scene) -> None:
    """On a busy machine a restart may take longer than the five seconds that simcord grants it."""
    settle = scene.env._settle_internal

    async def settle_in_time(*, timeout: float | None = None, **how: Any) -> None:
        await settle(timeout=None if timeout is None else SETTLE_SECONDS, **how)

    scene.env._settle_internal = settle_in_time  # type: ignore[method-assign]


async def _run(size: Size) -> Report:
    memory_before = peak_mb()
    options = {"consent": "opt_in", "memory_channel_style": size.style, "learned_notices": "mirror"}
    model = FakeModel()
    with Meter() as meter:
        async with acting(
            model=model,
            discord=options,
            summary={"enabled": False},
            memos={"max_active": 100_000},
            settle_timeout=SETTLE_SECONDS,
        ) as scene:
            _be_patient(scene)
            server = Run(scene, size, model, meter)
            report = server.report
            server.build()
            await scene.env.settle()
            settings = scene.client.bot.server_settings
            await settings.change(scene.guild.id, "memory_channel", str(server.memory_channel.id), scene.ann.id)
            await scene.restart()
            built = server.mark()
            await server.live()
            report.whole = server.mark().since(built)
            await server.audit()
    ends = [server.marks[(len(server.marks) - 1) * quarter // 4] for quarter in range(5)]
    report.quarters = [end.since(begin) for begin, end in itertools.pairwise(ends)]
    report.peak_memory_mb = peak_mb()
    report.memory_growth_mb = report.peak_memory_mb - memory_before
    return report


def main() -> None:
    parser, size = argparse.ArgumentParser(description=__doc__), Size()
    for name in ("members", "channels", "messages", "days", "speakers", "burst", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(size, name))
    parser.add_argument("--agreed", action="store_true", help="everyone who speaks agrees before the start")
    parser.add_argument("--style", choices=("panel", "members"), default=size.style)
    report = asyncio.run(run(Size(**vars(parser.parse_args()))))
    print(f"{report.said:,} messages, {report.stored:,} learned, {report.prompts:,} prompts, {report.lines:,} lines")
    print(f"{report.checked:,} comparisons with the permissions of their time")
    for name, mark in (("all", report.whole), *((f"quarter {n}", mark) for n, mark in enumerate(report.quarters, 1))):
        print(f"{name}: {mark}")
    print(f"{report.peak_memory_mb:.0f} MB at most, {report.memory_growth_mb:.0f} MB more than at the start")
    found = {name: getattr(report, name) for name in ("leaks", "unconsented", "lost", "undead")}
    print({name: len(items) for name, items in found.items()})
    print({name: items[:5] for name, items in found.items() if items})
    raise SystemExit(not report.is_clean)


if __name__ == "__main__":
    main()
