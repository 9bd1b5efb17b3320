"""A LangGraph agent whose first node recalls and whose last one remembers.

    pip install 'recollect[langgraph,llm]' langgraph
    OPENAI_API_KEY=sk-… python langgraph_agent.py ada "I moved to Lisbon in May. What should I see?"
    OPENAI_API_KEY=sk-… python langgraph_agent.py ada "Which city do I live in?"

`RecollectStore` of the same package is a store for `graph.compile(store=…)`, if your nodes read and write one.
"""

import os
import sys
from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from openai import OpenAI

from recollect import Memory


class State(TypedDict, total=False):
    user: str
    question: str
    request: list[dict[str, str]]
    reply: str


def build(memory: Memory, client: OpenAI, model: str):
    def recall(state: State) -> State:
        prompt = memory.context(state["question"], user=state["user"])
        return {"request": [{"role": "system", "content": prompt.system}, *prompt.messages]}

    def answer(state: State) -> State:
        completion = client.chat.completions.create(model=model, messages=state["request"])
        return {"reply": completion.choices[0].message.content or ""}

    def remember(state: State) -> State:
        said = [{"role": "user", "content": state["question"]}, {"role": "assistant", "content": state["reply"]}]
        memory.add(said, user=state["user"])
        return {}

    graph = StateGraph(State)
    for node in (recall, answer, remember):
        graph.add_node(node.__name__, node)
    for edge in ((START, "recall"), ("recall", "answer"), ("answer", "remember"), ("remember", END)):
        graph.add_edge(*edge)
    return graph.compile()


if __name__ == "__main__":
    with Memory("agent.db") as store:
        agent = build(store, OpenAI(), os.environ.get("MODEL", "gpt-5-mini"))
        print(agent.invoke({"user": sys.argv[1], "question": sys.argv[2]})["reply"])
