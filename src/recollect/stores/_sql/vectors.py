"""The vectors of rows, one table per model: checks and lists that both stores share."""

from typing import LiteralString, cast

from recollect.core.errors import BadInput
from recollect.core.ports import Corpus, Vector
from recollect.stores._sql.database import Database

ALIVE: dict[Corpus, LiteralString] = {"memos": "status = 'active'", "messages": "deleted IS NULL"}


def table_of(corpus: Corpus, set_id: int) -> LiteralString:
    """The table of the vectors that one model made of a corpus."""
    return cast("LiteralString", f"{corpus[:-1]}_vectors_{set_id}")


def check_vector(vector: Vector, dims: int, model: str) -> None:
    if len(vector) != dims * 4 or not dims:
        raise BadInput(f"{model} gave a vector of {len(vector) / 4:g} numbers; its others have {dims}")


def check_query(vector: Vector, dims: int, model: str) -> None:
    if len(vector) != dims * 4:
        raise BadInput(f"a query vector of {len(vector) // 4} numbers does not fit {model}, which has {dims}")


def list_missing(db: Database, corpus: Corpus, table: LiteralString) -> None:
    """Record which rows have no vector in the table of a set that is marked as complete."""
    sql: LiteralString = f"""
    INSERT INTO unembedded SELECT '{corpus}', key FROM {corpus} WHERE {ALIVE[corpus]}
    AND NOT EXISTS (SELECT 1 FROM {table} AS made WHERE made.key = {corpus}.key) ON CONFLICT DO NOTHING
    """
    db.run(sql)


def missing(
    db: Database, corpus: Corpus, table: LiteralString | None, complete: bool, limit: int, after: int
) -> list[tuple[int, str]]:
    """Rows without a vector in a table, by key; those that a complete set lacks are listed."""
    source: LiteralString = corpus
    where: LiteralString = f"{corpus}.key > $1 AND {ALIVE[corpus]}"
    if table is not None:
        where += f" AND NOT EXISTS (SELECT 1 FROM {table} WHERE {table}.key = {corpus}.key)"
    if complete:
        source = f"unembedded JOIN {corpus} USING (key)"
        where += f" AND unembedded.corpus = '{corpus}'"
    sql: LiteralString = f"SELECT {corpus}.key, text FROM {source} WHERE {where} ORDER BY 1 LIMIT $2"
    return [(key, text) for key, text in db.rows(sql, (after, limit))]
