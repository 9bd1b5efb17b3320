"""Fixtures that the tests of several stores share."""

from tests.stores.postgres import bare_database, database, own_server, postgres, template

__all__ = ["bare_database", "database", "own_server", "postgres", "template"]
