"""Numbers of identity and payment: cards, bank accounts, social security and other national ids.

Cards and IBANs are known by their check digits, some ids by their form; the others need their name before them.
"""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.span import Span

# The first digit precedes its lookbehind, so that the search skips everything that can't begin a card number.
_CARD = lazy_pattern(r"[0-9](?<![\w@#&</.=-][0-9])(?:[ -]?[0-9]){13,15}(?![\w/@>-])")
_GROUPED_CARD = lazy_pattern(
    r"[0-9](?<![\w@#&<.-][0-9])[0-9]{3}([ .\-_/·\u00a0\u2009\u202f])"
    r"(?:[0-9]{4}\1[0-9]{4}\1[0-9]{4}|[0-9]{6}\1[0-9]{4,5})(?![\w@>]|[/.-]\d)"
)
_NAMED_CARD = lazy_pattern(r"[0-9](?<![\w@#&<.-][0-9])[0-9]{3}(?: ?[0-9]{4}){3}(?![\w@>-]|[ /.][0-9]{4})")
_CARD_NAMES = lazy_pattern(
    r"(?<!\w)(?:cards?|visa|mastercard|amex|maestro|cc|gift|cv[cv]2?|\w{0,8}karte|cartes?|cb|tarjetas?|cartão|cartões"
    r"|carta|kart\w{0,4}|on the back|long number)(?!\w)|カード"
)
_BESIDE_CARD = lazy_pattern(
    r"(?<![\w.,:/-])(?P<expiry>(?:0?[1-9]|1[0-2]) ?/ ?(?:20)?\d\d|(?:0[1-9]|1[0-2])[2-4]\d)(?![\w/-]|[.,:]\d)"
    r"|(?<![\w.,:/$€£-])(?P<code>\d{3,4}|\d{8})(?![\w/-]|[.,:]\d|\s?[$€£%])"
)
_REACH_OF_CARD = 80
_CARD_MAKERS = lazy_pattern(
    r"4\d{15}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|3[068]\d{12}|35\d{14}|6(?:011|5\d\d"
    r"|2\d\d)\d{12}"
)
# The search begins at the check digits: letters are everywhere.
_IBAN = lazy_pattern(
    r"[0-9](?<=[a-z]{2}[0-9])(?<![^\W_][a-z]{2}[0-9])[0-9](?:[ .-]?[a-z0-9]{4}){2,7}(?:[ .-]?[a-z0-9]{1,3})?(?![^\W_])"
)
_IBAN_SIZES = {
    country: int(size)
    for size, countries in (
        pair.split(":")
        for pair in (
            "15:NO 16:BE 18:DK,FI,FO,GL,NL 19:MK,SI 20:AT,BA,EE,KZ,LT,LU,XK 21:CH,HR,LI,LV "
            "22:BG,BH,CR,DE,GB,GE,IE,ME,RS 23:AE,GI,IL 24:AD,CZ,ES,MD,PK,RO,SA,SE,SK,TN,VG 25:PT 26:IS,TR "
            "27:FR,GR,IT,MC,MR,SM "
            "28:AL,AZ,BY,CY,DO,GT,HU,LB,PL 29:BR,PS,QA,UA 30:JO,KW,MU 31:MT"
        ).split()
    )
    for country in countries.split(",")
}
_SSN = lazy_pattern(r"\d(?<![\w./#:+-]\d)(?<!9)\d\d(?<!000)(?<!666)-(?!00)\d\d-(?!0000)\d{4}(?![\w-]|\.\d)")
_NOT_SSN = lazy_pattern(r"(?:phone|tel\w*|call|fax|mobile|order|ticket|invoice|part|model|ref\w*|number is)\W{0,3}$")
_FORMS = (  # of Italy, the United Kingdom, Brazil, Spain and Switzerland, and an account of a Spanish bank
    lazy_pattern(r"[0-9](?<=[a-z]{6}[0-9])(?<![^\W_][a-z]{6}[0-9])[0-9][a-ehlmprst][0-9]{2}[a-z][0-9]{3}[a-z](?!\w)"),
    lazy_pattern(r"[a-ceghj-prq-tw-z](?<!\w[a-z])[a-ceghj-npqr-tw-z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d](?!\w)"),
    lazy_pattern(r"[0-9](?<![\w.][0-9])[0-9]{2}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}(?!\w)"),
    lazy_pattern(r"[xyz](?<!\w[xyz])-?[0-9]{7}-?[a-z](?!\w)"),
    lazy_pattern(r"[0-9](?<![\w.][0-9])[0-9]{3}[ -][0-9]{4}[ -][0-9]{2}[ -][0-9]{10}(?!\w)"),
    lazy_pattern(r"7(?<![\w.]7)56\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}(?!\w)"),
)
_ITALIAN_LETTERS = 6
_ID_NAMES = (
    r"ssn|social(?: security| insurance)?(?: number| no\.?)|national insurance(?: number)?|ni number|tax ?id"
    r"|taxpayer id"
    r"|(?:passport|passaporto|passaporte|pasaporte|passeport|paszportu?|pasaport|reisepass|personalausweis|ausweis)"
    r"(?:[ -]?(?:number|no\.?|nummer|nr\.?|numarası|numarasi))?"
    r"|n(?:[úu]mero|umero|um[ée]ro|r\.?|umer)(?: d[eio](?:l|lla)?)? (?:passaporto|passaporte|pasaporte|passeport"
    r"|paszportu|dowodu(?: osobistego)?"
    r"|seguridad social|seguran[çc]a social|sécurité sociale|securite sociale|identidade|identidad"
    r"|carta d['’]identità)"
    r"|driv(?:er['’]?s|ing) licen[cs]e(?: number| no\.?)?|führerschein(?:nummer|nr\.?)|id card number"
    r"|steuer-?(?:id|identifikationsnummer|nummer)|sozialversicherungsnummer|rentenversicherungsnummer|svnr"
    r"|personalausweisnummer"
    r"|(?:num[ée]ro de )?s[ée]cu(?:rit[ée] sociale)?|seguridad social|cpf|rg|cnpj|dni|nie|nif|curp|pesel|nip"
    r"|dow[óo]d osobisty"
    r"|codice fiscale"
    r"|tc ?(?:kimlik|no)(?: ?(?:no|numaram|numaras[ıi]))?|t\.c\.(?: kimlik)?|kimlik (?:no|numaram?|numaras[ıi])"
    r"|aadhaar|pan number|bsn|burgerservicenummer"
    r"|personnummer|cpr(?:-nummer)?|rodn[ée] [čc][íi]slo|инн|снилс|паспорт\w*|medicare(?: number)?|nhs number"
    r"|sin number|health insurance number|passports|pasaportum|perso|dl|ehliyet(?: no)?|dow[óo]d|prawo jazdy"
    r"|permis de conduire|num[ée]ro fiscal|carte d['’]identité|carta d['’]identità|patente(?: di guida)?"
    r"|(?:permiso|carn[ée]) de conducir|carteira de motorista|carta de condução|cartão de cidadão|título de eleitor"
    r"|niss|utente|clabe|known travell?er|redress number|免許証番号|マイナンバー"
    r"|旅券番号|パスポート番号|保険証番号|口座(?:番号)?"
)
_ACCOUNT_NAMES = (
    r"(?:bank )?(?:account|acct)\.? (?:number|no\.?|nr\.?|#)|routing(?: number)? \d{9},? (?:and )?account(?: number)?"
    r"|(?:routing|aba)(?: number)?|kontonummer|konto-?nr\.?"
    r"|num[ée]ro de compte"
    r"|n[úu]mero de (?:la )?cuenta|n[úu]mero da conta|numero (?:di|del) conto|numer (?:konta|rachunku)"
    r"|hesap (?:no|numaras[ıi]|numaram)"
    r"|sort code \d\d-?\d\d-?\d\d,? (?:and )?account|sort code(?= \d\d-\d\d)"
)
_JOINT = (
    r"(?:[,\s][^\d\n:.,]{1,40}[:,])?(?:\s(?:is|was|ist|lautet|est|es|é|è|to|jest|это|:|no\.?)|-?nr\.?)?"
    r"(?:は(?:普通|当座)?)?\s{0,2}[:=#]?\s{0,2}(?:[a-z]{2,12}\s(?=[a-z]\d))?"
)
_ID = lazy_pattern(
    rf"(?<![^\W_])(?:(?P<account>{_ACCOUNT_NAMES})|{_ID_NAMES})(?![a-zà-ÿ0-9]){_JOINT}"
    r"(?P<value>[a-z]{0,4}\d?[a-z]{0,2}[ -]?\d(?:[ ./-]?[\da-z]){4,20}(?![^\W_]))"
)
ID_STEMS = (
    "ssn social insur tax pass pasap pasz ausweis licen führer steuer nummer svnr curit segur cpf rg cnpj dni nie "
    "nif curp pesel nip dow fiscale tc t.c kimlik aadh pan bsn cpr rodn инн снилс паспорт medicare nhs sin acc konto "
    "perso dl ehliyet prawo permis condu motorista cidad eleitor niss utente clabe travel redress sort "
    "免許 マイナ 旅券 "
    "保険証 パスポート 口座 patente "
    "compte cuenta conta conto rachunk hesap identi sécu secu"
).split()
_MAX_SERIES = 3
"""The letters before the number of a document."""
_MIN_ID_DIGITS, _MIN_FORM_DIGITS, _MIN_CARD_DIGITS = 5, 6, 14
_DIGITS = lazy_pattern(r"[0-9]")


def spans(text: str, lower: str, *, is_named: bool) -> Iterator[Span]:
    """The numbers in a text that has a digit, and one of the `ID_STEMS` or none."""
    digits = len(_DIGITS.findall(text))
    if digits >= _MIN_CARD_DIGITS:
        for card in (*_CARD.finditer(text), *_GROUPED_CARD.finditer(text)):
            if _is_card("".join(filter(str.isdigit, card[0]))):
                yield Span(*card.span(), "card number")
        yield from _named_cards(lower)
    for account in _IBAN.finditer(lower):
        yield from _bank_account(account.start() - 2, lower[account.start() - 2 : account.end()])
    if "-" in text:
        for ssn in _SSN.finditer(text):
            if not _NOT_SSN.search(lower, max(0, ssn.start() - 20), ssn.start()):
                yield Span(*ssn.span(), "national id")
    for form in _FORMS if digits >= _MIN_FORM_DIGITS else ():
        for match in form.finditer(lower):
            start = match.start() - (_ITALIAN_LETTERS if form is _FORMS[0] else 0)
            yield Span(start, match.end(), "national id")
    for match in _ID.finditer(lower) if is_named and digits >= _MIN_ID_DIGITS else ():
        yield from _named_id(match)


def _named_cards(lower: str) -> Iterator[Span]:
    """Numbers of cards that are called so, and what stands beside one on a card, whatever its check digit."""
    for card in _NAMED_CARD.finditer(lower):
        if not _CARD_NAMES.search(lower, max(0, card.start() - _REACH_OF_CARD), card.end() + _REACH_OF_CARD):
            continue
        yield Span(*card.span(), "card number")
        for beside in _BESIDE_CARD.finditer(lower, card.end(), card.end() + _REACH_OF_CARD):
            yield Span(*beside.span(), "card number" if beside["expiry"] else "PIN")


def _named_id(match: re.Match[str]) -> Iterator[Span]:
    """The part of what follows a name up to the last group with a digit."""
    groups = list(re.finditer(r"[^ ]+", match["value"]))
    end = 0
    for group in groups:
        if not re.search(r"\d", group[0]) and (end or len(group[0]) > _MAX_SERIES):
            break
        end = group.end()
    if sum(map(str.isdigit, match["value"][:end])) >= _MIN_ID_DIGITS:
        yield Span(
            match.start("value"), match.start("value") + end, "bank account" if match["account"] else "national id"
        )


def _is_card(digits: str) -> bool:
    if not _CARD_MAKERS.fullmatch(digits):
        return False
    doubled = (int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _bank_account(start: int, text: str) -> Iterator[Span]:
    """An IBAN with the length of its country and valid check digits; words may follow it."""
    size = _IBAN_SIZES.get(text[:2].upper())
    positions = [index for index, char in enumerate(text) if char.isalnum()]
    if size is None or len(positions) < size:
        return
    end = positions[size - 1] + 1
    if end < len(text) and text[end].isalnum():
        return
    iban = "".join(filter(str.isalnum, text[:end]))
    if int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1:
        yield Span(start, start + end, "bank account")
