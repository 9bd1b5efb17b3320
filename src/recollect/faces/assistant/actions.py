"""What a platform lets the assistant do, as its prompt says it."""

from recollect.core.types import Place
from recollect.settings import Settings

_DISCORD = """\
- What you write is posted as a reply in this channel, in Discord's Markdown; beyond 2,000 characters it is split.
- Mentions in it notify nobody.
- You cannot react, post elsewhere, change messages or manage the server: say so when asked."""
_COMMANDS = """\
- People see and change what you remember with `!memory show`, `!memory remember …`, `!memory forget …` and
  `!memory help`, or with /memory: name the command when they ask for it."""


def platform_actions(place: Place, settings: Settings) -> str:
    """The actions on the platform of a place; none in a terminal."""
    if place.platform != "discord":
        return ""
    return f"{_DISCORD}\n{_COMMANDS}" if settings.chat_commands.enabled else _DISCORD
