"""The command `edit`: gives a memory other words."""

from typing import Annotated

import typer

from recollect.core.errors import BadInput
from recollect.core.types import Memo
from recollect.faces import outcome_text
from recollect.faces.cli import records
from recollect.faces.cli.choice import with_memo
from recollect.faces.cli.inputs import read_text
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail
from recollect.faces.cli.options import WHICH
from recollect.memory import AsyncMemory

WhichMemo = Annotated[str, typer.Argument(metavar="WHAT", help=f"{WHICH} Several words in quotation marks.")]
NewWords = Annotated[
    list[str] | None,
    typer.Argument(metavar="TEXT", help="The new words, - reads them; without any you are asked.", show_default=False),
]


def edit(call: Invocation, which: WhichMemo, text: NewWords = None) -> None:
    """Change the words of a memory; undo brings the old ones back."""
    if not text and not call.is_interactive:
        raise BadInput("say the new words: recollect edit NUMBER I live in Porto")
    before = with_memo(call, "edit", [which], _memo)
    words = read_text(text) if text else _ask(before.text)
    if words is None or words == before.text:
        fail("nothing was changed", NO_MATCH)

    async def work(memory: AsyncMemory) -> Memo:
        return await memory.update(before, words, user=call.user, place=call.where, version=before.version)

    memo = call.run(work, embeds=True)
    if call.options.json:
        call.screen.data({"memo": records.from_memo(memo), "before": before.text})
        return
    call.screen.say(f"{outcome_text.changed('Changed to', memo)}. Undo: recollect undo")
    call.screen.aside(f"  {outcome_text.changed('so far', before)}")


async def _memo(_: AsyncMemory, memo: Memo) -> Memo:
    return memo


def _ask(text: str) -> str | None:
    """The text as a person edits it at the terminal; None when they give up."""
    from prompt_toolkit import prompt

    try:
        return prompt("New words: ", default=text).strip() or None
    except (EOFError, KeyboardInterrupt):
        return None
