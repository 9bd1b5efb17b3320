"""Texts on the GPU: each is encoded once, and the pairs of a batch are put together there."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

LISTS, ITEMS = 48, 16
"""Questions in a batch, and texts for each."""
MAX_TEXT_TOKENS = 128
Row = dict[str, Any]


class Encoded:
    """Texts as numbers of tokens; a pair of texts is a pair of their numbers."""

    def __init__(self, tokenizer: Tokenizer, texts: Sequence[str]) -> None:
        unique = list(dict.fromkeys(texts))
        self._numbers = {text: number for number, text in enumerate(unique)}
        ids = np.zeros((len(unique), MAX_TEXT_TOKENS), np.int32)
        lengths = np.zeros(len(unique), np.int32)
        for number, one in enumerate(tokenizer.encode_batch_fast(unique, add_special_tokens=False)):
            length = min(len(one.ids), MAX_TEXT_TOKENS)
            ids[number, :length] = one.ids[:length]
            lengths[number] = length
        self._ids, self._lengths = torch.from_numpy(ids).cuda(), torch.from_numpy(lengths).cuda()
        self.lengths = lengths
        self._cls, self._sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")

    def number(self, text: str) -> int:
        return self._numbers[text]

    def batch(self, questions: Tensor, texts: Tensor, limit: int) -> tuple[Tensor, Tensor, Tensor]:
        """Ids, mask and types of the pairs, with the question cut to half of the limit, and the text to the rest."""
        first = self._lengths[questions].clamp(max=limit // 2)[:, None]
        second = torch.minimum(self._lengths[texts][:, None], limit - 3 - first)
        length = -(-int((first + second).max() + 3) // 8) * 8
        place = torch.arange(length, device="cuda")[None].expand(len(questions), -1)
        start = first + 2
        in_question = (place >= 1) & (place <= first)
        in_text = (place >= start) & (place < start + second)
        ends = (place == first + 1) | (place == start + second)
        asked = self._ids[questions].gather(1, (place - 1).clamp(0, MAX_TEXT_TOKENS - 1))
        told = self._ids[texts].gather(1, (place - start).clamp(0, MAX_TEXT_TOKENS - 1))
        ids = torch.where(in_question, asked, torch.where(in_text, told, torch.zeros_like(asked)))
        ids = torch.where(ends, self._sep, ids)
        ids[:, 0] = self._cls
        mask = place < start + second + 1
        types = (place >= start) & mask
        return ids.long(), mask.long(), types.long()


class Lists:
    """The questions of the training data as numbers, each with its right and wrong texts."""

    def __init__(self, rows: Sequence[Row], encoded: Encoded) -> None:
        self.questions = [encoded.number(row["question"]) for row in rows]
        self.right = [[encoded.number(text) for text in row["right"]] for row in rows]
        self.wrong = [[encoded.number(text) for text in row["wrong"]] for row in rows]
        self.any = [bool(row["any"]) for row in rows]

    def sample(self, number: int, chance: random.Random) -> tuple[list[int], int]:
        """Texts of one list, and how many of them, at the start, are right."""
        right, wrong = self.right[number], self.wrong[number]
        some = chance.sample(right, min(len(right), 4))
        strong = wrong[: (ITEMS - len(some)) // 2]  # half of the rivals are the strongest ones
        rest = wrong[len(strong) :]
        texts = [*some, *strong, *chance.sample(rest, min(len(rest), ITEMS - len(some) - len(strong)))]
        while len(texts) < ITEMS:
            texts.append(self.right[chance.randrange(len(self.right))][0])
        return texts, len(some)


@dataclass(frozen=True)
class Batch:
    questions: Tensor
    texts: Tensor
    labels: Tensor
    any_of: Tensor
    """Lists that are content with one of the right ones."""


def batches(lists: Lists, chance: random.Random) -> Iterator[Batch]:
    """The lists in a random order, batch by batch."""
    order = list(range(len(lists.questions)))
    chance.shuffle(order)
    for start in range(0, len(order) - LISTS + 1, LISTS):
        chosen = order[start : start + LISTS]
        sampled = [lists.sample(number, chance) for number in chosen]
        labels = np.zeros((LISTS, ITEMS), np.float32)
        for place, (_, count) in enumerate(sampled):
            labels[place, :count] = 1
        texts = torch.tensor([texts for texts, _ in sampled])
        questions = torch.tensor([lists.questions[number] for number in chosen])[:, None].expand(-1, ITEMS)
        yield Batch(
            questions.reshape(-1).cuda(),
            texts.reshape(-1).cuda(),
            torch.from_numpy(labels).cuda(),
            torch.tensor([float(lists.any[number]) for number in chosen]).cuda(),
        )
