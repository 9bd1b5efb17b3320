"""Secrets in words: a number told in words, a quoted phrase that opens something, the answer to a question that proves
who one is, a word told with how its letters are written.
"""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.language.prefilter import literals_of
from recollect.policy.redaction.opened import CLAUSE
from recollect.policy.redaction.opening_words import openings
from recollect.policy.redaction.shapes import DESCRIBES, DESCRIBING
from recollect.policy.redaction.span import Span

_LONG_DIGITS = """
    zero three four five seven eight nine double triple null eins zwei drei vier fünf sechs sieben acht neun cero
    tres cuatro cinco seis siete ocho nueve zéro deux trois quatre cinq sept huit neuf dois três quatro sete oito
    nove quattro cinque sette otto undici jeden trzy cztery pięć sześć siedem osiem dziewięć sıfır dört beş altı
    yedi sekiz dokuz
""".split()
_DIGIT = rf"(?:{'|'.join(_LONG_DIGITS)}|oh|one|two|six|uno|dos|un|um|due|tre|sei|dwa|bir|iki|üç)"
_NUMBER = lazy_pattern(rf"(?<!\w){_DIGIT}(?:(?:, ?|-| |,? (?:and|und|et|y|e) ){_DIGIT}){{2,7}}(?![\w-])")
_JAPANESE_DIGIT = "(?:ゼロ|れい|いち|さん|よん|ご|ろく|なな|はち|きゅう|に)"
_JAPANESE_NUMBER = lazy_pattern(rf"{_JAPANESE_DIGIT}(?:[、,・ ]{_JAPANESE_DIGIT}){{2,7}}")
_NO_CODE = lazy_pattern(
    r"(?<!\w)(?:orders?|formation|times|mal|fois|veces|vezes|volte|razy|kere|bus|tables?|phone number|street"
    r"|years?)(?!\w)"
)
_REACH = 80
_NEAR = 32
_MIN_DIGITS = 4


def numbers(_: str, lower: str) -> Iterator[Span]:
    """Codes told in words, beside something that is opened or somebody who enters them."""
    for clause in CLAUSE.finditer(lower):
        found = [*_NUMBER.finditer(lower, *clause.span()), *_JAPANESE_NUMBER.finditer(lower, *clause.span())]
        if not found or _NO_CODE.search(lower, *clause.span()):
            continue
        words = list(openings(lower, max(0, clause.start() - _REACH), min(len(lower), clause.end() + _REACH // 2)))
        for number in found:
            has_lock = any(word.is_lock or not word.is_thing for word in words)
            is_quoted = lower[number.start() - 1 : number.start()] in ('"', "“", "「", "«")
            if has_lock or (is_quoted and len(re.findall(r"\w+", number[0])) >= _MIN_DIGITS):
                yield Span(*number.span(), "PIN")


_OPENS = (
    r"decrypt|encrypt|unlock|(?<!\w)opens(?!\w)(?! an? )|opened (?:with|by)|door clicks|(?<!\w)(?:get"
    r"|let)s? (?:you|me|us|him|her|them) (?:in|past)(?!\w)|(?<!\w)to get past|(?<!\w)gpg(?!\w)"
    r"|disarm|verschlüssel|entschlüssel|öffne|entsperr|déchiffr|chiffré|(?<!\w)ouvre|débloque|cifrad|descifr"
    r"|(?<!\w)abre"
    r"|cifrat|decifr|(?<!\w)apre|sblocc|szyfr|odblok|otwier|şifrele|kilidini|暗号|復号|で開|解除"
)
_QUOTED = lazy_pattern(r"[\"“„«「『](?P<value>[^\"”“»」』\n]{3,80})[\"”“»」』]")
_OPENING = lazy_pattern(_OPENS)


def quotes(_: str, lower: str) -> Iterator[Span]:
    """Quoted words that open or decrypt something."""
    for clause in CLAUSE.finditer(lower):
        quoted = list(_QUOTED.finditer(lower, *clause.span()))
        if len(quoted) == 1 and quoted[0]["value"] not in DESCRIBES:
            start, end = quoted[0].span()
            if _OPENING.search(lower, max(clause.start(), start - _NEAR), start) or _OPENING.search(
                lower, end, min(clause.end(), end + _NEAR)
            ):
                yield Span(*quoted[0].span("value"), "password")


_ANSWERED = (
    r"security question|secret question|sicherheitsfrage|geheimfrage|antwort|réponse|pregunta de seguridad"
    r"|respuesta|pergunta"
    r"|resposta|domanda|risposta|pytanie|odpowied|güvenlik sorusu|cevab|diye kayıtlı|(?<!\w)answer|question:"
    r"|what street did you"
    r"|で登録"
)
_ABOUT = lazy_pattern(
    r"pet(?!\w)|maiden name|first school|(?<!\w)teacher|grew? up|grow up|(?:were|was) born|city of birth|first car"
    r"|geburtsort|haustier|mädchenname|grundschule|ville de naissance|nom de jeune fille|animal de compagnie"
    r"|(?:premi[eè]re?) "
    r"|mascota|apellido de soltera|naciste|colegio|nome d[ao] (?:avó|mãe|pai)|nome de solteira|cognome da nubile"
    r"|animale"
    r"|imię|nazwisko panieńskie|kızlık soyadı|evcil hayvan|旧姓|ペットの名"
)
_SAID = lazy_pattern(
    r"(?:[:→?=]|(?<!\w)(?:is|was|put|said|antwort|ist|war|est|es|era|é|pus|puse|è|to|answer['’]s"
    r"|soyadı))[\s,]{1,2}[\"“«„]?"
    r"(?P<value>[^\W\d_a-zß-ÿ][\w'’-]{2,24}\.?(?: (?:der|die|de|la|di|[A-ZÀ-Ž])[\w'’-]{0,24}){0,3})"
    r"(?=[\"”»“]?\s?(?:$|[.,;!)(\n]|(?:even|when|diye|for|if)(?!\w)))"
)
_JAPANESE_SAID = lazy_pattern("(?:たら|は)(?P<value>[^はがで、。「」]{2,12})で登録")


def answers(text: str, lower: str) -> Iterator[Span]:
    """The answer to a question about somebody's mother, school or pet that proves who they are."""
    for line in re.finditer(r"[^\n]+", lower):
        if not (_ABOUT.search(lower, *line.span()) and _PROVES.search(lower, *line.span())):
            continue
        said = list(_SAID.finditer(text, *line.span())) or list(_JAPANESE_SAID.finditer(text, *line.span()))
        if said:
            yield Span(*said[-1].span("value"), "security answer")


_PROVES = lazy_pattern(_ANSWERED)
_CASE = (
    r"lower ?case|upper ?case|all caps|minuscul|minúscul|mayúscul|maiúscul|maiuscol|klein ?geschr|klein(?!\w)"
    r"|groß ?geschr"
    r"|majuscule|małą liter|wielką liter|küçük harf|büyük harf|小文字|大文字"
)
_CASES = lazy_pattern(_CASE)
_WORD = lazy_pattern(r"[^\W\d_]\w{3,30}[!?.]?")


def variants(text: str, lower: str) -> Iterator[Span]:
    """The same word written in two ways, where somebody says which: nothing but a password has to be written so."""
    for clause in re.finditer(r"[^\n.]+", text):
        words = list(_WORD.finditer(text, *clause.span()))
        forms: dict[str, set[str]] = {}
        for word in words:
            forms.setdefault(word[0].rstrip("!?.").lower(), set()).add(word[0].rstrip("?."))
        twice = {form for form, written in forms.items() if len(written) > 1}
        if twice and _CASES.search(lower, *clause.span()):
            yield from (Span(*word.span(), "password") for word in words if word[0].rstrip("!?.").lower() in twice)


_NETWORK = r"(?<!\w)(?:wi-?fi|w-?lan|guest net(?:work)?)(?:['’]\w{1,2})?"
_IS = r"(?: (?:is|ist|est|es|è|é|to))?\s?[:=→]\s?| (?:is|ist|est|es|è|é|to) |/"
_NETWORK_KEYS = (
    lazy_pattern(
        rf"{_NETWORK}(?: \([^)\n]{{2,20}}\)"
        rf"| [^\W\d_]{{2,12}}){{0,2}}(?:{_IS})(?P<value>[^\W\d_]{{9,32}})[!.]?[ \t]*(?=$|\n)"
    ),
    lazy_pattern(
        rf"\d\w?, (?:[^\n]{0, 60}, )?(?:e |and |und |et |y )?{_NETWORK}(?: (?:is"
        rf"|key))? (?P<value>[^\W\d_]{{6,32}})[!.]?[ \t]*(?=$|\n)"
    ),
)
"""A long word alone behind the network, in small letters; or one that ends a list with numbers of what is locked."""
_STILL = lazy_pattern(
    r"(?<!\w)(?:netflix|spotify|disney|hulu|hbo|prime|amazon|ebay|paypal|dropbox|forum\w*|sudo|psn|allegro"
    r"|olx)\??(?: (?:is|was))? "
    r"(?:still|sigue siendo|toujours|ainda|continua|dalej|nadal|hâlâ|immer noch"
    r"|ancora) (?P<value>[^\W\d_]{8,30})(?=\s?(?:$|[.,;!?]))"
)
_ADJECTIVE = lazy_pattern(
    r".*(?:ant|ent|[ai]c|al|some|ando|endo|indo|ary|ory|ish|ant[eo]?|ente|ire|ado|able|es|ted|bar)"
)


def words(text: str, lower: str) -> Iterator[Span]:
    """Passwords that are long words: of a network, or of a service that still has the same one."""
    for pattern in (*_NETWORK_KEYS, _STILL):
        for match in pattern.finditer(lower):
            value = match["value"]
            if text[slice(*match.span("value"))] == value and not _describes(value):
                yield Span(*match.span("value"), "password")


def _describes(word: str) -> bool:
    return word in DESCRIBES or any(form.fullmatch(word) for form in (DESCRIBING, _ADJECTIVE))


SEARCHES = {
    words: (
        "wifi",
        "wi-fi",
        "wlan",
        "w-lan",
        "guest net",
        "still",
        "sigue siendo",
        "toujours",
        "ainda",
        "continua",
        "dalej",
        "nadal",
        "hâlâ",
        "immer noch",
        "ancora",
    ),
    numbers: (*_LONG_DIGITS, "なな", "よん", "いち"),
    quotes: ('"', "“", "„", "«", "「", "『"),
    answers: literals_of(_PROVES),
    variants: literals_of(_CASES),
}
"""Each finds nothing in a text without one of its literals."""
