"""Sentences in the language of whoever reads them: `say('Nothing matches "{}"', query)`.

The English sentence is its own key; `translations/` has a file for each other language. A face that knows its reader's
language enters it with `use_language` or `in_language`; everyone else reads English.
"""

import re
import tomllib
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "translations"
LANGUAGES = ("de", "fr", "es", "pt", "ja")
_language: ContextVar[str] = ContextVar("language", default="")
_VALUE = re.compile(r"\\\{[^}]*\\\}")


@cache
def translations(language: str) -> Mapping[str, str]:
    """The sentences of a language, by the English ones."""
    if language not in LANGUAGES:
        return {}
    return tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


def use_language(language: str) -> None:
    """Use a language until the running task ends."""
    _language.set(language)


def current_language() -> str:
    """The language that is used; empty for English."""
    return _language.get()


@contextmanager
def in_language(language: str) -> Generator[None]:
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def say(english: str, /, *values: object) -> str:
    """A sentence of ours, with the values in its places."""
    sentence = translations(_language.get()).get(english, english)
    return sentence.format(*values) if values else sentence


def translate_text(text: str, templates: Collection[str]) -> str:
    """A text that was written in English elsewhere, after one of these templates; else as it is."""
    for template in templates if _language.get() else ():
        match = re.fullmatch(_VALUE.sub("(.*)", re.escape(template)), text, re.DOTALL)
        if match is not None:
            return say(template, *match.groups())
    return say(text)
