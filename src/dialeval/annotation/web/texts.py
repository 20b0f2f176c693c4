"""Catalogue of the interface's texts: one JSON file per language in ``catalogue/``, English first.

A text has placeholders in braces. Where ``count`` is 1 and the catalogue has ``KEY.one``, that one is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final, Literal

ENGLISH: Final = "en"


@dataclass(frozen=True, slots=True)
class Language:
    """One language of the interface."""

    code: str
    name: str
    """Its own name."""
    direction: Literal["ltr", "rtl"] = "ltr"
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)
    wordings: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Default questions and anchors of task kinds, by their English wording."""


def _read(code: str) -> Language:
    path = files("dialeval.annotation.web").joinpath("catalogue", f"{code}.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    return Language(code, content["name"], content["direction"], content["texts"], content["wordings"])


LANGUAGES: Final[Mapping[str, Language]] = {code: _read(code) for code in (ENGLISH, "ja")}
"""Every language by its code."""


def text(code: str, key: str, **values: object) -> str:
    """The text of a key with its placeholders filled in, in English if the language does not have it.

    Raises KeyError if English has none either.
    """
    texts = _texts(code)
    if values.get("count") == 1 and f"{key}.one" in texts:
        key = f"{key}.one"
    return texts[key].format(**values)


def wording(code: str, english: str) -> str:
    """A default wording of a task kind in that language; what an owner wrote, as it is."""
    language = LANGUAGES.get(code)
    return english if language is None else language.wordings.get(english, english)


@cache
def _texts(code: str) -> Mapping[str, str]:
    own = LANGUAGES[code].texts if code in LANGUAGES else {}
    return {**LANGUAGES[ENGLISH].texts, **own}
