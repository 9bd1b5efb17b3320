"""A summary of sentences that were really said: decisions, plans, facts, tastes, open questions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.core.text import clip, collapse_spaces, normalize, words
from recollect.policy.similarity import Similarity, compare

LONGEST_LINE = 240
MOST_LINES = 400
"""Sentences weighed for one summary, the newest: more wouldn't fit in any."""
_READ = 60_000
_COMPARED = 60

_SPEAKER = re.compile(r"^\[(?P<who>[^\]\n]{1,60})\]:\s?(?P<text>.*)$")
_KEPT = re.compile(r"^(?P<who>[^\s:.!?][^:.!?\n]{0,39}): (?P<text>.+)$")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FILLER = re.compile(
    r"^\W*(?:(?:hi|hello|hey|yo|hiya|good (?:morning|evening|night)|morning|bye|see you|cya|later|"
    r"thanks?(?: you)?|thx|ty|"
    r"cheers|ok|okay|k|sure|cool|nice|great|awesome|perfect|got it|sounds good|makes sense|right|yes|yep|yeah|no|"
    r"nope|lol|"
    r"haha+|hmm+|ah|oh|wow|no problem|np|you're welcome|happy to help|welcome|of course|absolutely|exactly|agreed|"
    r"same|"
    r"i see|gotcha|alright|all right|brb|good question|great question|let me know(?: if.*)?|anything else|"
    r"how are you|what's "
    r"up|sup|good luck|have fun|take care|no worries|will do|noted|done|indeed|true|fair|interesting|for sure|"
    r"so much|"
    r"a lot|man|there|everyone|all|bot|today|then|again)\b[\s,.!?:)(;-]*)+$",
    re.IGNORECASE,
)
_SIGNS: list[tuple[float, re.Pattern[str]]] = [
    (weight, re.compile(pattern, re.IGNORECASE))
    for weight, pattern in (
        (3.0, r"\b(?:decided|decision|agreed (?:to|on|that)|let's go with|going with|we(?:'ll| will) (?:use|go|"
             r"keep|ship)|settled on|"
              r"final(?:ly)? (?:answer|choice)|chose|picked|resolved|fixed|solved|approved|cancell?ed|instead of)\b"),
        (2.5, r"\b(?:todo|to-do|need(?:s)? to|ha(?:ve|s) to|must|i'll|i will|remind|deadline|due|by (?:mon|tues|"
             r"wednes|thurs|fri|"
              r"satur|sun)day|tomorrow|next (?:week|month)|action item|follow up|blocked|assigned|"
              r"plan(?:ning)? to)\b"),
        (2.0, r"\b(?:i|my|we|our)\b.{0,20}\b(?:am|is|are|live|work|use|prefer|like|love|hate|have|moved|switched|"
             r"started|"
              r"finished|build|building|working|allergic|name)\b|\b(?:i'm|we're)\b"),
        (1.0, r"\b(?:because|so that|due to|the problem is|issue|error|bug|failed|broken|works|version|prefers?)\b"),
        (0.5, r"\d"),
    )
]  # fmt: skip
_QUESTION, _OTHERS, _RECENT, _FEW_WORDS = 1.5, 0.6, 1.5, 3


@dataclass(frozen=True, slots=True)
class _Said:
    who: str
    text: str
    answered: bool = False

    @property
    def line(self) -> str:
        return f"{self.who}: {self.text}" if self.who else self.text


def summarize(previous: str | None, exchange: str, limit: int) -> str:
    """What is worth keeping of the previous summary and the exchange, in the order it was said, within the limit."""
    said = [*_kept(previous or ""), *_exchanged(exchange[-_READ:])][-MOST_LINES:]
    return _fitting(_current(said), limit)


def shorten(summary: str, limit: int) -> str:
    """The most valuable sentences of a summary within the limit."""
    return (
        summary.strip()
        if len(summary.strip()) <= limit
        else _fitting(_current(list(_kept(summary))[-MOST_LINES:]), limit)
    )


def _kept(summary: str) -> Iterator[_Said]:
    for line in summary.splitlines():
        match = _KEPT.match(line.strip())
        who, text = (match["who"], match["text"]) if match else ("", line)
        yield from (_Said(who, sentence) for sentence in _sentences(text))


def _exchanged(exchange: str) -> Iterator[_Said]:
    """Sentences with their speakers; a question counts as answered once somebody else goes on."""
    turns: list[tuple[str, list[str]]] = []
    for line in _CODE.sub(" ", exchange).splitlines():
        match = _SPEAKER.match(line.strip())
        if match:
            turns.append((match["who"], [match["text"]]))
        elif turns:
            turns[-1][1].append(line)
    for place, (who, lines) in enumerate(turns):
        answered = any(other != who for other, _ in turns[place + 1 :])
        for sentence in _sentences("\n".join(lines)):
            yield _Said(who, sentence, answered)


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for sentence in _SENTENCE.split(line):
            plain = collapse_spaces(sentence).strip(" -*•")
            if len(plain) > 1 and not _FILLER.match(plain[:LONGEST_LINE]):
                yield clip(plain, LONGEST_LINE)


def _current(said: list[_Said]) -> list[_Said]:
    """Without repetitions, answered questions and what the same speaker took back later."""
    found: list[_Said] = []
    seen: set[str] = set()
    for each in reversed(said):
        key = normalize(each.line)
        if key in seen or (each.answered and each.text.endswith("?")) or _is_outdated(each, found):
            continue
        seen.add(key)
        found.append(each)
    return found[::-1]


def _is_outdated(said: _Said, newer: list[_Said]) -> bool:
    stale = (Similarity.SAME, Similarity.CONTRADICTS, Similarity.RICHER)
    return any(compare(other.text, said.text) in stale for other in newer[-_COMPARED:] if other.who == said.who)


def _fitting(said: list[_Said], limit: int) -> str:
    """The best lines that fit, in their order."""
    count = len(said)
    ranked = sorted(range(count), key=lambda place: (-_value(said[place], place / max(1, count - 1)), -place))
    chosen: list[int] = []
    room = limit
    for place in ranked:
        need = len(said[place].line) + (1 if chosen else 0)
        if need <= room:
            chosen.append(place)
            room -= need
    if not chosen and ranked and limit > 0:
        return clip(said[ranked[0]].line, limit)
    return "\n".join(said[place].line for place in sorted(chosen))


def _value(said: _Said, recent: float) -> float:
    value = max((weight for weight, sign in _SIGNS if sign.search(said.text)), default=0.3)
    if said.text.endswith("?"):
        value = _QUESTION
    if said.who.lower() in ("bot", "assistant"):
        value *= _OTHERS
    if len(words(said.text)) < _FEW_WORDS:
        value *= 0.5
    return value + _RECENT * recent
