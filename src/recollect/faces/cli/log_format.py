"""The log of commands that keep running: one line a record, for people or as JSON for machines."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Literal

from recollect.faces.cli.output import safe

Form = Literal["plain", "json"]


class Lines(logging.Formatter):
    """For people: when, how grave, from where, what; and how it came about, if it is an error."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).astimezone()
        text = safe(" ".join(record.getMessage().split()))
        line = f"{at.isoformat(timespec='milliseconds')} {record.levelname.lower()} {record.name}: {text}"
        return f"{line}\n{safe(self.formatException(record.exc_info))}" if record.exc_info else line


class Objects(logging.Formatter):
    """For machines: one JSON object a line, with what a record brings along as `told`."""

    def format(self, record: logging.LogRecord) -> str:
        value: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            value["error"] = self.formatException(record.exc_info)
        return json.dumps(value)


def write_log(form: Form | None, debug: bool) -> None:
    """Let this process write its log to the error stream, unless said as people read it on a terminal, else as JSON.
    With `debug`, errors that are only named in a line come with their traceback.
    """
    handler = logging.StreamHandler(sys.stderr)
    plain = form == "plain" or (form is None and sys.stderr.isatty())
    handler.setFormatter(Lines() if plain else Objects())
    if debug:
        handler.addFilter(_with_traceback)
    root = logging.getLogger()
    for other in [*root.handlers]:
        root.removeHandler(other)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("recollect").setLevel(logging.DEBUG if debug else logging.INFO)


def _with_traceback(record: logging.LogRecord) -> bool:
    args = record.args if isinstance(record.args, tuple) else ()
    error = next((arg for arg in args if isinstance(arg, BaseException)), None)
    if not record.exc_info and error is not None:
        record.exc_info = type(error), error, error.__traceback__
    return True
