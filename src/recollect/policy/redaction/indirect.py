"""Secrets without a name beside them: in a column of a table or behind an address of mail."""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.shapes import SOFTWARE
from recollect.policy.redaction.span import Span

_COLUMN = lazy_pattern(
    r"\W*(?:(?:user|db|root|wi-?fi|account|admin|login|my|new) ?)?(?:pass ?(?:word|code|phrase|wd)|passwort|kennwort"
    r"|pw|pwd|pass"
    r"|contrase[ñn]a|clave|senha|mot de passe|mdp|password|has[łl]o|şifre|wachtwoord|пароль|密码|パスワード|pin"
    r"|secret|api[ _-]?key|token|cvv|cvc)\W*"
)
_COLUMN_STEMS = tuple(
    "pa pw key senha clave pin secret token cv mdp mot has şifre wacht парол 密码 パスワード kennwort contrase".split()
)
_SEPARATORS = ("|", "\t", ";", ",")
_AMBIGUOUS = lazy_pattern(r"\W*(?:pin|token|secret|pass|clave)\W*")
"""A heading that may name something else: its values have to look like secrets."""
_EMPTY = lazy_pattern(
    r"[\s:|*•xX.…_?-]*|<[^>]*>|(?:none|null|n/?a|todo|tbd|yes|no|required|string|varchar.*|text|\d{1,2})"
)

_CODE_SIGN = lazy_pattern(r"[(){}=]|^\s{2}")

_EMAIL = lazy_pattern(
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\s?(?:/|\||,? (?:and|with|pw|pass)) ?"
    r"(?P<value>[^\s/|@]{6,64})(?![/@])"
)
_NET_USER = lazy_pattern(r"\bnet user [\w.-]{1,60} (?P<value>[^\s/*][^\s]{2,63})")


LITERALS = ("\n", "net user", "@")
"""A text without any of these has no such secret."""


def spans(text: str, lower: str) -> Iterator[Span]:
    """The values of such secrets."""
    yield from _columns(lower)
    if "net user" in lower:
        yield from _values(_NET_USER, text, lower)
    if "@" in text:
        yield from _values(_EMAIL, text, lower)


def _values(pattern: re.Pattern[str], text: str, lower: str) -> Iterator[Span]:
    for match in pattern.finditer(lower):
        value = text[match.start("value") : match.end("value")].rstrip(".,;:!?)]}\"'`")
        if _looks_secret(value):
            yield Span(match.start("value"), match.end("value"), "password")


def _looks_secret(value: str) -> bool:
    """Letters with digits, or a combination of numbers; no name of a thing such as "4K" or a time."""
    if re.fullmatch(r"\d{1,2}(?:-\d{1,2}){2,4}", value):
        return True
    if SOFTWARE.fullmatch(value):
        return False
    mixed = re.search(r"\d", value) and re.search(r"[^\W\d_]", value)
    return bool(mixed) and not re.fullmatch(
        r"\d+\w{0,12}|[a-z]{1,12}-?\d{1,2}|v?\d+(?:[.:/-]\d+)+\w{0,3}|.*://.*|.*\.\w{2,4}", value.lower()
    )


def _columns(lower: str) -> Iterator[Span]:
    """The cells below a heading that names a secret, in a table or in comma-separated lines."""
    if "\n" not in lower or not any(stem in lower for stem in _COLUMN_STEMS):
        return
    columns: dict[int, str] = {}
    separator, count = "", 0
    for line in re.finditer(r"[^\n]+", lower):
        if columns and line[0].count(separator) == count:
            yield from _cells(line, separator, columns)
            continue
        separator = next((sign for sign in _SEPARATORS if sign in line[0]), "")
        if separator in (",", ";") and _CODE_SIGN.search(line[0]):
            separator = ""  # the parameters of a function
        cells, count = line[0].split(separator) if separator else [], line[0].count(separator)
        columns = {index: cell for index, cell in enumerate(cells) if _COLUMN.fullmatch(cell)}


def _cells(row: re.Match[str], separator: str, columns: dict[int, str]) -> Iterator[Span]:
    start = row.start()
    for index, cell in enumerate(row[0].split(separator)):
        value = cell.strip(" \t\"'`*")
        if index in columns and not _EMPTY.fullmatch(value) and "[redacted" not in value:
            is_plain = _AMBIGUOUS.fullmatch(columns[index]) and not re.search(
                r"\d{4}|\d\D*[^\W\d_]|[^\W\d_]\D*\d", value
            )
            if not is_plain:
                at = start + cell.index(value)
                yield Span(at, at + len(value), "password")
        start += len(cell) + len(separator)
