"""Files that mirror the store hold nothing of what was forgotten or deleted, until it counts again."""

from pathlib import Path

import pytest

from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.testing.models import FakeModel, proposal_for
from tests.scenes import GENERAL, Stage
from tests.transfer.mirror.keeping import keeping, written

FILES = ["rolling", "journal", "snapshot", "categories"]


def learning(hearing: ExtractionInput) -> ExtractionResult:
    return ExtractionResult(tuple(proposal_for(one) for one in hearing.messages if "?" not in one.text))


def condensing(previous: str | None, exchange: str, limit: int) -> str:
    return f"{previous or ''}\n{exchange}".strip()[-limit:]


def holding(folder: Path, word: str) -> set[str]:
    """Kinds of files that hold a word."""
    texts = [path for path in folder.rglob("*") if path.suffix in (".md", ".json")]
    return {path.parent.name if path.suffix == ".json" else path.name for path in texts if word in path.read_text()}


async def brought_up_to_date(stage: Stage) -> None:
    await stage.settle()
    await stage.memory.mirror.flush()
    await written(stage)


async def told(stage: Stage) -> None:
    stated = await stage.tell("I live in Lisbon")
    await stage.reply("Lisbon, how nice", stated)
    asked = await stage.say("where does Ann live?", "bob", GENERAL)
    await stage.reply("Ann lives in Lisbon.", asked)
    await brought_up_to_date(stage)


@pytest.mark.parametrize("how", ["forget", "delete"])
async def test_no_file_holds_it_after_it_was_forgotten_or_its_message_was_deleted(tmp_path: Path, how: str) -> None:
    model = FakeModel(learning, condensing)
    async with keeping(tmp_path, model=model, mirror__files=FILES, summary={"every_n_turns": 1}) as stage:
        await told(stage)
        assert {"summaries", "2025-03-01.md", "MEMORY.md"} <= holding(tmp_path, "Lisbon")
        if how == "forget":
            await stage.memory.forget("Lisbon", user="discord:ann")
        else:
            await stage.memory.message_deleted("discord", "m1")
        await brought_up_to_date(stage)
        assert holding(tmp_path, "Lisbon") == set()
        if how == "forget":
            await stage.memory.undo(user="discord:ann")
            await brought_up_to_date(stage)
            assert {"summaries", "2025-03-01.md", "MEMORY.md"} <= holding(tmp_path, "Lisbon")
