"""A chat service with a memory per user.

    pip install 'recollect[web,llm]'
    OPENAI_API_KEY=sk-… uvicorn fastapi_app:app
    curl -s localhost:8000/chat -H 'X-User: ada' --json '{"text": "I moved to Lisbon in May"}'
    curl -s localhost:8000/memories -H 'X-User: ada'       # a moment later: learning is in the background

Here the header says who speaks. In your service, let your sign-in say it: nothing else keeps people apart.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import FastAPI, Header, HTTPException
from openai import AsyncOpenAI
from pydantic import BaseModel

from recollect import AsyncMemory, Forgotten

MODEL = os.environ.get("MODEL", "gpt-5-mini")
User = Annotated[str, Header(alias="X-User", min_length=1)]
memory = AsyncMemory(os.environ.get("DATABASE", "memory.db"))


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    async with memory:
        yield


app = FastAPI(lifespan=lifespan)


class Question(BaseModel):
    text: str


@app.post("/chat")
async def chat(question: Question, user: User) -> dict[str, str]:
    prompt = await memory.context(question.text, user=user)
    messages = [{"role": "system", "content": prompt.system}, *prompt.messages]
    completion = await AsyncOpenAI().chat.completions.create(model=MODEL, messages=messages)
    reply = completion.choices[0].message.content or ""
    await memory.add([{"role": "user", "content": question.text}, {"role": "assistant", "content": reply}], user=user)
    return {"reply": reply}


@app.get("/memories")
async def memories(user: User) -> list[dict[str, str]]:
    return [{"id": memo.id, "text": memo.text} for memo in (await memory.show(user=user)).memos]


@app.delete("/memories/{memo_id}", status_code=204)
async def forget(memo_id: str, user: User) -> None:
    if not isinstance(await memory.forget(memo_id, user=user), Forgotten):
        raise HTTPException(404, "you have no memory with this id")
