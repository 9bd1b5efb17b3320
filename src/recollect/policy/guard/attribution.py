"""Whether a fact and its quote are about the same person.

"I'm afraid of dogs, sorry Ayo" is not about Ayo, "someone who works at CERN" is not about the speaker, and what the
daughter's teacher plays is not played by the daughter.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.core.text import fold, words
from recollect.language import kinship, word_forms
from recollect.policy.guard.actors import FIRST, OTHERS, PERSON_FORM, TOKEN, actor_of
from recollect.policy.guard.clauses import QuoteContext
from recollect.policy.guard.entailment import DENIED, Entailment, parts

_FOREIGN_MINE = re.compile(
    r"^\W*(?:und |et |y |e )?(?:il |la |o |a )?(?:mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|meus?|minhas?|mi[oa]"
    r"|мо[йяи]|наш\w?) "
    r"(?P<who>[\w-]+)"
)
_SELF = re.compile(
    r"name|geburtstag|beruf|job|hobb|liebling|arbeit|heimat|alter|nom|prénom|anniversaire|travail|métier|nombre"
    r"|cumplea|trabajo|apellido|nome|anivers|trabalho|lavoro|compleanno|имя|работа|день|date|ville|ciudad|cidade"
)
_UNSPACED_OTHER = re.compile(
    rf"^(?:私の|僕の|俺の|我的?)?(?:{'|'.join(sorted(kinship.UNSPACED, key=len, reverse=True))}"
    r"|彼|彼女|他|她|あなた|みんな)(?:は|が|も|の|是|在|有|会|喜)"
)
_ANOTHERS = re.compile(
    r"\b(?P<whose>your|ur|his|her|their|(?!(?:it|that|he|she|what|there|here|let|who|where|how|name|today|one"
    r"|everyone)'s)[a-z]+'s)"
    r"(?: own| new| old)? (?P<thing>[a-z]{3,})"
)
_THING = re.compile(
    r"(?!(?:is|are|was|has|had|does|did|will|can)\b)(?:[\w'’-]+ ){1,4}?(?:is|are|was|were)\b", re.IGNORECASE
)
"""The beginning of a fact about something of the user's: "Favorite food is"."""
_OWN_VERB = re.compile(
    r"\b(?:i|we)(?:'ve|'d|'ll)? (?:(?:have|had|will|can|could|might|may|would|should|must|do|did|also|just|really"
    r"|still|already|only|now|recently|finally|actually"
    r"|usually|often|sometimes|mostly|always|even|once|both|never|don't|didn't|can't|to|\w+ly) )*(?P<verb>[a-z][\w'-]+)"
)
_VERB_FIRST = re.compile(r"\W*(?:(?:and|so|just|currently|still|been|now|also) )*(?P<verb>[a-z]{2,}(?:ing|ed))\b")
_LIGHT = frozenset(
    """
    am was were are be been have has had got get gets feel felt become became turned turn identify work do did go went
    keep kept need want like love hate prefer think guess know mean swear admit happen consider
    call count grew live lived use used study studied doing going getting having being working
    thinking considering planning
    """.split()
)
_POSSESSIVES = frozenset("her his their my our mein meine".split())
_REQUESTED = re.compile(r"\b(?:prefers?|wants?|likes?|would|asks?|needs?|called|goes by|name|addressed|appreciates)\b")
_I = re.compile(
    r"\b(?:i|i'm|im|i've|me|my|mine|we|we're|our|us|ich|mich|mir|mein\w*|wir|uns\w*|je|j'\w+|mon|ma|mes|nous|notre"
    r"|yo|mis?"
    r"|nuestr\w+|eu|meus?|minhas?|io|mi[oa]|я|меня|мне|мо[йяи]|мы|наш\w*)\b|[我私僕俺うち]|自分|^\W*(?!your|his|her|their)\w"
)
_MAX_CONTEXT_CHARS = 60
"""Characters that are read on either side of a word."""
_MINE = r"(?:my|our|mein\w*|unser\w*|mon|ma|mes|mis?|meus?|minhas?|mi[oa]|мо[йяи])"
_HAVE = r"(?:have|has|got|had|'ve|with|and|\d+|a|an|two|three|four|five)"


@dataclass(frozen=True, slots=True)
class FactSubject:
    """Whom a fact is about: the user, someone or something of the user's, or a named person."""

    is_user: bool
    people: tuple[str, ...] = ()
    """People of the user's: a sister, or a sister's teacher."""
    name: str = ""
    is_users: bool = False
    """Whether it is someone or something of the user's."""


def fact_subject(fact: str, speaker: str, context: QuoteContext) -> FactSubject:
    """The subject, by the first words of a fact; one that begins with a verb is about the user."""
    tokens = fact.replace("’", "'").split()
    user_names = {*words(speaker), "user", "users"}
    if tokens[1:] and fold(tokens[0]) == "the" and not user_names.isdisjoint(words(tokens[1])):
        tokens = tokens[1:]
    first = tokens[0].strip(",.:") if tokens else ""
    name = fold(first.removesuffix("'s"))
    if name in _POSSESSIVES or (name in user_names and (first.endswith("'s") or name == "users")):
        return FactSubject(False, tuple(_people(tokens[1:4])), is_users=True)
    if name in user_names or name in FIRST or name in ("he", "she", "they"):
        return FactSubject(True)
    if _is_name(first, context):
        return FactSubject(False, name=name)
    is_thing = name == "the" or _THING.match(fact) is not None
    return FactSubject(not is_thing, is_users=is_thing)


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
    return verb is not None and PERSON_FORM.fullmatch(verb["form"]) is not None


def differs(
    fact: str, speaker: str, context: QuoteContext, clauses: Sequence[str], verbs: Sequence[Entailment]
) -> bool:
    """Whether a fact is about somebody else than its quote."""
    subject = fact_subject(fact, speaker, context)
    if subject.is_users and not (_has(subject.people, context.lower) if subject.people else _I.search(context.lower)):
        return True
    if context.foreign:
        about_other = any(map(_is_foreign_other, context.clauses[:1]))
        return subject.is_user and about_other and not _names_possession(fact, context.lower)
    if subject.is_user and (_is_of_another(fact, context.lower) or not (verbs or _keeps_verb(fact, clauses))):
        return True
    actors = [actor for actor in _actors(fact, context, clauses, verbs) if actor is not None]
    if not actors:
        return bool(subject.name) and _is_only_addressed(subject.name, context.lower)
    return all(_is_another(actor, subject, fact, context) for actor in actors)


def _keeps_verb(fact: str, clauses: Sequence[str]) -> bool:
    """Whether the fact keeps the speaker's own verb, unless that is a light one: who reads vegan blogs is not vegan."""
    return DENIED.search(fact.lower()) is not None or not all(_is_dropped(part, fact) for part in parts(clauses))


def _is_dropped(clause: str, fact: str) -> bool:
    """Whether the fact lacks the speaker's verb in this clause."""
    match = _OWN_VERB.search(clause) or _VERB_FIRST.match(clause)
    if match is None or match["verb"] in _LIGHT or word_forms.is_function_word(match["verb"]):
        return False
    verb = words(match["verb"])
    if not verb or DENIED.search(clause):
        return False
    return not any(word_forms.is_stated(word, verb) for word in words(fact))


def _actors(
    fact: str, context: QuoteContext, clauses: Sequence[str], verbs: Sequence[Entailment]
) -> Iterator[str | None]:
    capitals = {fold(word) for word in re.findall(r"\b[A-Z][\w'-]+|<@!?\d+>", context.text)}
    if verbs:
        yield from (actor_of(verb.clause, verb.position, capitals, uses=verb.family == "use") for verb in verbs[:1])
        return
    content = word_forms.content_words(fact)
    for clause in clauses:
        yield actor_of(clause, _first_stated(clause, content), capitals)


def _first_stated(clause: str, content: Sequence[str]) -> int:
    """Position of the first word of a clause that the fact's content words include."""
    for token in TOKEN.finditer(clause):
        first = next(iter(words(token[0])), None)
        if first is None or token[0] in FIRST or first in kinship.PEOPLE:
            continue
        if word_forms.is_stated(first, content):
            return token.start()
    return 0


def _is_another(actor: str, subject: FactSubject, fact: str, context: QuoteContext) -> bool:
    if actor == "i":
        return bool(subject.name) and _is_only_addressed(subject.name, context.lower)
    if word_forms.is_stated(fold(actor), set(words(fact))) or fold(actor) in words(fact):
        return False
    if not subject.is_user:
        return False
    return not (actor in ("you", "u", "people", "everyone", "nobody", "anyone") and _REQUESTED.search(fact.lower()))


def _is_of_another(fact: str, quote: str) -> bool:
    """Whether the fact's object belongs to somebody else: "your trip", "his thesis"."""
    content, lower_fact = word_forms.content_words(fact), fact.lower()
    return any(
        f"{match['whose']} {match['thing']}" not in lower_fact
        and word_forms.has_form(match["thing"], content)
        and not re.search(rf"\b(?:my|our) (?:\w+ )?{re.escape(match['thing'])}\b", quote)
        for match in _ANOTHERS.finditer(quote)
    )


def _is_only_addressed(name: str, quote: str) -> bool:
    """Whether a name only addresses somebody, as in "sorry Ayo": it has no verb, nor is it explained."""
    folded, name_pattern = fold(quote), re.escape(name)
    for match in re.finditer(rf"\b{name_pattern}\b", folded):
        after = folded[match.end() : match.end() + _MAX_CONTEXT_CHARS]
        verb = re.match(r"(?:'s|,? who|,? (?:and|or)) |(?:,[^,]*,)? (?P<form>[\w']+)", after)
        if verb and (verb["form"] is None or PERSON_FORM.fullmatch(verb["form"])):
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


def _is_own(quote: str, word: re.Match[str]) -> bool:
    before = quote[max(0, word.start() - _MAX_CONTEXT_CHARS) : word.start()]
    after = quote[word.end() : word.end() + _MAX_CONTEXT_CHARS]
    possessed = re.match(r"'s? ([\w-]+)(?: ([\w-]+))?", after)
    if possessed and any(kinship.person(other) for other in possessed.groups() if other):
        return False
    near = " ".join(re.findall(r"[\w']+", before)[-4:])
    if re.search(r"(?:\w+'s|\b(?:your|his|her|their)) (?:\w+ )?$", near + " "):
        return False
    return word[0] in kinship.BARE or re.search(rf"\b(?:{_MINE}|{_HAVE})\b", near) is not None


def _is_foreign_other(clause: str) -> bool:
    """Whether a clause that is not in English begins with somebody else."""
    if _UNSPACED_OTHER.match(clause):
        return True
    mine = _FOREIGN_MINE.match(clause)
    if mine:
        return not _SELF.search(mine["who"]) or kinship.person(mine["who"]) is not None
    first = TOKEN.match(clause)
    return first is not None and first[0] in OTHERS


def _names_possession(fact: str, quote: str) -> bool:
    """Whether a fact is about what the speaker has: "my dog" may become "Has a dog"."""
    mine = _FOREIGN_MINE.match(quote)
    if _UNSPACED_OTHER.match(quote) or (mine and kinship.person(mine["who"])):
        return bool(kinship.mentioned(fact) & kinship.mentioned(quote))
    return re.search(r"\b(?:has|owns|hat|tiene|tem|favou?rite)\b", fact.lower()) is not None
