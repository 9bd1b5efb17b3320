"""Where a memo's page lies: `<home>/<category>/YYYY-MM-DD-<slug>.md`.

The home of the one who owns the folder is the folder itself, everyone else's is `users/<id>`, a guild's `lore/<id>`.
"""

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC
from itertools import count
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from recollect.core.errors import BadInput
from recollect.core.text import digest, fold
from recollect.core.types import Memo, Subject
from recollect.policy.kinds import CATEGORIES, to_category
from recollect.workspace.names import person_id, person_of, safe_id

USERS, LORE = "users", "lore"
_MAX_SLUG_CHARS = 48
"""Characters of a slug."""
_MAX_DEPTH = 8
"""Folders below that of a category."""


@dataclass(frozen=True, slots=True)
class PagePaths:
    """The folder with all homes; without `per_user`, its owner's pages lie in it directly."""

    folder: Path
    per_user: bool

    def home(self, subject: Subject, owner: str | None) -> PurePosixPath:
        if subject.is_lore:
            return PurePosixPath(LORE, safe_id(subject.guild or ""))
        return PurePosixPath() if subject.id == owner and not self.per_user else self._user_home(subject.id)

    def names(self, memo: Memo, owner: str | None) -> Iterator[str]:
        """Paths for a memo that has none yet: the first that is free is good."""
        time = memo.happened or memo.created
        name = f"{time.astimezone(UTC):%Y-%m-%d}-{slug(memo)}"
        stems = (name if index == 1 else f"{name}-{index}" for index in count(1))
        folder = self.home(memo.subject, owner) / ("" if memo.subject.is_lore else to_category(memo.kind))
        return (str(folder / f"{stem}.md") for stem in stems)

    def subject_at(self, path: str, owner: str | None, known_subjects: Collection[Subject]) -> Subject:
        """Whose page lies there; raises BadInput."""
        parts = PurePosixPath(path).parts
        if parts[0] not in (USERS, LORE):
            if owner is None:
                raise BadInput("it lies in nobody's folder; move it to users/<id>/<category>")
            return Subject(owner)
        name, lore = parts[1], parts[0] == LORE
        for subject in known_subjects:
            if subject.is_lore is lore and (safe_id(subject.guild or "") if lore else person_id(subject.id)) == name:
                return subject
        decoded = unquote(name)
        if safe_id(decoded) != name:
            raise BadInput(f"nobody is known whose folder is {name!r}")
        return Subject.lore(decoded) if lore else Subject(person_of(decoded))

    def walk(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Every page, hidden files and links left out, by its path inside the folder."""
        homes = [PurePosixPath(), *(PurePosixPath(USERS, name) for name in self._folders(USERS))]
        for home in homes:
            for category in CATEGORIES:
                yield from self._below(home / category)
        for name in self._folders(LORE):
            yield from self._below(PurePosixPath(LORE, name))

    def _user_home(self, user: str) -> PurePosixPath:
        return PurePosixPath(USERS, person_id(user))

    def _folders(self, name: str) -> list[str]:
        return sorted(entry.name for entry in _entries(self.folder / name) if entry.is_dir(follow_symlinks=False))

    def _below(self, folder: PurePosixPath, depth: int = _MAX_DEPTH) -> Iterator[tuple[str, os.DirEntry[str]]]:
        for entry in sorted(_entries(self.folder / folder), key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                yield from self._below(folder / entry.name, depth - 1) if depth else ()
            elif entry.name.lower().endswith(".md") and entry.is_file(follow_symlinks=False):
                yield str(folder / entry.name), entry


def category_at(path: str) -> str | None:
    """The category whose folder a page lies in."""
    parts = PurePosixPath(path).parts
    if parts[0] == LORE:
        return None
    return parts[2] if parts[0] == USERS else parts[0]


def in_category(path: str, category: str) -> str:
    """The same name in the folder of a category."""
    parts = list(PurePosixPath(path).parts)
    if parts[0] != LORE:
        parts[2 if parts[0] == USERS else 0] = category
    return str(PurePosixPath(*parts))


def slug(memo: Memo) -> str:
    """The first words in plain letters; where the script has none, the kind and a few digits of its own."""
    words = re.findall(
        r"[a-z0-9]+", fold(memo.text).replace("'", "").replace("’", "").encode("ascii", "ignore").decode()
    )
    name = "-".join(words)
    if len(name) > _MAX_SLUG_CHARS:
        name = name[: _MAX_SLUG_CHARS + 1].rpartition("-")[0] or name[:_MAX_SLUG_CHARS]
    return name if len(name) > 2 else f"{memo.kind.value}-{digest(memo.text)[:8]}"


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What lies in a folder, if it is one and no link."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        return [entry for entry in entries if not entry.name.startswith(".")]
