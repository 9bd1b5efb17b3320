"""Whether a speaker said that something known is no longer so: a model that names a memo is not enough to retire it."""

from collections.abc import Sequence

from recollect.core.ports.model import Retraction
from recollect.core.types import Memo, Message
from recollect.language import changes, word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.clauses import lower
from recollect.policy.guard.own_words import own_words
from recollect.policy.guard.quote import find_quote

_PATTERNS = Patterns(
    ends=r"""
        {denied}|\b(?:{was_so})\b|\bnot\b|n't\b|\bex-?
        |\b(?:mov(?:e|ed|ing)|s(?:old|elling)|switch\w*|chang\w+|stop\w*|quit\w*|leaving|finish\w*|cancel\w*|gave|give|giving
        |divorc\w*|broke|split|die[ds]?|dead|lost|gone|resign\w*|retire\w*|fired|instead|now|again|new|anymore|actually
        |correct\w*|wrong|scratch|strike|take|kidding|joking|jk|j/k|lie|lying|false|untrue|joke|over|off|fell
        |born|birth|nicked|pinched|wrecked|written off|left|ditch\w*|dropp\w+|swapp\w+|trad(?:ed|ing)|rid
        |rehom\w+|delet\w+|uninstall\w*|stolen|abandon\w*|replac\w+|return\w*
        |donat\w+|threw|scrapp\w+|totall?ed|no (?:more|longer)|unsubscrib\w*|ran away|migrat\w+|through with
        |graduat\w+|laid off|drop\w* out|flunk\w*|aufgegeben|abgebrochen|geschmissen|gewechselt|arr[eê]t[eé]|dej[eé]
        |dejado|desisti|larguei|tranquei|parei|mud[ée]|mudei|vend[ií]|regal[ée]|doei|muri[óo]|morreu
        |sober|girlfriend|boyfriend|fianc[eé]e?|engaged|married
        |done with|put down|put \w+ (?:down|to sleep)|ended|became|turned|separated|dumped|passed|unemployed)\b""",
)


def is_ended(retraction: Retraction, messages: Sequence[Message], known: Sequence[Memo] = ()) -> bool:
    """Whether the quoted words, or without a quote the messages, speak of an end or a change."""
    texts = [own_words(message.text, message.name) for message in messages if not message.bot]
    if retraction.evidence:
        quotes = (find_quote(retraction.evidence, text) for text in texts)
        texts = [quote.sentence for quote in quotes if quote is not None]
    if any(word_forms.is_foreign(text) or _PATTERNS.ends.search(lower(text)) for text in texts):
        return True
    memos = [memo for memo in known if memo.id == retraction.id]
    return any(changes.effect(memo.text, text, is_fresh=True) == "" for memo in memos for text in texts)
