"""Embedders are found by name; what is not installed says how to install it."""

import subprocess
import sys

import pytest

from recollect import plugins
from recollect.app import make_embedders
from recollect.core.errors import ConfigError, EmbedderError
from recollect.core.ports import EmbedderOptions
from recollect.settings import load


def test_all_embedders_of_this_package_are_known():
    assert set(plugins.names("embedders")) >= {"fastembed", "model2vec", "null", "openai", "static"}
    assert not any(name.startswith("_") for name in plugins.names("embedders"))


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(
        ConfigError, match=r"no 'wrod2vec' among the embedders; known here: fastembed, model2vec, null, openai, static"
    ):
        plugins.load("embedders", "wrod2vec:300", EmbedderOptions())


async def test_null_has_no_vectors():
    null = plugins.load("embedders", "null", EmbedderOptions())
    assert null.name == "null"
    assert await null.embed([]) == []
    with pytest.raises(EmbedderError, match="search goes by words"):
        await null.embed(["x"])
    await null.close()


def test_each_member_of_a_chain_is_made_in_order():
    settings = load(env={}, embedder="openai:text-embedding-3-small, static,").settings
    assert [one.name for one in make_embedders(settings)] == ["openai:text-embedding-3-small", "static:wordllama-256"]


def test_a_typo_in_a_chain_is_an_error():
    with pytest.raises(ConfigError, match="'statik'"):
        make_embedders(load(env={}, embedder="static,statik").settings)


@pytest.mark.parametrize(
    ("spec", "package", "extra"),
    [
        ("openai", "openai", "llm"),
        ("openai", "numpy", "vectors"),
        ("static", "numpy", "vectors"),
        ("fastembed", "fastembed", "fastembed"),
        ("model2vec", "tokenizers", "model2vec"),
    ],
)
def test_a_missing_package_names_its_extra_and_is_left_out_of_the_chain(spec: str, package: str, extra: str):
    program = f"""
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name == {package!r}: raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hide())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == {package!r} else found(name, package)
import logging; logging.basicConfig(format="%(message)s", stream=sys.stdout)
from recollect.app import make_embedders
from recollect.settings import load
print([one.name for one in make_embedders(load(env={{}}, embedder="{spec},null").settings)])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert f"the embedder '{spec}' needs an optional package: pip install 'recollect[{extra}]'" in done.stdout
    assert done.stdout.splitlines()[-1] == "['null']"
