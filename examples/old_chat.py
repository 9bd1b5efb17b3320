"""Import an old chat and ask it questions: the `conversations.json` of a ChatGPT export, without a model or a key.

pip install recollect
python old_chat.py conversations.json "where do I live?" "what did I say about the garden?"
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from recollect import Memory, Message, Place

ME = "me"
HERE = Place("chatgpt", dm=ME)  # where it was said, and from where we ask


def messages(path: Path) -> Iterator[Message]:
    """What was said in all conversations of an export, oldest first."""
    said = []
    for conversation in json.loads(path.read_text("utf-8")):
        for node in conversation["mapping"].values():
            message = node.get("message") or {}
            parts = (message.get("content") or {}).get("parts") or []
            text = "\n".join(part for part in parts if isinstance(part, str)).strip()
            role = (message.get("author") or {}).get("role")
            if text and message.get("create_time") and role in ("user", "assistant"):
                at = datetime.fromtimestamp(message["create_time"], UTC)
                author = ME if role == "user" else "assistant"
                said.append(Message(message["id"], author, HERE, text, at, bot=role == "assistant"))
    yield from sorted(said, key=lambda message: message.at)


def main(path: Path, *questions: str) -> None:
    with Memory("old_chat.db") as memory:
        added = memory.add(list(messages(path)), wait=True)
        print(f"{added.new} new messages, {len(added.learned)} facts learned")
        for question in questions:
            print(f"\n{question}")
            for hit in memory.search(question, user=ME, place=HERE, limit=3):
                print(f"  - {hit.text}" if hit.relevant else f"  ? {hit.text}")
            for hit in memory.search(question, user=ME, place=HERE, over="messages", limit=2):
                print(f"    {hit.message.at:%Y-%m-%d}: {hit.text}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
