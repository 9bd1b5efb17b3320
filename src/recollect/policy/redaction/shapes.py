"""What values look like: chosen by a person as a password, or something else."""

import re

from recollect.core.lazy import lazy_pattern

NAMES = lazy_pattern(
    r"(?:sha|md|base|oauth|argon|pbkdf|scrypt|bcrypt|utf|rot|aes|rsa|keepass|1password|web|v)-?\d*\w?"
    r"|\d+[a-z]{0,3}s?|"
    r".*(?:-based|-manager|-reset)|1password\w*",
    re.IGNORECASE,
)
SYMBOL = lazy_pattern(r"(?<=\w)[!@#$%^&*_+=~|\\](?=\w)|^[!@#$%^&*]\w")
INNER_CAPITAL = lazy_pattern(r"[a-zß-ÿ][A-Z]")
IDENTIFIER = lazy_pattern(r"[a-z]+(?:[._][a-z]+)+")
ARGUMENT = lazy_pattern(r"[a-zA-Z_]\w*=(?:[\"'(\[]|(?:True|False|None|true|false|null)\b)")
"""Program code: a name of several words, and a named argument."""
DESCRIBES = frozenset(
    """
    weak strong wrong right correct incorrect secure insecure safe unsafe long short secret empty blank missing
    invalid
    valid old new gone lost bad good ok okay fine same different public private easy hard difficult simple
    complex null
    unique random important mandatory optional required needed necessary there here somewhere nowhere this that these
    it yours mine ours hers theirs his everything nothing something anything default temporary temp permanent case
    plain plaintext encrypted hashed hash salted stale dead leaked stolen hacked unknown not no yes never always still
    usual before requested instructed
    too so very super really quite pretty kinda probably maybe also already just only now later soon then again below
    above attached inside out on off in at by of to for from with under over up down the a an my your our and or but
    because if when where what who how why which is are was be been being has have had do does did can could should
    would will must may might about like as than into 1password lastpass keepass keepassxc bitwarden dashlane nordpass
    keychain vault keyring github google apple facebook discord terrible awful horrible garbage trash great awesome
    stupid silly funny ridiculous obvious clear ready live case-sensitive sensitive annoying confidential personal
    sbagliata sbagliato corretta corta lunga debole nuova vecchia vuota necessaria stessa solita
    słabe silne mocne błędne złe dobre krótkie długie proste trudne nowe stare inne takie puste ważne tajne bezpieczne
    potrzebne wymagane poprawne niepoprawne nieprawidłowe wygasłe za to yanlış doğru kısa uzun zayıf güçlü yeni
    eski boş
    geçersiz gerekli çok aynı zwak sterk fout verkeerd verlopen vergeten
    kwijt kort nieuw oud goed utgånget långt svag fel faible mauvais bon court expiré vide requis obligatoire
    débil vieja vacía obligatoria correcta fraca velha vazia obrigatória correta erforderlich
    falsch richtig weg neu alt sicher unsicher geheim lang kurz leer hier da dort nicht kein noch schon sehr zu im in
    ungültig gültig schwach stark gleich anders abgelaufen vergessen unbekannt bekannt notwendig nötig ein eine
    der die
    das auf bei mein dein sein
    incorrecta incorreta errada secreta segura nueva nova débil fraca forte fuerte longa larga corta curta igual otra
    outra misma mesma la el lo una un uma um en em no na não muy muito aquí aqui não válida inválida
    scaduta scaduto cambiata dimenticata persa rubata compromessa bloccata troppo protetta richiesta
    incorrect oublié perdu nouveau secret faible fort dans le les une sur trop très pas ici
    """.split()
)
DESCRIBING = lazy_pattern(
    r".+(?:ed|ing|able|ible|ful|less|ly|ous|ive|ado|ada|ido|ida|ável|ível|ée|lich|bar|haft)", re.IGNORECASE
)
"""What may stand after "is" and describes a password instead of being one."""
_MIN_STRONG = 8
_INNER_SIGN = lazy_pattern(r"[^\W_](?:[!#*%^~@]|\$(?![A-Z{(]))[^\W_]")
_WRITTEN_OTHERWISE = lazy_pattern(r".*(?:[/\\&=]|@.*[.:@]|%[0-9a-fA-F]{2}|\w\.\w).*|.*#(?:\d{4,}|[0-9a-f]{4})")
"""Addresses, formulas, and the tags of accounts such as "Ann#1234", or of equal names such as "Ann#9bce"."""
SOFTWARE = lazy_pattern(
    r"(?:win(?:dows)?|office|microsoft|m|ms|python|java|node|php|html|css|ubuntu|debian|fedora|mac ?os|ios|iphone"
    r"|ipad|android|galaxy|pixel"
    r"|firefox|chrome|chromium|edge|safari|gpt|claude|llama|ipv|http|tls|ssl|wpa|x|port|usb|hdmi|wi-?fi|vlan|level|room"
    r"|step|line|team|group"
    r"|sha|md|base|oauth|saml|utf|aes|rsa|cve|rfc|iso|gate|terminal|option|version|v|r|mp|web|s|ec|k"
    r"|log)[ _-]?\d+(?:\w{0,2}|beta\d?|pro|max|mini|plus|ultra|lts|rc\d)",
    re.IGNORECASE,
)


MIXED = lazy_pattern(r"\d(?:[^\w\s]{0,3}[^\W\d]|(?<=[^\W\d]\d)|(?<=[^\W\d][^\w\s]\d)|(?<=[^\W\d][^\w\s]{2}\d))")
"""A cheap test: a letter beside a digit, or signs between them, as in every password that people choose."""


def is_mixed(value: str) -> bool:
    """Whether a value mixes letters and digits and is not a date, time, URL, path or version."""
    if not (re.search(r"\d", value) and re.search(r"[^\W\d_]", value)) or len(value) < 6:
        return False
    return not re.fullmatch(
        r"\d+['’]?[^\W\d_]{1,12}|v?\d+(?:[.:/-]\d+)+\w{0,3}|\w+://.*|[/~.].*|.*\.(?:py|js|md|json|ya?ml|txt|env)",
        value.lower(),
    )


def looks_chosen(value: str) -> bool:
    """Letters with two digits, a sign or an inner capital and a digit: what people choose as a password, and hardly
    anything else; names of software and standards are none."""
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdigit, value))
    if letters < 3 or not digits or SOFTWARE.fullmatch(value):
        return False
    if re.fullmatch(
        r"\d+[^\W\d_]{1,12}|.*://.*|[/~.@#<].*|.*@.*|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,5}(?:[:/].*)?|.*[/\\].*|.*\(.*",
        value.lower(),
    ):
        return False
    return digits > 1 or bool(re.search(r"[!@#$%^&*_+=~?-]|[a-z][A-Z]", value))


def is_strong(value: str) -> bool:
    """Letters, a digit and a sign that names and words do not have: a password wherever access is spoken of."""
    signs = re.search(r"[!$%^&*](?=\w|$)|\w[#@]\w", value)
    return bool(signs) and len(value) >= _MIN_STRONG and looks_chosen(value)


def is_only_a_password(value: str) -> bool:
    """Small and capital letters, a digit, and a sign between two of them: a password wherever it stands."""
    core = value.strip(".,:;?!*_~=[]{}")
    return (
        len(core) >= _MIN_STRONG
        and _INNER_SIGN.search(core) is not None
        and re.search(r"[a-zß-ÿ]{2}", core) is not None
        and any(map(str.isupper, core))
        and any(map(str.isdigit, core))
        and not _WRITTEN_OTHERWISE.fullmatch(core)
    )
