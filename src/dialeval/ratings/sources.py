"""Judgements from files and run folders, in any combination."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.data import OnBad, read, refuse
from dialeval.data.choices import Vetting, choices_vetting
from dialeval.data.results import FILE as RESULTS, read_results
from dialeval.display.notes import Note
from dialeval.errors import BadInput
from dialeval.ratings.checks import Repeats, located
from dialeval.ratings.table import Ratings

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
    if folder.is_dir() and (format is None or (folder / RESULTS).is_file()):
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
