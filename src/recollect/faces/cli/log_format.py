"""Log formats of long-running commands: one line per record, for people or as JSON."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Literal

from recollect.faces.cli.output import safe
from recollect.policy.redaction import redact
from recollect.policy.redaction.json_values import redact_value

LogFormat = Literal["plain", "json"]

MAX_REPEATS, WINDOW_SECONDS = 20, 60.0
"""Warnings and errors of one cause that are logged in this time."""
MAX_CAUSES = 1_000


class LineFormatter(logging.Formatter):
    """For people: time, level, logger, message, and the traceback of an error."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).astimezone()
        text = safe(" ".join(redact(record.getMessage()).text.split()))
        line = f"{time.isoformat(timespec='milliseconds')} {record.levelname.lower()} {record.name}: {text}"
        return f"{line}\n{safe(redact(self.formatException(record.exc_info)).text)}" if record.exc_info else line


class JsonFormatter(logging.Formatter):
    """For machines: one JSON object per line, with the `fields` of a record."""

    def format(self, record: logging.LogRecord) -> str:
        value: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redact(record.getMessage()).text,
            **redact_value(getattr(record, "fields", {})),
        }
        if record.exc_info:
            value["error"] = redact(self.formatException(record.exc_info)).text
        return json.dumps(value)


class RepeatFilter(logging.Filter):
    """Leaves out warnings and errors of one cause beyond a number per minute, and says how many: an outage must not
    fill the disk with what every message repeats. The cause is the text without its values, and the error's type.
    """

    def __init__(self) -> None:
        super().__init__()
        self._windows: dict[tuple[object, ...], tuple[float, int]] = {}
        """Since when a cause is counted, and how often it occurred since."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        cause = self._cause(record)
        since, count = self._windows.get(cause, (record.created, 0))
        omitted = 0
        if not 0 <= record.created - since < WINDOW_SECONDS:
            since, count, omitted = record.created, 0, max(0, count - MAX_REPEATS)
        if len(self._windows) >= MAX_CAUSES:
            self._windows.clear()
        self._windows[cause] = since, count + 1
        if omitted:
            _annotate(record, f"{omitted:,} more of these were left out")
        elif count + 1 == MAX_REPEATS:
            _annotate(record, "more of these are left out for a minute")
        return count < MAX_REPEATS

    def _cause(self, record: logging.LogRecord) -> tuple[object, ...]:
        args = record.args if isinstance(record.args, tuple) else ()
        error = record.exc_info[1] if record.exc_info else next((a for a in args if isinstance(a, BaseException)), None)
        return record.name, record.levelno, str(record.msg), type(error)


def _annotate(record: logging.LogRecord, note: str) -> None:
    record.msg, record.args = f"{record.getMessage()} ({note})", None


def write_log(form: LogFormat | None, debug: bool) -> None:
    """Write the log to the error stream: by default as lines on a terminal, else as JSON. With `debug`, errors that
    a line only names come with their traceback, and none is left out.
    """
    handler = logging.StreamHandler(sys.stderr)
    is_plain = form == "plain" or (form is None and sys.stderr.isatty())
    handler.setFormatter(LineFormatter() if is_plain else JsonFormatter())
    handler.addFilter(_with_traceback if debug else RepeatFilter())
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
