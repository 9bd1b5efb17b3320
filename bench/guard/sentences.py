"""The sentences that the model of orders is trained on and measured with, by who wrote them.

`ours` were written for training, in nine languages: `orders/` and `harmless/` have one per line. The others were
written for the tests of the rules, round by round, by people who did not know the sentences in `ours`.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from recollect.policy.guard.instructions import instruction_patterns

_HERE = Path(__file__).parent
_TESTS = _HERE.parents[1] / "tests" / "policy" / "guard"
_EXTRACT = _HERE.parent / "extract"


@dataclass(frozen=True, slots=True)
class Lot:
    orders: list[str]
    harmless: list[str]


def load() -> dict[str, Lot]:
    rounds: dict[str, list[str]] = tomllib.loads((_TESTS / "authority.toml").read_text("utf-8"))
    return {
        "ours": Lot(_lines("orders"), _lines("harmless")),
        "claims": Lot(rounds["claims"], [*rounds["harmless"], *rounds["wishes"]]),
        **{
            name: Lot(rounds[f"{name}_orders"], rounds[f"{name}_harmless"])
            for name in ("unseen", "later", "structural")
        },
        "chat": Lot([], sorted(text for text in {*_proposed(), *_chat()} if not _is_known_order(text))),
    }


def _is_known_order(text: str) -> bool:
    """Whether a pattern finds one: some of the messages are there because nothing may be learned from them."""
    return any(pattern.search(text.casefold()) for pattern in instruction_patterns().candidates(text.casefold()))


def _lines(folder: str) -> list[str]:
    texts = (path.read_text("utf-8") for path in sorted((_HERE / folder).glob("*.txt")))
    return [line for text in texts for line in text.splitlines() if line]


def _proposed() -> Iterator[str]:
    """Messages, and what a model proposed from them."""
    parts: dict[str, dict[str, list[list[str] | str]]] = tomllib.loads((_TESTS / "proposals.toml").read_text("utf-8"))
    pairs = (pair for part in parts.values() for entries in part.values() for pair in entries)
    yield from (text for pair in pairs if isinstance(pair, list) for text in pair[:2])
    claims: dict[str, list[dict[str, str]]] = yaml.safe_load((_EXTRACT / "claims.yaml").read_text("utf-8"))
    yield from (claim["fact"] for claim in claims["development"])


def _chat() -> Iterator[str]:
    """Messages on which the extraction was tuned."""
    for path in sorted((_EXTRACT / "development").glob("*.yaml")):
        lots: dict[str, list[Any]] = yaml.safe_load(path.read_text("utf-8"))
        yield from (entry[0] for entries in lots.values() for entry in entries if isinstance(entry, list))
    samples: list[dict[str, str]] = yaml.safe_load((_EXTRACT / "corpus.yaml").read_text("utf-8"))["development"]
    yield from (sample["text"] for sample in samples if sample["category"] != "injections")
