"""Corrections in a message of their own: "no wait, 35", "actually it's Lisbon", "scratch that".

Such a message says nothing by itself. `read` recognizes it, and `amend` puts its value into the earlier statement that
it corrects: a number for a number, a day for a day, a name for a name of the same sort. The expressions are in the
lexicon of English, where their names begin with `amend`.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from difflib import SequenceMatcher, get_close_matches

from recollect.core.text import fold
from recollect.language import dates, foreign_amendments, lexicon, word_forms
from recollect.language.lexicon import Patterns

MAX_CHARS = 90
_MAX_VALUE_WORDS = 5
_MIN_RESEMBLANCE = 0.7
_MAX_SHORT = 3
_EMOTE = re.compile(r"\*[^*]+\*")
_PATTERNS = Patterns(re.IGNORECASE)
_ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_ISO_MONTH = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d\d)\b(?!-)")
_DATED_END = re.compile(r" (?:on|in) \d{4}-\d\d(?:-\d\d)?$")
_NUMBER = re.compile(r"(?P<number>\d+(?:[.,:]\d+)*)(?P<unit> ?(?:[a-z%\"']+(?: old)?)?)", re.IGNORECASE)
_POINTING = re.compile(r"(?:the )?(?:other|wrong|right|same|next|last|previous|latter|former)(?: |$)", re.IGNORECASE)
"""What points at something of the conversation: "I meant the other file"."""
_ORDINAL = re.compile(r"(?:on )?(?:the )?(\d{1,2})(?:st|nd|rd|th)")
_TIME_WORDS = frozenset("day days time times slot date dates session sessions".split())
_NAME = re.compile(r"[A-Z][\w'’&+#.-]*(?: (?:[A-Z0-9][\w'’&+#.-]*|de|la|van|von|of|the))*")
_NO_NAMES = frozenset("i i'm i've we it they he she".split())
_PLACE_LINK = re.compile(r"\b(?:in|from|to|near|outside|around)$")
_PERSON_LINK = re.compile(r"\b(?:named|called|name is|by|is)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amendment:
    """A correction that a message makes."""

    value: str
    """The right words; none where it withdraws the earlier statement."""
    former: str = ""
    """The wrong ones, where it names them."""
    is_strong: bool = False
    """Whether it says that it corrects something: a "no" alone may answer a question."""
    is_denial: bool = False
    """Whether it may be the listener's words that are wrong."""
    is_spelling: bool = False
    """Whether a star alone marks it: "*knew" puts one word right, and says no more."""
    is_foreign: bool = False
    """Whether it is in another language than English."""


def read(text: str) -> Amendment | None:
    """The correction that a message consists of, or opens with where it says that it corrects something."""
    whole, foreign = _read_whole(text), _read_foreign(text)
    if whole is not None and foreign is not None and foreign.is_strong and len(foreign.value) < len(whole.value):
        return foreign  # "sorry" opens a correction in more languages than one
    if whole is not None or len(text) > MAX_CHARS or "?" in text:
        return whole or foreign
    opening, rest = _split_opening(text)
    amendment = _read_whole(opening) if rest else None
    if amendment is None or not amendment.value:
        return foreign
    return amendment if amendment.is_strong or _is_number(amendment.value) else foreign


def _is_number(text: str) -> bool:
    first = text.split()[0]
    return first[0].isdigit() or _cardinal(first) is not None


def _read_foreign(text: str) -> Amendment | None:
    found = foreign_amendments.read_opening(text) or foreign_amendments.read(text)
    if found is None:
        return None
    if _PATTERNS.amend_statement.match(found.value) and not word_forms.is_foreign(text):
        return None  # "we eat fish, no meat" is English, "ups, am 14. Mai" is not
    return Amendment(found.value, found.former, found.is_strong, is_foreign=True)


def after_opening(text: str) -> str:
    """What a message says after the correction that it opens with: it may state something of its own."""
    return _split_opening(text)[1] if _read_whole(text) is None and read(text) is not None else ""


def _split_opening(text: str) -> tuple[str, str]:
    """The first sentence, or what comes before a statement of its own, and the rest: "make that 35, I had …"."""
    parts = _PATTERNS.amend_rest.split(" ".join(text.replace("’", "'").split()), maxsplit=1)
    return parts[0], "".join(parts[1:])


def _read_whole(text: str) -> Amendment | None:
    text = " ".join(text.replace("’", "'").split())
    if len(text) > MAX_CHARS or "?" in text or _PATTERNS.amend_cue.search(text) is None or _EMOTE.fullmatch(text):
        return None
    if withdrawal := _PATTERNS.amend_withdrawal.fullmatch(text):
        return Amendment("", is_strong=True, is_denial=withdrawal["denial"] is not None)
    if over := _PATTERNS.amend_over.fullmatch(text):
        return Amendment("", over["former"], is_strong=True)
    match = _PATTERNS.amend_value.fullmatch(text)
    if match is None or not (match["lead"] or match["tail"] or match["former"] or "*" in text[:1] + text[-1]):
        return None
    value, former = (
        _PATTERNS.amend_lately.sub("", match["value"].strip(" *\"'")),
        (match["former"] or match["lead_former"] or "").strip(" .!"),
    )
    if not value or len(value.split()) > _MAX_VALUE_WORDS or _PATTERNS.no_correction.match(value):
        return None
    if _PATTERNS.amend_statement.match(value):  # "actually my favorite color is blue" says by itself what it means
        return None
    is_strong = bool(former) or _PATTERNS.amend_strong.search(f"{match['lead']} {match['tail']}") is not None
    is_starred = "*" in text[:1] + text[-1]
    return Amendment(value, former, is_strong or is_starred, is_spelling=is_starred and not is_strong)


def read_moved(text: str) -> tuple[str, str] | None:
    """What is at another time than it was said to be, and when: "the interview got moved to 10 March"."""
    match = (
        _PATTERNS.amend_moved.fullmatch(" ".join(text.replace("’", "'").split())) if len(text) <= MAX_CHARS else None
    )
    if match is None:
        return None
    return match["event"] or match["moved_event"], match["value"] or match["moved_value"]


def move(statement: str, text: str, said_at: datetime) -> tuple[str, date | None] | None:
    """The statement on another day, and that day; None unless a text moves what it is about."""
    event, value = read_moved(text) or ("", "")
    is_weekly = _PATTERNS.amend_weekly.fullmatch(value) is not None
    is_day = is_weekly or _ORDINAL.fullmatch(value) or dates.find(value, said_at, ahead=True)
    named = [word for word in word_forms.content_words(event) if word not in _TIME_WORDS]
    # "The flight" may be one of "flying to Oslo".
    is_meant = bool(named) and all(word_forms.is_stated(word, word_forms.tokens(statement)) for word in named)
    return amend(statement, Amendment(value), said_at) if is_day and is_meant else None


def amend(statement: str, amendment: Amendment, said_at: datetime) -> tuple[str, date | None] | None:
    """The statement with the right value, and the day that it names now; None unless it has a value of that sort."""
    if not amendment.value or not _names_former(statement, amendment.former, said_at):
        return None
    amended = None if amendment.is_foreign else _amend_english(statement, amendment, said_at)
    if amended is not None or amendment.is_spelling:
        return amended
    reading = foreign_amendments.Reading(amendment.value, amendment.former, amendment.is_strong)
    return foreign_amendments.amend(statement, reading, said_at)


def is_alike(statement: str, amended: str) -> bool:
    """Whether what a correction puts in is of the sort of what it takes out: a number, a day, a place or a given name
    for another, or a word that resembles it: raspberries for strawberries, but not for an aquarium.
    """
    before, after = statement.split(), amended.split()
    changes = [change for change in SequenceMatcher(None, before, after).get_opcodes() if change[0] != "equal"]
    out = [fold(word) for _, start, end, _, _ in changes for word in before[start:end]]
    into = [fold(word) for _, _, _, start, end in changes for word in after[start:end]]
    sorts = (lexicon.words("places"), lexicon.words("given_names"), lexicon.words("tools"), lexicon.words("weekdays"))
    if all(any(map(_is_figure, words)) for words in (out, into)):
        return True
    if any(not sort.isdisjoint(out) and not sort.isdisjoint(into) for sort in sorts):
        return True
    return any(get_close_matches(word, into, 1, _MIN_RESEMBLANCE) for word in out if len(word) > _MAX_SHORT)


def _is_figure(word: str) -> bool:
    return any(map(str.isdigit, word)) or _cardinal(word) is not None


def _amend_english(statement: str, amendment: Amendment, said_at: datetime) -> tuple[str, date | None] | None:
    value = _PATTERNS.amend_article.sub("", amendment.value)
    if (swapped := _put_in_place(statement, amendment)) is not None:
        return swapped, None
    dated = _amend_date(statement, amendment.value, said_at)
    if dated is not None or dates.find(amendment.value, said_at, ahead=True):
        return dated
    amended = _amend_number(statement, value)
    if amended is None and _cardinal(value.split()[0]) is None and not value[0].isdigit():
        amended = _amend_tool(statement, value) or _amend_name(statement, value) or _amend_words(statement, amendment)
    return None if amended is None or fold(amended) == fold(statement) else (amended, None)


def _put_in_place(statement: str, amendment: Amendment) -> str | None:
    """The value in place of the words that were wrong, where both have a preposition: "at Aldi, not Lidl"."""
    link = _PATTERNS.amend_preposition.match(amendment.value)
    name = amendment.value[link.end() :] if link else ""
    former = re.search(rf"(?<=\w )(?P<link>\w+) {re.escape(amendment.former)}$", statement, re.IGNORECASE)
    if not name[:1].isupper() or not amendment.former or former is None:
        return None
    is_linked = _PATTERNS.amend_preposition.match(f"{former['link']} ") is not None
    return f"{statement[: former.start()]}{link[0] if link else ''}{name}" if is_linked else None


def _names_former(statement: str, former: str, said_at: datetime) -> bool:
    """Whether a statement has the words that were wrong, or the day that they name: "Tuesday, not Monday"."""
    if not former or foreign_amendments.find_former(fold(statement), fold(former)):
        return True
    when = dates.find(former, said_at, ahead=True)
    day, month = _ISO_DATE.search(statement), _ISO_MONTH.search(statement)
    if when is None:
        return False
    if day:
        return date.fromisoformat(day[0]).weekday() == when.day.weekday() or day[0] == when.day.isoformat()
    return month is not None and int(month["month"]) == when.day.month


def _amend_date(statement: str, value: str, said_at: datetime) -> tuple[str, date | None] | None:
    iso, named = _ISO_DATE.search(statement), _PATTERNS.amend_day.search(statement)
    if (weekly := _PATTERNS.amend_weekly.search(statement)) and _PATTERNS.amend_weekly.fullmatch(value):
        is_each = weekly[0].lower().startswith("every")  # "every wednesday" becomes "every thursday"
        days = f"every {value.removeprefix('on ').rstrip('s')}" if is_each and " " not in value else value
        days = f"on {days}" if weekly[0].lower().startswith("on ") and not days.startswith("on ") else days
        return f"{statement[: weekly.start()]}{days}{statement[weekly.end() :]}", None
    if iso:
        day = _resolve_day(date.fromisoformat(iso[0]), value, said_at)
        return None if day is None else (f"{statement[: iso.start()]}{day}{statement[iso.end() :]}", day)
    month = _ISO_MONTH.search(statement)
    if month and fold(value) in lexicon.ordered_words("months"):
        number = lexicon.ordered_words("months").index(fold(value)) + 1
        return f"{statement[: month.start()]}{month['year']}-{number:02}{statement[month.end() :]}", None
    day = _PATTERNS.amend_day.fullmatch(value)
    if named is None or day is None:
        return None
    words = f"{named['month']} {day['only']}" if day["only"] else value[0].upper() + value[1:]
    return f"{statement[: named.start()]}{words}{statement[named.end() :]}", None


def _resolve_day(former: date, value: str, said_at: datetime) -> date | None:
    """The day that corrects another one: "Tuesday" is the next one to it, "the 24th" one of its month."""
    ordinal = _ORDINAL.fullmatch(value)
    if ordinal:
        is_in_month = 1 <= int(ordinal[1]) <= monthrange(former.year, former.month)[1]
        return former.replace(day=int(ordinal[1])) if is_in_month else None
    near = datetime.combine(former - timedelta(4), said_at.time(), said_at.tzinfo)
    is_weekday = fold(value.split()[-1]) in lexicon.words("weekdays")
    when = dates.find(value, max(said_at, near) if is_weekday else said_at, ahead=True)
    is_whole = when is not None and not when.start and when.end == len(value)
    return when.day if when is not None and is_whole else None


def _amend_number(statement: str, value: str) -> str | None:
    """A number for the only number; the words after it must be those that follow there."""
    first, _, unit = value.partition(" ")
    number = _NUMBER.fullmatch(value)
    if number is None and _cardinal(first) is None:
        return None
    new, unit = (number["number"], number["unit"]) if number else (first, unit)
    spans = [*(match.span("number") for match in _NUMBER.finditer(statement)), *_cardinal_spans(statement)]
    if len(spans) != 1 or _ISO_DATE.search(statement):
        return None
    start, end = spans[0]
    following = fold(statement[end:]).replace(" ", "")
    if unit.strip() and not following.startswith(fold(unit).replace(" ", "").rstrip("s")):
        return None
    return f"{statement[:start]}{new}{statement[end:]}"


def _cardinal(word: str) -> str | None:
    return word if fold(word) in lexicon.words("cardinals") else None


def _cardinal_spans(statement: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"[a-z]+", statement) if _cardinal(match[0])]


def _amend_name(statement: str, value: str) -> str | None:
    """A name for the name at the end, of the same sort: a place for a place, a person for a person."""
    first = fold(value.split()[0])
    is_place, is_person = first in lexicon.words("places"), first in lexicon.words("given_names")
    is_written_so = all(word[0].isupper() or word[0].isdigit() for word in value.split()) and first not in _NO_NAMES
    if not (is_written_so or ((is_place or is_person) and len(value.split()) == 1)):
        return None
    end = len(_DATED_END.sub("", statement))
    name = next((match for match in _NAME.finditer(statement, 0, end) if match.start() and match.end() == end), None)
    if name is None or value.endswith(("'s", "s'")):
        return None
    link = statement[: name.start()].rstrip()
    was_place = fold(name[0].split()[0]) in lexicon.words("places")
    if (is_place and not _PLACE_LINK.search(link)) or (is_person and not is_place and not _PERSON_LINK.search(link)):
        return None
    if was_place and is_person and not is_place:
        return None
    new = " ".join(word if word[0].isupper() else word.capitalize() for word in value.split())
    return f"{link} {new}{statement[end:]}"


def _amend_tool(statement: str, value: str) -> str | None:
    """A known tool for the only one that is named: "i mean postgres"."""
    tools = [word for word in statement.split() if word.strip(",.").lower() in lexicon.words("tools")]
    if fold(value) not in lexicon.words("tools") or len(tools) != 1 or fold(tools[0]) == fold(value):
        return None
    return statement.replace(tools[0], value)


def _amend_spelling(statement: str, value: str) -> str | None:
    """A word for the one that it resembles: "*separate" for "seperate"."""
    similar = get_close_matches(fold(value), map(fold, statement.split()), 1, _MIN_RESEMBLANCE)
    if len(value.split()) != 1 or not similar:
        return None
    return " ".join(value if fold(word) == similar[0] else word for word in statement.split())


def _amend_words(statement: str, amendment: Amendment) -> str | None:
    """Plain words for the value of a trait, or of any statement where the speaker says that it was wrong."""
    value = _PATTERNS.amend_article.sub("", amendment.value)
    if amendment.is_spelling:
        return _amend_spelling(statement, value)
    trait = _PATTERNS.amend_trait.match(statement)
    if trait:
        return f"{trait[0]}{value}"
    if not amendment.is_strong or not value[0].islower() or _POINTING.match(amendment.value):
        return None
    if amendment.value.lower().startswith("the ") and " the " not in statement:
        return None
    place = _PATTERNS.amend_at_work.search(statement)
    stated, where = (statement[: place.start()], place[0]) if place else (statement, "")
    ends = [match.end() for match in _PATTERNS.amend_link.finditer(stated)]
    cut = ends[-1] if ends else stated.find(" ") + 1
    tail = stated[cut:]
    is_parallel = tail and tail[0].islower() and len(tail.split()) <= _MAX_VALUE_WORDS
    return f"{stated[:cut]}{value}{where}" if is_parallel else None
