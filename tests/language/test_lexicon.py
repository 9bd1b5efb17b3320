"""The lexica are complete, and read only when they are needed; a language is one file."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.language import lexicon
from recollect.language.lexicon import Patterns
from recollect.models.local.grammar import expressions, grammar

SOURCE = Path(recollect.__file__).parent
LANGUAGES = sorted(path.stem for path in lexicon.FOLDER.glob("*.toml"))


def modules() -> Iterator[ast.Module]:
    for folder in ("language", "policy", "models/local"):
        for path in (SOURCE / folder).rglob("*.py"):
            yield ast.parse(path.read_text(encoding="utf-8"))


def test_every_set_of_words_that_the_code_names_is_in_a_lexicon():
    calls = [node for module in modules() for node in ast.walk(module) if isinstance(node, ast.Call)]
    names = {
        str(call.args[0].value)
        for call in calls
        if ast.unparse(call.func) == "lexicon.words" and isinstance(call.args[0], ast.Constant)
    }
    assert len(names) > 20
    assert all(lexicon.words(name) for name in names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_expression_of_a_lexicon_compiles(language: str):
    tables = lexicon.tables("forms", language).get(language, {}) | lexicon.tables("patterns", language).get(
        language, {}
    )
    for expression in tables.values():
        re.compile(Patterns().expand(expression))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_fills_only_entries_that_english_has(language: str):
    for table in ("forms", "words", "verbs", "people"):
        own = lexicon.tables(table, language).get(language, {})
        known = set(lexicon.tables(table)[lexicon.ENGLISH]) | {"particles", "foreign_denial", "imperfect", "own_things"}
        unspaced = {"my_before", "others_before", "topic", "general"}
        assert set(own) <= (known if lexicon.is_spaced(language) else known | unspaced), table


def test_every_expression_of_the_offline_model_compiles():
    for section, entries in grammar().items():
        if section not in ("rules", "spellings", "elliptic"):
            for name, entry in entries.items():
                if isinstance(entry, list):
                    assert [re.compile(expression) for expression in entry]
                else:
                    assert getattr(expressions(section), name).pattern


def test_an_unknown_name_is_reported():
    with pytest.raises(AttributeError, match="no lexicon has 'nonsense'"):
        _ = Patterns().nonsense


def run(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_importing_recollect_reads_no_lexicon():
    code = "import recollect; from recollect.language import lexicon; print(lexicon._lexica.cache_info().currsize)"
    assert run(code) == "0"


def test_a_language_is_one_file(tmp_path: Path):
    lexica = tmp_path / "lexica"
    shutil.copytree(lexicon.FOLDER, lexica)
    code = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from recollect.core.ports.model import Proposal
from recollect.core.types import Message, Place
from recollect.language import lexicon
from recollect.policy.guard.verdicts import check
lexicon.FOLDER = Path(sys.argv[1])
said = "minä asun nyt kaupungissa Graz ja olen iloinen"
message = Message("m", "u", Place(dm="u"), said, datetime(2026, 11, 15, tzinfo=UTC), "Ann")
print(type(check(Proposal("Lives in Graz", "fact", said), [message], [])).__name__)
"""
    assert run(code, str(lexica)) == "Refused"
    (lexica / "fi.toml").write_text(
        "[words]\nfunction = 'minä olen ja ei on nyt'\n\n[verbs]\nlive = { now = 'asun' }\n", encoding="utf-8"
    )
    assert run(code, str(lexica)) == "Accepted"
