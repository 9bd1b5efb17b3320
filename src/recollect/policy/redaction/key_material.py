"""Private keys: files with and without their header, keys of wallets, and the second half of a pair.

A key without a header is known by its first bytes, or as several lines of base64 that no certificate, public key or
picture begins. A number that could also be a checksum needs a name nearby.
"""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.span import Span

_PEM = lazy_pattern(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[23]:|Private-Lines: ?\d+"
)
_PEM_END = lazy_pattern(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\bPrivate-MAC: ?\w+")
_PEM_BODY = lazy_pattern(r"(?:(?:\s|\\n){1,4}[A-Za-z0-9+/=]{16,})*")
# First bytes of DER keys (version 0 after the length), OpenSSH's magic, secret key packets of OpenPGP.
_BEGINNING = lazy_pattern(
    r"(?<![\w+/])(?:b3BlbnNzaC1rZXktdj|MII[A-Za-z0-9+/]{2}[AQgw]IBA[AD]|MHcCAQEE|MIGkAgEBBD|MIGHAgEAMB|MIG2AgEAMB"
    r"|MIHuAgEAMB"
    r"|MC4CAQAwBQ|MFECAQEwBQ|MIIB\w{2}IBAAKB|MIGTAgEAMB|MFMCAQEw|l[A-Za-z0-9+/]{2}YB[A-Z]|lF[g-j]E[A-Z]|xVgE[A-Z]"
    r"|xcLYB[A-Z])"
    r"[A-Za-z0-9+/]{30,}={0,2}(?:(?:\s{1,2}|\\n)[A-Za-z0-9+/]{20,100}={0,2}(?![\w+/]))*(?:(?:\s{1,2}"
    r"|\\n)[A-Za-z0-9+/]{2,75}==?(?![\w+/]))?"
)
# A text may have lost its line breaks.
_LINES = lazy_pattern(
    r"(?<![\w+/,;=:.-])[A-Za-z0-9+/]{60,76}(?:\s{1,2}|\\n)(?:[A-Za-z0-9+/]{60,76}(?:\s{1,2}|\\n))*"
    r"(?:[A-Za-z0-9+/]{20,76}={0,2}|[A-Za-z0-9+/]{2,75}==?)(?![\w+/])"
)
_PUBLIC = lazy_pattern(
    r"CERTIFICATE|PUBLIC|SIGNATURE|MESSAGE|REQUEST|PARAMETERS|ssh-|base64,|image|content-type|attachment|picture"
    r"|png|jpe?g",
    re.IGNORECASE,
)
_MEDIA = lazy_pattern(r"iVBORw|/9j/|R0lGOD|JVBERi|UklGR|PHN2Zy|UEsDB|H4sI|AAAA[A-Za-z]|mQ[EGIMN]|SUkq|Qk0|T2dnUw|SUQz")
_LONG = lazy_pattern(r"[A-Za-z0-9+/]{30}")
_MIN_MIX = 3

_EXTENDED = lazy_pattern(r"(?<![A-Za-z0-9])[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{80,112}(?![A-Za-z0-9])")
_WIF = lazy_pattern(r"(?<![\w/=+-])(?:[KLc][1-9A-HJ-NP-Za-km-z]{51}|[59][1-9A-HJ-NP-Za-km-z]{50})(?![\w/=+-])")
_NOSTR = lazy_pattern(r"(?<![A-Za-z0-9])nsec1[02-9ac-hj-np-z]{50,64}(?![A-Za-z0-9])")
_HEX = lazy_pattern(r"(?<![\w/#:.-])(?:0x)?([0-9a-fA-F]{64})(?![\w-])")
_BASE58 = lazy_pattern(r"(?<![\w/=+-])[1-9A-HJ-NP-Za-km-z]{86,90}(?![\w/=+-])")
_BYTES = lazy_pattern(r"\[\s?\d{1,3}(?:,\s?\d{1,3}){31,63}\s?\]")
_HEX_PAIR = lazy_pattern(r"(?<=\]:)[0-9a-f]{32}(?!\w)|(?<!\w)AC[0-9a-f]{32}\W{1,3}([0-9a-f]{32})(?!\w)")
_WALLET_NAME = lazy_pattern(
    r"priv(?:ate)?[ _-]?key|secret|privkey|priv:|signing key|wallet key|seed|privat\w{0,4} schlüssel"
    r"|private[rn]? schlüssel|clé privée"
    r"|cl(?:ave|é|e) privad?[ae]?|chave privada|chiave privata|klucz prywatny|özel anahtar|encryption key"
    r"|master key|keystore|key ?pair|solana|phantom"
)
_NEARBY_CHARS = 60
_AWS_ID = lazy_pattern(r"(?<![A-Z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Z0-9])|\[redacted: AWS key\]")
_AWS_SECRET = lazy_pattern(r"(?<![\w+/=])[A-Za-z0-9+/]{40}(?![\w+/=])")
_AWS_SESSION = lazy_pattern(r"(?<![\w+/])(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[\w+/%]{40,}={0,2}")
_AWS_REACH_CHARS = 300
_ENCODED_PEM = lazy_pattern(r"LS0tLS1CRUdJTi(?!BDRVJU|BQVUJMSUMg)[A-Za-z0-9+/]{16,}={0,2}")
"""A key file in base64 once more, as kubeconfig has it; certificates and public keys begin otherwise."""
_JWK = lazy_pattern(r"\"(?:d|p|q|dp|dq|qi|k)\"\s?:\s?\"([\w-]{16,1400})\"")


def spans(text: str, lower: str) -> Iterator[Span]:
    """The private keys in a text that has a long run of visible characters."""
    if "PRIVATE KEY" in text or "PuTTY" in text or "Private-Lines" in text:
        yield from _private_keys(text)
    if '"kty"' in text:
        yield from (Span(*match.span(1), "private key") for match in _JWK.finditer(text))
    if "," in text:
        yield from _named_keys(_BYTES, text, lower)
    if not _LONG.search(text):
        return
    if "LS0tLS1CRUdJTi" in text:
        yield from (Span(*match.span(), "private key") for match in _ENCODED_PEM.finditer(text))
    for beginning in _BEGINNING.finditer(text):
        if _mix(beginning[0]) == _MIN_MIX:
            yield Span(*beginning.span(), "private key")
    yield from _bodies(text)
    yield from _wallet_keys(text, lower)
    if "AKIA" in text or "ASIA" in text or "AWS key" in text:
        yield from _aws_secrets(text)
    yield from (Span(*match.span(), "AWS token") for match in _AWS_SESSION.finditer(text))
    if "AC" in text or "Twilio" in text:
        for pair in _HEX_PAIR.finditer(text):
            yield Span(*pair.span(pair.lastindex or 0), "Twilio key")


def _private_keys(text: str) -> Iterator[Span]:
    """From each header to the next footer; without a footer, over the lines that look like a key."""
    ends = [end.end() for end in _PEM_END.finditer(text)]
    covered = 0
    for begin in _PEM.finditer(text):
        if begin.start() < covered:
            continue
        while ends and ends[0] <= begin.end():
            ends.pop(0)
        body = _PEM_BODY.match(text, begin.end())
        covered = ends[0] if ends else body.end() if body else begin.end()
        if covered > begin.end():
            yield Span(begin.start(), covered, "private key")


def _bodies(text: str) -> Iterator[Span]:
    for lines in _LINES.finditer(text):
        before = text[max(0, lines.start() - 80) : lines.start()]
        if _mix(lines[0]) == _MIN_MIX and not _PUBLIC.search(before) and not _MEDIA.match(lines[0]):
            yield Span(*lines.span(), "private key")


def _wallet_keys(text: str, lower: str) -> Iterator[Span]:
    for pattern in (_EXTENDED, _NOSTR):
        yield from (Span(*match.span(), "private key") for match in pattern.finditer(text))
    for match in _WIF.finditer(text):
        if _mix(match[0]) == _MIN_MIX:
            yield Span(*match.span(), "private key")
    for pattern in (_HEX, _BASE58):
        yield from _named_keys(pattern, text, lower)


def _named_keys(pattern: re.Pattern[str], text: str, lower: str) -> Iterator[Span]:
    """What only a word for a key beside it makes one."""
    for match in pattern.finditer(text):
        start, end = max(0, match.start() - _NEARBY_CHARS), match.end() + _NEARBY_CHARS
        if _WALLET_NAME.search(lower, start, end):
            yield Span(*match.span(), "private key")


def _aws_secrets(text: str) -> Iterator[Span]:
    """The secret half near the id of a key."""
    for key in _AWS_ID.finditer(text):
        for secret in _AWS_SECRET.finditer(
            text, max(0, key.start() - _AWS_REACH_CHARS), min(len(text), key.end() + _AWS_REACH_CHARS)
        ):
            if _mix(secret[0]) == _MIN_MIX:
                yield Span(*secret.span(), "AWS key")


def _mix(value: str) -> int:
    """How many of digits, small and capital letters it has."""
    return bool(re.search("[0-9]", value)) + bool(re.search("[a-z]", value)) + bool(re.search("[A-Z]", value))
