"""Plain text files as nlg-eval reads them: a response a line, and references in files of the same length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import repeat, zip_longest
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad, refuse
from dialeval.data.codec.rows import Counted, not_empty
from dialeval.data.codec.sources import Source, lines, shown
from dialeval.data.types import UNNAMED, Example, Kind, Prompt, Record, Response, Turn
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("example", "prompt")


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """One example per line, without references, of a system called ``system``; or one prompt, said by the user."""
    examples = _examples(source, (), UNNAMED, on_bad)
    if kind == "example":
        return examples
    return (Prompt(example.item, (Turn("user", example.response.text),)) for example in examples)


def read_texts(
    responses: Source, references: Sequence[Source], *, system: str = UNNAMED, on_bad: OnBad = refuse
) -> Iterator[Example]:
    """Examples from one response a line and any number of reference files, line by line beside it.

    Items are numbered from 1. An empty reference line means that the item has fewer references; an empty response line
    is an empty response. A line that cannot be used leaves its item out, in whichever file it is; the others keep their
    numbers. Files of different lengths are refused, naming both counts.
    """
    counted = Counted(on_bad)
    return not_empty(_examples(responses, references, system, counted), counted, responses, "example")


def _examples(
    responses: Source, references: Sequence[Source], system: str, on_bad: OnBad
) -> Iterator[Example]:
    files = [_texts(source, on_bad) for source in (responses, *references)]
    for number, row in enumerate(zip_longest(*files, fillvalue=_ENDED), start=1):
        if _ENDED in row:
            raise _uneven([responses, *references], row, files, number)
        texts = [text for text in row if isinstance(text, str)]
        if len(texts) == len(files):
            yield Example(
                str(number), system, (), Response(texts[0]), tuple(text for text in texts[1:] if text.strip())
            )


class _Gap(Enum):
    """What stands in a line's place where there is no text."""

    BAD = "a line that cannot be used"
    ENDED = "no line any more"


_ENDED: Final = _Gap.ENDED


def _texts(source: Source, on_bad: OnBad) -> Iterator[str | _Gap]:
    """The lines' texts, with something in the place of each bad one, so that files stay in step."""
    skipped = 0

    def note(bad: BadLine) -> None:
        nonlocal skipped
        on_bad(bad)
        skipped += 1

    for _, text in lines(source, note):
        yield from repeat(_Gap.BAD, skipped)
        skipped = 0
        yield text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")
    yield from repeat(_Gap.BAD, skipped)


def _uneven(
    sources: Sequence[Source], row: Sequence[str | _Gap], files: Sequence[Iterator[str | _Gap]], number: int
) -> BadInput:
    """The error for files of different lengths; reads on to count them."""
    counts = [
        number - 1 if text is _ENDED else number + sum(1 for _ in file)
        for text, file in zip(row, files, strict=True)
    ]
    other = next(index for index, count in enumerate(counts) if count != counts[0])
    return BadInput(
        shown(sources[other]),
        f"{counts[other]} lines",
        f"{counts[0]}, as in {shown(sources[0])}",
        "Give every response a line in each reference file; leave the line empty where there is no reference.",
    )
