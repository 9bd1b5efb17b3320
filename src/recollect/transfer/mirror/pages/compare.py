"""Compares the pages on disk with the records: which are new, edited, moved or deleted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from recollect.core.clock import to_ms
from recollect.core.errors import BadInput
from recollect.core.ports import Progress, Tx
from recollect.core.types import Subject
from recollect.transfer.mirror import disk
from recollect.transfer.mirror.pages.markdown import MAX_PAGE_BYTES, Page, parse
from recollect.transfer.mirror.pages.paths import PagePaths, category_at
from recollect.transfer.mirror.pages.state import Key, Record, Records


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file as it lies on the disk; `data` is None when it can't be read, and `problem` says why."""

    path: str
    modified: datetime
    data: bytes | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Edited:
    """A page that holds something we did not write; `key` is its memo, `record` what we knew of it."""

    file: PageFile
    page: Page
    key: Key
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class Fresh:
    """A page that belongs to no memo yet: new, a copy, or from another memory (`foreign`)."""

    file: PageFile
    page: Page
    subject: Subject
    foreign: bool = False


@dataclass(slots=True)
class Differences:
    """What people did to the pages."""

    edited: list[Edited] = field(default_factory=list[Edited])
    fresh: list[Fresh] = field(default_factory=list[Fresh])
    moved: list[tuple[Key, str]] = field(default_factory=list[tuple[Key, str]])
    deleted: list[tuple[Key, Record]] = field(default_factory=list[tuple[Key, Record]])
    broken: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    stale: list[Key] = field(default_factory=list[Key])
    """Memos whose page is ours but out of date: it was left alone while it held an edit."""
    known_count: int = 0
    """Pages that we wrote, there or not."""


def scan(paths: PagePaths, progress: Progress | None = None) -> list[PageFile]:
    """Every page in the folder."""
    pages = list(paths.walk())
    seen: list[PageFile] = []
    for position, (path, _) in enumerate(pages, 1):
        page = _read_file(paths, path)
        seen += [page] if page else []
        if progress is not None:
            progress(position, len(pages))
    return seen


def _read_file(paths: PagePaths, path: str) -> PageFile | None:
    file = paths.folder / path
    try:
        state = file.stat(follow_symlinks=False)
        modified = datetime.fromtimestamp(state.st_mtime_ns // 1_000_000 / 1000, UTC)
        if state.st_size > MAX_PAGE_BYTES:
            return PageFile(path, modified, None, f"it has {state.st_size:,} bytes; the limit is {MAX_PAGE_BYTES:,}")
        data = disk.read(file)
    except FileNotFoundError:  # deleted meanwhile
        return None
    except (OSError, ValueError, OverflowError) as error:
        return PageFile(path, datetime.fromtimestamp(0, UTC), None, f"it can't be read: {error}")
    return None if data is None else PageFile(path, modified, data)


class Comparison:
    """One comparison: pages are matched by what we know of their path, then by the id that they name."""

    def __init__(self, tx: Tx, records: Records, page_paths: PagePaths, user: str) -> None:
        self._tx = tx
        self._paths = page_paths
        self._owner = records.owner(tx) or (None if page_paths.per_user else user)
        self._subjects = list(tx.memos.subjects())
        self._records = dict(records.all(tx))
        self._present: set[Key] = set()
        self._unreadable_ids: set[str] = set()
        self.differences = Differences(known_count=len(self._records))

    def compare(self, files: Iterable[PageFile]) -> Differences:
        files = list(files)
        paths = {file.path for file in files}
        by_path: dict[str, list[Key]] = {}
        for key, record in self._records.items():
            by_path.setdefault(record.path, []).append(key)
        changed = [file for file in files if not self._is_unchanged(file, by_path)]
        read = [self._read(file, by_path.get(file.path, [])) for file in changed]
        # A page where we left it has the better claim to its id than a copy elsewhere.
        for file, page, subject in sorted(filter(None, read), key=lambda candidate: not self._is_in_place(candidate)):
            self._match(file, page, subject, by_path.get(file.path, []), paths)
        self.differences.deleted = [
            (key, record)
            for key, record in self._records.items()
            if key not in self._present and key[1] not in self._unreadable_ids
        ]
        return self.differences

    def _is_unchanged(self, file: PageFile, by_path: Mapping[str, list[Key]]) -> bool:
        """Whether a page lies where we left it, as we know it."""
        for key in by_path.get(file.path, []):
            record = self._records[key]
            if file.data is not None and record.knows(file.data):
                self._present.add(key)
                memo = self._tx.memos.get(*key)
                if memo is None or not memo.active or to_ms(memo.updated) > record.updated:
                    self.differences.stale.append(key)
                return True
        return False

    def _read(self, file: PageFile, at_path: Iterable[Key]) -> tuple[PageFile, Page, Subject] | None:
        page = None
        try:
            page = parse(_data(file))
            subject = self._paths.subject_at(file.path, self._owner, self._subjects)
            _check_owner(page, subject)
            page.words  # noqa: B018 - says what can't be remembered
        except BadInput as error:
            self.differences.broken.append((file.path, str(error)))
            # Unreadable is not deleted: its memo stays.
            self._present.update(at_path)
            self._unreadable_ids |= {page.id} if page is not None and page.id else set()
            return None
        return file, page, subject

    def _is_in_place(self, candidate: tuple[PageFile, Page, Subject]) -> bool:
        file, page, subject = candidate
        record = self._records.get((subject, page.id or ""))
        return record is not None and record.path == file.path

    def _match(self, file: PageFile, page: Page, subject: Subject, at_path: list[Key], paths: set[str]) -> None:
        key = self._key(file, page, subject, at_path, paths)
        record = self._records.get(key) if key else None
        page = _with_folder_category(page, file.path, record)
        if key is None:
            self.differences.fresh.append(Fresh(file, page, subject))
        elif self._tx.memos.get(*key) is None:
            self.differences.fresh.append(Fresh(file, page, subject, foreign=True))
        elif record is not None and _is_mere_move(record, file):
            self.differences.moved.append((key, file.path))
        else:
            self.differences.edited.append(Edited(file, page, key, record))
        if key is not None:
            self._present.add(key)

    def _key(self, file: PageFile, page: Page, subject: Subject, at_path: list[Key], paths: set[str]) -> Key | None:
        """The memo that a page belongs to; None for one that has none, or whose memo has its page elsewhere."""
        # Someone removed the front matter: the page is still that of its path.
        if page.id is None:
            free = [key for key in at_path if key[0] == subject and key not in self._present]
            return free[0] if free else None
        key = subject, page.id
        record = self._records.get(key)
        elsewhere = record is not None and record.path != file.path and record.path in paths
        return None if key in self._present or elsewhere else key


def _data(file: PageFile) -> bytes:
    if file.data is None:
        raise BadInput(file.problem)
    return file.data


def _check_owner(page: Page, subject: Subject) -> None:
    """A page in one's folder can't be another's."""
    if page.user is not None and (subject.is_lore or page.user != subject.id):
        raise BadInput(f"it is of the user {page.user[:60]!r}, in whose folder it does not lie")
    if page.guild is not None and page.guild != subject.guild:
        raise BadInput(f"it is of the guild {page.guild[:60]!r}, in whose folder it does not lie")


def _with_folder_category(page: Page, path: str, record: Record | None) -> Page:
    """A page whose folder says the category: one that has none of its own, or was moved to another folder."""
    folder = category_at(path)
    moved = record is not None and category_at(record.path) == page.category and folder != page.category
    return replace(page, category=folder) if folder is not None and (page.category is None or moved) else page


def _is_mere_move(record: Record, file: PageFile) -> bool:
    """Whether a page has another name, but our content and its category's folder."""
    is_own_content = file.data is not None and record.knows(file.data)
    return is_own_content and category_at(record.path) == category_at(file.path)
