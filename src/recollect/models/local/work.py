"""Builders for work: roles, employers, tools, skills, places and hours."""

import re

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.models.local.grammar import expressions
from recollect.models.local.introductions import is_person_name
from recollect.models.local.rephrase import base_verb, conjugate, object_phrase, strip_duration, trim_object
from recollect.models.local.rule import LIKELY, SURE, Finding, Reading, capitalize_name, make_finding
from recollect.models.local.statements import is_named, is_tool

_EXPRESSIONS = expressions("work")
_MAX_TOPIC_WORDS = 5
_COMMUNITY_WE = "we "
"""How a clause begins that may be about a program, or a whole community."""


def hours(reading: Reading) -> Finding | None:
    """ "Works full time at an agency", "is part time at the bakery"."""
    phrase = object_phrase(reading["o"])
    return make_finding(f"{'works' if reading['works'] else 'is'} {phrase}", Kind.FACT) if phrase else None


def speaks_for_others(reading: Reading) -> bool:
    return reading.clause.text.lower().startswith(_COMMUNITY_WE)


def predicate(verb: str) -> str:
    """A verb with its particles in the third person: "looks after", "is responsible for"."""
    first, *particles = verb.lower().split()
    if first == "do" and particles[:1] == ["not"]:
        return " ".join(["doesn't", *particles[1:]])
    return " ".join([conjugate(first), *particles])


def third_person(verb: re.Match[str]) -> str:
    return conjugate(verb[0])


def is_trouble(reading: Reading) -> bool:
    """Whether it is part of a report on what does not work: what is used there may be used once."""
    return _EXPRESSIONS.trouble.search(reading.clause.evidence) is not None


def _tool(text: str) -> str | None:
    """The name of a tool and what is said of its use; None for anything else."""
    phrase = object_phrase(strip_duration(text))
    if phrase is None or len(phrase.split()) > 2 * _MAX_TOPIC_WORDS or _EXPRESSIONS.no_tool.match(phrase):
        return None
    return phrase if is_named(" ".join(phrase.split()[:2])) else None


def own(reading: Reading) -> Finding | None:
    """What the speaker alone does: "manages three engineers"."""
    phrase = object_phrase(reading["o"])
    if phrase is None:
        phrase = re.sub(r"(?i)^my\b", "their", trim_object(reading["o"]))
    if speaks_for_others(reading) or not phrase:
        return None
    return make_finding(f"{predicate(reading['verb'])} {phrase}", Kind.FACT)


def responsible(reading: Reading) -> Finding | None:
    """ "Looks after the build servers"; not "maintains a list of ids"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or speaks_for_others(reading) or _EXPRESSIONS.not_held.search(phrase):
        return None
    verb = re.sub(r"(?i)the (?:one|person) (?=responsible|in charge|accountable)", "", reading["verb"])
    return make_finding(f"{predicate(verb)} {phrase}", Kind.FACT)


def reports(reading: Reading) -> Finding | None:
    superior = trim_object(reading["o"])
    if not (superior.startswith("the ") or is_person_name(superior)):
        return None
    about = None if superior.startswith("the ") else superior
    return make_finding(f"{predicate(reading['verb'])} to {superior}", Kind.FACT, about=about)


def position(reading: Reading) -> Finding | None:
    """ "Is repository manager", "is CTO at a small agency"."""
    return _position(reading, "")


def the_position(reading: Reading) -> Finding | None:
    """ "Is the information services librarian at the Smithsonian"."""
    return _position(reading, "the ")


def _position(reading: Reading, article: str) -> Finding | None:
    phrase = object_phrase(f"{reading['o']}{reading['at']}")
    if phrase is None or speaks_for_others(reading) or _EXPRESSIONS.wrong_person.search(reading["o"]):
        return None
    return make_finding(f"is {article}{phrase}", Kind.FACT)


def known_for(reading: Reading) -> Finding | None:
    """ "Is the Oracle guy"; not "the wrong person"."""
    if not is_named(reading["what"]) or _EXPRESSIONS.wrong_person.search(reading["o"]):
        return None
    return make_finding(f"is the {trim_object(reading['o'])}", Kind.FACT, LIKELY)


def one_of(reading: Reading) -> Finding | None:
    """ "Is one of the core devs of Pathom"."""
    phrase = object_phrase(reading["o"].replace("@", ""))
    if phrase is None or not (is_named(phrase) or _EXPRESSIONS.of_project.search(phrase)):
        return None
    article = "one of the" if reading[0].lower().startswith("am one of") else "a"
    return make_finding(f"is {article} {phrase}", Kind.FACT)


def with_employer(reading: Reading) -> Finding | None:
    """ "Is with Longworth Systems"; not "I'm with Tim on this"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or _EXPRESSIONS.person.search(phrase) or re.search(r" on (?:this|that|it)\b", reading["o"]):
        return None
    names = re.match(r"(?:the )?((?:[A-Z][\w&.'-]*)(?: [A-Z][\w&.'-]*)*)", phrase)
    if names is None or not (_EXPRESSIONS.organization.search(phrase) or len(names[1].split()) > 1):
        return None
    return (
        None
        if names[1].split()[0].lower() in lexicon.words("given_names")
        else make_finding(f"is with {phrase}", Kind.FACT)
    )


def joined(reading: Reading) -> Finding | None:
    """ "Joined Spotify"; not "joined Slack", the tool."""
    name = trim_object(reading["o"])
    if not name or _EXPRESSIONS.not_an_employer.match(name) or speaks_for_others(reading):
        return None
    return make_finding(f"{reading.verb()} {name}", Kind.FACT)


def in_team(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    return make_finding(f"works in the {phrase}", Kind.FACT) if phrase and not speaks_for_others(reading) else None


def in_area(reading: Reading) -> Finding | None:
    if speaks_for_others(reading):
        return None
    return make_finding(f"is {reading['how'].lower()} {reading['o']}", Kind.FACT, LIKELY)


def moved_area(reading: Reading) -> Finding | None:
    finding = make_finding(f"moved from {reading['old']} to {reading['o']}", Kind.FACT)
    return finding and Finding(finding.text, finding.kind, replaces=f"Works in {reading['old']}")


def tool_user(reading: Reading) -> Finding | None:
    """ "Is a Debian user"."""
    if not is_tool(reading["tool"]) or speaks_for_others(reading) or is_trouble(reading):
        return None
    article = "an" if reading["o"][0].lower() in "aeio" else "a"
    return make_finding(f"is {article} {reading['o']}", Kind.TOOL)


def works_in_tool(reading: Reading) -> Finding | None:
    """ "Works mostly in Clojure"."""
    phrase = _tool(reading["o"])
    if phrase is None or not any(map(is_tool, phrase.split())) or is_trouble(reading):
        return None
    adverb = re.search(
        r"(?i)\b(mostly|mainly|primarily|exclusively|almost exclusively|professionally|daily)\b", reading[0]
    )
    if adverb is None:
        return None
    return make_finding(f"works {adverb[0].lower()} in {phrase}", Kind.TOOL)


def shop(reading: Reading) -> Finding | None:
    """ "We're a Python shop"."""
    if not speaks_for_others(reading) or not is_tool(reading["o"].split()[0]):
        return None
    return make_finding(f"works at a {reading['o']}", Kind.TOOL)


def we_are(reading: Reading) -> Finding | None:
    if not speaks_for_others(reading):
        return None
    return make_finding(f"their team is {trim_object(reading['o'])}", Kind.FACT, LIKELY)


def staff(reading: Reading) -> Finding | None:
    if not speaks_for_others(reading):
        return None
    return make_finding(f"their team has {trim_object(reading['o'])}", Kind.FACT, LIKELY)


def at_work(reading: Reading) -> Finding | None:
    """ "Does trunk-based development at work"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or is_trouble(reading):
        return None
    where = re.sub(r"(?i)\b(?:my|our)\b", "their", reading["where"])
    return make_finding(f"{predicate(reading['verb'])} {phrase} {where}", Kind.WORKFLOW)


def runs(reading: Reading) -> Finding | None:
    """ "Runs Tomcat 7"; not what is run this minute."""
    phrase = _tool(reading["o"])
    if phrase is None or is_trouble(reading):
        return None
    is_own = not speaks_for_others(reading) or _is_at_workplace(reading)
    return make_finding(f"runs {phrase}", Kind.TOOL) if is_own else None


def instance(reading: Reading) -> Finding | None:
    """ "Runs a DSpace repository of reprints": who says so of a place they work at has it to look after."""
    phrase = object_phrase(re.sub(r" \([^)]*\)", "", reading["o"]))
    if phrase is None or is_trouble(reading):
        return None
    return make_finding(f"{predicate(_base(reading[0]))} {phrase}", Kind.TOOL)


def _base(text: str) -> str:
    verb = re.sub(r"(?i)^am ", "", text).split()[0]
    return base_verb(verb) if verb.lower().endswith("ing") else verb


def _is_at_workplace(reading: Reading) -> bool:
    return expressions("statements").own_workplace.search(reading.clause.evidence) is not None


def we_use(reading: Reading) -> Finding | None:
    phrase = _tool(reading["o"])
    if phrase is None or not _is_at_workplace(reading) or is_trouble(reading) or not is_tool(phrase.split()[0]):
        return None
    return make_finding(f"uses {phrase} at work", Kind.TOOL)


def does_not_use(reading: Reading) -> Finding | None:
    phrase = _tool(reading["o"])
    if phrase is None or not is_tool(phrase.split()[0]) or is_trouble(reading) or speaks_for_others(reading):
        return None
    return make_finding(f"doesn't use {phrase}", Kind.TOOL)


def with_tool(reading: Reading) -> Finding | None:
    """ "Self-hosts gitea", "contributes to OpenTelemetry"."""
    phrase = object_phrase(strip_duration(reading["o"]))
    if phrase is None or is_trouble(reading) or speaks_for_others(reading):
        return None
    bare = re.sub(r"^(?:an?|the) ", "", phrase)
    is_fit = is_named(" ".join(bare.split()[:2])) or reading.verb().startswith("self")
    if not is_fit or len(phrase.split()) > 2 * _MAX_TOPIC_WORDS:
        return None
    phrase = re.sub(r"(?<= and )(?:deploy|code|develop|target)\b", third_person, phrase)
    verb = predicate(reading["verb"]) + (" to" if reading.verb() in ("contribute", "commit", "donate") else "")
    return make_finding(f"{verb} {phrase}", Kind.TOOL)


def _topic(text: str) -> str | None:
    """What someone may be good at: a tool, a field; not "that idea"."""
    phrase = object_phrase(re.sub(r" stuff\b.*$", " stuff", trim_object(text)))
    if phrase is None or len(phrase.split()) > _MAX_TOPIC_WORDS or _EXPRESSIONS.no_skill.search(phrase):
        return None
    return phrase


def knows_about(reading: Reading) -> Finding | None:
    """ "Knows next to nothing about Maven"."""
    topic = _topic(reading["o"])
    if topic is None or not is_named(topic) or speaks_for_others(reading):
        return None
    return make_finding(f"{predicate(reading['verb'])} {reading['how'].lower()} about {topic}", Kind.FACT, LIKELY)


def does_not_know(reading: Reading) -> Finding | None:
    topic = _topic(reading["o"])
    if topic is None or not is_named(topic) or speaks_for_others(reading):
        return None
    return make_finding(f"doesn't know {topic} {reading['how'].lower()}", Kind.FACT, LIKELY)


def skill(reading: Reading) -> Finding | None:
    """ "Is rusty on JSPUI", "is terrible at regexes"."""
    topic = _topic(reading["o"])
    is_fit = topic is not None and (is_named(topic) or _EXPRESSIONS.expand_area.match(topic))
    if topic is None or not is_fit or speaks_for_others(reading):
        return None
    return make_finding(f"{predicate(reading['verb'])} {reading['how'].lower()} {topic}", Kind.FACT, LIKELY)


def cannot(reading: Reading) -> Finding | None:
    topic = _topic(reading["o"])
    if topic is None or not is_named(topic):
        return None
    return make_finding(f"can't {reading.verb()} {topic}", Kind.FACT, LIKELY)


def from_tool(reading: Reading) -> Finding | None:
    """ "Comes from Python", the language."""
    phrase = _tool(reading["o"])
    if phrase is None or not is_tool(phrase.split()[0]) or len(phrase.split()) > _MAX_TOPIC_WORDS:
        return None
    return make_finding(f"comes from {phrase}", Kind.FACT, LIKELY)


def years_of(reading: Reading) -> Finding | None:
    """ "Has 20 years of Java"; not "has three years of data to import"."""
    phrase = object_phrase(re.sub(r" (?:under my belt|behind me)\b.*", "", reading["o"]))
    if phrase is None or speaks_for_others(reading):
        return None
    is_fit = " experience" in phrase or any(map(is_tool, re.split(r"[\s,/]+", phrase)))
    return make_finding(f"has {phrase}", Kind.FACT) if is_fit and len(phrase.split()) <= 12 else None


def created(reading: Reading) -> Finding | None:
    """ "Created shadow-grove"."""
    name = trim_object(reading["o"])
    if not name or _EXPRESSIONS.no_tool.match(name) or is_tool(name) or speaks_for_others(reading):
        return None
    if name.lower() in lexicon.words("languages") or (reading.verb() in ("started", "wrote") and name.islower()):
        return None
    return make_finding(f"{reading.verb()} {name}", Kind.PROJECT)


def created_thing(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    if phrase is None or speaks_for_others(reading):
        return None
    return make_finding(f"{reading.verb()} {phrase}", Kind.PROJECT)


def has_been_with(reading: Reading) -> Finding | None:
    phrase = re.sub(r"(?i)^(?:this|my|our) ", "their ", trim_object(reading["o"]))
    return make_finding(f"has been {reading['how'].lower()} {phrase}", Kind.FACT)


def tends(reading: Reading) -> Finding | None:
    """ "Tends to write long commit messages"; not "tends to agree"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or _EXPRESSIONS.no_tendency.search(phrase) or not 3 < len(phrase.split()) < 12:
        return None
    return make_finding(f"tends {phrase}", Kind.WORKFLOW, LIKELY)


def role_is(reading: Reading) -> Finding | None:
    """ "Job title is database programmer", "job is to keep librarians happy"; not "my job is stuck"."""
    phrase, what = object_phrase(reading["o"]), reading["what"].lower()
    if phrase is None or speaks_for_others(reading) or _EXPRESSIONS.batch_job.match(phrase):
        return None
    if "job" in what and "title" not in what and not re.match(r"(?:to|mostly|mainly|as|in) |.*\b[A-Z]", phrase):
        return None
    return make_finding(f"{what} {reading['is']} {phrase}", Kind.FACT)


def stack_is(reading: Reading) -> Finding | None:
    phrase = _tool(reading["o"])
    if phrase is None or not any(map(is_tool, re.split(r"[\s,/]+", phrase))) or is_trouble(reading):
        return None
    how = (reading["how"] or "").lower()
    return make_finding(f"their {reading['what'].lower()} {reading['is'].lower()} {how}{phrase}", Kind.TOOL)


def group_is(reading: Reading) -> Finding | None:
    phrase = trim_object(reading["o"])
    return make_finding(f"their {reading['what'].lower()} {reading['is'].lower()} {phrase}", Kind.FACT)


def language_is(reading: Reading) -> Finding | None:
    negated = "is not" if "n" in reading["is"].lower().removeprefix("is") else "is"
    return make_finding(f"{reading['o'].capitalize()} {negated} their {reading['what'].lower()}", Kind.FACT)


def colleague(reading: Reading) -> Finding | None:
    name = reading["n"]
    if not is_person_name(name):
        return None
    finding = make_finding(
        f"their {reading['what'].lower()} is called {capitalize_name(name, reading.clause)}", Kind.PERSON
    )
    return finding and Finding(finding.text, finding.kind, SURE, about=name)
