"""Help texts of the chat commands."""

from difflib import get_close_matches

from recollect.faces import outcome_text
from recollect.faces.wording import say

USAGE = {
    "show": ("[all | injected [message]]", "what is remembered about you, and this conversation's summary"),
    "list": ("", "the same items with their numbers and ids"),
    "search": ("<question>", "what fits a question, best first"),
    "why": ("<number, id or part>", "where an item comes from, and what happened to it"),
    "remember": ("<text>", "remember something about you"),
    "edit": ('<number, id or "part"> <new words>', "change the words of an item"),
    "forget": ("[all] <part, number or id>", "forget an item, or all that match"),
    "forgotten": ("", "what was forgotten or replaced, with the numbers for restore"),
    "restore": ("<number, id or part>", "bring back something that was forgotten or replaced"),
    "undo": ("", "take back the last change; again for the one before it"),
    "redo": ("", "take back the last undo"),
    "pin": ("<number, id or part>", "never let an item give way to newer ones"),
    "unpin": ("<number, id or part>", "let it give way again"),
    "share": ("<number, id or part>", "let an item be recalled wherever you speak"),
    "private": ("<number, id or part>", "let it be recalled in your direct messages only"),
    "pause": ("", "learn nothing from what you say, until you resume"),
    "resume": ("", "learn from what you say again"),
    "relearn": ("[yes]", "learn from what you said again; what would change is shown first"),
    "reset": ("rolling", "clear the rolling summary of this conversation"),
    "export": ("[json]", "your items to keep"),
    "erase": (
        "[here]",
        "erase all that is known of you, or what you left on this server, for good; you are asked first",
    ),
    "help": ("", "this list"),
}
"""For each verb its arguments and a description."""

INJECTED = "the items that the next prompt would carry, and this conversation's summary"
"""What `show` does with `chat_commands.show` set to `injected`."""


def help_text(injected: bool = False, prefix: str = outcome_text.PREFIX) -> str:
    """The list of all commands."""
    return "\n".join([say("Memory commands:"), *(f"- {_line(verb, prefix, injected)}" for verb in USAGE)])


def usage(verb: str, prefix: str = outcome_text.PREFIX) -> str:
    """The answer to a command without its argument."""
    return say("Usage: {}", _line(verb, prefix))


def unknown(verb: str, injected: bool = False, prefix: str = outcome_text.PREFIX) -> str:
    """The answer to an unknown verb."""
    matches = get_close_matches(verb, USAGE, n=1)
    problem = say('There is no command "{}".', outcome_text.quote_input(verb))
    hint = say(' Did you mean "{}"?', matches[0]) if matches else ""
    return f"{problem}{hint}\n{help_text(injected, prefix)}"


def _line(verb: str, prefix: str, injected: bool = False) -> str:
    arguments, description = USAGE[verb]
    usage = say(arguments) if arguments else ""
    command = f"{outcome_text.typed(f'{outcome_text.PREFIX}{verb}', prefix)} {usage}".rstrip()
    return f"{command} – {say(INJECTED if injected and verb == 'show' else description)}"
