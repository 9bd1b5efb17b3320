"""Numbers that may be the code of something: what they look like, what hands one over, and what is counted instead."""

import re

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.access import OTHER_CODE
from recollect.policy.redaction.codes import UNIT


def any_of(words: str) -> str:
    """Alternatives of a regular expression; a plus stands for a space."""
    return "|".join(word.replace("+", " ") for word in words.split())


_REACH_AFTER = 60
AND_A_KEY = (
    r"(?:,? (?:und|and|then|et|puis|y|luego|e|poi|ve|potem)){1,2} (?:dann |then |the |die |la |le |o )?"
    r"(?:[#*](?!\w)|raute|stern|star|hash|pound|dièse|étoile|almohadilla|cardinal|cancelletto|krzyżyk|kare)"
)
_SIGNS = r"[:=→?,–>]|->|['’]s"
_IS = any_of("is was ist war est es é è to jest")
_HANDED = lazy_pattern(
    r"(?:(?<!\w)(?:"
    + any_of(r"""
    it['’]s that['’]s wants? need (?:is+)?set+to unscharf scharf digita digitare marcar needs takes uses
    asks?+for accepts expects with use using type enter press punch key
    dial just then (?<!belongs+)(?<!belong+)(?<!moved+)(?<!close+)(?<!next+)(?<!up+)(?<!goes+)to me said says
    shows came became under will goes+by lautet mit einfach tipp\w? gib
    drück\w{0,2} nimm tippst drückst types enters presses punches dials auf ich
    gilt kam über wäre heißt sagt c['’]est avec au tape[rz]? fais faites mets compose[rz]? sur dit con
    marca marcas marcando pon pones teclea usa en dice com digita digito põe coloca diz fai premi metti su na wpisz użyj
    wciśnij kodem mówi wpisując pide piden pede chiede demande verlangt mess[ao]+a impostat[ao]+a
    réglée?+sur ustawi\w{2,4}+na wpisujesz wbij wbijasz wciskasz
    codes? código codice kod kodu combo (?:combin|kombin)\w{3,6}
    """)
    + rf"|(?P<is>{_IS}))(?: (?:now|still|today|heute|aujourd['’]hui|hoy|hoje|oggi|dziś|jetzt|noch"
    r"|maintenant|ahora|agora|adesso|teraz))?"
    rf"(?: (?:the|die|der|das|le|la|el|o|il|number|nummer|número|numéro|numero))?|{_SIGNS})" + r"\s{1,2}[\"'`“„«(]?$"
)
TYPED = lazy_pattern(
    AND_A_KEY
    + r"\b|[\"'`”“»)]?\s(?:"
    + any_of(
        "tippen eingeben eintippen drücken nehmen gets lets yaz gir tuşla ile oldu "
        "opens unlocks öffnet an\\b ouvre abre apre otwiera"
    )
    + ")"
)
CODE = lazy_pattern(
    r"(?<![\w.,:/$€£#@-])(?:g-)?(?P<value>[a-d]?[0-9]{4,8}[a-d]?|[0-9]{3}[ -][0-9]{3}|[0-9]{1,2}(?:-[0-9]{1,2}){2,3})"
    r"(?![\w-]|[.,:/]\d|\s?(?:[€$£%°]|eur|usd|[0-9]))"
)
_YEAR = lazy_pattern(r"(?:19[4-9]|20[0-4])\d")
_DATE = lazy_pattern(r"(?:0?[1-9]|[12]\d|3[01])-(?:0?[1-9]|1[0-2])-\d\d|\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_COUNTED = lazy_pattern(
    r"(?:\*|(?<!\w)(?:"
    + any_of("""
    port pr issue ticket line room page version v number no nr nº users? build error http status gate flight bus
    tram train locker flat apartment street highway route model order invoice zip plz cap zimmer gleis zeile raum
    salle chambre (?<!front+)(?<!back+)(?<!side+)door since seit depuis desde dal od until bis by about around over of
    than some after before
    nach vor après después (?<!put+)(?<!punch+)in im em und and or (?<!asks+)(?<!ask+)for für pour para per dla
    """)
    + r"))\s$"
)
FOLLOWED = lazy_pattern(
    r"[\"'`”“»*]{0,2}\s*(?:$|[.,;!?)\n–(-]|(?:"
    + any_of("""
    and at on to for but if when now again idi und am an beim aber falls et au à pour mais si y en para pero e no
    na em mas se ma i ale przy do ve ama after before twice then until or because deep yes from bevor nach sonst
    also avant
    depuis puis le après luego después desde depois dopo finché po dopóki sonra ile
    """)
    + r")\b)"
)
"""What follows a code that nothing handed over: not what it counts."""
MEASURE = lazy_pattern(
    r"\s{0,2}(?:°|(?:"
    + any_of(r"""
    k[mg] [cm]?m g mg l h uhr kilom\w* meter\w* pieces stück [mgk]?hz [mgk]?bps [mgtk]b mbit\w* dpi mah fps watts?
    rpm mm ms am pm euros? dollars? pounds? bucks pesos yen rupees francs kronen zł\w? lira tl mal times fois veces
    vezes volte razy kez users? people leute photos? files? messages? of steps minutes points places
    """)
    + r")\b|o['’]clock"
    r"|(?:a|an|per|pro|par|por|al) (?:day|week|month|year|hour|night|person|request|tag|woche|monat|jahr|jour|mois"
    r"|an|día|mes|año|dia|mês|ano|giorno|mese|anno)\b)"
)
_CALL = lazy_pattern(r"\w\([^)\n]*$")
NAMED = lazy_pattern(
    r"(?<!\w)(?:"
    + any_of(r"""
    names? ssid model user username id login port attempts? counts? limit size speed price balance number version
    year followers time room floor unit flat benutzer\w* nutzer\w* nummer preis nom prix nombre precio nome preço prezzo
    nazwa cena
    adı?
    """)
    + rf")(?:\s?[:=]| (?:{_IS}))\s*$"
)
"""What is said to be the value is something else than what opens."""


def is_handed(start: int, end: int, lower: str, thing: re.Match[str] | None = None) -> bool:
    """Whether a word, a sign or what follows says that this is the value. "The safe is 4410" does, of digits; "the safe
    room is 4410" does not.
    """
    if NAMED.search(lower, max(0, start - 24), start):
        return False
    handed = _HANDED.search(lower, max(0, start - 20), start)
    if handed and handed["is"] and thing is not None:
        return thing.end() <= handed.start() <= thing.end() + 1
    return bool(handed or TYPED.match(lower, end))


def is_code(code: re.Match[str], lower: str, *, may_be_year: bool = False) -> bool:
    """Whether a number is no year, date, amount, measure, argument of a call, or number of something else."""
    before, after = lower[max(0, code.start() - 16) : code.start()], lower[code.end() : code.end() + 24]
    if _CALL.search(lower, max(0, code.start() - _REACH_AFTER), code.start()) or OTHER_CODE.search(before):
        return False
    if UNIT.match(after) or MEASURE.match(after) or _COUNTED.search(before):
        return False
    return may_be_year or not (_YEAR.fullmatch(code["value"]) or _DATE.fullmatch(code["value"]))
