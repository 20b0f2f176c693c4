"""Plain text files as nlg-eval reads them: a response a line, and references in files of the same length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import repeat, zip_longest
from typing import Final, TypeAlias

from dialeval.data.codec.bad import BadLine, OnBad, refuse
from dialeval.data.codec.containers import ROWS
from dialeval.data.codec.fields import missing
from dialeval.data.codec.parts import references_of
from dialeval.data.codec.rows import Counted, not_empty
from dialeval.data.codec.sources import Source, is_stdin, lines, native_format, shown, split_format
from dialeval.data.types import UNNAMED, Example, Kind, Prompt, Record, Response, Turn
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("example", "prompt")


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """One example per line, without references, of a system called ``system``; or one prompt, said by the user."""
    examples = _examples([source], [_texts(source, on_bad)], UNNAMED)
    if kind == "example":
        return examples
    return (Prompt(example.item, (Turn("user", example.response.text),)) for example in examples)


def read_texts(
    responses: Source, references: Sequence[Source], *, system: str = UNNAMED, on_bad: OnBad = refuse
) -> Iterator[Example]:
    """Examples from one response a line and any number of reference files, line by line beside it.

    Items are numbered from 1. An empty reference line means that the item has fewer references; an empty response line
    is an empty response. A line that cannot be used leaves its item out, in whichever file it is; the others keep their
    numbers. Files of different lengths are refused, naming both counts. Files of records (JSON, tables) give their
    responses, or their references; exported chats are refused, unless the file is named as ``text:FILE``.
    """
    counted = Counted(on_bad)
    files = [_column(responses, counted, references=False)]
    files += [_column(source, counted, references=True) for source in references]
    examples = _examples([responses, *references], files, system)
    return not_empty(examples, counted, responses, "example")


def _column(source: Source, on_bad: OnBad, *, references: bool) -> Iterator[_Cell]:
    """What a file says of each item: its lines, or the responses or references of the records that it holds."""
    bare, form = split_format(source)
    if form == "text":
        return _texts(bare, on_bad)
    if form is not None or _holds_records(source):
        return _recorded(source, on_bad, references=references)
    from dialeval.data.importers.exports import look_of, refuse_export

    look = None if is_stdin(source) else look_of(source)
    if look == "json":
        return _recorded(f"jsonl:{source}", on_bad, references=references)
    if look is not None:
        raise refuse_export(source, look)
    return _texts(source, on_bad)


def _holds_records(source: Source) -> bool:
    """Whether the file's name says that it holds records, and not lines of text."""
    if is_stdin(source):
        return False
    try:
        native_format(source)
    except BadInput:
        return False
    return True


def _recorded(source: Source, on_bad: OnBad, *, references: bool) -> Iterator[_Cell]:
    """The response of each record of a file, or its references; one that has none of them is refused."""
    from dialeval.data.reading import place_of, read

    if not references:
        systems: set[str] = set()
        for example in read(source, "example", on_bad=on_bad):
            systems.add(example.system)
            if len(systems) > 1:
                found = f"responses of {' and '.join(map(repr, sorted(systems)))}"
                raise BadInput(
                    shown(source), found, "those of one system", "Give it as the FILE, without --hyp."
                )
            yield example.response
        return
    bare, form = place_of(source)
    if form.name not in ROWS:
        raise BadInput(shown(source), f"the {form.name} format", "references", "Give lines of text, or JSON.")
    for row in ROWS[form.name](bare, on_bad):
        fields = row.fields if isinstance(row.fields, dict) else {}
        said = next((fields[name] for name in _GOLD if name in fields), None)
        if not isinstance(said, str | list):
            raise missing(fields, "references", row.where, "", "text, or a list of texts")
        listed = said if isinstance(said, list) else [said]
        yield references_of({"references": listed}, row.where)


_GOLD: Final = ("references", "reference", "response")
"""Fields of a record that may be meant by its references; the last of a file of model answers."""


def _examples(sources: Sequence[Source], files: Sequence[Iterator[_Cell]], system: str) -> Iterator[Example]:
    for number, row in enumerate(zip_longest(*files, fillvalue=_ENDED), start=1):
        if _ENDED in row:
            raise _uneven(sources, row, files, number)
        said, *golds = (
            (cell for cell in row if not isinstance(cell, _Gap)) if _Gap.BAD not in row else (None,)
        )
        if said is not None:
            response = said if isinstance(said, Response) else Response(str(said))
            listed = [text for gold in golds for text in (gold if isinstance(gold, tuple) else (str(gold),))]
            yield Example(str(number), system, (), response, tuple(text for text in listed if text.strip()))


class _Gap(Enum):
    """What stands in a line's place where there is no text."""

    BAD = "a line that cannot be used"
    ENDED = "no line any more"


_ENDED: Final = _Gap.ENDED


_Cell: TypeAlias = str | Response | tuple[str, ...] | _Gap
"""What a file says of an item."""


def _texts(source: Source, on_bad: OnBad) -> Iterator[_Cell]:
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
    sources: Sequence[Source], row: Sequence[_Cell], files: Sequence[Iterator[_Cell]], number: int
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
