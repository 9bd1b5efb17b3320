"""The guard of a model's summary: each sentence rests on what was said, and none gives instructions or rights."""

import re
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import pairwise, takewhile

from recollect.core.reasons import Reason
from recollect.core.text import fold, normalize, words
from recollect.language import lexicon, word_forms
from recollect.policy.guard import summary_roles
from recollect.policy.guard.authority import rank_words
from recollect.policy.guard.clauses import lower
from recollect.policy.guard.grounding import keeps_names, keeps_numbers
from recollect.policy.guard.instructions import is_instruction
from recollect.policy.guard.quote import sentences
from recollect.policy.guard.summary_patterns import PATTERNS
from recollect.policy.guard.turns import (
    CLAUSE,
    LITTLE,
    NOBODY,
    SPEAKER,
    Turn,
    all_words,
    clauses_of,
    has_displaced_day,
    is_same_word,
    is_verbatim,
    read_turns,
    shared,
)

MIN_SHARE = 0.5
"""Share of a sentence's content words that must have been said: a summary says it in fewer words, not in others."""
MAX_OVERLENGTH = 10
"""A text this many times over its limit is not shortened, but refused."""
_DATA = re.compile(r"(?:```\w*\s*)?(?:\{|\[\s*[\[{\"\]])")
"""How JSON begins, and no summary does: `[Ann] says` is one, `["Ann"]` is not."""
_MAX_EMPTY_WORDS = 2
_MAX_SUBJECT_WORDS = 3
_MIN_SHARED_WORDS = 1
_GENITIVE = re.compile(r"\b([^\W\d_]+)s ([^\W\d_]{3,})")
_QUESTION = re.compile(r"[^.!?\n]*\?")
_MAX_SHORT_WORDS = 3
"""A sentence with so few content words makes one claim, of which each word is a part."""
_AND = frozenset({"and", "und", "et", "y", "e", "i", "ve", "en"})
_FRAMES = {"supposed": "as_supposed", "former": "as_former", "nearly": "nearly"}
"""Ways in which a statement may be qualified, and the words by which a summary says so."""
_MAX_REPEATS = 2
_MIN_LOOP_WORDS, _MIN_DISTINCT_SHARE = 24, 0.5


@dataclass(frozen=True, slots=True)
class CheckedSummary:
    """The acceptable part of a summary; empty with a `reason` if there is none."""

    text: str
    reason: Reason | None = None
    """Why something was left out."""


def check_summary(text: str, said: str, today: date, limit: int) -> CheckedSummary:
    """The sentences of a summary that rest on what was said: the previous summary, and the messages since."""
    if reason := _unusable(text, limit):
        return CheckedSummary("", reason)
    kept, first_reason = text, None
    turns = read_turns(said)
    subjects: frozenset[str] = frozenset()
    for sentence in sentences(text):
        if not PATTERNS.pronoun.match(lower(sentence)):
            subjects = _subjects(sentence, turns)  # a pronoun has those of the sentence before
        if reason := _refuse(sentence, said, today, turns, subjects):
            kept, first_reason = kept.replace(sentence, "", 1), first_reason or reason
    return CheckedSummary(re.sub(r"[ \t]{2,}", " ", re.sub(r"\n\s*\n+", "\n", kept)).strip(" \n-*•"), first_reason)


def _unusable(text: str, limit: int) -> Reason | None:
    """Why a whole text is no summary."""
    if _DATA.match(text):
        return Reason.NO_PROSE
    if len(text) > MAX_OVERLENGTH * max(limit, 1):
        return Reason.TOO_LONG
    return Reason.REPETITION if _loops(text) else None


def _loops(text: str) -> bool:
    counts = Counter(normalize(sentence) for sentence in sentences(text) if len(words(sentence)) > 2)
    if counts and max(counts.values()) > _MAX_REPEATS:
        return True
    said = words(text)
    runs = list(zip(said, said[1:], said[2:], strict=False))
    return len(runs) >= _MIN_LOOP_WORDS and len(set(runs)) < _MIN_DISTINCT_SHARE * len(runs)


def _says_little(sentence: str, said: str, turns: list[Turn]) -> bool:
    """Whether a sentence is too short to claim anything, of nobody, and about nothing that was said: "All is fine." """
    names = {name for speaker in SPEAKER.findall(said) for name in words(speaker)} | lexicon.words("given_names")
    content = word_forms.content_words(sentence)
    is_short = len(content) <= _MAX_EMPTY_WORDS and names.isdisjoint(words(sentence))
    return is_short and not any(word_forms.is_stated(word, all_words(turns)) for word in content)


def _refuse(sentence: str, said: str, today: date, turns: list["Turn"], subjects: frozenset[str]) -> Reason | None:
    if is_instruction(sentence):
        return Reason.INSTRUCTIONS
    if reason := _refuse_rank(sentence, said) or _refuse_generality(sentence, said):
        return reason
    if not keeps_numbers(sentence, said, today) or has_displaced_day(sentence, turns):
        return Reason.NUMBER_NOT_SAID
    if not subjects and _says_little(sentence, said, turns):
        return None
    unsaid_people = lexicon.words("given_names").intersection(words(sentence)).difference(words(said))
    if unsaid_people or not keeps_names(sentence, said):  # a capital at its beginning is no sign of a name
        return Reason.NAME_NOT_SAID
    if _has_other_day(sentence, said):
        return Reason.NUMBER_NOT_SAID
    if not word_forms.has_words_of(said, sentence, min_share=MIN_SHARE) or _adds_word(sentence, said):
        return Reason.NOT_SAID
    return _refuse_attributed(sentence, turns, subjects)


_CAPITALIZED = re.compile(r"\b[A-Z]\w+")
_NO_DATES = frozenset("may march mar sat sun segunda terca quarta quinta sexta".split())
"""Months and days whose names are other words in small letters."""


def _has_other_day(sentence: str, said: str) -> bool:
    """Whether it names a month or weekday other than those said; "tomorrow" may be any."""
    dates = word_forms.calendar_words() | _calendar("months") | _calendar("weekdays")
    named, spoken = (set(words(text)) & dates for text in (sentence, said))
    named -= _NO_DATES.difference(words(" ".join(_CAPITALIZED.findall(sentence))))
    other = named - spoken if spoken else frozenset[str]()
    relative = PATTERNS.relative_month if other and other <= _calendar("months") else PATTERNS.relative_day
    return bool(other) and not relative.search(lower(said))


@cache
def _calendar(name: str) -> frozenset[str]:
    """The months, or weekdays, of all languages in full."""
    local = " ".join(table.get(name, "") for table in lexicon.tables("calendar").values()).replace("|", " ")
    return frozenset(map(fold, (*lexicon.ordered_words(name), *local.split())))


def _adds_word(sentence: str, said: str) -> bool:
    """Whether a short sentence has a word that nobody said, and that is not how a summary retells things."""
    names = " ".join(SPEAKER.findall(said))
    content = word_forms.content_words(sentence, names)
    if len(content) > _MAX_SHORT_WORDS:
        return False
    source = set(word_forms.tokens(word_forms.with_acronyms(said, sentence)))
    unsaid = [word for word in content if not word_forms.is_stated(word, source) and not PATTERNS.retold.match(word)]
    is_foreign = not word_forms.is_english(f"{sentence} {said}")
    if len(words(sentence)) <= _MAX_SHORT_WORDS or (not is_foreign and word_forms.is_comparable(said, sentence)):
        return bool(unsaid)
    # Endings of other languages: "zieht" of "ich ziehe".
    stems = [fold(word)[: max(3, len(word) - 2)] for word in unsaid if word not in lexicon.words("function")]
    return is_foreign and any(stem not in fold(said) for stem in stems)


def _subjects(sentence: str, turns: list[Turn]) -> frozenset[str]:
    """The speakers whom a sentence is about: those whom it begins with, or names soon."""
    speakers = {name for turn in turns for name in turn.speaker}
    stated = words(sentence)
    leading = list(takewhile(lambda word: word in speakers | _AND, stated))
    return frozenset(leading or stated[:_MAX_SUBJECT_WORDS]) & speakers


def _refuse_rank(sentence: str, said: str) -> Reason | None:
    """Refuse claims about who has authority here: a summary must not establish that."""
    ranks = rank_words(sentence)
    if not ranks or PATTERNS.denial.search(lower(sentence)):
        return None
    clauses = [clause for clause in CLAUSE.split(lower(said)) if ranks & set(words(clause))]
    if not clauses:
        return Reason.NOT_SAID
    return Reason.NEGATION_DROPPED if all(map(PATTERNS.denial.search, clauses)) else None


def _refuse_attributed(sentence: str, turns: list[Turn], subjects: frozenset[str]) -> Reason | None:
    """Why a sentence about speakers is not what they said: it is another's, or without its "not" or its "if"."""
    if is_verbatim(sentence, turns):
        return None
    if reason := summary_roles.refuse(sentence, turns, subjects):
        return reason
    is_conversation = PATTERNS.conversed.search(lower(sentence)) is not None
    if not is_conversation and _has_other_owner(sentence, turns):
        return Reason.SOMEBODY_ELSE
    if subjects:
        each = [subjects] if is_conversation else [frozenset({name}) for name in sorted(subjects)]
        reasons = (_refuse_subject(sentence, turns, names, is_conversation) for names in each)
        return next((reason for reason in reasons if reason), None)
    if is_conversation:
        return None
    if _is_said_of_speaker(sentence, turns):
        return Reason.SOMEBODY_ELSE
    reasons = (_refuse_polarity(clause, [turn.text for turn in turns]) for clause in CLAUSE.split(sentence))
    return next((reason for reason in reasons if reason), None)


def _is_said_of_speaker(sentence: str, turns: list[Turn]) -> bool:
    """Whether what is told of somebody who did not speak was said by a speaker of themselves."""
    name, content = words(sentence)[:1], [word for word in words(sentence)[1:] if word not in LITTLE]
    if (
        not re.match(r"(?!(?:The|El|La|Los|Las|Le|Les|Il|Lo) )[A-Z]\w+ [a-z]", sentence)
        or not content
        or PATTERNS.role.match(name[0])
    ):
        return False
    parts = [part for turn in turns for part in clauses_of(turn.text)]
    highest = max((shared(content, part) for part in parts), default=0)
    sources = [part for part in parts if highest and shared(content, part) == highest]
    return bool(sources) and all(PATTERNS.first_person.search(part) and name[0] not in words(part) for part in sources)


def _refuse_generality(sentence: str, said: str) -> Reason | None:
    """What holds for all, for nobody or for one of them, unless somebody said so."""
    of_all = PATTERNS.anyone.search(lower(sentence))
    is_retold = PATTERNS.conversed.search(lower(sentence)) and not PATTERNS.normative.search(lower(sentence))
    if of_all is None or is_retold or of_all[0] in lower(said):
        return None
    return Reason.NOT_SAID


def _has_other_owner(sentence: str, turns: list[Turn]) -> bool:
    """Whether it gives somebody what another speaks of: "Ann's boss", of whom Bob said "my boss"."""
    speakers = {name for turn in turns for name in turn.speaker}
    for kin, name in PATTERNS.kin_name.findall(sentence):
        near = re.compile(
            rf"\b{re.escape(kin)}\W+(?:\w+\W+){{0,3}}{re.escape(name)}\b|\b{re.escape(name)}\b.{{0,30}}\b{re.escape(kin)}\b"
        )
        if name.lower() in speakers and not any(near.search(turn.text) for turn in turns):
            return True
    genitives = [(name, owned) for name, owned in _GENITIVE.findall(lower(sentence)) if name in speakers]  # "Uwes Frau"
    genitives += [(name, owned) for owned, name in PATTERNS.owned_by.findall(fold(lower(sentence))) if name in speakers]
    for owner, owned in (*PATTERNS.owned.findall(lower(sentence)), *genitives):
        about = [turn.text for turn in turns if owner in turn.speaker or owner in words(turn.text)]
        about += [
            asked.text for asked, turn in pairwise(turns) if owner in turn.speaker and PATTERNS.which.search(asked.text)
        ]
        is_theirs = any(is_same_word(owned, word) for word in words("\n".join(about)))
        if owner in speakers and not is_theirs and word_forms.is_stated(owned, all_words(turns)):
            return True
    return False


def _refuse_subject(sentence: str, turns: list[Turn], subjects: frozenset[str], is_conversation: bool) -> Reason | None:
    """The same for one subject. What was said to or about them counts as well, and so does the next turn, which may be
    the assistant's answer.
    """
    stated = set(words(sentence)) | subjects
    own = [
        turn.text
        for before, turn in zip([NOBODY, *turns], turns, strict=False)
        if turn.speaker & stated or before.speaker & stated or stated & subjects & set(words(turn.text))
    ]
    ignored = "" if is_conversation else " ".join(subjects)
    source = "\n".join([*own, *subjects])
    if not word_forms.has_words_of(source, sentence, ignored, min_share=MIN_SHARE):
        return Reason.SOMEBODY_ELSE
    if is_conversation:
        return None
    names = " ".join(name for turn in turns for name in turn.speaker)
    if _has_words_of_others(sentence, subjects, turns, names):
        return Reason.SOMEBODY_ELSE
    if _is_about_third_person(sentence, turns, subjects):
        return Reason.SOMEBODY_ELSE
    if _is_reversed(sentence, turns, subjects):
        return Reason.OPPOSITE
    return _refuse_polarity(sentence, [turn.text for turn in turns if turn.speaker & subjects])


def _has_words_of_others(sentence: str, subjects: frozenset[str], turns: list[Turn], names: str) -> bool:
    """Whether a word that was said is not theirs, nor of the turn that they answer with most of the others."""
    own = [turn for turn in turns if turn.speaker & subjects]
    own += [Turn(NOBODY.speaker, clause) for turn in turns for clause in _clauses_about(turn, subjects)]
    for asked, turn in pairwise(turns):
        if PATTERNS.assent.match(lower(turn.text)) and "?" in asked.text:
            own += [asked] if turn.speaker & subjects else [turn] if asked.speaker & subjects else []
        elif PATTERNS.assent.match(lower(turn.text)) and turn.speaker & subjects:
            own.append(asked)
    answers = [pair for pair in pairwise(turns) if pair[1].speaker & subjects]
    later = [*answers, *(pair for pair in zip(turns, turns[2:], strict=False) if pair[1].speaker & subjects)]
    if not PATTERNS.denial.search(lower(sentence)) and any(_refuses(pair, sentence) for pair in later):
        return True
    content, own_words = word_forms.content_words(sentence, names), all_words(own)
    said = {word for word in content if word_forms.is_stated(word, all_words(turns))}
    unsaid = {word for word in said if not word_forms.is_stated(word, own_words)}
    return bool(unsaid) and not any(_answers_with(pair, said, unsaid) for pair in answers)


def _clauses_about(turn: Turn, subjects: Set[str]) -> list[str]:
    """What somebody else says of them: not what that one says of themselves in the same breath."""
    if turn.speaker & subjects or not subjects & set(words(turn.text)):
        return []
    clauses = clauses_of(turn.text)
    return [each for each in clauses if subjects & set(words(each)) or not PATTERNS.first_person.search(each)]


def _refuses(pair: tuple[Turn, Turn], sentence: str) -> bool:
    """Whether it is what they were asked and said no to."""
    asked, answered = pair
    content = [word for word in words(sentence) if word not in LITTLE and word not in answered.speaker]
    is_asked = "?" in asked.text and bool(content) and shared(content, asked.text) == len(content)
    return is_asked and PATTERNS.refusal.match(lower(answered.text)) is not None


def _answers_with(pair: tuple[Turn, Turn], said: Set[str], unsaid: Set[str]) -> bool:
    asked, answered = (set(words(turn.text)) for turn in pair)
    answers = sum(word_forms.is_stated(word, answered) for word in said)
    is_answer = 2 * answers >= len(said) or (answers > 0 and PATTERNS.who.search(lower(pair[0].text)) is not None)
    return is_answer and all(word_forms.is_stated(word, asked) for word in unsaid)


def _is_about_third_person(sentence: str, turns: list[Turn], subjects: Set[str]) -> bool:
    """Whether they said all of it of somebody else: "she left in summer"."""
    content = [word for word in words(sentence) if word not in LITTLE | subjects]
    own = [clause for turn in turns if turn.speaker & subjects for clause in clauses_of(turn.text)]
    sources = [clause for clause in own if content and shared(content, clause) == len(content)]
    return bool(sources) and all(map(PATTERNS.of_third.match, sources))


def _is_reversed(sentence: str, own: list[Turn], subjects: frozenset[str]) -> bool:
    """Whether it has somebody do what was done to them: "Carla owes me" is not "Bob owes Carla"."""
    stated, speakers = words(sentence), {name for turn in own for name in turn.speaker}
    if not stated or stated[0] not in subjects or {"by", "from"} & set(stated):
        return False
    names = (speakers | lexicon.words("given_names")).intersection(stated).difference(subjects)
    for turn in own:
        for clause in CLAUSE.split(lower(turn.text)):
            first, *rest = words(clause) or [""]
            is_done_to_them = turn.speaker & subjects and "me" in rest and first in names
            if is_done_to_them and any(word_forms.is_stated(word, set(rest)) for word in stated[1:2]):
                return True
    return False


def _is_asked(clause: str, own: list[str]) -> bool:
    """Whether a clause ends a question."""
    return any(
        question.removesuffix("?").endswith(clause) for text in own for question in _QUESTION.findall(lower(text))
    )


def _is_antonym(word: str, said: Set[str]) -> bool:
    """Whether only the opposite of a word was said: "agrees" of who disagrees."""
    stem = re.compile(rf"(?:dis|un|in|im){re.escape(word[:-1] if word.endswith('s') else word)}\w{{0,3}}")
    return not word_forms.is_stated(word, said) and any(stem.fullmatch(each) for each in said)


def _names_possessor(claim: str, sources: list[str]) -> bool:
    """Whether it says of whom "my sister lives there" was said: of the sister."""
    found = [PATTERNS.of_theirs.match(source) for source in sources]
    return any(match and re.search(rf"\b{re.escape(match['whom'])}", claim) for match in found)


def _refuse_polarity(sentence: str, own: list[str]) -> Reason | None:
    """Whether all that was said about it is denied, supposed, over or nearly so, and the sentence is not; or only the
    sentence is.
    """
    claim = lower(sentence)
    content = [word for word in words(claim) if word not in LITTLE and not PATTERNS.denial.fullmatch(word)]
    clauses = [clause for text in own for clause in clauses_of(text)]
    shares = [sum(word_forms.is_stated(word, set(words(clause))) for word in content) for clause in clauses]
    highest = max(shares, default=0)
    if highest < _MIN_SHARED_WORDS:
        return None
    sources = [clause for clause, share in zip(clauses, shares, strict=True) if share == highest]
    is_told_as_asked = PATTERNS.wanted.search(claim) or PATTERNS.as_supposed.search(claim)
    is_told_as_asked = is_told_as_asked or PATTERNS.has_thing.match(
        claim
    )  # "can I bring my dog?" says that there is one
    if not is_told_as_asked and all(_is_asked(clause, own) for clause in sources):
        return Reason.NOT_MEANT
    is_of_non = any(f"non-{word}" in clause and f"non-{word}" not in claim for word in content for clause in sources)
    if is_of_non or any(_is_antonym(word, set(words(clause))) for word in content for clause in sources):
        return Reason.OPPOSITE
    if all(PATTERNS.of_theirs.match(clause) for clause in sources) and not _names_possessor(claim, sources):
        return Reason.SOMEBODY_ELSE
    is_denied = PATTERNS.denial.search(claim)
    for meant, kept in _FRAMES.items():
        if all(getattr(PATTERNS, meant).search(clause) for clause in sources):
            is_kept = getattr(PATTERNS, kept).search(claim) or (
                is_denied and is_denied[0] not in words(" ".join(sources)) and any(map(PATTERNS.denial.search, clauses))
            )
            return None if is_kept else Reason.NOT_MEANT
    if all(PATTERNS.denial.search(clause) for clause in sources):
        is_kept = PATTERNS.denial.search(claim) or any(
            found[0] not in clause
            for pattern in (PATTERNS.negative, PATTERNS.ending)
            for found in pattern.finditer(claim)
            for clause in sources
        )
        return None if is_kept else Reason.NEGATION_DROPPED
    related = [clause for clause, share in zip(clauses, shares, strict=True) if share]
    denials = (PATTERNS.denial, PATTERNS.negative, PATTERNS.ending)
    was_denied = any(denial.search(clause) for clause in related for denial in denials)
    return Reason.OPPOSITE if is_denied and not was_denied else None
