"""Everything recollect raises on purpose.

RecollectError
├── ConfigError            a setting is wrong; the message names it
├── BadInput               the caller's value can't be used (also a ValueError)
│   └── UnknownMemo        no memo has that id
├── VersionConflict        the memo was changed since the version that the caller has seen
├── MissingExtra           an optional package is not installed; the message says which
├── StoreError             the store can't do its work
│   ├── CorruptStore       the file is damaged or not ours; it is left unchanged
│   ├── NewerSchema        written by a newer recollect; it is left unchanged
│   ├── StoreBusy          another process kept the store locked for too long
│   ├── StoreUnreachable   the database server does not answer; nothing acknowledged is lost
│   └── StoreUnwritable    disk full, read-only or no permission; nothing acknowledged is lost
├── EmbedderError          texts could not be embedded; word search still works
└── ModelError             a language model failed; memories stay as they were
    └── ModelUnavailable   it can't be reached or is overloaded; a retry may help

Outcomes of ordinary use (nothing matched, several matched) are values, not errors: see `recollect.core.outcomes`.
"""


class RecollectError(Exception):
    """Base of all errors raised by recollect."""


class ConfigError(RecollectError):
    """A setting has a value that can't be used."""


class BadInput(RecollectError, ValueError):
    """A value passed by the caller can't be used."""


class UnknownMemo(BadInput):
    """No memo has this id."""


class VersionConflict(RecollectError):
    """The memo was changed since the version that the caller has seen, so nothing was done."""

    def __init__(self, memo: str, seen: int, version: int, text: str) -> None:
        super().__init__(
            f"memory {memo} was changed in the meantime: it has version {version}, not {seen}. "
            f"Read it again, then repeat your change with version {version}"
        )
        self.memo = memo
        self.version = version
        """The one that it has now."""
        self.text = text
        """What it says now."""


class MissingExtra(RecollectError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional package: pip install 'recollect[{extra}]'")
        self.extra = extra


class StoreError(RecollectError):
    """The store can't do its work."""


class CorruptStore(StoreError):
    """The store's file is damaged, or is not a recollect store."""


class NewerSchema(StoreError):
    """The store was written by a newer version of recollect."""


class StoreBusy(StoreError):
    """Another process kept the store locked for too long."""


class StoreUnreachable(StoreError):
    """The database server can't be reached, or refuses the login."""


class StoreUnwritable(StoreError):
    """The store's location can't be written to."""


class EmbedderError(RecollectError):
    """Texts could not be turned into vectors."""


class RerankerError(RecollectError):
    """Results could not be put into a better order."""


class ModelError(RecollectError):
    """A language model did not answer as it should."""

    plain: str = ""
    """The reason for people who talk with it: without hosts and variables; empty if it just can't be reached."""

    def __init__(self, *args: object, plain: str = "") -> None:
        super().__init__(*args)
        self.plain = plain


class ModelUnavailable(ModelError):
    """A language model can't be reached, or is overloaded."""


class ModelTimeout(ModelUnavailable):
    """A language model takes longer than it is given; asking it again in the same way would take as long."""


class ModelRefused(ModelError):
    """A language model doesn't take this request: it is too long for it, or filtered."""
