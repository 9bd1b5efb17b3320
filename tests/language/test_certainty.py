"""Whether a statement answers a question for sure."""

import pytest

from recollect.language import certainty
from recollect.language.questions import parse


def sure(asked: str, said: str, language: str = "en") -> bool:
    return certainty.is_sure(said, parse(asked, language), asked)


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("how much do I owe Clara?", "I owe Clara 150 pounds for the tickets", "en"),
        ("when do we usually talk?", "we talk every night at ten", "en"),
        ("where does Lena work?", "Lena works at the zoo, my brother at a bank", "en"),
        ("À quelle heure est-ce que je me lève ?", "Je me lève à 3 heures, c'est dur", "fr"),
    ],
)
def test_what_says_all_that_is_asked_is_sure(asked: str, said: str, language: str) -> None:
    assert sure(asked, said, language)


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("what do I play?", "maybe I play chess", "en"),
        ("where do I live?", "if I won I'd live in a lighthouse in Wales", "en"),
        ("Wo wohne ich?", "Nils sagt, ich wohne in Ulm", "de"),
        ("¿dónde vivo?", "creo que vivo en Lima", "es"),
    ],
)
def test_what_is_guessed_or_only_said_is_not_sure(asked: str, said: str, language: str) -> None:
    assert not sure(asked, said, language)


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("what's my business?", "business insurance went up to 1,200", "en"),
        ("who's my flatmate?", "she's 90 and lives with my parents", "en"),
        ("who's my fiancé?", "Hugh has a teenage daughter, Cerys, from his first marriage", "en"),
    ],
)
def test_a_question_about_oneself_is_not_answered_for_sure_by_what_is_about_others(
    asked: str, said: str, language: str
) -> None:
    assert not sure(asked, said, language)


def test_a_compound_is_not_the_thing_it_begins_with() -> None:
    assert not sure("Was für ein Fahrrad habe ich?", "Arbeitet in einem Fahrradladen", "de")
    assert not sure("Was für ein Rad habe ich?", "Fährt jeden Tag mit dem Rad zur Arbeit", "de")


def test_two_sentences_do_not_answer_together() -> None:
    assert not sure("what's the baby going to be called?", "I had a pig as a kid. His name was Duke")


def test_an_event_does_not_answer_how_it_happened() -> None:
    assert not sure("how did Elvis die?", "Elvis died, poor thing")


@pytest.mark.parametrize("later", ["Finished it!", "sold it already", "gave it up"])
def test_a_following_statement_may_end_the_previous_one(later: str) -> None:
    assert certainty.may_end_statement(later, "en")
    assert not certainty.may_end_statement("I've quit the course, too hard", "en")


@pytest.mark.parametrize("asked", ["do I have a dog?", "Habe ich einen Hund?", "est-ce que j'ai un chien ?"])
def test_a_question_for_yes_or_no_is_known(asked: str) -> None:
    assert certainty.is_yes_no_question(asked)
    assert not certainty.is_yes_no_question("what is my dog called?")
    assert not certainty.is_yes_no_question("Wie heißt mein Hund?")


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("what is my job?", "I'm allergic to latex which is a pain in my job", "en"),
        ("what sport do I do?", "we met at a climbing gym in Bergen", "en"),
        ("do I have a car?", "my sister's stuff is in the car", "en"),
    ],
)
def test_what_is_named_behind_a_preposition_only_is_not_what_a_statement_is_about(
    asked: str, said: str, language: str
) -> None:
    assert not sure(asked, said, language)


def test_a_memory_whose_subject_is_a_frequent_noun_is_about_that() -> None:
    assert not sure("Was bin ich von Beruf?", "Hund ist ein Schäferhund und heißt Bruno", "de")


@pytest.mark.parametrize("said", ["used to smoke", "I smoke after work"])
def test_an_infinitive_is_not_behind_a_preposition(said: str) -> None:
    assert sure("do I smoke?", said)


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("which instrument do I play?", "Used to play drums", "en"),
        ("Welches Instrument spiele ich?", "Hat früher Geige gespielt", "de"),
        ("what was I doing before the truck?", "Runs a food truck in Austin", "en"),
        ("what's my food truck's name?", "Runs a food truck in Austin", "en"),
    ],
)
def test_what_is_over_or_only_the_frame_of_a_question_is_not_its_answer(asked: str, said: str, language: str) -> None:
    assert not sure(asked, said, language)


@pytest.mark.parametrize("said", ["we work 4 on 4 off", "I work on Mondays"])
def test_a_time_behind_a_preposition_is_no_place(said: str) -> None:
    assert not sure("where do I work?", said)
    assert sure("where do I work?", "I work at Lidl on Mondays")


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("what do I like to drink?", "I don't drink, five years sober", "en"),
        ("what food do I like?", "I can't stand olives", "en"),
        ("which films do I love most?", "I hate horror films", "en"),
        ("which medicine do I take?", "I'm allergic to penicillin", "en"),
        ("Was esse ich nicht?", "ich esse am liebsten Knödel", "de"),
        ("Welchen Sport mache ich?", "ich kann nicht schwimmen", "de"),
    ],
)
def test_what_is_refused_is_not_what_is_liked_or_done(asked: str, said: str, language: str) -> None:
    assert not sure(asked, said, language)


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("what car do I have?", "I sold the Volvo today", "en"),
        ("what are my pets called?", "our hamster Gerald died yesterday", "en"),
        ("which phone do I have?", "my phone is broken", "en"),
        ("Welches Handy habe ich?", "mein Handy ist wieder kaputt", "de"),
    ],
)
def test_what_is_gone_or_broken_is_not_what_one_has(asked: str, said: str, language: str) -> None:
    assert not sure(asked, said, language)


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("where do I live?", "I moved physio to wednesdays", "en"),
        ("where did I grow up?", "I work from home on Fridays", "en"),
        ("where are we going on holiday?", "we moved the Porto trip to May", "en"),
        ("where will I be at Christmas?", "the Christmas concert is on the 12th", "en"),
        ("what time do I call my mother?", "I call mum every Sunday", "en"),
        ("Wo haben wir geheiratet?", "unser Hochzeitstag ist der 7. August", "de"),
        ("Wie lange bin ich im Beruf?", "ich arbeite als Elektriker mit sechs Leuten", "de"),
        ("Bei wem wohne ich?", "ich wohne im Dachgeschoss", "de"),
        ("Wie alt bin ich?", "ich stehe um fünf auf, gemolken wird um halb sechs", "de"),
    ],
)
def test_a_day_is_no_place_and_no_hour(asked: str, said: str, language: str) -> None:
    assert not sure(asked, said, language)


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("who is my doctor?", "my girlfriend Renee is an ER doctor", "en"),
        ("who owes me money?", "I owe Aoife 400 euro", "en"),
        ("where does my mother live?", "my mother in law is staying with us in York", "en"),
        ("what's my sister called?", "her sister Tasha is getting married", "en"),
        ("am I married?", "my partner is Declan", "en"),
        ("Woher kommt meine Frau?", "ich komme gerade vom Arzt, von Frau Dr. Nguyen aus Halle", "de"),
        ("Wie heißt unser Tierarzt?", "meine Hausärztin heißt Frau Dr. Yilmaz", "de"),
    ],
)
def test_someone_else_in_the_same_words_is_no_answer(asked: str, said: str, language: str) -> None:
    assert not sure(asked, said, language)


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("what tea do I like?", "our team has three employees", "en"),
        ("what am I reading?", "I need to book flights to Hobart", "en"),
        ("what should I not eat?", "the lorry driver eats at truck stops", "en"),
        ("why do we have to move out?", "I moved from Recife to Manchester", "en"),
        ("Welche Krankheit habe ich?", "ich arbeite als Krankenpfleger", "de"),
        ("Welchen Sport mache ich?", "wir sparen grad auf einen Wohnwagen", "de"),
    ],
)
def test_words_that_merely_look_alike_are_no_answer(asked: str, said: str, language: str) -> None:
    assert not sure(asked, said, language)


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("when is the match?", "the match is on wednesday, not thursday", "en"),
        ("what am I allergic to?", "Is allergic to latex", "en"),
        ("what can't I eat?", "I can't eat shellfish", "en"),
        ("where do I live?", "Moved from Recife to Manchester", "en"),
        ("who's my manager?", "Their boss is called Graham", "en"),
        ("what was my wife called?", "my wife Margaret passed away in 2019", "en"),
        ("Was vertrage ich nicht?", "ich vertrage keine Laktose", "de"),
        ("Wo wohne ich?", "Wohnt in Leipzig", "de"),
    ],
)
def test_what_says_just_what_is_asked_stays_sure(asked: str, said: str, language: str) -> None:
    assert sure(asked, said, language)


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("who's my ex?", "I have a split keyboard", "en"),
        ("where do I work?", "I'm having my teeth done on Friday at Leeds hospital", "en"),
        ("do we have a dog?", "mike wants a dog when we move", "en"),
        ("who is my doctor?", "The doctor has put me on tablets", "en"),
        ("Was macht Ben in seiner Freizeit?", "Ben ist jedes zweite Wochenende bei ihm", "de"),
        ("Von wem hab ich das Auto?", "das Auto hab ich letzten Winter abgemeldet", "de"),
        ("Esse ich Fleisch?", "emily ist vegan also ess ich bei ihr auch so", "de"),
        ("Was habe ich an den Händen?", "mein Handy ist ein altes Modell", "de"),
    ],
)
def test_words_of_the_topic_alone_are_not_sure(asked: str, said: str, language: str) -> None:
    assert not sure(asked, said, language)


def test_a_memory_of_a_coming_operation_does_not_say_when_someone_was_born() -> None:
    assert not sure("Wann habe ich Geburtstag?", "Wird am 11. Dezember operiert", "de")


def test_living_with_two_girls_does_not_say_how_many_children_one_has() -> None:
    assert not sure("Wie viele Kinder habe ich?", "Wohnt mit zwei Mädels zusammen", "de")


def test_an_illness_is_no_injury() -> None:
    assert not sure("Wo hab ich mich verletzt?", "Hat im Knie Arthrose", "de")
    assert not sure("what injury do I have?", "Has arthritis in the knee", "en")


def test_who_lives_with_us_is_not_with_whom_one_lives() -> None:
    assert not sure("Bei wem wohne ich?", "meine Schwiegermutter wohnt bei uns oben", "de")


def test_a_superlative_is_no_place() -> None:
    assert not sure("Wo ist mein Betrieb?", "Arbeitet am liebsten mit Eiche", "de")
    assert sure("Wo arbeite ich?", "Arbeitet am Theater", "de")
