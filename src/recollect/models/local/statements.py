"""What the forms of words in `about_me` come to: each function judges one kind of statement and words it."""

import re

from recollect.core.types import Kind
from recollect.language.lexicon import LANGUAGES, NO_TRADE, PLACES, TOOLS, TRADE
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import conjugated, thing, timeless, trimmed
from recollect.models.local.rule import LIKELY, SURE, Finding, named, says, stated

_ARTICLE = re.compile(r"^(?:an?|the|my|our|their|this|that|some|his|her|one|two|three)\b", re.IGNORECASE)
_NOWHERE = re.compile(
    r"\b(?:fear|denial|pain|hope|peace|moment|bubble|past|future|hell|dream|world|head|chaos|same|different|"
    r"another|lie|"
    r"simulation|darkness|room|bed|sin|society|times|way|swamp|dumpster|basement|box|territory)\b",
    re.IGNORECASE,
)
_NO_EMPLOYER = re.compile(
    r"^(?:the best|home|night|nights|weekends?|me|us|him|them|myself|ourselves|free|fun|now|hours|days|\d|it|that|"
    r"this|both|"
    r"silence|bursts|the (?:mornings?|evenings?|dark|afternoons?)|bed|peace|progress|chunks|sprints|pairs|"
    r"a (?:hurry|loop)|"
    r"dawn|dusk|midnight|their (?:paj|pyj|underwear|bed|room)\w*|least|all|best|what|money|scale|someone|people|"
    r"a living|pay|first|better|once|last|peanuts|exposure)\b",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"\b(?:book|novel|novella|thesis|dissertation|blog|paper|memoir|screenplay|script|play|album|songs?|compiler|"
    r"library|"
    r"parser|game|engine|app|tool|bot|emulator|driver|kernel|os|shell|plugin|stor(?:y|ies)|series|guide|tutorial|"
    r"opera|"
    r"symphony|cookbook|comic|musical|interpreter|debugger|client|server)\b",
    re.IGNORECASE,
)
_TRADES_WANTED = re.compile(r"(?:an? |the )", re.IGNORECASE)
_FIELD = re.compile(
    r"(?:an? |the [\w ]+ (?:industry|sector|department|office)|tech|it\b|finance|fintech|banking|health|logistics|"
    r"education|"
    r"marketing|sales|hr\b|retail|construction|hospitality|advertising|biotech|pharma|insurance|consulting|law|"
    r"politics|"
    r"publishing|film|tv\b|media|music|gam\w+|security|cyber\w*|infosec|devops|research|academia|government|"
    r"manufacturing|"
    r"agricultur\w+|aerospace|automotive|energy|design|fashion|journalism|support|customer|public|software|data|"
    r"robotics|"
    r"mining|shipping|accounting|catering|childcare|social)",
    re.IGNORECASE,
)
_GADGET = re.compile(
    r"\b(?:keyboard|laptop|phone|tablet|desktop|monitor|camera|mouse|trackball|printer|e-?reader|notebook|planner|"
    r"journal|"
    r"wheelchair|hearing aids?|screen reader|app|editor|browser|terminal|spreadsheets?|calendar|standing desk|desk|"
    r"bike|mac|"
    r"router|server|nas|headset|headphones|microphone|synth|grinder|machine)\b",
    re.IGNORECASE,
)
"""A thing that one has for long, in small letters."""
_FIGURE = re.compile(
    r"\b(?:memories|relationships?|confidence|strength|trust|muscles?|connections?|momentum|bonds?|resilience|"
    r"habits?|brand|"
    r"foundation|life|future|skills?|technique|form|game|shot|health|balance|goals?|communication|time management|"
    r"mindset|"
    r"endurance|stamina|awareness|network|knowledge|plans?|list|reputation|discipline|mental \w+)"
    r"(?=$| and\b|,)",
    re.IGNORECASE,
)
"""What is built or worked on in a manner of speaking."""
PLAYED = re.compile(
    r"\b(?:guitar|bass|piano|violin|viola|cello|drums?|trombone|trumpet|sax\w*|flute|clarinet|oboe|harp|accordion|"
    r"ukulele|"
    r"banjo|keyboards?|synth|organ|lute|chess|go|poker|bridge|dnd|d&d|football|soccer|basketball|volleyball|"
    r"handball|tennis|"
    r"hockey|cricket|rugby|golf|badminton|squash|ping pong|darts|pool|minecraft|factorio|wow|league|valorant|"
    r"games|rpgs?|"
    r"baseball|softball|lacrosse|water polo|mandolin|fiddle|bagpipes|saxophone|in an? .*(?:band|orchestra|quartet|"
    r"league))\b",
    re.IGNORECASE,
)


def place_name(text: str, clause: Clause) -> str | None:
    """The name of a place, or None if it may be anything else."""
    found = timeless(trimmed(text))
    found = re.sub(
        r",? (?:last|this|next|in (?:19|20)\d\d|in (?:january|february|march|april|may|june|july|august|september|"
        r"october|"
        r"november|december)|a (?:few|couple)|two|three|\d+|about|yesterday|recently|from|with|when|where|after|"
        r"before|"
        r"to|until|together|full[- ]time|permanently|by|and|in the (?:summer|winter|spring|autumn|fall)|back in|"
        r"a while|ages|years)\b.*$",
        "",
        found,
        flags=re.IGNORECASE,
    ).strip(" ,")
    head = found.split()[0] if found else ""
    if not head or _ARTICLE.match(found) or _NOWHERE.search(found) or head.lower() in TOOLS or len(found.split()) > 6:
        return None
    if clause.plain:
        return named(found, clause) if head.lower().strip(",") in PLACES or len(found.split()) <= 2 else None
    return found if head[0].isupper() or head.lower() in {"downtown", "central", "northern", "southern"} else None


def lives(match: re.Match[str], clause: Clause) -> Finding | None:
    found = place_name(match["o"], clause)
    if found is None:
        return dwells(match)
    return stated(f"lives in {found}", Kind.FACT)


def dwells(match: re.Match[str]) -> Finding | None:
    """A small flat, the countryside: a home, if not a place on the map."""
    found = thing(timeless(match["o"]))
    if found is None or not re.match(r"(?:an?|the) ", found) or _NOWHERE.search(found):
        return None
    kind = (
        r"\b(?:flat|apartment|house|village|town|city|countryside|suburbs?|cabin|farm|studio|van|boat|"
        r"mountains|us|uk|eu)\b"
    )
    return stated(f"lives in {found}", Kind.FACT) if re.search(kind, found, re.IGNORECASE) else None


def moved(match: re.Match[str], clause: Clause) -> Finding | None:
    head = match["o"].split()[0].lower().strip(".,!")
    if head in TOOLS or (match["old"] or "").lower() in TOOLS:
        return switched(match, clause)
    found = place_name(match["o"], clause)
    if found is None or (clause.plain and found.split()[0].lower().strip(",") not in PLACES):
        return None
    return stated(f"lives in {found}", Kind.FACT)


def switched(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    new = trimmed(match["o"])
    old = match["old"] or (re.search(r" from (.+)$", new) or [None, None])[1]
    new = re.sub(r" (?:from|last|this|a few|a couple|a while|ages|two|back in|in the|when|about|years|months|"
         r"recently|over|in (?:19|20)\d\d|for everything|"
                 r"after|when|full[- ]time|yesterday|entirely|completely|instead)\b.*$", "",
                 new, flags=re.I)  # fmt: skip
    found = thing(new)
    if found is None or _ARTICLE.match(found) or len(found.split()) > 5 or not _is_named(found):
        return None
    made = stated(f"uses {found}", Kind.TOOL)
    was = thing(old) if old else None
    return made and Finding(made.text, made.kind, made.confidence, instead=f"Uses {was}" if was else None)


def _is_named(found: str) -> bool:
    """A known tool or a name: not "tea", not "decaf"."""
    return any(word.lower().strip(",./") in TOOLS or not word.islower() for word in found.split())


def works(match: re.Match[str], clause: Clause) -> Finding | None:
    found = thing(timeless(match["o"]))
    if found is None or _NO_EMPLOYER.match(found) or len(found.split()) > 12:
        return None
    how = match["how"].lower()
    if not is_work(how, found):
        return None
    if how != "as" and not _ARTICLE.match(found):
        found = named(found, clause)
    return stated(f"works {how} {found}", Kind.FACT)


def is_work(how: str, found: str) -> bool:
    """ "As a nurse", "in finance", "at Acme"; not "as hard as", "in bursts", "at their own pace"."""
    if how == "as":
        return bool(_TRADES_WANTED.match(found) or TRADE.match(found))
    if how == "in":
        return bool(_FIELD.match(found)) or found[:1].isupper()
    return not re.match(r"their (?:own|best|desk|convenience)\b", found)


def works_with(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    found = thing(timeless(match["o"]))
    if found is None:
        return None
    tools = any(word.lower().strip(",") in TOOLS for word in found.split())
    children = re.match(
        r"(?:kids|children|animals|horses|the elderly|people with|teenagers|refugees|wood|metal|data)\b", found
    )
    return stated(f"works with {found}", Kind.TOOL if tools else Kind.FACT) if tools or children else None


def uses(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    found = thing(timeless(match["o"]))
    if found is None or re.match(
        r"(?:to|an? (?:lot|bit|similar|different)|the (?:word|term|same)|sarcasm|humou?r|common sense|their "
        r"(?:brain|head|hands?|eyes|words|time|inside voice)|force|caution|both|every|all)\b",
        found,
    ):
        return None
    known = any(word.lower().strip(",./") in TOOLS for word in found.split())
    if not known and not re.search(r"\b(?![AP]M\b)\w*[A-Z]", found) and not _GADGET.search(found):
        return None
    return stated(f"uses {found}", Kind.TOOL, SURE if known else LIKELY)


def codes(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    found = thing(timeless(match["o"]))
    if found is None or not any(word.lower().strip(",") in TOOLS for word in found.split()):
        return None
    return stated(f"{conjugated(match['verb'])} {'in ' if match['in'] else ''}{found}", Kind.TOOL)


def is_a(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    what = trimmed(timeless(match["o"]))
    trade = TRADE.match(what)
    if trade is None or NO_TRADE.search(trade[0]) or re.match(r"[\w ]+\bof (?:my|all|war)\b", what):
        return None
    found = thing(what)
    return None if found is None else stated(f"is {match['art']} {found}", Kind.FACT)


def speaks(match: re.Match[str], clause: Clause) -> Finding | None:
    found = thing(match["o"])
    if found is None or not any(word.strip(",.").lower() in LANGUAGES for word in found.split()):
        return None
    if clause.plain:
        found = " ".join(word.capitalize() if word.strip(",.") in LANGUAGES else word for word in found.split())
    return stated(f"{conjugated(match['verb'])} {found}", Kind.FACT)


def learns(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    found = thing(timeless(match["o"]))
    if found is None or re.match(
        r"(?:to (?:love|live|accept|deal)|an? (?:lot|ton|bunch|great)|lots|tons|much|things|real|really|hard|all|"
        r"day|night|too|like|about|new|so|the hard|as\b|by\b|that\b|how\b|for\b|more|every|"
        r"from)\b",
        found,
    ):
        return None
    return stated(f"{match['verb']} {found}", Kind.FACT)


def project(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    found = thing(timeless(match["o"]))
    small = (
        r"(?:an? (?:fix|bug|patch|ticket|reply|solution|few|couple|lot)|the (?:bug|issue|fix|problem|slides?|"
        r"ticket|deck|"
        r"tests?|build|error|same)|my (?:homework|sleep|posture|patience|self|abs|anger)|getting|being|not|better|"
        r"losing|"
        r"themselves|\w+ing\b|to\b|improving|their (?:homework|sleep|posture|patience|abs|anger|tan|fitness|"
        r"issues|attitude)|up|on|for|with|at|since|it|"
        r"(?:an?|the|my|their|another|some|our) (?:[\w-]+ )?(?:sprint|pull request|pr|task|branch|commit|chapter|"
        r"assignment|"
        r"presentation|report|slide deck|essay|section)|sprint|(?:an?|the|another|some|several|their|two|"
        r"three) (?:[\w-]+ )?"
        r"(?:projects?|things?|ideas?|stuff)(?=$| with| where| which| in which| together| lately| at work))\b"
    )
    if found is None or re.match(small, found, re.IGNORECASE) or _FIGURE.search(found) or len(found) < 4:
        return None
    if match["verb"].lower() == "writing" and not _WRITTEN.search(found):
        return None
    return stated(f"{match['verb']} {found}", Kind.PROJECT)


def has(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    found = thing(timeless(match["o"]))
    if found is None or re.search(
        r"\b(?:to|problem|issue|question|idea|feeling|trouble|show|video|emoji|in this)\b", found
    ):
        return None
    return stated(f"{'owns' if match['verb'].lower() == 'own' else 'has'} {found}", Kind.FACT)


def allergic(match: re.Match[str], clause: Clause) -> Finding | None:
    """An allergy that a cook or a doctor would write down."""
    joke = (
        r"\b(?:mondays?|mornings?|work|people|drama|stupidity|exercise|effort|responsibilit\w+|fun|meetings?|cardio|"
        r"bullshit|bs|nonsense|commitment|sleep|adulting|javascript|java|php|losing|\w+ing)\b"
    )
    found = thing(match["o"])
    if found is None or re.search(joke, found, re.IGNORECASE):
        return None
    return says("is allergic to {}", Kind.CONSTRAINT)(match, clause)


def aged(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    years = int(match["age"])
    return stated(f"is {years} years old", Kind.FACT) if 10 <= years <= 105 else None
