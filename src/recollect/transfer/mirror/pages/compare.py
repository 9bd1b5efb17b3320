"""Compares the pages on the disk with what we know: which are new, which were edited, moved or deleted by somebody."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from recollect.core.clock import to_ms
from recollect.core.errors import BadInput
from recollect.core.ports import Progress, Tx
from recollect.core.types import Subject
from recollect.transfer.mirror import disk
from recollect.transfer.mirror.pages.markdown import LARGEST, Page, parse
from recollect.transfer.mirror.pages.paths import PagePaths, category_at
from recollect.transfer.mirror.pages.state import Key, Record, Records


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it lies on the disk; `data` is None when it can't be read, and `problem` says why."""

    path: str
    at: datetime
    data: bytes | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Edited:
    """A page that holds something we did not write; `key` is its memo, `record` what we knew of it."""

    seen: Seen
    page: Page
    key: Key
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class Fresh:
    """A page that belongs to no memo yet: new, a copy, or from another memory (`foreign`)."""

    seen: Seen
    page: Page
    subject: Subject
    foreign: bool = False


@dataclass(slots=True)
class Differences:
    """What somebody did to the pages."""

    edited: list[Edited] = field(default_factory=list[Edited])
    fresh: list[Fresh] = field(default_factory=list[Fresh])
    moved: list[tuple[Key, str]] = field(default_factory=list[tuple[Key, str]])
    gone: list[tuple[Key, Record]] = field(default_factory=list[tuple[Key, Record]])
    broken: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    stale: list[Key] = field(default_factory=list[Key])
    """Memos whose page is ours, but behind: it was left alone while somebody had changed it."""
    known: int = 0
    """Pages that we wrote, there or not."""


def look(shelves: PagePaths, progress: Progress | None = None) -> list[Seen]:
    """Every page in the folder."""
    found = list(shelves.walk())
    seen: list[Seen] = []
    for number, (path, _) in enumerate(found, 1):
        one = _seen(shelves, path)
        seen += [one] if one else []
        if progress is not None:
            progress(number, len(found))
    return seen


def _seen(shelves: PagePaths, path: str) -> Seen | None:
    file = shelves.folder / path
    try:
        state = file.stat(follow_symlinks=False)
        at = datetime.fromtimestamp(state.st_mtime_ns // 1_000_000 / 1000, UTC)
        if state.st_size > LARGEST:
            return Seen(path, at, None, f"it has {state.st_size:,} bytes; the limit is {LARGEST:,}")
        data = disk.read(file)
    except FileNotFoundError:  # went meanwhile
        return None
    except (OSError, ValueError, OverflowError) as error:
        return Seen(path, datetime.fromtimestamp(0, UTC), None, f"it can't be read: {error}")
    return None if data is None else Seen(path, at, data)


class Comparison:
    """One comparison: pages are matched by what we know of their path, then by the id that they name."""

    def __init__(self, tx: Tx, records: Records, shelves: PagePaths, user: str) -> None:
        self._tx = tx
        self._shelves = shelves
        self._owner = records.owner(tx) or (None if shelves.per_user else user)
        self._subjects = list(tx.memos.subjects())
        self._records = dict(records.all(tx))
        self._present: set[Key] = set()
        self._held: set[str] = set()
        self.found = Differences(known=len(self._records))

    def compare(self, seen: Iterable[Seen]) -> Differences:
        seen = list(seen)
        paths = {one.path for one in seen}
        by_path: dict[str, list[Key]] = {}
        for key, record in self._records.items():
            by_path.setdefault(record.path, []).append(key)
        changed = [one for one in seen if not self._is_still(one, by_path)]
        read = [self._read(one, by_path.get(one.path, [])) for one in changed]
        # A page where we left it has the better claim to its id than a copy elsewhere.
        for one, page, subject in sorted(filter(None, read), key=lambda each: not self._is_home(each)):
            self._match(one, page, subject, by_path.get(one.path, []), paths)
        self.found.gone = [
            (key, record)
            for key, record in self._records.items()
            if key not in self._present and key[1] not in self._held
        ]
        return self.found

    def _is_still(self, one: Seen, by_path: Mapping[str, list[Key]]) -> bool:
        """Whether a page lies where we left it, as we know it."""
        for key in by_path.get(one.path, []):
            record = self._records[key]
            if one.data is not None and record.knows(one.data):
                self._present.add(key)
                memo = self._tx.memos.get(*key)
                if memo is None or not memo.active or to_ms(memo.updated) > record.updated:
                    self.found.stale.append(key)
                return True
        return False

    def _read(self, one: Seen, at_path: Iterable[Key]) -> tuple[Seen, Page, Subject] | None:
        page = None
        try:
            page = parse(_data(one))
            subject = self._shelves.subject_at(one.path, self._owner, self._subjects)
            _check_owner(page, subject)
            page.words  # noqa: B018 - says what can't be remembered
        except BadInput as error:
            self.found.broken.append((one.path, str(error)))
            self._present.update(at_path)
            self._held |= {page.id} if page is not None and page.id else set()
            return None
        return one, page, subject

    def _is_home(self, each: tuple[Seen, Page, Subject]) -> bool:
        one, page, subject = each
        record = self._records.get((subject, page.id or ""))
        return record is not None and record.path == one.path

    def _match(self, one: Seen, page: Page, subject: Subject, at_path: list[Key], paths: set[str]) -> None:
        key = self._key(one, page, subject, at_path, paths)
        record = self._records.get(key) if key else None
        page = _placed(page, one.path, record)
        if key is None:
            self.found.fresh.append(Fresh(one, page, subject))
        elif self._tx.memos.get(*key) is None:
            self.found.fresh.append(Fresh(one, page, subject, foreign=True))
        elif record is not None and one.data is not None and record.knows(one.data) and _stays(record, one.path):
            self.found.moved.append((key, one.path))
        else:
            self.found.edited.append(Edited(one, page, key, record))
        if key is not None:
            self._present.add(key)

    def _key(self, one: Seen, page: Page, subject: Subject, at_path: list[Key], paths: set[str]) -> Key | None:
        """The memo that a page belongs to; None for one that has none, or whose memo has its page elsewhere."""
        if page.id is None:
            free = [key for key in at_path if key[0] == subject and key not in self._present]
            return free[0] if free else None
        key = subject, page.id
        record = self._records.get(key)
        elsewhere = record is not None and record.path != one.path and record.path in paths
        return None if key in self._present or elsewhere else key


def _data(one: Seen) -> bytes:
    if one.data is None:
        raise BadInput(one.problem)
    return one.data


def _check_owner(page: Page, subject: Subject) -> None:
    """A page in one's folder can't be another's."""
    if page.user is not None and (subject.is_lore or page.user != subject.id):
        raise BadInput(f"it is of the user {page.user[:60]!r}, in whose folder it does not lie")
    if page.guild is not None and page.guild != subject.guild:
        raise BadInput(f"it is of the guild {page.guild[:60]!r}, in whose folder it does not lie")


def _placed(page: Page, path: str, record: Record | None) -> Page:
    """A page whose folder says the category: one that has none of its own, or was moved to another folder."""
    folder = category_at(path)
    moved = record is not None and category_at(record.path) == page.category and folder != page.category
    return replace(page, category=folder) if folder is not None and (page.category is None or moved) else page


def _stays(record: Record, path: str) -> bool:
    return category_at(record.path) == category_at(path)
