"""Names of commands and options in other programs, and ours."""

from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup

OPTIONS = {
    **dict.fromkeys(("--user", "--user-id", "--name", "-u"), "--as"),
    **dict.fromkeys(("--place", "--channel", "--where"), "--in"),
    **dict.fromkeys(("--out", "--output", "-o"), "--to"),
    **dict.fromkeys(("--db", "--database", "--file"), "--store"),
    **dict.fromkeys(("--top", "--top-k", "--max", "-k"), "--limit"),
}
COMMANDS = {
    **dict.fromkeys(
        ("delete", "remove", "rm"), "forget (it can be undone), or erase to remove every trace of a person"
    ),
    **dict.fromkeys(("save", "store", "note"), "remember"),
    **dict.fromkeys(("find", "query", "ask"), "search"),
    **dict.fromkeys(("update", "change"), "edit"),
    **dict.fromkeys(("users", "persons"), "people"),
    **dict.fromkeys(("get", "ls", "memories"), "show, or list for those that are no longer in use too"),
    **dict.fromkeys(("status", "stats", "health"), "doctor"),
    **dict.fromkeys(("reset", "clear", "wipe"), "erase, which can't be undone"),
    "settings": "config",
}


class Command(TyperCommand):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for parameter in self.params:
            if isinstance(parameter, TyperArgument):  # "WHAT <list[str]>" says nothing to people
                setattr(parameter, "display_type_rich", _no_type)  # noqa: B010

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            known = {name for parameter in self.params for name in parameter.opts}
            hint = OPTIONS.get(getattr(error, "option_name", ""))
            if hint in known:
                error.possibilities = [hint]  # pyright: ignore[reportAttributeAccessIssue] of typer's own click
            raise


class Group(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            if args[0] in COMMANDS and hasattr(error, "message"):
                error.message = f"There is no command '{args[0]}': use {COMMANDS[args[0]]}."  # pyright: ignore[reportAttributeAccessIssue] of typer's own click
            raise


def _no_type(ctx: Any) -> None:
    """No type of Python."""
