"""A first study file, written from the files of a user by what their records hold."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Final

import yaml

from dialeval.data import Judgement, Kind, read, read_prompts
from dialeval.data.codec.column_names import Columns, ColumnsGiven
from dialeval.data.codec.sources import OWN_READER, file_of, split_format
from dialeval.data.reader import glance
from dialeval.errors import BadInput, Unsuitable

LOOKED_AT: Final = 2000
"""Records of a file that are looked at to find its systems, criteria and references."""

WITH_REFERENCES: Final = ("bleu(order=4)", "rouge_l", "bertscore", "length")
WITHOUT: Final = ("distinct(n=2)", "length")


@dataclass(slots=True)
class Parts:
    """Content of the files, by the part of a study that each becomes."""

    data: Path | None = None
    prompts: bool = False
    """Whether the data are prompts, so that dialogues are what a system said to them."""
    references: bool = False
    transcripts: list[tuple[str, Path, str | None]] = field(default_factory=list)
    """Name, file, and which system of it where it holds several."""
    ratings: list[tuple[Path, tuple[str, ...]]] = field(default_factory=list)
    """File and criteria."""
    questions: list[Path] = field(default_factory=list)
    columns: dict[Path, Columns] = field(default_factory=dict)
    """Columns of files whose fields have other names than ours."""


def sketch_study(files: Sequence[Path], folder: Path, *, columns: ColumnsGiven = None) -> str:
    """The text of a study over ``files``, with paths relative to ``folder``, where it is going to be.

    ``columns`` are those of ``read``, for the files that have them; guessed ones are written down.
    """
    parts = Parts()
    kinds = _kinds(files, Columns.of(columns), parts)
    for path, kind in sorted(kinds.items(), key=lambda held: held[1] != "prompt"):
        _sort(path, kind, parts)
    if parts.data is None and parts.transcripts:
        parts.data = parts.transcripts[0][1]
    if parts.data is None:
        parts.data = next(iter(parts.questions), None)
    if parts.data is None:
        held = ", ".join(f"{path} ({kind})" for path, kind in kinds.items())
        raise Unsuitable(
            f"No file has contexts to respond to: {held}. Add prompts, dialogues, or systems' responses."
        )
    prompts = islice(read_prompts(parts.data, columns=parts.columns.get(parts.data)), LOOKED_AT)
    parts.references = any(text.strip() for prompt in prompts for text in prompt.references)
    return "\n".join(_lines(parts, folder)) + "\n"


def _kinds(files: Sequence[Path], columns: Columns | None, parts: Parts) -> dict[Path, Kind]:
    """The kind of each file, and its columns into ``parts``."""
    kinds: dict[Path, Kind] = {}
    lacking: list[BadInput] = []
    for path in files:
        try:
            seen = glance(path, columns=columns)
        except BadInput as error:
            if columns is None:
                raise
            lacking.append(error)
            seen = glance(path)
        kinds[path] = seen.kind
        if seen.columns is not None:
            parts.columns[path] = seen.columns
    if lacking and len(lacking) == len(files):
        raise lacking[0]
    return kinds


def _sort(path: Path, kind: Kind, parts: Parts) -> None:
    if kind == "dialogue" and parts.prompts:
        parts.transcripts.append((file_of(path).stem, path, None))  # what a system said to these prompts
    elif kind in ("prompt", "dialogue"):
        if parts.data is not None:
            raise Unsuitable(
                f"Both {parts.data} and {path} hold {kind}s. A study has one file of data: give one, or, if these are "
                "what systems said, a file of prompts beside them."
            )
        parts.data, parts.prompts = path, kind == "prompt"
    elif kind == "question":
        parts.questions.append(path)
    elif kind == "judgement":
        criteria = {
            record.criterion
            for record in islice(read(path, kind), LOOKED_AT)
            if isinstance(record, Judgement)
        }
        parts.ratings.append((path, tuple(sorted(criteria))))
    elif kind == "example":
        columns = parts.columns.get(path)
        examples = islice(read(path, "example", columns=columns), LOOKED_AT)
        systems = list(dict.fromkeys(example.system for example in examples))
        several = len(systems) > 1 or (columns is not None and bool(columns.systems))
        parts.transcripts += [
            (system if several and system else file_of(path).stem, path, system if several else None)
            for system in systems
        ]
    else:
        raise Unsuitable(f"{path} holds {kind} records, which a study does not use.")


def _lines(parts: Parts, folder: Path) -> Iterable[str]:
    data = parts.data or Path()
    yield "# Written by 'dialeval init'. Paths are relative to this file; 'dialeval docs study' explains every key."
    told = parts.columns.get(data)
    place = f"{{path: {_shown(data, folder)}, {_columns(told)}}}" if told else _shown(data, folder)
    yield f"data: {place}  # the contexts that every system responds to"
    yield "systems:"
    for name, (_, path, system) in zip(_names(parts.transcripts), parts.transcripts, strict=True):
        which = f", system: {_quoted(system)}" if system else ""
        named = parts.columns.get(path) if path != data else None
        which += f", {_columns(named)}" if named else ""
        yield f"  - {{name: {_quoted(name)}, kind: transcript, path: {_shown(path, folder)}{which}}}"
    if not parts.transcripts:
        yield "  - {name: echo, kind: echo}  # a floor; put your own systems beside it:"
    yield "  # - {name: live, kind: openai, base_url: 'http://localhost:8000/v1', model: NAME}"
    yield "  # - {name: mine, kind: 'bot.py:reply'}  # a function of yours ('dialeval docs own')"
    yield "measures:"
    for measure in WITH_REFERENCES if parts.references else WITHOUT:
        yield f"  - {measure}"
    if not parts.references:
        yield "  # the data has no references: measures such as rouge_l and bertscore need them"
    for path in parts.questions:
        yield f"  - {{name: selection_accuracy, questions: {_shown(path, folder)}}}  # systems choose among candidates"
    yield from _ratings(parts, folder)
    yield "# primary: rouge_l          # the measure that decides; the others only explore"
    yield "# margin: {rouge_l: 0.01}   # a smaller difference does not matter"
    yield "# gates: ['rouge_l >= 0.2'] # 'dialeval run' exits with 100 where one fails"


def _names(transcripts: Sequence[tuple[str, Path, str | None]]) -> Iterable[str]:
    """A name for each system: as found; with its file's name, and then a number, where another is called so."""
    found = [name for name, _, _ in transcripts]
    taken: set[str] = set()
    for name, path, _ in transcripts:
        file = file_of(path)
        full = name if found.count(name) == 1 else file.name if name == file.stem else f"{name} ({file.name})"
        numbered = (f"{full} {number}" for number in count(2))
        chosen = full if full not in taken else next(other for other in numbered if other not in taken)
        taken.add(chosen)
        yield chosen


def _ratings(parts: Parts, folder: Path) -> Iterable[str]:
    for number, (path, criteria) in enumerate(parts.ratings):
        chosen = f", criterion: {_quoted(criteria[0])}" if len(criteria) > 1 else ""
        # Quoted, since a name with a line break would end the comment and add keys to the study.
        others = (
            f"  # or {', '.join(map(_quoted, criteria[1:]))}" if len(criteria) > 1 else "  # people's ratings"
        )
        yield f"{'# ' if number else ''}human: {{path: {_shown(path, folder)}{chosen}}}{others}"


def _shown(path: Path, folder: Path) -> str:
    """The path as the study file writes it."""
    bare, form = split_format(path)
    if form and (own := OWN_READER.fullmatch(form)):
        form = f"{_relative(own[1], folder)}:{own[2]}"
    beside = _relative(bare, folder)
    return _quoted(f"{form}:{beside}" if form else beside)


def _relative(path: Path | str, folder: Path) -> str:
    """The path as seen from the folder; the name is kept if it is that of a link."""
    here = Path(path).parent.resolve() / Path(path).name
    return os.path.relpath(here, folder.resolve())


def _columns(columns: Columns) -> str:
    """The key ``columns`` of a study."""
    held = [
        f"{_quoted(field)}: {_quoted(column) if isinstance(column, str) else _list(column)}"
        for field, column in columns.as_json().items()
    ]
    return f"columns: {{{', '.join(held)}}}"


def _list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _quoted(text: str) -> str:
    if not text.isprintable():
        return json.dumps(text)
    plain = text.replace("_", "").replace("-", "").replace(".", "").replace("/", "").isalnum()
    return text if plain and yaml.safe_load(text) == text else "'" + text.replace("'", "''") + "'"
