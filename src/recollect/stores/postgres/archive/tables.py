"""Sections that are lists of their own: tombstones, summaries, exchanges, state, jobs and events."""

from collections import Counter
from collections.abc import Sequence
from typing import LiteralString

from recollect.core.ports.archive import Name, Record
from recollect.stores.postgres import events, jobs
from recollect.stores.postgres.archive.section import ArchiveSection, Table, columns_of, placeholders
from recollect.stores.postgres.messages import ERASED
from recollect.stores.postgres.rows import ADD_TOMBSTONE, make_scopes

_DAY = 86_400_000


class Tombstones(Table):
    columns = ("scope", "fingerprint", "at")
    source = "tombstones"
    order_by = "scope, fingerprint"
    names = ("scope::text", "fingerprint::text")
    where: LiteralString = f"scope <> '{ERASED}'"


class ErasedMessages(ArchiveSection):
    """The tombstones of messages, which have one scope."""

    columns = ("fingerprint", "at")
    source = "tombstones"
    order_by = "fingerprint"
    names = ("fingerprint::text",)
    where: LiteralString = f"scope = '{ERASED}'"

    def put(self, records: Sequence[Record]) -> None:
        self._db.many(ADD_TOMBSTONE, [(ERASED, *record) for record in records])

    def remove(self, names: Sequence[Name]) -> None:
        fingerprints = [fingerprint for (fingerprint,) in names]
        self._db.run(f"DELETE FROM tombstones WHERE {self.where} AND fingerprint = ANY(%s::text[])", (fingerprints,))


class Summaries(Table):
    columns = ("session", "sequence", "text", "updated", "through")
    source = "summaries"
    order_by = "session, sequence"
    names = ("session::text", "sequence::bigint")


class Exchanges(Table):
    columns = ("guild", "at", "id", "channel", "channel_name", "author", "text", "expires")
    source = "exchanges"
    order_by = "guild, at, id"
    names = ("guild::text", "at::bigint", "id::text")


class State(Table):
    columns = ("kind", "key", "item", "number", "person", "guild")
    source = "state"
    order_by = "kind, key, item"
    names = ("kind::text", "key::text", "item::text")


class Jobs(ArchiveSection):
    """What is claimed is read as if its lease had run out: of a queue only the first job can have been begun."""

    columns = (
        *("id", "kind", "queue", "tenant", "payload"),
        "CASE state WHEN 'failed' THEN 'failed' ELSE 'waiting' END",
        "due",
        "attempts - (state = 'claimed' AND EXISTS (SELECT 1 FROM jobs AS earlier WHERE earlier.queue = jobs.queue "
        "AND earlier.state = 'claimed' AND earlier.id < jobs.id))::int",
        *("dedupe", "error"),
    )
    source = "jobs"
    order_by = "id"
    names = ("id::bigint",)
    documents = frozenset({4})

    def put(self, records: Sequence[Record]) -> None:
        self._delete([record[:1] for record in records])
        self._db.many(
            "INSERT INTO jobs (id, kind, queue, tenant, payload, state, due, attempts, dedupe, error) "
            f"OVERRIDING SYSTEM VALUE VALUES ({placeholders(10)})",
            [(*record[:5], "failed" if record[5] == "failed" else "blocked", *record[6:]) for record in records],
        )
        self._db.run(_COUNT_UP.format(table="jobs"))
        jobs.repair_queues(self._db)

    def remove(self, names: Sequence[Name]) -> None:
        self._delete(names)
        jobs.repair_queues(self._db)

    def _delete(self, names: Sequence[Name]) -> None:
        self._db.run("DELETE FROM jobs WHERE id = ANY(%s::bigint[])", ([job for (job,) in names],))


class Events(ArchiveSection):
    """Ids stay as they are, since followers of the log have noted the last id they saw."""

    columns = ("events.id", "kind", "at", "actor", "coalesce(scopes.name, '')", "memo", "reason", "data")
    source = "events LEFT JOIN scopes ON scopes.id = events.scope"
    order_by = "events.id"
    names = ("events.id::bigint",)
    documents = frozenset({7})

    def put(self, records: Sequence[Record]) -> None:
        overwrites = self._any_exists([record[:1] for record in records])
        scopes = make_scopes(self._db, {record[4] for record in records} - {""})
        self._db.many(_PUT_EVENT, [(*record[:4], scopes.get(record[4]), *record[5:]) for record in records])
        self._db.run(_COUNT_UP.format(table="events"))
        if overwrites:
            events.recount(self._db)
        else:
            self._add_to_counts(records)

    def _add_to_counts(self, records: Sequence[Record]) -> None:
        counts = Counter((record[1], record[2] // _DAY) for record in records)
        last: dict[tuple[str, int], int] = {}
        for _, kind, at, *_ in records:
            last[kind, at // _DAY] = max(last.get((kind, at // _DAY), at), at)
        rows = [(*day, count, last[day]) for day, count in sorted(counts.items())]
        kinds, days, totals, lasts = columns_of(rows)
        values = {"kinds": kinds, "days": days, "counts": totals, "lasts": lasts, "shard": self._db.shard}
        self._db.run(events.COUNTING, values)

    def remove(self, names: Sequence[Name]) -> None:
        self._db.run("DELETE FROM events WHERE id = ANY(%s::bigint[])", ([event for (event,) in names],))
        events.recount(self._db)

    def _any_exists(self, names: Sequence[Name]) -> bool:
        sql: LiteralString = "SELECT EXISTS (SELECT 1 FROM events WHERE id = ANY(%s::bigint[]))"
        return self._db.value(sql, ([event for (event,) in names],))


_PUT_EVENT: LiteralString = (
    "INSERT INTO events (id, kind, at, actor, scope, memo, reason, data) OVERRIDING SYSTEM VALUE "
    f"VALUES ({placeholders(8)}) ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, at = excluded.at, "
    "actor = excluded.actor, scope = excluded.scope, memo = excluded.memo, reason = excluded.reason, "
    "data = excluded.data"
)
_COUNT_UP: LiteralString = (
    "SELECT setval(pg_get_serial_sequence('{table}', 'id'), greatest((SELECT max(id) FROM {table}), "
    "nextval(pg_get_serial_sequence('{table}', 'id'))))"
)
"""The next id is beyond all stored ones."""
