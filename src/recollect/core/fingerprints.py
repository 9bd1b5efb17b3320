"""Keyed fingerprints of texts, and ids of memos: they mean nothing without the store's secret.

Each is an HMAC of an unkeyed digest, so that a digest that was stored or exported without a key can be keyed later,
when its text is gone.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from recollect.core.text import digest, normalize

_SHORT_HASH_CHARS = 8


def text_digest(text: str) -> str:
    """The unkeyed digest of a memo's text: for files that hold the text as well."""
    return digest("memo", normalize(text))


@lru_cache(maxsize=8)
def _keyed(secret: str) -> hmac.HMAC:
    """What each fingerprint of a store begins with; setting up the key takes longer than the rest."""
    return hmac.new(secret.encode(), digestmod=hashlib.sha256)


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Makes the fingerprints of one store."""

    secret: str = field(repr=False)
    """Created with the store; part of its copies and backups, and of nothing else."""

    @classmethod
    def new(cls) -> "Fingerprints":
        return cls(secrets.token_hex(32))

    def of_text(self, text: str) -> str:
        """What a tombstone holds of a forgotten text."""
        return self.of_digest(text_digest(text))

    def memo_id(self, kind: str, text: str, taken: Callable[[str], object | None]) -> str:
        """`durable-<hash>` of kind and text at creation; the hash is longer if another memo has that id.

        The hash is keyed: whoever sees an id can't confirm a guess at the text.
        """
        full_hash = self.of_digest(digest(kind.strip().lower(), normalize(text)))
        lengths = range(_SHORT_HASH_CHARS, len(full_hash) + 1, 4)
        free = (name for name in (f"durable-{full_hash[:length]}" for length in lengths) if taken(name) is None)
        return next(free, f"durable-{digest(full_hash, text)}")

    def of_digest(self, unkeyed: str) -> str:
        keyed = _keyed(self.secret).copy()
        keyed.update(unkeyed.encode("utf-8", "replace"))
        return keyed.hexdigest()

    @property
    def _key_name(self) -> str:
        """Tells one secret from another without revealing it."""
        return self.of_digest("name of the key")[:16]

    def exported(self, fingerprint: str) -> str:
        """A fingerprint as an exported file holds it, for this store alone."""
        return f"{self._key_name}:{fingerprint}"

    def imported(self, fingerprint: str) -> str | None:
        """A fingerprint of an exported file, as this store's; None if it is from another store."""
        key_name, separator, keyed = fingerprint.partition(":")
        if not separator:
            return self.of_digest(fingerprint.strip().lower())
        return keyed if key_name == self._key_name else None
