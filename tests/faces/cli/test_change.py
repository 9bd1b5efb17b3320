"""Commands that change memory: what they print, for people and for programs, and how they end."""

import asyncio
from pathlib import Path

import pytest

import recollect
from recollect.faces.cli.main import ALIASES
from tests import ground
from tests.faces.cli.conftest import Run


def test_remember_answers_with_the_text_and_stores_it(cli: Run):
    assert cli("remember", "I", "prefer", "Rust").out.splitlines()[0] == 'Remembered: "I prefer Rust"'
    assert "1. I prefer Rust\n" in cli("show").out


def test_remember_refuses_a_secret_with_the_reason(cli: Run):
    refused = cli("remember", "AKIAIOSFODNN7EXAMPLE", code=1)
    assert refused.err == "recollect: That looks like a secret, so it was not remembered\n"
    refused = cli("remember", "AKIAIOSFODNN7EXAMPLE", "--json", code=1)
    assert refused.json == {"outcome": "refused", "reason": "holds a secret"}
    assert cli("show", "--json").json["total"] == 0


def test_what_is_remembered_is_heard_where_it_was_said_and_the_answer_says_where_and_how_to_widen_it(cli: Run):
    told = cli("remember", "I am HIV positive").out
    memo = cli("list", "--json").json["memos"][0]
    assert memo["audience"] == "dm:me"
    assert told.splitlines()[1] == (
        f"  It may be recalled in your direct messages only; 'recollect share {memo['id']}' lets more people hear it."
    )
    assert "in the channel where" in cli("remember", "I will be promoted", "--in", "#staff!").out
    assert "on the server where" in cli("remember", "I like green tea", "--in", "#dev").out
    assert "HIV" not in cli("show", "--in", "#dev").out
    assert "HIV" not in cli("prompt", "hello", "--in", "#dev").out
    assert "promoted" not in cli("show", "--in", "#dev").out
    assert "green tea" in cli("show", "--in", "#general").out
    assert "green tea" not in cli("show", "--in", "club/#lobby").out
    cli("share", memo["id"])
    assert "HIV" in cli("show", "--in", "club/#lobby").out
    assert "'recollect private" in cli("remember", "I am HIV positive").out


def test_a_profile_with_one_memory_per_person_keeps_its_documents_answer_and_rule(cli: Run):
    assert cli("--profile", "dnam", "remember", "I like tea").out == 'Remembered: "I like tea"\n'
    assert "I like tea" in cli("--profile", "dnam", "show", "--in", "club/#lobby").out


@pytest.mark.slow
def test_remember_as_json_says_what_became_of_it(cli: Run):
    added = cli("remember", "I live in Bern", "--kind", "fact", "--tag", "Home", "--pin", "--json").json
    assert added["outcome"] == "added"
    assert added["memo"]["text"] == "I live in Bern"
    assert added["memo"]["tags"] == ["home"]
    assert added["memo"]["pinned"] is True
    assert added["replaced"] == []
    again = cli("remember", "I live in Bern", "--json").json
    assert again["outcome"] in ("revised", "known")
    assert again["memo"]["id"] == added["memo"]["id"]


def test_json_keys_are_the_same_for_every_memo(cli: Run):
    plain = cli("remember", "Deploys happen on Tuesdays", "--json").json["memo"]
    rich = cli("remember", "The server is called zelda", "--tag", "ops", "--pin", "--private", "--json").json["memo"]
    assert plain.keys() == rich.keys()
    assert plain["source"].keys() == rich["source"].keys()


def test_text_comes_from_standard_input(cli: Run):
    assert cli("remember", "-", stdin="I like tea\n").out.startswith('Remembered: "I like tea"\n')


def test_bytes_that_are_no_text_are_taken_as_well_as_they_can_be(cli: Run):
    assert cli("remember", "-", stdin=b"I like caf\xe9s a lot").out.startswith('Remembered: "I like caf')


@pytest.mark.parametrize("text", ["", "   ", "x" * 9_000])
def test_a_text_that_cannot_be_remembered_is_wrong_usage(cli: Run, text: str):
    done = cli("remember", text, code=2)
    assert done.out == ""
    assert done.err.startswith("recollect: ")


def test_an_unknown_kind_is_wrong_usage_and_names_the_kinds(cli: Run):
    assert "preference" in cli("remember", "I like tea", "--kind", "nonsense", code=2).err


def test_lore_needs_a_guild_and_is_never_private(cli: Run):
    assert "guild" in cli("remember", "The standup is at ten", "--lore", code=2).err
    assert "private" in cli("remember", "Standup at ten", "--lore", "--private", "--in", "#dev", code=2).err
    memo = cli("remember", "The standup is at ten", "--lore", "--in", "#dev", "--json").json["memo"]
    assert (memo["kind"], memo["guild"], memo["audience"]) == ("lore", "home", "guild:home")


@pytest.mark.acceptance("A19", "A20")
def test_forget_takes_any_part_of_the_text_and_keeps_the_memory_in_history(cli: Run):
    document = {"RECOLLECT_PROFILE": "discoclaw"}
    cli("remember", "Works at Acme Corp", **document)
    assert cli("forget", "Acme", **document).out == 'Deprecated 1 item matching "Acme"\n'
    assert cli("show", **document).out == "Durable memory (0 items):\n"
    (kept,) = cli("list", "--status", "deprecated", "--json").json["memos"]
    assert kept["text"] == "Works at Acme Corp"


def test_forget_by_id_and_by_number(cli: Run):
    first = cli("remember", "I like tea", "--json").json["memo"]["id"]
    cli("remember", "Deploys happen on Tuesdays")
    assert cli("forget", first, "--json").json["memos"][0]["text"] == "I like tea"
    assert cli("forget", "1", "--json").json["memos"][0]["text"] == "Deploys happen on Tuesdays"


def test_forgetting_what_is_not_there_ends_with_3(cli: Run):
    cli("remember", "I like tea")
    assert cli("forget", "coffee", code=3).err == 'recollect: Nothing matches "coffee"\n'
    assert cli("forget", "coffee", "--json", code=3).json == {"outcome": "none", "what": "coffee", "memos": []}


def test_an_ambiguous_forget_lists_the_matches_and_changes_nothing(cli: Run):
    ids = [cli("remember", text, "--json").json["memo"]["id"] for text in ("Acme pays me", "Lunch at Acme is bad")]
    cli("remember", "I like tea")
    done = cli("forget", "acme", code=3)
    assert done.out == ""
    assert f"  2  {ids[1]}  Lunch at Acme is bad" in done.err
    assert f"  3  {ids[0]}  Acme pays me" in done.err
    assert "--all" in done.err
    assert cli("show", "--json").json["total"] == 3
    data = cli("forget", "acme", "--json", code=3).json
    assert data["outcome"] == "ambiguous"
    assert {memo["id"] for memo in data["memos"]} == set(ids)


def test_the_numbers_of_an_ambiguous_forget_mean_what_they_mean_elsewhere(cli: Run):
    for text in ("Acme pays me", "Lunch at Acme is bad", "I like tea"):
        cli("remember", text)
    assert "  3  " in cli("forget", "acme", code=3).err
    assert cli("forget", "3", "--json").json["memos"][0]["text"] == "Acme pays me"


@pytest.mark.parametrize("command", ["pin", "unpin", "share", "private", "why", "edit"])
def test_words_name_a_memory_for_every_command_and_several_that_fit_are_listed(cli: Run, command: str):
    ids = [cli("remember", text, "--json").json["memo"]["id"] for text in ("Acme pays me", "Lunch at Acme is bad")]
    words = ["Lunch at Acme is fine"] if command == "edit" else []
    done = cli(command, "acme", *words, code=3)
    assert (done.out, f"  1  {ids[1]}  Lunch at Acme is bad" in done.err) == ("", True)
    data = cli(command, "acme", *words, "--json", code=3).json
    assert (data["outcome"], {memo["id"] for memo in data["memos"]}) == ("ambiguous", set(ids))
    assert 'Nothing matches "tea"' in cli(command, "tea", *words, code=3).err
    assert cli(command, "tea", *words, "--json", code=3).json == {"outcome": "none", "what": "tea", "memos": []}
    assert cli(command, "lunch at", *words, "--json").json["memo"]["id"] == ids[1]


def test_why_explains_a_memory_that_is_no_longer_in_use_where_no_other_fits(cli: Run):
    cli("remember", "I work at Acme Corp")
    cli("remember", "I work at Globex now")
    assert 'It gave way to: "I work at Globex now"' in cli("why", "acme", "corp").out
    assert 'Nothing matches "acme"' in cli("pin", "acme", code=3).err


def test_forget_all_and_undo_as_one(cli: Run):
    for text in ("Acme pays me", "Lunch at Acme is bad"):
        cli("remember", text)
    assert cli("forget", "acme", "--all").out == 'Forgot 2 memories matching "acme". Undo: recollect undo\n'
    done = cli("undo")
    assert sorted(done.out.splitlines()) == ['Restored: "Acme pays me"', 'Restored: "Lunch at Acme is bad"']
    assert cli("show", "--json").json["total"] == 2


@pytest.mark.acceptance("B6")
def test_memory_is_inspected_and_corrected_by_its_owner(cli: Run):
    cli("remember", "My office is in Bern")
    cli("remember", "My dog is called Rex")
    assert "My office is in Bern" in cli("show").out
    cli("forget", "office")
    cli("remember", "My office is in Basel")
    assert cli("show").out.splitlines()[1:] == [
        "1. My office is in Basel",
        "2. My dog is called Rex",
    ]


def test_undo_goes_back_step_by_step_until_nothing_is_left(cli: Run):
    cli("remember", "I like tea")
    cli("forget", "tea")
    assert cli("undo").out == 'Restored: "I like tea"\n'
    assert cli("undo", "--json").json["removed"][0]["text"] == "I like tea"
    assert cli("undo", code=3).err == "recollect: there is nothing to undo\n"
    assert cli("undo", "--json", code=3).json["outcome"] == "none"


def test_undo_shows_a_change_that_is_named_and_takes_back_no_other(cli: Run):
    for words in ("I like tea", "I play chess"):
        cli("remember", words)
    chess, tea = (line.split("\t")[4] for line in cli("log").out.splitlines())
    assert cli("undo", tea, "--dry-run").out == 'Would remove: "I like tea"\n'
    assert cli("undo", "--dry-run", "--json").json["change"] == int(chess)
    assert "I like tea" in cli("list").out
    assert cli("undo", tea).out == 'Removed: "I like tea"\n'
    assert cli("undo", tea, code=3).err == "recollect: there is no such change that could be undone\n"
    cli("pin", "1")
    assert "in the meantime" in cli("undo", chess, "--dry-run", code=3).err
    assert "I play chess" in cli("show").out
    assert "no such change" in cli("undo", "9999", code=3).err
    assert "no such change" in cli("undo", chess, "--as", "somebody", code=3).err


def test_redo_takes_an_undo_back_and_says_so(cli: Run):
    cli("remember", "I like tea")
    cli("undo")
    assert cli("redo").out == 'Restored: "I like tea"\n'
    assert "I like tea" in cli("list").out
    assert cli("redo", code=3).err == "recollect: there is nothing to redo\n"
    cli("undo")
    assert cli("redo", "--json").json["outcome"] == "redone"


def test_undo_after_a_pin_does_not_speak_of_restoring(cli: Run):
    cli("remember", "I like tea")
    cli("pin", "1")
    assert cli("undo").out == 'Undid pinning: "I like tea"\n'


@pytest.mark.slow
def test_undo_refuses_where_the_last_change_came_with_a_deleted_message(cli: Run, process: Run, folder: Path):
    cli("add", "I live in Ghent", "--as", "ann")
    moved = cli("add", "I moved to Bruges", "--as", "ann", "--json").json["message"]

    async def delete() -> bool:
        async with recollect.AsyncMemory(
            ground.at(folder / "data" / "memory.db"), embedder="null", run_worker=False
        ) as memory:
            return await memory.message_deleted("local", moved["id"])

    assert asyncio.run(delete())
    told = "that change can't be undone: it came with a message that was deleted or edited"
    assert process("undo", "--as", "ann", code=3).err == f"recollect: {told}\n"
    refused = process("undo", "--as", "ann", "--json", code=3).json
    assert (refused["outcome"], refused["reason"], refused["removed"]) == ("refused", told, [])
    assert [one["text"] for one in process("show", "--as", "ann", "--json").json["memos"]] == ["Lives in Ghent"]


def test_pin_unpin_share_and_private_by_number_and_by_id(cli: Run):
    memo = cli("remember", "I like tea", "--json").json["memo"]["id"]
    assert cli("pin", "1").out == 'Pinned: "I like tea"\n'
    assert cli("show", "--json").json["memos"][0]["pinned"] is True
    assert cli("unpin", memo, "--json").json["memo"]["pinned"] is False
    assert cli("private", memo, "--json").json["memo"]["audience"] == "dm:me"
    assert cli("share", memo, "--json").json["memo"]["audience"] == "everywhere"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["pin", "unpin", "share", "private", "history"])
@pytest.mark.parametrize("memo", ["durable-00000000", "7", "²", "9" * 5_000])
def test_a_memory_that_is_not_there_ends_with_3(cli: Run, command: str, memo: str):
    told = cli(command, memo, code=3).err
    assert told.startswith(("recollect: there is no number ", 'recollect: Nothing matches "'))
    assert len(told) < 200


def test_observe_adds_a_message_that_search_finds_in_its_place(cli: Run):
    name = cli("add", "The train to Thun leaves at nine", "--in", "#dev").out.strip()
    (found,) = cli("search", "train", "--messages", "--in", "#dev", "--json").json["results"]
    assert found["message"]["id"] == name
    cli("search", "train", "--messages", "--in", "#ops", code=3)
    data = cli("add", "-", "--json", stdin="hello").json
    assert data["added"] is True
    assert data["message"]["text"] == "hello"


@pytest.mark.slow
def test_where_durable_memory_is_switched_off_nothing_is_remembered_and_everything_says_so(process: Run):
    process("remember", "I like tea")
    off = {"DISCOCLAW_DURABLE_MEMORY_ENABLED": "0"}
    refused = process("remember", "I like coffee", code=2, **off)
    assert "durable memory is switched off; switch it on with RECOLLECT_MEMOS_ENABLED=true" in refused.err
    shown = process("show", **off)
    assert "I like tea" in shown.out
    assert "coffee" not in shown.out
    assert "Durable memory is switched off" in shown.out
    assert process("show", "--json", **off).json["off"] == [
        "Durable memory is switched off: nothing is learned, remembered or recalled."
    ]
    assert "I like tea" in process("export", "me", **off).out
    assert "Forgot 1 memory" in process("forget", "tea", **off).out


def test_where_summaries_are_switched_off_show_says_so(process: Run):
    assert "Rolling summaries are switched off." in process("show", RECOLLECT_SUMMARY_ENABLED="off").out


@pytest.mark.parametrize(("former", "name"), ALIASES.items())
def test_a_former_name_of_a_command_still_works_and_is_not_shown(cli: Run, former: str, name: str):
    assert cli(former, "--help").out.split()[3:] == cli(name, "--help").out.split()[3:]
    assert f"\n  {former} " not in cli("help", "all").out


def test_restore_brings_back_what_was_forgotten_and_says_what_gives_way(cli: Run):
    ghent = cli("remember", "I live in Ghent", "--json").json["memo"]["id"]
    cli("remember", "I live in Bruges")
    cli("remember", "I like tea")
    cli("forget", "tea")
    assert [memo["text"] for memo in cli("show", "--forgotten", "--json").json["memos"]] == [
        "I like tea",
        "I live in Ghent",
    ]
    assert cli("restore", "2").out == 'Restored: "I live in Ghent"\nIt takes the place of: "I live in Bruges"\n'
    done = cli("restore", "tea", "--json").json
    assert (done["outcome"], done["memo"]["text"], done["replaced"]) == ("restored", "I like tea", [])
    assert cli("restore", ghent, "--json").json["outcome"] == "active"
    assert cli("show", "--forgotten").out.splitlines()[0] == "No longer in use (1 item):"
    assert cli("undo").out == 'Retired again: "I like tea"\n'


def test_restore_that_matches_nothing_or_too_much_changes_nothing(cli: Run):
    assert cli("restore", "tea", code=3).err == 'recollect: Nothing that was forgotten matches "tea"\n'
    cli("remember", "I like green tea")
    cli("remember", "I like black tea in the morning")
    cli("forget", "tea", "--all", "--yes")
    assert "2 memories match" in cli("restore", "tea", code=3).err
    assert cli("restore", "tea", "--json", code=3).json["outcome"] == "ambiguous"
    assert cli("show", "--json").json["total"] == 0


def test_edit_changes_the_words_of_a_memory_and_undo_brings_them_back(cli: Run):
    cli("remember", "I live in Lisbon")
    assert cli("edit", "1", "I", "live", "in", "Porto").out == 'Changed to: "I live in Porto". Undo: recollect undo\n'
    assert cli("show").out.splitlines()[1:] == ["1. I live in Porto"]
    assert cli("undo").out == 'Changed back to: "I live in Lisbon"\n'
    assert cli("edit", "1", "I live in Lisbon", code=3).err == "recollect: nothing was changed\n"
    assert "say the new words" in cli("edit", "1", code=2).err
    assert "no number 7" in cli("edit", "7", "x", code=3).err


def test_remember_reports_a_memo_known_already(cli: Run):
    cli("remember", "I like tea")
    assert cli("remember", "I like tea").out.startswith('I knew that already: "I like tea"\n')
    assert len(cli("show").out.splitlines()) == 2


def test_people_lists_who_is_remembered_and_how_much(cli: Run):
    assert "no store" in cli("people", code=1).err
    for user, text in (("ann", "I like tea"), ("ann", "I live in Porto"), ("bob", "I own a boat")):
        cli("remember", text, "--as", user)
    cli("remember", "The standup is at ten", "--lore", "--in", "#dev")
    assert [(one["id"], one["memories"]) for one in cli("people", "--json").json["people"]] == [("ann", 2), ("bob", 1)]
    assert cli("people", "bo").out == "bob\t\t1\t\t\n"
    assert cli("people", "zoe", code=3).err == 'recollect: nobody matches "zoe"\n'
    assert cli("people", "zoe", "--json", code=3).json == {"people": []}
