"""Changes on the page that depend on what a store says of them, in a browser, on both stores."""

import pytest

from recollect import AsyncMemory
from recollect.core.types import Message
from tests.faces.http import guild
from tests.faces.http.browser import Window
from tests.faces.http.test_browser_pages import TOMAS, arrive, browser, guild_folder, more, served, window

__all__ = ["browser", "guild_folder", "served", "window"]
pytestmark = pytest.mark.timeout(240)


def test_an_operator_edits_pins_retires_merges_and_takes_each_back(window: Window):
    page = window.page
    window.go("/people")
    page.get_by_role("link", name="Tomas").first.click()
    row = page.get_by_role("row").filter(has_text="Hates coriander")
    row.get_by_role("link", name="Edit").click()
    page.get_by_label("Words").fill("Hates coriander and cumin")
    page.get_by_role("button", name="Save").click()
    arrive(window, "Hates coriander and cumin")
    assert page.locator(".timeline ins").first.inner_text().strip() == "and cumin"
    page.locator(".flash").get_by_role("button", name="Undo").click()
    arrive(window, "Hates coriander")
    page.get_by_role("link", name="Tomas").click()
    more(row, "Pin")
    assert row.locator(".tag.pin").inner_text() == "pinned"
    more(row, "Forget")
    row.wait_for(state="detached")
    page.locator(".flash").get_by_role("button", name="Undo").click()
    row.wait_for()
    page.get_by_label("Select “Loves fermenting").check()
    page.get_by_label("Select “Favourite bread").check()
    page.get_by_role("button", name="Merge …").click()
    page.get_by_label("What it says then").fill("Loves fermenting vegetables and baking rye bread")
    page.get_by_role("button", name="Merge").click()
    said = page.locator("td.said")
    said.filter(has_text="Loves fermenting vegetables and baking rye bread").wait_for()
    assert said.filter(has_text="Favourite bread").count() == 0
    page.locator(".flash").get_by_role("button", name="Undo").click()
    said.filter(has_text="Favourite bread").wait_for()


@pytest.mark.slow
def test_an_operator_restores_what_was_retired_before_other_changes(window: Window):
    page = window.page
    window.go("/people")
    page.get_by_role("link", name="Tomas").first.click()
    row = page.get_by_role("row").filter(has_text="Hates coriander")
    more(row, "Forget")
    row.wait_for(state="detached")
    more(page.get_by_role("row").filter(has_text="Favourite bread"), "Pin")
    page.get_by_label("Status").select_option("retired")
    row.get_by_role("link", name="Hates coriander").click()
    arrive(window, "Hates coriander")
    page.get_by_role("button", name="Restore").click()
    page.locator(".flash").get_by_text("Restored: it is recalled again.").wait_for()
    page.get_by_role("button", name="Save").wait_for()
    page.locator(".flash").get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Restore").wait_for()


@pytest.mark.slow
def test_undo_offers_what_it_names_and_nothing_behind_a_deleted_message(window: Window):
    page, served = window.page, window.served
    where = guild.place("general", TOMAS)

    async def told(memory: AsyncMemory, number: str, text: str) -> None:
        await memory.add(Message(number, TOMAS, where, text, served.clock(), name="Tomas"))
        served.clock.advance(minutes=30)
        await memory.worker.wait_idle(60)

    served.run(lambda memory: told(memory, "901", "I live in Ghent."))
    served.run(lambda memory: told(memory, "902", "I moved to Bruges."))
    last = page.locator(".heading .last")
    window.go(f"/people/memos?user={TOMAS}")
    assert "added “Lives in Bruges”" in last.inner_text()
    assert "retired “Lives in Ghent”" in last.inner_text()
    offered = last.get_by_role("button", name="Undo it")
    served.run(lambda memory: memory.message_deleted("discord", "902"))
    offered.click()
    page.get_by_text("changed meanwhile, so nothing was undone").wait_for()
    said = page.locator("td.said")
    assert said.filter(has_text="Lives in Ghent").count() == 1
    assert "That change can't be undone" in last.inner_text()
    assert page.get_by_role("button", name="Undo").count() == 0
    more(said.filter(has_text="Lives in Ghent").locator("xpath=.."), "Pin")
    page.locator(".flash").get_by_role("button", name="Undo").click()
    page.get_by_text("“Lives in Ghent” undid: pinned").wait_for()
    assert said.filter(has_text="Lives in Ghent").count() == 1
    assert said.filter(has_text="Lives in Ghent").locator(".tag.pin").count() == 0
    assert page.get_by_role("button", name="Undo").count() == 0
