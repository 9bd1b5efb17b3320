"""The speaker's own words in a message: without code, quotes, pasted logs, memories or prompts.

"Update: I moved" is the speaker's, "Bob: I moved" is not.
"""

import re
from collections import Counter

from recollect.core.text import collapse_spaces, fold
from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.language.lexicon import Patterns
from recollect.policy.headers import HEADERS

_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_CODE = re.compile(r"(`{1,2})([^`\n]+)\1")
_NAME_IN_CODE = re.compile(r"\S{1,40}")
_STRUCK_OUT = re.compile(r"~~[^~\n]+~~")
_QUOTE_TO_END = re.compile(
    r"^[ \t]*>>> .*"
    r"|^[^\w\n]{0,40}(?:begin )?(?:forwarded|original|weitergeleitete|ursprüngliche)"
    r" (?:message|nachricht)[^\w\n]{0,40}$.*"
    r"|^[^\w\n]{0,40}(?:message (?:transféré|d'origine)|mensaje (?:reenviado|original)"
    r"|mensagem (?:encaminhada|original))[^\w\n]{0,40}$.*"
    r"|^[^\n]{1,120}\b(?:wrote|schrieb|a écrit|escribió|escreveu|ha scritto)(?: [\w .@<>-]{1,60})?\s?:[ \t]*$.*"
    r"|\A\s*(?:From|Von|De|Da): [^\n:]{1,80}\n(?![^\n:]{1,20}: \S+[^\n]{0,30}\n).*"
    r"|\A\s*(?:From|Von|De|Da): [^\n]{1,80}\n"
    r"(?:To|Sent|Date|Subject|An|Gesendet|Datum|Betreff|À|Objet|Para|Asunto|Assunto): .*",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""What follows up to the end is another's: a quote, or a forwarded letter."""
_SUNG = re.compile(r"[♪♫🎵🎶]")
_SAMPLE = re.compile(
    r"\s*(?:please |can you |bitte )?(?:translate(?: this| to \w+| into \w+)?|translation"
    r"|example(?: sentence)?"
    r"|sample|copypasta|lyrics"
    r"|caption|headline|proverb|quote of the day|(?:the )?(?:sign|form|ad|letter|mail|email|text|song)"
    r" (?:says|reads|said)"
    r"|übersetze?(?: das| ins \w+)?|übersetzung|beispiel(?:satz)?|zitat|liedtext"
    r"|tradui[st](?: en \w+)?|exemple|citation|paroles"
    r"|traduce|tradução|ejemplo|exemplo|cita|citação)\s?[:：]\s?\S|\s*RT @\w",
    re.IGNORECASE,
)
"""A text to work on, or one that was found somewhere."""
_TRANSCRIPT = re.compile(r"^[ \t]{0,20}@?([^\W\d_][\w.-]{0,24}):[ \t]+\S", re.MULTILINE)
_MARKUP = re.compile(
    r"<(system|instructions?|prompt|memor(?:y|ies)|context|assistant|tool\w*|function\w*)\b[^>\n]{0,200}>.*?(?:</\1>"
    r"|\Z)"
    r"|<\|[^|\n]{1,40}\|>[^\n]*|\[/?INST\][^\n]*",
    re.DOTALL | re.IGNORECASE,
)
_KINDS = "|".join([*Kind, "profile", "relationship", "other", "memory", "note"])
_MEMORY = re.compile(rf"\s*(?:[-*•]\s*)?\[(?:{_KINDS})\]\s|.*\(src: ", re.IGNORECASE)
_LOGGED = re.compile(
    r"\s*(?:\[[^\]\n]{1,60}\]\s?:|\[?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?\]?\s*[-–]?\s*<?[\w .]{1,30}>?\s?:\s"
    r"|\[?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?\]?\s*<[^>\n]{1,32}>\s"
    r"|<[^\W\d][\w .-]{0,30}>\s|(?:Human|Assistant|System|User|Bot|AI|Developer|Tool)\s?:\s)"
)
_PASTED_HEADER = re.compile(
    r"\s*[\w .]{1,32}\s+[—–-]\s+(?:today|yesterday|heute|gestern|\d\d?/\d\d?/\d{2,4}).{0,20}", re.IGNORECASE
)
_PROMPT_HEADER = re.compile(
    r"\s*#{1,4}\s.{0,40}\b(?:memor(?:y|ies)|instructions?|system|prompt|context)\b.*", re.IGNORECASE
)
_NAMED = re.compile(r"\s*([^\W\d_][\w'’.-]{0,24}(?: [^\W\d_][\w'’.-]{0,24})?)\s?:\s+(.*)")
_PATTERNS = Patterns(re.IGNORECASE)


def own_words(text: str, name: str = "") -> str:
    """The parts of a message that its speaker, called `name`, wrote."""
    text = _MARKUP.sub("\n", _FENCED.sub("\n", text))
    text = _STRUCK_OUT.sub("", _QUOTE_TO_END.sub("", text))
    text = _CODE.sub(lambda code: code[2] if _NAME_IN_CODE.fullmatch(code[2]) else "\n", text)
    own_name = fold(collapse_spaces(name))
    return "\n".join(_own_lines(text.splitlines(), own_name, _speakers(text) - {own_name})).strip()


def _speakers(text: str) -> set[str]:
    """Who speaks in a pasted conversation: a label that comes back."""
    labels = Counter(fold(label) for label in _TRANSCRIPT.findall(text))
    repeated = {label for label, count in labels.items() if count > 1}
    # One label alone may be "Note:"; a conversation comes back to its speakers.
    return set(labels) if repeated - lexicon.words("labels") else set()


def _own_lines(lines: list[str], name: str, speakers: set[str]) -> list[str]:
    own: list[str] = []
    is_pasted = False
    for line in lines:
        # Pasted text is taken to end at an empty line.
        if not line.strip():
            is_pasted = False
        elif _is_header(line):
            is_pasted = True
        line_of = _TRANSCRIPT.match(line) if speakers else None
        is_other = line_of is not None and fold(line_of[1]) in speakers
        if not is_pasted and not is_other and not _is_anothers(line, name):
            own.append(line)
    return own


def _is_header(line: str) -> bool:
    """Whether pasted text follows, up to an empty line."""
    folded = line.strip().casefold()
    if any(folded.startswith(header.casefold()) for header in HEADERS):
        return True
    return bool(_PROMPT_HEADER.fullmatch(line) or _PASTED_HEADER.fullmatch(line))


def _is_anothers(line: str, name: str) -> bool:
    if line.lstrip().startswith(">") or _MEMORY.match(line) or _LOGGED.match(line):
        return True
    if _SAMPLE.match(line) or _SUNG.search(line):
        return True
    named = _NAMED.fullmatch(line)
    if named is None or not named[1][0].isupper():
        return False
    label = fold(named[1])
    is_own = label == name or any(
        word.strip(".'’-") in lexicon.words("labels") for word in label.replace(";", "").split()
    )
    return not is_own and _PATTERNS.speaking.search(named[2]) is not None
