"""The figures as a table of `docs/learning-quality.md`, made from the results file and from nothing else."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import recollect

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results" / "extract.json"
PAGE = ROOT / "docs" / "learning-quality.md"
START, END = "<!-- figures: python -m bench.extract --write -->\n", "<!-- end of figures -->"
HEADINGS = (
    "model",
    "messages from",
    "messages",
    "stored",
    "precision",
    "junk",
    "wrong",
    "not judged",
    "recall",
    "facts",
)


def table(results: Mapping[str, Any]) -> str:
    """Every language and half of a source by model, with 95 % intervals."""
    rows = [HEADINGS, ("---", "---", *["---:"] * (len(HEADINGS) - 2)), *_rows(results)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def measured(results: Mapping[str, Any]) -> str:
    """Which source the figures are of."""
    parts = [(model, part, commit) for model, each in results["models"].items() for part, commit in each["at"].items()]
    return "Source measured: " + "; ".join(f"{model}, {part}: `{commit}`" for model, part, commit in parts) + ".\n"


def merged(results: Mapping[str, Any], model: str, figures: Mapping[str, Any]) -> dict[str, Any]:
    """The results with new figures of a model; what was not measured this time stays, with its own commit."""
    models = dict(results["models"])
    before = models.get(model, {"at": {}})
    new = {part: value for part, value in figures.items() if value}
    models[model] = before | new | {"at": before["at"] | dict.fromkeys(new, source_commit())}
    return {"models": models}


def source_commit() -> str:
    """The last commit that changed the source in use; with `+` when there are changes beyond it."""
    folder = Path(recollect.__file__).parent
    commit = _git(folder, "log", "-1", "--format=%h", "--", ".")
    return f"{commit}+" if _git(folder, "status", "--porcelain", "--", ".") else commit


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=True).stdout.strip()


def _rows(results: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for model, parts in results["models"].items():
        for part in ("languages", "chats"):
            for name, figures in parts.get(part, {}).items():
                judged = figures["keep"] + figures["junk"] + figures["wrong"]
                counts = [str(figures[name]) for name in ("messages", "stored")]
                shares = [_share(figures["precision"]), _part(figures["junk"], judged), _part(figures["wrong"], judged)]
                recall = (str(figures["unjudged"]), _share(figures["recall"]), str(figures["facts"]))
                yield model, name, *counts, *shares, *recall


def _share(values: list[float] | None) -> str:
    return "–" if values is None else "{:.2f} ({:.2f}–{:.2f})".format(*values)


def _part(count: int, size: int) -> str:
    return f"{count} of {size}" if size else "–"


def read_results(path: Path = RESULTS) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8")) if path.exists() else {"models": {}}


def in_page(text: str) -> str:
    """What stands in the page between the marks."""
    return text.partition(START)[2].partition(END)[0].strip()


def write(results: Mapping[str, Any]) -> None:
    """Keep the results, and put their table into the page."""
    RESULTS.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", "utf-8")
    text = PAGE.read_text("utf-8")
    before, rest = text.split(START)
    PAGE.write_text(f"{before}{START}\n{table(results)}\n{measured(results)}\n{END}{rest.partition(END)[2]}", "utf-8")
