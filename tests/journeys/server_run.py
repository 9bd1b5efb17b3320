"""A large Discord server for a month, in minutes: people talk, permissions change, messages go, the bot restarts, and
someone floods. Then an audit against what was true at each moment, by a reading of the permissions that is not the
bot's own.

`python -m tests.journeys.server_run --members 5000 --channels 200 --messages 4000` runs it in full.
"""

import argparse
import asyncio
import random
import re
import resource
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

import discord
from simcord import ChannelHandle, MemberActor
from simcord.backend.models import Overwrite
from simcord.backend.permissions import compute
from simcord.enums import OverwriteType

from recollect.faces.discord import consent
from tests.faces.discord.scene import Scene, acting

TOKEN = re.compile(r"zq\d+zq")
READ = discord.Permissions(view_channel=True, read_message_history=True).value
VIEW = discord.Permissions(view_channel=True).value


@dataclass(frozen=True, slots=True)
class Size:
    members: int = 5000
    channels: int = 200
    messages: int = 4000
    days: int = 30
    seed: int = 7


@dataclass(slots=True)
class Said:
    """A message, and what was true when it was sent."""

    token: str
    author: int
    channel: int
    readers: frozenset[str]
    may_be_kept: bool
    at: datetime
    is_dm: bool = False
    is_deleted: bool = False
    may_be_lost: bool = False
    """It was beyond a limit, or older than what the bot catches up on."""


@dataclass(slots=True)
class Report:
    said: int = 0
    stored: int = 0
    prompts: int = 0
    checked: int = 0
    """Words of others or of oneself that were found somewhere, and compared with the permissions of their time."""
    leaks: list[str] = field(default_factory=list[str])
    unconsented: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])
    undead: list[str] = field(default_factory=list[str])
    cpu_ms_per_message: float = 0.0
    memory_growth_mb: float = 0.0

    @property
    def is_clean(self) -> bool:
        return not (self.leaks or self.unconsented or self.lost or self.undead)


class Run:
    def __init__(self, scene: Scene, size: Size) -> None:
        self.scene, self.size, self.random = scene, size, random.Random(size.seed)
        self.said: dict[str, Said] = {}
        self.report = Report()
        self.people: list[MemberActor] = []
        self.channels: list[ChannelHandle] = []
        self.sent: list[tuple[Said, MemberActor, discord.Message]] = []
        self.agreed: set[int] = set()
        self.deaf: set[int] = set()
        self.prompts_seen = 0
        self._memos: dict[int, list[str]] = {}

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
        self.speakers = self.random.sample(self.people, min(len(self.people), max(12, size.messages // 60)))
        self.classes = {self.class_of(person): person for person in self.people}
        self.roles_of = {person.id: self.class_of(person) for person in self.people}

    def class_of(self, person: MemberActor) -> str:
        member = self.scene.env.backend.get_guild(self.scene.guild.id).members[person.id]
        return ",".join(map(str, sorted(member.role_ids)))

    def close(self, channel: ChannelHandle) -> None:
        """Let only some of the roles view a channel, or all but one; the bot always."""
        everyone, backend = self.scene.guild.id, self.scene.env.backend
        role = self.random.choice(self.roles)
        rules = [(everyone, VIEW, 0), (role.id, 0, VIEW)]
        if self.random.random() < 0.5:
            rules = [(everyone, 0, VIEW), (role.id, VIEW, 0)]
        for target, deny, allow in rules:
            backend.set_overwrite(channel.id, Overwrite(target, OverwriteType.ROLE, allow, deny))
        backend.set_overwrite(channel.id, Overwrite(self.scene.client.user.id, OverwriteType.MEMBER, VIEW, 0))

    def open(self, channel: ChannelHandle) -> None:
        everyone = Overwrite(self.scene.guild.id, OverwriteType.ROLE, VIEW, 0)
        self.scene.env.backend.set_overwrite(channel.id, everyone)

    def readers(self, channel: ChannelHandle) -> frozenset[str]:
        """The sets of roles whose members can read a channel now."""
        backend, now = self.scene.env.backend, self.scene.env.now()
        guild, place = backend.get_guild(self.scene.guild.id), backend.get_channel(channel.id)
        return frozenset(
            name for name, person in self.classes.items() if compute(guild, person.id, place, now=now) & READ == READ
        )

    def can_write(self, person: MemberActor, channel: ChannelHandle) -> bool:
        return self.class_of(person) in self.readers(channel)

    async def live(self) -> None:
        actions = [self.talk] * 60 + [self.ask] * 20 + [self.whisper] * 5 + [self.change_channel] * 4
        actions += [self.delete] * 4 + [self.go_away, self.flood, self.opt, self.pass_time, self.pass_time]
        while self.report.said < self.size.messages:
            await self.random.choice(actions)()
            await self.scene.env.advance_time(self.size.days * 86400 / self.size.messages)
            if self.report.said % 50 == 0:
                self.read_prompts()
        await self.scene.settle()
        self.read_prompts()

    def compose(self, person: MemberActor, readers: frozenset[str], channel: int, **facts: bool) -> Said:
        token = f"zq{len(self.said)}zq"
        is_dm, is_addressed = facts.get("is_dm", False), facts.get("is_addressed", False)
        may_be_kept = person.id in self.agreed and (is_addressed or is_dm or person.id not in self.deaf)
        said = Said(token, person.id, channel, readers, may_be_kept, self.scene.env.now(), is_dm)
        self.said[token] = said
        self.report.said += 1
        return said

    def somewhere(self) -> tuple[MemberActor, ChannelHandle] | None:
        person, channel = self.random.choice(self.speakers), self.random.choice(self.channels)
        return (person, channel) if self.can_write(person, channel) else None

    async def talk(self) -> None:
        found = self.somewhere()
        if found is not None:
            person, channel = found
            said = self.compose(person, self.readers(channel), channel.id)
            message = await person.send(channel, f"I like the tea {said.token}")
            self.sent.append((said, person, message))

    async def ask(self) -> None:
        """The first mention asks for consent; most people agree, by the button."""
        found = self.somewhere()
        if found is None:
            return
        person, channel = found
        said = self.compose(person, self.readers(channel), channel.id, is_addressed=True)
        message = await person.send(channel, f"<@{self.scene.client.user.id}> I like the tea {said.token}")
        self.sent.append((said, person, message))
        question = channel.last_message
        if person.id not in self.agreed and question is not None and "Do you agree?" in question.content:
            if self.random.random() < 0.8:
                said.may_be_kept = True  # the question is answered after the consent
                self.agreed.add(person.id)
                await person.click(question, label="I agree")
                await self.scene.env.settle()
            else:
                await person.click(question, label="No thanks")

    async def whisper(self) -> None:
        person = self.random.choice(self.speakers)
        await consent.decide(self.scene.client.bot, person.id, None, consent.YES)
        said = self.compose(person, frozenset({f"dm {person.id}"}), person.user.dm_channel.id, is_dm=True)
        said.may_be_kept = True
        await person.send_dm(f"I like the tea {said.token}")

    async def change_channel(self) -> None:
        channel = self.random.choice(self.channels)
        (self.close if self.random.random() < 0.6 else self.open)(channel)
        await self.scene.env.settle()

    async def delete(self) -> None:
        if self.sent:
            said, person, message = self.sent.pop(self.random.randrange(len(self.sent)))
            if self.class_of(person) in self.readers_by_id(said.channel):
                await person.delete(message)
                said.is_deleted = True

    def readers_by_id(self, channel: int) -> frozenset[str]:
        return self.readers(next(one for one in self.channels if one.id == channel))

    async def go_away(self) -> None:
        """Another process takes over."""
        await self.scene.settle()
        await self.scene.restart()

    async def flood(self) -> None:
        """One person says far too much at once: only they are not heard out."""
        found = self.somewhere()
        if found is not None:
            person, channel = found
            for _ in range(80):
                said = self.compose(person, self.readers(channel), channel.id)
                said.may_be_lost = True
                await person.send(channel, f"I like the tea {said.token}")
            other = self.somewhere()
            if other is not None and other[0] is not person:
                await self.talk()
            await self.scene.env.advance_time(61)

    async def opt(self) -> None:
        """Someone opts out of being overheard, or in again."""
        person = self.random.choice(self.speakers)
        out = person.id not in self.deaf
        (self.deaf.add if out else self.deaf.discard)(person.id)
        await consent.opt(self.scene.client.bot, person.id, consent.OVERHEARING, out=out)

    async def pass_time(self) -> None:
        await self.scene.settle()

    def read_prompts(self) -> None:
        """Compare the prompts since the last look with the permissions of the place that they were for."""
        requests = self.scene.server.requests[self.prompts_seen :]
        self.prompts_seen += len(requests)
        for request in requests:
            asked = TOKEN.findall(str(request.body["messages"][-1]))
            if not asked:
                continue
            self.report.prompts += 1
            question = self.said[asked[-1]]
            for token in set(TOKEN.findall(str(request.body))) - {question.token}:
                said = self.said[token]
                is_own = question.is_dm and said.author == question.author
                listeners = frozenset({self.roles_of[question.author]}) if question.is_dm else question.readers
                self.compare(f"the prompt of {question.token}", said, frozenset() if is_own else listeners)

    def compare(self, where: str, said: Said, listeners: frozenset[str]) -> None:
        self.report.checked += 1
        if not listeners <= said.readers:
            self.report.leaks.append(f"{said} in {where}, heard by {sorted(listeners)}")
        if not said.may_be_kept:
            self.report.unconsented.append(f"{said.token} in {where}")

    async def audit(self) -> Report:
        for said in self.said.values():
            expected = said.may_be_kept and not said.is_deleted
            memos = [memo for memo in await self.memos_of(said.author) if said.token in memo]
            if memos and not said.may_be_kept:
                self.report.unconsented.append(f"{said.token} in a memory")
            if memos and said.is_deleted:
                self.report.undead.append(said.token)
            if expected and not memos and not said.may_be_lost:
                self.report.lost.append(said.token)
            self.report.stored += bool(memos)
        failed = (await self.scene.memory.timeline.job_counts()).get("failed", 0)
        assert not failed, f"{failed} jobs failed"
        return self.report

    async def memos_of(self, user: int) -> list[str]:
        if user not in self._memos:
            person, store = f"discord:{user}", self.scene.memory.store
            memos = await store.read(lambda tx: tx.memos.stated_by(actor=person))
            self._memos[user] = [memo.text for memo in memos if memo.active]
        return self._memos[user]


async def run(size: Size) -> Report:
    started, memory_before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    options = {"consent": "opt_in", "memory_channel_style": "panel"}
    async with acting(
        discord=options, summary={"enabled": False}, memos={"max_active": 10_000}, settle_timeout=600
    ) as scene:
        server = Run(scene, size)
        server.build()
        await scene.env.settle()
        await server.live()
        report = await server.audit()
    report.cpu_ms_per_message = 1000 * (time.process_time() - started) / max(1, report.said)
    report.memory_growth_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory_before) / 1024
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (("members", 5000), ("channels", 200), ("messages", 4000), ("days", 30), ("seed", 7)):
        parser.add_argument(f"--{name}", type=int, default=value)
    report = asyncio.run(run(Size(**vars(parser.parse_args()))))
    print(f"{report.said:,} messages, {report.stored:,} learned, {report.prompts:,} prompts, {report.checked:,} checks")
    print(f"{report.cpu_ms_per_message:.0f} ms CPU per message, {report.memory_growth_mb:.0f} MB more memory")
    found = {name: getattr(report, name) for name in ("leaks", "unconsented", "lost", "undead")}
    print(Counter({name: len(items) for name, items in found.items()}))
    print({name: items[:5] for name, items in found.items() if items})
    raise SystemExit(not report.is_clean)


if __name__ == "__main__":
    main()
