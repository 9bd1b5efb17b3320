"""Values shaped like a chosen password, wherever they stand around the name of one: before it, behind it, in the next
sentence or line, in brackets or in a table.

The shape decides, so the words between need not be known; what is named as something else is left alone.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.shapes import SOFTWARE, looks_chosen
from recollect.policy.redaction.span import Span
from recollect.policy.redaction.spoken_secrets import PASSWORDS

_REACH, _MIN_CHARS, _MIN_HYPHENS = 100, 6, 4
_MISTYPED = r"p[as]{1,4}o?w[ordt]{0,4}s?|pwr?ds?|[sş]ifre\w{0,6}|snmp community"
NAMES = lazy_pattern(
    rf"(?<![a-zß-ÿ0-9_$/.])(?<!--)(?<!\s-)(?:{PASSWORDS}|passwords|{_MISTYPED}|pws?|p/w|psw|pass(?!\s(?:the|a|it"
    rf"|me|on|by|out"
    rf"|over|through|rate|for)\b)"
    r"|creds?|credentials?|log-?ins?(?=[ :])|pin|puk|wpa2?|psk"
    r"|zugangsdaten|zugang(?:swort)?|kennwort|losungswort|codewort|anmeldedaten|pw['’]s|kennwörter|passwörter"
    r"|contra|clave|contraseñas|senhas|identifiants|credenciais|credenciales|credenziali|parola|parolam|hasłem|haseł"
    r"|(?:wi-?fi|wlan|network|netzwerk|vault|zip|archive|router|disk|backup|encryption) (?:key|code)"
    r"|(?:key|code|chiave|clave|cl[ée]f?|chave|klucz|schlüssel) (?:\w{1,5} ){0,2}(?:wi-?fi|wlan|network|rete|red"
    r"|réseau)"
    r"|(?:wi-?fi|wlan|ssid|hotspot|wpa\d?)[^\n.]{0,30}?[ ,;](?:key|chiave|clave|cl[ée]f?|klucz|schlüssel|chave)"
    r"|(?:keepass\w{0,2}|bitwarden|lastpass|1password|enpass|vault)(?: master)?(?=\s?(?:[:=→]|->))"
    r"|wlan-?schlüssel|wifi anahtarı|wi-?fiは|u(?:se?r)?\s?[:=]\s?\S{1,40}\s+p(?:w|ass)?(?=\s?[:=])|encrypted"
    r"|verschlüsselt|chiffrée?|パス|合言葉)(?![a-zà-ÿ0-9_(\[]|\.\w)"
)
TOKEN_NAMES = lazy_pattern(
    r"(?<![a-z0-9_$/.-])(?<!public )(?:tokens?|secrets?|keys?|schlüssel|cl[ée]s?|chiave|clave|chave|klucz"
    r"|anahtar\w{0,3}|jetons?|appid|apikey)(?![\w(\[]|\.\w)|(?:api|アクセス|シークレット)キー|トークン|シークレット|鍵"
)
_RANDOM = lazy_pattern(r"(?=\S*[a-z])(?=\S*[A-Z])(?=(?:\D*\d){2})(?!\w+(?:-[A-Za-z]+)+)[A-Za-z0-9_+/=-]{10,64}")
_ITEM = (
    r"(?:(?:capital|upper ?case|lower ?case|big|small|gro(?:ß|ss)es?|klein(?:es)?) )?[^\W_]"
    r"(?: (?:as in|wie|like|comme|como|come) \w{2,12})?"
)
_SPELLED = lazy_pattern(
    rf"(?<![\w.,:/'’-]){_ITEM}(?:(?:\s?[,-]\s?|\s)(?:then |and |und |dann )?{_ITEM}){{4,31}}(?![\w'’-])"
)
_VALUE = lazy_pattern(r"[^\s\"'`“”„«»(),;|<>\u3000-\u9fff\uff00-\uffef]{6,64}")
_SETTING = lazy_pattern(r"[\w.-]+[=:]+(?=.)")
_FIELD = lazy_pattern(
    r"(?:key|token|secret|passw\w{0,4}|pwd)[\"']?,?\s{1,20}[\"']?value[\"']?\s?[:=]\s?[\"']?(?P<value>[^\s\"']{6,400})"
)
"""The name in one field of a record, and the value in the next."""
_SENTENCE_END = lazy_pattern(r"\n|(?<!\d)[.!?](?=\s)")
THING = lazy_pattern(
    r"(?:0x)?[0-9a-f]{6,64}|[0-9a-f]{8}-[0-9a-f-]{27}|[a-z]{2,12}-[a-z]{0,2}\d{2,5}[a-z]{0,2}|[a-z]{3,}\d+(?:\.\d+)+"
    r"|(?:keepass|bitwarden|lastpass|1password|dashlane|nordpass|enpass|vaultwarden|sha|md|bcrypt|argon|pbkdf)[\w.-]*"
    r"|(?-i:(?:[a-z]+:)+[A-Za-z0-9]{16,})|\d+-[a-z]+|[a-z]{2,}-\d\w{0,3}(?:-\d+)+|(?-i:[A-Z0-9]+(?:-[A-Z0-9]+){1,2}|AAAA[BCE]3NzaC1\S*|[0-9a-zA-Z/+]{60,})"
    r"|.*\.(?:appimage|tar\.\w+|[a-z0-9]{2,4})|(?-i:[a-z]+(?:-[a-z]+)+-v?\d{1,5})|[qh][1-4]-\d{4}",
    re.IGNORECASE,
)
"""Checksums, ids, models and tickets such as "T-480", software, files."""
_OTHER = lazy_pattern(
    r"(?<!\w)(?:user(?:name)?s?|account|nick(?:name)?|handle|gamertag|called|named|name|ssid|host|hostname|server"
    r"|node"
    r"|box|machine|model|version|release|tag|branch|commit|ticket|issue|bug|order|invoice|serial|sku|part|room|flight"
    r"|train|gate|license plate|booking|id|device|printer|router|phone|laptop|team|player|benutzer(?:name)?|nutzer"
    r"|konto|rechner|gerät|modell|heißt|heisst|utilisateur|compte|nommé|modèle|usuario|cuenta|modelo|usuário|conta"
    r"|utente|modello|użytkownik|kullanıcı|(?<!ask )(?<!asks )for|of|on|at|für|von|bei|pour|chez|para|del?|dla|as|in"
    r")[ :=]{1,2}$"
)
_OWNER = lazy_pattern(r"['’]s\b|\s(?:user|account|server|branch|release|build|ticket|router|printer|phone|laptop)\b")


def spans(text: str, lower: str) -> Iterator[Span]:
    """The values of such a shape near a name, in a text with letters beside digits."""
    chosen = [(at, value) for at, value in map(value_of, _VALUE.finditer(text)) if looks_secret(value)]
    if not chosen:
        return
    for name in NAMES.finditer(lower):
        yield from _near(name, chosen, lower)
    keys = [(at, value) for at, value in chosen if _RANDOM.fullmatch(value)]
    for name in TOKEN_NAMES.finditer(lower) if keys else ():
        yield from _near(name, keys, lower)


def field_spans(text: str, lower: str) -> Iterator[Span]:
    """Values in the field after the one with their name, in a text that may name a secret."""
    for field in _FIELD.finditer(lower) if "value" in lower else ():
        if looks_secret(text[slice(*field.span("value"))]):
            yield Span(*field.span("value"), "secret")


def spelled_spans(lower: str) -> Iterator[Span]:
    """Values told sign by sign, as "k as in kilo, 7, r, 9" or "s-u-n-9", in a text that may name a secret."""
    for spelled in _SPELLED.finditer(lower):
        if _is_spelled(spelled[0]) and NAMES.search(lower, *_around(lower, *spelled.span())):
            yield Span(*spelled.span(), "password")


def _is_spelled(signs: str) -> bool:
    """Letters and digits, or letters joined by hyphens; the letters of a list or a scale are no word."""
    return (
        bool(re.search(r"\d", signs) and re.search(r"(?<!\w)[^\W\d](?!\w)", signs)) or signs.count("-") >= _MIN_HYPHENS
    )


def looks_secret(value: str) -> bool:
    """Whether a word has the shape of a chosen password; a checksum and an id in hexadecimal digits have not."""
    return len(value) >= _MIN_CHARS and looks_chosen(value) and not THING.fullmatch(value)


def is_word_with_digit(value: str) -> bool:
    """A word and a digit, as in "strawberry7"; weaker than `looks_secret`."""
    return (
        re.fullmatch(r"[^\W\d_]{5,20}\d", value) is not None
        and not SOFTWARE.fullmatch(value)
        and not THING.fullmatch(value)
    )


def _near(name: re.Match[str], values: list[tuple[int, str]], lower: str) -> Iterator[Span]:
    start, end = _around(lower, *name.span())
    for at, value in values[bisect_left(values, (start, "")) :]:
        if at >= end:
            return
        if at + len(value) <= end and not is_other(at, at + len(value), lower):
            yield Span(at, at + len(value), "password")


def value_of(token: re.Match[str]) -> tuple[int, str]:
    """Where a value begins, and the value: behind the name of a setting, without the punctuation after it."""
    setting = _SETTING.match(token[0])
    start = setting.end() if setting else 0
    return token.start() + start, token[0][start:].rstrip(".,:;?*")


def is_other(start: int, end: int, lower: str) -> bool:
    """Whether a value is named as something else: a user, a device, a version."""
    return bool(_OTHER.search(lower, max(0, start - 24), start) or _OWNER.match(lower, end))


def _around(lower: str, start: int, end: int) -> tuple[int, int]:
    """The sentence of a name with the one before and the two after, within reach."""
    first, last = max(0, start - _REACH), min(len(lower), end + _REACH)
    before = [match.end() for match in _SENTENCE_END.finditer(lower, first, start)]
    after = [match.start() for match in _SENTENCE_END.finditer(lower, end, last)]
    return before[-2] if len(before) > 1 else first, after[2] if len(after) > 2 else last
