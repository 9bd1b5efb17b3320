"""Without a model: what people leave away in chats, say in passing, did long ago, and run at a keyboard."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import Memory, Place
from recollect.core.ports import ExtractionInput
from recollect.core.types import Message
from recollect.models.local.extract import extract
from recollect.policy.gate import may_contain_facts
from recollect.policy.guard.verdicts import Refused, check

SAID = datetime(2026, 10, 28, 12, tzinfo=UTC)  # a Wednesday


def learned(text: str) -> list[str]:
    """What is proposed and passes the guard."""
    message = Message("m", "ann", Place(dm="ann"), text, SAID, "Ann")
    proposals = extract(ExtractionInput([message])).proposals
    return [proposal.text for proposal in proposals if not isinstance(check(proposal, [message], []), Refused)]


SHORT = [
    ("on gentoo here, no such trouble", "Uses gentoo"),
    ("running fedora 38 here", "Uses fedora 38"),
    ("using tmux for 12 years now", "Has used tmux for 12 years"),
    ("helix user here", "Is a helix user"),
    ("lifelong debian user", "Is a lifelong debian user"),
    ("rust dev here, mostly embedded", "Is a rust dev"),
    ("dutch here", "Is Dutch"),
    ("in the Netherlands here", "Is in the Netherlands"),
    ("oslo here", "Is in Oslo"),
    ("it's 4am here in lisbon", "Is in Lisbon"),
    ("utc+2 here", "Timezone is UTC+2"),
    ("no car here", "Has no car"),
    ("been vegetarian since 2011", "Is vegetarian since 2011"),
    ("never liked mushrooms", "Has never liked mushrooms"),
    ("hate olives", "Hates olives"),
]


@pytest.mark.parametrize(("text", "fact"), SHORT)
def test_a_line_without_a_subject_is_its_writers(text: str, fact: str):
    assert fact in learned(text)


@pytest.mark.parametrize("text", [text for text, _ in SHORT])
def test_such_a_line_passes_the_gate(text: str):
    assert may_contain_facts(text)


@pytest.mark.parametrize(
    "text",
    [
        "error user here is not defined",
        "new user here",
        "on master here, still broken",
        "running the tests here",
        "in the terminal here",
        "nice card here",
        "no errors here",
        "been trying for 2 hours",
        "never seen that",
        "love how this works",
        "hate when that happens",
        "the repository manager here is broken",
    ],
)
def test_a_short_line_on_the_matter_at_hand_is_not(text: str):
    assert learned(text) == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("as a mac user I can't test that, sorry", "Is a mac user"),
        ("as a nurse i see that every day", "Works as a nurse"),
        ("being dyslexic, I skip the long ones", "Is dyslexic"),
        ("back when i lived in osaka i ate that daily", "Lived in osaka"),
        ("since i'm a plumber i get asked a lot", "Is a plumber"),
        ("Hi all, I'm Oksana, data engineer at a bank", "Is a data engineer at a bank"),
        ("I like quiet places, but sometimes I wish for more noise", "Likes quiet places"),
        ("I live with my dad and my two sisters", "Lives with their dad and their two sisters"),
        ("my wife is a vet and works nights", "Their wife works nights"),
    ],
)
def test_a_fact_in_a_subordinate_phrase_is_learned(text: str, fact: str):
    assert fact in learned(text)


@pytest.mark.parametrize(
    "text",
    [
        "as a user I want to reset my password so that I can log in",
        "as a workaround I restart it",
        "as a rule I don't",
        "when I worked on this bug I saw that",
        "Oh great, another outage. I love this job.",
        "My favorite part of your story is the ending",
        "We have a deadline on Friday, so no time",
    ],
)
def test_phrases_that_resemble_an_aside_teach_nothing(text: str):
    assert learned(text) == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I used to live in Ghent", "Used to live in Ghent"),
        ("I used to be a welder but now I teach", "Used to be a welder"),
        ("I tore my ACL in 2018, so no skiing", "Tore their ACL in 2018"),
        ("I was on the debate team in college", "Was on the debate team in college"),
        ("I was a picky eater as a kid", "Was a picky eater as a kid"),
        ("my grandma raised me", "Their grandma raised them"),
        ("my youngest just started kindergarten", "Their youngest started kindergarten"),
        ("I've worked at the same bank for 20 years", "Has worked at the same bank for 20 years"),
        ("I plan to move to Bergen next year", "Plans to move to Bergen in 2027"),
        ("I live in the US", "Lives in the US"),
    ],
)
def test_the_past_family_and_plans_are_learned(text: str, fact: str):
    assert fact in learned(text)


@pytest.mark.parametrize(
    "text", ["used to work fine", "I used to think so too", "I used to get that error", "I never did ask"]
)
def test_the_past_of_the_matter_at_hand_is_not(text: str):
    assert learned(text) == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("i have a raspberry pi 3 as a nas", "Has a raspberry pi 3 as a nas"),
        ("my pc has a gtx 1060", "Their pc has a gtx 1060"),
        ("my site is on wordpress", "Their site is on wordpress"),
        ("i'm on ubuntu 22.04", "Uses ubuntu 22.04"),
        ("we moved our backend from Perl to Go last year", "Their team moved their backend from Perl to Go"),
        ("At $job we deploy to Fargate", "Their team deploys to Fargate"),
        ("My team owns the billing API", "Their team owns the billing API"),
        ("i joined redhat in march", "Joined Redhat in march"),
        ("I switched to helix a year ago", "Uses helix"),
        ("the main chat I use is Zulip", "The main chat they use is Zulip"),
    ],
)
def test_machines_teams_and_tools_are_learned(text: str, fact: str):
    assert fact in learned(text)


@pytest.mark.parametrize(
    "text",
    [
        "my server is down",
        "my site is on port 8080",
        "our server has 500 errors",
        "i have a box with 3 errors",
        "my team is feeding",
        "at work today we had pizza",
    ],
)
def test_their_trouble_is_not(text: str):
    assert learned(text) == []


@pytest.mark.parametrize(
    ("stated", "correction", "expected"),
    [
        ("I live in Denver", "oops meant Boulder", ["Lives in Boulder"]),
        ("I have three cats", "two actually, one died last year", ["Has two cats"]),
        ("we use redis at work", "i mean memcached", ["Uses memcached at work"]),
        ("my timezone is EST", "er EDT", ["Timezone is EDT"]),
        ("My son is called Jon", "John with an h", ["Their son is called John"]),
        ("I'm lactose intolerant", "celiac rather, I can have milk", ["Is celiac"]),
        ("I drive a Skoda", "no wait it's a Seat now", ["Drives a Seat"]),
        ("I started at Amazon in May", "not May, June", ["Started at Amazon in 2026-06"]),
        ("my exam is on Monday", "ugh, Tuesday not Monday", ["Exam is on 2026-11-03"]),
        ("I work weekends", "not weekends anymore, they moved me", []),
        ("I'm a plumber", "well I was, I'm retired now", ["Is retired"]),
    ],
)
def test_a_correction_is_one_with_a_sigh_a_remark_or_a_letter(stated: str, correction: str, expected: list[str]):
    with Memory(":memory:") as memory:
        for number, text in enumerate((stated, correction)):
            memory.add(text, user="ann", at=SAID + timedelta(minutes=2 * number), wait=True)
        assert [memo.text for memo in memory.list(user="ann", statuses="active")] == expected
