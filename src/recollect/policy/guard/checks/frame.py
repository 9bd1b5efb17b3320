"""Where something stands in its sentence is part of it: in a comparison, a task for the assistant, words to the
listener, a quotation, or under a limit that the fact leaves out.
"""

import re
from collections.abc import Callable

from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.language import word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns(
    compared=r"(?<!\w)(?:{than})\s+(?P<rest>[^.!?;,]+)",
    preferred=r"\bprefers? (?P<more>[\w-]+) (?:to|over|than) (?P<less>[\w-]+)",
    less_than=r"(?P<less>[\w-]+) (?:a (?:lot|bit) |much )?(?:less|worse) than (?P<more>[\w-]+)",
    than_me=r"\bthan (?:me|i am|i do|i)\b",
    than_other=r"\bthan (?!me\b|i\b|the user\b|user\b|them\b|her\b|him\b)",
    opens_task=r"^\W*(?:(?:please|pls|hey|okay|ok|now|also|and|then|(?:can|could|would|will) you)[ ,]+)*(?:{task})\b",
    cheers=r"^\W*(?:{congratulation})",
    whatever=r"^\W*(?:so |and |hey )?(?:how|what|when|where|why|who)(?:'s| was| is| are| were| did| do| does) your?\b",
    you=r"\b(?:you|your|yours|u|ur)\b",
    me=r"\b(?:i|i'm|im|i've|ive|i'd|i'll|me|my|mine|myself|we|we're|we've|us|our|ours)\b",
    spoken=r"[\"“„«‚](?P<inside>[^\"”“»‘]{3,})[\"”“»‘]",
    spoken_singly=r"(?<!\w)['‘‹](?P<inside>(?:[^'’›\n]|['’](?=\w)){3,300})['’›](?!\w)|[「『](?P<bracketed>[^」』\n]{3,200})[」』]",
    said_by=r"^[*\"'”’_]{0,3},? ?(?:(?:says|said|reads|claims|wrote|goes|meinte|sagte?|dit|dijo|disse)"
    r" (?!i\b|ich\b)\w|と言)",
    when=r"\bonly\b.*\b(?:when|if|while)\b"
    r"|\bonly (?!got\b|have\b|started\b|just\b)\w+ (?:at|on|during|after) ",
    complement=r"\b(?P<state>sick|tired|dead|blind|deaf|hungry|thirsty|starving|drunk|high|mad|crazy|hooked|nuts)"
    r"(?: and tired)? (?:of|to|for|on|about) ",
    inside=r"(?P<thing>[^\W\d_][\w-]+) (?:in|up|dans|im|en|na|no) (?:{my}|the|la|le|el|a|o)? ?"
    r"(?:throat|stomach|belly|closet|pants|bonnet|sleeve|gorge|ventre|bauch|hals|magen|garganta|barriga)\b",
    those_who=r"(?<!i'm )(?<!i am )(?<!one of )(?<!one of those )"
    r"\b(?:people|persons?|folks?|anyone|anybody|everyone|everybody|someone|somebody|those|guys?|men|women|kids|friends"
    r"|neighbou?rs|colleagues) (?:who|that) (?P<rest>[^.!?;,]+)",
    been=r"\bha(?:s|ve) been (?:to|in)\b|\b(?:went|travell?ed|flew) to\b|\bvisited\b",
    was_there=r"\b(?:been|went|visited|travell?ed|flew|was|were|back|returned|came|spent|stayed|lived|last|ago|saw|toured)\b",
)


def refuse(case: Case) -> Reason | None:
    return next((reason for check in _CHECKS if (reason := check(case)) is not None), None)


def _comparison(case: Case) -> Reason | None:
    """ "I'd rather have tea than coffee" is not about coffee alone, nor "I eat like a bird" about birds."""
    quote, fact = case.context.lower, case.lower_fact
    claimed, said = _PATTERNS.preferred.search(fact), _PATTERNS.less_than.search(quote)
    if claimed and said and word_forms.is_form(claimed["more"], said["less"]):
        return Reason.OPPOSITE
    if _PATTERNS.than_me.search(quote) and _PATTERNS.than_other.search(fact):
        return Reason.OPPOSITE
    if _PATTERNS.states_comparison.search(fact):
        return None
    content = word_forms.content_words(fact)
    for match in _PATTERNS.compared.finditer(quote):
        before, rest = words(quote[: match.start()]), words(match["rest"])
        if any(word_forms.has_form(word, rest) and not word_forms.has_form(word, before) for word in content):
            return Reason.SAYS_MORE
    return None


def _task(case: Case) -> Reason | None:
    """What the assistant is to write, or to remind of, is not so: "write a poem as if I were a sailor"."""
    if _PATTERNS.requested.search(case.lower_fact) or not case.clauses:
        return None
    return Reason.NOT_MEANT if all(_PATTERNS.opens_task.match(clause) for clause in case.clauses) else None


def _listener(case: Case) -> Reason | None:
    """ "Congrats on your job at Bosch" is about the listener."""
    quote = case.context.lower
    if case.about or _PATTERNS.requested.search(case.lower_fact):
        return None
    if _PATTERNS.cheers.match(quote) or _PATTERNS.whatever.match(quote):
        return None if _PATTERNS.me.search(quote) else Reason.SOMEBODY_ELSE
    is_to_you = not case.context.foreign and _PATTERNS.you.search(quote) and not _PATTERNS.me.search(quote)
    return Reason.SOMEBODY_ELSE if is_to_you and not _PATTERNS.you.search(case.lower_fact) else None


def _quotation(case: Case) -> Reason | None:
    """Someone's sentence between quotation marks, as in a text to translate, is not the speaker's own."""
    quote, content = case.context.lower, word_forms.content_words(case.lower_fact)
    if _PATTERNS.said_by.match(quote[case.context.end :]):
        return Reason.NOT_OWN_WORDS
    for match in (*_PATTERNS.spoken.finditer(quote), *_PATTERNS.spoken_singly.finditer(quote)):
        quotation = next(filter(None, match.groups()))
        inside, outside = words(quotation), words(quote.replace(match[0], " "))
        is_inside = bool(content) and all(word_forms.has_form(word, inside) for word in content)
        if is_inside and _PATTERNS.me.search(quotation) and not any(word in outside for word in content):
            return Reason.NOT_OWN_WORDS
    return None


def _limit(case: Case) -> Reason | None:
    """ "I rarely cook" is not "Cooks", and what is done only when it snows is not simply done."""
    if not case.clauses:
        return None
    fact = case.lower_fact
    if all(_PATTERNS.rarely.search(clause) for clause in case.clauses) and not _PATTERNS.states_rarely.search(fact):
        return Reason.NEGATION_DROPPED
    is_limited = _PATTERNS.when.search(case.context.lower) and not _PATTERNS.states_condition.search(fact)
    return Reason.SAYS_MORE if is_limited and "only" not in fact else None


def _complement(case: Case) -> Reason | None:
    """ "Sick of this project" is not "Is sick", nor is a frog in the throat a frog."""
    quote, fact = case.context.lower, case.lower_fact
    for match in _PATTERNS.complement.finditer(quote):
        if re.search(rf"\b{match['state']}\W*$", fact):
            return Reason.NOT_MEANT
    for match in _PATTERNS.inside.finditer(quote):
        is_thing = word_forms.has_form(match["thing"], words(fact))
        if is_thing and not word_forms.has_form(words(match[0])[-1], words(fact)):
            return Reason.NOT_MEANT
    return None


def _those_who(case: Case) -> Reason | None:
    """ "I can't stand people who hate cats" is not "Hates cats"."""
    content = word_forms.content_words(case.lower_fact)
    for match in _PATTERNS.those_who.finditer(case.context.lower):
        rest, outside = words(match["rest"]), words(case.context.lower.replace(match[0], " "))
        is_theirs = bool(content) and all(word_forms.has_form(word, rest) for word in content)
        if is_theirs and not any(word_forms.has_form(word, outside) for word in content):
            return Reason.SOMEBODY_ELSE
    return None


def _experience(case: Case) -> Reason | None:
    """A trip that is planned was not made, and what will be bought is not owned."""
    if not case.context.foreign:
        is_past = _PATTERNS.been.search(case.lower_fact) and not _PATTERNS.was_there.search(case.context.lower)
        return Reason.SAYS_MORE if is_past and not _PATTERNS.denied.search(case.lower_fact) else None
    is_planned = bool(case.clauses) and all(_PATTERNS.intention.search(clause) for clause in case.clauses)
    return Reason.SAYS_MORE if is_planned and not _PATTERNS.states_intention.search(case.lower_fact) else None


_CHECKS: tuple[Callable[[Case], Reason | None], ...] = (
    _comparison,
    _task,
    _listener,
    _quotation,
    _limit,
    _complement,
    _those_who,
    _experience,
)
