"""The port of prompt layouts: the order of sections and their headers. `create` of its module returns one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect.core.types import Memo, Place


@dataclass(frozen=True, slots=True)
class Layout:
    """Which sections there are, in which order and under which headers.

    A section that the layout doesn't list comes right before the message, or last if there is none.
    """

    order: tuple[str, ...]
    headers: Mapping[str, str]
    separator: str = "\n\n---\n"
    after_header: str = "\n"
    render_memo: Callable[[Memo, Place | None], str] | None = None
    """Renders a memo as a line, if not in the default way."""
    rules: bool = False
    """Whether a prompt that is sent as a whole turn brings the instructions about memory, which are no section."""
    stable_first: bool = False
    """Stable sections come first, so that a provider's prompt cache keeps hitting; layers cooperate."""
