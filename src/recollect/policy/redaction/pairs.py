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
    r"(?<!\w)(?:now|instead|changed|switched|become|or|jetzt|früher|vergiss|oder|ahora|antes|adesso|prima"
    r"|maintenant|avant"
    r"|agora|troquei|teraz|wcześniej|artık|önceden)(?!\w)|今は|前は"
)
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
            if _may_be_password(value[0].rstrip(".,?!:")) and not _ABBREVIATION.match(value[0])
        ]
        words = {_NUMBER.sub("", value.lower()) for _, value in values}
        is_same = len({value.lower() for _, value in values}) < len({value for _, value in values})
        if len(values) > 1 and (is_same or (len(words) > 1 and _CHANGED.search(lower, *clause.span()))):
            yield from (Span(at, at + len(value), "password") for at, value in values)


def _may_be_password(value: str) -> bool:
    if THING.fullmatch(value) or DESIGNATION.fullmatch(value) or TECHNICAL.fullmatch(value):
        return False
    return looks_secret(value) or is_word_with_digit(value) or is_weak(value)


def _has_other_thing(pair: re.Match[str], lower: str) -> bool:
    line = lower.rfind("\n", 0, pair.start()) + 1
    return any(word.is_thing for word in openings(lower, line, pair.start()))
