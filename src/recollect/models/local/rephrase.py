"""Turns the first person into the third: conjugates verbs, replaces pronouns, trims chat endings and asides."""

import re

MAX_TEXT_CHARS = 140
"""Characters of a learned text; what is longer is a story, not a fact."""
MAX_WORDS = 22

_IRREGULAR = {"have": "has", "do": "does", "go": "goes", "be": "is", "am": "is", "are": "is"}
_THIRD_PERSON = {
    "i": "they", "we": "they", "me": "them", "us": "them", "my": "their", "our": "their", "mine": "theirs",
    "ours": "theirs", "myself": "themselves", "ourselves": "themselves", "am": "are", "was": "were",
}  # fmt: skip
_FIRST_PERSON = re.compile(r"\b(?:I (?:am|was)\b|i|we|me|us|my|our|mine|ours|myself|ourselves)\b", re.IGNORECASE)
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|u|ur|yall|y'all|you're|youre)\b", re.IGNORECASE)
_POINTING = re.compile(
    r"^(?:it|this|that|these|those|them|him|her|he|she|they|there|here|how|when|what|where|why|who|which|so|such|"
    r"something|someone|anything|everything|everyone|everybody|nothing|stuff|things?|people(?! (?:\w+ing|who)\b)|"
    r"life|too|one|ones|all|"
    r"both|some|any|either|neither|others|(?:several|many|watching|all|the) others$|another one|more|most of|"
    r"the (?:way|idea|fact|new|look|sound|update|pic|picture|photo|song|video|meme|one|"
    r"thing|part|first|second|last|other|same|result|plan|joke|name|link|answer|reply|vibe|movie|show|design))\b"
    r"(?!\w)|\b(?:it|this|that one|those|there)$",
    re.IGNORECASE,
)
_NEEDS_CONTEXT = re.compile(
    r"\b(?:this(?! (?:week|weekend|month|quarter|year|semester|term|season|spring|summer|autumn|fall|winter)\b)|"
    r"these|those|"
    r"such an?|ones|one$|the same(?!.* as\b)|(?:some|few|many|most|lot|all|any|bit|parts?) of (?:their|his|her|"
    r"its))\b|\b(?:to|in|of|with|about|from|at|into|for|on) that\b"
    r"|\blike that$|\bof (?:hers|his|theirs)\b|\b\w+ing that(?= (?:with|to|in|for|on|at|from|as)\b|$)|^(?:\w+ing |"
    r"to \w+ |an? (?:\w+ )?fan of )?(?:their|his|her|its)\b"
    r"|^(?:(?! (?:and|or|before|after|when|while|then|who|that) ).)*?\b(?:them|him|her|(?-i:it)|he|she|they)\b",
    re.IGNORECASE,
)
"""Refers to something said before: "that lake", "feeding them at dusk", "their soups"."""
_TAIL = re.compile(
    r"(?:\s*(?:\b(?:lol|lmao|lmfao|rofl|(?:ha){2,}h?|hehe+|xd|tbh|imo|imho|ngl|fyi|btw|by the way|though|tho|too|"
    r"as well|"
    r"now|these days|nowadays|currently|at the moment|already|again|actually|really|honestly|haha|please|pls|plz|"
    r"thanks|"
    r"thx|ty|yeah|yep|ok|okay|right|you know|i guess|so yeah|anyway|anyways|lately|a lot|very much|so much|"
    r"that much|more than "
    r"anything|etc|(?<=, )(?:man|mate|dude|bro|folks|guys|everyone|all)|sadly|luckily|finally|for real|fr|"
    r"for the record|"
    r"over here|on here|around here|here|sorry|weirdly|whatsoever|hands down|with a passion|to be honest|even|also|"
    r"especially|better|personally|still|myself|ourselves|"
    r"a (?:little )?bit(?: more)?|a little(?: more)?|the most)\b"
    r"|[:;=8][-']?[)(DPpO/|]|<3|[^\w\s)\]%+#'\"”’°€$£]))+$",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r",? (?:because|bc|cuz|cause|coz|although|even though|though|so that|so (?!much|many|that|far|badly|hard|well|"
    r"long|often|called)[a-z]+|so "
    r"don't|so do|which|whereas|and so|and then|and it|and that|and yes|and no|and they|and he|and she|and this|"
    r"and am|and nobody|and nothing|and none|and no one|and everything|and half|and most|and still|and someone|"
    r"and somehow|and everyone|and everybody|and people|and honestly|and never|and yes|and now|and always|"
    r"but (?!only|not (?!enough|so|very|really|sure|as|too)|mostly|just)|meanwhile)\b.*"
    r"|,? and (?:(?!because|who|that|which|when|since)[\w']+ ){1,3}?(?:is|are|was|were|will|would)\b.*"
    r"|,? and (?:have|had|has|would|could|can|do|did|am|been)\b.*|,? (?:now )?that'?s\b.*|"
    r"(?<!\bwhen)(?<!\bwhere)(?<!\bthat)(?<!\bwhat)(?<!\bwho)(?<!\bhow),? i (?:also|really|think|guess|mean|just|"
    r"cannot)\b.*|,? since (?:that|its)\b.*|,? (?:since|as|and|but|while) (?:i|my|we|our|it|it's|the|he|she|they|"
    r"you)\b.*"
    r"|\s(?:[-–—]+|\||->|=>)\s.*|(?<=\w)[-–—]+\s.*|\s?[(\[;].*|:\s.*|,? (?:do|does|did|can|could|any|are|is) (?:you|"
    r"anyone|i|about|there|else)\b.*|,? (?:what|how|where) (?:you|anyone|about|else)\b.*|, (?:what|how|where)\b.*|"
    r",? if (?:anyone|you|someone|that|it)\b.*|,? (?:when|after|until|once|"
    r"ever since) (?:they|it|he|she|the|you|someone|that)\b.*|, (?:so|then|if|when|right|but|not sure|thank|haha|"
    r"lol)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_NARROWS = re.compile(
    r"(?:as well as|especially|mostly|particularly|including|except|not|but only|mainly|preferably)\b", re.I
)
_REMARK = re.compile(
    r"(?:too|so|very|always|such|what|it|he|she|they|it's|they're|his|her|their|its|no|never)\b", re.IGNORECASE
)
_ADJECTIVE = re.compile(
    r"\b(?:\w+(?:ful|ous|less|able|ible|ish|ical|esque)|safe|simple|small|big|long|quiet|co[sz]y|warm|nice|old|new|"
    r"short|"
    r"minimal|clean|fresh|slow|fast|loud|dark|bright|cheap|strong|light|soft|hard|sweet|spicy|deep|calm|cool|hot|cold|"
    r"friendly|rich|bold|healthy|creative|classic|modern|honest|clear|direct|easy|tiny|large|huge|little|wild|"
    r"plain|dry|"
    r"sleek|cute|fun|crisp|smooth|gentle|rustic|vintage|local|natural|moody|gritty|vivid|lush|raw|thick|thin|tall|"
    r"sharp)$",
    re.IGNORECASE,
)
_DURATION = re.compile(r",? (?:for|since) (?:about |around |over |almost |nearly |the (?:last|past) )?"
                   r"(?:\d[\w.]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|many|ages|years|a few|some|"
                   r"forever|last|january|february|march|april|may|june|july|august|september|october|november|"
                   r"december)"
                   r"\b.*$|,? (?:ages|years|months|a while|a long time|(?:\d+|a few|a couple of|two|three|four|"
                   r"five) (?:days|weeks|months|years)) (?:ago|back)\b.*$",
                   re.IGNORECASE)  # fmt: skip


_UNFIT = (_POINTING, _SECOND_PERSON, _NEEDS_CONTEXT)


def conjugate(verb: str) -> str:
    """The third person singular of a verb: deploys, watches, carries."""
    lower = verb.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if re.search(r"(?:s|x|z|ch|sh|o)$", lower):
        return lower + "es"
    if re.search(r"[^aeiou]y$", lower):
        return lower[:-1] + "ies"
    return lower + "s"


def base_verb(gerund: str) -> str:
    """The base form of a gerund, by simple rules: using, running, playing."""
    stem = gerund.lower().removesuffix("ing")
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    silent = re.search(r"(?:[^aeiou][aiou][sckvzg]|us|ov|iv|ak|mok|rit|ik|od|ang|riv|ompos|ous)$", stem)
    return stem + "e" if silent else stem


def to_third_person(text: str) -> str:
    """The text with first-person pronouns in the third person: "my team" becomes "their team"."""

    def replace_pronoun(match: re.Match[str]) -> str:
        return " ".join(_THIRD_PERSON[word] for word in match[0].lower().split())

    return _FIRST_PERSON.sub(replace_pronoun, text)


def strip_asides(text: str) -> str:
    """The text without reasons, contrasts and asides after the statement."""
    return _ASIDE.sub("", text)


def trim_object(text: str) -> str:
    """The object of a verb without asides, reasons and chat endings."""
    return _TAIL.sub("", _trim_list(_TAIL.sub("", _ASIDE.sub("", text)))).strip(" ,.!-–—*_~'\"“”")


def _trim_list(text: str) -> str:
    """The text up to the first comma that neither enumerates nor narrows what was said."""
    first, *tail = text.split(", ")
    if len(tail) > 1 and re.match(r"(?:and|or|&) ", tail[-1]) and all(len(part.split()) <= 5 for part in tail):
        return text
    parts = [first]
    for index, part in enumerate(tail):
        names = [word for word in part.split() if word not in ("and", "or", "&")]
        is_series = len(part.split()) <= 5 and re.search(r"\b(?:and|or)\b", ", ".join(tail[index:]))
        is_named = all(word[0].isupper() or word[0].isdigit() for word in names)
        if _REMARK.match(part) or not (
            is_named
            or is_series
            or _ADJECTIVE.search(parts[-1])
            or _NARROWS.match(part)
            or (index and re.search(r"\w (?:and|or) \w", part))
        ):
            break
        parts.append(part)
    return ", ".join(parts)


def strip_duration(text: str) -> str:
    """The text without how long it has been so."""
    return _DURATION.sub("", text)


def object_phrase(text: str) -> str | None:
    """The object of a statement in the third person; None when it needs context or addresses someone."""
    phrase = trim_object(text)
    if not phrase or len(phrase.split()) > MAX_WORDS or any(pattern.search(phrase) for pattern in _UNFIT):
        return None
    return to_third_person(phrase)


def finish_statement(text: str) -> str | None:
    """The statement as it is stored, or None if it does not read as one."""
    statement = " ".join(text.split()).strip(" ,.")
    if (
        not 4 <= len(statement) <= MAX_TEXT_CHARS
        or "[" in statement
        or statement.count('"') % 2
        or statement.count("(") != statement.count(")")
    ):
        return None
    if re.search(
        r"\b(?:and|or|but|with|to|the|an?|of|in|at|for|not|is|as|from|their|when|while|where|such|if|than|who|that|"
        r"which)$",
        statement,
        re.IGNORECASE,
    ):
        return None
    return statement[0].upper() + statement[1:]
