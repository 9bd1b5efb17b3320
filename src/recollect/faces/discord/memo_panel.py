"""Memories as pages with a menu: choose one, and change, forget, explain or share it. Only the asker sees it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import discord

from recollect.core.outcomes import Ambiguous, Forgotten
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import EVERYWHERE, Audience, Memo
from recollect.faces import outcome_text
from recollect.faces.discord.consent import storing_problem
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import (
    EditForm,
    Interaction,
    Panel,
    acknowledge,
    anyone,
    defer,
    is_manager,
    open_form,
    run_work,
    send_answer,
    update,
)
from recollect.faces.discord.localization import translated
from recollect.faces.discord.splitting import harmless
from recollect.faces.wording import say
from recollect.policy.rendering import discord_url, render_end
from recollect.policy.visibility import is_source_visible
from recollect.view import View

PAGE_MEMOS = 10
MAX_LINE_CHARS, MAX_LABEL_CHARS, MAX_EMBED_CHARS = 300, 100, 4096
NOTHING = "Nothing yet. `/memory remember` adds something, and what you tell me may be learned."
NO_LORE = "Nothing yet."
CHOOSE = "Choose one to change, forget or explain it"
RESTORE_TITLE = "What was forgotten or replaced"

Load = Callable[[], Awaitable[Sequence[Memo]]]


class MemoPanel(Panel):
    """A list, page by page. `load` reads it again after a change."""

    def __init__(
        self, bot: BotContext, view: View, title: str, load: Load, memos: Sequence[Memo], language: str
    ) -> None:
        super().__init__()
        self._bot, self._view, self._title, self._load, self._memos = bot, view, title, load, memos
        self.language, self._page = language, 0
        self.may = is_manager if view.lore else anyone
        self._arrange()

    @property
    def _pages(self) -> int:
        return max(1, -(-len(self._memos) // PAGE_MEMOS))

    @property
    def _visible(self) -> Sequence[Memo]:
        return self._memos[self._page * PAGE_MEMOS : (self._page + 1) * PAGE_MEMOS]

    def _arrange(self) -> None:
        self.clear_items()
        self._page = max(0, min(self._page, self._pages - 1))
        if self._visible:
            label = translated(CHOOSE, self.language)
            self.add_item(_Chooser(self._visible, self._page * PAGE_MEMOS, self._open, label))
        if self._pages > 1:
            back, forward = translated("Back", self.language), translated("Next", self.language)
            self.add_item(_Button(back, self._back, disabled=self._page == 0))
            self.add_item(_Button(forward, self._forward, disabled=self._page == self._pages - 1))
        if not self._view.lore:
            self.add_item(_Button(translated("Forgotten…", self.language), self._show_forgotten))

    def embed(self) -> discord.Embed:
        first = self._page * PAGE_MEMOS + 1
        linked = "\n".join(f"{number}. {_line(memo, self._view)}" for number, memo in enumerate(self._visible, first))
        plain = "\n".join(f"{number}. {_text(memo)}" for number, memo in enumerate(self._visible, first))
        text = linked if len(linked) <= MAX_EMBED_CHARS else plain
        empty = translated(NO_LORE if self._view.lore else NOTHING, self.language)
        embed = discord.Embed(title=self._title, description=text or empty)
        pages = ""
        if self._pages > 1:
            pages = translated("page {} of {}, ", self.language).format(self._page + 1, self._pages)
        return embed.set_footer(text=f"{pages}{count_memories(len(self._memos), self.language)}")

    async def send(self, interaction: Interaction) -> None:
        """Answer a deferred interaction."""
        await interaction.followup.send(embed=self.embed(), view=self, ephemeral=True)

    async def show(self, interaction: Interaction) -> None:
        """Replace the message of a deferred interaction."""
        self._memos = await self._load()
        self._arrange()
        await interaction.edit_original_response(content=None, embed=self.embed(), view=self)

    async def _back(self, interaction: Interaction) -> None:
        self._page -= 1
        await self._turn(interaction)

    async def _forward(self, interaction: Interaction) -> None:
        self._page += 1
        await self._turn(interaction)

    async def _turn(self, interaction: Interaction) -> None:
        self._arrange()
        await update(interaction, content=None, embed=self.embed(), view=self)

    async def _open(self, interaction: Interaction, memo_id: str) -> None:
        memo = next((memo for memo in self._memos if memo.id == memo_id), None)
        if memo is None:
            await acknowledge(interaction)
            await self.show(interaction)
            return
        card = MemoCard(self._bot, self._view, memo, self)
        await update(interaction, embed=card.embed(), view=card)

    async def _show_forgotten(self, interaction: Interaction) -> None:
        await defer(interaction)
        memos = (await self._view.forgotten()).memos
        embed = discord.Embed(
            title=say(RESTORE_TITLE), description="\n".join(f"- {_text(memo, 150)}" for memo in memos[:25])
        )
        embed.description = embed.description or say("Nothing.")
        view = Panel()
        if memos:
            view.add_item(_Chooser(memos[:25], 0, self._restore, say("Bring one back")))
        await interaction.followup.send(embed=embed, view=view, ephemeral=True)

    async def _restore(self, interaction: Interaction, memo_id: str) -> None:
        await acknowledge(interaction)

        async def restore() -> str:
            outcome = await self._view.restore(memo_id)
            return say("Say which.") if isinstance(outcome, Ambiguous) else outcome_text.render_restored(outcome)

        text = await run_work(restore)
        await interaction.edit_original_response(content=harmless(text), embed=None, view=None)


class MemoCard(Panel):
    """One memory, with the actions of its owner, or for lore those of a moderator."""

    def __init__(self, bot: BotContext, view: View, memo: Memo, panel: MemoPanel) -> None:
        super().__init__()
        self._bot, self._view, self._memo, self._panel, self.may = bot, view, memo, panel, panel.may
        actions: dict[str, Any] = {"Edit": self._edit, "Forget": self._forget}
        if not memo.subject.is_lore:
            is_shared = memo.audience == EVERYWHERE
            actions |= {"Why": self._why, "Keep private" if is_shared else "Share": self._share}
            actions |= {"Not always needed" if memo.pinned else "Always keep in mind": self._pin}
        may_change = memo.subject == view.subject and memo.active
        for label, callback in actions.items() if may_change else ():
            self.add_item(_Button(translated(label, panel.language), callback, is_danger=label == "Forget"))
        self.add_item(_Button(translated("Back to the list", panel.language), self._return))

    def embed(self) -> discord.Embed:
        memo = self._memo
        embed = discord.Embed(description=_text(memo, 3000))
        embed.add_field(name=say("Kind"), value=say(memo.kind.value))
        embed.add_field(name=say("Since"), value=f"{memo.created:%Y-%m-%d}")
        embed.add_field(name=say("May be recalled"), value=outcome_text.describe_audience(memo.audience), inline=False)
        link = _link(memo, self._view)
        return embed.add_field(name=say("From"), value=link) if link else embed

    async def _edit(self, interaction: Interaction) -> None:
        view, memo = self._view, self._memo

        async def change(submitted: Interaction, words: str) -> str:
            if not memo.subject.is_lore and (problem := await storing_problem(self._bot, submitted)):
                return problem
            changed = await view.update(memo.id, words, version=memo.version)
            await self._bot.server_settings.record_lore(view, memo)
            return outcome_text.changed("Changed", changed)

        await open_form(interaction, EditForm(memo.text, change, self.may))

    async def _forget(self, interaction: Interaction) -> None:
        await acknowledge(interaction)
        if isinstance(await self._view.forget(self._memo.id), Forgotten):
            await self._bot.server_settings.record_lore(self._view, self._memo)
        await self._panel.show(interaction)

    async def _why(self, interaction: Interaction) -> None:
        await defer(interaction)
        view, line = self._view, f"!memory why {self._memo.id}"
        user = view.user.rpartition(":")[2]
        await send_answer(interaction, await self._bot.commands.answer(line, user=user, place=view.place))

    async def _share(self, interaction: Interaction) -> None:
        await acknowledge(interaction)
        is_shared = self._memo.audience == EVERYWHERE
        audience = Audience("dm", self._view.user.rpartition(":")[2]) if is_shared else EVERYWHERE
        await self._show_again(interaction, await self._view.share(self._memo.id, audience=audience))

    async def _pin(self, interaction: Interaction) -> None:
        await acknowledge(interaction)
        await self._show_again(interaction, await self._view.pin(self._memo.id, pinned=not self._memo.pinned))

    async def _show_again(self, interaction: Interaction, memo: Memo) -> None:
        card = MemoCard(self._bot, self._view, memo, self._panel)
        await interaction.edit_original_response(embed=card.embed(), view=card)

    async def _return(self, interaction: Interaction) -> None:
        await acknowledge(interaction)
        await self._panel.show(interaction)


class _Button(discord.ui.Button[Any]):
    def __init__(
        self,
        label: str,
        work: Callable[[Interaction], Awaitable[None]],
        *,
        disabled: bool = False,
        is_danger: bool = False,
    ) -> None:
        style = discord.ButtonStyle.danger if is_danger else discord.ButtonStyle.secondary
        super().__init__(label=label, style=style, disabled=disabled)
        self._work = work

    async def callback(self, interaction: Interaction) -> None:
        await self._work(interaction)


class _Chooser(discord.ui.Select[Any]):
    def __init__(
        self,
        memos: Sequence[Memo],
        first: int,
        work: Callable[[Interaction, str], Awaitable[None]],
        placeholder: str,
    ) -> None:
        options = [
            discord.SelectOption(label=clip(f"{number}. {collapse_spaces(memo.text)}", MAX_LABEL_CHARS), value=memo.id)
            for number, memo in enumerate(memos, first + 1)
        ]
        super().__init__(placeholder=placeholder, options=options)
        self._work = work

    async def callback(self, interaction: Interaction) -> None:
        await self._work(interaction, self.values[0])


def count_memories(count: int, language: str = "") -> str:
    return translated("1 memory" if count == 1 else "{:,} memories", language).format(count)


def _text(memo: Memo, limit: int = MAX_LINE_CHARS) -> str:
    """The escaped text; escaping makes it longer."""
    text = harmless(clip(collapse_spaces(memo.text), limit))
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip(chr(92))}…"


def _line(memo: Memo, view: View) -> str:
    pinned = "📌 " if memo.pinned else ""
    link = _link(memo, view)
    return f"{pinned}{_text(memo)}{render_end(memo)}{f' {link}' if link else ''}"


def _link(memo: Memo, view: View) -> str:
    url = discord_url(memo.source) if is_source_visible(memo, view.place) else None
    name = memo.source.channel_name
    return f"[{f'#{harmless(name)} ' if name else ''}↗]({url})" if url else ""
