"""The data that a reranker is trained on."""

import random
from pathlib import Path

from bench.rerank.sources import SOURCES


def test_the_questions_of_each_dialogue_have_evidence_and_keep_their_words():
    worlds = list(SOURCES["dialogues"](Path(), random.Random(1)))
    assert len(worlds) == 51
    assert sum(len(world.questions) for world in worlds) == 2645
    for world in worlds:
        assert len({line.speaker for line in world.lines}) == 2
        for question in world.questions:
            assert question.evidence
            assert all(0 <= place < len(world.lines) for place in question.evidence)
            assert question.text not in {line.text for line in world.lines}
