"""Plain text files as nlg-eval reads them: a response a line, and references in files of the same length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from dialeval.data.bad import OnBad, refuse
from dialeval.data.sources import Source, lines, shown
from dialeval.data.types import Example, Kind, Record, Response
from dialeval.errors import BadInput


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """One example per line, without references, of a system called ``system``."""
    return read_texts(source, (), on_bad=on_bad)


def read_texts(
    responses: Source, references: Sequence[Source], *, system: str = "system", on_bad: OnBad = refuse
) -> Iterator[Example]:
    """Examples from one response a line and any number of reference files, line by line beside it.

    Items are numbered from 1. An empty reference line means that the item has fewer references; an empty response line
    is an empty response. Files of different lengths are refused, naming both counts.
    """
    if on_bad is not refuse and references:
        # A line left out of one file would shift it against the others.
        on_bad = refuse
    files = [_texts(source, on_bad) for source in (responses, *references)]
    for number, row in enumerate(zip_longest(*files), start=1):
        if None in row:
            raise _uneven([responses, *references], row, files, number)
        response, *others = row
        yield Example(str(number), system, (), Response(response), tuple(other for other in others if other))


def _texts(source: Source, on_bad: OnBad) -> Iterator[str]:
    for _, text in lines(source, on_bad):
        yield text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")


def _uneven(
    sources: Sequence[Source], row: Sequence[str | None], files: Sequence[Iterator[str]], number: int
) -> BadInput:
    """The error for files of different lengths; reads on to count them."""
    counts = [
        number - 1 if text is None else number + sum(1 for _ in file)
        for text, file in zip(row, files, strict=True)
    ]
    other = next(at for at, count in enumerate(counts) if count != counts[0])
    return BadInput(
        shown(sources[other]),
        f"{counts[other]} lines",
        f"{counts[0]}, as in {shown(sources[0])}",
        "Give every response a line in each reference file; leave the line empty where there is no reference.",
    )
