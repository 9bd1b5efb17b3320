"""A second server that follows the first, and takes over when it is told to."""

from pathlib import Path

from tests.stores.postgres import Server, run
from tests.waiting import eventually


class Primary(Server):
    """Acknowledges what its replica has on disk, and nothing before."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, wal_level="replica", synchronous_standby_names="*", synchronous_commit="on")

    async def followed(self) -> None:
        """Wait for the replica to be as far as we are; until then nothing would be acknowledged."""
        await eventually(lambda: run(self.address, "SELECT sync_state FROM pg_stat_replication") == [("sync",)], 30)


class Replica(Server):
    """A copy of the primary, made while that runs."""

    def __init__(self, folder: Path, primary: Server) -> None:
        self._primary = primary
        super().__init__(folder, hot_standby="on", synchronous_standby_names="")

    def _make(self) -> None:
        source = f"host=127.0.0.1 port={self._primary.port} user=postgres"
        self._run("pg_basebackup", "--dbname", source, "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        self.folder.chmod(0o700)

    def promote(self) -> None:
        self._run("pg_ctl", "promote", "--wait")
