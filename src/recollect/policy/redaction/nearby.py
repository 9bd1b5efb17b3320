"""Values near a word for something that opens or authenticates, whatever the sentence: the last and most general rule.

A value is told by its shape alone: a few digits that are no year, amount, measure or number of something else, or
letters with digits as people choose for a password. A name such as "PIN" needs no joint before a value; a thing with a
lock or an account, such as "laptop", needs a word that hands the value over.
"""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.language.prefilter import literals_of
from recollect.policy.redaction.access import LOCKED_THING
from recollect.policy.redaction.code_values import AND_A_KEY, CODE, FOLLOWED, NAMED, any_of, is_code, is_handed
from recollect.policy.redaction.codes import PINS
from recollect.policy.redaction.mentioned import (
    NAMES,
    TOKEN_NAMES,
    is_other,
    is_word_with_digit,
    looks_secret,
)
from recollect.policy.redaction.opening_words import openings
from recollect.policy.redaction.shapes import is_only_a_password
from recollect.policy.redaction.span import Span
from recollect.policy.redaction.spoken_secrets import PASSWORDS

_REACH_AFTER, _REACH_BEFORE = 60, 40
_SENTENCE_END = lazy_pattern(r"[\n;]|(?<!\d)[.!](?=\s|$)")
_NAMES = lazy_pattern(
    rf"(?<!\w)(?:{PASSWORDS}|{PINS}|"
    + any_of(r"""
    two-?factor two-?step verify verification pin pin(?:i|im|imiz|in|imi) pin-?code pin-?nummer pin-?number puk
    otp totp 2fa mfa tan zugangscode sicherheitscode entsperrcode
    geheimzahl code+pin codes?+secret code+confidentiel digicode código+(?:secreto|pin) codice+(?:segreto|pin)
    kod+pin pin+kodu?
    """)
    + r")(?!\w)"
)
_LOCKED = lazy_pattern(r"(?<!\w)(?:is|are|was) (?:locked|secured|protected)(?: (?:with|by))?(?!\w)")
_ENDED_BY_A_KEY = lazy_pattern(rf"(?<![\w.,:/-])(?P<value>[0-9]{{4,8}})(?:#|{AND_A_KEY})")
"""Digits before the hash or star key: they open something, whatever it is."""
_ENTERED_FIRST = lazy_pattern(
    r"(?<!\w)(?:hit|press|punch|type|enter|tap|key in|tippe?|drücke?|tape[rz]?|fais|marca|teclea|digita|premi"
    r"|wpisz|wbij)s?(?: in)? (?P<value>[0-9]{4,8}),? (?:(?:and|und|et|y|e|a) )?"
    r"(?:then|dann|puis|luego|depois|poi|potem)(?!\w)"
)
"""Digits that are entered before something else is done."""
CHOSEN = lazy_pattern(r"[^\s|\"'`“”„«»(),;\u3000-\u9fff\uff00-\uffef]{6,64}")
DESIGNATION = lazy_pattern(r"[A-Z]{1,5}\d{2,5}[A-Z]{0,2}|[a-z]{2,8}-[a-z]+\d{1,2}|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+\d")
"""Colors, flights and models; hosts; what carries the number of its edition, as in "TypeScript5"."""
_ARTICLE = lazy_pattern(
    r"(?<!\w)(?:"
    + any_of("""
    an? any another our runs? running has have got bought ein eine einen hat habe läuft une? unos? uma? ho ha tem
    tiene tengo mam jest bir model size from since
    """)
    + r")\s$"
)
_PHRASE = lazy_pattern(
    r"(?<!\w)(?:pass ?phrase|(?:vault|recovery|unlock|wallet|encryption|security|secret|backup) phrase|kennphrase"
    r"|phrase (?:secrète|de passe)|frase (?:secreta|de paso|segreta))(?!\w)[^\n.!?;:]{0,40}?"
    r"(?:\s(?:is|was|lautet|ist|est|es|é|è)|\s?[:=])\s{1,2}[\"'`“]?"
    r"(?P<value>[^\W\d_]{3,12}(?:[ -][^\W\d_]{3,12}){2,7})(?=[\"'`”]?\s*(?:[.!,\n]|$))"
)
_SIDES = (
    r"left|right|links|rechts|gauche|droite|izquierda|derecha|esquerda|direita|sinistra|destra|lewo|prawo|sola|sağa"
    r"|右に|左に"
)
_TURN = lazy_pattern(
    rf"(?<![\w.,:/-])(?P<value>[0-9]{{1,2}})(?=,? (?:to the |nach |à |a la |alla |w )?(?:{_SIDES})\b)"
    rf"|(?:{_SIDES}) ?(?:a |auf |à |su |na )?(?P<turned>[0-9]{{1,2}})(?![\w.:-])(?! (?:de|of|years?|meters?)\b)"
)
_TURNED = lazy_pattern(
    r"(?<!\w)(?:"
    + any_of("""
    combination combo safe dial lock padlock vault tresor zahlenschloss coffre cadenas caja+fuerte candado cofre
    cassaforte sejf kasa 金庫 ダイヤル
    """)
    + r")(?!\w)"
)
_CODE_WORD = lazy_pattern(
    r"(?<!\w)(?:code|combo|codice|clave|c[óo]digo|senha|kod|key ?pad|key ?box|lock ?box|pad ?lock|tresor)(?!\w)"
)
_QUOTED_PHRASE = lazy_pattern(
    r"pass ?phrase(?:\s?(?::|=|→|->)|,? (?:is|ist|est|es))? [\"'`“„«](?P<value>[^\n\"`”“»]{6,100}?)[\"'`”“»]"
)
_MIN_TURNS = 2
_FAMOUS = lazy_pattern(
    r"(?<!\w)(?:uses?|used|try|tried|guess\w{0,2}|set it to|left it (?:at|on)|hat|nimmt|nahm|hatte|tape|a mis|met"
    r"|essaie|usa|pone|puso"
    r"|tiene|ha puesto|tem|pôs|botou|chutou|ha messo|mette|era|ma|ustawił\w?|wpisuje|odgadł\w?|kullanıyor|yapmış)"
    r"(?: (?:only|just|still|wszędzie|immer|überall|toujours|siempre|sempre))? "
    r"(?P<value>([0-9])\2{3,5}|12345?6?|4321|654321|2580)(?=\s?(?:$|[.,;!?)]|(?:for|on|everywhere|depuis|überall"
    r"|em|en|su|da|na|bei"
    r"|and|und|et|y|e|but|seit|desde)(?!\w)))"
)
_USED = r"(?<!\w)(?:use|used|benutze|nehme|nehm|verwende|nutze|utilise|mets|uso|usaba|używam|mam)"
_EVERYWHERE = (
    "(?:(?:for |on )?(?:pretty much |nearly |almost |basically )?(?:everywhere|everything|every (?:site|account|login)"
    "|all (?:my |the )?(?:sites|accounts|logins))|(?:fast |so ziemlich )?(?:überall|für alles)"
    "|(?:presque )?(?:partout|pour tout)|en todas partes|(?:para )?casi todo|para todo|em todo o lado"
    "|(?:para|pra) (?:quase )?tudo|ovunque|dappertutto|(?:quasi )?per (?:quasi )?tutto|wszędzie|do wszystkiego)"
)
_ITS_VALUE = r"[\"'`“„]?(?P<value>[^\s\"'`”“,]{6,64})[\"'`”“]?"
_USED_EVERYWHERE = tuple(
    lazy_pattern(pattern)
    for pattern in (
        rf"{_USED} (?:still )?{_ITS_VALUE} {_EVERYWHERE}(?!\w)",
        rf"{_USED} {_EVERYWHERE},? {_ITS_VALUE}",
    )
)
_USER_AND = lazy_pattern(
    r"(?<!\w)(?:(?P<user>user(?:name)?|benutzer|nutzer|utilisateur|usuario|usuário|utente|użytkownik|kullanıcı)"
    r"|log(?:ged|ging)? in (?:as|with)|jako|as(?= root)|con|com|avec|mit|with|root|admin|(?:do|na) \w+ jako)\s"
    r"(?:[\w.@-]{2,40}(?:,|,? (?:and|und|et|e|y|i|ve)) (?:then |dann |dahinter |puis |po )?"
    r"|(?:and|und|et|e|y|i|ve) )(?P<value>[^\s\"'`,;()]{6,64})"
)
"""A user's name and what stands behind it."""


def without_names(lower: str) -> str:
    """A text without the words for secrets and for what they open."""
    for pattern in (_NAMES, _CODE_WORD, LOCKED_THING, _LOCKED, NAMES, TOKEN_NAMES):
        lower = pattern.sub(" ", lower)
    parts: list[str] = []
    end = 0
    for word in sorted(word for word in openings(lower, 0, len(lower)) if word.is_thing):
        parts.append(lower[end : word.start])
        end = max(end, word.end)
    return " ".join([*parts, lower[end:]])


def phrase_spans(lower: str) -> Iterator[Span]:
    """Phrases of several words."""
    if "phras" in lower or "frase" in lower:
        for pattern in (_PHRASE, _QUOTED_PHRASE):
            yield from (Span(*match.span("value"), "password") for match in pattern.finditer(lower))


def turn_spans(lower: str) -> Iterator[Span]:
    """The numbers to which a lock is turned."""
    turns = list(_TURN.finditer(lower))
    if len(turns) >= _MIN_TURNS and _TURNED.search(lower):
        yield from (Span(*turn.span("value" if turn["value"] else "turned"), "PIN") for turn in turns)


def has_code(lower: str) -> bool:
    """Whether there is a number that may be a code."""
    return CODE.search(lower) is not None


def named_spans(lower: str) -> Iterator[Span]:
    """Codes behind their name."""
    for name in _NAMES.finditer(lower):
        yield from _after_name(name, lower)


def entered_spans(_: str, lower: str) -> Iterator[Span]:
    """Digits that are entered before a key, or before something else is done."""
    for pattern in (_ENDED_BY_A_KEY, _ENTERED_FIRST):
        yield from (Span(*match.span("value"), "PIN") for match in pattern.finditer(lower))


def famous_spans(_: str, lower: str) -> Iterator[Span]:
    """The codes that everybody knows, where somebody has one."""
    yield from (Span(*match.span("value"), "PIN") for match in _FAMOUS.finditer(lower))


def sign_spans(text: str) -> Iterator[Span]:
    """Values that are nothing but passwords."""
    for word in CHOSEN.finditer(text):
        value = word[0].rstrip(".,:;?")
        if is_only_a_password(value):
            yield Span(word.start(), word.start() + len(value), "password")


def everywhere_spans(text: str, lower: str) -> Iterator[Span]:
    """What somebody uses everywhere."""
    for pattern in _USED_EVERYWHERE:
        for match in pattern.finditer(lower):
            value = text[slice(*match.span("value"))]
            if looks_secret(value) and not DESIGNATION.fullmatch(value):
                yield Span(*match.span("value"), "password")


def user_spans(text: str, lower: str) -> Iterator[Span]:
    """What stands behind the name of a user."""
    for match in _USER_AND.finditer(lower):
        value = text[slice(*match.span("value"))].rstrip(".:?")
        around = openings(lower, max(0, match.start() - _REACH_AFTER), min(len(lower), match.end() + _REACH_BEFORE))
        is_about_access = match["user"] or any(word.is_thing for word in around)
        if is_about_access and (looks_secret(value) or is_word_with_digit(value)):
            yield Span(match.start("value"), match.start("value") + len(value), "password")


def _after_name(name: re.Match[str], lower: str) -> Iterator[Span]:
    _, end = _sentence(lower, name)
    for code in CODE.finditer(lower, name.end(), end):
        is_value = is_handed(code.start(), code.end(), lower) or FOLLOWED.match(lower, code.end())
        if is_value and is_code(code, lower):
            yield Span(*code.span("value"), "PIN")


def is_described(start: int, value: str, lower: str) -> bool:
    """Whether a word is named as something else: a device, a user, "a ThinkPad7", what is counted or installed."""
    before = lower[max(0, start - 24) : start]
    return (
        DESIGNATION.fullmatch(value) is not None
        or is_other(start, start + len(value), lower)
        or bool(NAMED.search(before) or _ARTICLE.search(before))
    )


def _sentence(lower: str, word: re.Match[str]) -> tuple[int, int]:
    """The part of the sentence around a word that is near it."""
    first, last = max(0, word.start() - _REACH_BEFORE), min(len(lower), word.end() + _REACH_AFTER)
    before = [match.end() for match in _SENTENCE_END.finditer(lower, first, word.start())]
    after = _SENTENCE_END.search(lower, word.end(), last)
    return before[-1] if before else first, after.start() if after else last


TURN_LITERALS = literals_of(_TURN)
VALUE_SEARCHES = {
    famous_spans: ("000", "111", "222", "333", "444", "555", "777", "888", "999", "1234", "4321", "2580"),
    entered_spans: literals_of(_ENDED_BY_A_KEY, _ENTERED_FIRST),
    everywhere_spans: literals_of(*_USED_EVERYWHERE),
    user_spans: literals_of(_USER_AND),
}
"""What else is searched for in a text with a code or a mixed word; each finds nothing without one of its literals."""
