"""Whether a fact keeps its quote's polarity: "I used to live there" is not "Lives there", nor is "I'd hate to".

Looks only at the part of the quote from which the fact was derived: "I drink coffee without sugar" does support "Drinks
coffee".
"""

import re

from recollect.core.text import words
from recollect.language import word_forms
from recollect.policy.guard.clauses import QuoteContext, lower, source_clauses

_IDIOMS = re.compile(
    r"\b(?:never (?:miss|fail|forget)\w*|(?:can't|cannot|can not) (?:wait|stop|get enough|help|live without|imagine)"
    r"|couldn't (?:be|live without)|not (?:only|just|to mention)|no (?:doubt|problem|worries|idea|matter|wonder)"
    r"|why not|whether or not|nothing (?:but|better|beats)|don't (?:worry|forget|get me wrong)|don't you"
    r"|no less than|am used to|'m used to|get used to|got used to|if (?:you ask me|i'm honest|that matters)"
    r"|(?:no|without) (?:\w+ ){1,3}?and|(?:\w+n't|never|not) (?:\w+ ){0,3}?any\w+ but)\b"
)
"""Idioms that contain the words below without their meaning; and "no car and" does not negate what follows."""
_NOT = re.compile(
    r"\b(?:anything but|everything but|all but|far from|the opposite of|except|apart from|other than|aside from"
    r"|yet to|i'm out of|am out of|barely|scarcely|not|never|no longer|no|nobody|none|cannot|without|hardly|neither"
    r"|stop|stops|stopped"
    r"|quit|gave up|nicht"
    r"|kein\w*|nie|niemals|pas|jamais|nunca|não|не|никогда|нет|(?:don|doesn|didn|won|can|isn|aren|wasn|wouldn|haven"
    r"|hasn|ain|shouldn|couldn)t)\b|n't\b|[不没沒未]|ない|ません|않|없"
)
_NOT_FOREIGN = re.compile(
    r"\b(?:nicht|kein\w*|nie|niemals|nichts|pas|jamais|nunca|não|non|niet|geen|inte|не|никогда|нет|ya no)\b"
    r"|(?:^|\b(?:yo|ya|pero|que|todavía|aún)\s)no\b|[不没沒未]|ない|ません|않|없"
)
_NEGATIVE = re.compile(
    _NOT.pattern
    + r"|\b(?:dislik\w+|hat(?:e|es|ed)|avoid\w*|lack\w*|former\w*|ex|un\w+|intoleran\w+|incapable|refus\w+|used to"
    r"|allerg\w+|vegan|vegetarian|teetotal\w*|sober|free|less|opposed|against|stands?|left|past|ended)\b"
)
"""What may express in a fact a "not" of the quote."""
_ENDING = re.compile(
    _NEGATIVE.pattern
    + r"|\b(?:moved?|moving|sold|died|dead|lost|losing|switch\w*|end|ends|finish\w*|giv\w+ up|divorc\w+|broke|broken"
    r"|cancel\w*|fired|laid|drop\w*|replac\w+|retir\w+|resign\w*|chang\w+|over|done|gone|fail\w*|rare\w*|seldom|only"
    r"|zero|bad|ban\w*|forbid\w*|worst|awful|terrible|annoy\w*|skip\w*|any ?more|instead|rather|gross|disgust\w*|hard"
    r"|difficult|struggl\w+|rid|except|few|little|miss\w*|leav\w+|out|off|cold|too|worse|suck\w*|kill\w*)\b"
)
"""What may express in a quote a "not" of the fact."""
_ADDED = re.compile(r"(?:and |but )?(?:not|never|no) (?P<what>(?:[\w'-]+ ){0,3}[\w'-]+)\W*$")
_FACT_NOT = re.compile(r"\b(?:not|never|no longer|cannot|(?:don|doesn|didn|can|isn|aren)t)\b|n't\b")

_PAST = re.compile(
    r"\bused to\b|\bno longer\b|\bformerly\b|\bpreviously\b|\bfrüher\b|\bback in the days?\b|\bnot any ?more\b"
)
_STATES_PAST = re.compile(
    r"\b(?:used to|former\w*|previous\w*|past|once|was|were|had|did|been|ex|early|earlier|früher|left|\w{2,}ed|went"
    r"|grew|quit|ago|before|back)\b|" + _NOT.pattern
)
_HYPOTHESIS = re.compile(
    r"\b(?:if|would|wouldn't(?! say)|wish|might|imagine|suppose|unless|maybe|perhaps|hypothetically|falls|vielleicht"
    r"|peut-être"
    r"|quizás|talvez|could|i may|i'd|we'd|(?:want|wants|wanna|hope|hoping|plan|planning|dream|dreaming|thinking"
    r"|considering|afraid|tempted) (?:to|of|about)|in case|i'll|we'll|gonna"
    r"|probably|possibly|guess|suspects?"
    r"|whether|promised|sav(?:e|ing) (?:up )?for|(?:try|trying|tried) to"
    r"|looking (?:at|for|into)|(?:almost|nearly) (?:bought|got|went|had|took|\w+ed)|about to|supposed to|hopefully"
    r"|someday"
    r"|(?:was|were) going to|thought about|(?:plan|goal|aim|dream|hope|idea|wish) (?:is|was) to|close to|wären?"
    r"|hätten?|könnten?|serais|aurais|fuera|tuviera|sería"
    r"|tendría|seria|teria|sarei|avrei|бы|würden?|möchten?|hätten? gern\w*|voudrais|aimerais|veux|quiero|quisiera"
    r"|gustaría|quero|gostaria|vorrei|voglio|хочу|хотел\w*)\b|たい|欲し|ほし|もし|想(?=[要买去学])"
)
_IF = re.compile(
    r"\W*(?:(?:and|but|so) )?(?:if|once|unless|assuming|provided|as soon as)(?: that)? (?:i|we|my|our|all|they|he"
    r"|she|everything)\b"
    r"(?!'m (?:honest|not mistaken)| (?:remember|recall|may|am honest))"
)
_STATES_HYPOTHESIS = re.compile(
    r"\b(?:if|when\w*|would|could|might|may|maybe|perhaps|want\w*|wish\w*|hop(?:e|es|ing)|plan\w*|dream\w*|think\w*"
    r"|goal"
    r"|consider\w*|interest\w*|intend\w*|rather|prefer\w*|lik(?:e|es|ing)|lov(?:e|es)|enjoy\w*|dislik\w*|hat(?:e|es)"
    r"|afraid|fear\w*|look\w*|possibl\w+|tempted|unless|case|ask\w*|appreciat\w*|needs?|answer\w*|repl\w+|open|willing"
    r"|happy|curious|ready|able|can|aims?|going|hypothetical\w*|falls|vielleicht|möchte|will|call\w*|address\w*"
    r"|favou?r\w*)\b"
)
_LIKING = re.compile(
    r"\b(?:lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy\w*|ador(?:e|es|ed)|fan|favou?rite|mag|liebe|aime|adore|gusta"
    r"|gosto)\b"
)
_DISLIKING = re.compile(
    r"\b(?:hat(?:e|es|ed|ing)|dislik\w*|despis\w*|detest\w*|loath\w*|can't stand|cannot stand|hasse|déteste"
    r"|odio|odeio)\b"
)
_SIMILE = re.compile(
    r"\b(?:looks?|sounds?|feels?|seems?|just|more|is|something|things|stuff) like\b|\bunlike\b"
    r"|\blike (?:a|an|this|that)\b"
)


def differs(context: QuoteContext, fact: str) -> str | None:
    """What the fact drops or reverses of its quote; None if they agree."""
    if any(_is_ruled_out(clause, lower(fact)) for clause in context.clauses[1:]):
        return "leaves out a negation"
    reasons = [_difference(clause, context, lower(fact)) for clause in source_clauses(context, fact)]
    return None if None in reasons or not reasons else reasons[0]


def _is_ruled_out(clause: str, fact: str) -> bool:
    """Whether a fact states what a clause rules out: ", not dogs"."""
    added = _ADDED.match(clause)
    content = word_forms.content_words(added["what"]) if added else ()
    return bool(content) and all(word_forms.has_form(word, words(fact)) for word in content) and not _NOT.search(fact)


def _is_conditional(context: QuoteContext, clause: str) -> bool:
    """Whether the sentence begins with a condition for the clause."""
    condition = _IF.match(context.lower)
    return condition is not None and context.lower.find(clause) >= condition.end()


def _difference(clause: str, context: QuoteContext, fact: str) -> str | None:
    literal = _IDIOMS.sub(" ", clause)
    before = literal if context.foreign else _up_to(literal, fact)
    feelings = _feeling(literal, before), _feeling(fact, fact)
    if all(feelings):
        if feelings[0] != feelings[1]:
            return "says the opposite"
    elif _is_negated(before, literal, context.foreign) and not _negates(fact, literal):
        return "leaves out a negation"
    elif _FACT_NOT.search(fact) and not _ENDING.search(clause) and word_forms.is_comparable(clause, fact):
        return "says the opposite"
    if _PAST.search(before) and not _STATES_PAST.search(fact):
        return "is no longer so"
    hypothesis = _HYPOTHESIS.search(before)
    if hypothesis and not (
        _STATES_HYPOTHESIS.search(fact) or word_forms.has_form(words(hypothesis[0])[0], words(fact))
    ):
        return "is not meant"
    if _is_conditional(context, clause) and not _STATES_HYPOTHESIS.search(fact):
        return "is not meant"
    return None


def _up_to(clause: str, fact: str) -> str:
    """The clause up to the last word that it shares with the fact: what comes later does not reverse it."""
    fact_words = words(fact)
    shared = [
        match
        for match in re.finditer(r"[\w']+", clause)
        if any(word_forms.has_form(word, fact_words) for word in words(match[0]))
    ]
    return clause[: shared[-1].end()] if shared else clause


def _is_negated(before: str, clause: str, foreign: bool) -> bool:
    """Whether a clause has an odd number of negations; two cancel out."""
    if foreign:
        return _NOT_FOREIGN.search(clause) is not None
    last = " ".join(clause.rstrip(" .!?").split()[-2:])
    return len(_NOT.findall(before)) % 2 == 1 or (
        before != clause and re.search(r"\b(?:no longer|not|no more)$", last) is not None
    )


def _negates(fact: str, clause: str) -> bool:
    """Whether a fact expresses a "not" in some way, other than by a word of the clause itself."""
    clause_words = words(clause)
    return any(_NOT.fullmatch(word[0]) or word[0] not in clause_words for word in _NEGATIVE.finditer(fact))


def _feeling(clause: str, before: str) -> int:
    """1 for liking, -1 for disliking, 0 for neither or both; a negation in `before` reverses it."""
    literal = _SIMILE.sub(" ", clause)
    liking, disliking = _LIKING.search(literal), _DISLIKING.search(literal)
    if bool(liking) == bool(disliking):
        return 0
    is_reversed = len(_NOT.findall(_DISLIKING.sub(" ", before))) % 2 == 1
    return (1 if liking else -1) * (-1 if is_reversed else 1)
