"""Parses an answer in OpenAI's embeddings protocol, trusting nothing in it."""

import json
from typing import Any, cast

from recollect.core.errors import EmbedderError
from recollect.core.ports import Vector
from recollect.embedders._isolate import TextsRefused
from recollect.embedders._vectors import NotFinite, pack_vectors


def parse_vectors(content: bytes, count: int) -> list[Vector]:
    """The vectors in the order of the texts, regardless of the order in the answer. Raises EmbedderError."""
    try:
        rows = _ordered_rows(json.loads(content), count)
    except (ValueError, RecursionError) as error:
        raise EmbedderError(f"the server's answer is not JSON: {error}") from error
    except (AttributeError, KeyError, TypeError) as error:
        raise EmbedderError("the server's answer is not what the protocol says") from error
    try:
        return pack_vectors(rows)
    except NotFinite as error:
        raise TextsRefused("the server gave vectors of numbers that are not finite") from error
    except (TypeError, ValueError) as error:
        raise EmbedderError("the server gave vectors that are not rows of equally many numbers") from error


def _ordered_rows(answer: Any, count: int) -> list[Any]:
    data = cast("list[dict[str, Any]]", answer["data"])
    rows = {int(item.get("index", position)): item["embedding"] for position, item in enumerate(data)}
    if len(data) != count or rows.keys() != set(range(count)):
        raise EmbedderError(f"the server gave {len(data)} vectors for {count} texts, or numbered them wrongly")
    return [rows[index] for index in range(count)]
