"""Tombstones: fingerprints of forgotten or erased texts, so that these are not added again."""

from recollect.core.fingerprints import Fingerprints
from recollect.core.text import digest
from recollect.stores._sql.database import Database

ERASED = "erased messages"
"""The scope of the tombstones that keep messages from coming back."""
PUT = """
INSERT INTO tombstones (scope, fingerprint, at) VALUES ($1, $2, $3)
ON CONFLICT (scope, fingerprint) DO UPDATE SET at = excluded.at
"""
AT = "SELECT at FROM tombstones WHERE scope = $1 AND fingerprint = $2"
DELETE = "DELETE FROM tombstones WHERE scope = $1 AND fingerprint = $2"


def message_fingerprint(platform: str, message_id: str) -> str:
    return digest("message", platform, message_id)


def key_fingerprints(db: Database) -> None:
    """A migration: what tombstones hold of texts is keyed with a secret of the store. Those of messages hold ids."""
    fingerprints = Fingerprints.new()
    db.run("INSERT INTO meta VALUES ('secret', $1)", (fingerprints.secret,))
    rows = db.rows(
        "DELETE FROM tombstones WHERE substr(scope, 1, 5) IN ('user:', 'lore:') RETURNING scope, fingerprint, at"
    )
    db.many(PUT, [(scope, fingerprints.of_digest(unkeyed), at) for scope, unkeyed, at in rows])
