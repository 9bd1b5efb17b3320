"""The log of commands that keep running, for people and for machines."""

import json
import logging
import sys
from types import TracebackType

from recollect.faces.cli.log_format import MAX_CAUSES, MAX_REPEATS, JsonFormatter, LineFormatter, RepeatFilter

Caught = tuple[type[BaseException], BaseException, TracebackType]


def record(text: str, *args: object, error: Caught | None = None, **fields: object) -> logging.LogRecord:
    made = logging.LogRecord("recollect.http", logging.WARNING, "x.py", 1, text, args, error)
    made.fields = fields
    return made


def caught() -> Caught:
    try:
        raise RuntimeError("it broke")
    except RuntimeError:
        return sys.exc_info()  # type: ignore[return-value]


def test_an_object_a_line_with_what_the_record_brings_along():
    line = JsonFormatter().format(record("took %d\nms", 5, route="/api/v1/memos", status=200))
    assert "\n" not in line
    found = json.loads(line)
    assert found.pop("time").endswith("+00:00")
    assert found == {
        "level": "warning",
        "logger": "recollect.http",
        "message": "took 5\nms",
        "route": "/api/v1/memos",
        "status": 200,
    }


def test_an_error_is_in_its_object_with_where_it_came_from():
    line = JsonFormatter().format(record("it failed", error=caught()))
    assert "\n" not in line
    assert "RuntimeError: it broke" in json.loads(line)["error"]


def test_a_line_for_people_can_not_act_on_their_terminal():
    line = LineFormatter().format(record("hello\n\x1b[31mred"))
    assert line.endswith("warning recollect.http: hello \\x1b[31mred")
    assert "RuntimeError: it broke" in LineFormatter().format(record("it failed", error=caught()))


def logged(limit: RepeatFilter, text: str, number: object, at: float, level: int = logging.WARNING) -> str | None:
    made = record(text, number)
    made.created, made.levelno = at, level
    return LineFormatter().format(made).partition("recollect.http: ")[2] if limit.filter(made) else None


def test_what_one_cause_repeats_is_left_out_for_a_minute_and_counted_and_other_causes_are_not():
    limit = RepeatFilter()
    lines = [logged(limit, "message %s is not kept", number, 1000 + number / 100) for number in range(500)]
    assert [line for line in lines if line] == lines[:MAX_REPEATS]
    assert lines[0] == "message 0 is not kept"
    assert lines[MAX_REPEATS - 1] == "message 19 is not kept (more of these are left out for a minute)"
    assert logged(limit, "the disk is %s", "100% full", 1030) == "the disk is 100% full"
    assert logged(limit, "message %s is not kept", OSError("no"), 1030) == "message no is not kept", "another error"
    assert logged(limit, "message %s is not kept", 1, 1030, logging.INFO) == "message 1 is not kept"
    later = [logged(limit, "message %s is not kept", number, 1061 + number) for number in range(2)]
    assert later == ["message 0 is not kept (480 more of these were left out)", "message 1 is not kept"]
    assert logged(limit, "message %s is not kept", 2, 900) == "message 2 is not kept", "the clock was set back"


def test_a_thousand_causes_take_no_more_memory():
    limit = RepeatFilter()
    for number in range(2 * MAX_CAUSES):
        assert logged(limit, f"cause {number}: %s", 1, 1000)
    assert len(limit._windows) <= MAX_CAUSES
