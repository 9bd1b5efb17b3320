"""PostgreSQL's errors as ours: which of them are transient, and advice for the others."""

import psycopg
from psycopg import errors

from recollect.core.errors import CorruptStore, StoreBusy, StoreError, StoreUnreachable, StoreUnwritable

_CONFLICTS = (
    errors.DeadlockDetected,
    errors.SerializationFailure,
    errors.UndefinedTable,  # the vectors of a model that was replaced during the read
)
_TEMPORARY_REFUSALS = (
    "starting up",
    "shutting down",
    "too many",
    "not yet accepting",
    "in recovery",
    "remaining connection slots",
)
"""Errors of a server that accepts no connections for the moment."""


def is_conflict(error: psycopg.Error) -> bool:
    """Whether it is a conflict with other transactions, so that the unit can be run again."""
    return isinstance(error, _CONFLICTS)


def is_refusal(error: psycopg.Error) -> bool:
    """Whether the server refuses us, so that waiting would not help."""
    text = str(error)
    return "FATAL" in text and not any(words in text for words in _TEMPORARY_REFUSALS)


def unreachable(address: object, error: BaseException | None) -> StoreUnreachable:
    reason = " ".join(str(error).split()) if error is not None else "no answer"
    return StoreUnreachable(
        f"{address} can't be reached ({reason}). Nothing acknowledged was lost; "
        "check that the server runs and that RECOLLECT_STORE is right, or see 'recollect doctor'."
    )


def exhausted(address: object, size: int) -> StoreBusy:
    return StoreBusy(f"all {size} connections to {address} are in use; allow more with pool= in its address.")


def conflicting(address: object, error: psycopg.Error) -> StoreError:
    if isinstance(error, errors.UndefinedTable):  # the table is not there
        return translated(address, error)
    return StoreBusy(f"others kept changing the same rows of {address}; try again.")


def translated(address: object, error: psycopg.Error) -> StoreError:
    detail = " ".join(str(error).split())
    match error:
        case errors.LockNotAvailable() | errors.QueryCanceled():
            return StoreBusy(f"another process keeps rows of {address} locked; try again, or stop that process.")
        case errors.DiskFull() | errors.OutOfMemory():
            return StoreUnwritable(f"{address} has no space left ({detail}). Nothing stored was lost.")
        case errors.ReadOnlySqlTransaction():
            return StoreUnwritable(f"{address} only lets us read (a standby?); name the primary in RECOLLECT_STORE.")
        case errors.InsufficientPrivilege():
            return StoreUnwritable(f"{address} doesn't let us write ({detail}); grant this user the rights.")
        case errors.DataCorrupted() | errors.IndexCorrupted():
            return CorruptStore(f"{address} is damaged ({detail}). It was left as it is: restore it from a backup.")
        case _:
            return StoreError(f"{address}: {detail}")
