"""What `recollect` prints when called without a command."""

from recollect.core.version import __version__
from recollect.faces.cli.doctor import file_of
from recollect.faces.cli.invocation import Invocation
from recollect.faces.outcome_text import count_memories
from recollect.settings import Settings
from recollect.settings.values import redacted

_EXAMPLES = """\
  recollect chat
  recollect remember "I prefer tea over coffee"
  recollect show
  recollect search "what do I drink?"
  recollect forget coffee"""


def welcome(call: Invocation) -> None:
    loaded = call.load("null")
    count, store = _count_memories(call, loaded.settings), redacted(loaded.settings.store)
    if call.options.json:
        call.screen.data({"version": __version__, "user": call.user, "memories": count, "store": store})
        return
    call.screen.say(f"recollect {__version__}: long-term memory for chat assistants\n")
    call.screen.say(
        f"Data lives in {file_of(store) or store}: {count_memories(count)} about {call.user}\n\nTry:\n{_EXAMPLES}\n"
    )
    call.screen.say("'recollect help' explains the commands; 'recollect doctor' checks that everything works.")


def _count_memories(call: Invocation, settings: Settings) -> int:
    path = file_of(settings.store)
    if path is not None and not path.exists():
        return 0  # showing the welcome creates no files
    return call.run(lambda memory: memory.show(user=call.user, place=call.where, limit=0)).total
