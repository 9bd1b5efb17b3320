"""Files for the assistant to read by itself: context files everywhere, a person's own notes in their DM.

Only their paths go into the prompt, so they need no budget: `base/*.md` and `channels/<channel>.md` of the
context folder, `MEMORY.md` and the logs of today and yesterday of the workspace.
"""

import asyncio
import os
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from recollect.core.ports import PromptRequest
from recollect.core.ports.layer import Block, Line
from recollect.core.types import Place
from recollect.workspace import NOTES, Workspace
from recollect.workspace.names import context_files, daily


class WorkspaceSettings(Protocol):
    @property
    def dir(self) -> Path: ...
    @property
    def per_user(self) -> bool: ...
    @property
    def context_dir(self) -> Path: ...


class LayerSettings(Protocol):
    @property
    def workspace(self) -> WorkspaceSettings: ...


class WorkspaceLayer:
    def __init__(self, settings: LayerSettings) -> None:
        self._workspace = settings.workspace.dir
        self._per_user = settings.workspace.per_user
        self._context = settings.workspace.context_dir

    async def blocks(self, request: PromptRequest) -> Sequence[Block]:
        if not any(map(os.path.isdir, (self._context, self._workspace))):
            return []  # most programs have neither folder: that takes less time than a thread
        lines = await asyncio.to_thread(lambda: [*self._files(request.user, request.place, request.now)])
        return [Block("context", tuple(lines), noun="files")] if lines else []

    def _files(self, user: str, place: Place, now: datetime) -> Iterator[Line]:
        for path in sorted(self._context.glob("base/*.md")):
            if path.name.isprintable() and path.is_file():
                yield _line(path, "context of every conversation")
        if place.dm is None:
            yield from self._channel_files(place)
        elif place.person == user:
            yield from self._user_files(user, now)

    def _channel_files(self, place: Place) -> Iterator[Line]:
        paths = [self._context / name for name in context_files(place, by_name=not self._per_user)]
        for path in [path for path in paths if path.is_file()][:1]:
            yield _line(path, "context of this channel")

    def _user_files(self, user: str, now: datetime) -> Iterator[Line]:
        workspace = Workspace(self._workspace, user if self._per_user else None)
        reasons = {
            NOTES: "curated notes",
            daily(now): "log of today",
            daily(now - timedelta(days=1)): "log of yesterday",
        }
        for name, reason in reasons.items():
            if workspace.contains(name):
                yield _line(workspace.root / name, reason)


def _line(path: Path, reason: str) -> Line:
    return Line(f"- {path.as_posix()}", reason)


def create(spec: str, settings: LayerSettings) -> WorkspaceLayer:  # noqa: ARG001 - every layer is made from its name
    return WorkspaceLayer(settings)
