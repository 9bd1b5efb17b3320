"""Values that stand in pairs: a user's name and a password, an old password and the new one."""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.mentioned import THING, is_word_with_digit, looks_secret
from recollect.policy.redaction.nearby import CHOSEN, DESIGNATION
from recollect.policy.redaction.opened import CLAUSE, TECHNICAL, is_weak
from recollect.policy.redaction.opening_words import openings
from recollect.policy.redaction.shapes import DESCRIBES
from recollect.policy.redaction.span import Span

_DEFAULT = r"admin|administrator|root|pi|postgres|guest|gast\w{0,2}|invité|invitado|ospite|sa"
_VALUE = r"(?P<value>[^\s/\"'`,;:()<>|+=]{4,32})(?=[\"'`]?(?:[\s,;.)]|$))"
_SLASHED = lazy_pattern(
    rf"(?<![\w/.:@-])(?:(?P<default>{_DEFAULT})|(?P<user>(?=\w{0, 12}[.@\d])\w[\w.@-]{1, 32}))\s?/\s?{_VALUE}"
)
"""As in "admin / epson" and "tsmith27 / lunch#4"; a name without a digit or a dot is half of "and/or"."""
_BEHIND_ADDRESS = lazy_pattern(
    rf"[\w.+-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,4}}(?:,| (?:and|y|e|et|und|ve|i))\s{_VALUE}"
)
_THEN = lazy_pattern(
    r"(?<!\w)(?:as|come|comme|avec|jako|kullanıcı|user(?:name)?|usuario|id|matrícula|étudiant|ssh"
    r"|socio)(?:\s(?P<user>[\w.@-]{2,40}))?,?\s"
    rf"(?:and|then|e poi|poi|puis|y luego|y|ve|und|dann|potem|depois),?\s(?:type\s)?{_VALUE}"
)
_ROLES = frozenset(
    "user users moderator mod owner staff member members guest host support editor viewer writer".split()
)
_CHANGED = lazy_pattern(
    r"(?<!\w)(?:now|instead|changed|switched|become|jetzt|früher|vergiss|ahora|antes|adesso|prima"
    r"|maintenant|avant"
    r"|agora|troquei|teraz|wcześniej|artık|önceden)(?!\w)|今は|前は"
)
_IDENTIFIER = lazy_pattern(r"[a-z]+\d*(?:[_.:/-][a-z\d]+)+(?:\.\w+)*|\w+(?:\.\w+)*\.[A-Z]\w+")
"""Tables, files, models, people and errors, as in "users_v2", "bge_small_384.onnx" and "sqlite3.OperationalError"."""
_UNNAMED = lazy_pattern(
    r"(?:^|[,;:!?]\s?|(?<!\w)(?:it|that|this|es|das|ça|ce|eso|era|isso|questo|to|bu)(?:['’]s)?\s)"
    r"(?:(?:was|is|used to be|war|ist|est|était|es|era|é|è|byłe?o?|jest|becomes?)\s)?"
    r"(?:(?:once|es|das|now|first|früher)\s)?$|[前今]は$"
)
"""Before the first value, where nothing says what it is of: "it was …". Players and devices have names with digits."""
_ABBREVIATION = lazy_pattern(r"[A-Z]{2}")
_IS_USER = lazy_pattern(r"[a-z]+\d+")
_NUMBER = lazy_pattern(r"\d+")


def spans(text: str, lower: str) -> Iterator[Span]:
    """The passwords of pairs."""
    for pair in _SLASHED.finditer(lower) if "/" in text else ():
        value = text[slice(*pair.span("value"))]
        is_plain = pair["default"] and value.isalpha() and value not in _ROLES | DESCRIBES
        if _may_be_password(value) or (is_plain and _has_other_thing(pair, lower)):
            yield Span(*pair.span("value"), "password")
    for pattern in (_BEHIND_ADDRESS, _THEN):
        for pair in pattern.finditer(lower):
            value = text[slice(*pair.span("value"))].rstrip(".?")
            if _may_be_password(value) and not _IS_USER.fullmatch(value):
                yield Span(*pair.span("value"), "password")


def changed_spans(text: str, lower: str) -> Iterator[Span]:
    """The old and the new value, where two of them stand in a sentence."""
    for clause in CLAUSE.finditer(lower):
        values = [
            (value.start(), value[0].rstrip(".,?!:"))
            for value in CHOSEN.finditer(text, *clause.span())
            if _may_be_password(value[0].rstrip(".,?!:")) and not _names_something(value[0].rstrip(".,?!:"))
        ]
        words = {_NUMBER.sub("", value.lower()) for _, value in values}
        is_same = len({value.lower() for _, value in values}) < len({value for _, value in values})
        is_changed = len(words) > 1 and _CHANGED.search(lower, *clause.span()) is not None
        if len(values) > 1 and (is_same or is_changed) and _UNNAMED.search(lower[clause.start() : values[0][0]]):
            yield from (Span(at, at + len(value), "password") for at, value in values)


def _names_something(value: str) -> bool:
    return _ABBREVIATION.match(value) is not None or _IDENTIFIER.fullmatch(value) is not None


def _may_be_password(value: str) -> bool:
    if THING.fullmatch(value) or DESIGNATION.fullmatch(value) or TECHNICAL.fullmatch(value):
        return False
    return looks_secret(value) or is_word_with_digit(value) or is_weak(value)


def _has_other_thing(pair: re.Match[str], lower: str) -> bool:
    line = lower.rfind("\n", 0, pair.start()) + 1
    return any(word.is_thing for word in openings(lower, line, pair.start()))
