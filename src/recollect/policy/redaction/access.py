"""Secrets told by what they give access to: "the gate code is …", "the padlock opens with …".

Each class is its words in eight languages times a value that looks like a secret; every search looks at a few dozen
characters around a rare word, so that cost grows with length only.
"""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.language.prefilter import literals_of
from recollect.policy.redaction.codes import UNIT
from recollect.policy.redaction.shapes import DESCRIBES
from recollect.policy.redaction.span import Span

_REACH = 100
_SENTENCE_END = lazy_pattern(r"[\n;]|(?<!\d)[.!?](?=\s)")

# Class 1: the code of something that is locked.
_CODE_WORD = lazy_pattern(
    r"(?<!\w)(?:(?:pass|key)?codes?|combos?|combination|pin|\w{0,14}(?:code|kombination)|geheimzahl|combinaison"
    r"|c[óo]digos?"
    r"|clave|combinaci[óo]n|senha|segredo|combinação|codice|combinazione|kod\w{0,6}|kombinacja|szyfr"
    r"|şifre\w{0,6})(?!\w)"
)
OTHER_CODE = lazy_pattern(
    r"(?<!\w)(?:zip|post\w*|area|country|dial\w*|error|exit|status|http|promo\w*|discount|coupon|voucher|gift"
    r"|order|booking"
    r"|product"
    r"|part|bar|qr|source|dress|course|model|colou?r|hex|tax|sort|fehler|farb\w*|rabatt\w*|gutschein\w*|bestell\w*"
    r"|vorwahl"
    r"|erreur|promo|réduction|couleur|descuento|color|pedido|desconto|cor(?!\w)|erro|cupom|sconto|errore|colore|fiscale"
    r"|civile|cap(?!\w)"
    r"|rabatow\w*|pocztow\w*|błędu|koloru|hata|indirim|posta|renk|postal|writing|wrote|commit\w*|review\w*|line"
    r"|lines)"
)
_JOINED = lazy_pattern(
    r"(?:[:=(→,-]|(?<!\w)(?:is|was|goes|reads|now|still|ist|lautet|war|jetzt|est|c['’]est|était|maintenant|es|era"
    r"|fue|ahora|é|foi"
    r"|agora|è|era|adesso|to|jest|było|był|teraz|artık|olarak|code|combo|pin|kod\w{0,6}|şifre\w{0,6}"
    r"|(?:changed|set|geändert|cambi\w+|mud\w+|changé|zmien\w+|qued[óo]|wurde) (?:to|auf|en|in|a|para|pra|na)))"
    r"(?: (?:the|die|der|le|la|el|o|il|number|nummer|número|numéro|numero))?['’]?s?\s{0,2}[\"'`“(]?$"
)
_CODE = (
    r"(?P<value>[0-9]{1,2}(?:[ -][0-9]{1,2}){2,5}|[0-9]{3}[ -][0-9]{3}"
    r"|[a-f]?[0-9]{1,7}[a-f]?[0-9]{1,5}[a-f]?)(?P<end>[#*]{0,2})"
    r"(?![\w-]|[.,:/]\d)"
)
_NUMBER = lazy_pattern(rf"(?<![\w.,:/-]){_CODE}")
_LOCK = (
    r"(?:(?:bike|bicycle|cable|combination|pad) ?)?lock|safe|vault|lock ?box|key ?box|keypad|voicemail"
    r"|(?:fahrrad|zahlen|vorhänge)?schloss|tresor|schlüsselkasten|cadenas|serrure|coffre(?:-fort)?|digicode"
    r"|boîte à clés"
    r"|candado|cerradura|caja fuerte|fechadura|cadeado|cofre|serratura|lucchetto|cassaforte|kłódka|sejf|domofon"
    r"|asma kilit|kilit|kasa"
)
_END = (
    r"(?=[\"'`”]?\s?(?:$|[.,;!)\n]| (?:at|on|to|for|and|when|ein|auf|am|an|beim|öffn\w{0,3}|à|au|sur|pour|et|en|al"
    r"|para"
    r"|y|no|na|em|ao|e|alla|allo|sul|przy|do|i)\b))"
)
_BETWEEN = r"(?:,? [^\W\d_][\w'’-]{0,12}){0,4}?"
_KEYED = lazy_pattern(
    r"(?<!\w)(?:punch(?: in)?|typ(?:e|ing)(?: in)?|enter(?:ing)?|key(?: in)?|dial|press|gib|gebt|tipp\w{0,2}"
    r"|drück\w{0,2}|tape[rz]?|fais|faites|compose[rz]?|marca[rs]?|teclea[rs]?|pulsa|pon|introduce|digit[aei]r?|põe"
    r"|aperta|premi|wpisz|wbij|wciśnij|wpisać)"
    rf"{_BETWEEN}:? [\"'`“]?{_CODE}{_END}"
)
_OPENS_WITH = lazy_pattern(
    r"(?<!\w)(?:opens?|opened|unlock\w{0,3}|geht|öffne\w{0,2}|entsperr\w{0,3}|ouvre[rz]?|abre[rs]?|apre|apri"
    r"|otwiera się"
    rf"|otwórz|odblokuj){_BETWEEN} (?:with|using|mit|avec|con|com|kodem)"
    r"(?: (?:the|el|o|il|le|der|dem))?(?: (?:code|número|numéro|numero|nummer|código|codice))? "
    rf"[\"'`“]?{_CODE}{_END}"
)
LOCKED_THING = lazy_pattern(
    rf"(?<!\w)(?:{_LOCK}|locker|gate|door|garage|shed|barn|cabin|building|elevator|lift|suitcase|briefcase|luggage"
    rf"|phone|tablet|ipad|iphone"
    r"|laptop|alarm|entrance|intercom|parking|barrier|mail ?box|airbnb|sauna|gym|(?:debit|credit|bank|sim) card|sms"
    r"|texted|text message"
    r"|(?:haus|garten|hof|einfahrts|keller|garagen|büro|wohnungs|eingangs)?(?:tor|tür)\w{0,6}|garagen?\w{0,4}"
    r"|keller\w{0,4}|spind\w{0,4}"
    r"|koffer\w{0,4}|handy\w{0,4}|schranke\w{0,4}|eingang\w{0,4}|schließfach\w{0,4}|alarmanlage\w{0,4}|safe\w{0,6}"
    r"|tresor\w{0,6}"
    r"|portail|portillon|porte|immeuble|valise|vélo|téléphone|portable|alarme|carte|interphone|entrée|hall|cave"
    r"|bâtiment"
    r"|reçue?"
    r"|puerta|portal|port[óo]n|maleta|taquilla|trastero|edificio|verja|cochera|bici\w*|m[óo]vil|tarjeta|alarma"
    r"|garaje|llegó"
    r"|llegado|telefonillo"
    r"|portão|porta|mala|cacifo|armário|prédio|elevador|celular|cartão|telem[óo]vel|garagem|interfone|veio|chegou"
    r"|recebi"
    r"|cancello|portone|valigia|armadietto|cantina|telefono|cellulare|bancomat|citofono|allarme|box|arrivat[oa]"
    r"|ricevut[oa]"
    r"|bram\w{1,2}|furt\w{1,3}|drzwi\w{0,3}|walizk\w|szafk\w|domofon\w{0,2}|kłódk\w|garaż\w{0,2}|piwnic\w|klatk\w"
    r"|roweru|karty|sejf\w{0,2}|alarmu"
    r"|kapı\w{0,4}|bavul\w{0,3}|dolap\w{0,3}|dolabı\w{0,3}|telefon\w{0,4}|kilid\w{0,4}|kasa\w{0,3}|bina\w{0,4}"
    r"|apartman\w{0,4}|garaj\w{0,3}"
    r"|bisiklet\w{0,4}|kart\w{0,4}|site\w{0,4}|gelen|geldi)(?!\w)|(?:tür|tor|garagen?|alarm|safe|tresor|schloss"
    r"|keller|handy"
    r"|spind|koffer|hof|eingangs)"
    r"(?=(?:anlagen?)?-?(?:code|kombination))"
)
_MIN_CODE_DIGITS = 3
# Class 2: the answer to a security question, and the code on the back of a card.
_SAID = r"[\"'`“„«]?(?P<value>[^\W_][\w'’-]{2,24}(?: [^\W_][\w'’-]{0,24}){0,2})(?=[\"'`”“»]?\s?(?:$|[.,;!\n)]))"
_ANSWER = lazy_pattern(
    r"(?:(?:security|secret|recovery) (?:question['’]?s? )?answer|answer (?:to|for) (?:my|the|your"
    r"|our)? ?(?:[\w'’-]{1,12} ){0,2}?(?:security|secret|recovery) question"
    r"|antwort auf (?:die|meine) (?:sicherheits|geheim)frage|réponse (?:secrète|à (?:ma|la) question (?:secrète"
    r"|de sécurité))"
    r"|respuesta (?:secreta|(?:a|de) (?:mi|la) pregunta (?:secreta|de seguridad))|resposta (?:secreta|(?:d?a"
    r"|à)(?: minha)? pergunta (?:secreta|de segurança))"
    r"|risposta (?:segreta|alla (?:mia )?domanda (?:segreta|di sicurezza))"
    r"|odpowied[źz] na pytanie (?:zabezpieczające|pomocnicze|bezpieczeństwa)"
    r"|(?:güvenlik|gizli) soru(?:m|sun)?un cevabı)"
    r"(?:[^\n.:=!,]{0,50}?(?:\?|\s?[:=]|,? (?:is|was|ist|lautet|est|es|é|è|to|jest))|)\s{1,2}" + _SAID
)
_BACK_CODE = lazy_pattern(
    r"(?:(?:the )?(?:three|3|last three) digits|(?:code|digits|number|numbers) (?:on|from|at) the back|(?:code"
    r"|nummer|zahl|ziffern) (?:auf der rückseite"
    r"|hinten)|(?:code|chiffres) (?:au dos|derrière)"
    r"|(?:c[óo]digo|n[úu]meros?|d[íi]gitos) (?:de atr[áa]s|de detr[áa]s|atr[áa]s|no verso|do verso|del reverso)"
    r"|(?:codice|numeri|cifre) (?:sul retro|dietro)"
    r"|(?:kod|cyfry) (?:z tyłu|na odwrocie)|arka(?:sın)?daki (?:kod|numara))"
    r"(?:\s?[:=]|,? (?:is|are|ist|sind|lautet|est|sont|c['’]est|es|son|é|são|è|sono"
    r"|to))?\s{1,2}(?P<value>[0-9]{3,4})(?![\w.,:/-]*\d)"
)
_HAS_CODE = lazy_pattern(r"\d\w{2}|\d[ -]\d")
QUESTION_LITERALS = ("question", "frage", "answer", "réponse", "respuesta", "resposta", "risposta", "pytani", "soru")
"""A text without any of these has no answer to a security question."""
CODE_LITERALS = literals_of(_CODE_WORD, _KEYED, _OPENS_WITH, _BACK_CODE)
"""A text without any of these has no code that `codes` finds."""


def codes(lower: str) -> Iterator[Span]:
    """The numbers that open something, and those on the back of a card."""
    if not _HAS_CODE.search(lower):
        return
    for word in _CODE_WORD.finditer(lower):
        yield from _code_of_a_thing(word, lower)
    for pattern in (_KEYED, _OPENS_WITH):
        for match in pattern.finditer(lower):
            is_of_thing = LOCKED_THING.search(lower, *_sentence(lower, *match.span()))
            if is_of_thing and _is_code(match["value"]) and not UNIT.match(lower, match.end("end")):
                yield Span(match.start("value"), match.end("end"), "PIN")
    yield from (Span(*match.span("value"), "PIN") for match in _BACK_CODE.finditer(lower))


def _code_of_a_thing(word: re.Match[str], lower: str) -> Iterator[Span]:
    """The number that a word such as "code" leads to, in a sentence with something that has a lock."""
    start, end = _sentence(lower, *word.span())
    if OTHER_CODE.search(lower, max(start, word.start() - 12), min(end, word.end() + 24)):
        return
    if not LOCKED_THING.search(lower, start, end):
        return
    for match in _NUMBER.finditer(lower, word.end(), end):
        leads = _JOINED.search(lower, max(word.start(), match.start() - 40), match.start())
        if leads and (_is_year(match["value"]) and leads[0].rstrip().endswith((" en", " in", " na"))):
            continue
        is_bare = leads and leads[0].strip().isalpha() and _CODE_WORD.fullmatch(leads[0].strip())
        if is_bare and len(match["value"]) == _MIN_CODE_DIGITS:  # "code 404"
            continue
        if leads and _is_code(match["value"]) and not UNIT.match(lower, match.end("end")):
            yield Span(match.start("value"), match.end("end"), "PIN")


def answers(text: str, lower: str) -> Iterator[Span]:
    """The answers to security questions: a name, or a single word that describes nothing."""
    for match in _ANSWER.finditer(lower):
        value = text[slice(*match.span("value"))]
        if value[0].isupper() or (" " not in value and value not in DESCRIBES):
            yield Span(*match.span("value"), "security answer")


def _sentence(lower: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the sentence around a match, within reach of it."""
    ends = [match.end() for match in _SENTENCE_END.finditer(lower, max(0, start - _REACH), start)]
    after = _SENTENCE_END.search(lower, end, end + _REACH)
    return (ends[-1] if ends else max(0, start - _REACH)), (after.start() if after else min(len(lower), end + _REACH))


def _is_year(value: str) -> bool:
    return re.fullmatch(r"(?:19|20)\d\d", value) is not None


def _is_code(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    return _MIN_CODE_DIGITS <= digits <= 8 and not re.fullmatch(r"(?:19|20)\d\d-\d\d-\d\d", value)
