"""What opens a thing or an account, whatever the sentence: a word for it, and in the same clause a value that is no
amount, measure, date or name.
"""

import re
from collections.abc import Iterator

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.access import OTHER_CODE
from recollect.policy.redaction.code_values import FOLLOWED, MEASURE, NAMED, TYPED, is_code, is_handed
from recollect.policy.redaction.mentioned import THING, is_other, is_word_with_digit, looks_secret, value_of
from recollect.policy.redaction.nearby import CHOSEN, is_described
from recollect.policy.redaction.opening_words import Opening, are_in, is_glue, openings
from recollect.policy.redaction.shapes import SOFTWARE
from recollect.policy.redaction.span import Span

CANDIDATE = lazy_pattern(r"[0-9]{3}|[0-9][-–*# ][0-9]|[A-Z]-?[0-9]|[0-9][A-Z*#]")
"""A cheap test: every code matches it, and every other value has a letter beside a digit,"""
JOINED = lazy_pattern(r"[&!#?$+*=_.](?:(?<=[^\W\d_][^\W\d_].)(?=[^\W\d_]{2})|(?<=\w[$*])(?!\w))")
"""or a sign between words."""
CLAUSE = lazy_pattern(r"[^\n。]{0,239}?(?:[^\n。](?=\n|$)|[.!;](?=\s|$)|。)|[^\n。]{240}")
"""A sentence, or so much of one that all its words can be compared with all its values."""
_CODE = lazy_pattern(
    r"(?<![0-9A-Za-z_À-ɏ.,:/$€£@+-])(?<!\d{3} )(?<!\d{4} )(?:[*#] ?)?(?P<value>(?:\*|#(?!\d{3}(?:\d{3})?(?!\d)))?(?:"
    r"[0-9]{1,2}[lr](?: [0-9]{1,2}[lr]){1,3}|[0-9]{1,2}(?:[-–][0-9]{1,2}){1,5}|[0-9]{2}(?: [0-9]{2}){2}"
    r"|[0-9](?: [0-9]){3,7}|[0-9]{3}[ -][0-9]{3}|[0-9]+(?:[*#][0-9]+)+|[a-z]{1,3}-?[0-9]{1,4}[a-z]?|[0-9]{1,4}[a-z]"
    r"|g-[0-9]{4,8}|[a-z][0-9][a-z][0-9]|[0-9][a-z][0-9][a-z]|[*][0-9]{2,8}|[0-9]{2,8}[*#]|[0-9]{3,8})[*#]?)"
    r"(?![0-9A-Za-z_À-ɏ-]|[.,:/][0-9]|\s?(?:[€$£%°]|[0-9])|[円年月日人個分時号枚名歳回点台階番組件度話番系巻万千百桁文])"
)
_LETTERED, _PLAIN = lazy_pattern(r"[*#]?[a-z]{0,3}-?[0-9]+[a-z]?"), lazy_pattern(r"[0-9]+")
_NO_CODE = lazy_pattern(
    r"[€$£¥]|(?<!\w)(?:costs?|worth|paid|pay|price|bill|euros?|dollars?|bucks|weighs|lira|tl|kostet|kosten|coûte"
    r"|cuesta|custa|costa"
    r"|kosztuje|zł|reais|balance|saldo|flight|gate [a-z]\d|phone number|ends? in|ending|final|endziffer|acaba"
    r"|termina|finisce"
    r"|biten|sonu|końcówk\w|number is|call|tel|achievement|level|ticket|order|invoice|talep|zgłoszenie"
    r"|[a-z]{2}\d{3,4})(?!\w)|円|下4桁|末尾|クーポン|エラー|数が|残高|注文|郵便|会員番号"
)
"""The number of such a clause is no code."""
_OF_A_YEAR = lazy_pattern(r"\W{0,3}(?:(?:is|ist|est|es|é|è|to|auf|on|su|na|sur|em|en) )?")
_TIME = lazy_pattern(r"(?:[01]\d|2[0-3])[0-5]\d")
_ELSEWHERE = lazy_pattern(
    r"(?<!\w)(?:from|since|date de|desde|von|od|(?:belongs|moved|goes|up) (?:up )?to|an? \w+|in der|unit|floor"
    r"|kurs|stock)\s$"
)
_AT = lazy_pattern(r"(?<!\w)(?:at|um|à|a las|alle|às|o|opens?|closes?|ab|until|bis|von|desde las|saat|das|dalle) $")
_ORDINAL = lazy_pattern(r"\. (?:minute|stock|etage|platz|runde|spieltag|tag|kapitel|reihe|klasse)")
_CALLED = lazy_pattern(
    r"(?<!\w)(?:i['’]m(?: now)?|handle(?: on [\w ]{1,12})?(?: is)?|achievement|(?:nick|pseudo)(?:name)? \w{1,4}|@) ?$"
)
_OFFER = lazy_pattern(r"(?<!\w)(?:checkout|discount|coupon|promo|voucher|\d+ ?% off)(?!\w)|クーポン|割引")
_MODEL = lazy_pattern(r"(?:[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}\d*) $")
_BRAND = lazy_pattern(r"[A-Z]{2,}![A-Z][a-z]+ $")
_SET_TO = lazy_pattern(r"(?<!\w)(?:cambi|mud|troc|troqu|pass)\w*(?: \w+){0,3} (?:a|para|pra) $")
_CODE_NAME = lazy_pattern("cod|cód|kod|コード")
_RANGE_AFTER, _RANGE_BEFORE = lazy_pattern(r" (?:to|bis|à|a|do) \d+(?! on)"), lazy_pattern(r"(?<!from )\d (?:to|bis) $")
_SHORT = 5
_NEAR, _REACH, _DIGITS, _SHORT_DIGITS = 40, 80, 4, 3
_ITEM_END = lazy_pattern(r"\s?(?:$|[,.;](?!\d))")
_INNER_DIGITS = lazy_pattern(r"(?=[^\W_]{7})[^\W\d_]{3,}\d{1,2}[^\W\d_]{3,}")
_JOINED = lazy_pattern(
    r"[^\W_]{2,}(?:[&!#?$+*=]{1,2}[^\W_]{2,}){1,4}[!?*$#.]?|[^\W\d_a-zß-ÿ][^\W_]+(?:[_.][^\W_]+){1,6}[!?*$#]?"
    r"|[^\W_]+(?:_[^\W_]+)*_[^\W\d_a-zß-ÿ][^\W_]+|[^\W_]{4,}(?:\${2}|[*])"
)
TECHNICAL = lazy_pattern(
    r".*[\[\]{}].*|[?&]\w+=.*|.*&\w+=.*|[a-z]{2,}-[0-9a-f]{6,12}|\w+~\d+|.*#(?:\d{4,}|[0-9a-f]{4})"
    r"|(?:gpt|claude|gemini|gemma|llama|qwen|mistral|deepseek|text|all|phi|whisper|o\d)[-\d][\w.:-]*|[a-z]+2[a-z]+"
    r"|\w*(?:[A-Z]{2,}|[a-z][A-Z])\w*\.\w+|\w+\.[A-Z_]{2,}|\w+\.(?:float|u?int|sha|md)\d+|(?:[a-z_]\w*\.){2,}[a-z_]+"
    r"|[A-Z][a-z]+2[A-Z]\w+|[A-Z]{2,}![A-Z][a-z]+|[a-z-]+(?:-v?\d+(?:\.\d+)?)+(?:-[a-z]+)*"
)
"""Identifiers of programs, models, memos and members."""
_ADDRESSED = lazy_pattern(r":(?:\s|$)|(?<=[^.!?]) (?:does|do|has|have|says|said|wrote|asks|thinks|and i)(?!\w)")
"""Behind the name of somebody who is spoken to or of."""
_SIGNED = lazy_pattern(r".*[&!#?$+*=]")
_CAPITAL = lazy_pattern(r".*[^\W\d_a-zß-ÿ]")
_NO_PASSWORD = lazy_pattern(
    r"(?-i:[A-Z0-9]+(?:[-_.][A-Z0-9]+)+)|(?-i:[A-Z]+\d.*)|.*[-_.]\d+[-_.].*|"
    r".*\.(?:com|org|net|io|de|fr|es|it|pl|br|jp|co|uk|example|js|py|ts|md|json|ya?ml|txt|pdf|docx?|xlsx?|html?"
    r"|png|jpe?g|zip|env)"
    r"|(?:[a-z]\.)+|wi-fi|e-\w+|.*['’].*|\d+[a-z]{1,3}|i[p]\w+|ipv\d.*|\w+\d{1,2}x\w*|[a-z]{1,3}\d{3,5}[a-z]?|.*:\d+",
    re.IGNORECASE,
)
_ENTERED = lazy_pattern(
    r"(?<!\w)(?:type|types|typing|punch(?:es)? in|put in|press(?:es)?|pulsas?|premi|drückst?|appuie[sz]?|wciskasz"
    r"|wbij|tapez?|tapes|digit[aei]r?|wpisz|wciśnij|tippt?|gib) $"
)
_SAID_AFTER = lazy_pattern(
    r"[,\s]\s?(?:it['’]s|c['’]est|ein\b|hat\b|haben\b|gestellt|genommen|eingeben|eintippen|tuşla|yaz|soruyor"
    r"|yaptık|diye|gir|eingestellt)"
)
_ENTERED_AFTER = lazy_pattern(r"\s(?:eingeben|eintippen|tippen|drücken|tuşla|gir)(?!\w)")
_GROUPED = lazy_pattern(r"\d{3}[ -]\d{3}|\d\d[ -]\d\d[ -]\d\d")
_JAPANESE_END = lazy_pattern("[、。」』をでにがねだとはよっまも→のっ]|って|だっ")
_ENDS = (FOLLOWED, TYPED, _SAID_AFTER, _JAPANESE_END)


def spans(text: str, lower: str) -> Iterator[Span]:
    """What opens something, in a text with a candidate."""
    if not are_in(lower):
        return
    before: list[Opening] = []
    for clause in CLAUSE.finditer(lower):
        words = list(openings(lower, *clause.span()))
        context = words or (before if len(clause[0].split()) <= _SHORT else [])
        if context:
            yield from _codes(clause, context, text, lower)
            yield from _chosen(clause, context, text, lower)
        before = words


def _codes(clause: re.Match[str], words: list[Opening], text: str, lower: str) -> Iterator[Span]:
    if _NO_CODE.search(lower, *clause.span()):
        return
    codes = list(_CODE.finditer(lower, *clause.span()))
    found = {
        _form(code["value"])
        for code in codes
        if _is_possible(code, words, text, lower) and _opens(code, words, text, lower)
    }
    # One name may stand before the codes of several things, or a word before an old code and a new one.
    for code in codes:
        is_like_found = _form(code["value"]) in found and not MEASURE.match(lower, code.end())
        if is_like_found or (found and _is_listed(code, words, text, lower)):
            yield Span(*code.span("value"), "PIN")


def _is_listed(code: re.Match[str], words: list[Opening], text: str, lower: str) -> bool:
    """Whether a number ends an item of a list that has a code."""
    is_item = sum(map(str.isdigit, code["value"])) >= _SHORT_DIGITS and _ITEM_END.match(lower, code.end())
    return bool(is_item) and _is_possible(code, words, text, lower)


def _form(code: str) -> str:
    return re.sub("[a-z]", "a", re.sub("[0-9]", "0", code))


def _is_possible(code: re.Match[str], words: list[Opening], text: str, lower: str) -> bool:
    """Whether a number is no time, ordinal, price or measure, and is called by nobody else."""
    before = lower[max(0, code.start() - 24) : code.start()]
    is_time = _TIME.fullmatch(code["value"]) and _AT.search(before)
    if is_time or NAMED.search(before) or _ELSEWHERE.search(before) or _ORDINAL.match(lower, code.end()):
        return False
    if _BRAND.search(text, max(0, code.start() - 24), code.start()):  # FRITZ!Box 7590
        return False
    if _RANGE_AFTER.match(lower, code.end()) or _RANGE_BEFORE.search(before):
        return False
    is_lettered = _LETTERED.fullmatch(code["value"]) and not _PLAIN.fullmatch(code["value"])
    if is_lettered and any(map(str.islower, text[slice(*code.span("value"))])):
        return False
    return is_code(code, lower, may_be_year=_hugs(code.start(), words, lower))


def _opens(code: re.Match[str], words: list[Opening], text: str, lower: str) -> bool:
    value, digits = code["value"], sum(map(str.isdigit, code["value"]))
    is_lettered = _LETTERED.fullmatch(value) and not _PLAIN.fullmatch(value)
    is_handed_over = not is_lettered and is_handed(code.start(), code.end(), lower)
    is_of_thing = is_handed_over and any(word.is_thing for word in words)
    if digits >= _DIGITS and is_of_thing:
        return True
    is_last = any(end.match(lower, code.end()) for end in _ENDS)
    is_linked = _is_linked(code.start(), code.end(), [word for word in words if word.is_lock], lower)
    if digits >= _DIGITS and (_ENTERED_AFTER.match(lower, code.end()) or (is_linked and _GROUPED.fullmatch(value))):
        return True
    if not is_last or digits < 2:
        return False
    if (
        (value.count("-") > 1 or digits == _SHORT_DIGITS)
        and is_of_thing
        and any(word.is_lock and word.end <= code.start() for word in words)
    ):
        return True
    if digits >= _DIGITS and _ENTERED.search(lower, max(0, code.start() - 16), code.start()):
        return True
    if is_linked:
        return True
    if is_lettered or digits < _DIGITS or _MODEL.search(text, max(0, code.start() - 20), code.start()):
        return False
    return any(word.is_lock and 0 <= code.start() - word.end < _REACH for word in words)


def _hugs(start: int, words: list[Opening], lower: str) -> bool:
    return any(word.end <= start and _OF_A_YEAR.fullmatch(lower, word.end, start) for word in words if word.is_lock)


def _is_linked(start: int, end: int, words: list[Opening], lower: str) -> bool:
    """Whether only words such as "is" stand between a value and the word for what it opens."""
    return any(
        (0 <= start - word.end <= _NEAR and is_glue(lower, word.end, start))
        or (word.is_opener and 0 <= word.start - end <= _NEAR // 2 and is_glue(lower, end, word.start))
        for word in words
    )


def _chosen(clause: re.Match[str], words: list[Opening], text: str, lower: str) -> Iterator[Span]:
    if _OFFER.search(lower, *clause.span()):
        return
    for token in CHOSEN.finditer(text, *clause.span()):
        at, value = value_of(token)
        if token[0].count(":") <= 1 and _is_password(at, value, words, lower):
            yield Span(at, at + len(value), "password")


def _is_password(at: int, value: str, words: list[Opening], lower: str) -> bool:
    before, end = lower[max(0, at - 32) : at], at + len(value)
    if TECHNICAL.fullmatch(value) or _ADDRESSED.match(lower, end):
        return False
    if _CALLED.search(before) or (_CODE_NAME.search(before) and OTHER_CODE.search(before)):
        return False
    is_given = is_handed(at, end, lower) or _is_linked(at, end, words, lower)
    things = [word for word in words if word.is_thing]
    if all(word.is_handle for word in things) and things and not _SIGNED.match(value):
        return False
    if looks_secret(value) and (not is_described(at, value, lower) or _SET_TO.search(before)):
        return is_given or any(word.end <= at for word in things)
    if is_word_with_digit(value) and not is_described(at, value, lower):
        is_beside = any(word.is_account and lower[word.end : at] in (" ", ": ") for word in words)
        return is_beside or (is_handed(at, end, lower) and words[0].start < at)
    if not is_weak(value) or NAMED.search(before) or is_other(at, end, lower):
        return False
    return is_given


def is_weak(value: str) -> bool:
    """Whether a value may be a password or a name: a digit in a word, or words joined by signs."""
    if _NO_PASSWORD.fullmatch(value) or SOFTWARE.fullmatch(value) or THING.fullmatch(value):
        return False
    if _INNER_DIGITS.fullmatch(value):
        return True
    return _JOINED.fullmatch(value) is not None and bool(_SIGNED.match(value) or _CAPITAL.match(value))
