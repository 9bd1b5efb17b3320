"""Words, cuts and fingerprints of text in any script."""

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.core.text import MAX_WORDS, clean, clip, collapse_spaces, digest, fold, normalize, query_words, words

ANY_TEXT = st.text(st.characters(), max_size=200)
PLAIN_TEXT = ANY_TEXT.map(lambda text: unicodedata.normalize("NFKD", text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n.,!?", []),
        ("Hello, World!", ["hello", "world"]),
        ("snake_case and kebab-case", ["snake", "case", "and", "kebab", "case"]),
        ("don't can’t Bob's naïve’s", ["dont", "cant", "bob", "naive"]),
        ("C++ and C# and F#, not c", ["c++", "and", "c#", "and", "f#", "not", "c"]),
        ("C++17", ["c++", "17"]),
        ("abc# abc++", ["abc", "abc"]),
        ("café Straße ＷＩＤＥ ﬁ", ["cafe", "strasse", "wide", "fi"]),
        ("Живёт в Москве", ["живет", "в", "москве"]),
        ("Ελλάδα", ["ελλαδα"]),
        ("3.12 24h", ["3", "12", "24h"]),
        ("🍵 tea 👩‍👩‍👧", ["tea"]),
        ("a\x00b", ["a", "b"]),
        ("a\ud800b", ["a", "b"]),
        ("AND OR NOT * \" '", ["and", "or", "not"]),
    ],
)
def test_words_of_spaced_scripts(text: str, expected: list[str]):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京", ["東", "京", "東京"]),
        ("東京に", ["東", "京", "に", "東京", "京に"]),
        ("私はTokyoに", ["私", "は", "私は", "tokyo", "に"]),
        ("서울", ["서", "울", "서울"]),
        ("ガ", ["ガ"]),
        ("東 京", ["東", "京"]),
    ],
)
def test_words_of_scripts_without_spaces_are_characters_and_pairs(text: str, expected: list[str]):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tea tea Tea", ["tea"]),
        ("東京", ["東京"]),
        ("京", ["京"]),
        ("東京タワー tea", ["東京", "京タ", "タワ", "ワー", "tea"]),
        ("東京 京", ["東京"]),
        ("a b a", ["a", "b"]),
        ("", []),
    ],
)
def test_query_words_are_distinct_and_prefer_pairs(text: str, expected: list[str]):
    assert query_words(text) == expected


@given(ANY_TEXT)
def test_whatever_has_words_has_query_words_among_them(text: str):
    assert set(query_words(text)) <= set(words(text))
    assert bool(query_words(text)) == bool(words(text))


@pytest.mark.parametrize("text", ["𝓗𝓮𝓵𝓵𝓸", "𝐇𝐞𝐥𝐥𝐨"])
def test_fancy_letters_are_letters(text: str):
    assert words(text) == ["hello"]


@pytest.mark.parametrize("text", ["हिन्दी", "தமிழ்", "שָׁלוֹם", "مُحَمَّد"])
def test_vowel_signs_do_not_cut_a_word(text: str):
    assert len(words(text)) == 1


@given(PLAIN_TEXT)
def test_words_are_words_again(text: str):
    assert set(words(" ".join(words(text)))) == set(words(text))


@given(ANY_TEXT)
def test_case_does_not_change_words_of_plain_letters(text: str):
    plain = "".join(char for char in text if char.isascii())
    assert words(plain.upper()) == words(plain.lower())


def test_a_hostile_megabyte_is_cut_short():
    started = time.monotonic()
    assert len(words("x " * 1_000_000)) == MAX_WORDS
    assert len(words("東" * 100_000)) == MAX_WORDS
    assert time.monotonic() - started < 20


@given(PLAIN_TEXT)
def test_folding_twice_is_folding_once(text: str):
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a \t b\n\nc  ", "a b c"),
        ("a\x00b\x07c", "a b c"),
        ("a\u200bb\u00a0c\u3000d", "a b c d"),
        ("\ud800", ""),
        ("", ""),
        ("日本 語", "日本 語"),
        ("\u200d \u200c", ""),
        ("می\u200cخواهم \u200d", "می\u200cخواهم"),
    ],
)
def test_squeezing_trims_and_collapses(text: str, expected: str):
    assert collapse_spaces(text) == expected


@given(ANY_TEXT)
@example("\u200d")
@example("می\u200cخواهم")
def test_a_squeezed_text_is_one_printable_line(text: str):
    squeezed = collapse_spaces(text)
    assert collapse_spaces(squeezed) == squeezed
    assert squeezed == squeezed.strip("\u200c\u200d")
    assert squeezed.translate(dict.fromkeys((0x200C, 0x200D))).isprintable()
    assert "  " not in squeezed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea", "likes  TEA."),
        ("Likes tea", "likes tea!!!"),
        ("お茶が好き", "お茶が好き。"),
        ("café", "cafe\u0301"),
        ("ﬁ", "fi"),
        ("likes\ntea", "Likes tea ?"),
    ],
)
def test_texts_that_say_the_same_are_normal_alike(one: str, other: str):
    assert normalize(one) == normalize(other)


@pytest.mark.parametrize(("one", "other"), [("tea", "teas"), ("1.5", "15"), ("a b", "ab"), ("C", "C++"), ("-1", "1")])
def test_texts_that_differ_stay_different(one: str, other: str):
    assert normalize(one) != normalize(other)


def test_a_digest_is_stable_and_tells_parts_apart():
    assert digest("a", "b") == digest("a", "b")
    assert len({digest("a", "b"), digest("ab"), digest("b", "a"), digest("a"), digest("")}) == 5
    assert len(digest("\ud800")) == 64


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("one two three four", 12, "one two…"),
        ("one two three", 8, "one two…"),
        ("Donaudampfschiff", 8, "Donauda…"),
        ("a veryverylongword", 10, "a veryver…"),
        ("日本語の文章です", 4, "日本語…"),
        ("text", 1, "…"),
        ("text", 0, ""),
        ("", 0, ""),
    ],
)
def test_a_clipped_text_ends_between_words_where_it_can(text: str, limit: int, expected: str):
    assert clip(text, limit) == expected


@given(ANY_TEXT, st.integers(0, 60), st.sampled_from(["…", "", "...", " [cut]"]))
def test_a_clipped_text_is_never_too_long(text: str, limit: int, ending: str):
    clipped = clip(text, limit, ending)
    assert len(clipped) <= limit
    assert clipped == text or clipped.endswith(ending[:limit]) or not clipped


@pytest.mark.parametrize(
    ("text", "expected"),
    [("plain", "plain"), ("ü 🍵", "ü 🍵"), ("a\x00b", "a\ufffdb"), ("a\ud800b", "a?b"), ("\u202e", "\u202e")],
)
def test_a_cleaned_text_can_be_stored_anywhere(text: str, expected: str):
    assert clean(text) == expected


@given(ANY_TEXT)
def test_cleaning_changes_nothing_but_halves_and_nul(text: str):
    cleaned = clean(text)
    cleaned.encode()
    assert len(cleaned) == len(text)
    assert clean(cleaned) == cleaned
    assert "\x00" not in cleaned
