"""`search`: results, filters, explanations."""

import pytest

from tests.faces.cli.conftest import Run


@pytest.fixture(autouse=True)
def memories(cli: Run) -> None:
    cli("remember", "I like green tea in the morning", "--tag", "drinks", "--in", "#kitchen")
    cli("remember", "Deploys happen on Tuesdays", "--in", "acme/#dev")
    cli("remember", "The standup is at ten", "--lore", "--in", "#kitchen")


def test_the_best_result_comes_first(cli: Run):
    assert cli("search", "which", "tea").out.splitlines()[0] == "- [preference] I like green tea in the morning"


def test_a_query_without_words_is_refused(cli: Run):
    assert "say what to look for" in cli("search", " ", code=2).err


def test_piped_search_output_marks_less_relevant_hits(cli: Run):
    cli("remember", "Plays the cello on Sundays", "--in", "#kitchen")
    best, mark, *_ = cli("search", "green tea", "--in", "#kitchen").out.splitlines()
    assert (best, mark) == ("- [preference] I like green tea in the morning", "Less close:")
    assert cli("search", "xylophone").out.startswith("Nothing fits closely; the nearest:\n")


@pytest.mark.slow
@pytest.mark.parametrize("ranker", ["unified", "overlap", "hybrid", "rrf", "bm25"])
def test_every_ranker_explains_its_scores(cli: Run, ranker: str):
    best = cli("search", "green tea", "--ranker", ranker, "--json").json["results"][0]
    assert best["memo"]["text"] == "I like green tea in the morning"
    head, line, numbers, *_ = cli("search", "green tea", "--ranker", ranker, "--explain").out.splitlines()
    assert head.split()[0] == "score"
    assert all(name in head for name in best["parts"])
    assert line == "- [preference] I like green tea in the morning"
    assert len(numbers.split()) == len(best["parts"]) + 1
    assert len(head) == len(numbers)


def test_columns_of_an_explanation_fit_a_narrow_terminal(cli: Run):
    assert max(map(len, cli("search", "green tea", "--explain").out.splitlines())) <= 80


@pytest.mark.parametrize(
    "filters",
    [
        ["--kind", "preference"],
        ["--tag", "Drinks"],
        ["--channel", "#kitchen"],
        ["--guild", "home"],
    ],
)
def test_filters_narrow_the_results(cli: Run, filters: list[str]):
    results = cli("search", "tea or deploys", *filters, "--json").json["results"]
    assert [one["memo"]["text"] for one in results] == ["I like green tea in the morning"]


def test_lore_is_found_in_its_guild_only(cli: Run):
    (found,) = cli("search", "standup", "--subject", "lore", "--in", "#ops", "--json").json["results"]
    assert found["memo"]["kind"] == "lore"
    cli("search", "standup", "--subject", "lore", "--in", "acme/#dev", code=3)


def test_strict_rather_finds_nothing_and_ends_with_3(cli: Run):
    done = cli("search", "xylophone", "--strict", code=3)
    assert (done.out, done.err) == ("", "recollect: nothing found\n")
    assert cli("search", "xylophone", "--strict", "--json", code=3).json == {"query": "xylophone", "results": []}


def test_retired_memories_are_found_by_status(cli: Run):
    cli("forget", "tea")
    (found,) = cli("search", "tea", "--status", "deprecated", "--json").json["results"]
    assert found["memo"]["text"] == "I like green tea in the morning"


def test_messages_are_found_by_time(cli: Run):
    cli("add", "the kettle is broken", "--in", "#kitchen")
    found = ["search", "kettle", "--messages", "--in", "#kitchen", "--json"]
    assert cli(*found, "--since", "2020-01-01").json["results"]
    assert cli(*found, "--since", "this week", "--until", "2099-01-01T10:00").json["results"]
    cli(*found, "--until", "2020-01-01", code=3)
    assert "not a time" in cli(*found, "--since", "soonish", code=2).err


@pytest.mark.parametrize("args", [["--ranker", "best"], ["--status", "gone"], ["--limit", "0"], ["--in", "a/b/c/d"]])
def test_a_wrong_option_is_wrong_usage(cli: Run, args: list[str]):
    assert cli("search", "tea", *args, code=2).out == ""


@pytest.mark.parametrize("query", ['"', "AND OR NOT", "(", "*", "tea:*", "🍵", "x" * 10_000])
def test_any_text_is_a_safe_query(cli: Run, query: str):
    assert isinstance(cli("search", "--json", "--", query).json["results"], list)
