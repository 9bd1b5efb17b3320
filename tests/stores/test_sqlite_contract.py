"""The store contract on SQLite, in a file and in memory."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.stores.sqlite import create
from recollect.testing.store_contract import StoreContract


class TestInAFile(StoreContract):
    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[object]:
        store = create(f"sqlite:///{tmp_path}/folder/memory.db")
        yield store
        await store.close()


class TestInMemory(StoreContract):
    @pytest.fixture
    async def store(self) -> AsyncIterator[object]:
        store = create("sqlite://")
        yield store
        await store.close()
