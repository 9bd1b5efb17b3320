"""Reads a server's answer in the protocol of OpenAI's embeddings, trusting nothing in it."""

import json
from typing import Any, cast

from recollect.core.errors import EmbedderError
from recollect.core.ports import Vector
from recollect.embedders._isolate import Refused
from recollect.embedders._vectors import NotFinite, packed


def vectors_of(content: bytes, count: int) -> list[Vector]:
    """The vectors in the order of the texts, whatever the order of the answer. Raises EmbedderError."""
    try:
        rows = _rows(json.loads(content), count)
    except (ValueError, RecursionError) as error:
        raise EmbedderError(f"the server's answer is not JSON: {error}") from error
    except (AttributeError, KeyError, TypeError) as error:
        raise EmbedderError("the server's answer is not what the protocol says") from error
    try:
        return packed(rows)
    except NotFinite as error:
        raise Refused("the server gave vectors of numbers that are not finite") from error
    except (TypeError, ValueError) as error:
        raise EmbedderError("the server gave vectors that are not rows of equally many numbers") from error


def _rows(answer: Any, count: int) -> list[Any]:
    data = cast("list[dict[str, Any]]", answer["data"])
    rows = {int(item.get("index", place)): item["embedding"] for place, item in enumerate(data)}
    if len(data) != count or rows.keys() != set(range(count)):
        raise EmbedderError(f"the server gave {len(data)} vectors for {count} texts, or numbered them wrongly")
    return [rows[number] for number in range(count)]
