"""Rendering of templates, and the static files that pages load."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from markupsafe import Markup, escape

from dialeval.annotation.items import Item
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Answer
from dialeval.annotation.web.shown import Page, PageAsk
from dialeval.annotation.web.texts import text, wording

if TYPE_CHECKING:
    from jinja2 import Environment


MEDIA: Final[Mapping[str, str]] = {
    "app.js": "text/javascript; charset=utf-8",
    "app.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""The static files, and how they are served."""


class Asset(NamedTuple):
    """A static file."""

    content: bytes
    media: str
    digest: str
    """The first digits of its SHA-256, so that a changed file has another address."""


@cache
def asset(name: str) -> Asset:
    """A static file by its name; raises KeyError if ``MEDIA`` does not list it."""
    media = MEDIA[name]
    content = files("dialeval.annotation.web").joinpath("static", name).read_bytes()
    return Asset(content, media, hashlib.sha256(content).hexdigest()[:16])


def addresses(prefix: str) -> dict[str, str]:
    """The address of each static file below a path prefix, for ``Page.assets``."""
    return {name: f"{prefix}/static/{name}?v={asset(name).digest}" for name in MEDIA}


def render(name: str, page: Page, shown: object) -> str:
    """A template as HTML; everything that a study or a rater wrote is escaped."""
    return (
        _environment()
        .get_template(name)
        .render(
            page=page,
            shown=shown,
            t=partial(text, page.language),
            said=partial(wording, page.language),
            brief=partial(brief, page.language),
        )
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("dialeval.annotation.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"harmless": harmless, "given": given, "letter": letter, "paragraphs": paragraphs}
    environment.tests["stated"] = stated
    return environment


def harmless(written: str) -> Markup:
    """A text of a dialogue, escaped; characters that reorder or hide text are spelled out.

    Overrides of the writing direction and control characters but line breaks and tabs become ``U+202E``, marked.
    Marks and isolates, which right-to-left texts need, stay: each text is a block with a direction of its own.
    """
    return Markup(_HIDDEN.sub(_spelled, str(escape(written))))


_HIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a\u202b\u202d\u202e\ud800-\udfff]")


def _spelled(found: re.Match[str]) -> str:
    return f'<span class="control">U+{ord(found[0]):04X}</span>'


def paragraphs(written: str) -> list[str]:
    """Paragraphs of plain text, which blank lines separate."""
    parts = (part.strip() for part in written.replace("\r\n", "\n").split("\n\n"))
    return [part for part in parts if part]


def given(asked: PageAsk) -> Mapping[str, tuple[str, ...]]:
    """Content of each field of a form when its page opens: what was refused, else what was answered before."""
    if asked.posted:
        return {name: tuple(_listed(value)) for name, value in asked.posted.items()}
    return {} if asked.answer is None else KINDS[asked.ask.kind].posted(asked.answer)


def _listed(value: object) -> Iterator[str]:
    values = value if isinstance(value, (list, tuple)) else (value,)
    return (str(part) for part in values if part is not None)


def stated(item: Item, name: str) -> bool:
    """Whether an item's payload has a text of that name."""
    return bool(item.payload.get(name))


LONGEST: Final = 60
"""Characters of a comment that a list shows."""


def brief(language: str, answer: Answer, item: Item | None = None) -> str:
    """An answer in a few words; candidates by their letters if their item is known."""
    if answer.get("text") is not None:
        written = str(answer["text"])
        return written if len(written) <= LONGEST else f"{written[: LONGEST - 1]}…"
    value = next(iter(answer.values()), None)
    if value is None:
        return text(language, "cannot_say")
    if isinstance(value, Mapping):
        return ", ".join(f"{_named(str(part), item)}: {_short(own)}" for part, own in value.items())
    if isinstance(value, (list, tuple)):
        return _list(language, answer, value)
    return _choice(language, str(value), item) if "choice" in answer else _short(value)


def letter(place: int) -> str:
    """The name of the candidate at a place from 1: A, B and so on, then A2.

    >>> letter(1), letter(26), letter(27)
    ('A', 'Z', 'A2')
    """
    round_, index = divmod(place - 1, 26)
    return chr(ord("A") + index) + (str(round_ + 1) if round_ else "")


def _list(language: str, answer: Answer, values: Sequence[object]) -> str:
    if not values:
        return text(language, "brief.none")
    return (" ↔ " if "turns" in answer else ", ").join(map(str, values))


def _choice(language: str, choice: str, item: Item | None) -> str:
    known = {"tie": "pairwise.tie", "both_bad": "pairwise.both_bad", "none": "best_of.none"}
    if choice in known:
        return text(language, known[choice])
    return text(language, "brief.chosen") if item is None else _named(choice, item)


def _named(part: str, item: Item | None) -> str:
    ids = [candidate.id for candidate in item.candidates] if item is not None else []
    return letter(ids.index(part) + 1) if part in ids else part


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else "–" if value is None else str(value)
