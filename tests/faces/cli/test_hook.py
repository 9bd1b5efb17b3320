"""`hook`: Claude Code's hooks, as its documentation describes their input and output."""

import json
from pathlib import Path

from tests.faces.cli.conftest import Run


def entry(number: int, role: str, content: object, **more: object) -> str:
    fields = {"type": role, "uuid": f"u{number}", "timestamp": "2026-05-01T10:00:00Z", **more}
    return json.dumps({**fields, "message": {"role": role, "content": content}})


def test_what_was_said_is_learned_and_told_in_the_next_session(cli: Run, tmp_path: Path):
    transcript = tmp_path / "session.jsonl"
    lines = [
        '{"type": "summary", "summary": "A chat"}',
        entry(1, "user", "I am allergic to nuts."),
        entry(2, "assistant", [{"type": "text", "text": "Noted."}, {"type": "tool_use", "name": "Bash", "input": {}}]),
        entry(3, "user", [{"type": "tool_result", "content": "I live in Rome."}]),
        entry(4, "user", "I live in Oslo.", isSidechain=True),
        entry(5, "user", "<command-name>/clear</command-name>"),
        "not json",
    ]
    transcript.write_text("\n".join(lines), "utf-8")
    for name in ("Stop", "Stop", "SessionEnd"):
        event = {"hook_event_name": name, "session_id": "s", "transcript_path": str(transcript), "cwd": "/"}
        assert cli("hook", stdin=json.dumps(event)).out == ""
    said = cli("search", "--messages", "allergic noted Rome Oslo clear", "--json").json["results"]
    assert sorted(hit["message"]["text"] for hit in said) == ["I am allergic to nuts.", "Noted."]
    for event in (
        {"hook_event_name": "UserPromptSubmit", "prompt": "What can I eat?"},
        {"hook_event_name": "SessionStart", "source": "startup"},
    ):
        output = cli("hook", stdin=json.dumps(event)).json["hookSpecificOutput"]
        assert output["hookEventName"] == event["hook_event_name"]
        assert "allergic to nuts" in output["additionalContext"]
    other = cli("hook", "--as", "ben", stdin=json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "Nuts?"}))
    assert "nuts" not in other.out


def test_a_hook_never_stops_the_session(cli: Run, tmp_path: Path):
    for stdin in ("", "[]", '{"hook_event_name": "Stop"}', '{"hook_event_name": "PreToolUse"}'):
        result = cli("hook", stdin=stdin)
        assert (result.out, bool(result.err)) == ("", True)
    missing = {"hook_event_name": "Stop", "transcript_path": str(tmp_path / "none.jsonl")}
    assert "left out" in cli("hook", stdin=json.dumps(missing)).err
