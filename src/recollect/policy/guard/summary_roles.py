"""Who did or has what in a sentence of a summary, beside the clauses that it rests on: "my aunt gave me her car" is not
"Ann gave a car", nor is "the flat below me" the flat below somebody else.
"""

import re
from collections.abc import Iterator, Set
from itertools import pairwise, takewhile

from recollect.core.reasons import Reason
from recollect.core.text import fold, words
from recollect.language import lexicon, word_forms
from recollect.policy.guard.clauses import lower
from recollect.policy.guard.summary_patterns import PATTERNS
from recollect.policy.guard.turns import LITTLE, NOBODY, Turn, clauses_of, shared

_OPPOSITES = tuple(
    tuple(re.compile(rf"\b(?:{side})\b") for side in pair)
    for pair in (
        (
            r"up|rise\w*|rose|risen|increas\w+|higher|grew|grown",
            r"down|f[ae]ll\w*|dropp?\w*|decreas\w+|lower\w*|shr[aiu]nk",
        ),
        (r"accept\w*|agreed to|t[ao]ok the", r"turn\w* (?:\w+ )?down|reject\w*|declin\w*|refus\w*"),
        (r"early|earlier|sooner", r"late|later|delayed"),
        (r"w[io]n|wins", r"los[et]\w*"),
        (r"b[ou]\w*ght|buys?|buying", r"s[eo]ld?\w*"),
        (r"cheap\w*|affordable", r"expensive|pricey|dear"),
        (r"open(?:s|ed|ing)?", r"clos(?:e|es|ed|ing)"),
        (r"pass(?:es|ed)", r"fail\w*"),
        (r"gekauft|kauft\w*", r"verkauf\w*"),
        (r"bestanden|bestand|besteht", r"durchgefallen|durchfall\w*"),
        (r"gewonnen|gewinn\w*|gewann", r"verlor\w*|verlier\w*"),
    )
)
_MAX_CLAIM_WORDS = 3
_MAX_LITTLE_CHARS = 3
_NO = r"no|kein\w*|pas d(?:e|['’])|aucune?|ningún|ninguna|nessun\w?|nenhuma?|żadn\w+"
_AND = frozenset("and und et y e i ve en".split())
_CAPITAL = re.compile(r"\b[A-Z][^\W\d_]+")
_OBJECT = re.compile(r"(?<=[^\W_] )(?P<name>[^\W\d_]+)(?!['’]s|\w)")
_GENITIVE = re.compile(r"[^\W_]+['’]s\b")


def refuse(sentence: str, turns: list[Turn], subjects: frozenset[str]) -> Reason | None:
    """Why a sentence gives somebody what was said of another, or the opposite of what was felt or done."""
    if _misplaces_speaker(sentence, turns, subjects) or _moves_person(sentence, turns, subjects):
        return Reason.SOMEBODY_ELSE
    if _says_opposite(sentence, turns):
        return Reason.OPPOSITE
    if not subjects:
        everything = [clause for turn in turns for clause in clauses_of(turn.text)]
        return Reason.NEGATION_DROPPED if _has_what_is_none(sentence, everything) else None
    own = [clause for turn in turns if turn.speaker & subjects for clause in clauses_of(turn.text)]
    if _is_done_to_them(sentence, own, subjects) or _has_what_another_has(sentence, turns, subjects):
        return Reason.SOMEBODY_ELSE
    if _is_done_by_another(sentence, own) or _is_elsewhere(sentence, own):
        return Reason.SOMEBODY_ELSE
    if _is_other_role(sentence, turns, subjects):
        return Reason.SAYS_MORE
    if _drops_denied_verb(sentence, own):
        return Reason.NEGATION_DROPPED
    return Reason.OPPOSITE if _turns_feeling(sentence, own) else None


def _content(sentence: str, turns: list[Turn]) -> list[str]:
    names = {name for turn in turns for name in turn.speaker}
    return [word for word in words(sentence) if word not in LITTLE | names]


def _sources(content: list[str], turns: list[Turn]) -> Iterator[tuple[int, str]]:
    """The clauses with most of the words, each with the number of its turn."""
    counted = [
        (shared(content, clause), number, clause)
        for number, turn in enumerate(turns)
        for clause in clauses_of(turn.text)
    ]
    highest = max((count for count, *_ in counted), default=0)
    yield from ((number, clause) for count, number, clause in counted if highest and count == highest)


def _misplaces_speaker(sentence: str, turns: list[Turn], subjects: Set[str]) -> bool:
    """Whether a speaker's name stands for somebody else's "me", as in "the flat below me", or for what was not said."""
    speakers = {name for turn in turns for name in turn.speaker}
    named = [match["name"] for match in _OBJECT.finditer(lower(sentence)) if match["name"] in speakers]
    leading = set(takewhile(lambda word: word in subjects or word in _AND, words(sentence)))
    for name in named:
        if name in leading or PATTERNS.conversed.search(lower(sentence)):
            continue
        content = [word for word in _content(sentence, turns) if len(word) > _MAX_LITTLE_CHARS]
        sources = list(_sources(content, turns)) if len(content) > 1 else []
        if sources and not any(_may_mean(name, turns[number]) for number, _ in sources):
            return True
    return False


def _may_mean(name: str, turn: Turn) -> bool:
    """Whether a turn is of, about or to somebody of a name."""
    return (
        name in turn.speaker
        or not turn.speaker
        or name in words(turn.text)
        or PATTERNS.addressed.search(lower(turn.text)) is not None
    )


def _moves_person(sentence: str, turns: list[Turn], subjects: Set[str]) -> bool:
    """Whether somebody who did not speak is told to have done, or met, what was said without them."""
    speakers = {name for turn in turns for name in turn.speaker}
    said = "\n".join(turn.text for turn in turns)
    named = {fold(name) for name in _CAPITAL.findall(sentence)} - speakers
    persons = {name for name in named if name in lexicon.words("given_names") or _is_titled(name, said)}
    for name in persons:
        mentioning = [number for number, turn in enumerate(turns) if name in words(turn.text)]
        near = {number + step for number in mentioning for step in (-1, 0, 1)}
        if not mentioning:
            continue
        if subjects and not any(
            turns[number].speaker & subjects or not turns[number].speaker
            for number in mentioning
            if number < len(turns)
        ):
            return not any(_is_told_of(subjects, turns[number]) for number in mentioning)
        sources = {number for number, _ in _sources([w for w in _content(sentence, turns) if w != name], turns)}
        if not subjects and sources and not sources & near:
            return True
    return False


def _is_titled(name: str, said: str) -> bool:
    return re.search(rf"\b(?:Mrs?|Ms|Dr|Frau|Herr|Señora?|Mme)\.? {name}\b", said, re.IGNORECASE) is not None


def _is_told_of(subjects: Set[str], turn: Turn) -> bool:
    """Whether a turn speaks of the subjects, or to somebody."""
    return bool((subjects | lexicon.words("second_persons")) & set(words(turn.text)))


def _is_done_to_them(sentence: str, own: list[str], subjects: Set[str]) -> bool:
    """Whether it has them do what another does to them: "my aunt gives me her car"."""
    stated = words(sentence)
    is_of_theirs = _GENITIVE.match(sentence) is not None
    is_auxiliary = len(stated) > 1 and stated[1] in LITTLE | lexicon.words("function")
    if is_of_theirs or len(stated) < 2 or stated[0] not in subjects or is_auxiliary:
        return False
    sources = [clause for clause in own if word_forms.is_stated(stated[1], set(words(clause)))]
    return bool(sources) and all(
        PATTERNS.to_me.search(clause) and not PATTERNS.i_do.search(clause) for clause in sources
    )


def _is_done_by_another(sentence: str, own: list[str]) -> bool:
    """Whether what they did is told as done to them: "I quit" is not "was fired", nor "was quit"."""
    done = PATTERNS.passive.search(lower(sentence))
    if done is None:
        return False
    sources = [clause for clause in own if word_forms.is_stated(done["verb"], set(words(clause)))]
    return bool(sources) and all(PATTERNS.i_do.search(clause) and not PATTERNS.was.search(clause) for clause in sources)


def _is_elsewhere(sentence: str, own: list[str]) -> bool:
    """Whether they are told to live or work where they only looked at a flat, or were for a day."""
    for name in ("lives", "works"):
        claimed = getattr(PATTERNS, f"{name}_in").search(lower(sentence))
        if claimed is not None:
            sources = [clause for clause in own if word_forms.is_stated(claimed["place"], set(words(clause)))]
            stays = getattr(PATTERNS, f"states_{name}")
            return bool(sources) and not any(map(stays.search, sources))
    return False


def _has_what_another_has(sentence: str, turns: list[Turn], subjects: Set[str]) -> bool:
    """Whether it gives them a thing that they did not call theirs: "the cat", said by somebody else's friend."""
    has = PATTERNS.has_thing.match(lower(sentence))
    if has is None or len(words(has["thing"])) > _MAX_CLAIM_WORDS:
        return False
    thing = words(has["thing"])[-1]
    named = [
        (before, turn, clause)
        for before, turn in pairwise([NOBODY, *turns])
        for clause in clauses_of(turn.text)
        if word_forms.is_stated(thing, set(words(clause)))
    ]
    return bool(named) and not any(_is_theirs(before, turn, clause, subjects) for before, turn, clause in named)


def _is_theirs(before: Turn, turn: Turn, clause: str, subjects: Set[str]) -> bool:
    if turn.speaker & subjects or not turn.speaker:
        return True
    is_to_them = bool(before.speaker & subjects) and bool(lexicon.words("second_persons") & set(words(clause)))
    return is_to_them or bool(subjects & set(words(clause)))


def _is_other_role(sentence: str, turns: list[Turn], subjects: Set[str]) -> bool:
    """Whether it makes them something that they only spoke of: "to pay the vet"."""
    claimed = PATTERNS.is_role.match(lower(sentence))
    if claimed is None:
        return False
    role = claimed["role"]
    clauses = [(turn, clause) for turn in turns for clause in clauses_of(turn.text)]
    named = [(turn, clause) for turn, clause in clauses if word_forms.is_stated(role, set(words(clause)))]
    return bool(named) and not any(
        PATTERNS.of_a_role.search(clause) or subjects & set(words(clause)) or not turn.speaker for turn, clause in named
    )


def _drops_denied_verb(sentence: str, own: list[str]) -> bool:
    """Whether one of its words was only said behind "not": "they didn't have to operate"."""
    claim = lower(sentence)
    if any(pattern.search(claim) for pattern in (PATTERNS.denial, PATTERNS.negative, PATTERNS.ending)):
        return False
    if PATTERNS.as_supposed.search(claim) or PATTERNS.conversed.search(claim):
        return False
    ignored = LITTLE | lexicon.words("function") | word_forms.calendar_words()
    for word in words(claim):
        if word in ignored or len(word) <= _MAX_LITTLE_CHARS:
            continue
        stating = [clause for clause in own if _states(word, clause)]
        if stating and all(_states(word, _behind_not(clause)) for clause in stating):
            return True
    return _has_what_is_none(sentence, own)


def _states(word: str, clause: str) -> bool:
    """Whether a clause has a word or one that is derived from it: "operation" of "operate"."""
    said = set(words(clause))
    return word_forms.is_stated(word, said) or any(
        min(len(word), len(other)) > 5 and word[:-2][:6] == other[:6] and len(word[:-2]) >= 6 for other in said
    )


def _behind_not(clause: str) -> str:
    denied = PATTERNS.verb_denied.search(clause)
    return "" if denied is None else clause[denied.end() :]


def _has_what_is_none(sentence: str, own: list[str]) -> bool:
    """Whether its object is only what they said "no" of: "Nils isst Fleisch" of "ich bringe kein Fleisch mit"."""
    claim = lower(sentence)
    stated = words(claim)
    is_short = len(stated) == _MAX_CLAIM_WORDS or PATTERNS.has.search(claim) is not None
    if not stated or not is_short or PATTERNS.denial.search(claim):
        return False
    stating = [clause for clause in own if word_forms.is_stated(stated[-1], set(words(clause)))]
    none = re.compile(rf"\b(?:{_NO}) ?(?:\w+ )?{stated[-1][:4]}")
    return bool(stating) and all(map(none.search, stating))


def _says_opposite(sentence: str, turns: list[Turn]) -> bool:
    """Whether the clauses that it rests on have only the opposite of one of its words: "up" of "down"."""
    claim = lower(sentence)
    if PATTERNS.denial.search(claim):
        return False
    sources: list[str] | None = None
    for pair in _OPPOSITES:
        for side, other in (pair, pair[::-1]):
            if side.search(claim) is None or other.search(claim):
                continue
            sources = sources or [clause for _, clause in _sources(_content(sentence, turns), turns)]
            if sources and all(other.search(each) and not side.search(each) for each in sources):
                return True
    return False


def _turns_feeling(sentence: str, own: list[str]) -> bool:
    """Whether it says that they like what they only complained about, or the other way round."""
    claim = lower(sentence)
    felt = [name for name in ("pleased", "sorry") if getattr(PATTERNS, name).search(claim)]
    if len(felt) != 1 or PATTERNS.denial.search(claim):
        return False
    pattern, other = (getattr(PATTERNS, name) for name in (felt[0], {"pleased": "sorry", "sorry": "pleased"}[felt[0]]))
    return not any(map(pattern.search, own)) and any(map(other.search, own))
