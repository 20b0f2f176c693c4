"""Shared parts of all pages: escaping templates, a strict content policy, pictures as data."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dialeval.display.wording import count

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot with the words for those who do not see it."""

    title: str
    caption: str
    svg: bytes
    alt: str

    @property
    def source(self) -> str:
        """The plot as a data: address, which is part of the page."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg).decode()}"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page that another package brings."""

    anchor: str
    link: str
    """Its name in the page's navigation."""
    title: str
    html: str
    """From a template of ours, in which every value was escaped."""


def template(package: str, name: str) -> Template:
    """A template of that package's ``assets``, which may use those of this one and of the packages below.

    Every value in it is escaped, and a name that is not given is an error.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loader = ChoiceLoader([PackageLoader(package, "assets"), PackageLoader("dialeval.display", "assets")])
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["count"] = count
    return environment.get_template(name)


def asset(name: str, package: str = "dialeval.display") -> str:
    """The text of one of our own files: besides Markup of JSON, the only text on a page that is not escaped."""
    from importlib.resources import files

    return files(package).joinpath("assets", name).read_text(encoding="utf-8")


def policy(*, style: str, script: str | None = None) -> str:
    """A content security policy under which nothing runs, loads or is sent but what this file holds."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    scripts = "" if script is None else f"script-src 'sha256-{digest(script)}'; "
    return (
        f"default-src 'none'; {scripts}style-src 'sha256-{digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
