"""Sections that are lists of their own: tombstones, summaries, exchanges, state, jobs and events."""

import json
from collections.abc import Sequence

from recollect.core.ports.archive import Name, Record
from recollect.stores.sqlite import events, jobs
from recollect.stores.sqlite.archive.section import ArchiveSection, Table
from recollect.stores.sqlite.messages import ERASED
from recollect.stores.sqlite.rows import make_scope


class Tombstones(Table):
    columns = "scope, fingerprint, at"
    source = "tombstones"
    order_by = "scope, fingerprint"
    match = "scope = ? AND fingerprint = ?"
    where = f"scope <> '{ERASED}'"


class ErasedMessages(ArchiveSection):
    """The tombstones of messages, which have one scope."""

    columns = "fingerprint, at"
    source = "tombstones"
    order_by = "fingerprint"
    match = "fingerprint = ?"
    where = f"scope = '{ERASED}'"

    def put(self, records: Sequence[Record]) -> None:
        self._db.executemany(f"INSERT OR REPLACE INTO tombstones VALUES ('{ERASED}', ?, ?)", records)

    def remove(self, names: Sequence[Name]) -> None:
        self._db.executemany(f"DELETE FROM tombstones WHERE {self.where} AND {self.match}", names)


class Summaries(Table):
    columns = "session, sequence, text, updated, through"
    source = "summaries"
    order_by = "session, sequence"
    match = "session = ? AND sequence = ?"


class Exchanges(Table):
    columns = "guild, at, id, channel, channel_name, author, text, expires"
    source = "exchanges"
    order_by = "guild, at, id"
    match = "guild = ? AND at = ? AND id = ?"


class State(Table):
    columns = "kind, key, item, number, person, guild"
    source = "state"
    order_by = "kind, key, item"
    match = "kind = ? AND key = ? AND item = ?"


class Jobs(ArchiveSection):
    """What is claimed is read as if its lease had run out: of a queue only the first job can have been begun."""

    columns = (
        "id, kind, queue, tenant, payload, iif(state = 'failed', 'failed', 'waiting'), due, "
        "attempts - (state = 'claimed' AND EXISTS (SELECT 1 FROM jobs AS earlier INDEXED BY jobs_in_work "
        "WHERE earlier.queue = jobs.queue AND earlier.state = 'claimed' AND earlier.id < jobs.id)), dedupe, error"
    )
    source = "jobs"
    order_by = "id"
    match = "id = ?"
    documents = frozenset({4})

    def put(self, records: Sequence[Record]) -> None:
        self.remove([record[:1] for record in records])
        rows = [(*record[:5], "failed" if record[5] == "failed" else "blocked", *record[6:]) for record in records]
        self._db.executemany(
            "INSERT INTO jobs (id, kind, queue, tenant, payload, state, due, attempts, dedupe, error) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        self._restart_queues({record[2] for record in records})

    def remove(self, names: Sequence[Name]) -> None:
        queues = (self._db.value("DELETE FROM jobs WHERE id = ? RETURNING queue", name) for name in names)
        self._restart_queues({queue for queue in queues if queue is not None})

    def _restart_queues(self, queues: set[str]) -> None:
        self._db.executemany(
            "UPDATE jobs SET state = 'blocked' WHERE queue = ? AND state = 'waiting'", [(queue,) for queue in queues]
        )
        jobs.promote_first(self._db, queues)


class Events(ArchiveSection):
    """Ids stay as they are, since followers of the log have noted the last id they saw."""

    columns = "events.id, kind, at, actor, coalesce(name, ''), memo, reason, data"
    source = "events LEFT JOIN scopes ON scopes.id = events.scope"
    order_by = "events.id"
    match = "events.id = ?"
    documents = frozenset({7})

    def put(self, records: Sequence[Record]) -> None:
        replaced = self._take_out([record[:1] for record in records])
        self._db.executemany(
            "INSERT INTO events (id, kind, at, actor, scope, memo, reason, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(*record[:4], self._scope(record[4]), *record[5:]) for record in records],
        )
        if replaced:
            events.recount(self._db)
        else:
            self._add_to_counts(records)

    def _scope(self, name: str) -> int | None:
        return make_scope(self._db, name) if name else None

    def _add_to_counts(self, records: Sequence[Record]) -> None:
        self._db.run(
            "INSERT INTO event_days SELECT kind, at / 86400000, count(*), max(at) FROM events "
            "WHERE id IN (SELECT value FROM json_each(?)) GROUP BY 1, 2 "
            "ON CONFLICT (kind, day) DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last)",
            (json.dumps([record[0] for record in records]),),
        )

    def remove(self, names: Sequence[Name]) -> None:
        if self._take_out(names):
            events.recount(self._db)

    def _take_out(self, names: Sequence[Name]) -> bool:
        before = self._db.total_changes()
        self._db.executemany("DELETE FROM events WHERE id = ?", names)
        return self._db.total_changes() > before
