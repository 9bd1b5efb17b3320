"""`memories_fts`: the word index of document E, for other programs that read the file. Ours is another one.

Maintained by triggers, so that it is right for every writer; it slows each write a little, so it is optional.
"""

from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.vectors import serving_table
from recollect.stores.sqlite.views import VIEWS

_TABLE = """
CREATE VIRTUAL TABLE memories_fts USING fts5(content, keywords, content='memories', content_rowid='rowid');
CREATE TRIGGER memories_fts_added AFTER INSERT ON memos WHEN new.status = 'active' BEGIN
    INSERT INTO memories_fts (rowid, content, keywords) VALUES (new.key, new.text, coalesce(new.tags, '[]'));
END;
CREATE TRIGGER memories_fts_removed AFTER DELETE ON memos WHEN old.status = 'active' BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, content, keywords)
        VALUES ('delete', old.key, old.text, coalesce(old.tags, '[]'));
END;
CREATE TRIGGER memories_fts_left AFTER UPDATE OF text, tags, status ON memos WHEN old.status = 'active' BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, content, keywords)
        VALUES ('delete', old.key, old.text, coalesce(old.tags, '[]'));
END;
CREATE TRIGGER memories_fts_joined AFTER UPDATE OF text, tags, status ON memos WHEN new.status = 'active' BEGIN
    INSERT INTO memories_fts (rowid, content, keywords) VALUES (new.key, new.text, coalesce(new.tags, '[]'));
END;
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');
"""


def install(db: Database) -> None:
    """Create the table, its triggers and its content, unless they are there."""
    if not db.value("SELECT count(*) FROM sqlite_schema WHERE name = 'memories_fts'"):
        db.script(VIEWS.vectors(serving_table(db)))
        db.run(_TABLE)
