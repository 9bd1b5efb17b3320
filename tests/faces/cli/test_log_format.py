"""The log of commands that keep running, for people and for machines."""

import json
import logging
import sys
from types import TracebackType

from recollect.faces.cli.log_format import JsonFormatter, LineFormatter

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
