"""What a question asks about, and which statements answer it, in words of their own."""

import pytest

from recollect.language import questions, subjects

FITS = [
    ("en", "which city am I based in?", "Lives in Bristol"),
    ("en", "what do I do for a living?", "Is a structural engineer at a small firm"),
    ("en", "what does my brother do?", "Their brother Daniel is a pilot for an airline"),
    ("en", "who do I report to?", "Their boss is called Graham"),
    ("en", "what does my spouse teach?", "Their husband Ben teaches chemistry"),
    ("en", "when's our next performance?", "Next concert is on 2026-12-12"),
    ("en", "how do I get to work?", "my commute is about 40 minutes by bike"),
    ("en", "what's my mother called?", "Their mum is called Judith"),
    ("en", "what am I allergic to?", "im alergic to penicillin btw"),  # written as people write
    ("en", "what does my sister do?", "my sister works nights, shes a radiographer"),
    ("en", "what's my boyfriend called?", "Their partner is called Owen"),
    ("en", "is my father still alive?", "my dad passed away two years ago"),
    ("en", "what colour is my car?", "Car is a yellow Skoda"),
    ("en", "what was my job before?", "I used to be a nurse but burnt out"),
    ("de", "was mach ich mittwochs?", "Geht mittwochs mit Jonas bouldern"),
    ("de", "welches Buch les ich grade?", "ich les gerade Die Blechtrommel"),
    ("de", "wann ist meine Meisterprüfung?", "ne moment, die Prüfung ist doch erst am 21. März"),
    ("de", "wohin gehts in den Urlaub?", "im Herbst wollen wir nach Portugal"),
    ("de", "Was mache ich beruflich?", "Arbeitet als Krankenpfleger in der Uniklinik"),
    ("de", "Wer ist mein Vorgesetzter?", "Chef heißt Herr Brandt"),
    ("de", "Welche Medikamente nehme ich?", "Nimmt jeden Morgen Blutdrucktabletten"),
    ("de", "Wovor fürchte ich mich?", "Hat Angst vor Spinnen"),
]
DOES_NOT = [
    ("en", "am I allergic to anything?", "Lives in Bristol"),
    ("en", "when do we rehearse?", "Plays the cello in an amateur orchestra"),  # without a time
    ("en", "how old is my daughter?", "Has a daughter called Ivy"),  # without a number
    ("en", "how do I get to work?", "Works from home on Fridays"),
    ("en", "what's my mother called?", "Has two kids, Theo and Ivy"),
    ("en", "what car do I drive?", "I'm saving up for a camper van"),
    ("en", "which city do I live in?", "actually the driving test got moved to the 21st of March"),
    ("en", "what car do I have?", "the driving test got moved to the 21st of March"),
    ("en", "what was my job before?", "Works as a baker"),  # not before
    ("de", "in welcher Stadt lebe ich?", "Wohnt im dritten Stock ohne Aufzug"),
    ("de", "in welcher Stadt lebe ich?", "Lieblingsfilm ist Das Leben der Anderen"),
    ("de", "was ist mein Job?", "Ist gegen Penicillin allergisch"),
    ("en", "where do I like to eat out?", "i cant eat kiwi, my throat swells up"),
    ("de", "wo esse ich am liebsten?", "Hat von der Oma gelernt wie man Labskaus kocht"),
    ("de", "wo ist meine Ferienwohnung?", "die Wohnung ist in Berlin"),
    ("de", "Wie nennt sich meine Band?", "Spielt Schlagzeug in einer Band"),
    ("de", "Was isst Miriam nicht?", "Frau heißt Miriam und ist Architektin"),
    ("de", "womit verdient Jörg sein Geld?", "Ist Krankenschwester"),  # Jörg is no part of the expression
    ("de", "wer wohnt noch bei uns?", "Wohnt in Künzell"),  # no person
    ("de", "Wie trinke ich meinen Tee?", "so, ich setz mal Tee auf"),  # one word for two things
    ("de", "worüber ist mein Referat?", "das Referat wurde auf den 16. Dezember geschoben"),
    ("de", "warum esse ich kein Brot?", "Isst abends Brot"),
    ("de", "was war mein Beruf?", "Ist Rentner"),
    ("en", "how old is Noah?", "Noah wants a hamster for his birthday on the 9th of March"),  # a date is no age
    ("en", "when do we rehearse?", "the 3 of us rehearse together"),  # a count is no time
    ("en", "what breed is Rosie?", "Rosie rides along with me in summer"),  # only whom it is about
    ("de", "was wird Niklas?", "Sohn Niklas ist 16 und zockt nur"),
    ("en", "which company did I work for?", "Has a daughter in Toronto"),
]


@pytest.mark.parametrize(("language", "question", "statement"), FITS)
def test_a_statement_with_all_terms_fits_completely(language: str, question: str, statement: str) -> None:
    assert questions.parse(question, language).fit(statement).is_complete


@pytest.mark.parametrize(("language", "question", "statement"), DOES_NOT)
def test_a_statement_that_lacks_a_term_does_not_fit_completely(language: str, question: str, statement: str) -> None:
    assert not questions.parse(question, language).fit(statement).is_complete


def test_a_question_about_oneself_is_not_about_ones_relatives() -> None:
    where = questions.parse("where do I live?", "en")
    assert subjects.is_about_others("Their sister Nora lives in Porto", where, is_memo=True)
    assert not subjects.is_about_others("Has two kids, Theo and Ivy", where, is_memo=True)
    assert subjects.is_about_others("Ben is vegetarian", where, is_memo=False)
    hers = questions.parse("where does my sister live?", "en")
    assert not subjects.is_about_others("Their sister Nora lives in Porto", hers, is_memo=True)


@pytest.mark.parametrize(
    ("language", "question", "statement", "is_memo"),
    [
        ("en", "where does Tom live?", "Tom's parents live in York", False),
        ("en", "where do I live?", "the donkeys live on a farm near Galway", False),
        ("en", "what do I do for a living?", "my teacher comes on Wednesdays", False),
        ("en", "what medication am I on?", "Tablet is an old iPad", True),
        ("de", "was arbeite ich?", "Lieblingsserie ist Der Tatortreiniger", True),
        ("de", "was arbeite ich?", "Gretas Lehrerin heißt Frau Brenner", False),
    ],
)
def test_what_is_about_something_else_does_not_agree_with_a_question(
    language: str, question: str, statement: str, is_memo: bool
) -> None:
    assert not subjects.agrees(statement, questions.parse(question, language), is_memo=is_memo)


@pytest.mark.parametrize(
    ("language", "question", "statement", "is_memo"),
    [
        ("en", "where do Tom's parents live?", "Tom's parents live in York", False),
        ("en", "where does Tom live?", "my husband Tom lives in York during the week", False),
        ("en", "what's my job?", "my job is teaching", False),
        ("en", "what's my job?", "Is a nurse", True),
        ("de", "welche Serie mag ich?", "Lieblingsserie ist Der Tatortreiniger", True),
        ("de", "wer ist Gretas Lehrerin?", "Gretas Lehrerin heißt Frau Brenner", False),
    ],
)
def test_what_is_about_what_a_question_names_agrees_with_it(
    language: str, question: str, statement: str, is_memo: bool
) -> None:
    assert subjects.agrees(statement, questions.parse(question, language), is_memo=is_memo)


def test_an_answer_may_be_outdated_by_what_ends_it_or_repeats_it() -> None:
    plays = questions.parse("what instrument does Ellie play?", "en")
    assert questions.may_outdate("Ellie gave up the cello, she's on drums now", "Ellie plays the cello", plays)
    assert not questions.may_outdate("Ellie is 11 now", "Ellie plays the cello", plays)
    owes = questions.parse("do I still owe Priya money?", "en")
    assert questions.may_outdate("paid Priya back today", "I owe Priya 60 quid for the gas bill", owes)
    assert not questions.may_outdate("Jonas paid me back", "I owe Priya 60 quid for the gas bill", owes)
    closed = questions.parse("when is the bakery closed?", "en")
    assert questions.may_outdate("we'll be closed on mondays instead of tuesdays", "closed on tuesdays", closed)


def test_a_pet_and_its_name_are_one() -> None:
    question = questions.parse("what's wrong with our cat?", "en").naming(["Has a ginger cat named Marmalade"])
    assert question.fit("Marmalade got hurt in a fight").is_complete
    assert not question.fit("Biscuit got hurt in a fight").is_complete


def test_a_name_and_the_relative_who_has_it_are_one() -> None:
    question = questions.parse("does my husband eat meat?", "en").naming(["Their husband Ben teaches chemistry"])
    assert question.fit("Ben is vegetarian").is_complete
    assert not question.fit("Amelia is vegetarian").is_complete


def test_what_refers_back_is_understood_with_what_it_refers_to() -> None:
    question = questions.parse("when will we travel to Porto?", "en")
    assert question.fit("scratch that, it will be in May", "we're planning a trip to Porto in April").is_complete
    assert not question.fit("scratch that, it will be in May", "my exam is in April").is_complete
    assert questions.refers_back("she's getting married in June", "en")
    assert not questions.refers_back("I like tea", "en")


def test_a_language_without_topics_has_no_terms() -> None:
    assert questions.parse("どこに住んでいますか", "ja").terms == ()


def test_only_what_is_about_the_same_thing_is_corrected() -> None:
    moved = "actually the driving test got moved to the 21st of March"
    assert questions.corrects(moved, "I'm scared of flying", "Has their driving test on 2027-03-14", "en")
    assert not questions.corrects(moved, "I'm scared of flying", "Lives in Bristol", "en")
    assert questions.corrects("no wait, in Milan", "my sister lives in Rome", "Their sister lives in Rome", "en")
    assert not questions.corrects("I passed the driving test", "", "Has their driving test on 2027-03-14", "en")
    assert questions.corrects("die Prüfung ist verschoben", "", "Hat am 14. März die Meisterprüfung", "de")
