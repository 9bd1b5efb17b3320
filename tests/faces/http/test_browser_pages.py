"""The page as people meet it in a browser: with a mouse, the keyboard alone, a phone, in the dark, without scripts."""

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect import AsyncMemory
from recollect.admin import Admin
from recollect.core.types import Message, Place, Summary
from tests import ground, parts
from tests.faces.http import guild
from tests.faces.http.browser import PHONE, Window, launched, opened
from tests.faces.http.conftest import Served, serving

pytestmark = pytest.mark.timeout(240)

LENA, MIRA, TOMAS = (guild.PEOPLE[name] for name in ("lena", "mira", "tomas"))
KITCHEN = f"discord:{guild.GUILD}:channel:1180400000000000103"
GENERAL = f"discord:{guild.GUILD}:channel:1180400000000000101"
HOSTILE = (
    "<script>alert('memo')</script> \"quoted' {{7*7}} <img src=x onerror=alert(1)> \u202edetrevni\u202c "
    "שלום עולם Z̷̢̛͎̺a̶̡̛͖l̵̨̛͎g̴̢̛͎ơ̶̢̪ &lt;b&gt; " + "long" * 60
)

COLORED = (
    "Overview",
    "Lena",
    "Is allergic to hazelnuts",
    "Compare rankers",
    "#kitchen",
    "#general",
    "Timeline",
    "Jobs",
    "Learn again",
    "System",
    "Prompt",
    "Erase and export",
)
"""Pages that have all the colours between them."""
FOCUSED = """(() => {
  const it = document.activeElement, label = it.labels && it.labels[0];
  return (it.innerText || (label && label.innerText) || "").trim();
})()"""
"""What the thing that has the focus is called."""
SMALL = """(() => {
  const fields = "select, input:not([type=checkbox]):not([type=radio]):not([type=hidden])";
  const found = [...document.querySelectorAll("button, .button, .side nav a, " + fields)];
  const small = found.filter(it => it.offsetParent && it.getBoundingClientRect().height < 43.5);
  return small.map(it => it.outerHTML.slice(0, 80));
})()"""
"""Things to press that a finger would miss."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as browser:
        yield browser


SETTINGS: dict[str, Any] = {
    "run_worker": True,
    "model": guild.model(),
    "mirror__files": ("journal",),
    "summary": {"enabled": False},
}


@pytest.fixture(scope="module")
def guild_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, datetime]:
    """A guild that has lived, in files to copy, and the time there."""
    folder = tmp_path_factory.mktemp("guild")
    with serving(folder, **SETTINGS) as served:
        served.run(lambda memory: guild.live(memory, served.clock))
        return folder, served.clock()


@pytest.fixture
def served(browser: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    """A guild for each test alone, on the store that the test is about; without a browser there is no need for it."""
    now: datetime | None = None
    if ground.is_sqlite():
        folder, now = request.getfixturevalue("guild_folder")
        shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    with serving(tmp_path, **SETTINGS) as served:
        if now is None:
            served.run(lambda memory: guild.live(memory, served.clock))
        else:
            served.clock.advance(seconds=(now - served.clock()).total_seconds())
        yield served


@pytest.fixture
def window(browser: Any, served: Served) -> Iterator[Window]:
    with opened(browser, served) as window:
        yield window.sign_in()


@pytest.fixture
def paths(served: Served) -> dict[str, str]:
    """Every page, by what its heading says."""
    found = served.run(lambda memory: memory.show(user=LENA, place=Place("discord", dm=LENA)))
    memo = next(memo for memo in found.memos if "hazelnuts" in memo.text)
    other = next(memo for memo in found.memos if "vegetarian" in memo.text)
    return {
        "Overview": "/?examine=yes",
        "People": "/people",
        "Lena": f"/people/memos?user={LENA}&status=all",
        "Is allergic to hazelnuts": f"/memo?user={LENA}&id={memo.id}",
        "Merge memories": f"/merge?user={LENA}&pick={memo.id}&pick={other.id}",
        f"Lore of {guild.GUILD}": f"/lore?guild={guild.GUILD}",
        "Servers": "/servers",
        f"Server {guild.GUILD}": f"/servers?guild={guild.GUILD}",
        "Messages": "/messages",
        "#kitchen": f"/messages?session={KITCHEN}",
        "Search": "/search?q=allergic",
        "Compare rankers": f"/search/rankers?q=What+is+Lena+allergic+to%3F&user={LENA}&place={KITCHEN}",
        "Which is true?": f"/contradictions?user={LENA}",
        "System": "/system?show=all",
        "Prompts as sent": "/prompts",
        "Prompt": f"/prompt?q=What+can+I+bring%3F&user={LENA}&place={KITCHEN}",
        "Summaries": "/sessions",
        "#general": f"/session?name={GENERAL}",
        "Timeline": "/journal?kind=Refused&kind=Trouble&kind=Consent",
        "2026-03-02": "/journal/day?day=2026-03-02",
        "Lena in #kitchen": f"/message?platform=discord&id={memo.source.message}",
        "Refused": "/refused",
        "Jobs": "/jobs",
        "Learn again": f"/relearn?user=discord:{LENA}&session={KITCHEN}",
        "Erase and export": f"/erase?user={LENA}",
    }


def heading(window: Window) -> str:
    return window.page.locator("h1").inner_text()


def more(row: Any, action: str) -> None:
    """Press a button in the menu of a row."""
    row.locator("summary", has_text="More").click()
    row.get_by_role("button", name=action).click()


def arrive(window: Window, name: str) -> None:
    """Wait for the page under this heading: after a click the old one may be there for a moment."""
    window.page.get_by_role("heading", level=1, name=name, exact=True).wait_for()


def test_every_page_opens_under_its_heading_and_nothing_is_blocked(window: Window, paths: dict[str, str]):
    for name, path in paths.items():
        window.go(path)
        assert name in heading(window), path


@pytest.mark.slow
def test_the_menu_leads_to_every_page(window: Window):
    window.go("/")
    links = window.page.get_by_role("navigation", name="Pages").get_by_role("link")
    for number in range(links.count()):
        name = links.nth(number).evaluate("link => link.firstChild.textContent.trim()")
        links.nth(number).click()
        window.page.locator("nav [aria-current=page]", has_text=name).wait_for()
        assert heading(window).replace(" and ", " & ").lower() == name.lower()


@pytest.mark.slow
def test_the_list_is_filtered_while_one_types(window: Window):
    page = window.go(f"/people/memos?user={MIRA}")
    assert page.get_by_role("button", name="Filter").count() == 0
    page.locator("h1").click()
    page.keyboard.press("/")
    page.keyboard.type("screws", delay=5)
    page.get_by_text("1 memory", exact=True).wait_for()
    assert page.locator("td.said").get_by_text("Torx").is_visible()
    assert "part=screws" in page.url
    page.get_by_label("Status").select_option("all")
    page.wait_for_url("**status=all**")
    more(page.get_by_role("row").filter(has_text="Torx"), "Pin")
    page.get_by_text("Pinned: it never gives way").wait_for()
    assert "part=screws" in page.url


@pytest.mark.slow
def test_a_list_that_is_refreshed_neither_takes_the_focus_nor_leads_back(window: Window):
    page = window.go("/people?part=pri")
    type_on = "part => { const field = document.querySelector('[data-slash]'); field.value = part;"
    type_on += " field.dispatchEvent(new Event('input', {bubbles: true})); }"
    link = page.get_by_role("link", name="Priya", exact=True)
    link.focus()
    page.evaluate(type_on, "priya")
    page.wait_for_url("**part=priya")
    assert page.evaluate(FOCUSED).startswith("Priya")
    with page.expect_request("**/people?part=priy"):  # which is never answered
        page.route("**/people?part=priy", lambda route: None)
        page.evaluate(type_on, "priy")
    page.keyboard.press("Enter")
    arrive(window, "Priya")


@pytest.mark.slow
def test_filters_work_without_scripts(browser: Any, served: Served):
    with opened(browser, served, java_script_enabled=False) as window:
        page = window.sign_in().go(f"/people/memos?user={MIRA}")
        page.get_by_label("Filter by words").fill("screws")
        page.get_by_role("button", name="Filter").click()
        page.get_by_text("1 memory", exact=True).wait_for()
        assert not page.get_by_role("button", name="Follow live").count()


@pytest.mark.slow
def test_the_log_is_followed_live(window: Window, served: Served):
    page = window.go("/journal")
    page.get_by_role("button", name="Follow live").click()
    page.get_by_role("button", name="Following").wait_for()
    served.run(lambda memory: memory.remember("Sharpens the kitchen knives", user=f"discord:{TOMAS}"))
    page.locator("#live").get_by_text("Sharpens the kitchen knives").wait_for()
    page.get_by_role("button", name="Following").click()
    page.get_by_role("button", name="Follow live").wait_for()


@pytest.mark.slow
def test_the_prompt_is_copied_word_for_word(browser: Any, served: Served, paths: dict[str, str]):
    with opened(browser, served, permissions=["clipboard-read", "clipboard-write"]) as window:
        page = window.sign_in().go(paths["Prompt"])
        page.get_by_role("button", name="Copy").click()
        page.get_by_role("button", name="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == page.locator("pre").inner_text()


def tabbed(window: Window, until: str, most: int = 80) -> None:
    """Press Tab until what has the focus is called so."""
    for _ in range(most):
        window.page.keyboard.press("Tab")
        if window.page.evaluate(FOCUSED).startswith(until):
            outline = window.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", f"no one sees that {until} has the focus"
            return
    raise AssertionError(f"Tab does not lead to {until}")


@pytest.mark.slow
def test_a_memo_is_edited_with_the_keyboard_alone(browser: Any, served: Served):
    with opened(browser, served) as window:
        page = window.go("/login")
        page.keyboard.type(served.tokens.operator)  # the field has the focus
        page.keyboard.press("Enter")
        page.wait_for_url("**/")
        tabbed(window, "Skip to the content", 1)
        tabbed(window, "People")
        page.keyboard.press("Enter")
        page.wait_for_url("**/people")
        page.keyboard.press("/")
        page.keyboard.type("priya")
        page.wait_for_url("**part=priya")  # until then the list may still be replaced
        tabbed(window, "Priya")
        page.keyboard.press("Enter")
        page.wait_for_url("**/people/memos**")
        page.keyboard.press("/")
        page.keyboard.type("lamp")
        page.wait_for_url("**part=lamp**")
        tabbed(window, "Edit")
        page.keyboard.press("Enter")
        page.wait_for_url("**/memo?**")
        tabbed(window, "Words")
        page.keyboard.press("Control+A")
        page.keyboard.type("Working on a solar lamp for the bike trailer")
        tabbed(window, "Save")
        page.keyboard.press("Enter")
        page.get_by_text("Saved.").wait_for()
        assert heading(window) == "Working on a solar lamp for the bike trailer"
        tabbed(window, "Undo")
        page.keyboard.press("Enter")
        page.get_by_text("The change is undone.").wait_for()


@pytest.mark.slow
def test_a_person_is_erased_by_the_name_that_is_on_the_screen(window: Window):
    page = window.page
    window.go("/erase")
    page.get_by_label("Person").fill("lena")
    page.get_by_role("button", name="Look").click()
    page.get_by_role("heading", name=f"What there is about Lena, user discord:{LENA}").wait_for()
    page.get_by_text("This is Lena.").wait_for()
    page.get_by_label(f"Type discord:{LENA} to confirm").fill("Lena")
    page.get_by_role("button", name="Erase", exact=True).click()
    page.get_by_text("Nothing was erased").wait_for()
    page.get_by_label(f"Type discord:{LENA} to confirm").fill(f"discord:{LENA}")
    page.get_by_role("button", name="Erase", exact=True).click()
    page.get_by_text(f"user discord:{LENA}: erased").wait_for()
    window.complaints.clear()  # the answer to the wrong name is an error, and the browser says so


@pytest.mark.slow
def test_a_name_that_several_have_is_asked_about_and_one_that_nobody_has_brings_near_ones(window: Window):
    page, served = window.page, window.served
    other = "310000000000000077"

    async def second(memory: AsyncMemory) -> None:
        where = guild.place("general", other)
        await memory.add(Message("977", other, where, "I love marzipan.", served.clock(), name="Lena"))
        served.clock.advance(minutes=30)
        await memory.worker.wait_idle(60)

    served.run(second)
    for path, button in (
        ("/erase", "Look"),
        ("/search/rankers?q=marzipan", "Search"),
        ("/prompt?q=marzipan", "Show the prompt"),
    ):
        window.go(path)
        who = page.locator("#user")
        who.fill("Lena")
        page.get_by_role("button", name=button).click()
        page.get_by_text("2 people are called Lena. Which one do you mean?").wait_for()
        page.get_by_role("link", name=other).click()
        page.wait_for_url(lambda url: other in url)
        assert "2 people" not in page.locator("main").inner_text()
        assert who.input_value() == f"discord:{other}"
        who.fill("Tomass")
        page.get_by_role("button", name=button).click()
        page.get_by_text("Nobody is known by the id or name Tomass").wait_for()
        page.get_by_role("link", name=f"Tomas discord:{TOMAS}").click()
        page.wait_for_url(lambda url: TOMAS in url)
        assert "Nobody is known" not in page.locator("main").inner_text()


@pytest.mark.slow
def test_a_search_and_a_prompt_take_the_name_of_who_asks(window: Window):
    page = window.page
    window.go("/search/rankers")
    page.get_by_label("What is looked for").fill("hazelnuts")
    page.get_by_label("Who asks").fill("LENA")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Is allergic to hazelnuts").first.wait_for()
    assert "when Lena asks" in page.locator("main").inner_text()
    window.go("/prompt")
    page.get_by_label("A message").fill("What can I eat?")
    page.get_by_label("Who asks").fill("Lena")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Why each line is there").wait_for()
    assert "hazelnuts" in page.locator("#text").inner_text()
    window.go("/people/memos?user=lena")
    assert page.url.endswith(f"user=discord%3A{LENA}")
    assert "Lena" in heading(window)


@pytest.mark.slow
def test_the_sessions_filter_goes_by_what_is_shown_and_deleted_messages_add_none(window: Window):
    page, served = window.page, window.served
    ayo = guild.PEOPLE["ayo"]
    talk = Summary(guild.place("dm", ayo).session, "His mother is better.", 1, served.clock(), served.clock())
    served.run(lambda memory: memory.store.write(lambda tx: tx.summaries.save(talk)))
    rows = page.locator("#list tbody tr")
    window.go("/sessions")
    shown = rows.all_inner_texts()
    assert any("#general" in row for row in shown)
    assert any("DM with Ayo" in row for row in shown)
    for text, label, other in (("#general", "#general", "DM with Ayo"), ("ayo", "DM with Ayo", "#general")):
        page.get_by_label("Conversation").fill(text)
        rows.filter(has_text=other).wait_for(state="detached")
        rows.filter(has_text=label).wait_for()
        assert rows.count() == 1
    served.run(lambda memory: memory.message_deleted("discord", guild.messages()[3].id))
    window.go("/sessions")
    assert len(rows.all_inner_texts()) == len(shown)


@pytest.mark.slow
def test_on_a_phone_nothing_has_to_be_pushed_sideways_and_targets_are_large(
    browser: Any, served: Served, paths: dict[str, str]
):
    served.run(lambda memory: memory.remember("w" * 300, user=f"discord:{LENA}"))
    with opened(browser, served, viewport=PHONE, has_touch=True, is_mobile=True) as window:
        window.sign_in()
        for path in ["/", *paths.values()]:
            page = window.go(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
            assert page.evaluate(SMALL) == [], path
        page = window.go(f"/people/memos?user={LENA}")
        assert page.locator("table.memos tbody tr").first.evaluate("e => getComputedStyle(e).display") == "grid"
        assert not page.locator("table.memos thead").evaluate("e => e.getBoundingClientRect().width > 2")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_problem_of_access(browser: Any, served: Served, paths: dict[str, str], scheme: str):
    axe = parts.module("axe_playwright_python.sync_playwright", "axe-playwright-python is not installed")
    with opened(browser, served, color_scheme=scheme) as window:
        window.go("/login")
        assert serious(axe.Axe(), window) == []
        window.sign_in()
        for path in paths.values() if scheme == "light" else [paths[name] for name in COLORED]:
            page = window.go(path)
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            assert serious(axe.Axe(), window, only="color-contrast" if scheme == "dark" else None) == [], path


def serious(axe: Any, window: Window, only: str | None = None) -> list[tuple[str, list[str]]]:
    """What axe-core calls serious or critical; the rest of it is the same in the dark."""
    options = {"resultTypes": ["violations"], **({"runOnly": [only]} if only else {})}
    found = axe.run(window.page, options=options).response["violations"]
    return [
        (one["id"], [node["html"][:120] for node in one["nodes"]][:5])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.slow
def test_in_the_dark_the_page_is_dark(browser: Any, served: Served, tmp_path: Path):
    shades = {}
    for scheme in ("light", "dark"):
        with opened(browser, served, color_scheme=scheme) as window:
            page = window.sign_in().page
            page.screenshot(path=tmp_path / f"{scheme}.png")
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            shades[scheme] = sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(",")))
    assert shades["dark"] < 120 < 600 < shades["light"]
    assert (tmp_path / "dark.png").read_bytes() != (tmp_path / "light.png").read_bytes()


@pytest.mark.slow
def test_a_hostile_memo_is_only_text(window: Window, served: Served):
    user = "mallory\u202e<b>"
    memo = served.run(lambda memory: memory.remember(HOSTILE, user=user, tags=["<i>", "{{7*7}}"])).memo
    served.run(lambda memory: memory.update(memo.id, f"{HOSTILE} again", user=user))
    query = "user=mallory%E2%80%AE%3Cb%3E"
    for path in (
        "/people",
        f"/people/memos?{query}",
        f"/memo?{query}&id={memo.id}",
        "/search?q=quoted",
        f"/search/rankers?{query}&q=quoted",
        f"/prompt?{query}&q=%3Cscript%3Ealert(2)%3C/script%3E",
        "/journal",
        "/",
        f"/erase?{query}",
    ):
        page = window.go(path)
        assert page.locator("main script, main img, main b b, main i").count() == 0, path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert "49" not in page.title()
    page = window.go(f"/people/memos?{query}")
    shown = page.locator(".said .words").first.inner_text()
    assert "<script>alert('memo')</script> \"quoted' {{7*7}}" in shown
    assert "malloryU+202E<b>" in heading(window)
    box, line = page.locator(".said > a").first.bounding_box(), page.locator(".said").first.bounding_box()
    assert box["x"] >= line["x"]
    assert box["x"] + box["width"] <= line["x"] + line["width"] + 1


@pytest.mark.slow
def test_a_person_is_erased_after_their_name_was_typed(window: Window):
    page = window.go(f"/erase?user={guild.PEOPLE['ayo']}")
    with page.expect_download() as file:
        page.get_by_role("link", name="Export all as JSON").click()
    assert file.value.suggested_filename == f"recollect-discord_{guild.PEOPLE['ayo']}.json"
    page.get_by_label("to confirm").fill(f"discord:{guild.PEOPLE['ayo']}")
    page.get_by_role("button", name="Erase").click()
    page.get_by_role("heading", name="Receipt").wait_for()
    assert page.get_by_text("erased, and nothing was found afterwards").is_visible()
    with page.expect_download() as file:
        page.get_by_role("link", name="Download as JSON").click()
    assert file.value.suggested_filename == "receipt.json"
    window.go("/people")
    assert page.get_by_text("Ayo").count() == 0


@pytest.mark.slow
def test_a_token_made_on_the_page_opens_what_its_role_says_until_it_is_rotated_or_revoked(window: Window):
    page, served = window.go("/system"), window.served
    listed = page.locator("section[aria-labelledby=tokens] li")

    def made(role: str, days: str = "") -> str:
        page.get_by_label("Role").select_option(role)
        page.get_by_label("What it is for").fill(f"a {role} of ours")
        page.get_by_label("Days, or no end").fill(days)
        page.get_by_role("button", name="Create").click()
        listed.filter(has_text=f"a {role} of ours").wait_for()
        return shown()

    def shown() -> str:
        return page.locator(".flash [data-copy-text]").get_attribute("data-copy-text")

    def opens(token: str) -> list[int]:
        paths, header = ("/api/v1/people", "/metrics"), {"Authorization": f"Bearer {token}"}
        answers = [httpx.get(served.url + path, headers=header).status_code for path in paths]
        forgotten = httpx.delete(served.url + f"/api/v1/memos/x?user={TOMAS}", headers=header)
        return [*answers, forgotten.status_code]

    reader, metrics, operator = made("reader", "30"), made("metrics"), made("operator")
    assert opens(reader) == [200, 200, 403]
    assert opens(metrics) == [403, 200, 403]
    assert opens(operator) == [200, 200, 404]
    table = {token.label: token for token in served.run(lambda memory: Admin(memory, served.clock).tokens.list())}
    assert {token.role.value for token in table.values()} == {"reader", "metrics", "operator"}
    listed.filter(has_text="a reader of ours").get_by_role("button", name="Rotate").click()
    page.get_by_text("This is the token").wait_for()
    rotated = shown()
    assert rotated != reader
    assert opens(reader) == [401, 401, 401]
    assert opens(rotated) == [200, 200, 403]
    listed.filter(has_text="a operator of ours").get_by_role("button", name="Revoke").click()
    listed.filter(has_text="a operator of ours").wait_for(state="detached")
    assert opens(operator) == [401, 401, 401]
    page.reload()
    assert rotated not in page.content()
    page.get_by_label("Days, or no end").fill("many")
    page.get_by_role("button", name="Create").click()
    page.get_by_text("a token lasts for 1 to").wait_for()
    window.complaints.clear()  # the browser reports the refusal


@pytest.mark.slow
def test_jobs_that_were_put_aside_are_tried_again(window: Window):
    page = window.go("/jobs")
    page.get_by_role("button", name="Try now").first.click()
    page.get_by_text("It is tried now.").wait_for()


@pytest.mark.slow
def test_a_reader_finds_no_button_that_changes_anything(browser: Any, served: Served, paths: dict[str, str]):
    with opened(browser, served) as window:
        window.sign_in(served.tokens.reader)
        for path in paths.values():
            page = window.go(path)
            assert page.locator("main form[method=post]").count() == 0, path
            assert page.get_by_role("button", name="Sign out").count() == 1
