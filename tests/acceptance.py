"""A pytest plug-in: which items of the acceptance list do passing tests show?

`@pytest.mark.acceptance("B39", "A20")` says what a test shows. `pytest --acceptance` runs only the marked
tests and ends with a report. An item is shown when every test of the run that carries it passed; a skipped
test did not pass.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

import pytest

DOCUMENTS = {"A": 71, "B": 89, "C": 26, "D": 67, "E": 44, "W": 20}
KNOWN = {f"{document}{number}" for document, count in DOCUMENTS.items() for number in range(1, count + 1)}


class Ledger:
    """Which test carries which items, and how each test went; with xdist, gathered from the workers."""

    def __init__(self) -> None:
        self.carried: dict[str, list[str]] = {}
        self.passed: set[str] = set()
        self.spoilt: set[str] = set()

    def outcomes(self) -> dict[str, bool]:
        """Each carried item, and whether all of its tests passed."""
        verdicts: defaultdict[str, list[bool]] = defaultdict(list)
        for test, ids in self.carried.items():
            for each in ids:
                verdicts[each].append(test in self.passed - self.spoilt)
        return {each: all(verdict) for each, verdict in verdicts.items()}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.carried |= {item.nodeid: ids_of(item) for item in session.items}
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["acceptance"] = self.carried

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        # A worker that crashed has no output; its replacement collects the same tests.
        self.carried |= getattr(node, "workeroutput", {}).get("acceptance", {})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed or hasattr(report, "wasxfail"):
            self.spoilt.add(report.nodeid)
        elif report.when == "call":
            self.passed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        yield  # pytest's own summary comes first, so that our count is the last line
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        if terminal and not hasattr(session.config, "workeroutput"):
            terminal.ensure_newline()
            for line in report_lines(self.outcomes()):
                terminal.write_line(line)


def ids_of(item: pytest.Item) -> list[str]:
    """The acceptance ids on a test, its class and its module; ValueError if a mark is wrong."""
    ids: list[str] = []
    for mark in item.iter_markers("acceptance"):
        if mark.kwargs or not mark.args:
            raise ValueError(f'{item.name}: write @pytest.mark.acceptance("B39", …)')
        ids += mark.args
    unknown = [each for each in ids if each not in KNOWN]
    if unknown:
        raise ValueError(f"{item.name}: unknown acceptance id {', '.join(map(repr, unknown))}")
    return ids


def ranges(numbers: Iterable[int]) -> str:
    """Ascending numbers in short: `1-3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)


def report_lines(outcomes: Mapping[str, bool]) -> Iterator[str]:
    """Document by document what is shown and what is not; the last line is the count."""
    for document, count in DOCUMENTS.items():
        groups: dict[str, list[int]] = {"shown": [], "failed or skipped": [], "no test": []}
        for number in range(1, count + 1):
            passed = outcomes.get(f"{document}{number}")
            groups["no test" if passed is None else "shown" if passed else "failed or skipped"].append(number)
        yield f"{document}: {len(groups['shown'])} of {count} shown"
        yield from (f"   {name}: {ranges(numbers)}" for name, numbers in groups.items() if numbers)
    yield f"{sum(outcomes.values())} of {len(KNOWN)} shown"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("acceptance").addoption(
        "--acceptance",
        action="store_true",
        help="run only the tests marked `acceptance`, and report which items of the list they show",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "acceptance(*ids): the items of the acceptance list this test shows")
    if config.getoption("--acceptance"):
        config.pluginmanager.register(Ledger(), "acceptance-ledger")


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, Any, Any]:
    made = yield
    for item in made if isinstance(made, list) else [made]:
        if isinstance(item, pytest.Item):
            try:
                ids_of(item)
            except ValueError as error:
                raise collector.CollectError(str(error)) from error
    return made


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--acceptance"):
        unmarked = [item for item in items if not item.get_closest_marker("acceptance")]
        config.hook.pytest_deselected(items=unmarked)
        items[:] = [item for item in items if item.get_closest_marker("acceptance")]
