"""Passwords that stand beside a user name: "login: ann / …", "sign in as root with …"."""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern

_NAMES = tuple("login cred zugang identif inlog logowan wifi wi-fi wlan ssid admin ssh".split())
_LOGIN = lazy_pattern(
    r"\b(?:login|logins|creds|credentials|zugangsdaten|identifiants|inloggegevens|dane (?:do )?logowania"
    r"|cred[ei]n[cz]ia[\w]{1,4}|wi-?fi|wlan|ssid|admin|ssh)(?: details"
    r"| data)?(?:(?: [^\W\d_]{1,12}){0,3}\s?[:=]|\s(?:is|are|ist|est|es|é|è))?\s?"
    r"[^\s/:]{2,60}(?:\s?/\s?|:|,? (?:and|und|et|y|e|i|ve) )([^\s/]{5,64})(?!/)"
)
_LOGIN_AFTER = lazy_pattern(
    r"(?<![^\s\"'`(*|])[\w.@-]{2,60}\s?[/:]\s?([^\s/]{5,64})\s(?:is|are|as|was"
    r"|for)\s(?:[\w'’-]{1,20}\s){0,4}(?:login|creds|credentials)\b"
)
_LOGGED_IN = lazy_pattern(
    r"\b(?:log|sign)(?:ging|ning|s)? ?in(?:to)? (?:(?:to |at |on |the |my )*[\w.-]{1,40} )?(?:as|with|using) "
    r"[\w.@+-]{2,80},? (?:(?:and|with|using|plus) (?:(?:the )?(?:password|pass|pw) )?)?(\S{6,64})"
)
_ROOT_LOGIN = lazy_pattern(
    r"(?<![\w/.:@-])(?:root|admin|administrator|user|test|guest|pi|postgres"
    r"|sa)\s?[/:]\s?(?=\S*[!@#$%^&*+?])([^\s/:]{6,64})"
)


def matches(lower: str) -> Iterator[re.Match[str]]:
    """Where the password of a login may stand, as the first group."""
    if any(name in lower for name in _NAMES):
        yield from _LOGIN.finditer(lower)
        yield from _LOGIN_AFTER.finditer(lower)
    if ("log" in lower or "sign" in lower) and (" as " in lower or " with " in lower or " using " in lower):
        yield from _LOGGED_IN.finditer(lower)
    yield from _ROOT_LOGIN.finditer(lower)
