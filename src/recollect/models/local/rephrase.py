"""From the first person to the third: conjugate verbs, turn pronouns, trim what chat hangs on a sentence."""

import re

LONGEST = 140
"""Characters of a learned text; what is longer is a story, not a fact."""
MOST_WORDS = 22

_IRREGULAR = {"have": "has", "do": "does", "go": "goes", "be": "is", "am": "is", "are": "is"}
_TURNED = {
    "i": "they", "we": "they", "me": "them", "us": "them", "my": "their", "our": "their", "mine": "theirs",
    "ours": "theirs", "myself": "themselves", "ourselves": "themselves", "am": "are", "was": "were",
}  # fmt: skip
_FIRST = re.compile(r"\b(?:I (?:am|was)\b|i|we|me|us|my|our|mine|ours|myself|ourselves)\b", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:you|your|yours|u|ur|yall|y'all|you're|youre)\b", re.IGNORECASE)
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
_ELSEWHERE = re.compile(
    r"\b(?:this(?! (?:week|weekend|month|quarter|year|semester|term|season|spring|summer|autumn|fall|winter)\b)|"
    r"these|those|"
    r"such an?|ones|one$|the same(?!.* as\b)|(?:some|few|many|most|lot|all|any|bit|parts?) of (?:their|his|her|"
    r"its))\b|\b(?:to|in|of|with|about|from|at|into|for|on) that\b"
    r"|\blike that$|\bof (?:hers|his|theirs)\b|\b\w+ing that(?= (?:with|to|in|for|on|at|from|as)\b|$)|^(?:\w+ing |"
    r"to \w+ |an? (?:\w+ )?fan of )?(?:their|his|her|its)\b"
    r"|^(?:(?! (?:and|or|before|after|when|while|then|who|that) ).)*?\b(?:them|him|her|(?-i:it)|he|she|they)\b",
    re.IGNORECASE,
)
"""What the words before it would have to explain: "that lake", "feeding them at dusk", "their soups"."""
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
_CUT = re.compile(
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
_SPAN = re.compile(r",? (?:for|since) (?:about |around |over |almost |nearly |the (?:last|past) )?"
                   r"(?:\d[\w.]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|many|ages|years|a few|some|"
                   r"forever|last|january|february|march|april|may|june|july|august|september|october|november|"
                   r"december)"
                   r"\b.*$|,? (?:ages|years|months|a while|a long time|(?:\d+|a few|a couple of|two|three|four|"
                   r"five) (?:days|weeks|months|years)) (?:ago|back)\b.*$",
                   re.IGNORECASE)  # fmt: skip


_UNFIT = (_POINTING, _SECOND, _ELSEWHERE)


def conjugated(verb: str) -> str:
    """The third person of a verb: deploys, watches, carries."""
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if re.search(r"(?:s|x|z|ch|sh|o)$", low):
        return low + "es"
    if re.search(r"[^aeiou]y$", low):
        return low[:-1] + "ies"
    return low + "s"


def base(gerund: str) -> str:
    """The verb of its -ing form, where that is plain: using, running, playing."""
    stem = gerund.lower().removesuffix("ing")
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    silent = re.search(r"(?:[^aeiou][aiou][sckvzg]|us|ov|iv|ak|mok|rit|ik|od|ang|riv|ompos|ous)$", stem)
    return stem + "e" if silent else stem


def turned(text: str) -> str:
    """First-person pronouns as the third person speaks: "my team" is "their team"."""

    def turn(match: re.Match[str]) -> str:
        return " ".join(_TURNED[word] for word in match[0].lower().split())

    return _FIRST.sub(turn, text)


def cut(text: str) -> str:
    """Without what follows the statement itself: reasons, contrasts, asides."""
    return _CUT.sub("", text)


def trimmed(text: str) -> str:
    """What a verb is about, without asides, reasons and chat's endings."""
    return _TAIL.sub("", _listed(_TAIL.sub("", _CUT.sub("", text)))).strip(" ,.!-–—*_~'\"“”")


def _listed(text: str) -> str:
    """The text up to the first comma that neither counts things up nor narrows what was said."""
    first, *rest = text.split(", ")
    if len(rest) > 1 and re.match(r"(?:and|or|&) ", rest[-1]) and all(len(part.split()) <= 5 for part in rest):
        return text
    kept = [first]
    for place, part in enumerate(rest):
        names = [word for word in part.split() if word not in ("and", "or", "&")]
        series = len(part.split()) <= 5 and re.search(r"\b(?:and|or)\b", ", ".join(rest[place:]))
        named = all(word[0].isupper() or word[0].isdigit() for word in names)
        if _REMARK.match(part) or not (
            named
            or series
            or _ADJECTIVE.search(kept[-1])
            or _NARROWS.match(part)
            or (place and re.search(r"\w (?:and|or) \w", part))
        ):
            break
        kept.append(part)
    return ", ".join(kept)


def timeless(text: str) -> str:
    """Without how long it has been so."""
    return _SPAN.sub("", text)


def thing(text: str) -> str | None:
    """An object fit for a statement; None when it only points at something or talks to someone."""
    found = trimmed(text)
    if not found or len(found.split()) > MOST_WORDS or any(each.search(found) for each in _UNFIT):
        return None
    return turned(found)


def sentence(text: str) -> str | None:
    """A statement as it is kept, or None if it came out clumsy."""
    plain = " ".join(text.split()).strip(" ,.")
    if not 4 <= len(plain) <= LONGEST or "[" in plain or plain.count('"') % 2 or plain.count("(") != plain.count(")"):
        return None
    if re.search(
        r"\b(?:and|or|but|with|to|the|an?|of|in|at|for|not|is|as|from|their|when|while|where|such|if|than|who|that|"
        r"which)$",
        plain,
        re.IGNORECASE,
    ):
        return None
    return plain[0].upper() + plain[1:]
