"""`make bench`: every benchmark that is quick enough to run in one go; each can be run alone with more options."""

import subprocess
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def main() -> int:
    runs = [
        ["bench.public"],
        ["bench.store"],
        ["bench.search", "--sizes", "1000,10000,100000"],
        ["bench.context"],
        ["bench.ingest"],
        ["bench.extract"],
        ["bench.summaries"],
    ]
    sets = sorted(path.parent for path in DATA.glob("*/documents.jsonl"))
    if sets:
        runs.append(["bench.recall", *(word for folder in sets for word in ("--data", str(folder)))])
    else:
        print("bench.recall is skipped: no data sets here; run it with --data DIR", file=sys.stderr)
    for run in runs:
        print(f"\n$ python -m {' '.join(run)}", flush=True)
        subprocess.run([sys.executable, "-m", *run], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
