"""What `recollect doctor` checks and `recollect rebuild-index` repairs in every SQL store."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import LiteralString, TypeVar

from recollect.core.ports import Corpus, HealthCheck, Progress
from recollect.core.state import StateKind
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.events import Events
from recollect.stores._sql.jobs import misordered_queues, repair_queues

D = TypeVar("D", bound=Database)

REINDEX_BATCH_ROWS = 500
_PUT_META = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"


def rows_per_scope(memos: LiteralString, messages: LiteralString) -> LiteralString:
    """The stored size of each scope, and how many rows of these queries it has."""
    return f"""
    SELECT scopes.id AS scope, size, coalesce(sum(alive.rows), 0) AS rows FROM scopes LEFT JOIN (
        SELECT scope, count(*) AS rows FROM ({memos}) AS memos GROUP BY 1
        UNION ALL SELECT scope, count(*) AS rows FROM ({messages}) AS messages GROUP BY 1
    ) AS alive ON alive.scope = scopes.id GROUP BY scopes.id
    """


def check_index(check: str, problem: str) -> HealthCheck:
    """A result that a rebuild mends; without a problem it is fine."""
    return HealthCheck(
        check, not problem, f"{problem}; run 'recollect rebuild-index'" if problem else "", bool(problem)
    )


def check_sizes(db: Database, counted: LiteralString) -> HealthCheck:
    """Check that each scope's size is the number of its rows."""
    sql: LiteralString = f"SELECT count(*) FROM ({counted}) AS counted WHERE size <> rows"
    wrong = db.value(sql)
    return check_index("sizes of scopes", f"{wrong} wrong" if wrong else "")


def repair_counts(db: D, counted: LiteralString, events: Events[D]) -> None:
    """Count scopes and events again, and put the queues of jobs in order; `counted` comes from `rows_per_scope`."""
    sql: LiteralString = f"""
    UPDATE scopes SET size = counted.rows FROM ({counted}) AS counted
    WHERE counted.scope = scopes.id AND scopes.size <> counted.rows
    """
    db.run(sql)
    repair_queues(db)
    if events.miscounted():
        events.recount()


def check_word_index(corpus: Corpus, missing: int, stray: int) -> HealthCheck:
    """Check that the word index has exactly the rows that it should."""
    return check_index(f"word index of {corpus}", f"{missing} missing, {stray} stray" if missing or stray else "")


def check_vectors(corpus: Corpus, model: str, missing: int, stray: int) -> HealthCheck:
    check = f"vectors of {corpus} by {model}"
    if stray:
        return check_index(check, f"{stray} stray")
    return HealthCheck(check, True, f"{missing} still to embed" if missing else "")


def check_jobs(failed: int) -> HealthCheck:
    return HealthCheck("jobs", not failed, f"{failed} given up after repeated failures" if failed else "")


def check_budget(db: Database) -> list[HealthCheck]:
    """Report the servers and DMs that have spent today's budget, by this machine's clock."""
    sql = "SELECT count(DISTINCT item) FROM state WHERE kind = $1 AND key = $2"
    count: int = db.value(sql, (StateKind.BUDGET_SPENT.value, datetime.now(UTC).date().isoformat()))
    places = "1 server or DM" if count == 1 else f"{count} servers and DMs"
    return [HealthCheck("learning paused", True, f"budget of {places} is spent until midnight UTC")] if count else []


def check_queues(db: Database) -> HealthCheck:
    """Check that exactly the first job of each queue can be claimed."""
    stuck = len(misordered_queues(db))
    return check_index("queues of jobs", f"{stuck} out of order" if stuck else "")


def check_counts(wrong: bool) -> HealthCheck:
    return check_index("counts of events", "wrong" if wrong else "")


def reindex_start(db: Database, alive: Mapping[Corpus, LiteralString]) -> dict[Corpus, tuple[int, int]]:
    """For each corpus how many rows remain, and the key after which an interrupted run continues."""
    starts: dict[Corpus, tuple[int, int]] = {}
    for corpus, rows in alive.items():
        after = int(db.value("SELECT value FROM meta WHERE name = $1", (f"reindex:{corpus}",)) or 0)
        sql: LiteralString = f"SELECT count(*) FROM ({rows} AND key > $1) AS remaining"
        starts[corpus] = db.value(sql, (after,)), after
    return starts


def end_step(db: Database, corpus: Corpus, rows: Sequence[Row], repair: Callable[[], None]) -> tuple[int, int]:
    """What a step of the reindex returns after these rows; after the last one of a corpus, derived data is repaired."""
    last: int = rows[-1][1] if len(rows) == REINDEX_BATCH_ROWS else 0
    if not last:
        repair()
    db.run(_PUT_META, (f"reindex:{corpus}", str(last)))
    return len(rows), last


async def reindex(
    start: dict[Corpus, tuple[int, int]],
    step: Callable[[Corpus, int], Awaitable[tuple[int, int]]],
    progress: Progress | None,
) -> int:
    """Rewrite the word index in steps that others can write between."""
    total, count = sum(rows for rows, _ in start.values()), 0
    for corpus, (_, after) in start.items():
        while True:
            rows, after = await step(corpus, after)
            count += rows
            if progress is not None:
                progress(count, total)
            if not after:
                break
    return count
