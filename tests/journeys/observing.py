"""A process that takes note of what people say, and learns nothing itself.

`python observing.py STORE RUN COUNT` says `ready`, waits for a line to begin, and prints each message once it is kept.
"""

import asyncio
import sys

import recollect
from recollect import Message, Place
from recollect.core.clock import now

USERS = ("ann", "bob", "cem")
DEV = Place("discord", "g1", "c-dev", name="dev", public=True)


async def main(store: str, run: str, count: int) -> None:
    async with recollect.AsyncMemory(store, embedder="null", run_worker=False) as memory:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)

        async def talk(user: str) -> None:
            for number in range(count):
                name = f"{run}-{user}-{number}"
                await memory.add(Message(name, user, DEV, f"I live in {run}{user}ville{number}", now(), user))
                print(name, flush=True)

        await asyncio.gather(*map(talk, USERS))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
