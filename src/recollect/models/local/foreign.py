"""Reads statements in other languages than English, by the rules of each language's file in `languages/`.

A file has the spellings, joints and expressions of its language, and the rules; verbs are conjugated by its lexicon.
A rule has an expression for a clause, and `fact` says how the statement is worded, near the speaker's words: {v} is the
verb in the third person, {n} a name, {o} (or o1, o2 …) an object without what follows it, any other group as said.
`pairs` are rules for two sentences, the second with a pronoun.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from recollect.core.text import fold
from recollect.core.types import Kind, Memo, Message
from recollect.language import conjugation, dates, detection, lexicon, local_dates, requests
from recollect.language.lexicon import Patterns, read_tables
from recollect.language.spelling import without_accents
from recollect.models.local import transitions
from recollect.models.local.clauses import MAX_MESSAGE_CHARS, MAX_SENTENCE_CHARS, MAX_SENTENCES, Clause
from recollect.models.local.rule import LIKELY, SURE, Finding
from recollect.policy.guard.own_words import own_words
from recollect.policy.guard.quote import has_content

FOLDER = Path(__file__).parent / "languages"
MIN_TELLING_CHARS = 8
MAX_OBJECT_WORDS, MAX_FACT_CHARS, MIN_FACT_CHARS = 14, 140, 3
_NO_ASIDE = re.compile(r"<[@#&!:\w][^>\n]{0,80}>|https?://\S+|(?<!\w)@[\w.]+|:\w+:|\*[^*\n]{1,200}\*|\([^()\n]*\)")
_EMOJI = "[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]"
_SENTENCE_END = re.compile(
    rf"(?<=[.!?…])(?<!\d\.)(?<!\bSt\.)(?<!\bDr\.)(?<!\bbzw\.)[\"')»]*\s+|(?<=[。！？])|\n+|\s*;\s+|{_EMOJI}+\s*"
)
_CODE = re.compile(r"[{}]\s*$|\);|=>|==|\w\(\)|^\s*(?:SELECT|import|def|class|const|let|var)\s\w|^\s*[$#/]")
_EDGES = " \t,.!?…~-–—:;*_\"'“”„«»¡¿()。、！？〜"

_ACCENTED = frozenset(("pointing", "no_name"))
"""Expressions for short words that would mean too much without their accents."""

_REFUSED = Finding("", Kind.FACT)
"""Stands for a statement in the language at hand that is not worth learning."""


@cache
def languages() -> tuple[str, ...]:
    """The languages with a file."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def language_names() -> list[str]:
    """The names of the languages that are read, in English."""
    return ["English", *sorted(map(detection.name_of, languages()))]


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    fact: str
    kind: Kind
    confidence: float
    dated: bool
    """Whether it is about a day, which the statement must name."""
    request: bool
    """Whether it may be asked as a question."""
    given_name: bool
    """Whether {n} must be a known given name: "I am Sabine"."""
    lasting: bool
    """Whether it stays true although it names a passing time: "my father died last year"."""

    @property
    def lasts(self) -> bool:
        """Whether it may name a passing time."""
        return self.dated or self.request or self.lasting


class Grammar:
    """The file of one language, its expressions compiled on first use."""

    def __init__(self, language: str) -> None:
        data = read_tables(FOLDER / f"{language}.toml")
        self.language = language
        self.spaced: bool = data.get("spaced", True)
        verbs = "|".join(sorted(conjugation.verb_forms(language), key=len, reverse=True)) or "(?!)"
        table: Mapping[str, str] = data["fragments"] | data["expressions"] | {"verbs": verbs}
        self.accents: Mapping[str, str] = data.get("accents", {})
        expressions = {name: text if name in _ACCENTED else self._bare(text) for name, text in table.items()}
        self.expressions = Patterns(re.IGNORECASE, lambda: expressions)
        self.sentence_spellings = self._pairs(data.get("sentence_spellings", ()))
        self.spellings, self.reorders = self._pairs(data["spellings"]), self._pairs(data.get("reorders", ()))
        self.ended, self.owners = self._pairs(data["ended"]), self._pairs(data["owners"])
        self.finish = self._pairs(data.get("finish", ()))
        self.rules = [self._rule(entry) for entry in data["rules"]]
        self.pairs = [self._rule(entry) for entry in data.get("pairs", ())]

    def _rule(self, entry: Mapping[str, Any]) -> _Rule:
        return _Rule(
            re.compile(self._bare(self.expressions.expand(entry["when"])), re.IGNORECASE),
            entry.get("fact", "{v} {o}"),
            Kind(entry.get("kind", "fact")),
            LIKELY if entry.get("likely") else SURE,
            entry.get("dated", False),
            entry.get("request", False),
            entry.get("given_name", False),
            entry.get("lasting", False),
        )

    def _pairs(self, pairs: Iterable[list[str]]) -> list[tuple[re.Pattern[str], str]]:
        expand = self.expressions.expand
        return [(re.compile(self._bare(expand(pattern)), re.IGNORECASE), replacement) for pattern, replacement in pairs]

    def _bare(self, expression: str) -> str:
        return without_accents(expression, self.accents)


@cache
def grammar(language: str) -> Grammar:
    return Grammar(language)


def is_trade(statement: str) -> bool:
    """Whether a statement says what somebody is by trade: "Ist Lehrer", "Est infirmière", 看護師."""
    return any(grammar(language).expressions.stated_job.fullmatch(statement) is not None for language in languages())


def has_changed(text: str) -> bool:
    """Whether a text has a word for what is so at present and was not before."""
    return any(grammar(language).expressions.at_present.search(text) is not None for language in languages())


def read_statements(message: Message) -> list[tuple[Clause, Finding]]:
    """What a message states about its speaker, clause by clause, in the first of its languages that finds anything."""
    own_text = own_words(message.text[:MAX_MESSAGE_CHARS], message.name)
    text = transitions.rewritten(own_text)
    for rules in map(grammar, candidates(text)):
        statements = [] if rules.expressions.play.search(text) else list(_read(rules, text, message))
        if statements:  # also one that was refused: the text is in this language
            quoted = [
                (clause if text == own_text else replace(clause, evidence=own_text), found)
                for clause, found in statements
            ]
            return [(clause, finding) for clause, finding in quoted if finding is not _REFUSED]
    return []


def revise_age(message: Message, known_memos: Sequence[Memo]) -> tuple[Memo, str] | None:
    """The memo on the age of somebody whom a message names, and what it says now: "Maja ist jetzt 4"."""
    text = own_words(message.text[:MAX_SENTENCE_CHARS], message.name).strip(_EDGES)
    aged = [match for rules in map(grammar, languages()) if (match := rules.expressions.aged.fullmatch(text))]
    for match in aged[:1]:
        pattern = re.compile(rf"(?P<before>\S*{re.escape(match['name'])}\D*)\d+", re.IGNORECASE)
        ages = [memo for memo in known_memos if memo.active and len(re.findall(r"\d+", memo.text)) == 1]
        revised = [(memo, pattern.sub(rf"\g<before>{match['age']}", memo.text)) for memo in ages]
        changed = [(memo, new) for memo, new in revised if new != memo.text]
        return changed[0] if len(changed) == 1 else None
    return None


def candidates(text: str) -> tuple[str, ...]:
    """The languages with rules that a message may be in, the likeliest first; none if it is in English, or another."""
    ranked = detection.rank(text)
    likely = [language for language in ranked if language in languages()]
    if ranked and ranked[0] not in likely:
        return () if ranked[0] == lexicon.ENGLISH else tuple(likely)
    spaced = (language for language in languages() if grammar(language).spaced)
    return tuple(likely or spaced)  # without any known word, each may be it


def unread_language(text: str) -> str:
    """The name of a message's language, if that is neither English nor one with rules; empty if it can't be told."""
    ranked = detection.rank(text)
    if not ranked or ranked[0] in (lexicon.ENGLISH, *languages()) or len(text.strip()) < MIN_TELLING_CHARS:
        return ""
    return detection.name_of(ranked[0]) if detection.is_certain(text) else ""


def _read(rules: Grammar, text: str, message: Message) -> Iterator[tuple[Clause, Finding]]:
    sentences = [sentence.strip() for sentence in _SENTENCE_END.split(text)]
    for index, sentence in enumerate(sentences[:MAX_SENTENCES]):
        following = sentences[index + 1] if index + 1 < len(sentences) else ""
        is_taken_back = rules.expressions.taken_back.fullmatch(following.strip(_EDGES) or "-") is not None
        if not sentence or len(sentence) > MAX_SENTENCE_CHARS or is_taken_back or _CODE.search(sentence):
            continue
        yield from _read_sentence(rules, sentence, message)
    yield from _read_pairs(rules, text, message)


def _read_pairs(rules: Grammar, text: str, message: Message) -> Iterator[tuple[Clause, Finding]]:
    """What a sentence says of the one that the sentence before names: "Wir haben einen Hund. Er heißt Bruno"."""
    for rule in rules.pairs:
        for match in rule.pattern.finditer(text[: MAX_SENTENCES * MAX_SENTENCE_CHARS]):
            is_doubtful = rules.expressions.doubtful.search(match[0]) or rules.expressions.hedged.search(match[0])
            finding = None if is_doubtful else _build(rules, rule, match, message)
            if finding:
                yield Clause(match[0], match[0], message.at, message.id, lacks_capitals=False), finding


def _read_sentence(rules: Grammar, sentence: str, message: Message) -> Iterator[tuple[Clause, Finding]]:
    told_match = rules.expressions.told.match(sentence) if sentence.endswith(("?", "？")) else None
    if told_match:  # "I don't like beer, but do you drink it?"
        yield from _read_sentence(rules, told_match[0], message)
        sentence = sentence[told_match.end() :]
    statement = rules.expressions.question_tail.sub("", _NO_ASIDE.sub(" ", sentence))
    is_asked = statement.rstrip(" \"')»").endswith(("?", "？"))
    is_question = is_asked or requests.is_verb_first(statement, rules.language)  # "bin ich Vegetarier" asks
    statement = rules.expressions.correction.sub(r"\1", statement)
    for pattern, replacement in rules.sentence_spellings:
        statement = pattern.sub(replacement, statement)
    lacks_capitals = statement == statement.lower()
    is_doubtful = rules.expressions.doubtful.search(sentence) is not None
    start = 0
    for joint in [*rules.expressions.joint.finditer(statement), None]:
        part = statement[start : joint.start() if joint else len(statement)]
        start = joint.end() if joint else start
        evidence = part.strip(_EDGES)
        if not rules.spaced:  # "since I was a child" begins with a word for somebody else
            evidence = rules.expressions.lead.sub("", evidence)
        evidence = evidence if evidence in sentence and has_content(evidence) else sentence
        text = _normalize(rules, part)
        finding = text and (_REFUSED if is_doubtful else _find(rules, text, message, is_question))
        if finding:
            yield Clause(text, evidence, message.at, message.id, lacks_capitals), finding


def _normalize(rules: Grammar, text: str) -> str:
    """The clause in the spelling and the order of words that rules expect, without greetings."""
    text = " ".join(text.strip(_EDGES).split())
    for _ in range(2):
        text = rules.expressions.lead.sub("", text).strip(_EDGES)
    first, _, rest = text.partition(" ")
    is_short = len(first) < 4 and rules.language != "de"  # "Tee" is a noun wherever it stands
    if rules.spaced and (is_short or first.lower() in lexicon.words("function", rules.language)):
        text = f"{first.lower()} {rest}"  # it may not stay the first word
    for pattern, replacement in (*rules.spellings, *rules.reorders):
        text = pattern.sub(replacement, text)
    return " ".join(rules.expressions.tail.sub("", text).strip(_EDGES).split())


def _find(rules: Grammar, text: str, message: Message, is_question: bool) -> Finding | None:
    if rules.expressions.hedged.search(text) and not is_question:
        return _REFUSED
    finding = _first(rules, text, message, is_question)
    if finding is None or finding is _REFUSED:
        return finding
    for pattern, replacement in rules.ended:
        positive, count = pattern.subn(replacement, text)
        before = _first(rules, positive, message, False) if count else None
        if before is not None and before is not _REFUSED:
            return replace(finding, replaces=before.text)
    return finding


def _first(rules: Grammar, text: str, message: Message, is_question: bool) -> Finding | None:
    is_momentary = rules.expressions.momentary.search(text) is not None
    refused = None
    for rule in rules.rules:
        if (is_question and not rule.request) or (is_momentary and not rule.lasts):
            continue
        match = rule.pattern.fullmatch(text)
        if match and (finding := _build(rules, rule, match, message)):
            return finding
        refused = refused or (_REFUSED if match else None)
    return refused


def _build(rules: Grammar, rule: _Rule, match: re.Match[str], message: Message) -> Finding | None:
    names_day = rule.dated or rule.lasting
    day = local_dates.find(match[0], rules.language, message.at.date()) if names_day else None
    if rule.dated and day is None:
        return None
    if rule.given_name and fold(match["n"]) not in lexicon.words("given_names"):
        return None
    parts: dict[str, str] = {}
    for group, value in match.groupdict().items():
        part = _part(rules, group, value, match.string) if value else ""
        if part is None:
            return None
        parts[group] = part
    is_name = fold(parts.get("o", "")) in lexicon.words("given_names")
    if is_name and re.match(r"(?:soy|sou|suis|je suis|ich bin|bin)\b", match[0]):  # "soy marta" is no trade
        return None
    text = " ".join(rule.fact.format(**parts).split()).strip(" ,.")
    for pattern, replacement in rules.finish:
        text = pattern.sub(replacement, text)
    if day:
        text = day.write(text)
    if not MIN_FACT_CHARS <= len(text) <= MAX_FACT_CHARS or "[" in text:
        return None
    about = parts.get("n") or parts.get("kin") if rule.kind is Kind.PERSON else None
    if about and "-" in about:  # two words to the guard, and one of them another person: "grand-mère"
        about = None
    happened = dates.start_of_day(day.day, message.at) if day else None
    return Finding(text[0].upper() + text[1:], rule.kind, rule.confidence, about, happened)


def _part(rules: Grammar, group: str, value: str, clause: str) -> str | None:
    if group == "v":
        first, *particles = value.split(" ")
        return " ".join([conjugation.third_person(first, rules.language), *particles])
    if group == "n":
        return _name(rules, value, clause)
    return _object(rules, value) if group.startswith("o") else value.strip()


def _name(rules: Grammar, name: str, clause: str) -> str | None:
    """A name with its capital, which may only be missing where the whole clause is in lower case."""
    if rules.expressions.no_name.fullmatch(name):
        return None
    if not rules.spaced or name[0].isupper():
        return name
    return name.title() if clause == clause.lower() else None


def _object(rules: Grammar, text: str) -> str | None:
    """The object of a statement, without what follows it; None if it points at something or says nothing."""
    text = rules.expressions.duration.sub("", _first_of_list(rules, rules.expressions.cut.sub("", text)))
    text = " ".join(text.strip(_EDGES).split())
    if not text or len(text.split()) > MAX_OBJECT_WORDS or rules.expressions.pointing.search(text):
        return None
    for pattern, replacement in rules.owners:
        text = pattern.sub(replacement, text)
    return text


def _first_of_list(rules: Grammar, text: str) -> str:
    """The text up to its first comma, unless that enumerates."""
    first, *rest = text.split(", ")
    is_list = (
        bool(rest) and rules.expressions.and_word.search(rest[-1]) and all(len(part.split()) <= 7 for part in rest)
    )
    return text if is_list else first
