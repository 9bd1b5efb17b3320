"""What the speaker says or reports about somebody else is that person's only if the fact says so."""

from functools import lru_cache

from recollect.core.reasons import Reason
from recollect.core.text import fold, words
from recollect.language import kinship, lexicon, word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case
from recollect.policy.guard.clauses import lower

_WHO = r"^\W*(?:(?:and|but|so|also)\s)?(?P<who><@!?\d+>|@?[^\W\d_][\w'’-]*(?:\s[A-Z][\w'’-]+)?)\s"
_PATTERNS = Patterns(
    relative=r"""
        ^\W*(?:(?:but|so|also|well|{and})\s)?(?:{my})\s(?:\w+\s){0,2}?(?P<who>(?:{relatives})s?)\b
        (?!\s(?:{and})\s(?:{subject}|moi)\b)""",
    report=r"""
        (?:^|[\s,;(])
        (?!(?:{subject}|who|which|that|it|and|also|just|always|never|often|as|like|then|one|people|don't|didn't|can't|to
        |would|wouldn't|used|i'd)\b)
        (?P<who>@?<?@?!?[^\W_][\w'’-]*>?)\s(?:(?:always|just|once|also|often)\s)?(?:{says})\b""",
    reference=r"\b(?:{according})\s(?!me\b)(?P<who>\w+)",
    itself=r"^\W*(?:(?:and|but|so|because|while|though) )?(?:{subject}|i'm|i've|i'd|we're)\b",
    states_of=_WHO + "(?:{does})",
    acts_of=_WHO + "(?:{acts})",
    of_user=r"users?\b(?!['’]s)",
    named=r"^[^\w<@]*(?:(?:and|but|so|also|O|A|El|La|Der|Die) )?(?P<who><@!?\d+>|@[\w.-]+|[^\W\d_][\w-]*)"
    r"(?P<own>['’]s)?(?= [^\W\d_])",
    possession=r"^\W*(?:(?:and|but|so|also|because) )?(?:my|our) (?P<owned>(?:[\w'’-]+ ){0,2}?(?P<who>[^\W\d_][\w-]+)"
    r"(?: [a-z]\w+)?) (?P<verb>is|are|was|were|has|turned|turns|weighs|lives|works|speaks|studies)\b",
    of_speaker=r"^(?:(?:the )?user )?(?P<verb>is|was|has|turned|turns|weighs|lives|works|speaks|studies)\b",
    made_other=r"\b(?:i|we) (?:\w+ )?(?:convinced|persuaded|asked|told|helped|let|made|got|forced|encouraged|advised"
    r"|taught|invited|begged|ordered|allowed|expect(?:ed)?|want(?:ed)?|watched|saw|heard) (?!to\b|myself\b)(?P<who>\w+)"
    r"(?: [a-z]\w+)?? (?:to )?(?P<verb>[a-z]+)\b",
    unspaced_relative=r"^\W*(?:我们?的?|私の|僕の|俺の|우리|내|제)? ?(?P<who>{unspaced_relatives})"
    r"(?!の?(?:頃|時)|時代|婦)",
    unspaced_itself=r"^\W*(?:私|わたし|僕|俺|自分)(?:は|も)",
)
_OWN_TRAITS = frozenset(
    "name names nickname age job profession occupation role title nationality religion pronouns birthday height weight "
    "hometown home address office employer company team school university major degree favorite favourite background "
    "passion hobby hobbies dream goal plan surname work career city country native first mother language "
    "heritage".split()
)
"""What "my …" says of the speaker, rather than of a thing or an animal."""


def refuse(case: Case) -> Reason | None:
    if case.about:
        return None
    other = other_person(case)
    if _is_of_possession(case) or _is_of_other_actor(case):
        return Reason.SOMEBODY_ELSE
    if _swaps_subject(case) or (other is not None and not _mentions(case.fact, other)):
        return Reason.SOMEBODY_ELSE
    return None


@lru_cache(maxsize=1)
def other_person(case: Case) -> str | None:
    """The word for the other person whom a quote is about, or whose words it reports; None if it is the speaker."""
    other = _about_another(case)
    return None if other is None or fold(other) in words(case.message.name) else other


def _about_another(case: Case) -> str | None:
    said = lower(case.quote.before + case.quote.words)
    report = _PATTERNS.report.search(said) or _PATTERNS.reference.search(said)
    if report and not _PATTERNS.finding.search(said):  # a diagnosis is about the speaker, although a doctor said it
        return report["who"]
    if _PATTERNS.unspaced_itself.match(case.quote.words):
        return None
    clause = case.quote.clause
    relative = _PATTERNS.relative.match(clause) or _PATTERNS.unspaced_relative.match(clause)
    other = relative["who"] if relative else _named(case) or _subject(case, "states_of")
    return None if other is None or _is_of_own_clause(case) else other


def _is_of_own_clause(case: Case) -> bool:
    """Whether the fact was derived from a clause that begins with the speaker."""
    own = _PATTERNS.itself.match
    return any(map(own, case.context.clauses)) and len(case.clauses) == 1 and own(case.clauses[0]) is not None


def _named(case: Case) -> str | None:
    """The name or mention with which a quote begins, if it is one of a person."""
    subject = _PATTERNS.named.match(case.quote.words)
    if subject is None:
        return None
    who = subject["who"]
    if who[0] in "<@":
        return who
    return who if who[0].isupper() and fold(who) in lexicon.words("given_names") else None


def _subject(case: Case, pattern: str) -> str | None:
    """The word with which a quote or its sentence begins, if it has a verb and the speaker does not appear."""
    matcher = getattr(_PATTERNS, pattern)
    subject = matcher.match(case.quote.words) or matcher.match(case.quote.sentence)
    if subject is None or fold(subject["who"]) in lexicon.words("no_people"):
        return None
    return None if _PATTERNS.first_person.search(lower(case.quote.sentence)) else subject["who"]


def _swaps_subject(case: Case) -> bool:
    """Whether the fact puts the user in place of the quote's subject: "Bob uses vim" is not "User uses vim"."""
    subject = _subject(case, "acts_of")
    is_of_user = _PATTERNS.of_user.match(case.lower_fact) is not None
    return subject is not None and is_of_user and not _mentions(case.fact, subject)


def _is_of_possession(case: Case) -> bool:
    """Whether a fact says of the speaker what was said of something of theirs: "My cat is 7" is not "Is 7"."""
    claim = _PATTERNS.of_speaker.match(case.lower_fact)
    if claim is None or not case.clauses:
        return False
    owned = [_PATTERNS.possession.match(clause) for clause in case.clauses]
    return all(
        match
        and (match["verb"] == claim["verb"] or {match["verb"], claim["verb"]} <= {"is", "are", "was", "were"})
        and match["who"] not in _OWN_TRAITS
        and not any(_mentions(case.fact, word) for word in words(match["owned"]))
        for match in owned
    )


def _is_of_other_actor(case: Case) -> bool:
    """Whether a fact says of the speaker what they had somebody else do: "I convinced Bob to move" is not "Moved"."""
    verb = next((word for word in words(case.fact) if word not in ("user", "the")), "")
    for clause in case.clauses:
        made = _PATTERNS.made_other.search(clause)
        if made and word_forms.is_form(made["verb"], verb) and not _mentions(case.fact, made["who"]):
            return True
    return False


def _mentions(fact: str, person: str) -> bool:
    """Whether a fact mentions a person, by the same word or one for the same relative."""
    fact_words = words(fact)
    return any(
        word in fact_words or any(kinship.is_same_person(word, other) for other in fact_words) for word in words(person)
    )
