"""Changes told in a message of their own, by their form: "gave up on it", "it's the Knicks now".

A message is taken apart into clauses, each with its cues: of an end, of a present that was not so before. A statement
is taken apart into a slot: its sort, what it is about, and its value. `effect` brings the two together: a clause with a
cue names the value or what it is about, or points at it where the statement was just made, or says something of which
one holds at a time (a home, an employer). Then the new value of the same sort takes the place of the old one, or
the statement ends. The words are in `changes.toml`, by language.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from recollect.core.text import fold
from recollect.language import change_values, lexicon, word_forms
from recollect.language.change_tables import ChangeLanguage, Slot, languages

MAX_CHARS = 400
"""Of a message: what is longer tells of much, and of others."""
_NAME = re.compile(r"(?<![\w'’])[A-ZÀ-Þ][\w'’&+-]*(?: (?:[A-ZÀ-Þ0-9][\w'’&+-]*|de|la|van|von))*")
_FRAGMENT = re.compile(r"(?=.*(?:\d|(?<!\w)[A-ZÀ-Þ]))[\w'’&+-]+(?: [\w'’&+-]+){0,2}")
_WORD = re.compile(r"[^\W_]+")
_CALLED = re.compile(r"^.*\b(?:called|named) ")
_TITLE = re.compile(r"^(?:Dr|Mr|Mrs|Ms|Prof)\.? ")
_VOWELS = "AEIOUaeiou"
_ONLY_REPLACED = ("attribute", "count")
"""Sorts of which there always is a value: a rent does not end."""
_ONLY_ENDED = ("single",)
_NO_NAMES = ("weekday", "shift", "diet", "allergy", "household")
_NO_PEOPLE = ("home", "job", "school", "thing")
_OWN = ("home", "job", "school", "thing", "activity", "diet", "household", "allergy")
"""Sorts that a clause about somebody else says nothing of."""


def may_change(text: str) -> bool:
    """Whether a text has a word of a change: most have none, and are not read for it."""
    return bool(_changing(_normalized(text)))


def _normalized(text: str) -> str:
    return " ".join(text.replace("’", "'").split())


def effect(statement: str, text: str, *, is_fresh: bool) -> str | None:
    """What a statement says after a message: another text, nothing where it ends, None where it stays as it is.

    `is_fresh` says that the statement was just made, so that "it" may mean it.
    """
    text = _normalized(text)
    for language in _changing(text):
        for slot in _slots(language, statement):
            value = _Reading(language, slot, text, is_fresh=is_fresh).changed_value()
            if value is not None:
                return _with_value(statement, slot, value)
    return None


@lru_cache(maxsize=64)
def _changing(text: str) -> tuple[ChangeLanguage, ...]:
    """The languages in which a text may tell a change: it is read for each statement that is known."""
    possible = languages() if len(text) <= MAX_CHARS else ()
    return tuple(language for language in possible if language.may_change(text))


@lru_cache(maxsize=1024)
def _slots(language: ChangeLanguage, statement: str) -> tuple[Slot, ...]:
    return tuple(language.slots(statement))


def _with_value(statement: str, slot: Slot, value: str) -> str | None:
    if not value:
        return ""
    before = re.sub(r"\ban? $", "an " if value[0] in _VOWELS else "a ", statement[: slot.start])
    changed = slot.becomes.format(value) if slot.becomes else f"{before}{value}{statement[slot.end :]}"
    return None if fold(changed) == fold(statement) else changed


class _Reading:
    """What the clauses of a message mean for one slot."""

    def __init__(self, language: ChangeLanguage, slot: Slot, text: str, *, is_fresh: bool) -> None:
        self._language, self._slot, self._is_fresh = language, slot, is_fresh
        sentences = [
            sentence
            for sentence in language.expressions.sentence.split(text)
            if not sentence.rstrip().endswith(("?", "？"))
        ]
        self._clauses = [clause for sentence in sentences for clause in self._split(sentence)]
        # Without spaces, a frame spans clauses: nothing but a comma parts them.
        self._framing = self._clauses if language.is_spaced else sentences
        self._is_about_other = slot.statement.lower().startswith("their ")
        self._is_hedged = [self._is_void(clause) for clause in self._clauses]
        self._opens = {clauses[0] for sentence in sentences if (clauses := self._split(sentence))}

    def changed_value(self) -> str | None:
        """The new value; nothing where the statement ends; None where it stays."""
        framed = self._framed()
        if framed is not None:
            return framed
        if self._tells_change() and (kindred := change_values.kindred(self._language, self._slot, self._own_clauses())):
            return kindred
        ended = [index for index in range(len(self._clauses)) if self._is_ended(index)]
        told = [index for index in range(len(self._clauses)) if self._is_told(index)]
        if not ended and not told:
            return None
        values = list(dict.fromkeys(self._values(ended, told))) if self._slot.sort not in _ONLY_ENDED else []
        if len(values) == 1:
            return change_values.completed(self._slot, values[0])
        return "" if ended and not values and self._slot.sort not in _ONLY_REPLACED else None

    def _split(self, sentence: str) -> list[str]:
        clauses: list[str] = []
        for clause in filter(None, map(str.strip, self._language.expressions.joint.split(sentence))):
            if clauses and " " not in clauses[-1] and clause.lower().startswith("and "):  # "Carla and I don't talk"
                clause = f"{clauses.pop()} {clause}"
            clauses.append(clause)
        return clauses

    def _is_void(self, clause: str) -> bool:
        """Whether a clause supposes something, or speaks of somebody or something else: "my sister …"."""
        if self._matches("hedged", clause) or (self._slot.sort in _OWN and self._matches("others", clause)):
            return True
        if not self._is_about_other and self._matches("theirs", clause):
            return True
        owned = self._language.expressions.owned.match(clause)
        meant = f"{self._slot.topic} {self._slot.value}"
        return owned is not None and not self._names(owned["what"], meant, whole=False)

    def _matches(self, name: str, text: str) -> bool:
        return getattr(self._language.expressions, name).search(text) is not None

    def _framed(self) -> str | None:
        """The value that a clause gives something of which one holds at a time, whatever else it says."""
        found: dict[str, None] = {}
        for clause in self._framing:
            if self._matches("hedged", clause) or (self._slot.sort != "person" and self._matches("others", clause)):
                continue
            contrast = self._language.expressions.contrast.search(clause)
            if contrast and self._names(contrast["old"], self._slot.value):
                article = "the " if self._slot.value.startswith("the ") else ""
                found[article + contrast["new"]] = None
            for frame in self._frames():
                if (match := frame.search(clause)) and self._is_of_topic(match, clause):
                    found[_CALLED.sub("", match["new"])] = None
        values = [value for value in found if self._is_new(value, is_framed=True)]
        return values[0] if len(values) == 1 else None

    def _frames(self) -> Sequence[re.Pattern[str]]:
        """Those of the slot's sort; a manager or a dentist has a successor, a partner has none."""
        is_service = self._language.expressions.service.search(self._slot.topic) is not None
        return self._language.frames.get(self._slot.sort, ()) if self._slot.sort != "person" or is_service else ()

    def _is_of_topic(self, match: re.Match[str], clause: str) -> bool:
        if self._slot.sort != "person":
            return True
        topic = match.groupdict().get("topic")  # without one, whom they succeed must be named: "Priya took over"
        is_named = topic is None and any(self._names(each, self._slot.value) for each in self._clauses)
        is_named = is_named or (topic is not None and (not topic or topic.lower() in self._slot.topic.lower().split()))
        return is_named and not self._matches("momentary", clause) and not self._matches("absent", clause)

    def _tells_change(self) -> bool:
        clauses = enumerate(self._clauses)
        cues = ("now", "changed", "new")
        return any(
            not self._is_hedged[index] and (any(self._matches(cue, clause) for cue in cues) or self._is_ended(index))
            for index, clause in clauses
        )

    def _own_clauses(self) -> Iterator[str]:
        for index, clause in enumerate(self._clauses):
            if not self._is_hedged[index] and not self._matches("momentary", clause):
                yield clause

    def _is_ended(self, index: int) -> bool:
        clause = self._clauses[index]
        if self._is_hedged[index]:
            return False
        if any(pattern.search(clause) and self._has(word) for pattern, word in self._implied()):
            return True
        if self._is_over(clause, is_momentary=self._matches("momentary", clause)):
            return True
        if self._matches("momentary", clause):
            return False
        if self._slot.sort == "activity" and self._is_pointed_at(clause):
            return True
        end = self._language.ends.get(self._slot.sort)
        if end is None or end.search(clause) is None:
            return False
        return self._names(clause, self._slot.value) or self._is_pointed_at(clause)

    def _is_over(self, clause: str, *, is_momentary: bool) -> bool:
        """Whether a word of an end governs the name of the old value: "quit the choir in May", "the choir folded"."""
        over = self._language.over
        if self._is_fresh and not is_momentary and over.alone.search(clause):
            return True
        if not self._names(clause, self._slot.value, whole=self._slot.sort != "activity"):
            return False
        start, end = self._span(clause)
        for match in over.before.finditer(clause, 0, start):
            if over.between.fullmatch(clause, match.end(), start) and self._ends_at(
                clause, end, match[0], is_momentary
            ):
                return True
        return any(
            over.between.fullmatch(clause, end, match.start())
            and self._ends_at(clause, match.end(), match[0], is_momentary)
            for match in over.after.finditer(clause, end)
            if self._slot.sort != "activity" or not self._matches("brief", match[0])
        )

    def _ends_at(self, clause: str, position: int, told: str, is_momentary: bool) -> bool:
        """Whether what follows leaves it an end: not "the choir's van", and of today only what is never brief."""
        over = self._language.over
        if over.firm.search(told) and over.follows.match(clause, position):
            return True
        return not is_momentary and over.ending.match(clause, position) is not None

    def _span(self, clause: str) -> tuple[int, int]:
        """Where a clause names the old value."""
        if not self._language.is_spaced:
            start = clause.index(self._slot.value)
            return start, start + len(self._slot.value)
        named = self._content(self._slot.value)
        spans = [
            match.span()
            for match in _WORD.finditer(clause)
            if any(fold(match[0]) == word or word_forms.is_form(fold(match[0]), word) for word in named)
        ]
        return spans[0][0], spans[-1][1]

    def _implied(self) -> Sequence[tuple[re.Pattern[str], str]]:
        return self._language.implied.get(self._slot.sort, ())

    def _has(self, expression: str) -> bool:
        return re.search(expression, f"{self._slot.topic} {self._slot.value}", re.IGNORECASE) is not None

    def _is_told(self, index: int) -> bool:
        """Whether a clause says that what the statement is about is another now."""
        clause = self._clauses[index]
        if self._is_hedged[index] or self._matches("momentary", clause):
            return False
        if self._slot.sort == "count" and self._is_fresh and self._matches("counted", clause):
            return not self._has_other_subject(clause)
        if not self._matches("changed", clause):
            return False
        if self._slot.sort == "thing" and index and self._matches("firmly", clause):
            return any(self._names(before, self._slot.value) for before in self._clauses[:index])
        if self._slot.sort == "person" and self._is_taken_over(index):
            return True
        if self._slot.topic and self._names_topic(clause):
            return True
        if self._slot.sort != "activity" and self._matches("becomes", clause):
            return self._is_fresh or any(self._names(before, self._slot.value) for before in self._clauses[:index])
        if self._slot.sort in ("count", "weekday"):
            is_meant = self._is_pointed_at(clause) or (
                self._slot.sort == "count" and not self._has_other_subject(clause)
            )
            return self._is_fresh and is_meant
        return self._slot.sort == "thing" and self._is_pointed_at(clause)

    def _has_other_subject(self, clause: str) -> bool:
        subject = self._language.expressions.subject.match(clause)
        return subject is not None and not self._names(subject["what"], self._slot.topic, whole=False)

    def _is_taken_over(self, index: int) -> bool:
        """Whether it says who is somebody's doctor or manager now, after the name of the one before."""
        is_service = self._language.expressions.service.search(self._slot.topic) is not None
        named = [at for at, clause in enumerate(self._clauses) if self._names(clause, self._slot.value)]
        is_away = any(self._matches("absent", self._clauses[at]) for at in named)
        is_other = bool(named) and index not in named and not is_away
        return is_service and is_other and self._matches("firmly", self._clauses[index])

    def _names_topic(self, clause: str) -> bool:
        topic = self._content(self._slot.topic)
        if self._slot.sort == "weekday" and len(topic) > 1:
            topic = topic[1:]  # "goes to the gym": of the verb nothing need be said
        if not self._language.is_spaced:
            return any(self._slot.topic in each for each in self._clauses)
        said = [fold(word) for word in _WORD.findall(clause)]
        return bool(topic) and all(word_forms.has_form(word, said) for word in topic)

    def _is_pointed_at(self, clause: str) -> bool:
        is_passing = self._slot.sort == "activity" and self._matches("momentary", " ".join(self._clauses))
        if not self._is_fresh or is_passing:
            return False
        pointing = getattr(self._language.expressions, f"pointing_{self._slot.sort}", None)
        return pointing is not None and pointing.search(clause) is not None

    def _names(self, clause: str, value: str, *, whole: bool = True) -> bool:
        """Whether a clause has the name of the old value, or its word: "the Ford" for "Ford Focus"."""
        if not self._language.is_spaced:
            return any(part in clause for part in value.split())
        said = [fold(word) for word in _WORD.findall(clause)]
        named = self._content(value)
        count = sum(word in said or word_forms.has_form(word, said) for word in named)
        is_short = self._slot.sort in ("thing", "name", "school")  # "the Leaf" of a Nissan Leaf
        return count > 0 and (not whole or is_short or count == len(named) or named[0] in said)

    def _content(self, text: str) -> list[str]:
        words = [fold(word) for word in _WORD.findall(text)]
        vague = self._language.words["vague"].split()
        return [word for word in words if word not in vague and not word_forms.is_function_word(word)]

    def _values(self, ended: Sequence[int], told: Sequence[int]) -> Iterator[str]:
        """The values of the slot's sort in clauses that say what is so now."""
        after = {index + 1 for index in (*ended, *told)}
        for index, clause in enumerate(self._clauses):
            if self._is_hedged[index]:
                continue
            is_now = self._matches("now", clause) or (index in {*ended, *after} and self._matches("becomes", clause))
            follows_now = index > 0 and self._matches("new", self._clauses[index - 1])
            if is_now or index in told:
                yield from self._values_in(clause)
            elif self._slot.sort == "thing" and index in {*ended, *after} and (got := self._acquired(clause)):
                yield got
            elif (
                self._is_fresh and self._matches("past", clause) and (model := change_values.model(self._slot, clause))
            ):
                yield model
            elif self._is_fragment(clause) and (follows_now if self._slot.sort == "name" else index in after):
                yield clause

    def _acquired(self, clause: str) -> str:
        got = self._language.expressions.acquires.search(clause)
        return got[1] if got and self._is_new(got[1]) else ""

    def _is_fragment(self, clause: str) -> bool:
        """Whether a clause is a bare value: "Paper Saints", "9 pro"."""
        if _FRAGMENT.fullmatch(clause) is None or not self._is_new(clause):
            return False
        if self._slot.sort == "thing":  # "9 pro", another model of the same brand
            return clause[0].isdigit() and any(char.isdigit() for char in self._slot.value)
        return self._slot.sort == "name"

    def _values_in(self, clause: str) -> Iterator[str]:
        named = self._language.expressions.becomes.search(clause)
        if named and self._slot.sort not in _NO_NAMES:
            value = next(value for value in named.groups() if value)
            if self._is_new(value):
                yield value
            return
        if self._slot.sort == "weekday":
            yield from change_values.weekdays(self._language, self._slot, clause)
            return
        if self._slot.sort == "count":
            counted = self._language.expressions.counted.search(clause)
            if counted and counted["unit"].startswith(self._slot.unit):
                yield counted["number"]
                return
            yield from (
                match[0]
                for match in self._language.numbers.finditer(clause)
                if change_values.is_count(self._language, self._slot, clause, match)
            )
            return
        if not self._language.names_by_capital:
            return
        if than := self._language.expressions.than.search(clause):
            clause = clause[: than.start()]
        yield from (match[0].removesuffix("'s") for match in _NAME.finditer(clause) if self._is_name(clause, match))

    def _is_name(self, clause: str, match: re.Match[str]) -> bool:
        name = match[0].removesuffix("'s")
        first = fold(name.split()[0])
        is_opening = match.start() == 0 and " " not in name and clause in self._opens
        is_known = first in lexicon.words("given_names")
        link = self._language.links.get(self._slot.sort)
        is_linked = link is None or link.search(clause[: match.start()]) is not None
        return is_linked and (is_known or not is_opening) and self._is_new(name)

    def _is_new(self, value: str, *, is_framed: bool = False) -> bool:
        """Whether a value is another one, of the slot's sort; a frame decides the sort even of a name."""
        if not self._language.is_spaced:
            return value != self._slot.value
        first = fold(_TITLE.sub("", value.removeprefix("the ")).split()[0])
        if first in self._language.words["no_names"].split() or first in lexicon.words("weekdays"):
            return False
        if first in lexicon.words("months") or first in {fold(word) for word in _WORD.findall(self._slot.value)}:
            return False
        is_person = value[0].isupper() and first in lexicon.words("given_names") - lexicon.words("tools")
        if is_framed and self._slot.sort == "home":
            return True
        if is_person and self._slot.sort in _NO_PEOPLE and fold(self._slot.value) not in lexicon.words("given_names"):
            return False
        if not change_values.is_of_class(self._language, self._slot, value):
            return False
        is_place = first in lexicon.words("places")
        was_place = fold(self._slot.value.split()[0]) in lexicon.words("places")
        return not is_place or was_place or self._slot.sort in ("home", "school")
