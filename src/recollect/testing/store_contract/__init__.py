"""What every store promises, as tests: inherit `StoreContract` in a test class with a `store` fixture.

    class TestMyStore(StoreContract):
        @pytest.fixture
        async def store(self):
            store = create("mine://")
            yield store          # open and empty
            await store.close()

`asyncio_mode = "auto"` runs the tests; `pytest.register_assert_rewrite("recollect.testing")` in a conftest
makes their failures readable.
"""

from recollect.testing.store_contract.archive import ArchiveContract
from recollect.testing.store_contract.changes import ChangesContract
from recollect.testing.store_contract.claims import ClaimsContract
from recollect.testing.store_contract.erasure import ErasureContract
from recollect.testing.store_contract.events import EventsContract
from recollect.testing.store_contract.exchanges import ExchangesContract
from recollect.testing.store_contract.fairness import FairnessContract
from recollect.testing.store_contract.filters import FiltersContract
from recollect.testing.store_contract.jobs import JobsContract
from recollect.testing.store_contract.memos import MemosContract
from recollect.testing.store_contract.messages import MessagesContract
from recollect.testing.store_contract.state import StateContract
from recollect.testing.store_contract.summaries import SummariesContract
from recollect.testing.store_contract.transactions import TransactionsContract
from recollect.testing.store_contract.vectors import VectorsContract
from recollect.testing.store_contract.words import WordsContract


class StoreContract(
    MessagesContract,
    MemosContract,
    WordsContract,
    VectorsContract,
    FiltersContract,
    SummariesContract,
    ExchangesContract,
    JobsContract,
    FairnessContract,
    ClaimsContract,
    StateContract,
    ChangesContract,
    EventsContract,
    ErasureContract,
    ArchiveContract,
    TransactionsContract,
):
    """Every promise of `recollect.core.ports.Store`."""
