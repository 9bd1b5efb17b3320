"""What people install: the wheel, the sdist, the container and the entry in the registry of MCP servers."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from recollect.core.version import __version__
from recollect.faces.cli.main import build
from recollect.settings.catalog import known_variables
from tests.parts import missing
from tests.stores.postgres import free_port

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
COMPOSE: Any = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))
SERVICE = COMPOSE["services"]["recollect"]
VERSIONS = ("3.11", "3.12", "3.13")
MAX_INSTALLED_MB = 160

README_EXAMPLE = """
import re, sys
(source,) = re.findall(r"^```python\\n(.*?)^```$", open(sys.argv[1], encoding="utf-8").read(), re.M | re.S)
exec(source)
"""
INSTALLED_BYTES = """
import importlib.metadata, os
packages = {d.metadata["Name"]: d for d in importlib.metadata.distributions()}
print(sum(os.path.getsize(path) for name, package in packages.items() if name not in ("pip", "setuptools")
          for path in map(package.locate_file, package.files) if os.path.exists(path)))
"""


def instruction(name: str) -> str:
    """What stands behind the last instruction of this name in the Dockerfile."""
    return re.findall(rf"^{name} ((?:.*\\\n)*.+)", DOCKERFILE, re.MULTILINE)[-1].replace("\\\n", " ").strip()


def image_extras() -> list[str]:
    return instruction("ARG").removeprefix("EXTRAS=").split(",")


def test_the_compose_file_follows_its_schema():
    schema = json.loads((files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_text("utf-8"))
    jsonschema.Draft7Validator(schema).validate(COMPOSE)
    assert all("healthcheck" in service and service["volumes"] for service in COMPOSE["services"].values())


def test_the_compose_file_and_the_dockerfile_agree():
    assert (ROOT / "deploy" / SERVICE["build"]["context"] / SERVICE["build"]["dockerfile"]).exists()
    assert SERVICE["command"] == json.loads(instruction("CMD"))
    assert SERVICE["ports"] == [f"127.0.0.1:{instruction('EXPOSE')}:{instruction('EXPOSE')}"]
    assert SERVICE["volumes"] == [f"data:{instruction('VOLUME')}"]
    check = instruction("HEALTHCHECK").partition("CMD")[2]
    assert SERVICE["healthcheck"]["test"] == ["CMD", *json.loads(check)]
    assert {*image_extras()} <= {*PROJECT["optional-dependencies"]}
    assert "postgres" in image_extras()
    command = [*json.loads(instruction("ENTRYPOINT"))[1:], *SERVICE["command"], "--help"]
    assert CliRunner().invoke(build(colors=False), command).exit_code == 0
    ours = {name for name in SERVICE["environment"] if not name.startswith("PG")}
    assert ours <= known_variables()
    volumes = {volume.partition(":")[0] for service in COMPOSE["services"].values() for volume in service["volumes"]}
    assert volumes == {*COMPOSE["volumes"]}


def copied_sources() -> list[str]:
    """What the Dockerfile copies into the image that builds."""
    lines = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    return [name for line in lines for name in line.split()]


def test_the_dockerfile_copies_what_the_build_reads():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "custom" in config["tool"]["hatch"]["build"]["hooks"]
    needed = {
        "pyproject.toml",
        "hatch_build.py",
        "constraints.txt",
        PROJECT["readme"],
        *PROJECT["license-files"],
        "src",
    }
    assert needed == {*copied_sources()}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_image_builds_from_what_the_dockerfile_copies(tmp_path: Path):
    source = tmp_path / "src"
    source.mkdir()
    for name in copied_sources():
        path = ROOT / name
        shutil.copytree(path, source / name) if path.is_dir() else shutil.copy2(path, source)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path]
    run(*pip, ".", cwd=source)
    assert wheel_of(tmp_path)


def test_the_entry_for_the_mcp_registry_has_what_its_schema_requires():
    """The required fields and limits of https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json."""
    entry = json.loads((ROOT / "server.json").read_text("utf-8"))
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert 0 < len(entry["description"]) <= 100
    assert entry["version"] == __version__
    (package,) = entry["packages"]
    assert (package["registryType"], package["identifier"]) == ("pypi", PROJECT["name"])
    assert package["version"] == __version__
    assert package["transport"] == {"type": "stdio"}
    (command,) = package["packageArguments"]
    assert CliRunner().invoke(build(colors=False), [command["value"], "--help"]).exit_code == 0
    (extra,) = package["runtimeArguments"]
    assert extra["value"] in PROJECT["optional-dependencies"]["mcp"]
    assert {variable["name"] for variable in package["environmentVariables"]} <= known_variables()
    # The registry looks for this line in the description of the package to see who it belongs to.
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text("utf-8")


def test_all_extras_are_those_for_people():
    (everything,) = PROJECT["optional-dependencies"]["all"]
    named = set(everything.removeprefix("recollect[").removesuffix("]").split(","))
    extras = {"all", "dev", "docs", "fastembed", "model2vec", "rerank", "vectors"}
    assert {*PROJECT["optional-dependencies"]} - named == extras


def test_every_extra_that_is_recommended_exists():
    """In error messages and in the documentation."""
    sources = [
        *SRC.rglob("*.py"),
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").glob("*.py"),
    ]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    lists = re.findall(r"pip install '(?:recollect|\.)\[([\w,]+)\]'", text)
    raised = re.findall(r"MissingExtra\(.+?, \"(\w+)\"\)", text)
    assert len(lists) > 15
    assert len(raised) > 5
    assert {extra for names in lists for extra in names.split(",")} | {*raised} <= {*PROJECT["optional-dependencies"]}


def test_the_pins_name_no_index_and_every_package_once():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()[1:]
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[\w.]+", line)] == []
    assert lines == sorted(set(lines))


def make(folder: Path, target: str, **env: str) -> str:
    """What `make` would do, in a folder with our Makefile."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy2(ROOT / name, folder)  # with its time, which make compares
    environment = {"PATH": os.environ["PATH"], **env}
    return run("make", "-n", target, cwd=folder, env=environment)


def test_make_run_installs_what_a_chat_needs_and_leaves_a_full_environment_alone(tmp_path: Path):
    assert "--no-compile --no-build-isolation -e '.'" in make(tmp_path, "run")
    assert "-e '.[llm]'" in make(tmp_path, "run", ANTHROPIC_API_KEY="sk")
    assert "-e '.[llm]'" in make(tmp_path, "run", RECOLLECT_MODEL="openai:llama3.2")
    assert "-e '.'" in make(tmp_path, "run", RECOLLECT_MODEL="local")
    for target in ("venv", "test", "docs"):
        assert "dev]'" in make(tmp_path, target)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    (tmp_path / ".venv" / ".build").touch()
    (tmp_path / ".venv" / ".installed-chat").touch()
    assert "pip install" not in make(tmp_path, "run")
    assert "dev]'" in make(tmp_path, "test"), "what a chat needs is not enough for tests"
    (tmp_path / ".venv" / ".installed").touch()
    for target in ("run", "test"):
        assert "pip install" not in make(tmp_path, target)
    os.utime(tmp_path / ".venv" / ".installed", (0, 0))
    assert "dev]'" in make(tmp_path, "run"), "an outdated environment stays one with everything"


# From here on things are built and installed.


def run(*command: object, cwd: Path, **options: Any) -> str:
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    # The environment has the files of wordllama, which is all that the build needs of it, but not the package.
    run(
        sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", "--outdir", folder, ROOT, cwd=folder
    )
    return folder


def wheel_of(dist: Path) -> Path:
    (wheel,) = dist.glob("*.whl")
    return wheel


def interpreter(version: str) -> Path:
    """A Python of this version on this machine, or else a skipped test."""
    candidates = [shutil.which(f"python{version}"), *Path.home().glob(f".pyenv/versions/{version}.*/bin/python")]
    if f"{sys.version_info.major}.{sys.version_info.minor}" == version:
        candidates.insert(0, sys.executable)
    for candidate in filter(None, candidates):
        done = subprocess.run([candidate, "-c", "import venv"], capture_output=True, check=False)
        if done.returncode == 0:  # a shim of pyenv exists, and fails, where it was not switched on
            return Path(candidate)
    return missing(f"there is no Python {version} here")


def installed(python: Path, folder: Path, *packages: object) -> Path:
    """The programs of a new environment with these packages."""
    run(python, "-m", "venv", folder, cwd=folder.parent)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    command = [*pip, "-c", ROOT / "constraints.txt", *packages]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    if "No matching distribution" in done.stderr or "Connection" in done.stderr:
        missing(f"packages can't be installed here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return folder / "bin"


def chat(command: list[object], folder: Path, **env: str) -> None:
    """Say something to a chat and ask for it."""
    folder.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RECOLLECT", "PYTHON"))}
    said = "I moved to Lisbon in May\nwhere do I live?\n"
    reply = run(*command, cwd=folder, input=said, env=clean | env)
    assert "Lives in Lisbon" in reply
    assert (folder / "data").is_dir()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_wheel_and_sdist_have_everything_and_nothing_else(dist: Path):
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src/recollect"]
    tracked = run(*listing, cwd=ROOT).split()
    with zipfile.ZipFile(wheel_of(dist)) as wheel:
        inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
    built = {name for name in inside if name.startswith("recollect/embedders/_wordllama/")}
    assert len(built) == 3, "weights, vocabulary and their license"
    assert inside - built == {name.removeprefix("src/") for name in tracked}
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "constraints.txt", "mkdocs.yml", "examples/chatbot.py", "deploy/compose.yaml"} <= names
    assert not [name for name in names if name.startswith((".venv", "data", ".git/", "site/"))]


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_wheel_works_in_a_new_environment(version: str, dist: Path, tmp_path: Path):
    bin_folder = installed(interpreter(version), tmp_path / "venv", wheel_of(dist))
    assert __version__ in run(bin_folder / "recollect", "--version", cwd=tmp_path)
    chat([bin_folder / "recollect", "chat"], tmp_path / "chat")
    assert "static:wordllama-256" in run(bin_folder / "recollect", "doctor", cwd=tmp_path)
    shown = run(bin_folder / "python", "-c", README_EXAMPLE, ROOT / "README.md", cwd=tmp_path)
    assert shown == "Lives in Lisbon\nTrue\n"
    assert int(run(bin_folder / "python", "-c", INSTALLED_BYTES, cwd=tmp_path)) < MAX_INSTALLED_MB * 1_000_000


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_uvx_starts_a_chat_from_the_wheel(dist: Path, tmp_path: Path):
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        missing("uv is not installed here")
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--only-binary", ":all:"]
    run(*pip, "-c", ROOT / "constraints.txt", "-w", tmp_path / "wheels", wheel_of(dist), cwd=tmp_path)
    uvx = [
        uv,
        "tool",
        "run",
        "--offline",
        "--no-index",
        "--find-links",
        tmp_path / "wheels",
        "--python",
        sys.executable,
    ]
    chat([*uvx, "recollect", "chat"], tmp_path / "chat", UV_CACHE_DIR=str(tmp_path / "cache"))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_containers_commands_work_in_a_new_environment(dist: Path, tmp_path: Path, bare_database: str):
    """What the Dockerfile and the compose file start, with the extras, variables and the check that they name."""
    bin_folder = installed(Path(sys.executable), tmp_path / "venv", f"{wheel_of(dist)}[{','.join(image_extras())}]")
    (tmp_path / "data").mkdir()
    values = {"POSTGRES_PASSWORD": "a-password", "RECOLLECT_HTTP_TOKEN": "a-long-token-for-a-test"}
    env = {name: _filled(str(value), values) for name, value in SERVICE["environment"].items()}
    assert env["RECOLLECT_STORE"].startswith("postgresql://recollect@database:5432/")
    port = free_port()
    env |= {
        "RECOLLECT_STORE": bare_database,
        "RECOLLECT_DATA_DIR": str(tmp_path / "data"),
        "RECOLLECT_HTTP_PORT": str(port),
    }
    env["PATH"] = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    command = [*json.loads(instruction("ENTRYPOINT")), *SERVICE["command"]]
    check = [part.replace(":8420", f":{port}") for part in SERVICE["healthcheck"]["test"][1:]]
    with subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            started = next((line for line in process.stderr if str(port) in line), None)
            assert started is not None, "it ended without serving"
            run(*check, cwd=tmp_path, env=env)
        finally:
            process.terminate()
            process.communicate(timeout=60)
    assert process.returncode == 0


def _filled(value: str, values: dict[str, str]) -> str:
    """A value of the compose file with its variables filled in, as `docker compose` does."""
    return re.sub(r"\$\{(\w+)(?::[-?]([^}]*))?\}", lambda match: values.get(match[1], match[2] or ""), value)
