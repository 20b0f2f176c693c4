"""Plain text files as nlg-eval reads them: a response a line, and references in files of the same length.

Text files that are no lines of responses are recognised by their first lines: exported chats, transcripts, JSON.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import repeat, zip_longest
from typing import Final, Literal, TypeAlias

from dialeval.data.codec.bad import BadLine, OnBad, refuse
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.fields import missing
from dialeval.data.codec.jsonl import ROWS
from dialeval.data.codec.parts import references_of
from dialeval.data.codec.rows import BadCounter, not_empty
from dialeval.data.codec.sources import (
    UTF8_MARK,
    Source,
    is_stdin,
    lines,
    native_format,
    opened,
    shown,
    split_format,
)
from dialeval.data.types import UNNAMED, Example, Kind, Prompt, Record, Response, Turn
from dialeval.errors import BadInput
from dialeval.files.foreign import JSON_ERRORS

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
    counted = BadCounter(on_bad)
    files = [_column(responses, counted, references=False)]
    files += [_column(source, counted, references=True) for source in references]
    examples = _examples([responses, *references], files, system)
    return not_empty(examples, counted, responses, "example")


def _column(source: Source, on_bad: OnBad, *, references: bool) -> Iterator[_Cell]:
    """Return what a file says of each item: its lines, or the responses or references of the records that it holds."""
    bare, form = split_format(source)
    if form == "text":
        return _texts(bare, on_bad)
    if form is not None or _holds_records(source):
        return _recorded(source, on_bad, references=references)
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
    from dialeval.data.reader import place_of, read

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
    """Stand-in for a line if there is no text."""

    BAD = "a line that cannot be used"
    ENDED = "no line any more"


_ENDED: Final = _Gap.ENDED


_Cell: TypeAlias = str | Response | tuple[str, ...] | _Gap
"""Content of a file for an item."""


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


Look: TypeAlias = Literal["whatsapp", "json", "telegram", "slack", "names"]

_HEAD: Final = 1 << 14
_LINES: Final = 60
_MARKS: Final = "\u200e\u200f\ufeff"
_TELEGRAM: Final = re.compile(r".{1,60}, \[\d{1,2}[./]\d{1,2}[./]\d{2,4}[, ]+\d{1,2}:\d{2}.*\]:?")
_SLACK: Final = re.compile(r"\S.{0,40}\s+\[?\d{1,2}:\d{2}\s?[AP]M\]?", re.IGNORECASE)
_NAMED: Final = re.compile(r"(?P<name>[^\W\d_][\w .'’-]{0,24}?)\s?:\s+\S.*")
_NOUNS: Final[Mapping[Look, str]] = {
    "whatsapp": "a chat exported from WhatsApp",
    "json": "JSON",
    "telegram": "a chat copied from Telegram",
    "slack": "a chat copied from Slack",
    "names": "a transcript, with the speaker's name before each line",
}


def look_of(source: Source) -> Look | None:
    """Return which export the first lines of a text file look like; None of plain lines."""
    with opened(source) as handle:
        head = handle.peek(_HEAD)[:_HEAD].removeprefix(UTF8_MARK).decode("utf-8", "replace")
    texts = [line.strip().lstrip(_MARKS) for line in head.splitlines()[:_LINES]]
    return _look([text for text in texts if text])


def _look(texts: Sequence[str]) -> Look | None:
    if not texts:
        return None
    if _is_json(texts):
        return "json"
    from dialeval.data.importers.whatsapp import HEADER

    dated = sum(HEADER.fullmatch(text.replace("\u202f", " ")) is not None for text in texts)
    if dated >= 2 or dated == len(texts):
        return "whatsapp"
    if sum(_TELEGRAM.fullmatch(text) is not None for text in texts) >= max(2, len(texts) / 6):
        return "telegram"
    if sum(_SLACK.fullmatch(text) is not None for text in texts) >= max(2, len(texts) / 6):
        return "slack"
    return "names" if _has_names(texts) else None


def _is_json(texts: Sequence[str]) -> bool:
    """Whether the first line is a JSON object, or the text begins as one or an array of them does."""
    if texts[0] in ("{", "[") or texts[0].startswith(('{"', '[{"')):
        try:
            return texts[0] in ("{", "[") or isinstance(json.loads(texts[0]), dict | list)
        except JSON_ERRORS:
            return texts[0].startswith(('{"', '[{"')) and len(texts) == 1  # a line that the head cuts off
    return False


def _has_names(texts: Sequence[str]) -> bool:
    """Whether nearly every line begins with one of a few names, two at least, each of which comes again."""
    found = [match["name"].casefold() for text in texts if (match := _NAMED.fullmatch(text))]
    names = Counter(found)
    few = 2 <= len(names) <= max(2, len(texts) // 4)
    return len(texts) >= 4 and few and min(names.values()) >= 2 and len(found) >= 0.9 * len(texts)


def text_format(source: Source) -> str:
    """The format of a text file, by its first lines; BadInput of chats that we do not read."""
    look = look_of(source)
    if look is None:
        return "text"
    if look == "whatsapp":
        return "whatsapp"
    if look == "json":
        tell(shown(source), "read as jsonl, since it holds JSON")
        return "jsonl"
    raise refuse_export(source, look, beside=" (or a prompt)")


_NAMES_READER: Final = """\
    from pathlib import Path

    def read(path):
        lines = Path(path).read_text(encoding='utf-8').splitlines()
        said = [line.split(": ", 1) for line in lines if ": " in line]
        turns = [{"speaker": name, "text": text} for name, text in said]
        yield {"id": path, "turns": turns}"""
_HEADED_READER: Final = """\
    import re
    from pathlib import Path

    def read(path):
        text = Path(path).read_text(encoding='utf-8')
        said = re.split(r"HEADER", text, flags=re.M)[1:]
        turns = [{"speaker": name, "text": words.strip()} for name, words in zip(said[::2], said[1::2])]
        yield {"id": path, "turns": turns}"""
_HEADERS: Final[Mapping[Look, str]] = {
    "telegram": r"^(.+), \[\d.*\]:?\n",
    "slack": r"^(\S.*?)\s+\[?\d+:\d\d ?[AaPp][Mm]\]?\n",
}
"""Lines above each message, with the name of who wrote it."""


def _reader(look: Look) -> str:
    """A few lines of Python that read such a chat, indented."""
    header = _HEADERS.get(look)
    return _NAMES_READER if header is None else _HEADED_READER.replace("HEADER", header)


def refuse_export(source: Source, look: Look, *, beside: str = "") -> BadInput:
    """Return the error for an export that is given as lines of text, with the ways out."""
    path = shown(source)
    if look == "whatsapp":
        way = f"Give it as the FILE, or convert it: 'dialeval data convert {path} chat.jsonl --from whatsapp'"
    elif look == "json":
        way = f"Give it as the FILE: 'dialeval score {path}'; it needs the ending .jsonl or .json"
    else:
        way = (
            "Write a row for each message with the columns conversation, role and content (.csv), or read it your own "
            f"way with --from my.py:read, where my.py is\n\n{_reader(look)}\n\n"
        )
    end = "" if way.endswith("\n") else ". "
    todo = f"{way}{end}If every line is a response{beside}, name the format: text:{path}."
    return BadInput(path, _NOUNS[look], "one response a line", todo)
