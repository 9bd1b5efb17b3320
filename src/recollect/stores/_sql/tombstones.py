"""Tombstones: what was forgotten or erased, so that it does not come back."""

from recollect.core.text import digest

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
