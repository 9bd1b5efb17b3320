"""Values near a word for something that opens or authenticates, whatever the sentence: the last and most general rule.

A value is told by its shape alone: a few digits that are no year, amount, measure or number of something else, or
letters with digits as people choose for a password. A name such as "PIN" needs no joint before a value; a thing with a
lock or an account, such as "laptop", needs a word that hands the value over.
"""

import re
from collections.abc import Iterator

from recollect.language.prefilter import literals_of
from recollect.policy.redaction.access import LOCKED_THING, OTHER_CODE
from recollect.policy.redaction.codes import PINS, UNIT
from recollect.policy.redaction.mentioned import (
    NAMES,
    TOKEN_NAMES,
    is_other,
    is_word_with_digit,
    looks_secret,
    value_of,
)
from recollect.policy.redaction.shapes import is_only_a_password, is_strong
from recollect.policy.redaction.span import Span
from recollect.policy.redaction.spoken_secrets import PASSWORDS


def _any(words: str) -> str:
    """Alternatives of a regular expression; a plus stands for a space."""
    return "|".join(word.replace("+", " ") for word in words.split())


_REACH_AFTER, _REACH_BEFORE = 60, 40
_SENTENCE_END = re.compile(r"[\n;]|(?<!\d)[.!](?=\s|$)")
_NAMES = re.compile(
    rf"(?<!\w)(?:{PASSWORDS}|{PINS}|"
    + _any(r"""
    two-?factor two-?step verify verification pin pin(?:i|im|imiz|in|imi) pin-?code pin-?nummer pin-?number puk
    otp totp 2fa mfa tan zugangscode sicherheitscode entsperrcode
    geheimzahl code+pin codes?+secret code+confidentiel digicode código+(?:secreto|pin) codice+(?:segreto|pin)
    kod+pin pin+kodu?
    """)
    + r")(?!\w)"
)
_THINGS = re.compile(
    r"(?<![^\W\u3000-\u9fff])(?:"
    + _any(r"""
    lap+?top computer pc printer router modem nas server tablet ipad i?phone wi-?fi w-?lan hotspot network drive
    folder disk netflix spotify disney steam account portal e-?mail mail mailbox app authenticator sms texted
    alarm\w{0,8} keypad lock+?box call+?box pad+?lock locked lock locker key+?box key+?safe disarm luggage
    suitcase to+get+in para+entrar per+entrare pour+entrer żeby+wejść girmek+için um+reinzukommen safe vault
    gate door turnstile barrier
    intercom garage parking storage elevator gym drucker rechner handy netzwerk netz platte \w{0,9}tresor
    \w{0,9}schloss
    schranke tor tür haustür konto \w{2,8}konto briefkasten spind schließfach alarmanlage aufzug lager keller
    boîte+à+clés clés ordi ordinateur imprimante box téléphone portable réseau coffre portail portillon cadenas
    casier serrure compte immeuble alarme llaves? caja portátil ordenador impresora móvil teléfono red candado
    caja+fuerte
    cuenta correo alarma portón verja trastero cerradura garaje computador impressora telemóvel celular telefone rede
    cadeado cofre conta portão fechadura garagem cassetta chiavi stampante telefono cellulare rete lucchetto
    serratura cassaforte
    cancello conto posta allarme skrytk\w laptop\w{1,3} komputer\w? drukark\w telefon\w{0,6} sieć sieci sejf\w?
    kłódk\w konta bram\w furtk\w garaż\w? bilgisayar\w{0,4} yazıcı\w{0,4} ağ\w{0,3} kasa\w{0,4} kili[td]\w{0,4}
    hesab\w{0,4} kapı\w{0,4} garaj\w{0,3} tokens? secret api[+-]?keys?
    unlock\w{0,3}(?!+(?:\w{1,4}+)?(?:achieve|level|skin))
    log(?:s|ged|ging)?[+-]?in
    sign(?:ing)?[+-]?in entsperr\w{0,4} einlogg\w{0,4} meld\w{0,2}+(?:mich|dich|sich) anmeld\w{0,4}
    déverrouill\w{0,4} connect(?:e\w{0,2}|s|ing)? désactiv\w{0,4} desbloque\w{0,4} entrar sblocca\w{0,3} accede\w{0,3}
    odblok\w{1,8} zalogow\w{0,4} loguj\w{0,3} kilidi+aç\w{0,4} giriş
    dropbox get\w{0,4}+in logged+(?:me|us)+in vpn sudo prompt\w{0,3} studio bank \w{0,8}banking atm shell psql ssh
    (?:debit|credit|bank|sim)+card sim gets?+into sites? hotmail gmail outlook icloud hulu hbo prime paypal
    tablette komm(?:st|t|e|en)?+(?:du|man|ihr|ich)
    valise maleta mala valigia walizk\w bavul\w{0,4} koffer
    packstation messagerie maquininha segreteria e-posta\w{0,5} eposta\w{0,5}
    ins+haus ins+gebäude girokonto \w{0,4}karte
    carte(?:+bleue|+bancaire)? cb serveur s['’]ouvre entrer
    tarjeta cajero servidor entra\w{0,2} autentic\w{1,6} cartão abre apri gestionale bancomat tessera
    klatk\w{1,2} domofon\w{0,2} drzwi karty? bankomat\w{0,2} serwer\w{0,2} furt\w{1,3}
    kart\w{0,6} sunucu\w{0,4} modem\w{1,6} arayüz\w{0,4} bağlan\w{0,4} girmek
    """)
    + r")(?![^\W\u3000-\u9fff])"
)
_SIGNS = r"[:=→?,–>]|->|['’]s"
_IS = _any("is was ist war est es é è to jest")
_HANDED = re.compile(
    r"(?:(?<!\w)(?:"
    + _any(r"""
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
_AND_A_KEY = (
    r"(?:,? (?:und|and|then|et|puis|y|luego|e|poi|ve|potem)){1,2} (?:dann |then |the |die |la |le |o )?"
    r"(?:raute|stern|star|hash|pound|dièse|étoile|almohadilla|cardinal|cancelletto|krzyżyk|kare)"
)
_ENDED_BY_A_KEY = re.compile(rf"(?<![\w.,:/-])(?P<value>[0-9]{{4,8}})(?:#|{_AND_A_KEY})")
"""Digits before the hash or star key: they open something, whatever it is."""
_ENTERED_FIRST = re.compile(
    r"(?<!\w)(?:hit|press|punch|type|enter|tap|key in|tippe?|drücke?|tape[rz]?|fais|marca|teclea|digita|premi"
    r"|wpisz|wbij)s?(?: in)? (?P<value>[0-9]{4,8}),? (?:(?:and|und|et|y|e|a) )?"
    r"(?:then|dann|puis|luego|depois|poi|potem)(?!\w)"
)
"""Digits that are entered before something else is done."""
_TYPED = re.compile(
    _AND_A_KEY
    + r"\b|[\"'`”“»)]?\s(?:"
    + _any(
        "tippen eingeben eintippen drücken nehmen gets lets yaz gir tuşla ile oldu "
        "opens unlocks öffnet an\\b ouvre abre apre otwiera"
    )
    + ")"
)
_CODE = re.compile(
    r"(?<![\w.,:/$€£#@-])(?:g-)?(?P<value>[a-d]?[0-9]{4,8}[a-d]?|[0-9]{3}[ -][0-9]{3}|[0-9]{1,2}(?:-[0-9]{1,2}){2,3})"
    r"(?![\w-]|[.,:/]\d|\s?(?:[€$£%°]|eur|usd|[0-9]))"
)
_CHOSEN = re.compile(r"[^\s|\"'`“”„«»(),;\u3000-\u9fff\uff00-\uffef]{6,64}")
_YEAR = re.compile(r"(?:19[4-9]|20[0-4])\d")
_DATE = re.compile(r"(?:0?[1-9]|[12]\d|3[01])-(?:0?[1-9]|1[0-2])-\d\d|\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_COUNTED = re.compile(
    r"(?:\*|(?<!\w)(?:"
    + _any("""
    port pr issue ticket line room page version v number no nr nº users? build error http status gate flight bus
    tram train locker flat apartment street highway route model order invoice zip plz cap zimmer gleis zeile raum
    salle chambre door since seit depuis desde dal od until bis by about around over of than some after before
    nach vor après después in im em und and or (?<!asks+)(?<!ask+)for für pour para per dla
    """)
    + r"))\s$"
)
_FOLLOWED = re.compile(
    r"[\"'`”“»*]{0,2}\s*(?:$|[.,;!?)\n–(-]|(?:"
    + _any("""
    and at on to for but if when now again idi und am an beim aber falls et au à pour mais si y en para pero e no
    na em mas se ma i ale przy do ve ama
    """)
    + r")\b)"
)
"""What follows a code that nothing handed over: not what it counts."""
_MEASURE = re.compile(
    r"\s{0,2}(?:°|(?:"
    + _any(r"""
    k[mg] [cm]?m g mg l h uhr kilom\w* meter\w* pieces stück [mgk]?hz [mgk]?bps [mgtk]b mbit\w* dpi mah fps watts?
    rpm mm ms am pm euros? dollars? pounds? bucks pesos yen rupees francs kronen zł\w? lira tl mal times fois veces
    vezes volte razy kez users? people leute photos? files? messages? of steps minutes points places
    """)
    + r")\b|o['’]clock"
    r"|(?:a|an|per|pro|par|por|al) (?:day|week|month|year|hour|night|person|request|tag|woche|monat|jahr|jour|mois"
    r"|an|día|mes|año|dia|mês|ano|giorno|mese|anno)\b)"
)
_CALL = re.compile(r"\w\([^)\n]*$")
_NAMED = re.compile(
    r"(?<!\w)(?:"
    + _any(r"""
    names? ssid model user username id login port attempts? counts? limit size speed price balance number version
    year followers time benutzer\w* nutzer\w* nummer preis nom prix nombre precio nome preço prezzo nazwa cena
    adı?
    """)
    + rf")(?:\s?[:=]| (?:{_IS}))\s*$"
)
"""What is said to be the value is something else than what opens."""
_DESIGNATION = re.compile(r"[A-Z]{1,5}\d{2,5}[A-Z]{0,2}|[a-z]{2,8}-[a-z]+\d{1,2}|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+\d")
"""Colors, flights and models; hosts; what carries the number of its edition, as in "TypeScript5"."""
_ARTICLE = re.compile(
    r"(?<!\w)(?:"
    + _any("""
    an? any another our runs? running has have got bought ein eine einen hat habe läuft une? unos? uma? ho ha tem
    tiene tengo mam jest bir model size from since
    """)
    + r")\s$"
)
_PHRASE = re.compile(
    r"(?<!\w)(?:pass ?phrase|(?:vault|recovery|unlock|wallet|encryption|security|secret|backup) phrase|kennphrase"
    r"|phrase (?:secrète|de passe)|frase (?:secreta|de paso|segreta))(?!\w)[^\n.!?;:]{0,40}?"
    r"(?:\s(?:is|was|lautet|ist|est|es|é|è)|\s?[:=])\s{1,2}[\"'`“]?"
    r"(?P<value>[^\W\d_]{3,12}(?:[ -][^\W\d_]{3,12}){2,7})(?=[\"'`”]?\s*(?:[.!,\n]|$))"
)
_TURN = re.compile(
    r"(?<![\w.,:/-])(?P<value>[0-9]{1,2})(?=,? (?:to the |nach |à |a la |alla |w )?(?:left|right|links|rechts"
    r"|gauche|droite|izquierda|derecha|esquerda|direita|sinistra|destra|lewo|prawo|sola|sağa)\b)"
)
_TURNED = re.compile(
    r"(?<!\w)(?:"
    + _any("""
    combination combo safe dial lock padlock vault tresor zahlenschloss coffre cadenas caja+fuerte candado cofre
    cassaforte sejf kasa
    """)
    + r")(?!\w)"
)
_CODE_WORD = re.compile(
    r"(?<!\w)(?:code|combo|codice|clave|c[óo]digo|senha|kod|key ?pad|key ?box|lock ?box|pad ?lock|tresor)(?!\w)"
)
_LOCKS = re.compile(r"(?:key ?pad|key ?box|lock ?box|pad ?lock|safe|vault|\w*tresor|log ?in|kilidi) ?:?$")
_QUOTED_PHRASE = re.compile(
    r"pass ?phrase(?:\s?(?::|=|→|->)|,? (?:is|ist|est|es))? [\"'`“„«](?P<value>[^\n\"`”“»]{6,100}?)[\"'`”“»]"
)
_MIN_TURNS = 2
_USED = r"(?<!\w)(?:use|used|benutze|nehme|nehm|verwende|nutze|utilise|mets|uso|usaba|używam|mam)"
_EVERYWHERE = (
    "(?:(?:for |on )?(?:pretty much |nearly |almost |basically )?(?:everywhere|everything|every (?:site|account|login)"
    "|all (?:my |the )?(?:sites|accounts|logins))|(?:fast |so ziemlich )?(?:überall|für alles)"
    "|(?:presque )?(?:partout|pour tout)|en todas partes|(?:para )?casi todo|para todo|em todo o lado"
    "|(?:para|pra) (?:quase )?tudo|ovunque|dappertutto|(?:quasi )?per (?:quasi )?tutto|wszędzie|do wszystkiego)"
)
_ITS_VALUE = r"[\"'`“„]?(?P<value>[^\s\"'`”“,]{6,64})[\"'`”“]?"
_USED_EVERYWHERE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_USED} (?:still )?{_ITS_VALUE} {_EVERYWHERE}(?!\w)",
        rf"{_USED} {_EVERYWHERE},? {_ITS_VALUE}",
    )
)
_USER_AND = re.compile(
    r"(?<!\w)(?:(?P<user>user(?:name)?|benutzer|nutzer|utilisateur|usuario|usuário|utente|użytkownik|kullanıcı)"
    r"|log(?:ged|ging)? in (?:as|with)|jako|as(?= root)|con|com|avec|mit|with|root|admin|(?:do|na) \w+ jako)\s"
    r"(?:[\w.@-]{2,40}(?:,|,? (?:and|und|et|e|y|i|ve)) (?:then |dann |dahinter |puis |po )?"
    r"|(?:and|und|et|e|y|i|ve) )(?P<value>[^\s\"'`,;()]{6,64})"
)
"""A user's name and what stands behind it."""
_IN_CODE_BEFORE, _IN_CODE = re.compile(r"[._(\[=\"]$|(?<![^\W\d_])'$"), re.compile(r"[_(\[=]|\.\w")
"""Around a name in program code."""


def without_names(lower: str) -> str:
    """A text without the words for secrets and for what they open."""
    for pattern in (_NAMES, _CODE_WORD, _THINGS, LOCKED_THING, NAMES, TOKEN_NAMES):
        lower = pattern.sub(" ", lower)
    return lower


def phrase_spans(lower: str) -> Iterator[Span]:
    """Phrases of several words."""
    if "phras" in lower or "frase" in lower:
        for pattern in (_PHRASE, _QUOTED_PHRASE):
            yield from (Span(*match.span("value"), "password") for match in pattern.finditer(lower))


def turn_spans(lower: str) -> Iterator[Span]:
    """The numbers to which a lock is turned."""
    turns = list(_TURN.finditer(lower))
    if len(turns) >= _MIN_TURNS and _TURNED.search(lower):
        yield from (Span(*turn.span("value"), "PIN") for turn in turns)


def has_code(lower: str) -> bool:
    """Whether there is a number that may be a code."""
    return _CODE.search(lower) is not None


def named_spans(lower: str) -> Iterator[Span]:
    """Codes behind their name."""
    for name in _NAMES.finditer(lower):
        yield from _after_name(name, lower)


def thing_spans(text: str, lower: str) -> Iterator[Span]:
    """What opens a thing."""
    for thing in _THINGS.finditer(lower):
        if not _is_in_code(thing, lower):
            yield from _near_thing(thing, text, lower)


def entered_spans(_: str, lower: str) -> Iterator[Span]:
    """Digits that are entered before a key, or before something else is done."""
    for pattern in (_ENDED_BY_A_KEY, _ENTERED_FIRST):
        yield from (Span(*match.span("value"), "PIN") for match in pattern.finditer(lower))


def sign_spans(text: str) -> Iterator[Span]:
    """Values that are nothing but passwords."""
    for word in _CHOSEN.finditer(text):
        value = word[0].rstrip(".,:;?")
        if is_only_a_password(value):
            yield Span(word.start(), word.start() + len(value), "password")


def everywhere_spans(text: str, lower: str) -> Iterator[Span]:
    """What somebody uses everywhere."""
    for pattern in _USED_EVERYWHERE:
        for match in pattern.finditer(lower):
            value = text[slice(*match.span("value"))]
            if looks_secret(value) and not _DESIGNATION.fullmatch(value):
                yield Span(*match.span("value"), "password")


def user_spans(text: str, lower: str) -> Iterator[Span]:
    """What stands behind the name of a user."""
    for match in _USER_AND.finditer(lower):
        value = text[slice(*match.span("value"))].rstrip(".:?")
        is_about_access = match["user"] or _THINGS.search(
            lower, max(0, match.start() - _REACH_AFTER), match.end() + _REACH_BEFORE
        )
        if is_about_access and (looks_secret(value) or is_word_with_digit(value)):
            yield Span(match.start("value"), match.start("value") + len(value), "password")


def _is_in_code(thing: re.Match[str], lower: str) -> bool:
    before = _IN_CODE_BEFORE.search(lower, max(0, thing.start() - 2), thing.start())
    return bool(before or _IN_CODE.match(lower, thing.end()))


def _after_name(name: re.Match[str], lower: str) -> Iterator[Span]:
    _, end = _sentence(lower, name)
    for code in _CODE.finditer(lower, name.end(), end):
        is_value = _is_handed(code.start(), code.end(), lower) or _FOLLOWED.match(lower, code.end())
        if is_value and _is_code(code, lower):
            yield Span(*code.span("value"), "PIN")


def _near_thing(thing: re.Match[str], text: str, lower: str) -> Iterator[Span]:
    start, end = _sentence(lower, thing)
    is_token = thing[0].startswith(("token", "secret", "api"))  # they are counted and limited, and no digits alone
    for code in _CODE.finditer(lower, start, end) if not is_token else ():
        is_last = _FOLLOWED.match(lower, code.end()) and _is_led_to(start, code.start(), lower)
        if (is_last or _is_handed(code.start(), code.end(), lower, thing)) and _is_code(code, lower):
            yield Span(*code.span("value"), "PIN")
    for at, value in map(value_of, _CHOSEN.finditer(text, start, end)):
        is_value = looks_secret(value) or (is_word_with_digit(value) and _is_handed(at, at + len(value), lower))
        if is_strong(value) or (is_value and not _is_described(at, value, lower)):
            yield Span(at, at + len(value), "password")


def _is_described(start: int, value: str, lower: str) -> bool:
    """Whether a word is named as something else: a device, a user, "a ThinkPad7", what is counted or installed."""
    before = lower[max(0, start - 24) : start]
    return (
        _DESIGNATION.fullmatch(value) is not None
        or is_other(start, start + len(value), lower)
        or bool(_NAMED.search(before) or _ARTICLE.search(before))
    )


def _is_led_to(start: int, end: int, lower: str) -> bool:
    """Whether a number that ends a clause belongs to a code of the thing, or stands right behind what has a lock."""
    return bool(_CODE_WORD.search(lower, start, end) or _LOCKS.search(lower, max(start, end - 20), end))


def _is_handed(start: int, end: int, lower: str, thing: re.Match[str] | None = None) -> bool:
    """Whether a word, a sign or what follows says that this is the value. "The safe is 4410" does, of digits; "the safe
    room is 4410" does not.
    """
    if _NAMED.search(lower, max(0, start - 24), start):
        return False
    handed = _HANDED.search(lower, max(0, start - 20), start)
    if handed and handed["is"] and thing is not None:
        return thing.end() <= handed.start() <= thing.end() + 1
    return bool(handed or _TYPED.match(lower, end))


def _is_code(code: re.Match[str], lower: str) -> bool:
    """Whether a number is no year, date, amount, measure, argument of a call, or number of something else."""
    before, after = lower[max(0, code.start() - 16) : code.start()], lower[code.end() : code.end() + 24]
    if _CALL.search(lower, max(0, code.start() - _REACH_AFTER), code.start()) or OTHER_CODE.search(before):
        return False
    if UNIT.match(after) or _MEASURE.match(after) or _COUNTED.search(before):
        return False
    return not _YEAR.fullmatch(code["value"]) and not _DATE.fullmatch(code["value"])


def _sentence(lower: str, word: re.Match[str]) -> tuple[int, int]:
    """The part of the sentence around a word that is near it."""
    first, last = max(0, word.start() - _REACH_BEFORE), min(len(lower), word.end() + _REACH_AFTER)
    before = [match.end() for match in _SENTENCE_END.finditer(lower, first, word.start())]
    after = _SENTENCE_END.search(lower, word.end(), last)
    return before[-1] if before else first, after.start() if after else last


TURN_LITERALS = literals_of(_TURN)
VALUE_SEARCHES = {
    entered_spans: literals_of(_ENDED_BY_A_KEY, _ENTERED_FIRST),
    everywhere_spans: literals_of(*_USED_EVERYWHERE),
    user_spans: literals_of(_USER_AND),
}
"""What else is searched for in a text with a code or a mixed word; each finds nothing without one of its literals."""
