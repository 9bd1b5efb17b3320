"""A chatbot that remembers, on any OpenAI-compatible server: OpenAI, Ollama, vLLM, llama.cpp, LM Studio …

    pip install 'recollect[llm]'
    OPENAI_API_KEY=sk-… python chatbot.py
    OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_API_KEY=none MODEL=llama3.2 python chatbot.py

Tell it something about yourself, leave with Ctrl-D, start it again and ask.
"""

import os

from openai import OpenAI, OpenAIError

from recollect import Memory

MODEL = os.environ.get("MODEL", "gpt-5-mini")
USER = os.environ.get("USER", "me")


def reply_to(text: str, memory: Memory, client: OpenAI) -> str:
    prompt = memory.context(text, user=USER)  # what is known and fits, and the conversation so far
    completion = client.chat.completions.create(
        model=MODEL, messages=[{"role": "system", "content": prompt.system}, *prompt.messages]
    )
    reply = completion.choices[0].message.content or ""
    # Kept when the call returns; learned from in the background.
    memory.add([{"role": "user", "content": text}, {"role": "assistant", "content": reply}], user=USER)
    return reply


def main() -> None:
    if not os.environ.get("OPENAI_API_KEY"):
        raise SystemExit("OPENAI_API_KEY is not set; the first lines of this program show how to run it")
    with Memory("chatbot.db") as memory:
        client = OpenAI()
        while True:
            try:
                text = input("you › ").strip()
            except (EOFError, KeyboardInterrupt):
                break
            if not text:
                continue
            try:
                print(reply_to(text, memory, client))
            except OpenAIError as error:
                print(f"The model did not answer: {error}")


if __name__ == "__main__":
    main()
