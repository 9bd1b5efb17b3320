"""Backups by `pg_dump`: a consistent copy, taken while the store is in use, that `pg_restore` brings back."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from recollect.core.errors import StoreError
from recollect.core.ports import Progress
from recollect.stores._sql.backup import new_backup
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.database import Connection

_PROGRAM = "pg_dump"


def backup(
    connection: Connection, address: Address, tools: Path | None, target: Path, progress: Progress | None
) -> None:
    program = _find(tools, connection.info.server_version // 10_000)
    with new_backup(target) as partial:
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _dump(program, address, partial)
        if progress is not None:
            progress(1, 1)


def _find(tools: Path | None, server: int) -> str:
    """The program, which must not be older than the server."""
    program = shutil.which(_PROGRAM, path=None if tools is None else str(tools))
    if program is None:
        raise StoreError(
            f"{_PROGRAM} is not found, which makes the backups of PostgreSQL: install the client programs of "
            f"version {server} (Debian: postgresql-client-{server}) and have them on the PATH"
        )
    output = _run(program, "--version").stdout
    version = re.search(r"(\d+)(\.\d+)*", output)
    if version is None or int(version[1]) < server:
        raise StoreError(
            f"{program} is older ({output.strip() or 'unknown'}) than the server ({server}): "
            f"install the client programs of version {server}"
        )
    return program


def _dump(program: str, address: Address, target: Path) -> None:
    """Only our tables, and the extension that they need."""
    with _password_file(address) as conninfo:
        ours = f'--schema="{address.schema}"', "--extension=vector", "--no-owner", "--no-privileges"
        result = _run(program, "--format=custom", *ours, "--no-password", f"--file={target}", f"--dbname={conninfo}")
    if result.returncode:
        raise StoreError(f"{_PROGRAM} could not copy {address}: {' '.join(result.stderr.split())}")


def _run(program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603 - no shell


@contextmanager
def _password_file(address: Address) -> Generator[str]:
    """How to connect, for a command line; the password is in a file that only we can read, as long as it is needed."""
    if address.password is None:
        yield address.secretless()
        return
    escaped = address.password.replace("\\", "\\\\").replace(":", "\\:")
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        file = Path(folder) / "pgpass"
        file.touch(0o600)
        file.write_text(f"*:*:*:*:{escaped}\n", "utf-8")
        yield address.secretless(passfile=str(file))
