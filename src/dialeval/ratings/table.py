"""Judgements of files and run folders as columns: who gave what to which item of which system, on which criterion."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Integers
from dialeval.data import OnBad, read, refuse
from dialeval.data.choices import Vetting, choices_vetting
from dialeval.data.importers.exports.recognition import folder_export
from dialeval.data.importers.ratings import anonymous
from dialeval.data.results import FILE as RESULTS, read_results
from dialeval.data.types import Judgement
from dialeval.display.notes import Note
from dialeval.errors import BadInput, UnknownName
from dialeval.ratings.checks import Codes, Names, Repeats, checked, located

_CHUNK: Final = 8192
_NAMES: Final = ("items", "systems", "raters", "criteria")
_CODES: Final = ("item", "system", "rater", "criterion")


class Unit(NamedTuple):
    """Unit that is rated: one system's answer to one item."""

    item: str
    system: str


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Judgements as columns, one row per judgement; people and metrics are raters alike.

    Names stand in order of first sight, and the columns hold codes into them. No rater judges the same item, system and
    criterion twice.
    """

    items: tuple[str, ...]
    systems: tuple[str, ...]
    raters: tuple[str, ...]
    criteria: tuple[str, ...]
    item: Integers
    system: Integers
    rater: Integers
    criterion: Integers
    value: Floats
    """NaN if the rater could not say."""
    repeated: int = 0
    """Number of judgements that said the same as another one, or were repeats of one, and were dropped."""
    nominal: frozenset[str] = frozenset()
    """Criteria whose values are names of categories, in no order: a 2 is not nearer to a 3 than to a 7."""

    def __len__(self) -> int:
        return len(self.value)

    @classmethod
    def of(
        cls, judgements: Iterable[Judgement], *, source: str = "judgements", repeats: Repeats | None = None
    ) -> Ratings:
        """The judgements as columns, read as a stream; ``source`` names them in messages.

        The same judgement twice counts once. Two values of one rater for one item, system and criterion are refused,
        unless ``repeats`` says what becomes of them.
        Time and memory grow linearly: a million judgements take about a second and 100 MB.
        """
        names = [Codes() for _ in _CODES]
        columns = [array("q") for _ in _CODES]
        values = array("d")
        fields = [attrgetter(field) for field in _CODES]
        stream = iter(judgements)
        while chunk := list(islice(stream, _CHUNK)):
            for codes, column, field in zip(names, columns, fields, strict=True):
                column.extend(map(codes.__getitem__, map(field, chunk)))
            values.extend([math.nan if judgement.value is None else judgement.value for judgement in chunk])
        coded = [np.array(column, dtype=np.int64) for column in columns]
        return cls.coded(
            [tuple(codes) for codes in names], coded, np.array(values), source=source, repeats=repeats
        )

    @classmethod
    def coded(
        cls,
        names: Sequence[tuple[str, ...]],
        columns: Sequence[Integers],
        values: Floats,
        *,
        source: str = "judgements",
        repeats: Repeats | None = None,
    ) -> Ratings:
        """Judgements that come as columns: names and codes of items, systems, raters and criteria, in this order."""
        return checked(_rows(names, columns, values), source, repeats)

    @classmethod
    def merge(
        cls, parts: Sequence[Ratings], *, source: str = "judgements", repeats: Repeats | None = None
    ) -> Ratings:
        """The judgements of all parts, with the same care for repeats as in ``of``."""
        names, columns = [], []
        for labels, field in zip(_NAMES, _CODES, strict=True):
            codes = Codes()
            places = [np.array([codes[name] for name in getattr(part, labels)], np.int64) for part in parts]
            codes_of_parts = [place[getattr(part, field)] for place, part in zip(places, parts, strict=True)]
            names.append(tuple(codes))
            columns.append(np.concatenate([np.zeros(0, np.int64), *codes_of_parts]))
        values = np.concatenate([np.zeros(0), *(part.value for part in parts)])
        nominal = frozenset[str]().union(*(part.nominal for part in parts))
        rows = _rows(names, columns, values, sum(part.repeated for part in parts), nominal)
        return checked(rows, source, repeats)

    def criterion_named(self, name: str) -> Ratings:
        """The judgements on the criterion of that name."""
        if name not in self.criteria:
            known = f"There are {', '.join(sorted(self.criteria))}." if self.criteria else "There are none."
            raise UnknownName("criterion", name, self.criteria, todo=known)
        return self.by(criteria=[name])

    def by(
        self,
        *,
        items: Collection[str] | None = None,
        systems: Collection[str] | None = None,
        raters: Collection[str] | None = None,
        criteria: Collection[str] | None = None,
    ) -> Ratings:
        """The judgements whose names are among those given; names that nobody uses any more are dropped."""
        kept = np.ones(len(self), dtype=bool)
        for labels, field, wanted in zip(_NAMES, _CODES, (items, systems, raters, criteria), strict=True):
            if wanted is not None:
                among = set(wanted)
                chosen = np.array([name in among for name in getattr(self, labels)], dtype=bool)
                kept &= chosen[getattr(self, field)]
        return self.where(kept)

    def where(self, kept: NDArray[np.bool_]) -> Ratings:
        """The judgements that ``kept`` marks; names that nobody uses any more are dropped."""
        names, columns = [], []
        for labels, field in zip(_NAMES, _CODES, strict=True):
            codes = getattr(self, field)[kept]
            used = np.zeros(len(getattr(self, labels)), dtype=bool)
            used[codes] = True
            names.append(
                tuple(name for name, is_used in zip(getattr(self, labels), used, strict=True) if is_used)
            )
            columns.append((np.cumsum(used) - 1)[codes])
        return _rows(names, columns, self.value[kept], nominal=self.nominal.intersection(names[-1]))

    def names_of(self, row: int) -> Names:
        """Whose judgement stands in that row, and of what."""
        of = zip(_NAMES, _CODES, strict=True)
        return Names(*(getattr(self, labels)[getattr(self, field)[row]] for labels, field in of))

    @property
    def anonymous(self) -> bool:
        """Whether raters are positions in a list, ``#1`` and ``#2``, rather than people (see docs/importing.md).

        Then nobody can be followed from item to item: agreement of all holds, but nothing can be said of one of them.
        """
        return anonymous(self.raters)

    @property
    def units(self) -> tuple[Unit, ...]:
        """Rated units, in order of first sight: the rows of ``matrix`` and ``packed``."""
        _, places = self._units()
        return tuple(
            Unit(self.items[item], self.systems[system])
            for item, system in zip(self.item[places].tolist(), self.system[places].tolist(), strict=True)
        )

    def matrix(self, criterion: str) -> Floats:
        """Values on one criterion, shape (units, raters), NaN if there is none.

        The rows are ``criterion_named(criterion).units`` and the columns its ``raters``.
        """
        chosen = self.criterion_named(criterion)
        unit, places = chosen._units()
        table = np.full((len(places), len(chosen.raters)), np.nan)
        table[unit, chosen.rater] = chosen.value
        return table

    def packed(self, criterion: str) -> Floats:
        """Values on one criterion, shape (units, most ratings of a unit), NaN after each unit's last.

        Columns are not raters: this is the smaller table where only the values count and raters are many.
        """
        chosen = self.criterion_named(criterion)
        chosen = chosen.where(~np.isnan(chosen.value))
        unit, places = chosen._units()
        order = np.argsort(unit, kind="stable")
        sizes = np.bincount(unit, minlength=len(places))
        starts = np.cumsum(sizes) - sizes
        table = np.full((len(places), int(sizes.max(initial=0))), np.nan)
        table[unit[order], np.arange(len(chosen)) - starts[unit[order]]] = chosen.value[order]
        return table

    def _units(self) -> tuple[Integers, Integers]:
        """The unit of each row, numbered in order of first sight, and the row at which each is first seen."""
        keys = self.item * max(1, len(self.systems)) + self.system
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return rank[inverse], first[order]


def _rows(
    names: Sequence[tuple[str, ...]],
    columns: Sequence[Integers],
    values: Floats,
    repeated: int = 0,
    nominal: frozenset[str] = frozenset(),
) -> Ratings:
    items, systems, raters, criteria = names
    item, system, rater, criterion = columns
    return Ratings(
        items, systems, raters, criteria, item, system, rater, criterion, values, repeated, nominal
    )


_CHOICES: Final = "choices.jsonl"


def read_judgements(
    sources: Sequence[str | Path],
    *,
    format: str | None = None,
    on_bad: OnBad = refuse,
    repeats: Repeats | None = None,
) -> Ratings:
    """The judgements of all sources as one table; a run folder gives its measures' values.

    ``format`` names the format of the sources other than run folders, as in ``dialeval.data.FORMATS``; without it, it
    follows each file's ending. The same judgement in two sources counts once; ``repeats`` says what becomes of several
    judgements by one rater of one answer, which are refused otherwise.
    """
    with located(sources, format):
        parts = [_part(source, format, on_bad, repeats) for source in sources]
        if len(parts) == 1:
            return parts[0]
        return Ratings.merge(parts, source=", ".join(map(str, sources)), repeats=repeats)


def unvetted_notes(sources: Sequence[str | Path]) -> tuple[Note, ...]:
    """A note for each measure over choices whose candidates people have not all looked at."""
    return tuple(
        dict.fromkeys(
            Note("unvetted", f"{measure}: {vetting}")
            for source in sources
            for measure, vetting in _vetting(Path(source))
            if not vetting.complete
        )
    )


def _part(source: str | Path, format: str | None, on_bad: OnBad, repeats: Repeats | None) -> Ratings:
    folder = Path(source)
    if folder.is_dir() and (format is None or (folder / RESULTS).is_file()) and folder_export(folder) is None:
        return _of_run(folder)
    judgements = read(source, "judgement", format=format, on_bad=on_bad)
    return Ratings.of(judgements, source=str(source), repeats=repeats)


def _of_run(folder: Path) -> Ratings:
    # The manifest is written last: without it, the results may be those of an earlier run.
    missing = [name for name in (RESULTS, "manifest.json") if not (folder / name).is_file()]
    if missing:
        raise BadInput(
            path=str(folder),
            found=f"a folder without {' and '.join(missing)}",
            expected="a run folder or a file of judgements",
            todo="Write one with 'dialeval run STUDY -o FOLDER' or 'dialeval select ask ... -o FOLDER', or name the "
            "format of the folder.",
        )
    blocks = read_results(folder / RESULTS)
    names: list[tuple[str, ...]] = []
    columns: list[Integers] = []
    for label in ("item", "system", "rater", "criterion"):
        texts = [block.items if label == "item" else (getattr(block, label),) for block in blocks]
        codes = {name: code for code, name in enumerate(dict.fromkeys(chain.from_iterable(texts)))}
        known = [np.array([codes[name] for name in text], np.int64) for text in texts]
        whole = [np.broadcast_to(code, len(block.items)) for code, block in zip(known, blocks, strict=True)]
        names.append(tuple(codes))
        columns.append(np.concatenate([np.zeros(0, np.int64), *whole]))
    values: Floats = np.concatenate([np.zeros(0), *(block.values for block in blocks)])
    return Ratings.coded(names, columns, values, source=str(folder))


def _vetting(source: Path) -> Iterator[tuple[str, Vetting]]:
    """Each measure over choices in a run or a file of choices, and how far that is vetted."""
    yield from choices_vetting(source / _CHOICES if source.is_dir() else source).items()
