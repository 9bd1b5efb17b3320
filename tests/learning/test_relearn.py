"""Learning from messages again: real store, real worker, a model that gets better."""

from datetime import timedelta

import pytest

from recollect.admin import Admin
from recollect.core.errors import BadInput, ModelUnavailable
from recollect.core.outcomes import NothingToRelearn, RelearnPreview, RelearnRun
from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.core.reasons import Reason
from recollect.core.types import Subject
from recollect.jobs.options import WorkerOptions
from recollect.models.local import LocalModel
from recollect.testing.clock import START
from recollect.testing.models import FakeModel, propose_everything, propose_nothing
from tests.scenes import DEV, DM, GENERAL, STAFF, Stage, opened
from tests.waiting import eventually

ANN = Subject("discord:ann")


def admin_of(stage: Stage) -> Admin:
    return Admin(stage.memory, stage.clock)


async def relearned(stage: Stage, **selection: object) -> RelearnRun:
    """Learn again, and wait for it."""
    run = await admin_of(stage).relearn(**selection)  # type: ignore[arg-type]
    assert isinstance(run, RelearnRun), run
    await stage.settle()
    return await admin_of(stage).relearned(run.id) or run


async def preview(stage: Stage, **selection: object) -> RelearnPreview:
    outcome = await admin_of(stage).relearn(dry_run=True, **selection)  # type: ignore[arg-type]
    assert isinstance(outcome, RelearnPreview), outcome
    return outcome


async def rows(stage: Stage) -> list[tuple[str, str, int]]:
    """Everything that is remembered of Ann, with its version."""
    memos = await stage.memory.store.read(lambda tx: tx.memos.list(ANN))
    return sorted((memo.text, memo.status, memo.version) for memo in memos)


async def test_what_a_better_model_learns_is_previewed_applied_once_and_undone_as_one() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model) as stage:
        await stage.tell("I live in Lisbon")
        await stage.tell("I work as a nurse", place=GENERAL)
        model.learns = LocalModel().extract
        shown = await preview(stage, user="discord:ann")
        assert [(step.before, step.after and step.after.text) for step in shown.changes] == [
            (None, "Lives in Lisbon"),
            (None, "Works as a nurse"),
        ]
        assert (shown.messages, shown.tried, shown.skipped) == (2, 2, {})
        assert await rows(stage) == [], "a preview changes nothing"
        run = await relearned(stage, user="discord:ann")
        assert (run.messages, run.done, run.changed, run.is_over) == (2, 2, 2, True)
        learned = await rows(stage)
        assert [text for text, _, _ in learned] == ["Lives in Lisbon", "Works as a nurse"]
        assert (await preview(stage, user="discord:ann")).changes == ()
        assert (await relearned(stage, user="discord:ann")).changed == 0
        assert await rows(stage) == learned, "a second run changes nothing"
        undone = await stage.memory.undo(user="ann", place=DM)
        assert undone is not None
        assert await stage.known() == []
        assert (await relearned(stage, user="discord:ann")).changed == 0, "what was undone stays so"


async def test_what_people_wrote_pinned_edited_forgot_or_said_since_stays() -> None:
    async with opened(model=LocalModel()) as stage:
        await stage.tell("I live in Berlin")
        await stage.tell("I live in Lisbon now")
        await stage.tell("I like tea")
        await stage.tell("I prefer tabs over spaces")
        await stage.tell("my dog is called Pixel")
        await stage.tell("I hate mornings")
        memos = {memo.text: memo for memo in (await stage.memory.show(user="ann", place=DM)).memos}
        await stage.memory.forget("tea", user="ann", place=DM)
        await stage.memory.update(memos["Prefers tabs over spaces"].id, "Prefers spaces", user="ann", place=DM)
        await stage.memory.pin(memos["Hates mornings"].id, user="ann", place=DM)
        before = await rows(stage)
        shown = await preview(stage, everyone=True)
        assert shown.changes == ()
        assert shown.skipped == {Reason.FORGOTTEN_BY_OWNER: 1}
        assert (await relearned(stage, everyone=True)).changed == 0
        assert await rows(stage) == before
        assert "Lives in Berlin" not in await stage.known()


async def test_an_old_message_never_displaces_what_was_said_later_and_fills_what_was_missed() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model) as stage:
        old = await stage.tell("I live in Berlin")
        await stage.tell("I like hiking")
        model.learns = LocalModel().extract
        latest = await stage.tell("I live in Lisbon")
        await relearned(stage, message=old.id)
        assert await stage.known() == ["Lives in Lisbon"]
        await relearned(stage, until=latest.at)
        assert sorted(await stage.known()) == ["Likes hiking", "Lives in Lisbon"]


async def test_messages_are_chosen_by_id_person_place_and_time() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model) as stage:
        first = await stage.tell("I live in Lisbon")
        await stage.tell("I like hiking", place=GENERAL)
        await stage.tell("I like chess", user="ben", place=GENERAL)
        await stage.reply("I like answers", first)
        model.learns = LocalModel().extract

        async def chosen(**selection: object) -> list[str]:
            model.inputs.clear()
            await preview(stage, **selection)
            return [each.messages[0].text for each in model.inputs]

        assert await chosen(message=f"discord/{first.id}") == ["I live in Lisbon"]
        assert await chosen(message=first.id) == ["I live in Lisbon"]
        assert await chosen(user="discord:ann") == ["I live in Lisbon", "I like hiking"]
        assert await chosen(place=GENERAL) == ["I like hiking", "I like chess"]
        assert await chosen(user="discord:ann", place=GENERAL) == ["I like hiking"]
        assert await chosen(since=START + timedelta(minutes=2)) == ["I like chess"]
        assert await chosen(until=START + timedelta(minutes=1)) == ["I live in Lisbon"]
        assert await chosen(everyone=True) == ["I live in Lisbon", "I like hiking", "I like chess"]


async def test_unknown_ids_empty_ranges_and_no_selection_are_said_clearly() -> None:
    async with opened(model=LocalModel()) as stage:
        said = await stage.tell("I live in Lisbon")
        gone = await stage.tell("I like tea")
        await stage.memory.message_deleted("discord", gone.id)
        admin = admin_of(stage)
        for dry_run in (True, False):
            for selection, words in (
                ({"message": "m99"}, "there is no message 'm99'"),
                ({"message": gone.id}, "was deleted"),
                ({"user": "discord:eve"}, "no messages of discord:eve"),
                ({"since": stage.clock() + timedelta(days=1)}, "no messages since 2025-03-02"),
            ):
                outcome = await admin.relearn(dry_run=dry_run, **selection)  # type: ignore[arg-type]
                assert isinstance(outcome, NothingToRelearn)
                assert words in outcome.detail
        with pytest.raises(BadInput, match="say what to learn again"):
            await admin.relearn()
        with pytest.raises(BadInput, match="the time range is empty"):
            await admin.relearn(since=said.at, until=said.at)
        assert await admin.relearned("no such run") is None
    async with opened(model=LocalModel(), extraction={"enabled": False}) as stage:
        await stage.tell("I live in Lisbon")
        with pytest.raises(BadInput, match="learning is switched off"):
            await admin_of(stage).relearn(everyone=True)


async def test_degraded_messages_are_found_until_they_were_learned_from_properly() -> None:
    model = FakeModel(lambda _: ExtractionResult(flaw="prose"))
    async with opened(model=model) as stage:
        await stage.tell("I live in Lisbon")
        model.learns = propose_everything
        await stage.tell("I like hiking")
        assert await stage.known() == ["I like hiking", "Lives in Lisbon"]
        model.learns = lambda _: ExtractionResult(flaw="prose")
        assert (await preview(stage, degraded=True)).degraded == 1
        await relearned(stage, degraded=True)
        model.learns = propose_everything
        shown = await preview(stage, degraded=True)
        assert (shown.messages, shown.degraded) == (1, 0)
        await relearned(stage, degraded=True)
        outcome = await admin_of(stage).relearn(degraded=True)
        assert isinstance(outcome, NothingToRelearn)


async def test_relearning_skips_and_counts_people_who_paused() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model) as stage:
        await stage.tell("I live in Lisbon")
        await stage.tell("I like chess", user="ben")
        await stage.memory.view("discord:ann", DM).pause_learning()
        model.learns = LocalModel().extract
        run = await relearned(stage, everyone=True)
        assert (run.messages, run.skipped) == (1, {Reason.PAUSED: 1})
        assert (await stage.known(), await stage.known("ben")) == ([], ["Likes chess"])


async def test_a_dead_model_is_said_and_loses_nothing() -> None:
    def dead(_: ExtractionInput) -> ExtractionResult:
        raise ModelUnavailable("the model can't be reached")

    model = FakeModel(propose_nothing)
    async with opened(model=model) as stage:
        stage.memory.worker.options = WorkerOptions(poll_interval=0.02, retry_delay=0.01, max_retry_delay=0.02)
        await stage.tell("I live in Lisbon")
        model.learns = dead
        with pytest.raises(ModelUnavailable, match="can't be reached"):
            await preview(stage, everyone=True)
        admin = admin_of(stage)
        started = await admin.relearn(everyone=True)
        assert isinstance(started, RelearnRun)
        stuck = await admin.wait_relearned(started)
        assert (stuck.done, stuck.is_over) == (0, False)
        assert "can't be reached" in stuck.problem
        model.learns = LocalModel().extract

        async def is_over() -> bool:
            stage.clock.advance(minutes=1)  # the job is due a moment after the time it failed at
            run = await admin.relearned(started.id)
            return run is not None and run.is_over and not run.problem

        await eventually(is_over)
        assert await stage.known() == ["Lives in Lisbon"]


async def test_a_person_relearns_their_own_messages_as_far_as_the_place_may_hear_them() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model) as stage:
        await stage.tell("I live in Lisbon", place=STAFF)
        await stage.tell("I like hiking")
        await stage.tell("I like chess", user="ben")
        model.learns = LocalModel().extract
        everywhere = await stage.memory.relearn(user="ann", place=DM, dry_run=True)
        in_public = await stage.memory.relearn(user="ann", place=DEV, dry_run=True)
        assert isinstance(everywhere, RelearnPreview)
        assert isinstance(in_public, RelearnPreview)
        assert [step.after and step.after.text for step in everywhere.changes] == ["Lives in Lisbon", "Likes hiking"]
        assert [step.after and step.after.text for step in in_public.changes] == ["Likes hiking"]
        run = await stage.memory.relearn(user="ann", place=DEV)
        assert isinstance(run, RelearnRun)
        await stage.settle()
        assert (await stage.known(), await stage.known("ben")) == (["Likes hiking"], [])
        assert (await stage.memory.relearned(run.id) or run).changed == 1
