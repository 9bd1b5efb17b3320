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


def write_log(form: LogFormat | None, debug: bool) -> None:
    """Write the log to the error stream: by default as lines on a terminal, else as JSON. With `debug`, errors that
    a line only names come with their traceback.
    """
    handler = logging.StreamHandler(sys.stderr)
    is_plain = form == "plain" or (form is None and sys.stderr.isatty())
    handler.setFormatter(LineFormatter() if is_plain else JsonFormatter())
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
