"""A hook of the site's builder: files outside `docs/` that pages link to come along, and the links follow them.

A page links to `../ARCHITECTURE.md` or `../../deploy/Dockerfile`, as it should for readers of the repository. The site
has these files in `project/`.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PROJECT = "project"
_LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
_FENCE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    waiting = [(page.src_uri, Path(page.abs_src_path or "").read_text("utf-8")) for page in files.documentation_pages()]
    while waiting:
        uri, text = waiting.pop()
        for target in filter(None, (_outside(uri, link) for _, link, _ in _LINK.findall(_FENCE.sub("", text)))):
            path = ROOT / target
            site_uri = posixpath.join(PROJECT, target)
            if files.get_file_from_path(site_uri) is None:
                content = path.read_bytes()
                is_page = path.suffix == ".md"
                files.append(File.generated(config, site_uri, content=content.decode() if is_page else content))
                if is_page:
                    waiting.append((site_uri, content.decode()))
    return files


def on_post_build(config: Any) -> None:
    """The overview for language models links to the pages of the site."""
    overview = (ROOT / "docs" / "llms.txt").read_text("utf-8")
    Path(config["site_dir"], "llms.txt").write_text(
        re.sub(r"README\.md\)", "index.html)", overview).replace(".md)", ".html)")
    )


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    uri = page.file.src_uri

    def follow(match: re.Match[str]) -> str:
        target = _repository_path(uri, match[2])
        if target is None:
            return match[0]
        to = target.removeprefix("docs/") if target.startswith("docs/") else posixpath.join(PROJECT, target)
        return match[1] + posixpath.relpath(to, posixpath.dirname(uri) or ".") + match[3]

    parts = _FENCE.split(markdown)
    return "".join(part if index % 2 else _LINK.sub(follow, part) for index, part in enumerate(parts))


def _outside(uri: str, link: str) -> str | None:
    """The file outside `docs/` that a link means, as a path in the repository."""
    target = _repository_path(uri, link)
    return target if target and not target.startswith("docs/") and (ROOT / target).is_file() else None


def _repository_path(uri: str, link: str) -> str | None:
    """Where a link of a page leads to in the repository; None for addresses."""
    if "://" in link or link.startswith(("mailto:", "#")):
        return None
    origin = uri.removeprefix(f"{PROJECT}/") if uri.startswith(f"{PROJECT}/") else f"docs/{uri}"
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), link))
