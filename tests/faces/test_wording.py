"""Every sentence of commands, outcomes and of the bot is in every language."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from recollect.core.outcomes import CannotUndo
from recollect.core.reasons import Reason
from recollect.core.types import Kind, Status
from recollect.faces import commands, discord, outcome_text, wording
from recollect.faces.discord import localization
from recollect.faces.wording import LANGUAGES, in_language, say, translate_text, translations

OPERATORS = ("check.py", "run.py", "access.py", "localization.py", "memory_channel.py")
"""What operators read, and the pinned messages of the memory channel, whose format is given."""
DATA = "_translations.py"
PROMPTS = ("[", "not ")
"""What a message carries, as the prompt and the journal name it."""
UNSAID = {
    *("Deprecated ", "Durable memory (", "Rolling summary:", ' matching "', ", updated ", "- [", " (src: "),
    *("!memory why ", "!memory show injected ", "!memory export", "forget all ", "/memory help", "asked for consent"),
    *("forgot what others said about ", "brought back", "Learning: ", "Consent ", "Memory channel and learned lines: "),
    *("⚠️ I can't write in the ", " channel {}: {}.", "%Y-%m-%d %H:%M", ", shard ", "on this server"),
    *("you are left out", "in direct messages"),
}
"""The words of a document, commands, keys, parts of sentences that are translated as a whole, and what the log says."""
TERMINAL = ("_render_progress", "render_learned", "label_erased", "_ERASED_LABELS", "_CHANGE_LABELS")
"""What only the terminal says."""


def sentences(path: Path) -> Iterator[str]:
    """Literals of a module that look like words for people."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bodies = [body for node in ast.walk(tree) if isinstance(body := getattr(node, "body", None), list)]
    documentation = {id(line.value) for body in bodies for line in body if isinstance(line, ast.Expr)}

    def visit(node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Raise | ast.arg) or _is_for_the_log(node) or _is_of_the_terminal(node):
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            if " " in node.value.strip() and any(letter.isalpha() for letter in node.value):
                yield node.value
            return
        for child in ast.iter_child_nodes(node):
            yield from visit(child)

    yield from visit(tree)


def said(path: Path) -> Iterator[str]:
    """What a module passes to `say`, also by the name of a constant."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            constants[node.targets[0].id] = node.value
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
            first = node.args[0]
            value = constants.get(first.id, first) if isinstance(first, ast.Name) else first
            if isinstance(value, ast.Constant):
                yield str(value.value)


def _is_for_the_log(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    owner = called.value if isinstance(called, ast.Attribute) else None
    is_cast = isinstance(called, ast.Name) and called.id in ("cast", "TypeVar")
    return is_cast or (isinstance(owner, ast.Name) and owner.id in ("log", "logging", "re"))


def _is_of_the_terminal(node: ast.AST) -> bool:
    target = node.target if isinstance(node, ast.AnnAssign) else None
    targets = [target, *(node.targets if isinstance(node, ast.Assign) else ())]
    names = [getattr(node, "name", ""), *(getattr(each, "id", "") for each in targets)]
    return any(name in TERMINAL for name in names)


def modules() -> list[Path]:
    folders = [Path(package.__file__ or "").parent for package in (commands, discord)]
    found = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    found = [path for path in found if path.name not in OPERATORS and not path.name.endswith(DATA)]
    return [*found, Path(outcome_text.__file__)]


@pytest.mark.parametrize("path", modules(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_sentence_is_in_every_language(path: Path) -> None:
    elsewhere = {*localization._TEXTS, *localization.COMMAND_NAMES, *localization.ENGLISH.values()}
    known = {sentence for sentence in sentences(path) if sentence not in elsewhere | UNSAID}
    known = {sentence for sentence in known if not sentence.startswith(PROMPTS)} | {*said(path)}
    for language in LANGUAGES:
        missing = sorted(known - translations(language).keys())
        assert not missing, (language, missing)


def test_names_of_kinds_statuses_and_refusals_are_in_every_language() -> None:
    refusals = [CannotUndo(reason).text for reason in Reason if "can't be undone" in reason.value]
    for language in LANGUAGES:
        assert not {*map(str, Kind), *map(str, Status), *refusals} - translations(language).keys()


def fields(sentence: str) -> list[tuple[str, str]]:
    """The places for values, in the order of the values."""
    parts = [(name, spec) for _, name, spec, _ in Formatter().parse(sentence) if name is not None]
    return sorted((name or str(index), spec or "") for index, (name, spec) in enumerate(parts))


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_take_the_same_values_and_name_the_same_commands(language: str) -> None:
    for english, translated in translations(language).items():
        assert fields(translated) == fields(english), english
        for command in ("!memory remember", "!memory resume", "/memory privacy", "/memory-server setup"):
            assert (command in translated) == (command in english), english


def test_values_are_shown_as_they_are_and_other_languages_are_english() -> None:
    with in_language("de"):
        assert say('Nothing matches "{}"', "{0} {x}") == "Nichts passt zu „{0} {x}“"
        assert translate_text("there is no memory 'm-1'", outcome_text.ERRORS) == "es gibt keine Erinnerung 'm-1'"
        assert translate_text("unheard of: 5", outcome_text.ERRORS) == "unheard of: 5"
    with in_language("xx"):
        assert say('Nothing matches "{}"', "tea") == 'Nothing matches "tea"'
    assert wording.current_language() == ""
