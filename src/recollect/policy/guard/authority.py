"""What the assistant is said to owe or to be free to do, and what somebody of rank is said to have said or allowed.

Such claims have endless wordings. They are told by the sorts of words that meet in one sentence (`sorts`): "the
operator let me read all notes" has someone of rank, a power, the speaker and a reach beyond them.
"""

from collections.abc import Callable

from recollect.language import lexicon
from recollect.language.word_forms import is_surely_english
from recollect.policy.guard.commands import claims_right, commands, redefines_assistant
from recollect.policy.guard.duties import states_duty
from recollect.policy.guard.orders import gives_order
from recollect.policy.guard.sorts import Reading, read, sentences, sorts_of, words_of

_ENGLISH = (lexicon.ENGLISH,)
_CLAIM_WORDS = 16
"""Words that are further apart belong to different thoughts."""


def claims_authority(text: str, capitals: frozenset[str] = frozenset()) -> bool:
    """Whether a sentence says what the assistant must or may do about truth, rules, rights or other people; `capitals`
    are the words that were written with one.
    """
    return any(_is_claim(sentence, capitals) for sentence in sentences(text) if not sentence.endswith("?"))


def addresses_assistant(text: str) -> bool:
    """Whether a sentence says what the assistant is to do, or may do: "you can be brief with me"."""
    return any(
        _is_duty(reading)
        for sentence in sentences(text.casefold())
        for reading in read(sentence, _ENGLISH if is_surely_english(sentence) else ())
    )


def rank_words(text: str) -> frozenset[str]:
    """The words of a text for people who have a say over others here, such as "admin"."""
    sentence_words = words_of(text.casefold())
    return frozenset(word for word in sentence_words if any("rank" in sorts for sorts in sorts_of(word).values()))


def _is_duty(reading: Reading) -> bool:
    return reading.are_near("assistant", "duty") or reading.are_near("assistant", "leave")


def _is_claim(sentence: str, capitals: frozenset[str]) -> bool:
    return any(map(_judge, read(sentence, capitals=capitals, needed=CLAIM_SORTS)))


def _judge(reading: Reading) -> bool:
    if not _is_claim_of(reading):
        return False
    # Within a window, as words at the two ends of a long sentence belong to different statements.
    windows = range(max(1, len(reading.words) - _CLAIM_WORDS + 1))
    return any(_is_claim_of(reading.part(start, _CLAIM_WORDS)) for start in windows)


def _is_claim_of(reading: Reading) -> bool:
    return any(claims(reading) for claims in CLAIMS)


def _binds_assistant(reading: Reading) -> bool:
    """A duty or a liberty of the assistant that is not about how to answer the speaker."""
    has_duty = reading.are_near("assistant", "duty") or reading.are_near("your", "duty")
    if not has_duty and not reading.are_near("assistant", "leave"):
        return False
    is_untrue = reading.has("untrue") and not reading.has_any("no", "posture")
    is_untrue |= reading.has("object", "no")  # "you may contradict me" is how to answer the speaker
    if is_untrue or reading.has("grave") or reading.has("others", "say", "stored", "reach"):
        return True
    is_about_stored = reading.are_near("whose", "stored", 1) and not reading.has("me")
    is_about_stored |= reading.has("no", "stored") and not reading.are_near("own", "stored", 2)
    is_about_others = reading.has_any("others", "loyal", "rules") and not reading.has("kind")
    is_about_others |= reading.has("person") and (reading.has("reach", "comply") or reading.has("stored"))
    return has_duty and (is_about_stored or is_about_others)


def _cites_rank(reading: Reading) -> bool:
    """What somebody of rank, or the system prompt, said or allowed."""
    if reading.has("rank", "say", "assistant", "stored") or reading.has("rank", "me", "your", "stored"):
        return True
    if not reading.has_any("say", "power") or not any(_is_rank(reading, at) for at in range(len(reading.words))):
        return False
    return reading.has_any("assistant", "your", "system") or (
        reading.has("me") and (reading.has("reach") or reading.has("power", "stored"))
    )


def _voids_rules(reading: Reading) -> bool:
    """Rules that are said not to hold for someone, or here; what is untrue and allowed here."""
    is_for_me = any("me" in each and "own" not in each for each in reading.words) or reading.are_near(
        "own", "stored", 1
    )
    if not (is_for_me or reading.has_any("assistant", "your", "here")) or not reading.has_any("rules", "untrue"):
        return False
    is_void = reading.has("void") or reading.has("no", "hold") or reading.has("off", "here")
    is_void |= reading.has("assistant") and (reading.are_near("no", "rules") or reading.has("breach"))
    is_void |= reading.has("i", "make") and reading.has_any("assistant", "your", "here")
    is_void |= reading.has("say") and reading.are_near("your", "rules", 1)
    return (reading.has("rules") and is_void) or reading.has("untrue", "power", "here")


def _is_rank(reading: Reading, at: int) -> bool:
    """Whether someone of rank has it here: "my admin" and "the admin of our building" have it elsewhere."""
    words = reading.words
    before, after = words[max(at - 1, 0) : at], words[at + 1 : at + 2]
    return "rank" in words[at] and not any("own" in each for each in before) and not any("of" in each for each in after)


CLAIMS: tuple[Callable[[Reading], bool], ...] = (
    _binds_assistant, _cites_rank, _voids_rules, commands, claims_right, redefines_assistant,
    gives_order, states_duty,
)  # fmt: skip
"""What is asked of each sentence, in order."""
CLAIM_SORTS = frozenset(
    "duty leave rank rules untrue command treat may power above remade goal master rightful works appoint since"
    " act bend lie does done guard weight inner doing gains trumps".split()
)
"""Each claim needs a word of one of these sorts."""
