"""`python -m bench.rerank.candidates --data DIR --out FILE`: what a reranker gets to see, for every question.

One JSON object a line: corpus, half, category, question, the number of lines that are evidence, and the first hits of
`unified` as [text, score, is evidence]. So a model is compared without searching again.
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from bench.recall.dataset import Conversation, load
from bench.recall.measure import store
from recollect import AsyncMemory, Place
from recollect.recall.reranking import RERANKED_HITS, text_of


async def candidates(conversation: Conversation, corpus: str) -> list[dict[str, Any]]:
    after = max(document.at for document in conversation.documents)
    where = Place("bench", "guild", conversation.name, public=True)
    rows: list[dict[str, Any]] = []
    async with AsyncMemory("sqlite://", clock=lambda: after, run_worker=False) as memory:
        await store(memory, conversation)
        for asked in conversation.questions:
            hits = await memory.search(asked.text, user="bench", place=where, over="messages", limit=RERANKED_HITS)
            rows.append(
                {
                    "corpus": corpus,
                    "half": "tuning" if conversation.tuning else "reporting",
                    "category": asked.category,
                    "question": asked.text,
                    "evidence": len(asked.evidence),
                    "hits": [[text_of(hit), round(hit.score, 5), hit.item.id in asked.evidence] for hit in hits],
                }
            )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser("bench.rerank.candidates", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", required=True, help="folder of a data set; repeatable")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with given.out.open("w", encoding="utf-8") as file:
        for folder in given.data:
            for conversation in load(folder):
                for row in asyncio.run(candidates(conversation, folder.name)):
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
