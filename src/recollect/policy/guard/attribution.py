"""Whose doing a quote tells of, and whether a fact tells it of the same one.

"I'm afraid of dogs, sorry Ayo" is not about Ayo, "someone who works at CERN" not about the speaker, and what the
teacher of one's daughter plays is not played by the daughter.
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
"""The beginning of a fact on something of the user's: "Favorite food is"."""
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
_WHOSE = frozenset("her his their my our mein meine".split())
_REQUESTED = re.compile(r"\b(?:prefers?|wants?|likes?|would|asks?|needs?|called|goes by|name|addressed|appreciates)\b")
_I = re.compile(
    r"\b(?:i|i'm|im|i've|me|my|mine|we|we're|our|us|ich|mich|mir|mein\w*|wir|uns\w*|je|j'\w+|mon|ma|mes|nous|notre"
    r"|yo|mis?"
    r"|nuestr\w+|eu|meus?|minhas?|io|mi[oa]|я|меня|мне|мо[йяи]|мы|наш\w*)\b|[我私僕俺うち]|自分|^\W*(?!your|his|her|their)\w"
)
_NEAR = 60
"""Characters that are read on either side of a word."""
_MINE = r"(?:my|our|mein\w*|unser\w*|mon|ma|mes|mis?|meus?|minhas?|mi[oa]|мо[йяи])"
_HAVE = r"(?:have|has|got|had|'ve|with|and|\d+|a|an|two|three|four|five)"


@dataclass(frozen=True, slots=True)
class Stated:
    """Whom a fact is about: the user, someone or something of the user's, or whoever it names."""

    user: bool
    people: tuple[str, ...] = ()
    """Of the user's: one's sister, or one's sister's teacher."""
    name: str = ""
    mine: bool = False
    """Whether it is someone or something of the user's."""


def stated(fact: str, speaker: str, told: QuoteContext) -> Stated:
    """Read off the first words of a fact; one that begins with a verb is about the user."""
    tokens = fact.replace("’", "'").split()
    own = {*words(speaker), "user", "users"}
    if tokens[1:] and fold(tokens[0]) == "the" and not own.isdisjoint(words(tokens[1])):
        tokens = tokens[1:]
    first = tokens[0].strip(",.:") if tokens else ""
    plain = fold(first.removesuffix("'s"))
    if plain in _WHOSE or (plain in own and (first.endswith("'s") or plain == "users")):
        return Stated(False, tuple(_people(tokens[1:4])), mine=True)
    if plain in own or plain in FIRST or plain in ("he", "she", "they"):
        return Stated(True)
    if _is_name(first, told):
        return Stated(False, name=plain)
    is_thing = plain == "the" or _THING.match(fact) is not None
    return Stated(not is_thing, mine=is_thing)


def _people(tokens: Sequence[str]) -> Iterator[str]:
    for token in tokens:
        if person := kinship.person(token.strip(",.").removesuffix("'s")):
            yield person


def _is_name(first: str, told: QuoteContext) -> bool:
    """A word with a capital inside of the sentence, or one that does something at the start of a clause."""
    plain = re.escape(first.removesuffix("'s"))
    if first[:1].isupper() and re.search(rf"[\w,'’] @?{plain}\b|^\W*{plain},", told.text):
        return True
    does = re.search(rf"(?:^|[,;.!?]\s|\band )@?{plain.casefold()}(?:'s)? (?P<form>[\w']+)", told.lower)
    return does is not None and PERSON_FORM.fullmatch(does["form"]) is not None


def differs(fact: str, speaker: str, told: QuoteContext, clauses: Sequence[str], verbs: Sequence[Entailment]) -> bool:
    """Whether a fact is told of another than its quote."""
    about = stated(fact, speaker, told)
    if about.mine and not (_has(about.people, told.lower) if about.people else _I.search(told.lower)):
        return True
    if told.foreign:
        return about.user and any(map(_is_foreign_other, told.clauses[:1])) and not _names_own(fact, told.lower)
    if about.user and (_is_of_another(fact, told.lower) or not (verbs or _keeps_verb(fact, clauses))):
        return True
    doers = [one for one in _doers(fact, told, clauses, verbs) if one is not None]
    if not doers:
        return bool(about.name) and _is_called(about.name, told.lower)
    return all(_is_another(one, about, fact, told) for one in doers)


def _keeps_verb(fact: str, clauses: Sequence[str]) -> bool:
    """Whether the speaker's own verb is still there, or was too light to matter: who reads vegan blogs is not vegan."""
    return DENIED.search(fact.lower()) is not None or not all(_is_left_out(one, fact) for one in parts(clauses))


def _is_left_out(clause: str, fact: str) -> bool:
    """Whether the verb that the speaker has in this clause has gone from the fact."""
    own = _OWN_VERB.search(clause) or _VERB_FIRST.match(clause)
    if own is None or own["verb"] in _LIGHT or word_forms.is_little(own["verb"]):
        return False
    plain = words(own["verb"])
    return bool(plain) and not DENIED.search(clause) and not any(word_forms.was_told(one, plain) for one in words(fact))


def _doers(fact: str, told: QuoteContext, clauses: Sequence[str], verbs: Sequence[Entailment]) -> Iterator[str | None]:
    capitals = {fold(word) for word in re.findall(r"\b[A-Z][\w'-]+|<@!?\d+>", told.text)}
    if verbs:
        yield from (actor_of(verb.clause, verb.at, capitals, uses=verb.family == "use") for verb in verbs[:1])
        return
    wanted = word_forms.own(fact)
    for clause in clauses:
        yield actor_of(clause, _first_told(clause, wanted), capitals)


def _first_told(clause: str, wanted: Sequence[str]) -> int:
    for token in TOKEN.finditer(clause):
        plain = words(token[0])
        if plain and token[0] not in FIRST and plain[0] not in kinship.PEOPLE and word_forms.was_told(plain[0], wanted):
            return token.start()
    return 0


def _is_another(doer: str, about: Stated, fact: str, told: QuoteContext) -> bool:
    if doer == "i":
        return bool(about.name) and _is_called(about.name, told.lower)
    if word_forms.was_told(fold(doer), set(words(fact))) or fold(doer) in words(fact):
        return False
    if not about.user:
        return False
    return not (doer in ("you", "u", "people", "everyone", "nobody", "anyone") and _REQUESTED.search(fact.lower()))


def _is_of_another(fact: str, told: str) -> bool:
    """Whether what the fact tells of belongs to another: "your trip", "his thesis"."""
    wanted, plain = word_forms.own(fact), fact.lower()
    return any(
        f"{one['whose']} {one['thing']}" not in plain
        and word_forms.has_form(one["thing"], wanted)
        and not re.search(rf"\b(?:my|our) (?:\w+ )?{re.escape(one['thing'])}\b", told)
        for one in _ANOTHERS.finditer(told)
    )


def _is_called(name: str, told: str) -> bool:
    """Whether a name only calls on somebody, as in "sorry Ayo": it does nothing, nor is it explained."""
    plain, named = fold(told), re.escape(name)
    for one in re.finditer(rf"\b{named}\b", plain):
        does = re.match(
            r"(?:'s|,? who|,? (?:and|or)) |(?:,[^,]*,)? (?P<form>[\w']+)", plain[one.end() : one.end() + _NEAR]
        )
        if does and (does["form"] is None or PERSON_FORM.fullmatch(does["form"])):
            return False
        before = words(plain[max(0, one.start() - _NEAR) : one.start()])[-1:]
        if before and (before[0] in ("named", "called", "is", "name", "are", "and") or kinship.person(before[0])):
            return False
    return re.search(rf"\b{named}\b", plain) is not None


def _has(people: Sequence[str], told: str) -> bool:
    """Whether the user's people were spoken of as the user's own, and not those of theirs or of others."""
    if len(people) > 1:
        return set(people) <= kinship.mentioned(told)
    found = False
    for one in re.finditer(r"[^\W_][\w-]*", told):
        if kinship.person(one[0]) == people[0]:
            found = True
            if _is_own(told, one):
                return True
    return not found and people[0] in kinship.mentioned(told)


def _is_own(told: str, one: re.Match[str]) -> bool:
    before, after = told[max(0, one.start() - _NEAR) : one.start()], told[one.end() : one.end() + _NEAR]
    whose = re.match(r"'s? ([\w-]+)(?: ([\w-]+))?", after)
    if whose and any(kinship.person(word) for word in whose.groups() if word):
        return False
    near = " ".join(re.findall(r"[\w']+", before)[-4:])
    if re.search(r"(?:\w+'s|\b(?:your|his|her|their)) (?:\w+ )?$", near + " "):
        return False
    return one[0] in kinship.BARE or re.search(rf"\b(?:{_MINE}|{_HAVE})\b", near) is not None


def _is_foreign_other(clause: str) -> bool:
    """Whether a clause in another language than English begins with somebody else."""
    if _UNSPACED_OTHER.match(clause):
        return True
    mine = _FOREIGN_MINE.match(clause)
    if mine:
        return not _SELF.search(mine["who"]) or kinship.person(mine["who"]) is not None
    first = TOKEN.match(clause)
    return first is not None and first[0] in OTHERS


def _names_own(fact: str, told: str) -> bool:
    """Whether a fact speaks of what one has: one's dog may be told of as "Has a dog"."""
    mine = _FOREIGN_MINE.match(told)
    if _UNSPACED_OTHER.match(told) or (mine and kinship.person(mine["who"])):
        return bool(kinship.mentioned(fact) & kinship.mentioned(told))
    return re.search(r"\b(?:has|owns|hat|tiene|tem|favou?rite)\b", fact.lower()) is not None
