"""How learning is measured: what counts as said, judged and missing, over which wire, and what the document shows."""

import asyncio
import subprocess
import sys
from collections import Counter

import pytest

from bench.extract import quality, table
from bench.extract.chats import SOURCES, ChatLine
from bench.extract.corpus import SAID
from bench.extract.expected import says
from bench.extract.learned import Learned, learn
from bench.extract.quality import Judgement, interval, message_of, score_chat
from recollect.core.types import Message, Place
from recollect.testing.model_server import ModelServer, Says

IRC = '<span class="irc-date">[{}]</span> <span class="irc-black">&lt;{}&gt; {}</span><br />\n'


def test_the_table_of_the_document_is_that_of_the_results():
    results = table.read_results()
    page = table.in_page(table.PAGE.read_text("utf-8"))
    assert page == f"{table.table(results)}\n{table.measured(results)}".strip(), "run python -m bench.extract --write"


def test_every_figure_is_of_the_messages_that_are_there_and_names_its_source():
    for parts in table.read_results()["models"].values():
        assert set(parts["at"]) == set(parts) - {"at"}
    local = table.read_results()["models"]["local"]
    with_facts, without = Counter[str](), Counter[str]()
    for path in quality.LANGUAGES.glob("*.yaml"):
        written = quality.load_language(path)
        figures = local["languages"][path.stem]
        assert (figures["messages"], figures["facts"]) == (len(written), sum(len(each.facts) for each in written))
        language = path.stem.partition("-")[0]
        with_facts[language] += sum(bool(each.facts) for each in written)
        without[language] += sum(not each.facts for each in written)
    assert min(with_facts.values()) >= 50
    assert min(without.values()) >= 40


@pytest.mark.parametrize(
    ("text", "wanted", "is_said"),
    [
        ("Lives in New York", "New_York", True),
        ("Lives in New Haven and York", "New_York", False),
        ("Is a nurse", "enfermera|nurse", True),
        ("Likes olives", "olives -likes", False),
        ("Comme ci", "OM", False),
        ("Climbs indoors", "climb", True),
        ("Cats: Lola and Chispa", "Chispa Lola", True),
        ("家ではMac使ってます", "Mac", True),
    ],
)
def test_a_text_says_a_fact_when_it_has_its_words(text: str, wanted: str, is_said: bool):
    assert says(text, wanted) is is_said


def test_an_interval_holds_the_share_and_narrows_with_more_judging():
    few, many = interval(9, 10), interval(900, 1000)
    assert few[0] < many[0] < 0.9 < many[1] < few[1]
    assert interval(0, 0) == (0.0, 1.0)


def test_chats_are_read_by_speaker_without_bots_and_split_in_halves(tmp_path):
    folder = tmp_path / "duraspace"
    folder.mkdir()
    lines = [
        ("9:00", "ann", "I use &lt;vim&gt;"),
        ("9:01", "kompewter", "beep"),
        ("9:02", "DSpaceSlackBot", "&lt;bo&gt; hi"),
    ]
    (folder / "2012-01-02.log").write_text("".join(IRC.format(*line) for line in lines), "utf-8")
    (folder / "2015-01-02.log").write_text(IRC.format("9:00", "cy", "hello"), "utf-8")
    (tmp_path / "meena").mkdir()
    said = "Human Conversation 47\nHuman 1: Hi!\nHuman 2: Hey\n\nHuman Conversation 48\nHuman 1: Yo\n"
    (tmp_path / "meena" / "human.txt").write_text(said, "utf-8")
    read = {
        (name, half): SOURCES[name].lines(tmp_path, half) for name in SOURCES for half in ("development", "held-out")
    }
    irc = read["duraspace", "development"]
    assert [(line.id, line.speaker) for line in irc] == [("2012-01-02/1", "ann"), ("2012-01-02/2", "bo")]
    assert irc[0].text == "I use <vim>"
    assert [line.speaker for line in read["duraspace", "held-out"]] == ["cy"]
    assert [line.id for line in read["meena", "development"]] == ["47/1", "47/2"]
    assert [line.text for line in read["meena", "held-out"]] == ["Yo"]


def test_what_a_reader_called_junk_counts_as_such_and_what_nobody_judged_is_counted_apart():
    lines = [
        ChatLine(f"1/{number}", "1", "Human1", text, SAID)
        for number, text in enumerate(["I live in Bonn", "I like that", "I like tea", "I am 30"], 1)
    ]
    facts = {"1/1": ["Bonn"], "1/2": ["that"], "1/4": ["30"]}
    judgement = Judgement(None, None, facts, {"1/2": {"Likes that": "junk"}})
    speaker = message_of("meena", lines[0]).author
    texts = {1: "Lives in Bonn", 2: "Likes that", 3: "Likes tea"}
    learned = [Learned(f"meena/1/{number}", speaker, "fact", text) for number, text in texts.items()]
    score = score_chat("meena", lines, judgement, learned)
    assert (score.keep, score.junk, score.wrong, len(score.unjudged)) == (1, 1, 0, 1)
    assert (score.met, score.facts) == (1, 3)
    assert score.as_data()["precision"][0] == 0.5


def test_a_model_behind_a_server_is_really_asked():
    pytest.importorskip("pydantic_ai.models.openai")  # takes seconds, which are not the request's

    async def ask() -> list[str]:
        async with ModelServer(lambda _: Says("{}")) as server:
            said = Message("m1", "ann", Place(dm="ann"), "I live in Bonn and I bake bread.", SAID, "Ann")
            await learn([said], "openai:tiny", server.url)
            return [request.text for request in server.requests if request.model == "tiny"]

    assert any("I bake bread" in text for text in asyncio.run(ask()))


def test_chats_that_are_not_there_are_skipped_with_a_word(tmp_path):
    words = [sys.executable, "-m", "bench.extract", "--only", "chats", "--data", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr.count("skipped") == 2 * len(SOURCES)
    assert "duraspace/????-??-??.log" in done.stderr
