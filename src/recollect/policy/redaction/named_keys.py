"""Keys of licences, APIs and authenticators: groups and runs of characters that are keys where they are called so."""

from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.span import Span

LITERALS = tuple(
    """
    licen lizenz lisans serial seriennummer steam xbox playstation nintendo adobe autocad windows office photoshop key
    schlüssel clave clé chave chiave klucz anahtar canje activation プロダクトキー ライセンス キー シークレット 認証
    bitlocker
    code token secret appid api totp 2fa mfa authenticator geheimnis
    """.split()
)
"""A text without any of these has no such key."""
_LICENCE_NAMES = lazy_pattern(
    r"(?<![^\W_])(?:licen[cs]e|lizenz\w{0,10}|licencia|licença|licenza|licencja|lisans\w{0,3}|serial\w{0,2}"
    r"|seriennummer|steam|xbox|playstation|nintendo|adobe|autocad|windows|office|photoshop|keys?|schlüssel|clave|clé"
    r"|chave|chiave|klucz|anahtar\w{0,3}|canje|activation)(?![^\W_])|プロダクトキー|ライセンス"
)
_NO_LICENCE = lazy_pattern(r"(?<!\w)(?:plates?|part|model|tracking|order|ticket|isbn|phone)(?!\w)")
_LICENCE = lazy_pattern(
    r"(?<!(?a:[\w.-]))(?=[A-Z-]*\d)(?=[\d-]*[A-Z])[A-Z0-9]{2,8}(?:-[A-Z0-9]{3,8}){2,9}(?:-[A-Z0-9]{2,8})?(?!(?a:[\w-])|\.\w)"
    r"|(?<!(?a:[\w.-]))\d{4}(?:-\d{4}){4,9}(?!(?a:[\w-]))"
)
_GROUPS = lazy_pattern(
    r"(?<!(?a:[\w-]))(?=[A-Z-]*\d)(?=[\d-]*[A-Z])(?:[A-Z0-9]{4}(?:-[A-Z0-9]{4}){3,9}|[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3,9}"
    r"|[A-Z0-9]{6}(?:-[A-Z0-9]{6}){3,9})(?!(?a:[\w-]))"
)
_GROUPED = lazy_pattern(r"token|secret|key|schlüssel|cl[ée]|chiave|clave|chave|klucz|anahtar|code")
"""What makes groups of equal length a key."""
_SEED_NAMES = lazy_pattern(r"totp|2fa|mfa|authenticator|シークレット")
_SEED = lazy_pattern(r"(?<!(?a:[\w-]))(?=[A-Z]*[2-7])[A-Z2-7]{16,64}={0,6}(?!(?a:[\w-]))")
_DISK = lazy_pattern(r"bitlocker[^\n]{0,20}?(?<!(?a:[\w-]))(?P<value>[0-9]{6}(?:-[0-9]{6}){3,7})(?!(?a:[\w-]))")
_API_KEY = lazy_pattern(
    r"(?<!\w)(?:[\w-]{0,20}api|[\w-]{0,20}keys?|[\w-]{0,20}tokens?|appid|secret|apiキー|anahtarı|schlüssel|clé"
    r"|chave|clave|klucz)"
    r"(?![\w(\[])(?! (?:id|hash|fingerprint))[^\n.;]{0,24}?(?<!(?a:[\w.-]))(?P<value>"
    r"(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{16}(?:[0-9a-f]{16}){0,3}"
    r"|[a-z]{2,6}(?:[_-][a-z]{2,8}){0,2}[_-](?=[a-z]*\d[a-z]*\d?[a-z]*\d?[a-z])[a-z0-9]{10,40})(?![\w.-])"
)
"""Digits in hexadecimal, or a short word, a hyphen and a run of letters and digits, behind the name of a key."""
_OTHER_KEY = lazy_pattern(r"(?<!\w)(?:public|sha\d*|md5|hash|commit|checksum|fingerprint|trace|request|user|ssh)(?!\w)")
_REACH = 60


def spans(text: str, lower: str) -> Iterator[Span]:
    """The keys in a text that has a digit."""
    if _GROUPED.search(lower):
        yield from (Span(*groups.span(), "key") for groups in _GROUPS.finditer(text))
    if _SEED_NAMES.search(lower):
        yield from (Span(*seed.span(), "2FA secret") for seed in _SEED.finditer(text))
    yield from (Span(*key.span("value"), "recovery code") for key in _DISK.finditer(lower))
    for licence in _LICENCE.finditer(text):
        around = max(0, licence.start() - _REACH), licence.end() + _REACH // 2
        if _LICENCE_NAMES.search(lower, *around) and not _NO_LICENCE.search(lower, *around):
            yield Span(*licence.span(), "key")
    for key in _API_KEY.finditer(lower):
        if not _OTHER_KEY.search(lower, max(0, key.start() - 20), key.start("value")):
            yield Span(*key.span("value"), "key")
