"""A pydantic-ai agent with long-term memory: one capability, and the same agent serves everyone.

pip install 'recollect[llm]'
OPENAI_API_KEY=sk-… python pydantic_ai_agent.py ada "I moved to Lisbon in May. What should I see?"
OPENAI_API_KEY=sk-… python pydantic_ai_agent.py ada "Which city do I live in?"
"""

import asyncio
import os
import sys
from dataclasses import dataclass

from pydantic_ai import Agent, RunContext

from recollect import AsyncMemory
from recollect.adapters.pydantic_ai import LongTermMemory


@dataclass
class Session:
    user: str


def whose(run: RunContext[Session]) -> str:
    """Whose memory it is; your program says so, never the model."""
    return run.deps.user


async def main(user: str, question: str) -> None:
    async with AsyncMemory("agent.db") as memory:
        agent = Agent(
            os.environ.get("MODEL", "openai-chat:gpt-5-mini"),
            deps_type=Session,
            instructions="You are a travel agent. Be brief.",
            capabilities=[LongTermMemory(memory, user=whose)],
        )
        result = await agent.run(question, deps=Session(user))
        print(result.output)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
