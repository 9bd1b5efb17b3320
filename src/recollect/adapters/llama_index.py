"""Long-term memory for LlamaIndex: `Memory.from_defaults(memory_blocks=[RecollectBlock.of(memory, user="ann")])`.

LlamaIndex asks the block before each model call, and hands it the messages that leave its own short-term memory; it
keeps the others itself. `await block.aput(messages)` adds a turn at once.
"""

# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
# The framework is only in the environment of `make test-adapters`.

from collections.abc import Sequence
from secrets import token_hex
from typing import Any

from recollect.adapters.turns import Turns
from recollect.core.types import Place
from recollect.inputs import UserId
from recollect.memory import AsyncMemory
from recollect.sync import Memory

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemoryBlock
    from pydantic import PrivateAttr
except ImportError as missing:
    raise ImportError("memory for LlamaIndex needs its package: pip install llama-index-core") from missing

_ROLES = {MessageRole.USER: False, MessageRole.ASSISTANT: True}


class RecollectBlock(BaseMemoryBlock[str]):
    """What is known about the user and fits the last message; messages put into it are learned from."""

    name: str = "long_term_memory"
    _turns: Turns = PrivateAttr()

    @classmethod
    def of(
        cls, memory: AsyncMemory | Memory, *, user: UserId, place: Place | None = None, **options: Any
    ) -> "RecollectBlock":
        block = cls(**options)
        block._turns = Turns(memory, user, place)
        return block

    async def _aget(self, messages: Sequence[ChatMessage] | None = None, **block_kwargs: Any) -> str:  # noqa: ARG002
        questions = [message.content or "" for message in messages or () if message.role == MessageRole.USER]
        return await self._turns.run(self._turns.instructions(questions[-1] if questions else ""))

    async def _aput(self, messages: Sequence[ChatMessage]) -> None:
        said = [
            (token_hex(8), message.content or "", _ROLES[message.role])
            for message in messages
            if message.role in _ROLES
        ]
        await self._turns.run(self._turns.add(said))
