"""What a layout of the prompt is: the order of its sections and their headers. `create` of its module returns one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect.core.types import Memo, Place


@dataclass(frozen=True, slots=True)
class Layout:
    """Which sections there are, in which order and under which headers.

    A section of a layer that the layout doesn't list comes right before the message, or last where there is none.
    """

    order: tuple[str, ...]
    headers: Mapping[str, str]
    separator: str = "\n\n---\n"
    after_header: str = "\n"
    render_memo: Callable[[Memo, Place | None], str] | None = None
    """A memo as a line, where it is not the usual one."""
    stable_first: bool = False
    """What seldom changes comes first, so that a provider's prompt cache keeps hitting; layers help with that."""
