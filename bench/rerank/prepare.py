"""`python -m bench.rerank.prepare --raw DIR --out FILE`: training data, a question with its evidence and rivals a line.

`--raw` has the public files under these names: chitchat.json, qmsum/*.json, molweni.json, qamr-sentences.tsv and
qamr-*.tsv (filtered), qed.jsonlines, xquad.json, selqa-*.json. A source whose files are missing is left out. The
scripted worlds need none. The rivals of a question are what a search would find: lines of the same conversation with
its words (BM25) or of its meaning (the vectors that come with recollect), lines around the evidence, and a few others.
"""

import argparse
import asyncio
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.rerank.form import World
from bench.rerank.sources import SOURCES
from bench.rerank.worlds import generate
from recollect import plugins
from recollect.core.ports import EmbedderOptions
from recollect.core.ports.ranker import STOP_WORDS
from recollect.core.text import words

RIVALS, RANDOM_RIVALS = 24, 4
MAX_LINE_CHARS = 700
"""More than a reranker reads."""


async def rows(world: World, embedder: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    texts = [line.shown for line in world.lines]
    shown = [world.shown(place)[:MAX_LINE_CHARS] for place in range(len(texts))]
    said = [line.text[:MAX_LINE_CHARS] for line in world.lines]
    ignored = STOP_WORDS | {word for line in world.lines for word in words(line.speaker)}  # as `unified` does
    vectors = _matrix(await embedder.embed(said))
    counts = [Counter(word for word in words(text) if word not in ignored) for text in said]
    lengths = np.array([sum(count.values()) for count in counts])
    postings: dict[str, list[int]] = {}
    for place, count in enumerate(counts):
        for word in count:
            postings.setdefault(word, []).append(place)
    topics = [" ".join(word for word in words(question.text) if word not in ignored) for question in world.questions]
    asked = _matrix(await embedder.embed(topics or ["-"]))
    norm = 1 / (1 + 0.9 * (0.2 + 0.8 * lengths / max(1.0, float(lengths.mean()))))
    found: list[dict[str, Any]] = []
    for question, topic, vector in zip(world.questions, topics, asked, strict=False):
        scores = np.zeros(len(texts))
        for word in set(topic.split()):
            places = postings.get(word, [])
            scores[places] += math.log(1 + (len(texts) + 0.5) / (len(places) + 0.5)) * norm[places]
        cosines = vectors @ vector
        scores = scores / max(1e-9, scores.max()) + cosines / max(1e-9, cosines.max())
        order = [int(place) for place in np.argsort(-scores)[: RIVALS + len(question.evidence) + len(question.unclear)]]
        around = [place + step for place in question.evidence[:3] for step in (-1, 1) if 0 <= place + step < len(texts)]
        others = [chance.randrange(len(texts)) for _ in range(RANDOM_RIVALS)]
        evidence = question.evidence
        if question.any_of:  # people's answers often say nothing by themselves: learn from those that a search finds
            evidence = tuple(place for place in evidence if place in order)
        if not evidence:
            continue
        barred = {*question.evidence, *question.unclear}
        right = {texts[place] for place in barred}
        rivals = [place for place in dict.fromkeys([*order, *around, *others]) if place not in barred]
        found.append(
            {
                "question": question.text,
                "any": question.any_of,
                "right": [shown[place] for place in evidence],
                "wrong": [shown[place] for place in rivals if texts[place] not in right],
            }
        )
    return iter(found)


def _matrix(vectors: list[bytes]) -> np.ndarray:
    matrix = np.array([np.frombuffer(vector, np.float32) for vector in vectors])
    return matrix / np.maximum(1e-9, np.linalg.norm(matrix, axis=1, keepdims=True))


async def run(given: argparse.Namespace) -> None:
    embedder = plugins.load("embedders", "static", EmbedderOptions())
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with given.out.open("w", encoding="utf-8") as file:
        for name in given.sources or [*SOURCES, "worlds"]:
            chance, count = random.Random(f"{given.seed}:{name}"), 0
            worlds = generate(given.worlds, given.seed) if name == "worlds" else SOURCES[name](given.raw, chance)
            try:
                for world in worlds:
                    for row in await rows(world, embedder, chance):
                        count += 1
                        file.write(json.dumps({"source": name, **row}, ensure_ascii=False) + "\n")
            except FileNotFoundError as error:
                print(f"skipped: {name}, {error}", file=sys.stderr)
            print(f"{name}: {count} questions", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser("bench.rerank.prepare", description=__doc__)
    parser.add_argument("--raw", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--worlds", type=int, default=300, help="how many scripted worlds; default: %(default)s")
    parser.add_argument("--sources", nargs="*", default=[], help="only these; default: all")
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(run(parser.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
