"""The programs in `examples/`, run as they stand there, against a model server on this machine."""

import ast
import asyncio
import importlib.util
import json
import os
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from recollect.testing.model_server import ModelServer, Request, Says

EXAMPLES = Path(__file__).parents[1] / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))
NOTEBOOK = EXAMPLES / "notebook.ipynb"
LISBON = "I moved to Lisbon in May"


def answer(request: Request) -> Says:
    """A model that reads its instructions and what is sent along."""
    sent = request.instructions + request.text
    return Says("You live in Lisbon." if "Lives in Lisbon" in sent and "where" in request.text else "I see.")


async def run(program: str, folder: Path, *arguments: str, said: str = "", server: ModelServer | None = None) -> str:
    env = {"PATH": os.environ["PATH"], "USER": "ada", "RECOLLECT_MODEL": "local", "RECOLLECT_EMBEDDER": "null"}
    if server is not None:
        env |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
    command = [sys.executable, "-W", "error::ResourceWarning", str(EXAMPLES / program), *arguments]
    process = await asyncio.create_subprocess_exec(*command, env=env, cwd=folder, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    async with asyncio.timeout(100):
        out, err = await process.communicate(said.encode())
    assert process.returncode == 0, err.decode()
    return out.decode()


def imported(program: str, monkeypatch: pytest.MonkeyPatch, **env: str) -> ModuleType:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    spec = importlib.util.spec_from_file_location(program.removesuffix(".py"), EXAMPLES / program)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_chatbot_says_in_one_line_that_it_needs_a_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SystemExit, match="OPENAI_API_KEY is not set"):
        imported("chatbot.py", monkeypatch).main()


def test_there_are_six_each_short_and_named_in_the_readme():
    named = (EXAMPLES / "README.md").read_text("utf-8")
    assert len([*PROGRAMS, NOTEBOOK]) == 6
    for path in (*PROGRAMS, NOTEBOOK):
        assert f"[{path.name}]({path.name})" in named
    for path in PROGRAMS:
        assert len(path.read_text("utf-8").splitlines()) < 60


@pytest.mark.slow
async def test_the_chatbot_remembers_over_a_restart_and_survives_a_model_that_fails(tmp_path: Path):
    async with ModelServer(answer) as server:
        assert "I see." in await run("chatbot.py", tmp_path, said=f"{LISBON}\n\n", server=server)
        assert "You live in Lisbon." in await run("chatbot.py", tmp_path, said="where do I live?\n", server=server)
        assert LISBON in server.requests[-1].text, "the conversation so far is sent along"
    replies = await run("chatbot.py", tmp_path, said="hello\nhello\n", server=server)
    assert replies.count("The model did not answer") == 2


async def test_the_service_keeps_its_users_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with ModelServer(answer) as server:
        module = imported(
            "fastapi_app.py",
            monkeypatch,
            OPENAI_BASE_URL=server.url,
            OPENAI_API_KEY="none",
            DATABASE=str(tmp_path / "memory.db"),
            RECOLLECT_MODEL="local",
            RECOLLECT_EMBEDDER="null",
        )
        transport = httpx.ASGITransport(app=module.app)
        async with (
            module.app.router.lifespan_context(module.app),
            httpx.AsyncClient(transport=transport, base_url="http://test") as client,
        ):
            ada, ben = {"X-User": "ada"}, {"X-User": "ben"}
            assert (await client.post("/chat", json={"text": LISBON}, headers=ada)).json() == {"reply": "I see."}
            await module.memory.add("I use Helix", user="ada", wait=True)  # what was said before is learned by then
            for user, reply in ((ada, "You live in Lisbon."), (ben, "I see.")):
                response = await client.post("/chat", json={"text": "where do I live?"}, headers=user)
                assert response.json() == {"reply": reply}
            known = (await client.get("/memories", headers=ada)).json()
            assert "Lives in Lisbon" in [memo["text"] for memo in known]
            assert (await client.get("/memories", headers=ben)).json() == []
            assert (await client.delete(f"/memories/{known[0]['id']}", headers=ben)).status_code == 404
            assert (await client.delete(f"/memories/{known[0]['id']}", headers=ada)).status_code == 204
            assert len((await client.get("/memories", headers=ada)).json()) == len(known) - 1
            assert (await client.get("/memories")).status_code == 422


@pytest.mark.slow
@pytest.mark.parametrize("program", ["pydantic_ai_agent.py", "langgraph_agent.py"])
async def test_an_agent_knows_in_the_next_run_what_it_was_told(program: str, tmp_path: Path):
    async with ModelServer(answer) as server:
        assert await run(program, tmp_path, "ada", f"{LISBON}. What should I see?", server=server) == "I see.\n"
        assert await run(program, tmp_path, "ada", "where do I live?", server=server) == "You live in Lisbon.\n"
        assert await run(program, tmp_path, "ben", "where do I live?", server=server) == "I see.\n"


def exported(*turns: tuple[str, str]) -> list[dict[str, Any]]:
    """What ChatGPT exports of one conversation; its first node has no message."""
    nodes: dict[str, Any] = {"root": {"message": None}}
    for number, (role, text) in enumerate(turns):
        content = {"content_type": "text", "parts": [text]}
        message = {"id": f"m{number}", "author": {"role": role}, "create_time": 1.7e9 + number, "content": content}
        nodes[f"n{number}"] = {"message": message}
    return [{"title": "Moving", "mapping": nodes}]


async def test_an_old_chat_answers_questions_and_is_imported_once(tmp_path: Path):
    turns = [("system", ""), ("user", LISBON), ("assistant", "How nice!"), ("user", "My garden has three lemon trees")]
    (tmp_path / "conversations.json").write_text(json.dumps(exported(*turns)))
    first = await run("old_chat.py", tmp_path, "conversations.json", "where do I live?", "which trees?")
    assert first.startswith("3 new messages, ")
    assert "  - Lives in Lisbon" in first
    assert "2023-11-14: My garden has three lemon trees" in first
    assert (await run("old_chat.py", tmp_path, "conversations.json")).startswith("0 new messages, ")


async def test_the_notebooks_cells_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """On a thread whose event loop is running, as in Jupyter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "null")
    cells = [cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    namespace: dict[str, Any] = {}
    results = [cell_result("".join(cell["source"]), namespace) for cell in cells]
    assert "Lives in Lisbon" in results[1]
    assert ("Lives in Lisbon", True) in [(text, relevant) for _, text, relevant in results[2]]
    assert "Lives in Porto" in results[4]
    assert ("Lives in Lisbon", "superseded") in results[5]
    assert all(cell["outputs"] == [] for cell in cells), "a notebook is committed without its outputs"


def cell_result(source: str, namespace: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, if that is an expression."""
    *statements, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        statements, last = [*statements, last], None
    exec(compile(ast.Module(statements, []), "cell", "exec"), namespace)
    return last and eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
