"""Extracts proposals and retractions from one person's messages: clause by clause, rule by rule."""

import re
from collections.abc import Iterator
from dataclasses import replace

from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal, Retraction
from recollect.core.text import words
from recollect.core.types import Kind, Message
from recollect.language import amendments, dates
from recollect.language.corrections import resolve, splice
from recollect.models.local import (
    biography,
    changes,
    foreign,
    general,
    rejections,
    retractions,
    successions,
    transitions,
)
from recollect.models.local.clauses import MAX_MESSAGE_CHARS, Clause, split_clauses
from recollect.models.local.collected import Collected
from recollect.models.local.corrections import correct, grown
from recollect.models.local.endings import Ending, continuations, find_endings, may_end
from recollect.models.local.grammar import expressions
from recollect.models.local.introductions import introduced, named_later, named_others
from recollect.models.local.known_names import clauses_by_name, mentions_known
from recollect.models.local.pronouns import resolved_clauses
from recollect.models.local.rephrase import ends_in_adjective, object_phrase, strip_asides
from recollect.models.local.rule import LIKELY, Finding, make_finding
from recollect.models.local.rules import first_finding
from recollect.policy.guard.instructions import is_instruction
from recollect.policy.guard.own_words import own_words

_EXPRESSIONS = expressions("extract")
_MAX_PREDICATES = 6
_MAX_AFTERTHOUGHT_WORDS = 12


def extract(extraction_input: ExtractionInput) -> ExtractionResult:
    """Everything that the speaker plainly stated; the most confident proposals where their number is limited."""
    collected = Collected(extraction_input.known_memos)
    for number, message in enumerate(extraction_input.messages):
        if message.bot:
            continue
        before = [*extraction_input.context, *extraction_input.messages[:number]]
        correction = correct(message, extraction_input.known_memos, before)
        if isinstance(correction, Proposal):
            collected.proposals.append(correction)
            if rest := amendments.after_opening(own_words(message.text, message.name)):
                _extract_message(replace(message, text=rest), collected)
        elif correction is not None:
            collected.retractions += correction
        else:
            _extract_message(message, collected)
            if extraction_input.known_memos:
                collected.change(changes.read(message, extraction_input.known_memos, before))
    return ExtractionResult(
        tuple(_best(collected.proposals, extraction_input.max_proposals)), tuple(dict.fromkeys(collected.retractions))
    )


def _best(proposals: list[Proposal], limit: int | None) -> list[Proposal]:
    if limit is None or len(proposals) <= limit:
        return proposals
    return sorted(proposals, key=lambda proposal: -proposal.confidence)[: max(0, limit)]


def _extract_message(message: Message, collected: Collected) -> None:
    if rejections.is_play(message.text[:MAX_MESSAGE_CHARS]):
        return
    for memo in transitions.ended_memos(message.text, collected.known_memos):
        collected.retractions.append(Retraction("the speaker said that it is over", id=memo.id))
    if collected.known_memos and _EXPRESSIONS.end_cue.search(message.text[:MAX_MESSAGE_CHARS]):
        _end_statements(message, collected)
    own_text = own_words(message.text[:MAX_MESSAGE_CHARS], message.name)
    collected.corrects, collected.is_current = successions.is_correction(own_text), foreign.has_changed(own_text)
    endings = list(_named_endings(message, collected)) if collected.known_memos else []
    statements = list(_read_statements(message)) or [(*read, None) for read in foreign.read_statements(message)]
    aged = grown(message, collected.known_memos)
    if not (statements or aged):
        aged = foreign.revise_age(message, collected.known_memos)
    if aged is not None:
        collected.revise(*aged, own_words(message.text, message.name), message.id)
        return
    statements += _read_by_name(message, collected) if collected.known_memos else []
    if not (statements or endings) or is_instruction(
        message.text
    ):  # an expensive check, so only where something was stated
        return
    for finding in _withdrawn(message, statements):
        collected.withdraw(finding)
    for clause, finding, state_end in statements:
        if any(_narrates(finding, ending) for _, ending in endings):
            continue
        if state_end is None:
            collected.add(clause, finding)
        else:
            is_known = any(ended.evidence == clause.evidence for ended, _ in endings)
            collected.retract(clause, finding, state_end and not is_known)
    for clause, ending in endings:
        collected.finish(clause, ending)
        for finding in _read_continuations(clause):
            collected.add(clause, finding)


def _narrates(finding: Finding, ending: Ending) -> bool:
    """Whether a statement tells of a change that the known memo has made: "moved from Notion to Obsidian"."""
    before, after, stated = (set(words(text)) for text in (ending.memo.text, ending.text, finding.text))
    return bool(ending.text) and not stated.isdisjoint(before - after) and not stated.isdisjoint(after - before)


def _read_continuations(clause: Clause) -> Iterator[Finding]:
    """What the rest of a clause says of what came instead: "sold the civic, got an ioniq 5"."""
    for text in continuations(clause.text):
        findings = [finding for finding, state_end in _read_clause(replace(clause, text=text)) if state_end is None]
        had = re.match(r"I have (an? .+)", text)
        phrase = object_phrase(had[1]) if had and not findings else None
        owned = make_finding(f"has {phrase}", Kind.FACT, LIKELY) if phrase else None
        yield from [owned] if owned else findings


def _read_by_name(message: Message, collected: Collected) -> Iterator[tuple[Clause, Finding, bool | None]]:
    """What clauses say of somebody of the speaker's by name; new to what is known, it names only the name."""
    own_text = own_words(message.text[:MAX_MESSAGE_CHARS], message.name)
    if not mentions_known(own_text, collected.known_memos):
        return
    for clause in split_clauses(resolve(own_text), message.at, message.id):
        for named, noun in clauses_by_name(clause, collected.known_memos):
            for finding, state_end in _read_clause(named):
                is_known = collected.relative_meant(finding, named) is not None
                text = finding.text if is_known or not noun else finding.text.removeprefix(f"Their {noun} ")
                yield named, replace(finding, text=text), state_end


def _named_endings(message: Message, collected: Collected) -> Iterator[tuple[Clause, Ending]]:
    """The known memos that clauses end by naming what they are about."""
    own_text = own_words(message.text[:MAX_MESSAGE_CHARS], message.name)
    text = transitions.rewritten(resolve(own_text)) if may_end(own_text) else ""
    for clause in split_clauses(text, message.at, message.id) if text else ():
        clause = clause if clause.evidence in message.text else replace(clause, evidence=own_text)
        for ending in find_endings(clause, collected.known_memos):
            yield clause, ending


def _end_statements(message: Message, collected: Collected) -> None:
    """What the clauses of a message end or deny of what is known."""
    own_text = own_words(message.text[:MAX_MESSAGE_CHARS], message.name)
    for clause in split_clauses(resolve(own_text), message.at, message.id):
        subject = _EXPRESSIONS.first_person.match(clause.text)
        denied = retractions.find_denied(subject["rest"], clause) if subject else None
        if denied is not None or not rejections.is_hedged(clause.text):
            collected.end(clause, denied)


def _withdrawn(message: Message, statements: list[tuple[Clause, Finding, bool | None]]) -> list[Finding]:
    """What the message states before it corrects itself: known or not, it does not hold."""
    own_text = own_words(message.text[:MAX_MESSAGE_CHARS], message.name)
    if resolve(own_text) == own_text:
        return []
    texts = {finding.text for _, finding, _ in statements}
    clauses = split_clauses(own_text, message.at, message.id)
    findings = [finding for clause in clauses for finding, state_end in _read_clause(clause) if state_end is None]
    return [finding for finding in findings if finding.text not in texts]


def _read_statements(message: Message) -> Iterator[tuple[Clause, Finding, bool | None]]:
    """What each clause states; for something that ended, whether its end is worth a statement (else None)."""
    said = own_words(message.text[:MAX_MESSAGE_CHARS], message.name)
    corrected = transitions.rewritten(resolve(said))
    for clause in split_clauses(corrected, message.at, message.id):
        if corrected != said and clause.evidence not in message.text:
            clause = replace(clause, evidence=said)
        texts: list[str] = []
        for finding, state_end in _read_with_tail(clause):
            texts.append(finding.text)
            yield clause, finding, state_end
        for finding in named_others(clause):
            name = finding.about or finding.text.rpartition(" ")[2]
            if not any(name in text for text in texts):
                yield clause, finding, None
    for evidence, finding in named_later(said):
        yield Clause(evidence, evidence, message.at, message.id, lacks_capitals=False), finding, None
    for clause in resolved_clauses(said, message.at, message.id):
        for finding, state_end in _read_clause(clause):
            yield clause, finding, state_end


def _read_with_tail(clause: Clause) -> Iterator[tuple[Finding, bool | None]]:
    """What a clause states, or else what stands before the consequence or the afterthought that it ends with: "I have
    ADHD, so …", "I collect pens, about forty so far".
    """
    findings = list(_read_clause(clause))
    tail = None if findings else _EXPRESSIONS.consequence.search(clause.text)
    if tail is not None and not _EXPRESSIONS.takes_back.search(clause.text, tail.start()):
        findings = list(_read_clause(replace(clause, text=clause.text[: tail.start()])))
    if not findings and (text := _without_afterthought(clause.text)) != clause.text:
        findings = list(_read_clause(replace(clause, text=text)))
    yield from findings


def _without_afterthought(text: str) -> str:
    """ "I collect pens" of "I collect pens, about forty so far", unless the rest takes it back."""
    thought = _EXPRESSIONS.afterthought.search(text)
    if thought is None or len(text[thought.start() :].split()) > _MAX_AFTERTHOUGHT_WORDS:
        return text
    stated = text[: thought.start()]
    is_taken_back = _EXPRESSIONS.recants.search(text, thought.start()) is not None
    return text if is_taken_back or ends_in_adjective(stated) else stated


def _read_clause(clause: Clause) -> Iterator[tuple[Finding, bool | None]]:
    text = _move_date_to_end(clause)
    subject = _EXPRESSIONS.first_person.match(text)
    if subject is None:
        finding = _read_impersonal(text, clause)
        if finding is not None:
            yield finding, None
            yield from _read_further(text, clause, finding)
        return
    name, described = introduced(subject["rest"], clause)
    if name is not None:
        yield name, None
    for predicate in _predicates(described):
        ended = retractions.find_ended(predicate, clause)
        if ended is not None:
            yield ended
        if (past := biography.used_to(predicate, clause)) is not None:
            yield past, None
        if ended is not None or past is not None:
            continue
        if (finding := _read_personal(predicate, clause)) is not None:
            yield finding, None


def _read_further(text: str, clause: Clause, finding: Finding) -> Iterator[tuple[Finding, bool | None]]:
    """The second thing that is said of a relative: "my wife is a nurse and works nights"."""
    further = _EXPRESSIONS.also_does.match(text)
    second = _read_impersonal(f"{further['who']} {further['rest']}", clause) if further else None
    if second is not None and second.text.partition(" ")[2].rpartition(" ")[2] not in finding.text:
        yield second, None


def _move_date_to_end(clause: Clause) -> str:
    """ "On Friday I fly to Oslo" in the order that rules expect."""
    text = clause.text
    date = dates.find(text[:60], clause.said_at, ahead=True)
    if date is None or date.start:
        return text
    statement = text[date.end :].lstrip(" ,")
    return (
        f"{statement.rstrip(' .!')} {text[: date.end].strip(' ,')}"
        if statement.lower().startswith(("i ", "we ", "my "))
        else text
    )


def _read_impersonal(text: str, clause: Clause) -> Finding | None:
    """Clauses without an "I": requests, names, favorites, notes on others."""
    request = first_finding("requests", text, clause)
    if request is not None:
        return request
    if rejections.is_hedged(strip_asides(text)) and not _EXPRESSIONS.relative_past.match(text):
        return None
    event = first_finding("own_events", text, clause)
    if event is not None or rejections.is_momentary(strip_asides(text)):
        return event
    listed = first_finding("mine", text, clause) or first_finding("frequency_first", text, clause)
    return listed or general.read_mine(text)


def _read_personal(predicate: str, clause: Clause) -> Finding | None:
    wish = first_finding("wishes", predicate, clause)
    if wish is not None:
        return wish
    if rejections.is_hedged(strip_asides(predicate)):
        return None
    if (contrast := _EXPRESSIONS.contrast.match(predicate)) is not None:
        return _read_contrast(contrast, clause)
    normalized = _EXPRESSIONS.am.sub(r"\1 ", _EXPRESSIONS.am.sub(r"\1 ", predicate))
    event = first_finding("events", normalized, clause) or first_finding("childhood", normalized, clause)
    normalized = re.sub(r"(?i)^are\b", "am", normalized)
    if event is not None or rejections.is_momentary(strip_asides(normalized)):
        return event
    habit = first_finding("habits", normalized, clause)
    listed = habit or first_finding("me", _EXPRESSIONS.habitual.sub("", normalized), clause)
    return listed or general.read(normalized, clause)


def _read_contrast(contrast: re.Match[str], clause: Clause) -> Finding | None:
    """ "Live in Braga now, not Porto": the statement, in place of the one that it corrects."""
    finding = _read_personal(contrast["new"], clause)
    if finding is None:
        return None
    former = first_finding("me", splice(contrast["new"], contrast["old"]), clause)
    return replace(finding, replaces=former.text) if former is not None else finding


def _predicates(text: str) -> Iterator[str]:
    """The predicates of one subject: "live in Berlin and work at Acme" has two."""
    start = 0
    was_state = re.match(r"(?i)(?:am|are)\b", text) is not None
    for index, joint in enumerate(() if _EXPRESSIONS.leans.match(text) else _EXPRESSIONS.split.finditer(text)):
        if index >= _MAX_PREDICATES or _EXPRESSIONS.ties.search(text[start : joint.start()]):
            break
        if _EXPRESSIONS.noun_too.match(text, start) and text[joint.end() :].split()[0] == text[start:].split()[0]:
            continue  # "I love the joy and love in it": the same word, a noun
        yield _complete(text[start : joint.start()], start > 0 and was_state)
        start = joint.end()
    yield _complete(text[start:], start > 0 and was_state)


def _complete(part: str, was_state: bool) -> str:
    if _EXPRESSIONS.counts.match(part):
        return f"have {part}"
    return f"am {part}" if was_state and _EXPRESSIONS.states.match(part) else part
