"""Puts the weights of the static vectors into the package when it is built or installed from a checkout.

They come from the package `wordllama` (MIT license), which is needed for the build only: installed beside recollect, it
would bring sixteen other packages along.
"""

import hashlib
import json
import sys
from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WEIGHTS = "l2_supercat_256.safetensors"
WEIGHTS_SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
VOCABULARY = "tokenizers/l2_supercat_tokenizer_config.json"


class VectorsBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - neither is needed
        folder = Path(self.root) / "src/recollect/embedders/_wordllama"
        if not (folder / "LICENSE").exists():  # written last
            sys.path.append(str(Path(self.root) / ".venv" / "weights"))  # where the Makefile puts them
            folder.mkdir(exist_ok=True)
            _copy_vectors(folder)


def _copy_vectors(folder: Path) -> None:
    spec = find_spec("wordllama")  # it is not imported, so what it depends on need not be there
    if spec is None or spec.origin is None:
        raise RuntimeError("building recollect needs the files of wordllama: pip install --no-deps wordllama")
    source = Path(spec.origin).parent
    weights = (source / "weights" / WEIGHTS).read_bytes()
    if hashlib.sha256(weights).hexdigest() != WEIGHTS_SHA256:
        raise RuntimeError(f"the weights in {source} are not those that recollect was made for")
    (folder / WEIGHTS).write_bytes(weights)
    numbers: dict[str, int] = json.loads((source / VOCABULARY).read_text("utf-8"))["model"]["vocab"]
    tokens = json.dumps(sorted(numbers, key=numbers.__getitem__), ensure_ascii=False)
    (folder / "vocabulary.json").write_text(tokens, "utf-8")
    licenses = [file for file in files("wordllama") or () if file.name == "LICENSE"]
    (folder / "LICENSE").write_text("\n".join(file.read_text("utf-8") for file in licenses), "utf-8")
