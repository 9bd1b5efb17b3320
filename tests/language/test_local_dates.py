"""Days that other languages name by a weekday: the coming one, or the last one of what has happened."""

from datetime import date

import pytest

from recollect.language import local_dates

TODAY = date(2026, 11, 2)
"""A Monday."""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("letzten samstag hab ich ein ganzes tablett fallen lassen", "de"),
        ("am Samstag habe ich meine Prüfung bestanden", "de"),
        ("samedi dernier j'ai vu un médecin", "fr"),
        ("samedi j'ai acheté un vélo", "fr"),
        ("compré una bici el sábado pasado", "es"),
        ("sábado passado comprei uma bicicleta", "pt"),
        ("先週の土曜に京都へ行った", "ja"),
    ],
)
def test_a_weekday_of_what_has_happened_is_the_last_one(text: str, language: str) -> None:
    named = local_dates.find(text, language, TODAY)
    assert named is not None
    assert named.day == date(2026, 10, 31)
    assert "2026-10-31" in named.write(text)
    assert not any(word in named.write(text) for word in ("letzten", "dernier", "pasado", "passado", "先週"))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("am Samstag fahre ich nach Ulm", "de"),
        ("am Samstag habe ich Gesangsunterricht", "de"),
        ("nächsten Samstag hab ich meine Prüfung", "de"),
        ("samedi je vais à Lyon", "fr"),
        ("voy a Madrid el sábado", "es"),
    ],
)
def test_a_weekday_of_what_is_planned_is_the_coming_one(text: str, language: str) -> None:
    named = local_dates.find(text, language, TODAY)
    assert named is not None
    assert named.day == date(2026, 11, 7)
