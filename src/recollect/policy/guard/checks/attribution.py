"""A fact and its quote are about the same person.

"I'm afraid of dogs, sorry Ayo" is not about Ayo, "someone who works at CERN" is not about the speaker, and what the
daughter's teacher plays is not played by the daughter.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.core.reasons import Reason
from recollect.core.text import fold, words
from recollect.language import kinship, lexicon, word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.actors import TOKEN, actor_of
from recollect.policy.guard.case import Case
from recollect.policy.guard.checks.entailment import Entailment, entailments, parts
from recollect.policy.guard.clauses import QuoteContext

_PATTERNS = Patterns(
    foreign_mine=r"^\W*(?:(?:{foreign_and}) )?(?:il |la |o |a )?(?:{foreign_my}) (?P<who>[\w-]+)",
    own_thing="{own_things}",
    unspaced_other="^(?:{my_before})?(?:{unspaced_relatives}|{others_before})(?!の(?:頃|時))(?:{topic})",
    i=r"\b(?:{first_person}|im|we're)\b|^\W*(?!your|his|her|their)\w",
    mine_or_had=r"\b(?:{my}|have|has|got|had|'ve|with|and|\d+|a|an|two|three|four|five)\b",
    opening=r"(?:^|[.!?,;\n]|\b(?:and|but|so|because|though))\W*(?:the )?$",
    we_at=r"""\b(?:we|our)\b.*\b(?:at|in) (?:the|our|my) (?P<where>office|work|company|school|uni|university|club
        |lab|firm|gym|hotel|church|studio|agency)\b|\bwe (?:at|here at) (?P<name>\w+)""",
    of_group=r"^\W*(?:(?:and|but|so) )?(?:(?:half|most|some|many|all|several|a few|both|none) (?:of )?"
    r"(?:the|my|our|these|those)|the (?:other|rest of the|whole|entire)) (?!.*\b(?:i|i'm|we|me|us|including)\b)",
    we_won=r"\bwe (?:\w+ )?(?P<did>won|lost|beat|drew|scored|qualified|advanced|equali[sz]ed)\b",
    spectator=r"\b(?:watch(?:ed|ing)?|on tv|on (?:the )?telly|from the stands|fans?|supporters?|cheer(?:ed|ing)"
    r"|season ticket|match tickets?|(?:live)?stream)\b",
    role=r"^\W*(?:(?:the )?user |he |she |they )?(?:is|are|works as) (?:an? |the )?(?P<role>[\w-]+)\W*$",
    possession=r"\b(?:{possesses})\b",
)
_MAX_CONTEXT_CHARS = 60
"""Characters that are read on either side of a word."""


@dataclass(frozen=True, slots=True)
class _FactSubject:
    """Whom a fact is about: the user, someone or something of the user's, or a named person."""

    is_user: bool
    people: tuple[str, ...] = ()
    """People of the user's: a sister, or a sister's teacher."""
    name: str = ""
    is_users: bool = False
    """Whether it is someone or something of the user's."""


def _fact_subject(fact: str, speaker: str, context: QuoteContext) -> _FactSubject:
    """The subject, by the first words of a fact; one that begins with a verb is about the user."""
    tokens = fact.replace("’", "'").split()
    user_names = {*words(speaker), "user", "users"}
    # "The user likes tea" is about the user, not about a thing.
    if tokens[1:] and fold(tokens[0]) == "the" and not user_names.isdisjoint(words(tokens[1])):
        tokens = tokens[1:]
    first = tokens[0].strip(",.:") if tokens else ""
    name = fold(first.removesuffix("'s"))
    is_possessive = name in lexicon.words("possessives") and (context.foreign or not kinship.person(name))  # "son"
    if is_possessive or (name in user_names and (first.endswith("'s") or name == "users")):
        return _FactSubject(False, tuple(_people(tokens[1:4])), is_users=True)
    if kinship.person(name) and not tokens[0][:1].islower() and not _is_verb(name, context.lower):
        return _FactSubject(False, tuple(_people(tokens[:3])), is_users=True)
    if name in user_names or name in lexicon.words("first_person") or name in ("he", "she", "they"):
        return _FactSubject(True)
    if _is_name(first, context):
        return _FactSubject(False, name=name)
    is_thing = name == "the" or _PATTERNS.thing.match(fact) is not None
    return _FactSubject(not is_thing, is_users=is_thing)


def _is_verb(word: str, quote: str) -> bool:
    """Whether a word for people is what the speaker does: "I mentor two juniors"."""
    return re.search(rf"\b(?:i|we) (?:\w+ )?{re.escape(word.removesuffix('s'))}\b", quote) is not None


def _people(tokens: Sequence[str]) -> Iterator[str]:
    for token in tokens:
        if person := kinship.person(token.strip(",.").removesuffix("'s")):
            yield person


def _is_name(first: str, context: QuoteContext) -> bool:
    """Whether a word has a capital inside the sentence, or is followed by a verb at the start of a clause."""
    name = re.escape(first.removesuffix("'s"))
    if first[:1].isupper() and re.search(rf"[\w,'’] @?{name}\b|^\W*{name},", context.text):
        return True
    verb = re.search(rf"(?:^|[,;.!?]\s|\band )@?{name.casefold()}(?:'s)? (?P<form>[\w']+)", context.lower)
    return verb is not None and _PATTERNS.person_form.fullmatch(verb["form"]) is not None


def refuse(case: Case) -> Reason | None:
    return Reason.SOMEBODY_ELSE if _differs(case) else None


def _differs(case: Case) -> bool:
    """Whether a fact is about somebody else than its quote."""
    fact, context, verbs = case.fact, case.context, entailments(case) or []
    subject = _fact_subject(fact, case.speaker, context)
    if subject.is_users:
        is_theirs = _has(subject.people, context.lower) if subject.people else _PATTERNS.i.search(context.lower)
        if not (is_theirs or _is_known_by_name(case)):
            return True
    if context.foreign:
        about_other = any(map(_is_foreign_other, context.clauses[:1]))
        is_request = _PATTERNS.asks_you.search(context.lower) and _PATTERNS.wishes.search(case.lower_fact)
        is_mine = any(map(_PATTERNS.foreign_mine.match, context.clauses[:1]))
        is_of_user = subject.is_user or (bool(subject.name) and not is_mine)  # a place may come first, as in Turkish
        return is_of_user and about_other and not (is_request or _names_possession(fact, context.lower))
    if subject.is_user and (
        _is_of_institution(fact, case.clauses) or _is_of_team(fact, case) or _is_role_of_another(case)
    ):
        return True
    if subject.is_user and (_is_of_another(fact, context.lower) or not (verbs or _keeps_verb(fact, case.clauses))):
        return True
    actors = [actor for actor in _actors(case, verbs) if actor is not None]
    if not actors:
        return bool(subject.name) and _is_only_addressed(subject.name, context.lower)
    return all(_is_another(actor, subject, fact, context) for actor in actors)


def _keeps_verb(fact: str, clauses: Sequence[str]) -> bool:
    """Whether the fact keeps the speaker's own verb, unless that is a light one: who reads vegan blogs is not vegan."""
    return _PATTERNS.denied.search(fact.lower()) is not None or not all(
        _is_dropped(part, fact) for part in parts(clauses)
    )


def _is_dropped(clause: str, fact: str) -> bool:
    """Whether the fact lacks the speaker's verb in this clause."""
    match = _PATTERNS.own_verb.search(clause) or _PATTERNS.verb_first.match(clause)
    if match is None or match["verb"] in lexicon.words("light_verbs") or word_forms.is_function_word(match["verb"]):
        return False
    verb = words(match["verb"])
    if not verb or _PATTERNS.denied.search(clause):
        return False
    return not any(word_forms.is_stated(word, verb) for word in words(fact))


def _actors(case: Case, verbs: Sequence[Entailment]) -> Iterator[str | None]:
    capitals = {fold(word) for word in re.findall(r"\b[A-Z][\w'-]+|<@!?\d+>", case.context.text)}
    if verbs:
        yield actor_of(verbs[0].clause, verbs[0].position, capitals, uses=verbs[0].family == "use")
        return
    content = word_forms.content_words(case.fact)
    for clause in case.clauses:
        yield actor_of(clause, _first_stated(clause, content), capitals)


def _first_stated(clause: str, content: Sequence[str]) -> int:
    """Position of the first word of a clause that the fact's content words include."""
    for token in TOKEN.finditer(clause):
        first = next(iter(words(token[0])), None)
        if first is None or token[0] in lexicon.words("first_person") or first in kinship.people():
            continue
        if word_forms.is_stated(first, content):
            return token.start()
    return 0


def _is_another(actor: str, subject: _FactSubject, fact: str, context: QuoteContext) -> bool:
    if actor == "i":
        return bool(subject.name) and _is_only_addressed(subject.name, context.lower)
    if word_forms.is_stated(fold(actor), set(words(fact))) or fold(actor) in words(fact):
        return False
    if not subject.is_user:
        return False
    return not (
        actor in ("you", "u", "people", "everyone", "nobody", "anyone") and _PATTERNS.requested.search(fact.lower())
    )


def _is_of_another(fact: str, quote: str) -> bool:
    """Whether the fact's object belongs to somebody else: "your trip", "his thesis"."""
    content, lower_fact = word_forms.content_words(fact), fact.lower()
    return any(
        f"{match['whose']} {match['thing']}" not in lower_fact
        and word_forms.has_form(match["thing"], content)
        and not re.search(rf"\b(?:my|our) (?:\w+ )?{re.escape(match['thing'])}\b", quote)
        for match in _PATTERNS.anothers.finditer(quote)
    )


def _is_of_institution(fact: str, clauses: Sequence[str]) -> bool:
    """Whether "we" are a company or a school, and the fact doesn't say so: "we have a pool at the office"."""
    content = words(fact)
    institutions = [match["where"] or match["name"] for clause in clauses for match in _PATTERNS.we_at.finditer(clause)]
    return bool(institutions) and not any(word_forms.has_form(where, content) for where in institutions)


def _is_of_team(fact: str, case: Case) -> bool:
    """Whether the speaker only watched what "we" won, or speaks of most of a group, and the fact is about the user."""
    if case.clauses and all(map(_PATTERNS.of_group.match, case.clauses)):
        return True
    won = _PATTERNS.we_won.search(case.context.lower)
    return (
        won is not None
        and _PATTERNS.spectator.search(case.context.lower) is not None
        and words(fact)[:1] == [won["did"]]
    )


def _is_role_of_another(case: Case) -> bool:
    """Whether the fact gives the user the role of somebody else: "my therapist thinks …"."""
    claimed, quote = _PATTERNS.role.match(case.lower_fact), case.context.lower
    if claimed is None:
        return False
    role = re.escape(claimed["role"])
    is_anothers = re.search(rf"\b(?:my|our|your|his|her|their) (?:\w+ )?{role}s?\b", quote)
    return is_anothers is not None and not re.search(rf"\b(?:i'?m|i am|as|be|been|become|became|was) .*{role}", quote)


def _is_only_addressed(name: str, quote: str) -> bool:
    """Whether a name only addresses somebody, as in "sorry Ayo": it has no verb, nor is it explained."""
    folded, name_pattern = fold(quote), re.escape(name)
    for match in re.finditer(rf"\b{name_pattern}\b", folded):
        after = folded[match.end() : match.end() + _MAX_CONTEXT_CHARS]
        verb = re.match(r"(?:'s|,? who|,? (?:and|or)) |(?:,[^,]*,)? (?P<form>[\w']+)", after)
        if verb and (verb["form"] is None or _PATTERNS.person_form.fullmatch(verb["form"])):
            return False
        before = words(folded[max(0, match.start() - _MAX_CONTEXT_CHARS) : match.start()])[-1:]
        if before and (before[0] in ("named", "called", "is", "name", "are", "and") or kinship.person(before[0])):
            return False
    return re.search(rf"\b{name_pattern}\b", folded) is not None


def _has(people: Sequence[str], quote: str) -> bool:
    """Whether the quote mentions these people as the speaker's own, not as somebody else's."""
    if len(people) > 1:
        return set(people) <= kinship.mentioned(quote)
    is_mentioned = False
    for word in re.finditer(r"[^\W_][\w-]*", quote):
        if kinship.person(word[0]) == people[0]:
            is_mentioned = True
            if _is_own(quote, word):
                return True
    return not is_mentioned and people[0] in kinship.mentioned(quote)


def _is_known_by_name(case: Case) -> bool:
    """Whether the quote names who the revised memo is about: "Maya is 4 now", of "their daughter Maya is 3"."""
    relative = re.match(r"Their \w+ ", case.revised)  # "she just turned 12", of "their daughter is 11 years old"
    if (
        relative
        and case.fact.startswith(relative[0])
        and re.match(r"(?i)\W*(?:s?he)\b(?:'s| is| just)* (?:turn\w+|now) \d", case.own_text)
    ):
        return True
    opening = re.match(r"(?P<who>(?:[\w'’-]+ ){1,2}(?P<name>[A-Z][\w'-]*)) ", case.revised)
    return (
        opening is not None and case.fact.startswith(opening["who"]) and fold(opening["name"]) in words(case.own_text)
    )


def _is_own(quote: str, word: re.Match[str]) -> bool:
    before = quote[max(0, word.start() - _MAX_CONTEXT_CHARS) : word.start()]
    after = quote[word.end() : word.end() + _MAX_CONTEXT_CHARS]
    possessed = re.match(r"'s? ([\w-]+)(?: ([\w-]+))?", after)
    if possessed and any(kinship.person(other) for other in possessed.groups() if other):
        return False
    near = " ".join(re.findall(r"[\w']+", before)[-4:])
    if re.search(r"(?:\w+'s|\b(?:your|his|her|their)) (?:\w+ )?$", near + " "):
        return False
    is_opening = _PATTERNS.opening.search(quote[: word.start()]) is not None and kinship.opens(word[0])
    return is_opening or kinship.is_bare(word[0]) or _PATTERNS.mine_or_had.search(near) is not None


def _is_foreign_other(clause: str) -> bool:
    """Whether a clause that is not in English begins with somebody else."""
    if _PATTERNS.unspaced_other.match(clause):
        return True
    mine = _PATTERNS.foreign_mine.match(clause)
    if mine:
        return not _PATTERNS.own_thing.search(mine["who"]) or kinship.person(mine["who"]) is not None
    first = TOKEN.match(clause)
    return first is not None and first[0] in lexicon.words("other_persons")


def _names_possession(fact: str, quote: str) -> bool:
    """Whether a fact is about what the speaker has: "my dog" may become "Has a dog"."""
    mine = _PATTERNS.foreign_mine.match(quote)
    if _PATTERNS.unspaced_other.match(quote) or (mine and kinship.person(mine["who"])):
        return bool(kinship.mentioned(fact) & kinship.mentioned(quote))
    return _PATTERNS.possession.search(fact.lower()) is not None
