"""Each job of an operator, the way a person does it, from the overview: none takes more than five clicks."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal
from recollect.core.types import Message
from tests import ground
from tests.faces.http import guild
from tests.faces.http.browser import Window
from tests.faces.http.test_browser_pages import SETTINGS, browser, guild_folder, served, window

__all__ = ["browser", "guild_folder", "served", "window"]
pytestmark = [pytest.mark.timeout(240), pytest.mark.slow]

MAX_CLICKS = 5


class Hand:
    """Clicks and counts; typing is free, pressing Enter is not."""

    def __init__(self, window: Window) -> None:
        self.page = window.page
        self.clicks = 0

    def link(self, name: str) -> None:
        self._click(self.page.get_by_role("link", name=name).first)

    def button(self, name: str) -> None:
        self._click(self.page.get_by_role("button", name=name).first)

    def on(self, place: Any) -> None:
        self._click(place)

    def enter(self) -> None:
        self.clicks += 1
        self.page.keyboard.press("Enter")

    def sees(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for()

    def _click(self, place: Any) -> None:
        self.clicks += 1
        place.click()


@pytest.fixture
def hand(window: Window) -> Iterator[Hand]:
    window.go("/")
    hand = Hand(window)
    yield hand
    assert hand.clicks <= MAX_CLICKS


def test_page_search_finds_memos_of_every_person(hand: Hand):
    hand.page.keyboard.press("/")
    hand.page.keyboard.type("allergic to kiwi")
    hand.enter()
    hand.link("Is allergic to kiwi")
    hand.sees("Where it comes from")


def test_a_forgotten_memory_is_restored_among_others(hand: Hand, window: Window):
    tomas = f"discord:{guild.PEOPLE['tomas']}"
    window.served.run(lambda memory: memory.forget("coriander", user=tomas))
    hand.link("People")
    hand.link("Tomas")
    hand.page.get_by_label("Status").select_option("retired")
    hand.clicks += 1
    row = hand.page.get_by_role("row").filter(has_text="coriander")
    hand.on(row.get_by_role("button", name="Restore"))
    hand.sees("Restored: it is recalled again")


def test_a_channels_messages_are_read_and_what_rests_on_one(hand: Hand):
    hand.link("Messages")
    hand.link("#kitchen")
    line = hand.page.locator(".talk > li").filter(has_text="I'm vegetarian and I'm allergic to hazelnuts")
    assert line.get_by_role("link", name="Is allergic to hazelnuts").count() == 1
    hand.on(line.locator(".when"))
    hand.sees("Learn from it again")


def test_a_message_is_learned_from_again(hand: Hand, window: Window):
    message = guild.messages()[3]
    hand.page.keyboard.press("/")
    hand.page.keyboard.type(message.id)
    hand.enter()
    hand.on(hand.page.locator("section", has_text="That message").get_by_role("link").first)
    hand.button("Learn from it again")
    hand.sees("What would change")
    hand.button("Learn from 1 message again")
    hand.sees("Learned again from 1 of 1 message")


def test_a_person_is_learned_from_again_and_the_page_follows_it(
    hand: Hand, window: Window, monkeypatch: pytest.MonkeyPatch
):
    """As after switching models: what the old one missed appears without a reload, and can be taken back."""
    ayo, model = guild.PEOPLE["ayo"], SETTINGS["model"]
    text = "The red accordion over there is mine, I play it at weddings."
    said = Message("991", ayo, guild.place("general", ayo), text, window.served.clock(), name="Ayo")
    window.served.run(lambda memory: memory.add(said))
    window.served.clock.advance(minutes=30)
    window.served.run(lambda memory: memory.worker.wait_idle(60))
    older = model.learns

    def learns(hearing: ExtractionInput) -> ExtractionResult:
        heard = [message for message in hearing.messages if message.text == text]
        better = [Proposal("Plays the red accordion at weddings", "fact", text, message.id) for message in heard]
        found = older(hearing)
        return replace(found, proposals=(*found.proposals, *better))

    monkeypatch.setattr(model, "learns", learns)
    hand.link("People")
    hand.link("Ayo")
    hand.link("Learn again")
    hand.button("Preview")
    hand.sees("What would change")
    assert hand.page.get_by_role("listitem").filter(has_text="accordion").get_by_role("link", name="Ayo").count() == 1
    hand.on(hand.page.locator("section", has_text="What would change").get_by_role("button"))
    hand.page.get_by_role("heading", name="Done").wait_for()
    window.go(f"/people/memos?user={ayo}")
    hand.page.locator("td.said").filter(has_text="accordion").wait_for()
    hand.page.get_by_role("button", name="Undo it").click()
    hand.page.locator("td.said").filter(has_text="accordion").wait_for(state="detached")


def test_someone_of_whom_nothing_is_known_is_found_by_name(hand: Hand, window: Window):
    where = guild.place("general", "310000000000000078")
    said = Message("992", "310000000000000078", where, "ok", window.served.clock(), name="Quiet Quentin")
    window.served.run(lambda memory: memory.add(said))
    hand.page.keyboard.press("/")
    hand.page.keyboard.type("quentin")
    hand.enter()
    hand.link("Quiet Quentin")
    hand.sees("Nothing is remembered yet")


def test_a_direct_message_is_called_by_the_name_of_its_person(hand: Hand):
    hand.link("Messages")
    hand.link("DM with Ayo")
    hand.page.get_by_role("heading", level=1, name="DM with Ayo").wait_for()
    hand.button("Pause learning in this DM")
    hand.sees("Learning is paused in this DM")


def test_a_channel_is_paused_and_a_server(hand: Hand, window: Window):
    hand.link("Messages")
    hand.link("#kitchen")
    hand.button("Pause learning in this channel")
    hand.sees("Learning is paused for this channel")
    clicks, hand.clicks = hand.clicks, 0
    window.go("/")
    hand.link("Servers")
    hand.link(f"Server {guild.GUILD}")
    hand.button("Pause learning on this server")
    hand.sees("Learning is paused for this whole server")
    assert max(clicks, hand.clicks) <= MAX_CLICKS


def test_a_slow_model_is_watched_without_reloading(hand: Hand, window: Window):
    hand.link("Jobs")
    hand.page.get_by_text("live", exact=True).wait_for()
    before = hand.page.locator("dl.numbers").inner_text()
    place = guild.place("general", guild.PEOPLE["lena"])
    said = Message("990", guild.PEOPLE["lena"], place, "I have a boat in Hamburg.", window.served.clock(), name="Lena")
    window.served.run(lambda memory: memory.add(said))
    hand.page.wait_for_function("before => document.querySelector('dl.numbers').innerText !== before", arg=before)


def test_what_happens_before_the_page_listens_is_not_missed(hand: Hand, window: Window):
    memories = hand.page.locator("dl.numbers dd").first
    before = int(memories.inner_text())

    def late(route: Any) -> None:
        window.served.run(lambda memory: memory.remember("Sails a boat", user=f"discord:{guild.PEOPLE['lena']}"))
        route.continue_()

    hand.page.route("**/live/stream", late)
    hand.link("Overview")
    memories.filter(has_text=str(before + 1)).wait_for()


def test_several_memories_are_forgotten_at_once_and_taken_back_at_once(hand: Hand):
    hand.link("People")
    hand.link("Lena")
    rows = hand.page.locator("table.memos tbody tr")
    count = rows.count()
    for number in (1, 2):  # ticking is choosing, as typing is
        rows.nth(number).get_by_role("checkbox").check()
    hand.button("Forget")
    hand.sees("Forgotten: they are not recalled")
    assert rows.count() == count - 2
    hand.button("Undo")
    hand.sees("The change is undone")
    assert rows.count() == count


def test_a_backup_is_made_and_settings_are_read(hand: Hand):
    hand.link("System")
    hand.sees("summary.enabled")
    if ground.is_sqlite():  # a server's is made by its own tools, which may not be here
        hand.button("Back up now")
        hand.sees("The store was copied")


def test_the_api_is_tried_out_and_nothing_comes_from_elsewhere(hand: Hand):
    asked: list[str] = []
    hand.page.on("request", lambda request: asked.append(request.url))
    hand.link("System")
    hand.link("API")
    hand.page.get_by_text("/api/v1/people", exact=False).first.wait_for()
    assert all(url.startswith(("http://127.0.0.1", "data:")) for url in asked), asked


def test_an_id_is_copied(hand: Hand):
    hand.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hand.link("People")
    hand.button("Copy")
    hand.button("Copied")
    assert hand.page.evaluate("navigator.clipboard.readText()").startswith("discord:")
