"""Judgements from files and run folders, in any mixture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.data import OnBad, read, refuse
from dialeval.data.choices import choices_vetting
from dialeval.data.vetting_status import Vetting
from dialeval.display.notes import Note
from dialeval.errors import BadInput
from dialeval.ratings.locating import located
from dialeval.ratings.table import Ratings

if TYPE_CHECKING:
    import pyarrow as pa

_LABELS: Final = ("item", "system", "rater", "criterion")
_RESULTS: Final = "results.parquet"
_ASKED: Final = "asked.json"
_CHOICES: Final = "choices.jsonl"


def read_judgements(
    sources: Sequence[str | Path], *, format: str | None = None, on_bad: OnBad = refuse
) -> Ratings:
    """The judgements of all sources as one table; a run folder gives its measures' values, one of asking its choices.

    ``format`` names the format of the sources that are no run folders, as in ``dialeval.data.FORMATS``; without it, it
    follows each file's ending. The same judgement in two sources counts once.
    """
    with located(sources, format):
        parts = [_part(source, format, on_bad) for source in sources]
        return parts[0] if len(parts) == 1 else Ratings.merge(parts, source=", ".join(map(str, sources)))


def choices_in(folder: Path) -> Path | None:
    """The choices in a folder that ``dialeval select ask`` wrote; None of any other source."""
    return folder / _CHOICES if (folder / _ASKED).is_file() else None


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


def _part(source: str | Path, format: str | None, on_bad: OnBad) -> Ratings:
    folder = Path(source)
    if format is None and (choices := choices_in(folder)) is not None:
        return _part(choices, None, on_bad)
    if folder.is_dir() and (format is None or (folder / _RESULTS).is_file()):
        return _of_run(folder)
    judgements = read(source, "judgement", format=format, on_bad=on_bad)
    return Ratings.of(judgements, source=str(source))


def _of_run(folder: Path) -> Ratings:
    # The manifest is written last: without it, the results may be those of an earlier run.
    missing = [name for name in (_RESULTS, "manifest.json") if not (folder / name).is_file()]
    if missing:
        raise BadInput(
            path=str(folder),
            found=f"a folder without {' and '.join(missing)}",
            needed="a run folder, one of asking, or a file of judgements",
            todo="Write one with 'dialeval run STUDY -o FOLDER' or 'dialeval select ask ... -o FOLDER', or name the "
            "format of the folder.",
        )
    import pyarrow.parquet as pq

    table = pq.read_table(folder / _RESULTS, columns=[*_LABELS, "value"])
    names, codes = zip(*(_coded(table.column(label)) for label in _LABELS), strict=True)
    values: Floats = table.column("value").to_numpy().astype(np.float64)
    return Ratings.coded(names, codes, values, source=str(folder))


def _coded(column: pa.ChunkedArray) -> tuple[tuple[str, ...], Integers]:
    """The column's names in order of first sight, and each row's code."""
    # Pieces of a dictionary column may number their names differently; as plain text they cannot.
    import pyarrow as pa

    encoded = column.cast(pa.string()).combine_chunks().dictionary_encode()
    return tuple(encoded.dictionary.to_pylist()), encoded.indices.to_numpy().astype(np.int64)


def _vetting(source: Path) -> Iterator[tuple[str, Vetting]]:
    """Each measure over choices in a run, a folder of asking or a file of choices, and how far that is vetted."""
    for measure, vetting in choices_vetting(source / _CHOICES if source.is_dir() else source).items():
        # A folder of asking has one measure, whose settings are those of the folder.
        yield measure.partition("(")[0] if choices_in(source) else measure, vetting
