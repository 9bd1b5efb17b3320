"""Rules for what people say after "my": names, favorites, dates, gear, pets, and notes on other people."""

import re

from recollect.core.types import Kind
from recollect.language.lexicon import CONDITION, DIET, KIN, PETS, TOOLS, TRADE
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import object_phrase, strip_duration, trim_object
from recollect.models.local.rule import LIKELY, Finding, Rule, capitalize_name, make_finding, rule
from recollect.models.local.statements import place_name

_NAME = r"(?P<n>[^\W\d_][\w'’.-]*(?: (?:van |de |von )?(?-i:[A-Z])[\w'’-]+){0,2})"
_NO_NAME = re.compile(
    r"^(?:not|later|back|when|if|crazy|maybe|tomorrow|tonight|asap|on|at|old|a|an|in|paranoid|stupid|dumb|weird|"
    r"lazy|the|"
    r"what|whatever|anything|by|after|before|soon|now|today|biased|naive|cynical|skeptical|old-fashioned|spoiled|"
    r"picky|"
    r"basic|and|or|but|to|so|your|my|boss|sir|daddy|master|god|admin|system|root|too|out|it|that|this|insane|"
    r"cheap|mad|"
    r"petty|surprised|impressed|hard|easy|common|mud|unknown|secret|taken|legion)\b",
    re.IGNORECASE,
)
_GEAR = (
    "editor|shell|terminal|browser|distro|os|operating system|laptop|phone|keyboard|gpu|cpu|car|bike|camera|stack|"
    "tech stack|ide|daily driver|note app|window manager|database of choice|main language|go-to language|setup"
)
_TRAITS = (
    "native language|first language|mother tongue|major|hometown|nationality|day job|job|"
    "time ?zone|star sign|zodiac sign|height|shoe size"
)


def _own_name(match: re.Match[str], clause: Clause) -> Finding | None:
    name = match["n"].strip(".-'")
    if _NO_NAME.match(name) or not (name[0].isupper() or clause.lacks_capitals):
        return None
    return make_finding(f"name is {capitalize_name(name, clause)}", Kind.FACT)


def _nickname(match: re.Match[str], clause: Clause) -> Finding | None:
    name = match["n"].strip(".-'")
    is_request = match["ask"] is not None
    if _NO_NAME.match(name) or not (name[0].isupper() or (clause.lacks_capitals and is_request)):
        return None
    return make_finding(f"prefers to be called {capitalize_name(name, clause)}", Kind.PREFERENCE)


def _favorite(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    phrase, category = object_phrase(match["o"]), object_phrase(match["what"])
    if phrase is None or category is None or re.match(r"(?:when|part|things?|ones?|not)\b", f"{category} {phrase}"):
        return None
    if re.search(r"\b(?:about|so far|of (?:this|the))\b", category):
        return None
    return make_finding(f"{match['fav']} {category} {match['is']} {phrase}", Kind.PREFERENCE)


def _trait(kind: Kind, confidence: float = 0.9):
    def build(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
        phrase = object_phrase(match["o"])
        if phrase is None or re.match(
            r"(?:not|so|too|very|broken|dead|slow|fine|ok|okay|great|good|bad|down|done|gone|ready|being|acting|"
            r"getting|"
            r"about|due|killing|driving|going|almost|pretty|really|super|still|on|out|in the|to|just|awful|boring|"
            r"weird|"
            r"having|giving|at|up|back|finally|stuck|freezing|loud|old|new|dying|hard|easy|amazing|the best|"
            r"the worst|"
            r"only|doing|running|a mess|a disaster|crashing|charging|here|secret|safe)\b", phrase,
            re.IGNORECASE):  # fmt: skip
            return None
        if kind is Kind.TOOL and not _is_gear(phrase):
            return None
        if match["what"].lower().endswith("job") and not re.match(r"\w+ing\b", phrase) and not _is_trade(phrase):
            return None
        return make_finding(f"{match['what']} {match['is']} {phrase}", kind, confidence)

    return build


def _is_gear(value: str) -> bool:
    """A make, a model, a known tool: not "a brick"."""
    return any(word.strip(",.").lower() in TOOLS or not word.islower() for word in value.split())


def _is_trade(value: str) -> bool:
    return TRADE.match(re.sub(r"^(?:an?|as an?) ", "", value)) is not None


def _birthday(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    date = trim_object(match["o"]).removeprefix("on ").removeprefix("the ")
    if not re.search(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d{1,2}[./]\d{1,2}", date, re.IGNORECASE):
        return None
    date = re.sub(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", lambda m: m[0].title(), date, flags=re.I)
    relative = match["kin"]
    if relative:
        return make_finding(f"their {relative.lower()}'s birthday is {date}", Kind.PERSON, about=relative.lower())
    return make_finding(f"birthday is {date}", Kind.FACT)


def _pet(match: re.Match[str], clause: Clause) -> Finding | None:
    name, pet = match["n"], match["pet"].lower()
    if _NO_NAME.match(name) or not (name[0].isupper() or clause.lacks_capitals):
        return None
    return make_finding(
        f"has {'an' if pet[0] in 'aeiou' else 'a'} {pet} named {capitalize_name(name, clause)}", Kind.FACT
    )


def _kin_name(match: re.Match[str], clause: Clause) -> Finding | None:
    name, kin = match["n"], match["kin"].lower()
    if _NO_NAME.match(name) or not (name[0].isupper() or clause.lacks_capitals):
        return None
    return make_finding(
        f"their {kin} is called {capitalize_name(name, clause)}", Kind.PERSON, about=capitalize_name(name, clause)
    )


_DOES = re.compile(
    r"(?P<verb>(?:really |also |now |mostly |still |absolutely )*(?:works|work|lives|live|likes|like|loves|love|"
    r"hates|hate|"
    r"prefers|prefer|plays|play|studies|study|speaks|speak|teaches|collects|owns|drives|runs|uses|enjoys|has|have|"
    r"doesn't (?:eat|drink|like)|do not (?:eat|drink|like)|can't stand|cannot stand|can't eat|cannot eat|"
    r"just moved to|moved to|started at|got married|got engaged|got promoted|retired|graduated))\b(?P<o>.*)$",
    re.IGNORECASE,
)
_IS = re.compile(
    rf"(?:is|are) (?P<o>(?:also |now |still )?(?:(?:an? |the )(?P<trade>.+)|from .+|(?:deathly |"
    rf"severely )?allergic to .+|"
    rf"(?:an? )?(?:{DIET}|{CONDITION})\b.*|\d{{1,3}} years old\b.*|learning .+|studying .+|getting married.*|"
    rf"expecting.*|"
    rf"(?:into|obsessed with) .+))$",
    re.IGNORECASE,
)
_PASSING_POSSESSION = re.compile(
    r"^ (?:an? )?(?:problem|question|issue|point|idea|theory|crush|meeting|cold|flu|fever|headache|to|been|it|"
    r"this|that|no)\b",
    re.IGNORECASE,
)


_PLURAL_VERB = re.compile(r"(?:work|live|like|love|hate|prefer|play|study|speak|have|do not \w+)$", re.IGNORECASE)


def _is_plural(kin: str) -> bool:
    return kin.endswith("s") and kin != "boss"


def _note(match: re.Match[str], clause: Clause) -> Finding | None:
    """The speaker's note on someone they know."""
    kin, name, predicate = match["kin"].lower(), match["name"], match["said"]
    does, state = _DOES.match(predicate), _IS.match(predicate)
    if does and _PLURAL_VERB.match(does["verb"]) and not _is_plural(kin):
        return None  # "me and my wife live": not the wife alone
    if does:
        rephrased = _rephrase_action(does, clause)
    elif state and (state["trade"] is None or TRADE.match(trim_object(state["trade"]))):
        rephrased = f"{'are' if _is_plural(kin) else 'is'} {object_phrase(state['o']) or ''}"
    else:
        return None
    if rephrased is None or rephrased.endswith(" "):
        return None
    person = f"{kin} {name}" if name else kin
    return make_finding(f"their {person} {rephrased}", Kind.PERSON, LIKELY if not name else 0.9, about=name or kin)


def _rephrase_action(match: re.Match[str], clause: Clause) -> str | None:
    verb = match["verb"].lower().replace("do not", "don't").replace("cannot", "can't")
    verb = re.sub(r"^(?:really |also |now |mostly |still |absolutely )+", "", verb)
    if not match["o"].strip(" .!,"):
        return verb if verb in ("got married", "got engaged", "got promoted", "retired", "graduated") else None
    if verb in ("has", "have") and _PASSING_POSSESSION.match(match["o"]):
        return None
    if verb in ("moved to", "just moved to"):
        place = place_name(match["o"], clause)
        return f"lives in {place}" if place else None
    phrase = object_phrase(strip_duration(match["o"]))
    if phrase is None or re.search(
        r"^(?:too|so|hard|out|fine|well|better|like|to (?:say|tell|think|remind|joke)|for (?:me|them)|on (?:it|"
        r"this)|them\b)",
        phrase,
    ):
        return None
    return f"{verb} {phrase}"


RULES: list[Rule] = [
    rule(rf"my (?:full |first |real |actual )?name is {_NAME}(?=[\s,.!:;)]|$)(?! (?:not|a|the|in|on))", _own_name),
    rule(rf"(?P<ask>(?:please |pls |just |you can |you may |everyone |everybody |my friends |people |most people |"
         rf"friends )+)?"
         rf"calls? me {_NAME}[\s.!,]*(?:[^\w].*|please|pls|btw|instead|from now on|though|tho|by the way|"
         rf"around here)?$", _nickname),
    rule(r"my (?P<fav>(?:all[- ]time |absolute )?favou?rite) (?P<what>[\w /'+#-]{2,40}?) (?P<is>is|are|"
         r"has always been) "
         r"(?:still |definitely |currently |probably |by far |now |actually )*(?P<o>.+)", _favorite),
    rule(rf"my (?:(?P<kin>{KIN})'s )?birthday(?: is|'s)(?: on)? (?P<o>.+)", _birthday),
    rule(rf"(?:my|our) (?P<what>{_GEAR}) (?P<is>is|runs) (?:currently |now |still )?(?P<o>.+)", _trait(Kind.TOOL)),
    rule(r"(?:my pronouns are|i use) (?P<o>(?:she|he|they|xe|ze|it)/\w+(?:/\w+)?)", lambda m, _:
         make_finding(f"pronouns are {m['o'].lower()}", Kind.FACT)),
    rule(r"my (?P<what>(?:current |main |latest )?(?:side |pet |hobby |weekend )?project|"
         r"startup) (?P<is>is) (?P<o>.+)",
         _trait(Kind.PROJECT)),
    rule(rf"my (?P<what>{_TRAITS}) (?P<is>is|are|was) (?:currently |now |still )?(?P<o>.+)", _trait(Kind.FACT)),
    rule(rf"my (?:[\w-]+ )?(?P<pet>{PETS})(?:'s name is|s name is| is (?:called|named)) {_NAME}(?=[\s,.!]|$)", _pet),
    rule(rf"my (?P<kin>{KIN})(?:'s name is|s name is| is (?:called|named)) {_NAME}(?=[\s,.!]|$)", _kin_name),
    rule(rf"my (?:older |younger |little |big |oldest |youngest |eldest |late |dear |good |best |old |current |new )*"
         rf"(?P<kin>{KIN})(?:,? (?P<name>(?-i:[A-Z])[\w'-]+),?)? (?P<said>.+)", _note),
]  # fmt: skip
