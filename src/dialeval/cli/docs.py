"""``dialeval docs``: the pages of the documentation, offline."""

from __future__ import annotations

import json as jsonlib
import pydoc
import re
import sys
from pathlib import Path
from typing import Annotated

from dialeval.cli.options import Json
from dialeval.cli.parsing.lines import pages_folder
from dialeval.errors import ResourceUnavailable, UnknownName, in_clone
from dialeval.options import Argument


def docs(
    topic: Annotated[
        str | None, Argument(metavar="TOPIC", help="A page, such as study; none to list them.")
    ] = None,
    json: Json = False,
) -> None:
    """Print a page of the documentation, or list the pages; no network is needed.

    Example: dialeval docs study
    """
    pages = _pages()
    if topic is None:
        titles = {name: _title(page) for name, page in pages.items()}
        print(jsonlib.dumps(titles, ensure_ascii=False) if json else _listed(titles))
        return
    text = _text(_page(topic, pages))
    if json:
        print(jsonlib.dumps({"topic": topic, "text": text}, ensure_ascii=False))
    elif sys.stdout.isatty():
        pydoc.pager(text)
    else:
        print(text, end="")


def _pages() -> dict[str, Path]:
    """Return every page by its topic."""
    folder = pages_folder()
    pages = {path.stem: path for path in sorted(folder.glob("*.md"), key=lambda path: path.stem)}
    if not pages:
        raise ResourceUnavailable(
            f"The pages of the documentation are not in {folder}. Install dialeval again."
        )
    return pages


def _page(topic: str, pages: dict[str, Path]) -> Path:
    name = topic.removeprefix("docs/").removesuffix(".md").lower()
    if name not in pages:
        raise UnknownName("page", topic, pages, todo="'dialeval docs' lists the pages.")
    return pages[name]


def _text(page: Path) -> str:
    """The page, with install commands that work here."""
    text = page.read_text(encoding="utf-8")
    return text if in_clone() else re.sub(r"pip install (['\"]?)\.(?=\[)", r"pip install \1dialeval", text)


def _title(page: Path) -> str:
    with page.open(encoding="utf-8") as lines:
        return next((line[2:].strip() for line in lines if line.startswith("# ")), page.stem)


def _listed(titles: dict[str, str]) -> str:
    width = max(map(len, titles))
    return "\n".join(f"{name:<{width}}  {title}" for name, title in titles.items())
