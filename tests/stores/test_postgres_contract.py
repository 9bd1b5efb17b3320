"""The store contract on PostgreSQL."""

from collections.abc import AsyncIterator

import pytest

from recollect.stores.postgres import create
from recollect.testing.store_contract import StoreContract


class TestOnAServer(StoreContract):
    @pytest.fixture
    async def store(self, database: str) -> AsyncIterator[object]:
        store = create(database)
        yield store
        await store.close()
