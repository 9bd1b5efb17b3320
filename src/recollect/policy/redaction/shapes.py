"""What values look like: chosen by a person as a password, or something else."""

import re

NAMES = re.compile(
    r"(?:sha|md|base|oauth|argon|pbkdf|scrypt|bcrypt|utf|rot|aes|rsa|keepass|1password|web|v)-?\d*\w?"
    r"|\d+[a-z]{0,3}s?|"
    r".*(?:-based|-manager|-reset)|1password\w*",
    re.IGNORECASE,
)
SYMBOL = re.compile(r"(?<=\w)[!@#$%^&*_+=~|\\](?=\w)|^[!@#$%^&*]\w")
INNER_CAPITAL = re.compile(r"[a-zß-ÿ][A-Z]")
IDENTIFIER = re.compile(r"[a-z]+(?:[._][a-z]+)+")
ARGUMENT = re.compile(r"[a-zA-Z_]\w*=(?:[\"'(\[]|(?:True|False|None|true|false|null)\b)")
"""Program code: a name of several words, and a named argument."""
_MIN_STRONG = 8
SOFTWARE = re.compile(
    r"(?:win(?:dows)?|office|microsoft|m|ms|python|java|node|php|html|css|ubuntu|debian|fedora|mac ?os|ios|iphone"
    r"|ipad|galaxy|pixel"
    r"|firefox|chrome|chromium|edge|safari|gpt|claude|llama|ipv|http|tls|ssl|wpa|x|port|usb|hdmi|vlan|level|room"
    r"|step|line|team|group"
    r"|sha|md|base|oauth|saml|utf|aes|rsa|cve|rfc|iso|gate|terminal|option|version|v|r|mp|web|s|ec|k"
    r"|log)[ _-]?\d+\w{0,2}",
    re.IGNORECASE,
)


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
