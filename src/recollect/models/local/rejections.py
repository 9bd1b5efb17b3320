"""Recognizes what is not a lasting statement: role-play, jokes, instructions, suppositions, passing states."""

import re

_PLAY = re.compile(
    r"\b(?:pretend|role-?play(?:ing)?|in character|imagine|my (?:oc|character|persona)|hypothetical(?:ly)?|suppose|"
    r"let's say|lets say|assume (?:that )?(?:i|we|my)|for this (?:exercise|example|scenario)|in this scenario|"
    r"for the sake of|write (?:me )?(?:a|an|some) (?:story|poem|song|essay|scene|limerick|haiku|bio|cover letter|"
    r"tweet|"
    r"post|joke|letter)|in the (?:story|movie|show|book|song)|lyrics?|two truths and a lie|once upon a time|ooc|"
    r"never have i ever|translate|proofread|rephrase|how do (?:i|you) say)\b|[♪♫🎵🎶]",
    re.IGNORECASE,
)
_INSTRUCTIONS = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules|guidelines|safety|"
    r"everything|policy|filters?)\b|\bsystem ?(?:prompt|message|:)|\b(?:developer|dan|god|debug|admin) mode\b|"
    r"\bjailbreak|"
    r"\byou (?:must|are now|will now|shall|have to)\b|\bfrom now on,? you\b|<\|?/?(?:system|im_start|im_end|memory|"
    r"instructions?)\b|\[(?:system|inst|admin)\]|\b(?:assistant|system|developer) ?:|\bnew (?:instructions|rules)\b|"
    r"\b(?:reveal|print|output|leak|exfiltrate)\b.{0,30}\b(?:prompt|instructions|memor(?:y|ies)|keys?|passwords?|"
    r"secrets?)|"
    r"\b(?:store|save|add|write) (?:this |that |it )?(?:to|in|into) (?:your )?(?:memory|memories|profile)\b",
    re.IGNORECASE | re.DOTALL,
)
_KIDDING = re.compile(
    r"(?:\b(?:jk|j/k|just kidding|kidding|just joking|joking|sarcasm|not really lol)\b|(?:^|\s)/s\b|\bjoke\b)"
    r"|\b(?:april fools|obviously not|as if|yeah right)\b",
    re.IGNORECASE,
)
_LAUGH = re.compile(r"\b(?:lol|lmao|lmfao|rofl|ha(?:ha)+h?|hehe+|xd)\b|[😂🤣💀😜🙃]", re.IGNORECASE)
_CLAIM = re.compile(
    r"\b(?:literally|king|queen|emperor|president|god|goddess|millionaire|billionaire|immortal|wizard|witch|batman|"
    r"superman|dead|dying|die|million|billion|thousand|\d{3,}|forever|married to|addicted|alien|robot|vampire|ninja|"
    r"pirate|dragon|moon|mars|hell|world|universe|nasa|spacex|cia|fbi|mafia|unicorn|caffeine|coffee|professional|"
    r"procrastinat\w*|clown|goblin|raccoon|potato|tables|garbage|trash|spite|cave|under a rock|void|walls|phd|"
    r"degree|black belt)\b",
    re.IGNORECASE,
)
_ABSURD = re.compile(
    r"\b(?:dying|literally dead|dead inside|batman|immortal|the moon|on mars|god emperor|(?:king|queen|emperor) of|"
    r"under a rock|in the matrix|\d{4,} (?:cats|dogs|kids|years old)|in my head|spirit animal|a potato|rent[- ]free|"
    r"the danger|a goblin|from (?:mars|narnia|hogwarts|wakanda|gotham|mordor|atlantis|the future)|black belt in|"
    r"phd in (?:snacks|sarcasm|overthinking|naps?|memes)|"
    r"if you (?:count|ask|squint|consider|include))\b|\((?:of|not really|kind of|sort of)\b",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"\b(?:passwords?|passwd|passphrase|passcode|api[- ]?keys?|secret key|credentials?)\b", re.IGNORECASE
)
_SUPPOSED = re.compile(
    r"^(?:\W*(?:and|but|so|well|also|then|or|like|yeah|ok|even|only)[\s,]+)*(?:if|when|whenever|once|unless|until|"
    r"assuming|"
    r"suppose|imagine|say|what if|maybe|perhaps|in case|as if|as soon as|during|throughout|even if|had i|were i|"
    r"while|before|after|"
    r"back when|"
    r"in my dreams?|according to|apparently|rumou?r|they say|people say|someone|somebody|anyone|either|option|"
    r"not that|"
    r"it's not (?:like|that)|its not (?:like|that)|as an?\b)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:would|wouldn't|could|should|might|"
    r"(?<!in )(?<!since )(?<!on )(?<!of )(?<!by )(?<!last )(?<!next )(?<!until )may(?! \d)|maybe|perhaps|probably|"
    r"possibly|i wish|wish i|hope|hoping|hopefully|wanna|"
    r"thinking (?:of|about)|considering|consider|if|unless|whether|or something|or whatever|supposedly|supposed to|"
    r"pretend|want to|wanted to|plan to|planning|going to try|used to|almost|nearly|not sure|no idea|unsure|debating|"
    r"tempted|torn between|as if|allegedly|apparently|said|says|told|idk|dunno|kinda|sorta|sort of|half[- ]joking|"
    r"restrictions?|unrestricted|uncensored|admin|administrator|"
    r"root access|guidelines)\b"
    r"|\((?:of|not|kind|sort|almost|well|ok|only in)\b",
    re.IGNORECASE,
)
_MOMENTARY = re.compile(
    r"\b(?:right now|rn|at the moment|atm|today|tonight|this (?:morning|afternoon|evening)|for now|just now|so far|"
    r"this time|in a (?:sec|minute|bit)|as a (?:kid|child|teen\w*)|"
    r"growing up|when i (?:was|were)|back then|in my childhood|yet|for a (?:sec|minute|bit|moment)|again|this one)\b",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"\b(?:ich|nicht|und|der|das|ist|ein|eine|mein|meine|bin|je|suis|est|une|les|mon|dans|avec|pas|yo|soy|es|una|mi|"
    r"vivo|trabajo|como|para|pero|los|las|el|eu|sou|uma|meu|minha|moro|não|nao|ik|ben|een|niet|het|sono|una|mio|"
    r"jag|och|chiamo|lavoro|però|anche|che|della|nel|bor|jobbar|som|moro|gosto|em|gosto|para|muito|"
    r"jestem|nie|moj)\b",
    re.IGNORECASE,
)
_MAX_NON_ASCII_SHARE, _MIN_FOREIGN_WORD_SHARE = 0.3, 0.2


def is_play(text: str) -> bool:
    """Whether a whole message is a game, a piece of writing, a joke or an instruction, so that nothing in it counts."""
    return bool(_PLAY.search(text) or _INSTRUCTIONS.search(text) or _KIDDING.search(text))


def is_secret(sentence: str) -> bool:
    """Whether it mentions a password or a key: nothing near one is worth the risk."""
    return bool(_SECRET.search(sentence))


def is_joke(sentence: str) -> bool:
    """Whether it makes an absurd claim, or a big one with laughter."""
    return bool(_ABSURD.search(sentence) or (_LAUGH.search(sentence) and _CLAIM.search(sentence)))


def is_supposed(sentence: str) -> bool:
    """Whether it opens with a condition, a supposition or hearsay, on which the rest depends."""
    return bool(_SUPPOSED.search(sentence))


def is_hedged(clause: str) -> bool:
    """Whether the speaker qualifies it: "might", "I wish", "used to"."""
    return bool(_HEDGED.search(clause))


def is_momentary(clause: str) -> bool:
    """Whether it holds only now, or held only then."""
    return bool(_MOMENTARY.search(clause))


def is_foreign(sentence: str) -> bool:
    """Whether it is largely in another language or script."""
    letters = [char for char in sentence if char.isalpha()]
    if sum(not char.isascii() for char in letters) > _MAX_NON_ASCII_SHARE * len(letters):
        return True
    return len(_FOREIGN.findall(sentence)) >= max(2, _MIN_FOREIGN_WORD_SHARE * len(sentence.split()))
