"""The code in the documentation runs: every Python block, page by page, and the commands of the how-tos.

The blocks of a page run one after the other in one namespace and an empty folder; a `text` block right behind one is
what it prints. The only machine that they reach is this one, where a server plays the model. A comment above a block
says when not: `<!-- needs: MODULE -->` runs it only where that module exists, `<!-- not run: WHY -->` never.
"""

import ast
import asyncio
import json
import os
import re
import shlex
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from recollect.testing.model_server import ModelServer, Says

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>needs|not run): (?P<why>.+?) -->\n)?"
    r"^```python\n(?P<code>.*?)^```$(?:\n+^```text\n(?P<out>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
DRIVER = """
import asyncio, ast, contextlib, inspect, io, json, os, socket, sys, traceback

real = socket.socket.connect
def connect(self, address):
    if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1"):
        raise OSError(f"an example reaches for {address}")
    return real(self, address)
socket.socket.connect = connect

loop = asyncio.new_event_loop()
for page, blocks in json.load(open(sys.argv[1])).items():
    os.makedirs(page); os.chdir(page)
    namespace, results = {"__name__": "example"}, []
    for source in blocks:
        printed = io.StringIO()
        try:
            code = compile(source, page, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            with contextlib.redirect_stdout(printed):
                if code.co_flags & inspect.CO_COROUTINE:
                    loop.run_until_complete(eval(code, namespace))
                else:
                    exec(code, namespace)
            results.append([printed.getvalue(), None])
        except BaseException:
            results.append([printed.getvalue(), traceback.format_exc()])
    print(json.dumps([page, results]), flush=True)
    os.chdir(sys.argv[2])
"""
NEVER_ENDING = {"chat", "demo", "serve", "worker", "discord", "mcp"}


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[dict[str, str]]:
    return [match.groupdict() for match in BLOCK.finditer(page.read_text("utf-8"))]


def runs(block: dict[str, Any]) -> bool:
    if block["mark"] == "needs":
        package, _, _ = block["why"].rpartition(".")
        return find_spec(package) is not None and find_spec(block["why"]) is not None
    return block["mark"] is None


WITH_CODE = [page for page in PAGES if blocks(page)]


def environment(server: ModelServer | None = None) -> dict[str, str]:
    env = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "RECOLLECT_MODEL": "local"}
    if server is not None:
        keys = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
        env |= {"OPENAI_BASE_URL": server.url, "ANTHROPIC_BASE_URL": server.root, **keys}
    return env


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[str | None]]]:
    """What each block of each page printed, and how it failed; all in one process, as importing takes longest."""
    folder = tmp_path_factory.mktemp("pages")
    sources = {name(page): [block["code"] for block in blocks(page) if runs(block)] for page in WITH_CODE}
    (folder / "blocks.json").write_text(json.dumps(sources))

    async def run() -> bytes:
        async with ModelServer(lambda _: Says("You live in Lisbon.")) as server:
            command = [sys.executable, "-c", DRIVER, str(folder / "blocks.json"), str(folder)]
            process = await asyncio.create_subprocess_exec(
                *command, cwd=folder, env=environment(server), stdout=PIPE, stderr=DEVNULL
            )
            return (await process.communicate())[0]

    return dict(json.loads(line) for line in asyncio.run(run()).splitlines())


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_the_python_blocks_of_a_page_run_and_print_what_it_says(page: Path, results: dict[str, Any]):
    ran = [block for block in blocks(page) if runs(block)]
    for block, (printed, failure) in zip(ran, results[name(page)], strict=True):
        assert failure is None, f"{block['code']}\n{failure}"
        if block["out"] is not None:
            assert printed == block["out"]


def test_unexecuted_code_blocks_state_a_reason():
    left_out = [block for page in PAGES for block in blocks(page) if block["mark"] == "not run"]
    assert all(len(block["why"]) > 10 for block in left_out)
    assert len(left_out) <= 6
    for block in left_out:
        compile(block["code"], block["why"], "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        for node in ast.walk(ast.parse(block["code"])):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("recollect"):
                assert {alias.name for alias in node.names} <= {*dir(import_module(node.module or ""))}
    total = sum(page.read_text("utf-8").count("\n```python\n") for page in PAGES)
    assert sum(len(blocks(page)) for page in PAGES) == total


def shell_lines(page: Path) -> Iterator[str]:
    """The calls of recollect in a page's shell blocks that come to an end by themselves."""
    for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            words = [word for word in shlex.split(line, comments=True) if not re.match(r"[A-Z_]+=", word)]
            if "recollect" in words and words[0] in ("recollect", "echo") and not NEVER_ENDING & {*words}:
                yield line


@pytest.mark.slow
@pytest.mark.parametrize("page", ["guide/getting-started.md", "how-to/from-mem0.md", "how-to/ollama.md"])
async def test_the_commands_of_a_page_run(page: str, tmp_path: Path):
    (tmp_path / "mem0.json").write_text(
        json.dumps({"results": [{"id": "1", "memory": "I live in Lisbon", "user_id": "ada"}]})
    )
    lines = list(shell_lines(ROOT / "docs" / page))
    assert lines
    for line in lines:
        process = await asyncio.create_subprocess_shell(
            line, cwd=tmp_path, env=environment(), stdin=DEVNULL, stdout=PIPE, stderr=PIPE
        )
        out, err = await process.communicate()
        assert process.returncode == 0, f"{line}\n{out.decode()}{err.decode()}"
