"""Locator of judgements: file and line, from item, system, rater and criterion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from dialeval.data.codec.bad import Where
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import is_stdin
from dialeval.data.reading import read_guessing
from dialeval.data.types import Judgement
from dialeval.errors import BadInput

Source: TypeAlias = str | Path


class Names(NamedTuple):
    """Whose judgement it is, and of what."""

    item: str
    system: str
    rater: str
    criterion: str

    def __str__(self) -> str:
        return f"of rater {self.rater!r} for {self.criterion!r} of item {self.item!r}, system {self.system!r}"


@dataclass(eq=False)
class BadJudgement(BadInput):
    """A judgement that cannot be used, found after it was read, when its line was known no more."""

    names: Names | None = None


@contextmanager
def located(sources: Sequence[Source], format: str | None = None) -> Iterator[None]:
    """Give every BadJudgement raised inside its file and line, by reading the sources again.

    Run folders, standard input and foreign formats have no lines to name; then the error stays as it was.
    """
    try:
        yield
    except BadJudgement as error:
        places = [] if error.names is None else _places(error.names, sources, format)
        if places:
            # A rater's second value is the one that should not be there, so the last place is named.
            error.path, error.line = places[-1]
        if len(places) > 1:
            others = "; ".join(_shown(place, error.path) for place in places[:-1])
            error.found += f" (the other stands in {others})"
        raise


def _places(names: Names, sources: Sequence[Source], format: str | None) -> list[Where]:
    """Where judgements of these names stand, as far as the files can still be read."""
    places: list[Where] = []
    for source in sources:
        if not is_stdin(source) and Path(source).is_file():
            try:
                places += _in_file(names, source, format)
            except BadInput:
                continue  # what is wrong with that file was not what stopped us
    return places


def _in_file(names: Names, source: Source, format: str | None) -> Iterator[Where]:
    last: list[Row] = []
    for record in read_guessing(source, kind="judgement", format=format, note=last.append).records:
        judgement = record if isinstance(record, Judgement) else None
        if (
            last
            and judgement
            and names == (judgement.item, judgement.system, judgement.rater, judgement.criterion)
        ):
            yield last[-1].where
        del last[:-1]


def _shown(place: Where, path: str) -> str:
    return f"line {place.line}" if place.path == path else f"{place.path}, line {place.line}"
