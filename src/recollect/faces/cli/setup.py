"""The command `setup`: chooses the chat model, tests it with one call, and writes it to the settings file."""

import asyncio
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from getpass import getpass
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from recollect.app import make_model
from recollect.core.errors import BadInput, ModelError, RecollectError, StoreError
from recollect.faces.cli.inputs import ask
from recollect.faces.cli.invocation import FAILED, NO_MATCH, Invocation, fail
from recollect.faces.cli.options import flag
from recollect.settings.loading import config_path, provide_keys, secret
from recollect.workspace.disk import make_folder

CALL_TIMEOUT_SECONDS = 60.0
KEYS = "keys"
"""The table of keys in the file."""


@dataclass(frozen=True, slots=True)
class Provider:
    label: str
    model: str
    """The model that is proposed."""
    prefix: str
    key: str = ""
    """The variable of its key; empty where there is none."""
    url: str | None = None
    """The address that is proposed; None where the provider has its own."""
    where: str = ""
    """Where to get a key, or how to start the server."""


PROVIDERS = {
    "anthropic": Provider(
        "Anthropic (Claude)",
        "claude-haiku-4-5",
        "anthropic",
        "ANTHROPIC_API_KEY",
        where="a key is made at console.anthropic.com",
    ),
    "openai": Provider(
        "OpenAI", "gpt-5-mini", "openai", "OPENAI_API_KEY", where="a key is made at platform.openai.com"
    ),
    "local": Provider(
        "A server of your own: Ollama, llama.cpp, LM Studio, vLLM",
        "llama3.2",
        "openai-chat",
        url="http://localhost:11434/v1",
        where="with Ollama: ollama serve, ollama pull llama3.2",
    ),
    "compatible": Provider(
        "Another service that speaks OpenAI's protocol: OpenRouter, Groq, Mistral, Together …",
        "",
        "openai-chat",
        "OPENAI_API_KEY",
        url="https://",
        where="address and key are in its documentation",
    ),
    "none": Provider("No model: simple patterns, answers from memory alone", "local", ""),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What the file gets."""

    model: str
    url: str = ""
    keys: Mapping[str, str] | None = None


def setup(
    call: Invocation,
    provider: Annotated[
        str | None, typer.Option("--provider", metavar="NAME", help=f"One of: {', '.join(PROVIDERS)}.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="MODEL", help="The model's name there.")] = None,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="Address of the server.")] = None,
    no_test: Annotated[bool, flag("--no-test", meaning="Don't try it with one call.")] = False,
) -> None:
    """Choose a model for the chat, test it and save the choice."""
    if provider is None and not call.is_interactive:
        raise BadInput(f"choose with --provider: {', '.join(PROVIDERS)}; the key comes from its variable or a prompt")
    name = provider or _choose(call)
    if name not in PROVIDERS:
        raise BadInput(f"there is no provider {name!r}; there are {', '.join(PROVIDERS)}")
    choice = _ask_details(call, name, model, url)
    tested = not no_test and name != "none"
    if tested:
        _test(call, choice)
    path = config_path(call.options.config)
    write(path, choice)
    if call.options.json:
        call.screen.data({"path": str(path), "model": choice.model, "tested": tested})
        return
    call.screen.say(f"Written to {path}, which only you can read. Start with: recollect chat")


def _choose(call: Invocation) -> str:
    call.screen.say("Which model should answer in the chat, and learn from what is said?")
    for number, entry in enumerate(PROVIDERS.values(), 1):
        call.screen.say(f"  {number}. {entry.label}")
    reply = ask("Number: ")
    names = dict(zip(map(str, range(1, len(PROVIDERS) + 1)), PROVIDERS, strict=True))
    name = names.get(reply, reply)
    if name not in PROVIDERS:
        fail("nothing was chosen, nothing was changed", NO_MATCH)
    return name


def _ask_details(call: Invocation, name: str, model: str | None, url: str | None) -> Choice:
    entry = PROVIDERS[name]
    if name == "none":
        return Choice("local")
    if call.is_interactive and entry.where:
        call.screen.aside(f"  {entry.where}")
    if entry.url is not None and url is None:
        url = _ask_for(call, "Address", entry.url, "--url")
    model = model or _ask_for(call, "Model", entry.model, "--model")
    return Choice(f"{entry.prefix}:{model}", url or "", _key(call, entry.key))


def _ask_for(call: Invocation, what: str, proposed: str, option: str) -> str:
    if not call.is_interactive:
        if not proposed or proposed == "https://":
            raise BadInput(f"say it with {option}")
        return proposed
    reply = input(f"{what} [{proposed}]: ").strip() if proposed else input(f"{what}: ").strip()
    if not (reply or proposed):
        fail("nothing was chosen, nothing was changed", NO_MATCH)
    return reply or proposed


def _key(call: Invocation, variable: str) -> Mapping[str, str] | None:
    """The key to write; None where none is needed, or it is in the environment, where it may stay."""
    if not variable or secret(variable):
        return None
    if not call.is_interactive:
        raise BadInput(f"set {variable} first, or run 'recollect setup' at a terminal")
    key = getpass("Key (it is not shown): ").strip()
    if not key:
        fail("nothing was chosen, nothing was changed", NO_MATCH)
    return {variable: key}


def _test(call: Invocation, choice: Choice) -> None:
    """One tiny call; ends the command when it fails."""
    call.screen.aside("Trying it with one call …")
    provide_keys(choice.keys or {})
    try:
        asyncio.run(_call(choice))
    except (RecollectError, TimeoutError) as error:
        reason = str(error) if not isinstance(error, TimeoutError) else f"no answer within {CALL_TIMEOUT_SECONDS:.0f} s"
        fail(f"{choice.model} did not answer: {reason}\nnothing was written; --no-test writes it all the same", FAILED)
    call.screen.say(f"{choice.model} answers.")


async def _call(choice: Choice) -> None:
    model = make_model(choice.model, choice.url)
    if model.name == "local":
        raise ModelError("it needs an optional package: pip install 'recollect[llm]'")
    try:
        async with asyncio.timeout(CALL_TIMEOUT_SECONDS):
            await model.summarize(None, "[Ann]: hello", 40)
    finally:
        await model.close()


def write(path: Path, choice: Choice) -> None:
    """Write the choice into the file and leave its other settings alone; only its owner can read it."""
    lines = _without(_read(path).splitlines(keepends=True), ("model", "model_base_url"))
    values: dict[str, Any] = {"model": choice.model} | ({"model_base_url": choice.url} if choice.url else {})
    if choice.keys:
        document: dict[str, Any] = yaml.safe_load("".join(lines)) or {}
        before: dict[str, str] = document.get(KEYS) or {}
        lines = _without(lines, (KEYS,))
        values |= {KEYS: {**before, **choice.keys}}
    text = "".join(lines)
    separator = "" if not text or text.endswith("\n") else "\n"
    temporary = path.with_name(f"{path.name}.new")
    try:
        make_folder(path.parent)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(f"{text}{separator}{yaml.safe_dump(values, sort_keys=False, allow_unicode=True)}")
        temporary.replace(path)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot read {path}: {error}") from error


def _without(lines: Iterable[str], names: tuple[str, ...]) -> list[str]:
    """The lines of a YAML file without the settings of these names; comments stay."""
    remaining: list[str] = []
    drops = False
    for line in lines:
        if line[:1] not in (" ", "\t", "#", "\n", "-"):
            drops = line.partition(":")[0].strip("\"'") in names
        if not (drops and not line.startswith(("#", "\n"))):
            remaining.append(line)
    return remaining
