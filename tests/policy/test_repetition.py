"""When a sentence says again what a memo says, and when it only shares words with it."""

import pytest

from recollect.policy.repetition import repeats, shares


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
