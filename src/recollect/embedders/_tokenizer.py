"""Byte-pair encoding by the vocabulary of the static vectors (that of Llama 2): text becomes numbers of tokens.

Gives what the package `tokenizers` gives for that vocabulary, without the fourteen packages that come with it.
"""

import re
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

SPACE = "▁"
"""Stands for a space in the vocabulary. No token has one behind another character, so words are encoded one by one."""
_CHUNK = re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")
_SPECIAL = ("<unk>", "<s>", "</s>")
_SPECIAL_SPLIT = re.compile(f"({'|'.join(_SPECIAL)})")
"""Tokens wherever they stand in a text."""
MAX_CACHED_CHARS, MAX_CACHED_WORDS = 40, 20_000
"""A longer chunk is a text without spaces, which hardly comes twice."""


class Tokenizer:
    """Encodes texts; `vocabulary` has the tokens in the order of their numbers."""

    def __init__(self, vocabulary: list[str]) -> None:
        self._numbers = {token: number for number, token in enumerate(vocabulary)}
        self._words: dict[str, Sequence[int]] = {}

    def encode(self, text: str) -> list[int]:
        numbers: list[int] = []
        for part in _SPECIAL_SPLIT.split(text) if "<" in text else (text,):
            if part in _SPECIAL:
                numbers.append(self._numbers[part])
            elif part:
                for chunk in _CHUNK.findall(SPACE + part.replace(" ", SPACE)):
                    numbers += self._words.get(chunk) or self._encode_chunk(chunk)
        return numbers

    def _encode_chunk(self, chunk: str) -> Sequence[int]:
        # Every token that is a chunk is what its characters are joined to, so a common word needs no joining.
        pieces = [chunk] if chunk in self._numbers else self._merge(chunk)
        numbers = [number for piece in pieces for number in self._numbers_of(piece)]
        if len(chunk) <= MAX_CACHED_CHARS:
            if len(self._words) >= MAX_CACHED_WORDS:
                self._words.clear()
            self._words[chunk] = numbers
        return numbers

    def _merge(self, chunk: str) -> list[str]:
        """Join neighbors until no two make a token: the pair of the lowest rank first, the leftmost among equals."""
        rank, pieces = self._rank, list(chunk)  # a piece that was joined to the one before becomes empty
        before, after = list(range(-1, len(pieces) - 1)), [*range(1, len(pieces)), -1]
        pairs = ((rank(pieces[at], pieces[at + 1]), at) for at in range(len(pieces) - 1))
        queue = [pair for pair in pairs if pair[0]]
        heapify(queue)
        while queue:
            expected, at = heappop(queue)
            following = after[at]
            if following < 0 or not pieces[at] or rank(pieces[at], pieces[following]) != expected:
                continue  # one of the two was joined to another piece
            pieces[at] += pieces[following]
            pieces[following] = ""
            right, left = after[following], before[at]
            after[at] = right
            if right >= 0:
                before[right] = at
                if new := rank(pieces[at], pieces[right]):
                    heappush(queue, (new, at))
            if left >= 0 and (new := rank(pieces[left], pieces[at])):
                heappush(queue, (new, left))
        return [piece for piece in pieces if piece]

    def _rank(self, left: str, right: str) -> int:
        """0 if two tokens don't make one, else the lower the sooner: by the number of what they make, and their own."""
        joined = self._numbers.get(left + right)
        if joined is None or left not in self._numbers or right not in self._numbers:
            return 0
        if left[-1] == SPACE == right[0]:  # runs of spaces come last
            joined += len(self._numbers)
        return joined << 32 | self._numbers[left] << 16 | self._numbers[right]

    def _numbers_of(self, piece: str) -> list[int]:
        number = self._numbers.get(piece)
        if number is not None:
            return [number]
        return [self._numbers[f"<0x{byte:02X}>"] for byte in piece.encode("utf-8", "replace")]
