"""The store `postgresql://…`, which is `postgres://…` too."""

from recollect.stores.postgres import PostgresStore, create, examine

__all__ = ["PostgresStore", "create", "examine"]
