"""PINs, card security codes, one-time and recovery codes: short numbers that only their name makes a secret."""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.span import Span

_CARD_CODES = (
    r"cvv2?|cvc2?|cvn|card (?:verification|security) (?:value|code|number)|security code|prüfziffer|kartenprüfnummer"
    r"|cryptogramme|código de seguridad|código de segurança|codice di sicurezza|güvenlik kodu|kod cvv"
)
PINS = (
    r"(?:pins?|[mp]?tan|otp|totp|puk)2?(?<![^\W_]\w\w\w\w)(?:[ -]?(?:code|number|nummer|kodu?m?|kod))?"
    r"|(?:verification|door|alarm|gate|entry|unlock|access|garage|lock|safe|vault|2fa|mfa|two[- ]factor"
    r"|one[- ]time|login|sign[- ]?in|log[- ]?in"
    r"|confirmation|authentication|authenticator|auth|sms|pairing|building|lock ?box|key ?box|voicemail"
    r"|screen ?lock|activation|reset|elevator|keypad)"
    r" ?(?:code|pin|password|passcode)"
    r"|(?:whatsapp|signal|telegram|google|apple|microsoft|paypal|instagram|facebook|amazon|steam|discord|twitch|uber)"
    r"(?: id)?(?:[ -](?:verification|login|security))?[ -]code"
    r"|geheimzahl|(?:clave|senha|password|contraseña) (?:de|del|da|do|della) (?:la )?(?:tarjeta|cajero|cartão"
    r"|carta|bancomat)"
    r"|digicode|geheimnummer|(?:num[ée]ro|número) (?:secreto?|segreto)|code confidentiel"
    r"|(?:sicherheits|bestätigungs|zugangs|tür|haustür|verifizierungs|freischalt|einmal|entsperr|alarm"
    r"|aktivierungs|sms|safe|zugriffs)-?(?:code|pin|passwort|kennwort)"
    r"|code (?:de )?(?:ma |la |sa )?(?:carte(?: bleue| bancaire)?|cb)|code (?:de (?:vérification|sécurité"
    r"|confirmation|déverrouillage|validation|connexion|la porte|l['’]alarme|porte|l['’]immeuble)|d['’](?:accès"
    r"|entrée|activation)|secret|pin|sms|à usage unique)"
    r"|c[óo]dig[oi] (?:de |da |do |del? )?(?:la |el )?(?:verifica[\wçãó]+|seguran[çc]a|seguridad|confirma\w+"
    r"|acc?es+o|desbloque\w*|alarme?|porta|puerta|portão|secreto|pin|sms|autentica\w+)"
    r"|codice (?:di |del |della |dell['’])?(?:verifica|sicurezza|conferma|accesso|sblocco|allarme|porta|portone"
    r"|cancello|segreto|pin|sms|autenticazione)"
    r"|kod(?:em|u)? (?:weryfikacyjny\w*|dostępu|bezpieczeństwa|do drzwi|do domofonu|do alarmu|do sejfu|do bramy"
    r"|jednorazowy|pin|puk|sms|potwierdzający|autoryzacyjny|blik)"
    r"|(?:doğrulama|güvenlik|onay|giriş|kapı|pin|sms|aktivasyon|alarm|kasa|tek kullanımlık) (?:kod|şifre)\w{0,8}"
    r"|код (?:подтверждения|доступа|от двери)|пин-?код\w*|验证码|認証コード|인증번호"
)
_COMBINATION = (
    r"(?:safe|lock|locker|padlock|vault)(?:['’]s)? (?:combination|combo)"
    r"|combination (?:of|to|for) (?:[\w'’]{1,12} ){1,3}(?:safe|lock|locker|vault|padlock)"
    r"|zahlenkombination|combinaison du coffre|combinaci[óo]n de la caja"
)
_LINK = (
    r"(?:['’]\w{1,3}\b)?(?:\s(?:is|was|ist|war|lautet|est|es|era|é|è|to|jest|это|number|no|now|jetzt|c['’]est)\b"
    r"|['’]s\b)?"
    r"(?:\s(?:now|jetzt|still|just|ahora|agora|maintenant|le|el|o|il|die|the))?\s{0,2}[:=：]?\s{0,3}[#*`\"'“]{0,2}"
)
_THEIR = (
    r"(?:\s(?!is\b|ist\b|est\b|es\b)\w[\w'’.-]{0,20}){1,6}?\s(?:is|was|ist|lautet|est|es|é|è|to|jest)(?:\snow)?"
    r"\s{0,2}:?\s{0,2}[\"'`]?"
)
_THEIR_COLON = r"(?:\s[^\W\d_][\w'’.-]{0,20}){1,4}\s?[:=]\s{0,2}[\"'`]?"
_DIGITS = (
    r"(?P<value>[0-9]{3,4}[ -][0-9]{3,4}|[0-9](?:[ -][0-9]){3,7}|[0-9]{3,5}[a-f](?!\w)|[0-9]{3,8})"
    r"(?P<end>[#*]?)(?![\w-]|[.,:/]\d)"
)
_CODE = lazy_pattern(
    rf"(?<![^\W_])(?:(?P<card>{_CARD_CODES})|(?P<pin>{PINS}))(?![^\W\d_])(?P<link>{_LINK}|{_THEIR}"
    rf"|{_THEIR_COLON}){_DIGITS}"
)
_COMBINED = lazy_pattern(
    rf"(?:{_COMBINATION})(?:\s(?:is|was|ist|est|es)|\s?[:=])\s{{0,2}}"
    r"((?:\d{1,2}(?:[ -]| - )){2,4}\d{1,2}|\d{4,8})(?![\w-])"
)
_CODE_BEFORE = lazy_pattern(
    r"(?<![\w.,:/-])(?:[a-z]{1,3}-)?([0-9]{4,8}|[0-9]{3}[ -][0-9]{3})\s(?:is|ist|est|es|é|è|to|jest|was)\s"
    r"(?:(?:your|my|the|our|ihr|dein|mein|der|votre|ton|mon|le|tu|su|el|seu|sua|o|il|tuo|mio|tw[oó]j|m[oó]j)\s){1,2}"
    rf"(?:[\w'’-]{{1,20}}\s){{0,4}}?(?:{PINS}|{_CARD_CODES}|code|passcode|code de|codice di|c[óo]digo de)\b"
)
_CODE_AS = lazy_pattern(
    r"(?<![\w.,:/-])([0-9]{4,8})\s(?:as|als|comme|como|come|jako)\s(?:(?:my|the|a|your|mein\w?|die|code|mon|el|mi|o"
    r"|meu|il|mio)\s){0,2}"
    r"(?:pin|passcode|code|código|codice|kod)\b"
)
_SIX_DIGITS = lazy_pattern(
    r"\b(?:your|my|the|dein|ihr|mein|der|votre|ton|mon|le|tu|su|mi|el|seu|teu|o|il tuo|il mio|il|tw[óo]j|m[óo]j)\s"
    r"(?:code|código|codice|kod)\s(?:is|ist|est|es|é|è|to)\s?:?\s([0-9]{3}[ -][0-9]{3}|[0-9]{6,8})(?![\w-]"
    r"|\s(?:\w+\s)?(?:lines|lignes|zeilen|líneas|linhas|bytes|chars))"
)
_PLACE = lazy_pattern(r"\b(?:area|city|town|village|district|region|locality)\b")
"""A "pin code" is also a postal code."""
_RECOVERY = lazy_pattern(
    r"(?:(?:backup|back-up|recovery|rescue|emergency|scratch|restore|reset|one-time)[ -]"
    r"(?:(?:access|login|sign-?in) )?(?:codes?|keys?|kit|tokens?)(?: secret key)?"
    r"|(?:wiederherstellungs|sicherheits|backup|notfall|ersatz|rettungs)-?(?:codes?|schlüssel)"
    r"|(?:codes?|clés?) de (?:secours|récupération|sauvegarde|restauration)"
    r"|c[óo]digos? de (?:recuperaci[óo]n|respaldo|seguridad|recuperação|backup|segurança|emergencia|emergência)"
    r"|claves? de recuperaci[óo]n|chaves? de recuperação"
    r"|codic[ei] (?:di )?(?:backup|recupero|ripristino|emergenza)|chiav[ei] di recupero|kod(?:y"
    r"|ów)? (?:zapasow[ey]\w?|odzyskiwania|awaryjn[ey])|klucz odzyskiwania"
    r"|(?:yedek|kurtarma) (?:kod\w{0,6}|anahtar\w{0,4})|коды? восстановления|резервные коды|secret key)"
    r"(?:(?:[\s,(]{1,2}[^\W\d_][\w'’.-]{0,19}){0,5}?(?:[\s)]{0,2}[:=-]|\s(?:are|is|these|sind|ist|son|es|são|é"
    r"|sono|è|to|sont"
    r"|est))"
    r"\s{0,4}|\s{1,4})"
)
_LISTED = lazy_pattern(
    r"(?:[-•*·]\s{0,2})?(?:\d{1,2}[.)]\s{1,2})?[\"'`]?"
    r"(?P<code>[0-9]{4}[ ][0-9]{4}(?![\w-])|[a-z0-9]{2,10}(?:[-–][a-z0-9]{4,10}){1,9}(?![\w-])"
    r"|[a-z0-9]{6,32}(?![\w-]))[\"'`]?[\s,;|/]{0,4}(?:and |und |et |y |e )?"
)
_DATE = lazy_pattern(r"(?:19|20)\d\d-\d\d-\d\d|\d\d-\d\d-(?:19|20)\d\d")
_IDEOGRAPHIC = lazy_pattern(
    r"(?:暗証番号|暗証|(?<![a-z])pin(?=[はがを:：])|ロック番号|パスコード|ピンコード|(?:認証|確認|解錠|入室|セキュリティ)(?:コード|番号)"
    r"|(?:ドア|玄関|金庫|ロッカー|門|鍵|アラーム|スマホ|カード|オートロック)の?(?:コード|番号|暗証番号)"
    r"|门锁?密码|验证码|保险柜密码|비밀번호|인증번호)"
    r"[^\d\n。、，]{0,8}[:：、，]?\s?([0-9]{3,8})(?![0-9]|\s?[桁円年月人階号室回文字時分年位元개])"
)
_DISK_KEY = lazy_pattern(r"(?<![\w-])[0-9]{6}(?:-[0-9]{6}){5,9}(?![\w-])")
_CODE_STEMS = (
    "geheimz cod cód kod код cvv cvc cvn pin пин tan otp puk passw kennwort prüfz kartenpr crypto şifre güvenlik "
    "verification 验证 認証 인증"
).split()
_COMBINATION_STEMS = ("comb", "kombination")
_RECOVERY_STEMS = (
    "backup back-up recover rescue emerg scratch restore reset one-time wiederherst notfall ersatz "
    "rettung secours récup "
    "sauvegarde restaur recuper respaldo segur ripristino zapasow odzysk awaryjn yedek kurtarma "
    "восстанов резерв secret "
    "sicherheits"
).split()
LITERALS = (*_CODE_STEMS, *_COMBINATION_STEMS, *_RECOVERY_STEMS, "-")
"""A text in ASCII without any of these has no code."""
UNIT = lazy_pattern(
    r"\s{0,2}(?:%|(?:or more |to \d+ )?(?:char|digit|letter|symbol|word|line|zeile|ligne|long|year|month|week|day"
    r"|hour|minute|second|bit|byte|time"
    r"|step|item|file|zeichen|stellen|ziffern|caract|d[íi]git|chiffre|gün|dni|tage|jours|días|dias|giorni|attempt"
    r"|versuch|people|user|points?))"
)


def spans(text: str, lower: str) -> Iterator[Span]:
    """The codes in a text that has a digit."""
    if any(stem in lower for stem in _CODE_STEMS):
        for match in _CODE.finditer(lower):
            if _is_code(match, text):
                yield Span(match.start("value"), match.end("end"), "PIN")
        for pattern in (_CODE_BEFORE, _CODE_AS, _SIX_DIGITS):
            yield from (Span(*code.span(1), "PIN") for code in pattern.finditer(lower))
    if any(stem in lower for stem in _COMBINATION_STEMS):
        yield from (Span(*combined.span(1), "PIN") for combined in _COMBINED.finditer(lower))
    if not lower.isascii():
        yield from (Span(*code.span(1), "PIN") for code in _IDEOGRAPHIC.finditer(lower))
    yield from (Span(*key.span(), "recovery code") for key in _DISK_KEY.finditer(lower))
    if any(stem in lower for stem in _RECOVERY_STEMS):
        for name in _RECOVERY.finditer(lower):
            yield from _listed_codes(name.end(), text, lower)


def _is_code(match: re.Match[str], text: str) -> bool:
    digits = sum(map(str.isdigit, match["value"]))
    if _PLACE.search(match["link"]):
        return False
    if not (3 if match["card"] else 4) <= digits <= 8 or UNIT.match(match.string, match.end()):
        return False
    if match["pin"] in ("pin", "tan") and not match["link"].strip():  # "pin 1234" may be one of a connector
        before = text[max(0, match.start() - 12) : match.start()].lower()
        return text[match.start() : match.start() + 3].isupper() or bool(
            re.search(r"\b(?:my|card|sim|atm|bank)\W+$", before)
        )
    return True


def _listed_codes(start: int, text: str, lower: str) -> Iterator[Span]:
    """The codes that follow one another after their name; words and dates are none."""
    first = True
    while code := _LISTED.match(lower, start):
        has_digit = re.search(r"\d", code["code"])
        is_capital = "-" in code["code"] and text[slice(*code.span("code"))].isupper()
        is_next = not first and re.fullmatch("[a-z]{4,6}-[a-z]{4,6}", code["code"])  # among others, one without a digit
        if _DATE.fullmatch(code["code"]) or not (has_digit or is_capital or is_next):
            return
        yield Span(*code.span("code"), "recovery code")
        start, first = code.end(), False
