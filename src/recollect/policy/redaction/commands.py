"""Secrets in what people paste: command lines, HTTP headers, Wi-Fi codes, markup, passwords in URLs.

A tool takes its password behind an option of its own, so the tool is named with the option.
"""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.shapes import looks_chosen
from recollect.policy.redaction.span import Span

_VALUE = r"(?:\"([^\"\n]{3,200})\"|'([^'\n]{3,200})'|([^\s\"'|;&<>]{3,200}))"
_ARGS = r"\b[^\n|;]{0,200}?\s"
_COMMANDS = tuple(
    (tools.split(), lazy_pattern(pattern))
    for tools, pattern in (
        ("mysql", rf"\b(?:mysql|mysql(?:dump|admin|import|check|show)){_ARGS}-p(?!\s){_VALUE}"),
        ("mariadb", rf"\bmariadb(?:-\w+)?{_ARGS}-p(?!\s){_VALUE}"),
        ("sshpass", rf"\bsshpass{_ARGS}-p\s?{_VALUE}"),
        (
            "docker podman nerdctl registry oc az cf skopeo crane",
            rf"\b(?:docker|podman|nerdctl|helm registry|oc|az(?: acr)?|cf|skopeo"
            rf"|crane auth){_ARGS[2:-2]}login{_ARGS}-p\s{_VALUE}",
        ),
        ("mongo", rf"\bmongo(?:sh|dump|restore|import|export)?{_ARGS}-p\s?{_VALUE}"),
        ("cqlsh", rf"\bcqlsh{_ARGS}-p\s?{_VALUE}"),
        ("htpasswd", rf"\bhtpasswd\s-\w*b\w*{_ARGS}\S+\s\S+\s{_VALUE}"),
        ("redis-cli", rf"\bredis-cli{_ARGS}-a\s{_VALUE}"),
        ("ldap", rf"\bldap(?:search|modify|add|delete|passwd|whoami){_ARGS}-w\s?{_VALUE}"),
        ("openssl", rf"\bopenssl{_ARGS}(?:-k\s|-pass(?:in|out)?\spass:){_VALUE}"),
        (
            "smbclient rpcclient smbmap rpc",
            rf"\b(?:smbclient|rpcclient|smbmap|net rpc){_ARGS}-U\s?[^\s%]{{1,60}}%{_VALUE}",
        ),
        ("use", rf"\bnet use\s(?:\S+\s)?\\\\\S+\s(?!/){_VALUE}"),
        (
            "curl http xh wget",
            rf"\b(?:curl|http|https|xh|wget){_ARGS}(?:-u|-a|--user|--auth|--proxy-user"
            rf"|-U)[ =]?[\"']?[^\s:\"']{{1,100}}:(?!//){_VALUE}",
        ),
        ("lftp", rf"\blftp{_ARGS}-u\s[^\s,]{{1,60}},{_VALUE}"),
        (
            "zip sqlcmd bcp isql ipmitool mosquitto_",
            rf"\b(?:zip|unzip|sqlcmd|bcp|isql|ipmitool|mosquitto_(?:pub|sub)){_ARGS}-P\s?{_VALUE}",
        ),
        ("7z rar", rf"\b(?:7z|7za|rar|unrar){_ARGS}-h?p(?!\s){_VALUE}"),
        ("freerdp mstsc", rf"\b(?:xfreerdp|wfreerdp|mstsc){_ARGS}/p:{_VALUE}"),
        (
            "rdesktop kadmin kinit pg_ snmp",
            rf"\b(?:rdesktop|kadmin|kinit|pg_\w+|snmp\w+){_ARGS}(?:-p|-w|-A|-X)\s{_VALUE}",
        ),
        (
            "keytool jarsigner",
            rf"\b(?:keytool|jarsigner){_ARGS}-(?:store|key|deststore|srcstore)pass(?:word)?\s{_VALUE}",
        ),
        (
            "sqlplus expdp impdp sqlldr",
            r"\b(?:sqlplus|expdp|impdp|sqlldr)\s(?:-\w+\s)?[\w$]{1,40}/([^\s@/]{3,100})(?=@|\s|$)",
        ),
        ("chpasswd", r"\becho\s[\"']?[\w.-]{1,40}:([^\s\"']{3,100})[\"']?\s?\|\s?(?:sudo\s)?chpasswd"),
        ("useradd usermod", rf"\buser(?:add|mod){_ARGS}-p\s{_VALUE}"),
        ("jdbc:oracle", r"\bjdbc:oracle:\w+:[\w$]{1,40}/([^\s@/]{3,100})(?=@)"),
        ("sudo", rf"\becho\s{_VALUE}\s?\|\s?sudo\s(?:-\w+\s)?-S"),
        ("passwd", rf"\becho\s-?e?\s?{_VALUE}\s?\|\s?(?:sudo\s)?passwd"),
        ("wpa_passphrase", rf"\bwpa_passphrase\s(?:\"[^\"\n]+\"|\S+)\s{_VALUE}"),
        ("-setairport", rf"-setairportnetwork\s\S+\s(?:\"[^\"\n]+\"|\S+)\s{_VALUE}"),
        ("vault", rf"\bvault login\s(?:-\S+\s)?{_VALUE}"),
        ("alias", rf"\bmc alias set(?:\s\S+){{3}}\s{_VALUE}"),
        ("from-literal", rf"--from-literal[= ][\"']?[\w.-]{{1,60}}={_VALUE}"),
        ("configure", rf"\baws configure set \S*(?:secret|token)\S*\s{_VALUE}"),
        (
            "identified user role",
            r"(?i:identified\s(?:with\s\S+\s)?by|(?:user"
            r"|role)\s\S+\s(?:with\s)?(?:encrypted\s)?password)\s'([^'\n]{3,200})'()()",
        ),
        (
            ":543 :6432 :*:",
            r"(?<!\S)[\w.*-]{1,100}:(?:543\d|6432|\*):[\w*$-]{1,60}:[\w*.-]{1,60}:([^\s:]{3,200})",
        ),  # .pgpass
        ("requirepass masterauth", rf"\b(?:requirepass|masterauth)\s{_VALUE}"),
    )
)
_WIFI_NAMES = (
    "wifi",
    "wi-fi",
    "wpa",
    "wep",
    "wlan",
    "ssid",
    "hotspot",
    "router",
    "network",
    "psk",
    "netzwerk",
    "sae_",
    "passphrase",
)
_OPTION_SIGNS = (
    "alias set",
    *(" -", " /", "|", "\\\\", "\n-", "\t-", "requirepass", "masterauth", "jdbc:oracle", "sqlplus", "expdp", "impdp"),
    *("login", "passphrase", "identified", "password '"),
    *(":543", ":6432", ":*:"),
)
"""A cheap test: no command that holds a password is without one of these."""
_OPTION = lazy_pattern(
    r"(?<=[-/])(?:password|passwd|passwort|pass|pwd|passphrase|token|secret|api-?key|access-?key|secret-?key"
    r"|auth-token|(?:de|en)cryption_key)"
    rf"[ =:]{_VALUE}"
)
_HEADER = lazy_pattern(
    r"\b(?:proxy-)?authorization[\"']?\s?[:=]\s?[\"']?(?:basic|bearer|token|digest|apikey|api-key|bot"
    r"|aws4-hmac-sha256|negotiate|ntlm|key|sso-key|genie"
    r"key|splunk|oauth)\s{1,2}([^\s\"',;]{8,4000})",
    re.IGNORECASE,
)
_BARE_HEADER = lazy_pattern(r"\bauthorization\s?:\s?([\w.+/=-]{20,4000})", re.IGNORECASE)
_AUTH_FIELD = lazy_pattern(
    r"(?<!\w)_?auth(?:[_-]?(?:token|key))?[\"']?\s?[:=]\s?[\"']?([\w+/=-]{16,400})", re.IGNORECASE
)
_SECRET_ARGUMENT = lazy_pattern(
    r"(?<!\w)_?auth(?:[_-]?(?:token|key))?\s?=\s?[\"']([^\s\"']{8,400})[\"']", re.IGNORECASE
)
_SIGN_IN_CALL = lazy_pattern(r"(?:connect|log_?in|authenticate|sign_?in)\w{0,12}\(([^()\n]{0,300})\)", re.IGNORECASE)
_QUOTED = lazy_pattern(r"(?<![=\w])[\"']([^\s\"']{8,100})[\"']")
_VARIABLE = lazy_pattern(
    r"(?<![\w-])(?:env|arg|setx?|export)\s+\w*(?:pw|pass|passwd|password|pwd|passphrase|salt|pepper)(?:=|\s+)"
    r"[\"']?([^\s\"']{6,200})",
    re.IGNORECASE,
)
_TOKEN_HEADER = lazy_pattern(r"(?<=-)(?:key|token|secret|signature|auth)\s?:\s?([^\s\"',;]{12,4000})")
_COOKIE = lazy_pattern(r"\b(?:set-)?cookie2?[\"']?\s?:\s?([^\n\"]{8,4000})", re.IGNORECASE)
_CRUMB = lazy_pattern(r"([\w.-]{1,64})=([^\s;,]{12,2000})")
_SESSION = lazy_pattern(
    r"\b(?:phpsessid|jsessionid|connect\.sid|asp\.net_sessionid|session_?id|sid|auth_token"
    r"|csrftoken)=([^\s;,&\"']{12,500})"
)
_WIFI = lazy_pattern(r"\bWIFI:(?:[^\n;]|\\;){0,100};.{0,300}", re.IGNORECASE)
_WIFI_PASSWORD = lazy_pattern(r"(?<=[;:])(?:P|PH2|I|A):((?:[^;\\\n]|\\.){3,100})")
_WIFI_KEY = lazy_pattern(
    r"\b(?:wpa[23]?(?:-psk)?|wep|wi-?fi|wlan|ssid|hotspot|router|network)\b[:=]?[^\n:=]{0,40}?\b(?:key|psk|code"
    r"|schlüssel)(?:(?:\s[a-z]{1,10}){0,4}?\s(?:is|says|reads|lautet)\s|\s?[:=]\s?|\s)\"?([^\s\"]{8,63})"
    r"|\b(?:clé|clef|cl[ée]|code)\s(?:du\s|de\sla\s)?(?:wi-?fi|wpa2?)\s?(?:est\s"
    r"|c['’]est\s)?[:=]?\s?([^\s\"]{8,63})|\b(?:wlan|wi-?fi"
    r"|netzwerk)-?schlüssel\s?(?:ist|lautet|:)?\s?([^\s\"]{6,63})"
    r"|\b(?:clave|chave|chiave|klucz)\s(?:del?|do|da|di)?\s?(?:la\s)?wi-?fi\s?(?:es|é|è"
    r"|to)?\s?[:=]?\s?([^\s\"]{8,63})"
    r"|\b(?:psk|wpa_?psk|sae_password|passphrase)\s?=\s?\"?([^\s\"]{6,63})",
    re.IGNORECASE,
)
_MARKUP = lazy_pattern(
    r"<([\w:.-]{0,40}(?:password|passwd|pwd|secret|token|apikey|api_key"
    r"|privatekey)[\w:.-]{0,20})[^<>]{0,80}>([^<\n]{3,400})</",
    re.IGNORECASE,
)
_ADDRESS = lazy_pattern(r"(?<=://)[^\s/:@\"'<>]{0,100}:([^\s\"]{1,200})@(?=[\w\[$.%-])")
_OTPAUTH = lazy_pattern(r"otpauth(?:-migration)?://\S{0,200}?[?&](?:secret|data)=([\w%+/=-]{8,400})", re.IGNORECASE)
_EMAIL_PAIR = lazy_pattern(r"(?<![\w/:.])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}[:|]([^\s/:|]{6,64})(?!\S*/)")
_QUERY = lazy_pattern(
    r"(?:[?&;]|(?<!\S))(?:[\w.-]{0,20}(?:password|passwd|pwd|secret|token|apikey|api_key|access_key|auth|signature"
    r"|sig))=([^\s&;\"'#]{6,2000})",
    re.IGNORECASE,
)
_PLACEHOLDER = lazy_pattern(
    r"[*•xX.…_?-]{2,}|[<{$%\[(].*|https?:.*|(?:your|my)[-_].*|\.{3}|(?:password|passwd|pass|secret|token|true"
    r"|false|none|null)|[a-z]+_(?:token|key|secret|password)",
    re.IGNORECASE,
)
_PORT_AND_PATH = lazy_pattern(r"\d{1,5}[/<>?#].*|[^@]*/[^@]*/.*")


_VARIABLE_NAMES = ("pw", "pass", "pwd", "salt", "pepper")
LITERALS = (
    *("-", "/", "(", "=", "@", "auth", "cookie", "wifi:"),
    *(*_OPTION_SIGNS, *_VARIABLE_NAMES, *_WIFI_NAMES),
)
"""A text without any of these has no such secret."""


def spans(text: str, lower: str) -> Iterator[Span]:
    """The secrets in pasted commands, headers and codes."""
    for tools, pattern in _COMMANDS if any(sign in lower for sign in _OPTION_SIGNS) else ():
        if any(tool in lower for tool in tools):
            yield from _values(pattern, text)
    if "-" in text or "/" in text:
        for option in _OPTION.finditer(lower):
            if (value := text[slice(*option.span(option.lastindex or 0))]) and _is_option(lower, option.start(), value):
                yield Span(*option.span(option.lastindex or 0), "password")
    if "authorization" in lower:
        yield from _values(_HEADER, text)
        yield from _random_values(_BARE_HEADER, text)
    if "cookie" in lower:
        for header in _COOKIE.finditer(text):
            for crumb in _CRUMB.finditer(text, *header.span(1)):
                if is_random(crumb[2]):
                    yield Span(*crumb.span(2), "cookie")
    yield from _random_values(_VARIABLE, text, "secret")
    if "(" in text:
        yield from _arguments(text)
    if "=" in text:
        yield from _random_values(_SESSION, lower)
        yield from _random_values(_QUERY, text, "token")
    if "auth" in lower:
        yield from _random_values(_AUTH_FIELD, text)
        yield from _random_values(_SECRET_ARGUMENT, text)
    if "-" in text and ":" in text:
        yield from _random_values(_TOKEN_HEADER, lower, "key")
    if "wifi:" in lower:
        for code in _WIFI.finditer(text):
            yield from (Span(*match.span(1), "password") for match in _WIFI_PASSWORD.finditer(text, *code.span()))
    if any(name in lower for name in _WIFI_NAMES):
        yield from _random_values(_WIFI_KEY, text, "password")
    if "</" in text:
        yield from (Span(*match.span(2), "password") for match in _MARKUP.finditer(text) if _is_value(match[2].strip()))
    if "@" in text:
        yield from _url_passwords(text)
        yield from (Span(*match.span(1), "password") for match in _EMAIL_PAIR.finditer(text) if is_random(match[1]))
    if "otpauth" in lower:
        yield from _values(_OTPAUTH, text, "2FA secret")


def _is_option(lower: str, position: int, value: str) -> bool:
    """Whether the word at a position is an option of a command, such as `--db-password`."""
    start = max(lower.rfind(" ", 0, position), lower.rfind("\n", 0, position)) + 1
    return lower.startswith(("-", "/"), start) and lower.count("/", start, position) <= 1 and _is_value(value)


def _values(pattern: re.Pattern[str], text: str, label: str = "password") -> Iterator[Span]:
    for match in pattern.finditer(text):
        group = match.lastindex or 0
        if group and _is_value(match[group]):
            yield Span(*match.span(group), label)


def _random_values(pattern: re.Pattern[str], text: str, label: str = "token") -> Iterator[Span]:
    for match in pattern.finditer(text):
        group = match.lastindex or 0
        if group and _is_value(match[group]) and is_random(match[group]):
            yield Span(*match.span(group), label)


def _is_value(value: str) -> bool:
    return not _PLACEHOLDER.fullmatch(value) and not value.startswith("-")


def is_random(value: str) -> bool:
    """Whether it has a digit and a letter, or a long run of digits: neither a word nor a date nor a time."""
    has_digit, has_letter = re.search(r"\d", value), re.search(r"[^\W\d_]", value)
    return bool(has_digit and (has_letter or len(value) >= 12)) and not re.fullmatch(
        r"\d+[a-zA-Z]{1,12}|v?\d+(?:[.:/-]\d+)+\w{0,3}", value
    )


def _arguments(text: str) -> Iterator[Span]:
    """What a call that signs in is given besides names and addresses."""
    for call in _SIGN_IN_CALL.finditer(text):
        for value in _QUOTED.finditer(text, *call.span(1)):
            if looks_chosen(value[1]):
                yield Span(*value.span(1), "password")


def _url_passwords(text: str) -> Iterator[Span]:
    if "://" not in text:
        return
    for address in _ADDRESS.finditer(text):
        password, start = address[1], address.start(1)
        if "://" in password:  # two addresses without a space between them
            password = password[: password.index("://")].rpartition("@")[0]
        if password and not _PORT_AND_PATH.fullmatch(password) and not re.fullmatch(r"[*x.]+|[<{$%\[].*", password):
            yield Span(start, start + len(password), "password")
