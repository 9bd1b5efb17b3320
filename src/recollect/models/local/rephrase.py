"""Turns the first person into the third: conjugates verbs, replaces pronouns, trims chat endings and asides."""

import re

from recollect.language import lexicon
from recollect.models.local.grammar import expressions

MAX_TEXT_CHARS = 140
"""Characters of a learned text; what is longer is a story, not a fact."""
MAX_WORDS = 22

_IRREGULAR = {"have": "has", "do": "does", "go": "goes", "be": "is", "am": "is", "are": "is"}
_THIRD_PERSON = {
    "i": "they", "we": "they", "me": "them", "us": "them", "my": "their", "our": "their", "mine": "theirs",
    "ours": "theirs", "myself": "themselves", "ourselves": "themselves", "am": "are", "was": "were",
}  # fmt: skip
_FIRST_PERSON = re.compile(
    r"\b(?:I (?:am|was)\b|i(?![/-])|we|me|us|my|our|mine|ours|myself|ourselves)\b", re.IGNORECASE
)
_DOTTED = re.compile(r"(?:[A-Za-z_]\w+\.)+(?!(?:js|io|com|org|net|ai|dev|app|fm|tv|de|uk|ca)$)[A-Za-z_]\w+")
_EXPRESSIONS = expressions("rephrase")


def conjugate(verb: str) -> str:
    """The third person singular of a verb: deploys, watches, carries."""
    lower = verb.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if re.search(r"(?:s|x|z|ch|sh|o)$", lower):
        return lower + "es"
    if re.search(r"[^aeiou]y$", lower):
        return lower[:-1] + "ies"
    return lower + "s"


def base_verb(gerund: str) -> str:
    """The base form of a gerund, by simple rules: using, running, playing."""
    stem = gerund.lower().removesuffix("ing")
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    silent = re.search(r"(?:[^aeiou][aiou][sckvzg]|us|ov|iv|ak|mok|rit|ik|od|ang|riv|ompos|ous)$", stem)
    return stem + "e" if silent else stem


def to_third_person(text: str) -> str:
    """The text with first-person pronouns in the third person: "my team" becomes "their team"."""

    def replace_pronoun(match: re.Match[str]) -> str:
        if match[0] == "US" and not text.isupper():
            return match[0]  # the country
        return " ".join(_THIRD_PERSON[word] for word in match[0].lower().split())

    return _FIRST_PERSON.sub(replace_pronoun, text)


def strip_asides(text: str) -> str:
    """The text without reasons, contrasts and asides after the statement."""
    return _EXPRESSIONS.aside.sub("", text)


def trim_object(text: str) -> str:
    """The object of a verb without asides, reasons and chat endings."""
    without_asides = _EXPRESSIONS.for_example.sub("", _EXPRESSIONS.aside.sub("", text))
    trimmed = _EXPRESSIONS.tail.sub("", _trim_list(_EXPRESSIONS.tail.sub("", without_asides)))
    return trimmed.strip(" ,.!-–—*_~'\"“”")


def _trim_list(text: str) -> str:
    """The text up to the first comma that neither enumerates nor narrows what was said."""
    first, *tail = text.split(", ")
    if len(tail) > 1 and re.match(r"(?:and|or|&) ", tail[-1]) and all(len(part.split()) <= 5 for part in tail):
        return text
    parts = [first]
    for index, part in enumerate(tail):
        names = [word for word in part.split() if word not in ("and", "or", "&")]
        is_series = _is_short(part) and re.search(r"\b(?:and|or)\b", ", ".join(tail[index:]))
        is_named = all(word[0].isupper() or word[0].isdigit() or _is_listed(word) for word in names)
        if _EXPRESSIONS.remark.match(part) or not (
            is_named
            or is_series
            or _EXPRESSIONS.adjective.search(parts[-1])
            or _EXPRESSIONS.narrows.match(part)
            or (_EXPRESSIONS.apposition.match(part) and _EXPRESSIONS.indefinite.search(parts[-1]))
            or (index and re.search(r"\w (?:and|or) \w", part))
        ):
            break
        parts.append(part)
    return ", ".join(parts)


def _is_listed(word: str) -> bool:
    word = word.strip(",.!").lower()
    return word in lexicon.words("tools") or word in lexicon.words("languages")


def _is_short(part: str) -> bool:
    """Whether each of what it lists is a few words: "English and a bit of Slovenian"."""
    return all(len(item.split()) <= 4 for item in re.split(r"\b(?:and|or)\b", part)) and len(part.split()) <= 9


def ends_in_adjective(text: str) -> bool:
    """Whether what follows goes on with the same noun: "simple, minimal dependencies"."""
    return _EXPRESSIONS.adjective.search(text) is not None


def strip_duration(text: str) -> str:
    """The text without how long it has been so; a name after it stays: "Spanish for six months on Duolingo"."""
    duration = _EXPRESSIONS.duration.search(text)
    if duration is None:
        return text
    following = _EXPRESSIONS.after_duration.search(duration[0])
    return f"{text[: duration.start()]} {following['more']}" if following else text[: duration.start()]


def object_phrase(text: str) -> str | None:
    """The object of a statement in the third person; None when it needs context or addresses someone."""
    phrase = trim_object(text)
    unfit = _EXPRESSIONS.pointing, _EXPRESSIONS.second_person, _EXPRESSIONS.needs_context, _EXPRESSIONS.junk
    if not phrase or len(phrase.split()) > MAX_WORDS or any(pattern.search(phrase) for pattern in unfit):
        return None
    if any(_is_identifier(word.strip(",.!?")) for word in phrase.split() if "." in word):
        return None
    return to_third_person(phrase)


def _is_identifier(word: str) -> bool:
    """Whether it is a dotted name of code: "std.fmt", not "node.js"."""
    return _DOTTED.fullmatch(word) is not None and not _is_listed(word)


def finish_statement(text: str) -> str | None:
    """The statement as it is stored, or None if it does not read as one."""
    statement = " ".join(text.split()).strip(" ,.")
    if (
        not 4 <= len(statement) <= MAX_TEXT_CHARS
        or "[" in statement
        or statement.count('"') % 2
        or statement.count("(") != statement.count(")")
    ):
        return None
    if _EXPRESSIONS.dangling.search(statement):
        return None
    return statement[0].upper() + statement[1:]
