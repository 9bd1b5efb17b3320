"""The address of a PostgreSQL store: one that libpq understands, plus a few parameters of our own.

`postgresql://user@host/database?pool=8&patience=15&schema=recollect`, beside any parameter that libpq knows.
"""

from dataclasses import dataclass, field
from typing import Self
from urllib.parse import unquote

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from recollect.core.errors import ConfigError

POOL_SIZE, PATIENCE_SECONDS, SCHEMA = 8, 15.0, "recollect"
_OURS = {"pool", "patience", "schema"}
_DEFAULTS = {
    "application_name": "recollect",
    "client_encoding": "UTF8",
    "connect_timeout": "5",
    # A network that went away is noticed within seconds, not hours.
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}


@dataclass(frozen=True, slots=True)
class Address:
    parameters: dict[str, str] = field(repr=False)
    """The parameters for libpq, including the password."""
    pool: int = POOL_SIZE
    """Connections, at most."""
    patience: float = PATIENCE_SECONDS
    """Seconds that a write waits for a server that is away, or for others' locks."""
    schema: str = SCHEMA
    """The tables' schema, so that other programs can share the database."""

    @classmethod
    def of(cls, spec: str) -> Self:
        base, _, query = spec.partition("?")
        pairs = [pair.partition("=") for pair in query.split("&") if pair]
        ours = {name: unquote(value) for name, _, value in pairs if name in _OURS}
        others = "&".join(f"{name}={value}" for name, _, value in pairs if name not in _OURS)
        return cls(
            _parameters(f"{base}?{others}" if others else base),
            int(_number(ours, "pool", POOL_SIZE, at_least=1)),
            _number(ours, "patience", PATIENCE_SECONDS, at_least=0),
            ours.get("schema") or SCHEMA,
        )

    @property
    def conninfo(self) -> str:
        return make_conninfo("", **self.parameters)

    def secretless(self, **more: str) -> str:
        """Without the password, for a command line, which every user of the machine can read."""
        public = {name: value for name, value in self.parameters.items() if name != "password"}
        return make_conninfo("", **(public | more))

    @property
    def password(self) -> str | None:
        return self.parameters.get("password")

    def __str__(self) -> str:
        """The address for people to read, without the password."""
        host = self.parameters.get("host") or self.parameters.get("hostaddr") or "this machine"
        port = self.parameters.get("port")
        database = self.parameters.get("dbname") or self.parameters.get("user") or "the default database"
        return f"PostgreSQL, {database} on {host}" + (f":{port}" if port else "")


def _parameters(url: str) -> dict[str, str]:
    try:
        values = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # What libpq says repeats the address, with its password.
        raise ConfigError(
            "the address of the PostgreSQL store can't be read; write postgresql://user:password@host:5432/database"
        ) from None
    parameters = _DEFAULTS | {name: str(value) for name, value in values.items() if value is not None}
    if "@" in parameters.get("host", "") or not parameters.get("port", "1").replace(",", "1").isdecimal():
        # Checked before connecting: libpq's error would quote what it takes for a host.
        raise ConfigError(
            "the address of the PostgreSQL store has a host or a port that can't be; "
            "write @ : / ? # % in a password as %40 %3A %2F %3F %23 %25"
        )
    return parameters


def _number(parameters: dict[str, str], name: str, default: float, at_least: float) -> float:
    try:
        value = float(parameters.get(name, default))
    except ValueError:
        value = -1
    if not at_least <= value < 1_000_000:
        raise ConfigError(
            f"{name}={parameters[name]} in the address of the PostgreSQL store is not a number that can be used"
        )
    return value
