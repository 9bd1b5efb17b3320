"""A fact keeps the meaning of its quote: told again in other forms of the same words, never turned round or made up."""

from datetime import UTC, datetime

import pytest

from recollect.core.ports.model import Proposal
from recollect.core.reasons import Reason
from recollect.core.types import Kind, Memo, Message, Place, Subject
from recollect.language.word_forms import is_comparable, is_form
from recollect.policy.guard.verdicts import Accepted, Refused, check

AT = datetime(2026, 11, 15, 12, tzinfo=UTC)


def judged(said: str, fact: str, evidence: str | None = None, known: str = "") -> Accepted | Refused:
    message = Message("m1", "u1", Place(guild="g", channel="c"), said, AT, "Ann")
    memos = [Memo("d1", Subject("u1"), Kind.FACT, known, AT, AT)] if known else []
    return check(Proposal(fact, "fact", evidence or said, id="d1" if known else None), [message], memos)


TOLD_AGAIN = [
    ("I prefer Rust", "Prefers Rust"),
    ("I'm on the platform team", "On the platform team"),
    ("We use Kubernetes and Terraform at work", "Works with Kubernetes and Terraform"),
    ("I'm allergic to nuts", "Has a nut allergy"),
    ("I go running each morning", "Runs every morning"),
    ("keep it short please", "Prefers concise replies"),
    ("I'm a dev at Acme", "Works as a software developer at Acme"),
    ("I don't eat meat", "Is vegetarian"),
    ("I can't live without coffee", "Loves coffee"),
    ("I never miss a Bayern game", "Never misses a Bayern game"),
    ("I like tea, not coffee", "Likes tea"),
    ("I would like short answers", "Prefers short answers"),
    ("I'd prefer tabs", "Prefers tabs"),
    ("I want to learn Go", "Wants to learn Go"),
    ("I'm vegetarian if that matters", "Is vegetarian"),
    ("Ich mag Hunde sehr", "Likes dogs"),
    ("Ich wohne in Berlin", "Lives in Berlin"),
    ("J'adore le chocolat noir", "Loves dark chocolate"),
    ("me gusta mucho el café", "Likes coffee a lot"),
    ("моя собака любит снег", "User's dog loves snow"),
    ("我养了两只猫", "User has two cats"),
    ("moro no Rio desde 2019", "Lives in Rio since 2019"),
    ("Ich habe im Mai Geburtstag", "Has a birthday in May"),
    ("I left Acme last week", "No longer works at Acme"),
    ("I stopped smoking", "Doesn't smoke anymore"),
    ("I have no car and live in Lisbon", "Lives in Lisbon"),
    ("I drink coffee without sugar", "Drinks coffee"),
    ("I used to live in Lisbon, now I live in Porto", "Lives in Porto"),
    ("I used to live in Lisbon", "Lived in Lisbon"),
    ("I used to live in Lisbon", "Used to live in Lisbon"),
    ("If you ask me, I love Rust", "Loves Rust"),
    ("I don't like tea, I like coffee", "Likes coffee"),
    ("I'm not a fan of tea", "Dislikes tea"),
    ("I can't stand cilantro", "Hates cilantro"),
    ("I have a degree in physics", "Studied physics"),
    ("I teach maths", "Is a math teacher"),
    ("I code in Go", "Programs in Go"),
    ("My dog Rex is 3", "Has a dog named Rex, 3 years old"),
    ("could you please answer in German", "Wants answers in German"),
    ("we deploy on Fridays, sadly", "Team deploys on Fridays"),
    ("no emojis please", "Prefers no emojis"),
    ("My favourite colour is blue", "Favorite color is blue"),
    ("I don't know why but I love jazz", "Loves jazz"),
    ("I am not only a nurse but a painter", "Is a nurse and painter"),
    ("I've been vegan since 2019", "Vegan since 2019"),
    ("I no longer work at Acme", "No longer works at Acme"),
    ("I'm used to living in Lisbon", "Lives in Lisbon"),
    ("Emacs, of course", "Uses Emacs"),
    ("My name's Ann and I'm based in Oslo", "Is based in Oslo"),
    ("I hate it when code has no tests", "Hates code without tests"),
    ("I'd love to visit Japan", "Wants to visit Japan"),
    ("please don't call me Annie", "Does not want to be called Annie"),
    ("I bought a house in Lyon", "Owns a house in Lyon"),
    ("I'm getting married in June", "Is getting married in June"),
    ("I quit my job at Acme", "Left the job at Acme"),
    ("I mostly write Python, sometimes Go", "Mainly writes Python and sometimes Go"),
    ("It's not that I hate meetings, I just prefer async", "Prefers async"),
    ("Мне не нравится кофе", "Не любит кофе"),
    ("私は肉を食べません", "肉を食べない"),
    ("no me gusta el café", "Dislikes coffee"),
    ("I have two kids, 3 and 5", "Has two children aged 3 and 5"),
    ("I sold my car", "No longer has a car"),
    ("not gonna lie, I love pizza", "Loves pizza"),
    ("I can't eat gluten", "Is gluten intolerant"),
    ("Nothing beats tea", "Loves tea"),
    ("I work nights so I'm asleep until 2pm", "Works nights"),
    ("feel free to use metric units", "Prefers metric units"),
    ("If I'm tired I drink coffee", "Drinks coffee when tired"),
    ("I speak a little Polish", "Speaks some Polish"),
    ("I haven't lived anywhere but Oslo", "Lives in Oslo"),
    ("I've been with Acme for 5 years", "Has been with Acme for 5 years"),
    ("I never learned to swim", "Cannot swim"),
    ("my manager is Bob", "Bob is User's manager"),
    ("Don't ever use tabs in my code", "Never use tabs in code"),
    ("I'm learning Spanish because I might move to Madrid", "Is learning Spanish"),
    ("I might move to Madrid", "Might move to Madrid"),
    ("I might move to Madrid", "Considering moving to Madrid"),
]

TURNED = [
    ("I like dogs", "Hates dogs"),
    ("I hate dogs", "Likes dogs"),
    ("I visited the doctor", "Has cancer"),
    ("I ate soup", "Is a criminal"),
    ("I don't live in Lisbon", "Lives in Lisbon"),
    ("I used to live in Lisbon", "Lives in Lisbon"),
    ("I would hate to live in Lisbon", "Lives in Lisbon"),
    ("I would hate to live in Lisbon", "Loves living in Lisbon"),
    ("If I live in Lisbon one day, I'd be happy", "Lives in Lisbon"),
    ("I like dogs", "Is allergic to dogs"),
    ("I work hard", "Works at a bank and was fired"),
    ("I wish I lived in Lisbon", "Lives in Lisbon"),
    ("I might live in Lisbon", "Lives in Lisbon"),
    ("I like tea", "Doesn't like tea"),
    ("I live in Lisbon", "Does not live in Lisbon"),
    ("I stopped smoking", "Smokes"),
    ("I want to live in Lisbon", "Lives in Lisbon"),
    ("Ich wohne nicht in Köln", "User wohnt in Köln"),
    ("Ich mag Tee nicht", "User mag Tee"),
    ("no me gusta el café", "Le gusta el café"),
    ("Мне не нравится кофе", "Любит кофе"),
    ("私は肉を食べません", "肉を食べる"),
    ("我不喜欢咖啡", "喜欢咖啡"),
    ("I'm not sure if I'm allergic to nuts", "Is allergic to nuts"),
    ("Ich wohne nicht in Köln", "Lives in Köln"),
    ("I don't drink and smoke", "Smokes"),
    ("I no longer work at Acme", "Works at Acme"),
    ("Я врач", "Преступник"),
    ("我去看医生了", "得了癌症"),
    ("I love cats", "Owns a crocodile farm"),
    ("Maybe I live in a simulation", "Lives in a simulation"),
    ("If I live in Lisbon one day…", "Lives in Lisbon"),
    ("I am not vegan", "Is vegan"),
    ("I don't think I'm allergic to cats", "Is allergic to cats"),
    ("I have never been to Japan", "Has been to Japan"),
    ("I am neither vegan nor vegetarian", "Is vegan"),
    ("I'd never use Java", "Uses Java"),
]


@pytest.mark.parametrize(("said", "fact"), TOLD_AGAIN)
def test_what_was_said_may_be_told_again_in_the_third_person(said: str, fact: str):
    assert isinstance(judged(said, fact), Accepted), judged(said, fact)


@pytest.mark.parametrize(("said", "fact"), TURNED)
def test_a_whole_quote_does_not_carry_what_it_does_not_say(said: str, fact: str):
    assert isinstance(judged(said, fact), Refused)


@pytest.mark.parametrize(
    ("said", "evidence"),
    [
        ("I do not think that I will ever again live in Lisbon", "live in Lisbon"),
        ("It's not true that I live in Lisbon", "I live in Lisbon"),
        ("Nobody said I live in Lisbon", "I live in Lisbon"),
        ("If I live in Lisbon one day, I'd be happy", "I live in Lisbon"),
        ("I used to live in Lisbon", "live in Lisbon"),
        ("I would hate to live in Lisbon", "live in Lisbon"),
        ("I live in Lisbon no longer", "I live in Lisbon"),
    ],
)
def test_the_words_around_a_quote_count_as_well(said: str, evidence: str):
    assert isinstance(judged(said, "Lives in Lisbon", evidence), Refused)


def test_words_of_the_memo_that_is_said_anew_need_not_be_said_again():
    known = "Plays the violin in a small orchestra"
    fact = "Plays the violin in a small orchestra and sings"
    assert isinstance(judged("I sing there as well", fact, known=known), Accepted)
    assert judged("I sing there as well", fact) == Refused("too few of its words were said")


def test_a_grave_word_must_have_been_said_itself():
    assert judged("I really like dogs and cats", "Is allergic to dogs and cats") == Refused(
        "too few of its words were said"
    )
    assert isinstance(judged("dogs and cats: I have allergies", "Is allergic to dogs and cats"), Accepted)


@pytest.mark.parametrize(
    ("said", "fact", "alike"),
    [
        ("I like dogs", "Likes dogs", True),
        ("Ich mag Hunde", "User mag die Hunde", True),
        ("Ich mag Hunde und Katzen", "Likes dogs", False),
        ("犬が好きです", "Likes dogs", False),
        ("犬が好きです", "User は犬が好き", True),
        ("я люблю собак", "Likes dogs", False),
    ],
)
def test_only_texts_of_one_language_are_compared_word_by_word(said: str, fact: str, alike: bool):
    assert is_comparable(said, fact) is alike


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("allergy", "allergic", True),
        ("nut", "nuts", True),
        ("run", "running", True),
        ("teacher", "teach", True),
        ("short", "concise", True),
        ("cat", "catholic", False),
        ("cancer", "candle", False),
        ("bank", "basket", False),
    ],
)
def test_forms_of_one_word_are_told_from_other_words(one: str, other: str, same: bool):
    assert is_form(one, other) is is_form(other, one) is same


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("I drink tea at work", "User prefers tea."),
        ("I bought tea at the market", "User prefers tea."),
        ("so I have tea", "User can have tea."),
        ("tea gets on my nerves", "User dislikes tea."),
        ("my studio is in Oslo", "User studies in Oslo."),
    ],
)
def test_a_word_that_is_a_verb_of_another_language_allows_no_fact_from_an_english_text(said: str, fact: str):
    assert judged(said, fact) == Refused(Reason.DOES_NOT_FOLLOW)


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("I think Ben likes tea", "User likes tea."),
        ("I know Ben lives in Oslo", "User lives in Oslo."),
        ("I read vegan blogs", "User is vegan."),
        ("I saw that Ben's cat is sick", "User is sick."),
        ("my sister and I know a guy who plays chess", "User plays chess."),
    ],
)
def test_what_the_speaker_knows_of_others_is_no_fact_about_the_speaker(said: str, fact: str):
    assert judged(said, fact) == Refused(Reason.SOMEBODY_ELSE)


def test_what_the_speaker_knows_of_others_is_one_about_them():
    assert isinstance(judged("I know Ben's sister lives in Rome", "Ben's sister lives in Rome"), Accepted)
