"""Builders for the rules in `about_me`: each function judges one kind of statement and phrases it."""

import re

from recollect.core.types import Kind
from recollect.language.lexicon import LANGUAGES, NO_TRADE, PLACES, TOOLS, TRADE
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import conjugate, object_phrase, strip_duration, trim_object
from recollect.models.local.rule import LIKELY, SURE, Finding, capitalize_name, from_template, make_finding

_ARTICLE = re.compile(r"^(?:an?|the|my|our|their|this|that|some|his|her|one|two|three)\b", re.IGNORECASE)
_NOT_A_PLACE = re.compile(
    r"\b(?:fear|denial|pain|hope|peace|moment|bubble|past|future|hell|dream|world|head|chaos|same|different|"
    r"another|lie|"
    r"simulation|darkness|room|bed|sin|society|times|way|swamp|dumpster|basement|box|territory)\b",
    re.IGNORECASE,
)
_NOT_AN_EMPLOYER = re.compile(
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
_TRADE_ARTICLE = re.compile(r"(?:an? |the )", re.IGNORECASE)
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
"""A durable thing whose name is written in lower case."""
_FIGURATIVE = re.compile(
    r"\b(?:memories|relationships?|confidence|strength|trust|muscles?|connections?|momentum|bonds?|resilience|"
    r"habits?|brand|"
    r"foundation|life|future|skills?|technique|form|game|shot|health|balance|goals?|communication|time management|"
    r"mindset|"
    r"endurance|stamina|awareness|network|knowledge|plans?|list|reputation|discipline|mental \w+)"
    r"(?=$| and\b|,)",
    re.IGNORECASE,
)
"""What is built or worked on only figuratively."""
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
    """The name of a place, or None if it may be something else."""
    place = strip_duration(trim_object(text))
    place = re.sub(
        r",? (?:last|this|next|in (?:19|20)\d\d|in (?:january|february|march|april|may|june|july|august|september|"
        r"october|"
        r"november|december)|a (?:few|couple)|two|three|\d+|about|yesterday|recently|from|with|when|where|after|"
        r"before|"
        r"to|until|together|full[- ]time|permanently|by|and|in the (?:summer|winter|spring|autumn|fall)|back in|"
        r"a while|ages|years)\b.*$",
        "",
        place,
        flags=re.IGNORECASE,
    ).strip(" ,")
    first_word = place.split()[0] if place else ""
    if (
        not first_word
        or _ARTICLE.match(place)
        or _NOT_A_PLACE.search(place)
        or first_word.lower() in TOOLS
        or len(place.split()) > 6
    ):
        return None
    if clause.lacks_capitals:
        return (
            capitalize_name(place, clause)
            if first_word.lower().strip(",") in PLACES or len(place.split()) <= 2
            else None
        )
    return (
        place
        if first_word[0].isupper() or first_word.lower() in {"downtown", "central", "northern", "southern"}
        else None
    )


def lives(match: re.Match[str], clause: Clause) -> Finding | None:
    place = place_name(match["o"], clause)
    if place is None:
        return dwells(match)
    return make_finding(f"lives in {place}", Kind.FACT)


def dwells(match: re.Match[str]) -> Finding | None:
    """A small flat, the countryside: a home, if not a place on the map."""
    phrase = object_phrase(strip_duration(match["o"]))
    if phrase is None or not re.match(r"(?:an?|the) ", phrase) or _NOT_A_PLACE.search(phrase):
        return None
    dwelling = (
        r"\b(?:flat|apartment|house|village|town|city|countryside|suburbs?|cabin|farm|studio|van|boat|"
        r"mountains|us|uk|eu)\b"
    )
    return make_finding(f"lives in {phrase}", Kind.FACT) if re.search(dwelling, phrase, re.IGNORECASE) else None


def moved(match: re.Match[str], clause: Clause) -> Finding | None:
    first_word = match["o"].split()[0].lower().strip(".,!")
    if first_word in TOOLS or (match["old"] or "").lower() in TOOLS:
        return switched(match, clause)
    place = place_name(match["o"], clause)
    if place is None or (clause.lacks_capitals and place.split()[0].lower().strip(",") not in PLACES):
        return None
    return make_finding(f"lives in {place}", Kind.FACT)


def switched(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    new = trim_object(match["o"])
    old = match["old"] or (re.search(r" from (.+)$", new) or [None, None])[1]
    new = re.sub(r" (?:from|last|this|a few|a couple|a while|ages|two|back in|in the|when|about|years|months|"
         r"recently|over|in (?:19|20)\d\d|for everything|"
                 r"after|when|full[- ]time|yesterday|entirely|completely|instead)\b.*$", "",
                 new, flags=re.I)  # fmt: skip
    phrase = object_phrase(new)
    if phrase is None or _ARTICLE.match(phrase) or len(phrase.split()) > 5 or not _is_named(phrase):
        return None
    finding = make_finding(f"uses {phrase}", Kind.TOOL)
    old_phrase = object_phrase(old) if old else None
    return finding and Finding(
        finding.text, finding.kind, finding.confidence, replaces=f"Uses {old_phrase}" if old_phrase else None
    )


def _is_named(phrase: str) -> bool:
    """A known tool or a name: not "tea", not "decaf"."""
    return any(word.lower().strip(",./") in TOOLS or not word.islower() for word in phrase.split())


def works(match: re.Match[str], clause: Clause) -> Finding | None:
    phrase = object_phrase(strip_duration(match["o"]))
    if phrase is None or _NOT_AN_EMPLOYER.match(phrase) or len(phrase.split()) > 12:
        return None
    how = match["how"].lower()
    if not is_work(how, phrase):
        return None
    if how != "as" and not _ARTICLE.match(phrase):
        phrase = capitalize_name(phrase, clause)
    return make_finding(f"works {how} {phrase}", Kind.FACT)


def is_work(how: str, phrase: str) -> bool:
    """ "As a nurse", "in finance", "at Acme"; not "as hard as", "in bursts", "at their own pace"."""
    if how == "as":
        return bool(_TRADE_ARTICLE.match(phrase) or TRADE.match(phrase))
    if how == "in":
        return bool(_FIELD.match(phrase)) or phrase[:1].isupper()
    return not re.match(r"their (?:own|best|desk|convenience)\b", phrase)


def works_with(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    phrase = object_phrase(strip_duration(match["o"]))
    if phrase is None:
        return None
    has_tools = any(word.lower().strip(",") in TOOLS for word in phrase.split())
    is_occupation = re.match(
        r"(?:kids|children|animals|horses|the elderly|people with|teenagers|refugees|wood|metal|data)\b", phrase
    )
    return (
        make_finding(f"works with {phrase}", Kind.TOOL if has_tools else Kind.FACT)
        if has_tools or is_occupation
        else None
    )


def uses(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    phrase = object_phrase(strip_duration(match["o"]))
    if phrase is None or re.match(
        r"(?:to|an? (?:lot|bit|similar|different)|the (?:word|term|same)|sarcasm|humou?r|common sense|their "
        r"(?:brain|head|hands?|eyes|words|time|inside voice)|force|caution|both|every|all)\b",
        phrase,
    ):
        return None
    is_known_tool = any(word.lower().strip(",./") in TOOLS for word in phrase.split())
    if not is_known_tool and not re.search(r"\b(?![AP]M\b)\w*[A-Z]", phrase) and not _GADGET.search(phrase):
        return None
    return make_finding(f"uses {phrase}", Kind.TOOL, SURE if is_known_tool else LIKELY)


def codes(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    phrase = object_phrase(strip_duration(match["o"]))
    if phrase is None or not any(word.lower().strip(",") in TOOLS for word in phrase.split()):
        return None
    return make_finding(f"{conjugate(match['verb'])} {'in ' if match['in'] else ''}{phrase}", Kind.TOOL)


def is_a(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    phrase = trim_object(strip_duration(match["o"]))
    trade = TRADE.match(phrase)
    if trade is None or NO_TRADE.search(trade[0]) or re.match(r"[\w ]+\bof (?:my|all|war)\b", phrase):
        return None
    rephrased = object_phrase(phrase)
    return None if rephrased is None else make_finding(f"is {match['art']} {rephrased}", Kind.FACT)


def speaks(match: re.Match[str], clause: Clause) -> Finding | None:
    phrase = object_phrase(match["o"])
    if phrase is None or not any(word.strip(",.").lower() in LANGUAGES for word in phrase.split()):
        return None
    if clause.lacks_capitals:
        phrase = " ".join(word.capitalize() if word.strip(",.") in LANGUAGES else word for word in phrase.split())
    return make_finding(f"{conjugate(match['verb'])} {phrase}", Kind.FACT)


def learns(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    phrase = object_phrase(strip_duration(match["o"]))
    if phrase is None or re.match(
        r"(?:to (?:love|live|accept|deal)|an? (?:lot|ton|bunch|great)|lots|tons|much|things|real|really|hard|all|"
        r"day|night|too|like|about|new|so|the hard|as\b|by\b|that\b|how\b|for\b|more|every|"
        r"from)\b",
        phrase,
    ):
        return None
    return make_finding(f"{match['verb']} {phrase}", Kind.FACT)


def project(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    phrase = object_phrase(strip_duration(match["o"]))
    minor_task = (
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
    if phrase is None or re.match(minor_task, phrase, re.IGNORECASE) or _FIGURATIVE.search(phrase) or len(phrase) < 4:
        return None
    if match["verb"].lower() == "writing" and not _WRITTEN.search(phrase):
        return None
    return make_finding(f"{match['verb']} {phrase}", Kind.PROJECT)


def has(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    phrase = object_phrase(strip_duration(match["o"]))
    if phrase is None or re.search(
        r"\b(?:to|problem|issue|question|idea|feeling|trouble|show|video|emoji|in this)\b", phrase
    ):
        return None
    return make_finding(f"{'owns' if match['verb'].lower() == 'own' else 'has'} {phrase}", Kind.FACT)


def allergic(match: re.Match[str], clause: Clause) -> Finding | None:
    """An allergy that a cook or a doctor would write down."""
    joke = (
        r"\b(?:mondays?|mornings?|work|people|drama|stupidity|exercise|effort|responsibilit\w+|fun|meetings?|cardio|"
        r"bullshit|bs|nonsense|commitment|sleep|adulting|javascript|java|php|losing|\w+ing)\b"
    )
    phrase = object_phrase(match["o"])
    if phrase is None or re.search(joke, phrase, re.IGNORECASE):
        return None
    return from_template("is allergic to {}", Kind.CONSTRAINT)(match, clause)


def aged(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    years = int(match["age"])
    return make_finding(f"is {years} years old", Kind.FACT) if 10 <= years <= 105 else None
