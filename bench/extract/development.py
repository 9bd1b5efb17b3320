"""`python -m bench.extract.development [de fr …] [--part held-out] [--wrong]`: `local` in other languages.

`FIRST_RUNS` keeps what the rules did on messages that they had not seen; faults were mended after each run, so the
figures printed here are better.
"""

import argparse
from pathlib import Path

import yaml

from bench.extract.corpus import PARTS, SAID, Expected, Sample
from bench.extract.measure import report, run
from recollect.core.types import Kind
from recollect.models.local import LocalModel

FIRST_RUNS = {  # recall and precision when the rules were first tried on messages that they had not been tuned on
    "held-out": {"de": (0.97, 1.00), "fr": (0.97, 1.00), "es": (0.92, 1.00), "pt": (0.92, 1.00), "ja": (0.94, 0.92)},
    "second": {"de": (0.44, 0.84), "fr": (0.42, 0.88), "es": (0.66, 0.93), "pt": (0.54, 0.87), "ja": (0.37, 1.00)},
    "third": {"de": (0.70, 0.92), "fr": (0.76, 1.00), "es": (0.67, 1.00), "pt": (0.73, 1.00), "ja": (0.66, 0.96)},
    "fourth": {"de": (0.76, 0.96), "fr": (0.89, 1.00), "es": (0.93, 1.00), "pt": (0.89, 1.00), "ja": (0.75, 1.00)},
    "fifth": {"ja": (0.55, 1.00)},
    "sixth": {"de": (0.65, 1.00), "fr": (0.41, 1.00), "es": (0.65, 1.00), "pt": (0.53, 1.00), "ja": (0.53, 0.90)},
    "seventh": {"de": (0.52, 0.92), "fr": (0.19, 1.00), "es": (0.45, 0.90), "pt": (0.60, 0.92), "ja": (0.55, 1.00)},
    "eighth": {"de": (0.46, 1.00), "fr": (0.54, 1.00), "es": (0.54, 1.00), "pt": (0.46, 1.00), "ja": (0.44, 1.00)},
    "ninth": {"de": (0.58, 0.78), "fr": (0.50, 0.86), "es": (0.75, 0.91), "pt": (0.75, 1.00), "ja": (0.67, 1.00)},
    "english": {
        "development": (0.62, 0.96),
        "second": (0.47, 0.95),
        "work": (0.38, 0.94),
        "fourth": (0.66, 1.00),
        "fifth": (0.62, 0.90),
        "sixth": (0.57, 0.95),
        "ninth": (0.38, 0.96),
    },
}
"""`held-out` was written with `development`, in the same voice; `second` after the rules, to be harder. A
third lot of 132, tried once, had something learned from 64 % of its messages. `chatter` states nothing. In English,
`development` was tried before, `second` after the rules for plain statements were made, `work` before those for work.
`third` has 31 messages with facts and 15 without per language, counterparts of each other. `fourth` has 40 per
language, which are not, and in English 173 in the manner of chit-chat, developers' channels and help channels;
`fifth` has short lines as in IRC channels in English, and in Japanese 50 messages as strangers chat;
`sixth` has 30 per language as strangers, friends on Discord and colleagues type, in English those of developers' Slack
and support channels as well; `seventh`, written once those were mended, has 30 more, `eighth`, after that, 17 to 21;
`ninth` has 60 with facts and 60 without in English, 12 and 6 in the others, by somebody who had not read the rules."""
ALL_PARTS = (*PARTS, "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "work", "chatter")
FOLDER = Path(__file__).parent / "development"
_ANY_KIND = tuple(Kind)


def load(language: str) -> list[Sample]:
    """The messages of a language, all parts."""
    parts = yaml.safe_load((FOLDER / f"{language}.yaml").read_text("utf-8"))
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
    parser.add_argument("languages", nargs="*", default=["en", "de", "fr", "es", "pt", "ja"])
    parser.add_argument("--part", choices=ALL_PARTS)
    parser.add_argument("--wrong", action="store_true", help="print what was missed or learned wrongly")
    args = parser.parse_args()
    for language in args.languages:
        for part in ALL_PARTS:
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
