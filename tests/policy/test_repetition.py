"""When a sentence says again what a memo says, and when it only shares words with it."""

import pytest

from recollect.policy.repetition import brings_up, repeats, shares


@pytest.mark.parametrize(
    ("sentence", "memo"),
    [
        ("You live in Lisbon, Ann.", "Lives in Lisbon"),
        ("Ann lives in Lisbon", "I live in Lisbon"),
        ("Your home is Lisbon.", "Lives in Lisbon"),
        ("- Lives in Lisbon", "I live in Lisbon"),
        ("You enjoy green tea", "Likes green tea"),
        ("Your cat Miso is sweet", "Has a cat called Miso"),
        ("You can't eat them because of your peanut allergy", "Is allergic to peanuts"),
        ("You are vegan", "Is vegan"),
        ("As you're a vegan, try the tofu", "Vegan"),
        ("You earn 4200 euros", "Earns 4200 euros a month"),
        ("Du wohnst in Lissabon", "Wohnt in Lissabon"),
        ("あなたはリスボンに住んでいます", "リスボンに住んでいます"),
        ("大阪にお住まいです。", "大阪に住んでいる"),
        ("ピーナッツアレルギーですね。", "ピーナッツアレルギーがある"),
        ("看護師さんですよね。", "看護師をしている"),
        ("猫を飼っていますね", "猫を飼っている"),
        ("すしがすきですよね", "すしがすき"),
    ],
)
def test_a_sentence_that_repeats_a_memo_is_recognised(sentence: str, memo: str) -> None:
    assert repeats(sentence, memo)


@pytest.mark.parametrize(
    ("sentence", "memo"),
    [
        ("Lisbon is lovely in spring", "Lives in Lisbon"),
        ("You could fly to Lisbon", "Lives in Lisbon"),
        ("You live in Berlin", "Lives in Lisbon"),
        ("People who live in Lisbon love trams and old yellow buses", "Lives in Lisbon"),
        ("Green tea is healthy", "Likes green tea"),
        ("Miso soup is salty", "Has a cat called Miso"),
        ("Name your cat Tom", "Has a cat called Miso"),
        ("Peanuts are legumes", "Is allergic to peanuts"),
        ("You could try a vegan restaurant tonight", "Is vegan"),
        ("It costs 4200 euros", "Earns 4200 euros a month"),
        ("You know Marion", "Knows Maria"),
        ("You planted tulip 7 in bed 7", "Planted tulip 5 in bed 5"),
        ("I see.", "I live in Lisbon"),
        ("", "I live in Lisbon"),
        ("You are right.", "the"),
        ("大阪の天気は晴れです。", "大阪に住んでいる"),
        ("東京に住んでいますね。", "大阪に住んでいる"),
        ("犬を飼っていますね", "猫を飼っている"),
        ("それはいいですね。", "すしがすき"),
    ],
)
def test_a_sentence_that_only_shares_words_is_not(sentence: str, memo: str) -> None:
    assert not repeats(sentence, memo)


def test_an_answer_is_read_together_with_its_question() -> None:
    assert repeats("In Lisbon.", "Lives in Lisbon", question="where do I live?")
    assert not repeats("In Lisbon.", "Lives in Lisbon", question="where was the treaty signed?")
    assert not repeats("Somewhere nice.", "Lives in Lisbon", question="do I live in Lisbon?")
    assert repeats("大阪ですね。", "大阪に住んでいる", question="私はどこに住んでいますか？")
    assert not repeats("大阪ですね。", "大阪に住んでいる", question="万博はどこでしたか？")


def test_the_owners_name_in_a_memo_need_not_be_said() -> None:
    assert repeats("Your cat Miso is sweet", "Ann's cat is called Miso", owner="Ann")


def test_an_answer_takes_up_words_that_not_everybody_uses() -> None:
    assert shares("Lisbon is lovely!", "I live in Lisbon")
    assert not shares("I see, and where do you work?", "I work in Lisbon and live nearby")


BROUGHT_UP = {
    "I have type 1 diabetes": (
        "Since you have diabetes, skip the cake.",
        "Because of your diabetes I'd choose the nuts.",
    ),
    "I'm allergic to walnuts": ("Remember that walnuts make you ill.",),
    "I'm afraid of flying": (
        "Since flying scares you, a train is better.",
        "Given your fear of flying, I would drive.",
    ),
    "My car is a red Fiat Panda": ("You drive a red Panda.", "The Panda of yours needs oil."),
    "I was fired from Lidl last week": ("Getting fired is awful.", "After Lidl, what's your plan?"),
    "Ich habe Depressionen": ("Bei Depressionen hilft Bewegung.", "Da du Depressionen hast, geh raus."),
    "J'habite à Grenoble": ("Tu habites à Grenoble.", "À Grenoble, il fait beau chez toi."),
    "Tengo asma": ("Tienes asma, ten cuidado.", "Con tu asma, mejor no corras."),
    "Sono celiaco": ("Sei celiaco, niente pane.", "Essendo celiaco, evita la pasta."),
    "Mam cukrzycę": ("Masz cukrzycę, uważaj.", "Przy cukrzycy unikaj soku."),
    "Sou diabético": ("Como diabético, evite doces.",),
}
EVERYDAY = {
    "I work at Siemens as an engineer": ("Your work matters.", "I would start at eight."),
    "My car is a red Fiat Panda": ("Your car needs oil.", "You like red wine.", "You could buy a Panda."),
    "I like to play chess with my brother": ("Your brother called.", "You like to play."),
    "I moved to Lisbon in March": ("The release is in March.", "You moved the file."),
    "My son is 7": ("Your table has 7 rows.",),
    "Ich habe einen Hund und zwei Katzen": ("Hast du gut geschlafen?", "Zwei Minuten noch."),
    "Tengo dos hijos": ("Tienes razón.", "Dos minutos más."),
    "J'ai une voiture bleue": ("Tu as raison.", "Ta réponse est bonne."),
}


@pytest.mark.parametrize("memo", BROUGHT_UP)
def test_what_is_said_to_the_owner_unasked_in_words_of_the_memo_repeats_it(memo: str) -> None:
    asked = "what do you think?"
    assert [line for line in BROUGHT_UP[memo] if not brings_up(line, memo, question=asked)] == []


def test_a_word_that_the_question_has_is_not_brought_up_by_the_answer() -> None:
    memo = "I'm allergic to walnuts"
    assert brings_up("Walnuts are rich in omega 3.", memo, question="and now?")
    assert not brings_up("Walnuts are rich in omega 3.", memo, question="how healthy are walnuts?")


@pytest.mark.parametrize("memo", EVERYDAY)
def test_words_that_come_up_in_any_conversation_do_not(memo: str) -> None:
    assert [line for line in EVERYDAY[memo] if brings_up(line, memo, question="and now?")] == []


def test_one_of_several_names_tells_but_a_small_number_alone_does_not() -> None:
    memo = "I owe Victor 500 dollars"
    assert repeats("Don't forget your debt to Victor.", memo, question="and now?", addressed=True)
    assert not repeats("There are 500 people here.", memo, question="and now?", addressed=True)
