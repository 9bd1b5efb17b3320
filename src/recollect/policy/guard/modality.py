"""How a quote is meant: about the speaker or somebody else, as a joke, a hypothesis or a question."""

import re

from recollect.core.text import fold, words
from recollect.language import kinship
from recollect.policy.guard.quote import QuoteMatch

_RELATIVES = (
    r"wife|husband|spouse|partner|girlfriend|boyfriend|gf|bf|fianc[eé]e?|ex|son|daughter|kid|kids|child|children"
    r"|mother|father|mom|mum|dad"
    r"|sister|brother|sibling|siblings|parents?|grand\w+|aunt|uncle|cousin|nephew|niece|boss|manager|friends?"
    r"|colleagues?|coworkers?"
    r"|neighbou?rs?|roommate|flatmate|teacher|student|client|team ?mate|doctor|family"
    r"|frau|mann|freundin|freund|sohn|tochter|mutter|vater|schwester|bruder|chef|kollege|kollegin|eltern|oma|opa"
    r"|femme|mari|copine|copain|fils|fille|mère|père|sœur|soeur|frère|ami|amie"
    r"|esposa|marido|novia|novio|hijo|hija|madre|padre|hermana|hermano|jefe|amigo|amiga|namorada|namorado|filho"
    r"|filha|mãe|pai|irmã|irmão"
    r"|жена|муж|сын|дочь|мама|папа|сестра|брат|друг|подруга|начальник"
)
_MY = r"(?:my|our|mein|meine|unser|unsere|mon|ma|mes|mi|mis|meu|minha|мой|моя|мои)"
_RELATIVE = re.compile(
    rf"^\W*(?:(?:and|but|so|also|well|und|y|et|e|и)\s)?{_MY}\s(?:\w+\s){{0,2}}?(?P<who>{_RELATIVES})\b(?!\s(?:and"
    rf"|und|et|y|e|и)\s(?:i|ich|je|moi|yo|eu|я)\b)"
)
_SAYS = (
    r"(?:says?|said|told\s\w+|tells\s\w+|thinks?|thought|claims?|claimed|mentioned|mentions|reckons|believes?|wrote"
    r"|writes|asked|insists"
    r"|sagt|sagte|meint|meinte|hat\sgesagt|behauptet|dit|disait|pense|dice|dijo|piensa|diz|disse|acha|говорит|сказал"
    r"|сказала|думает|считает)"
)
_NOBODY_ELSE = (
    r"(?!(?:i|we|who|which|that|ich|wir|je|yo|eu|я|мы|it|and|also|just|always|never|often|as|like|then|one|people"
    r"|don't|didn't|can't|to|would|wouldn't|used|i'd)\b)"
)
_REPORT = re.compile(
    rf"(?:^|[\s,;(]){_NOBODY_ELSE}(?P<who>@?<?@?!?[^\W_][\w'’-]*>?)\s(?:always\s|just\s|once\s|also\s"
    rf"|often\s)?{_SAYS}\b"
)
_ACCORDING = re.compile(r"\b(?:according to|laut|selon|según|segundo)\s(?!me\b)(?P<who>\w+)")
_DOES = (
    r"(?:likes|loves|hates|prefers|dislikes|enjoys|lives|wants|thinks|speaks|studies|married|eats|drinks"
    r"|works\s(?:at|for|as)|(?:is|was|are|were)\s(?:(?:a|an|the|not|also|now|really|currently)\s)?"
    r"(?:allowed|admin|administrator|moderator|mod|owner|allergic|vegan|vegetarian|born|sick|married|pregnant|gay"
    r"|divorced|\d+\b|afraid|trusted)"
    r"|has\s(?:admin|access|permission|the\sright)|(?:may|can|must|should)\s(?:see|read|access|know|edit|delete))\b"
)
_ACTS = (
    r"(?:is|was|has|had|can|can't|cannot|does|doesn't|did|didn't|will|won't|uses|needs|works|moved|plays|owns|drives"
    r"|runs"
    r"|knows|goes|went|comes|came|makes|writes|bought|got|started|lost)\b"
)
_WHO = r"^\W*(?:(?:and|but|so|also)\s)?(?P<who><@!?\d+>|@?[^\W\d_][\w'’-]*(?:\s[A-Z][\w'’-]+)?)\s"
_SUBJECT = re.compile(_WHO + _DOES)
_ANY_SUBJECT = re.compile(_WHO + _ACTS)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|we|our|us|ich|mein\w*|je|mon|ma|yo|mi|eu|meu|minha|я|мой|моя|мне|у меня)\b"
)
_NOT_PEOPLE = frozenset(
    """
    user it this that there here everything what who which my and but also really still just always never usually mostly
    definitely absolutely honestly currently now then only
    """.split()
)

_HYPOTHESIS = re.compile(
    r"\b(?:if (?:only )?i (?:were|was|had|could|became|ever|lived|won)|imagine|imagining|suppose|supposing|let's say"
    r"|hypothetically|pretend(?:ing)?|what if|(?:an?|the) (?:myth|rumou?r|lie) that"
    r"|in (?:a|my|another) (?:dream|parallel|past life|next life)|i dreamt|i dreamed|i wish i (?:were|was|had|could"
    r"|lived)"
    r"|wenn ich .{0,40}(?:wäre|hätte|könnte)|stell dir vor|angenommen|si j'étais|si j'avais|imagine[sz]?"
    r"|si (?:yo )?(?:fuera|tuviera)|imagina"
    r"|se eu (?:fosse|tivesse)|imagin[ae]|если бы я|представь)\b|もし私が|如果我是|假如我"
)
_JOKE = re.compile(
    r"\b(?:just kidding|only kidding|i'm kidding|jk|j/k|just joking|only joking|i'm joking|joking aside|not really"
    r"|nur spaß|war nur ein scherz"
    r"|je plaisante|je rigole|es broma|brincadeira|шучу|шутка)\b|(?<!\S)/(?:s|j|jk|joke|sarcasm|hj)\b|\blol no\b"
    r"|冗談です|开玩笑"
)
_MAX_JOKE_CHARS = 60
_ASKS = re.compile(
    r"^\W*(?:and |but |so |hey |or )?(?:do|does|did|should|shall|am|is|are|was|were|can|could|would|will|have|has"
    r"|what|who|where|why|how|when|which"
    r"|soll|bin|ist|kann|was|wer|wo|warum|wie|est-ce|dois-je|debo|devo|por que|qué|cómo)\b"
)
_FINDING = re.compile(
    r"\b(?:doctor|doc|dr|dentist|therapist|nurse|gp|optician|psychiatrist) (?:said|says|told me) (?:that )?(?:i|my)\b"
)
"""A diagnosis is about the speaker, although somebody else said it."""
_ITSELF = re.compile(r"^\W*(?:(?:and|but|so|because|while|though) )?(?:i|i'm|i've|i'd|we|we're|ich|je|yo|eu)\b")
_OF_USER = re.compile(r"users?\b(?!['’]s)")
_ASKS_FOR = re.compile(r"^\W*(?:and |but |so |hey |please )?(?:can|could|would|will) you\b")
_WISH = re.compile(r"^\W*(?:user )?(?:prefers?|wants?|would like|likes?|asks?)\b")
_NEGATION = re.compile(
    r"\b(?:not|n't|never|no longer|don't|doesn't|didn't|won't|can't|cannot|isn't|aren't|wasn't|wouldn't|haven't"
    r"|hasn't|without|hardly|nor|neither"
    r"|stopped|quit|nicht|kein\w*|nie|niemals|pas|jamais|ne|no|nunca|não|non|mai|не|никогда|нет)\b|n't\b|[不没沒未]|ない|않|없"
)
_FACT_NEGATION = re.compile(
    _NEGATION.pattern
    + r"|\b(?:dislikes?|hates?|avoids?|lacks?|former|formerly|ex|un\w+|in(?:tolerant|capable)|refuses?|stops?|used to"
    r"|allerg\w+)\b"
)


def about_another(quote: QuoteMatch, clause: str = "") -> str | None:
    """The word for the other person whom a quote is about, or whose words it reports; None if it is the speaker.

    `clause` is the one from which a fact was derived.
    """
    text = _lower(quote.before + quote.words)
    report = _REPORT.search(text) or _ACCORDING.search(text)
    if report and not _FINDING.search(text):
        return report["who"]
    if _ITSELF.match(clause):
        return None
    if relative := _RELATIVE.match(_clause(quote)):
        return relative["who"]
    return _subject(_SUBJECT, quote)


def _subject(pattern: re.Pattern[str], quote: QuoteMatch) -> str | None:
    """The word with which a quote or its sentence begins, if it has a verb and the speaker does not appear."""
    subject = pattern.match(quote.words) or pattern.match(quote.sentence)
    if subject is None or fold(subject["who"]) in _NOT_PEOPLE or _FIRST_PERSON.search(_lower(quote.sentence)):
        return None
    return subject["who"]


def swaps_subject(quote: QuoteMatch, fact: str) -> bool:
    """Whether the fact puts the user in place of the quote's subject: "Bob uses vim" is not "User uses vim"."""
    subject = _subject(_ANY_SUBJECT, quote)
    return subject is not None and _OF_USER.match(fact.casefold()) is not None and not mentions(fact, subject)


def _clause(quote: QuoteMatch) -> str:
    """The quote with the text before it since the last comma."""
    return _lower(re.split(r"[,;:]\s", quote.before)[-1] + quote.words)


def is_not_meant(quote: QuoteMatch) -> bool:
    """Whether a quote is a joke or a hypothesis."""
    if _HYPOTHESIS.search(_lower(quote.before + quote.words)) or _JOKE.search(_lower(quote.words)):
        return True
    following = _lower(quote.after + quote.following[:_MAX_JOKE_CHARS])
    return _JOKE.search(following) is not None


def is_asked(quote: QuoteMatch, fact: str) -> bool:
    """Whether the quote is part of a question, other than a request that the fact states as a wish."""
    ending, comma, _ = quote.after.partition(",")
    if comma or not ending.rstrip().endswith(("?", "？")):
        return False
    clause = _clause(quote)
    if _ASKS_FOR.match(clause) and _WISH.search(_lower(fact)):
        return False
    return _ASKS.match(clause) is not None


def is_answered(clause: str, fact: str) -> bool:
    """Whether a clause within a quote is a question, regardless of an answer: "are you a nurse? yes"."""
    if not clause.endswith(("?", "？")) or (_ASKS_FOR.match(clause) and _WISH.search(_lower(fact))):
        return False
    return _ASKS.match(clause) is not None or re.match(r"\W*(?:you|u|du|tu|any)\b", clause) is not None


def drops_negation(quote: QuoteMatch, fact: str) -> bool:
    """Whether a "not" precedes the quote while the fact has none."""
    before = " ".join(re.split(r"[,;:]\s", _lower(quote.before))[-1].split()[-3:])
    return bool(_NEGATION.search(before)) and not _FACT_NEGATION.search(_lower(fact))


def mentions(fact: str, person: str) -> bool:
    """Whether a fact mentions a person, by the same word or one for the same relative."""
    fact_words = words(fact)
    return any(
        word in fact_words or any(kinship.is_same_person(word, other) for other in fact_words) for word in words(person)
    )


def _lower(text: str) -> str:
    return text.casefold().replace("’", "'")
