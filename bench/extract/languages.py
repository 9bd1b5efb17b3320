"""`python -m bench.extract.languages [de fr …] [--part held-out] [--wrong]`: what `local` learns in other languages.

`FIRST_RUNS` keeps what the rules did on the held-out halves when they were first tried on them.
"""

import argparse
from pathlib import Path

import yaml

from bench.extract.corpus import PARTS, SAID, Expected, Sample
from bench.extract.measure import report, run
from recollect.core.types import Kind
from recollect.models.local import LocalModel

FOLDER = Path(__file__).parent / "languages"
_ANY_KIND = tuple(Kind)


def load(language: str, suffix: str = "dev") -> list[Sample]:
    """The messages of a language, both parts."""
    parts = yaml.safe_load((FOLDER / f"{language}_{suffix}.yaml").read_text("utf-8"))
    return [_sample(part, *entry) for part, entries in parts.items() for entry in entries]


def _sample(part: str, text: str, *learn: str) -> Sample:
    expected = tuple(_expected(words) for words in learn)
    category = "facts" if learn else "nothing"
    return Sample(part, category, text, SAID, "ann", expected, (), (), ())


def _expected(words: str) -> Expected:
    required = words.removeprefix("?")
    return Expected(_ANY_KIND, tuple(required.split()), optional=required != words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="*", default=["de", "fr", "es", "pt", "ja"])
    parser.add_argument("--part", choices=(*PARTS, "second"))
    parser.add_argument("--wrong", action="store_true", help="print what was missed or learned wrongly")
    args = parser.parse_args()
    for language in args.languages:
        for part in (*PARTS, "second"):
            if args.part not in (None, part):
                continue
            outcomes = run(LocalModel(), [sample for sample in load(language) if sample.part == part])
            tally = report(outcomes).all
            print(f"{language} {part}: recall {tally.recall:.2f}, precision {tally.precision:.2f} {tally}")
            for outcome in outcomes if args.wrong else ():
                if outcome.wrong or outcome.missed or outcome.refused:
                    missed = [words for _, words in outcome.missed]
                    wrong = [text for _, text in outcome.wrong]
                    print(f"  {outcome.sample.text}\n    missed {missed} wrong {wrong} refused {list(outcome.refused)}")


if __name__ == "__main__":
    main()
