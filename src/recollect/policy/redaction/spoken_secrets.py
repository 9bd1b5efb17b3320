"""Secrets as people state them, and as configuration holds them: "my password is …", `API_KEY=…`, "PIN: …".

A secret needs a name, a joint such as "is" or "=", and a value. A word after "is" may be the value or describe it, so
an ordinary word counts only if it stands alone and describes nothing.
"""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction import logins
from recollect.policy.redaction.shapes import (
    ARGUMENT,
    DESCRIBES,
    DESCRIBING,
    IDENTIFIER,
    INNER_CAPITAL,
    NAMES,
    SYMBOL,
    is_mixed,
)
from recollect.policy.redaction.span import Span

PASSWORDS = (
    r"p[a@][s$5]{2} ?(?:w[o0]r[dt]|code|phrase|wd|w)|pswd|passwort|kennwort|pwd|senha"
    r"|palavra[- ]passe|contrase[ñn]a|mot de passe|mdp"
    r"|wachtwoord|l[öo]senord(?:et)?|passord(?:et)?|adgangskoden?|kodeord|salasana(?:ni)?|heslo"
    r"|jelsz(?:ó|av)\w{0,4}|has[łl](?:o|em|a)\b|парол[ьяюе]м?|ş[iı]fre\w{0,6}|sifrem?\b|密码|密碼|パスワード|비밀번호|비번"
    r"|كلمة (?:السر|المرور)|סיסמ\w{1,3}|κωδικ[όο]\w?|mật khẩu|kata sandi"
    r"|รหัสผ่าน[^\x00-\x7f]{0,12}|पासवर्ड|رمز عبور|গোপন নম্বর|পাসওয়ার্ড"
)
_BARE_PASSWORDS = (
    r"pass(?<![^\W_]pass)(?=\s?[:=])|pw(?<![^\W_]pw)(?=[\"']?\s?[:=]|['’]s\s|\s(?:is|was|ist|for|of|to|on|at)\b)"
)
_KEYS = (
    r"(?:api|access|auth|secret|private|bot|licen[cs]e|client|refresh|session|signing|encryption|webhook|deploy"
    r"|consumer|jwt"
    r"|pre-?shared|app|application|2fa|totp|mfa|master|service|bearer|shared|id|user|master|github|stripe|openai"
    r"|aws|discord)"
    r"[ _-]?(?:access[ _-]?)?(?:keys?|tokens?|secrets?)|account[ _-]?key|wi-?fi[ _-]?key|api-schlüssel"
    r"|cl[ée] (?:api|d['’]api)"
    r"|(?:clave|chave|chiave|klucz) (?:de )?api|api anahtarı"
)
_WORDS = r"token|secret|credentials?|clave|parola(?: d['’]ordine|m|sı|mı|mız|nız|yı|mi|si)?"
_STEM = lazy_pattern(
    "ad(?:gang|min)|api|zugang|identif|inlog|logowan|"
    "c(?:lave|ontrase|red)|h(?:asl|eslo)|jelsz|k(?:ey|odeord)|lo?g ?in|sign in|mdp|psk|"
    "p(?:arola|ass|@ss|a55|a[s$]|swd|wd?|i[ /:]|ostgres)|kata s|guest|root|test|user|sa ?[/:]|"
    "s(?:ala?sana|e(?:cret|nha|nord)|ifre)|token|w(?:i-?fi|lan|o(?:ord|rt))"
)
_FOREIGN_STEM = lazy_pattern(
    "hasł|парол|şifre|şıfre|密|パスワード|비밀번호|비번|كلمة|סיסמ|κωδικ|lösenord|jelszó|mật k|รหัส|पास|رمز|পাস"
)
"""Every name of a secret contains one of these stems; grouped by first letters, which halves the matching time."""

_OF = r"(?:\s(?:for|of|to|on|at|in|do|da|de|del|para|pour|du|für|vom|zum|zu|von)(?:\s[\w'’.-]{1,24}){1,4}?)?"
_IS = (
    r"\s{1,3}(?:is|was|will be|ist|lautet|heißt|heisst|war|c['’]est|brzmi|es|era|é|è|est|это|är|jest)\b"
    r"(?:\s(?:now|still|actually|just|currently|simply|jetzt|ahora|agora|maintenant))?\s{0,3}[:=]?"
)
_ANSWER = r"\?\s{1,2}(?:it['’]?s|it is|that['’]?s)\s"
_JOINT = rf"(?P<joint>{_IS}|{_ANSWER}|['’]s\s|\s{{0,3}}(?::=|=>|->|==?|[:：＝])|[是は为])\s{{0,3}}"
_VALUE = r"(?=(?P<quote>[\"'`“„«‘])(?P<quoted>[^\n\"`”»]{1,100}?)[\"'`”“»’]|(?P<plain>\S{1,200}))"
_STATED = lazy_pattern(
    rf"(?:(?P<password>{PASSWORDS}|{_BARE_PASSWORDS})|(?P<key>{_KEYS})|(?P<word>{_WORDS}))"
    rf"[\"'*`]{{0,2}}{_OF}{_JOINT}[*`]{{0,2}}{_VALUE}"
)
_KEYNAMES = ("key", "token", "secret")
_KEY_NAME = lazy_pattern("key|token|secret|schlüssel")
_LATIN = 0x24F
"""The last letter of the Latin alphabets."""
_KEY_BESIDE = lazy_pattern(r"(?:keys?|tokens?|secrets?|schlüssel|api|anahtarı)\s(?=([\w-]{10,64}))")
_KEY_ENDS = lazy_pattern(rf"(?:{_KEYS})\s$")
_AS = lazy_pattern(
    r"(?<!\S)(\S{4,200})\s(?:(?:as|for|is|was|being|becomes|als|ist|comme|est|como|es|é|come|è|jako|to|jest|de|di)\s)"
    r"(?:(?:my|the|our|his|her|their|your|a|das|mein|dein|unser|le|mon|la|mi|el|minha|a|nova|il|mia|moje|nowe)\s)?"
    rf"(?:[\w'’-]{{1,20}}\s){{0,3}}?(?P<name>{PASSWORDS}|pw|pin|{_KEYS}|token)\b"
    r"(?! (?:manager|reset|policy|generator|hint|field|app|vault|tool|store|limit))"
)
_WALKED = lazy_pattern(
    rf"(?:{PASSWORDS}|clave|psk|parola\w{{0,4}}|pwd?(?<!\wpw)(?<!\wpwd)|(?:new|old|other|second|first) one(?= (?:is"
    rf"|was))"
    r"|pass(?<!\wpass)(?=[ ,][^ ]))(?!\w)"
)
_IDEOGRAPH = lazy_pattern("[\u3000-\u30ff\u4e00-\u9fff]")
_TOKENS = lazy_pattern(r"\s*(\S+)")
_CALL = frozenset("_.(")
"""Before a name that is an identifier or an argument in program code."""
_WINDOW_WORDS, _WINDOW_CHARS = 8, 160
_FENCE = lazy_pattern(r"`{3}\w{0,10}|~{3}|\|{2}")
_SIGNS = lazy_pattern(r"['’]s|[^\w\s$<{]{1,3}")
_ARROWS = frozenset(("→", "->", "=>", "–", "—", "-", "=", ":", "|", "~", "⇒", "➜", ">", "is:", "to:"))
_LINKS = frozenset(
    "is was be are now still it's that's ist war lautet heißt heisst wäre es era será sera é são è sarà c'est c’est "
    "est sera jest brzmi będzie to är er on je este este: είναι هي هو היא это this: este olarak van volt seria "
    "là adalah คือ है saya".split()
)
_MEANWHILE = frozenset(
    "now today still ab heute sofort seit jetzt desde hoy ahora hoje agora désormais dorénavant maintenant od dziś "
    "teraz artık bugün nu vanaf".split()
)
"""What may stand between "is" and a value."""
_TO = frozenset("as to into auf zu in en à a para por pour pra con com na z naar till til ke za на".split())
_WHEN = frozenset("in en em na z".split())
_YEAR = lazy_pattern(r"(?:19|20)\d\d")
_ABOUT = frozenset(
    "my our mein unser mon notre mi meu minha mio mia host server machine box "
    "for of on in at to from by with like the a an and or user username login account named called version ticket "
    "issue für "
    "von vom zum zur auf bei mit im am der die das den dem des und oder benutzer konto pour de du des le la les sur "
    "dans à au "
    "avec et ou un une utilisateur para por con en del el los y o usuario do da dos no na em com os e ou um uma per "
    "su nel "
    "nella di del il lo gli utente w z dla od i lub użytkownika için ile ve kullanıcı".split()
)
"""After these comes what a password is for, not the password."""
_CHANGE = lazy_pattern(
    r"chang|(?<!\w)(?:re)?set(?!\w)|updat|switch|rotat|replac|änder|setz|gesetzt|umgestellt|modifi|défini|remplac"
    r"|(?<!\w)mis(?!\w)"
    r"|camb|pus[eo]|puest|qued[óoa]|actualiz|mud(?:ei|ou|ar|amos)|troqu|troc|alter|defin|coloqu|impost|mess[oa]"
    r"|aggiorn"
    r"|zmieni|ustaw"
    r"|değiştir|yap|ayarla|belirle|поменя|смени|измени|установи|wijzig|verander|ingesteld|ändra|bytt|endret|ændre"
)
_ASIDE = frozenset(
    "manager managers policy policies reset resets hint field fields generator strength length vault hash hashes "
    "hashing prompt rules requirements protected protection protokoll recovery-email expiry expiration rotation "
    "meter "
    "checker must should forgotten vergessen oublié olvidé esqueci unuttum zapomniałem don't doesn't "
    "can't isn't not never".split()
)
_SOON = lazy_pattern(
    r"\s(?:yesterday|today|now|again|last|this|on|gestern|heute|hier|ayer|hoy|ontem|hoje|ieri|oggi|wczoraj|dziś"
    r"|dün|bugün)\b"
)

_PLACEHOLDER = lazy_pattern(
    r"[*•xX.…_?-]{2,}|<[^>]*>.*|\$[A-Z_{(].*|%\w+%|\{.*|\[(?:redacted|your|insert|a-|\^).*|https?://.*|[\w.]+\(.*"
    r"|[\w.]+\[(?!redacted).*"
    r"|(?:your|my|the|some|a)[_-]?(?:api|password|passwd|pass|token|secret|key)[\w-]*|(?:os|process|env|self"
    r"|args)\..*"
    r"|!(?:secret|vault|env|env_var|encrypted|ref|sub|include)|changeme|example|placeholder|none|null|nil|true|false|undefined|str|string|int|bool|todo|tbd|n/?a|dummy"
    r"|[a-z_]*(?:password|passwd|passwort|secret|token)[a-z_]*|key|redacted|hidden|unknown",
    re.IGNORECASE,
)
_UNIT = lazy_pattern(
    r"\s{0,2}(?:%|\+|(?:or more |to \d+ )?(?:char|digit|letter|symbol|word|long|year|month|week|day|hour|minute"
    r"|second"
    r"|bit|byte|time|step|zeichen|stellen|ziffern|caract|d[íi]git|chiffre|символ|знак|文字|位|年|天|日))",
    re.IGNORECASE,
)
_ALONE = lazy_pattern(
    r"[.,;:!?)\]}\"'`*|”»]*(?:\s*(?:$|[\n(;,])|\s+(?:and|but|und|y|e|et|for|on|btw)\b)|[.,;!]\s", re.IGNORECASE
)
_PHRASE = lazy_pattern(r"[a-z]{3,12}(?: [a-z]{3,12}){3,7}(?=\s*(?:[.!,\n\"'`*|]|$))")
_OPENING = "\"'`“„«‘(["
_CLOSING = ".,;:!?)]}\"'`*|”»’"


def mentions(lower: str) -> bool:
    """Whether a text contains a word that could name a secret: a cheap test that rules out most texts."""
    return bool(_STEM.search(lower) or (not lower.isascii() and _FOREIGN_STEM.search(lower)))


def spans(text: str, lower: str) -> Iterator[Span]:
    """The values of stated secrets; names are matched in lower case, values are judged as written."""
    for match in _STATED.finditer(lower):
        yield from _stated_value(match, text)
    for match in _WALKED.finditer(lower):
        yield from _walked_value(match, text, lower)
    if any(name in lower for name in _KEYNAMES):
        for match in _KEY_BESIDE.finditer(lower):
            if _KEY_ENDS.search(lower, max(0, match.start() - 24), match.end()):
                yield from _mixed_value(match, text, "key")
    for match in logins.matches(lower):
        yield from _mixed_value(match, text, "password")
    for match in _AS.finditer(lower):
        start, value = match.start(1), text[match.start(1) : match.end(1)].strip(_OPENING + _CLOSING)
        is_long = len(value) >= 16 or match["name"].startswith(("pass", "pw")) or not _KEY_NAME.search(match["name"])
        if (
            is_long
            and (is_mixed(value) or (SYMBOL.search(value) and "://" not in value and not IDENTIFIER.fullmatch(value)))
            and not NAMES.fullmatch(value)
        ):
            start = text.index(value, start)
            yield Span(start, start + len(value), "password")


def _walked_value(name: re.Match[str], text: str, lower: str) -> Iterator[Span]:
    """The first value within a few words of the name that looks like a password, if a word such as "is" leads to it.

    "Changed my password to …": the word before the value may be a preposition if the sentence has a verb of change.
    """
    if lower.endswith("[redacted: ", 0, name.start()):
        return
    previous, foreign = "", not lower[name.start() : name.end()].isascii() and ord(lower[name.start()]) > _LATIN
    reach = min(len(text), name.end() + _WINDOW_CHARS)
    in_brackets = False
    for number, token in enumerate(_TOKENS.finditer(text, name.end(), reach)):
        if number > _WINDOW_WORDS:
            return
        if token.start(1) == name.end():  # attached to the name: `_STATED` reads "=value"
            if not _SIGNS.fullmatch(token[1]) or (
                token[1][0] in ",)" and lower[name.start() - 1 : name.start()] in _CALL
            ):
                return
            previous = token[1][-1]
            continue
        if _FENCE.fullmatch(token[1]):
            continue
        starts_line = "\n" in token[0][: token.start(1) - token.start()] or "\n" in text[name.end() : token.start()]
        if starts_line:
            yield from _value_of_line(token, text, previous)
            return
        word = lower[token.start(1) : token.end(1)]
        if word.startswith("("):
            in_brackets = True
        if in_brackets:
            in_brackets = not word.rstrip(".,:;").endswith(")")
            continue
        start, value = _bare_value(token)
        changes = previous in _TO and _changes(lower, name.start(), token.end())
        changes = changes and not (previous in _WHEN and _YEAR.fullmatch(value))
        if (
            value
            and (_leads(previous, number, foreign, changes) or (is_mixed(value) and previous not in _ABOUT))
            and _fits(value, text[start + len(value) :][:60], changes)
        ):
            yield Span(start, start + len(value), "password")
            return
        if word.strip(_CLOSING) in _ASIDE or (word.endswith((".", "!", "?", ";")) and len(word) > 1):
            return
        if word in _MEANWHILE and previous in _LINKS:
            continue
        previous = (
            word
            if word in _ARROWS
            else ":"
            if word.endswith((":", "=", "→"))
            else word.strip(_OPENING + _CLOSING + ",")
        )


def _leads(previous: str, number: int, foreign: bool, changes: bool) -> bool:
    return (
        changes
        or number == 0
        or previous in ("", ",")
        or previous in _LINKS
        or previous in _ARROWS
        or (foreign and number <= 3)
    )


def _fits(value: str, following: str, changes: bool) -> bool:
    """Whether a value looks like a password; a plain word does only where a password was changed to it."""
    if not value or value.lower() in DESCRIBES or _PLACEHOLDER.fullmatch(value):
        return False
    if value[0].isdigit() and _UNIT.match(following):
        return False
    if is_mixed(value) or (len(value) >= 6 and SYMBOL.search(value) and not value.startswith(("http", "/", "@"))):
        return not NAMES.fullmatch(value) and "(" not in value and not ARGUMENT.match(value)
    if not changes or not value.isalpha() or len(value) < 4 or DESCRIBING.fullmatch(value.lower()):
        return value.isdigit() and changes and len(value) >= 4
    return bool(_ALONE.match(following) or _SOON.match(following))


def _changes(lower: str, start: int, end: int) -> bool:
    sentence = lower[max(0, start - 60) : end + 30]
    return _CHANGE.search(sentence) is not None


def _bare_value(token: re.Match[str]) -> tuple[int, str]:
    raw = token[1]
    value = raw.lstrip(_OPENING)
    start = token.start(1) + len(raw) - len(value)
    value = _before_ideographs(value)
    stripped = value.rstrip(_CLOSING.replace("!", "").replace("*", ""))
    return start, stripped


def _before_ideographs(value: str) -> str:
    """A value in ASCII ends where Chinese or Japanese goes on without a space."""
    following = _IDEOGRAPH.search(value) if value[:1].isascii() else None
    return value[: following.start()] if following else value


def _value_of_line(token: re.Match[str], text: str, previous: str) -> Iterator[Span]:
    """A value that has the line after its name to itself."""
    start, value = _bare_value(token)
    end_of_line = text.find("\n", start)
    line = text[start : end_of_line if end_of_line >= 0 else len(text)].strip()
    fills_line = line.rstrip(_CLOSING) == value.rstrip(_CLOSING)
    if fills_line and (_fits(value, "", changes=False) or (previous == ":" and value.isdigit() and len(value) >= 4)):
        yield Span(start, start + len(value), "password")


def _mixed_value(match: re.Match[str], text: str, label: str) -> Iterator[Span]:
    """A value without a joint to its name: it has to mix letters and digits."""
    value = text[match.start(1) : match.end(1)].rstrip(_CLOSING)
    if is_mixed(value) and not NAMES.fullmatch(value):
        yield Span(match.start(1), match.start(1) + len(value), label)


def _stated_value(match: re.Match[str], text: str) -> Iterator[Span]:
    kind = next(name for name in _TESTS if match[name])
    if match["quoted"]:
        start, end = match.span("quoted")
        if _is_quoted_secret(text[start:end], kind):
            yield Span(start, end, _LABELS[kind])
        return
    start, value = _unquoted_value(match, text)
    if not value or _PLACEHOLDER.fullmatch(value):
        return
    following = text[start + len(value) : start + len(value) + 120]
    if (
        kind == "password"
        and (phrase := _PHRASE.match(match.string, start))
        and _is_passphrase(phrase[0], match["password"])
    ):
        yield Span(*phrase.span(), "password")
    elif _TESTS[kind](value, following, match["joint"]):
        yield Span(start, start + len(value), _LABELS[kind])


def _unquoted_value(match: re.Match[str], text: str) -> tuple[int, str]:
    """The start of a value without quotes, and the value without the punctuation around it; empty for a "
    "placeholder."""
    start, end = match.span("plain")
    raw = text[start:end]
    value = raw.lstrip(_OPENING)
    start += len(raw) - len(value)
    if _PLACEHOLDER.fullmatch(raw):
        return start, ""
    value = _before_ideographs(value)
    if match["joint"] in ("=", ":"):
        value = value.partition(";")[0]  # one of several settings in a row
    return start, value.rstrip(_CLOSING)


def _is_quoted_secret(value: str, kind: str) -> bool:
    if _PLACEHOLDER.fullmatch(value) or value.lower() in DESCRIBES:
        return False
    if kind == "password":
        return len(value) >= 3 and not DESCRIBING.fullmatch(value) and len(value.split()) <= 8
    return len(value) >= 6 and " " not in value and (kind == "key" or is_mixed(value))


def _is_password(value: str, following: str, joint: str) -> bool:
    """Letters with digits or symbols; else a single word that stands alone and describes nothing."""
    lower = value.lower()
    if lower in DESCRIBES or (value[0].isdigit() and _UNIT.match(following)):
        return False
    if len(value) >= 4 and (re.search(r"\d", value) or SYMBOL.search(value) or INNER_CAPITAL.search(value)):
        return not NAMES.fullmatch(value) or value.isdigit()
    if joint == "=" and len(value) >= 3:  # PASSWORD=letters
        return True
    if joint.strip() in ("是", "は", "为"):
        return False
    return value.isalpha() and len(value) >= 4 and not DESCRIBING.fullmatch(lower) and bool(_ALONE.match(following))


def _is_key(value: str, following: str, joint: str) -> bool:
    if is_mixed(value) and len(value) >= 8:
        return True
    if "=" not in joint or len(value) < 6 or value.lower() in DESCRIBES or value.isdigit():
        return False
    return bool(_ALONE.match(following)) and not re.fullmatch(r"[a-z]+(?:[._][a-z]+)+", value)


def _is_secret(value: str, following: str, joint: str) -> bool:
    del following, joint
    return is_mixed(value) and len(value) >= 8


def _is_passphrase(phrase: str, name: str) -> bool:
    describing = sum(word in DESCRIBES or DESCRIBING.fullmatch(word) is not None for word in phrase.split())
    return describing <= (name.replace(" ", "") == "passphrase")


_TESTS = {"password": _is_password, "key": _is_key, "word": _is_secret}
_LABELS = {"password": "password", "key": "key", "word": "secret"}
