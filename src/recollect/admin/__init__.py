"""The operator's view of a memory: everything in it regardless of visibility, and changes in the operator's name.

What people see goes through `AsyncMemory`, which applies visibility. This is for the operator, behind a token; every
change is logged under the operator's name and can be undone like any other. Each module has the verbs of one topic.
"""

from functools import cached_property

from recollect.admin.bulk import BulkAdmin
from recollect.admin.erasures import ErasureAdmin
from recollect.admin.jobs import JobAdmin
from recollect.admin.log import LogAdmin
from recollect.admin.memos import Listing, MemoAdmin, MemoDetails
from recollect.admin.operations import OperationsAdmin
from recollect.admin.overview import DEFAULT_DAYS, Overview, read_overview
from recollect.admin.relearn import RelearnAdmin
from recollect.admin.search import SearchAdmin
from recollect.admin.servers import ServerAdmin
from recollect.admin.sessions import SessionAdmin
from recollect.admin.system import SystemAdmin
from recollect.admin.tokens import AccessTokens

__all__ = ["Admin", "Listing", "MemoDetails", "Overview"]


class Admin(
    MemoAdmin,
    BulkAdmin,
    RelearnAdmin,
    SessionAdmin,
    LogAdmin,
    ServerAdmin,
    SearchAdmin,
    ErasureAdmin,
    JobAdmin,
    OperationsAdmin,
    SystemAdmin,
):
    """Reads and changes everything, under its own name."""

    @cached_property
    def tokens(self) -> AccessTokens:
        """The access tokens: create, list, rotate, revoke and check them."""
        return AccessTokens(self.memory, self._clock)

    async def overview(self, days: int = DEFAULT_DAYS) -> Overview:
        """Counts, problems and cost at a glance."""
        return await read_overview(self.memory, self._clock(), days)
