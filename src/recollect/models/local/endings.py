"""What a speaker says they no longer have, use or do, by the name that a known memo has for it.

"Sold the civic" ends "drives a honda civic", "ditched vim for vscode" makes "codes in vscode" of "codes in vim". The
words alone say nothing new, so only a known memo gives them a meaning.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.core.text import fold, words
from recollect.core.types import Memo
from recollect.language import lexicon, word_forms
from recollect.models.local import rejections
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions

_EXPRESSIONS = expressions("endings")
_WAYS = ("replaced", "swapped", "sold", "gone", "quit", "left")
_SHORT = 2
_MIN_UNDONE_WORDS = 2
_KINDS = {"had": ("replaced", "sold", "gone", "swapped"), "done": ("replaced", "quit", "swapped"), "joined": ("left",)}
"""What a memo may be about that each way to speak of an end is said of."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A memo that no longer holds, and what it says from now on, where the speaker named what came instead."""

    memo: Memo
    text: str = ""


def may_end(text: str) -> bool:
    """Whether a text has any word of an end: most have none, and are not read for it."""
    return _EXPRESSIONS.cue.search(text.replace("’", "'")) is not None


def find_endings(clause: Clause, known_memos: Sequence[Memo]) -> Iterator[Ending]:
    """The known memos that the parts of a clause end."""
    if _EXPRESSIONS.cue.search(clause.text) is None or rejections.is_hedged(clause.text):
        return
    active = [memo for memo in known_memos if memo.active]
    for memo in [*_implied(clause.text, active), *_undone(clause.text, active)]:
        yield Ending(memo)
    for part in parts(clause.text):
        for way in _WAYS:
            if match := getattr(_EXPRESSIONS, way).match(part):
                yield from _endings(match, way, active)
                break


def _implied(text: str, active: Sequence[Memo]) -> list[Memo]:
    """Memos that can't hold any more: what a relative stopped, a diet that was given up, a child that was born."""
    if relative := _EXPRESSIONS.relative.match(text):
        person = f"their {relative['kin']} {relative['name'] or ''}".strip().lower()
        ended = [word for word in words(relative["x"]) if not word_forms.is_function_word(word)]
        return [
            memo
            for memo in active
            if memo.text.lower().startswith(person)
            and ended
            and all(word_forms.has_form(word, words(memo.text)) for word in ended)
        ]
    found: list[Memo] = []
    for part in parts(text):
        if eats := _EXPRESSIONS.eats.match(part):
            diet = _EXPRESSIONS.meatless if eats["meat"] else _EXPRESSIONS.vegan
            found += [memo for memo in active if diet.match(memo.text)]
        if _EXPRESSIONS.moved_out.match(part):
            found += [memo for memo in active if _EXPRESSIONS.with_family.match(memo.text)]
        if moved_in := _EXPRESSIONS.moved_in.match(part):
            apart = [memo for memo in active if _EXPRESSIONS.elsewhere.match(memo.text)]
            found += [memo for memo in apart if fold(moved_in["name"]) in words(memo.text)]
        if _EXPRESSIONS.coupled.match(part):
            found += [memo for memo in active if _EXPRESSIONS.alone.match(memo.text)]
        if _EXPRESSIONS.uncoupled.match(part):
            found += [memo for memo in active if _EXPRESSIONS.partner_memo.match(memo.text)]
        if _EXPRESSIONS.sober.match(part):
            found += [memo for memo in active if _EXPRESSIONS.drinks.match(memo.text)]
        if _EXPRESSIONS.joined_home.match(part):
            found += [memo for memo in active if _EXPRESSIONS.lives_alone.match(memo.text)]
        if _EXPRESSIONS.born.match(part):
            found += [memo for memo in active if _EXPRESSIONS.pregnant.match(memo.text)]
    return found


def _undone(text: str, active: Sequence[Memo]) -> list[Memo]:
    """Memos that say, in whatever form of the words, what the speaker does no longer: "Runs every morning"."""
    undone = _EXPRESSIONS.undone.match(text)
    said = (
        [word for word in words(undone["a"] or undone["b"]) if not word_forms.is_function_word(word)] if undone else []
    )
    if len(said) < _MIN_UNDONE_WORDS:  # "don't like it anymore" names nothing
        return []
    return [
        memo
        for memo in active
        if (held := words(memo.text))
        and word_forms.is_form(said[0], held[0])
        and all(word_forms.has_form(word, held) for word in said)
    ]


def continuations(text: str) -> list[str]:
    """What the parts of a clause beside its endings say, each with the subject that it lacks: "I got a van"."""
    endings = [re.sub(r" (?:now|instead)\b", "", part) for part in parts(text)]
    others = [part for part in endings if not any(getattr(_EXPRESSIONS, way).match(part) for way in _WAYS)]
    if len(others) == len(endings):
        return []
    states = [f"I am {part}" for part in others if _EXPRESSIONS.state.match(part)]
    acts = [_EXPRESSIONS.got.sub("have ", part, count=1) for part in others if _EXPRESSIONS.act.match(part)]
    return [*states, *(f"I {act}" for act in acts)]


def parts(text: str) -> list[str]:
    """The parts of a clause, of which all but the first may lack a subject."""
    return [part.strip() for part in _EXPRESSIONS.joint.split(text) if part.strip()]


def _endings(match: re.Match[str], way: str, active: Sequence[Memo]) -> Iterator[Ending]:
    named = [word for word in words(match["x"]) if not word_forms.is_function_word(word)]
    is_passing = way in ("quit", "left") and _EXPRESSIONS.passing.search(match.string)
    is_place = way != "left" and not lexicon.words("places").isdisjoint(named)  # who left London may still work there
    if not named or is_passing or is_place or _EXPRESSIONS.vague.fullmatch(match["x"]):
        return
    for memo in active:
        subject = next(filter(None, (_subject(memo.text, kind) for kind in _KINDS if way in _KINDS[kind])), None)
        if subject is None:
            continue
        held = words(subject)
        if all(word_forms.has_form(word, held) or _is_part(word, held) for word in named):
            new = match.groupdict().get("new") or ""
            yield Ending(memo, _with_new(memo.text, named, new) if new else "")


def _is_part(word: str, held: Sequence[str]) -> bool:
    """Whether a word is short for a compound: "the van" of "a campervan"."""
    return len(word) > _SHORT and any(other.endswith(word) for other in held)


def _subject(text: str, kind: str) -> str | None:
    """What a memo says that the speaker has or does, without for what, where and how often."""
    match = getattr(_EXPRESSIONS, kind).match(text)
    return match["what"] if match else None


def _with_new(text: str, named: Sequence[str], new: str) -> str:
    """The memo with the new words in the place of the old ones; nothing if they do not stand together."""
    old = r"\W+".join(rf"{re.escape(word)}\w*" for word in named)
    span = re.search(rf"\b(?:(?:an?|the|their) (?:[\w-]+ ){{0,2}}?)?{old}", text, re.IGNORECASE)
    return f"{text[: span.start()]}{new}{text[span.end() :]}" if span else ""
