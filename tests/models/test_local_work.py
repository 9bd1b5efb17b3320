"""Without a model: what people say of their work, of whom they named a sentence ago, and of days to come."""

from datetime import UTC, datetime
from string import Formatter

import pytest

from recollect import Memory, Place
from recollect.core.ports import ExtractionInput
from recollect.core.types import Message
from recollect.models.local import foreign
from recollect.models.local.extract import extract
from recollect.policy.guard.verdicts import Refused, check

SAID = datetime(2026, 10, 28, 12, tzinfo=UTC)  # a Wednesday


def learned(text: str) -> list[str]:
    """What is proposed and passes the guard."""
    message = Message("m", "ann", Place(dm="ann"), text, SAID, "Ann")
    proposals = extract(ExtractionInput([message])).proposals
    return [proposal.text for proposal in proposals if not isinstance(check(proposal, [message], []), Refused)]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I look after the mail servers", "Looks after the mail servers"),
        ("fwiw I'm responsible for the release pipeline", "Is responsible for the release pipeline"),
        ("I'm the head librarian at the Riga city library", "Is the head librarian at the Riga city library"),
        ("I'm just the Postgres guy", "Is the Postgres guy"),
        ("I report to Marta", "Reports to Marta"),
        ("I'm with Fjord Analytics", "Is with Fjord Analytics"),
        ("I'm running FreeBSD these days", "Runs FreeBSD"),
        ("our api is written in Kotlin", "Their api is written in Kotlin"),
        ("I don't know Terraform very well", "Doesn't know Terraform very well"),
        ("I'm rusty on SQL", "Is rusty on SQL"),
        ("I'm on eastern time", "Is on eastern time"),
        ("I don't work Mondays", "Does not work Mondays"),
        ("I work Tuesday to Friday", "Works Tuesday to Friday"),
        ("I start at 8 and finish at 4", "Starts at 8 and finishes at 4"),
        ("we have about 30 engineers", "Their team has about 30 engineers"),
        ("I moved from support to sales", "Moved from support to sales"),
    ],
)
def test_statements_about_work_are_learned(text: str, fact: str):
    assert fact in learned(text)


@pytest.mark.parametrize(
    "text",
    [
        *("I own that bug", "I handle the null case above", "I maintain a map of open sockets", "I run the import now"),
        *("I'm with Tim on this", "I'm on step 2", "I'm on a call", "I'm on 2.4 and it crashes", "I'm in the REPL"),
        *(
            "I'm the wrong person to ask",
            "I tend to agree",
            "my job is stuck in the queue",
            "I'm not good with that idea",
        ),
        *("we are running out of time", "we have about 30 minutes", "our build is red", "I joined two tables"),
        *("I know redis works in production", "I just joined the channel", "he said I own the repo", "> I own billing"),
        *(
            "if I ran the team I'd cancel it",
            "Ana is on the infra team",
            "his team uses Rust",
            "I'm running Tomcat to test",
        ),
    ],
)
def test_tasks_trouble_opinions_and_others_are_not(text: str):
    assert learned(text) == []


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I have a daughter. She is three.", ["Has a daughter", "Their daughter is three years old"]),
        ("My wife is from Peru. She's a nurse.", ["Their wife is from Peru", "Their wife is a nurse"]),
        ("My boss is Kareem. He hates meetings.", ["Their boss is called Kareem", "Their boss Kareem hates meetings"]),
        ("my mom lives with us. she is 82 and has dementia", ["Their mom has dementia", "Their mom is 82 years old"]),
        ("I have a cat. He's called Biscuit.", ["Has a cat named Biscuit"]),
        ("I have two dogs. Their names are Max and Bella", ["Has two dogs named Max and Bella"]),
        ("Wir haben einen Hund geholt. Er heißt Bruno.", ["Hund heißt Bruno"]),
        ("On a adopté un chat. Il s'appelle Félix.", ["Chat s'appelle Félix"]),
        ("Adoptamos una gata. Se llama Nube.", ["Gata se llama Nube"]),
        ("Adotamos um gato. Ele se chama Pingo.", ["Gato se chama Pingo"]),
        ("犬を飼い始めました。名前はハナです", ["犬の名前はハナ"]),
    ],
)
def test_a_pronoun_means_the_one_of_the_speaker_s_own_in_the_sentence_before(text: str, facts: list[str]):
    assert set(facts) <= set(learned(text))


@pytest.mark.parametrize(
    "text",
    [
        "My brother met Tim. He lives in Rome.",
        "My wife and my mother came. She is a nurse.",
        "My friend has a dog. His name is Rex.",
        "I have a daughter. He is three.",
        "My sister called. Is she a nurse? She is a nurse?",
        "I like my car. It might be a Mazda.",
        "You have a son. He is five.",
        "If I had a son. He is five.",
    ],
)
def test_where_it_may_mean_somebody_else_nothing_is_learned_of_anyone(text: str):
    known = ("Rome", "nurse", "Rex", "three", "Mazda", "five")
    assert [fact for fact in learned(text) if any(word in fact for word in known)] == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("on Friday next week I fly to Rome", "Flies to Rome on 2026-11-06"),
        ("I have an exam next week on Friday", "Has an exam on 2026-11-06"),
        ("I'm getting married next year in May", "Getting married in 2027-05"),
        ("I'm on parental leave until March", "On parental leave until 2027-03"),
        ("Nächste Woche am Dienstag fliege ich nach Oslo", "Fliegt 2026-11-03 nach Oslo"),
        ("am Freitag nächster Woche fliege ich nach Rom", "Fliegt 2026-11-06 nach Rom"),
        ("ich habe nächste Woche eine Prüfung", "Hat in der Woche vom 2026-11-02 eine Prüfung"),
        ("Ich ziehe nächsten Monat nach Köln", "Zieht 2026-11 nach Köln"),
        ("nächstes Jahr heirate ich im Mai", "Heiratet 2027-05"),
        ("Wir haben letztes Jahr ein Haus in Kassel gekauft", "Hat im Jahr 2025 ein Haus in Kassel gekauft"),
        ("vendredi de la semaine prochaine je pars à Rome", "Part 2026-11-06 à Rome"),
        ("la semaine prochaine j'ai un examen mardi", "A un examen 2026-11-03"),
        ("el martes que viene tengo un examen", "Tiene 2026-11-03 un examen"),
        ("el próximo viernes me caso", "Se casa 2026-10-30"),
        ("na próxima semana tenho uma prova na terça", "Tem uma prova 2026-11-03"),
        ("来週の金曜日にオスロに行きます", "2026-11-06にオスロに行く"),
        ("来年の5月に結婚します", "2027-05に結婚する"),
    ],
)
def test_a_day_to_come_is_written_out_once(text: str, fact: str):
    assert learned(text) == [fact]


@pytest.mark.parametrize("language", foreign.languages())
def test_a_rule_of_a_language_has_a_group_for_each_part_of_its_fact(language: str):
    rules = foreign.grammar(language)
    for rule in (*rules.rules, *rules.pairs):
        fields = {field for _, field, _, _ in Formatter().parse(rule.fact) if field}
        assert fields <= set(rule.pattern.groupindex), rule.pattern.pattern


def test_a_library_user_is_told_what_two_sentences_say_together():
    with Memory() as memory:
        memory.add("I'm on the billing team. I got a puppy. His name is Rex.", user="ann", wait=True)
        texts = {memo.text for memo in memory.list(user="ann").memos}
    assert {"On the billing team", "Has a puppy named Rex"} <= texts
