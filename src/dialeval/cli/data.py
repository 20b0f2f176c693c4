"""``dialeval data``: which formats there are, is this file sound, turn it into that one."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from rich.box import SIMPLE_HEAD
from rich.table import Table

from dialeval.cli.options import ColumnsOption, From, Json, Kind, Limit, Seed, SkipBad
from dialeval.cli.sampling import Sample, check_sample, drawn
from dialeval.data import (
    FORMATS,
    Prompt,
    Question,
    SideFile,
    read_guessing,
    read_prompts,
    read_texts,
    refuse,
    survey,
    write,
)
from dialeval.data.codec.bad import SIDE_ENDING
from dialeval.data.codec.sources import file_of, split_format
from dialeval.display.consoles import PrintableConsole
from dialeval.display.wording import count as counted
from dialeval.errors import BadInput, Unsuitable
from dialeval.options import Argument, Option

if TYPE_CHECKING:
    from dialeval.data import OnBad, Record, Survey

SkipBadInto: TypeAlias = Annotated[
    bool,
    Option("--skip-bad", help="Leave bad lines out, count them, and write them to TO.bad.jsonl."),
]


def ls(json: Json = False) -> None:
    """List the formats that can be read, and the kinds of records each gives.

    Example: dialeval data ls
    """
    if json:
        rows = [
            {"name": form.name, "summary": form.summary, "kinds": form.kinds} for form in FORMATS.values()
        ]
        print(jsonlib.dumps({"formats": rows}, ensure_ascii=False))
        return

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("format", no_wrap=True)
    table.add_column("what it is")
    table.add_column("kinds of records")
    for form in FORMATS.values():
        table.add_row(form.name, form.summary, ", ".join(form.kinds))
    PrintableConsole().print(table)
    print("Text formats may be gzipped. To see data of our own: dialeval demo --copy FOLDER")


def validate(
    file: Annotated[str, Argument(help="The file, or - for standard input.")],
    kind: Annotated[
        Kind | None, Option("--kind", help="What its records are.", show_default="by their fields")
    ] = None,
    format: From = None,
    columns: ColumnsOption = None,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Read a whole file, strictly, and say what is in it.

    Exits with 1 at the first line that cannot be used, unless bad lines are to be skipped.

    Example: dialeval data validate responses.jsonl

    Example: dialeval data validate chats.jsonl --from openai --skip-bad
    """
    side = _side_file(file) if skip_bad else None
    content = survey(file, kind=kind, format=format, columns=columns, on_bad=side or refuse)
    _report_bad(side)
    if json:
        print(jsonlib.dumps(_survey_json(content, side), ensure_ascii=False))
    else:
        print("\n".join(_survey_lines(content)))


def convert(
    source: Annotated[str, Argument(metavar="FROM", help="The file (or folder) to read, or -.")],
    target: Annotated[str, Argument(metavar="TO", help="The file to write; its ending names the format.")],
    format: From = None,
    columns: ColumnsOption = None,
    kind: Annotated[
        Kind | None,
        Option("--as", help="The kind of records to make.", show_default="what the file holds"),
    ] = None,
    ref: Annotated[
        list[str] | None, Option("--ref", help="A text file of references, a line each. Repeatable.")
    ] = None,
    system: Annotated[
        str | None, Option("--system", help="The system's name.", show_default="as found")
    ] = None,
    skip_bad: SkipBadInto = False,
    limit: Limit = None,
    sample: Sample = None,
    seed: Seed = 0,
) -> None:
    """Turn a file of any format we read into one of ours: .jsonl, .csv, .tsv or .parquet.

    Example: dialeval data convert chats.json dialogues.jsonl --from sharegpt

    Example: dialeval data convert output.txt examples.jsonl --ref ref1.txt --ref ref2.txt --system mine

    Example: dialeval data convert questions.jsonl some.jsonl --sample 56 --seed 1
    """
    check_sample(limit, sample)
    beside = source if target == "-" else target
    _keep_inputs([source, *(ref or [])], target, _side_path(beside) if skip_bad else None)
    side = _side_file(beside) if skip_bad else None
    records = _records(source, format, columns, kind, ref or [], side or refuse)
    named = _named(records, system) if system else records
    replaced = target != "-" and Path(target).is_file()
    kept: Iterable[Record] = islice(named, limit)
    if sample is not None:
        kept, _ = drawn(named, lambda record: record.item, limit=None, sample=sample, seed=seed)
    count = write(target, kept, private=_is_private(source))
    _report_bad(side)
    where = "standard output" if target == "-" else target
    ending = ", in place of the file that was there" if replaced else ""
    print(f"{counted(count, 'record')} written to {where}{ending}", file=sys.stderr)


def _is_private(source: str) -> bool:
    """Whether the source is a file that only its owner can read, as exported ratings are."""
    path = Path(source)
    return source != "-" and path.is_file() and not path.stat().st_mode & 0o077


def _keep_inputs(sources: list[str], target: str, side: Path | None) -> None:
    """Refuse to write over what is about to be read."""
    for written in (Path(target), side):
        for source in sources:
            if (
                written
                and written.exists()
                and file_of(source).exists()
                and written.samefile(file_of(source))
            ):
                todo = "Write to another file."
                raise BadInput(str(written), "the file that is to be read", "another one to write", todo)


def _records(
    source: str,
    format: str | None,
    columns: str | None,
    kind: Kind | None,
    references: list[str],
    on_bad: OnBad,
) -> Iterator[Record]:
    if references and (format not in (None, "text") or kind not in (None, "example")):
        raise Unsuitable(
            "--ref goes with a text file of responses: leave out --from and --as, or name text and example."
        )
    if references:
        return read_texts(source, references, on_bad=on_bad)
    if kind == "prompt":
        return read_prompts(source, format=format, columns=columns, on_bad=on_bad)
    return read_guessing(source, kind=kind, format=format, columns=columns, on_bad=on_bad).records


def _named(records: Iterable[Record], system: str) -> Iterator[Record]:
    for record in records:
        yield record if isinstance(record, Prompt | Question) else replace(record, system=system)


def _side_path(beside: str) -> Path:
    beside = str(split_format(beside).source)
    return Path(("stdin" if beside == "-" else beside.rstrip("/")) + SIDE_ENDING)


def _side_file(beside: str) -> SideFile:
    return SideFile(_side_path(beside))


def _report_bad(side: SideFile | None) -> None:
    if side and (message := side.message()):
        print(message, file=sys.stderr)


def _survey_json(content: Survey, side: SideFile | None) -> dict[str, object]:
    return {
        "kind": content.kind,
        "records": content.records,
        "systems": content.systems,
        "raters": content.raters,
        "turns": asdict(content.turns),
        "said": content.said,
        "words": content.words,
        "answers": asdict(content.answers),
        "without_references": content.without_references,
        "empty_responses": content.empty_responses,
        "missing_responses": dict(content.missing_responses),
        "unknown": {
            name: {"records": n, "meant": content.meant.get(name)} for name, n in content.unknown.items()
        },
        "bad": side.count if side else 0,
        "bad_file": str(side.path) if side and side.count else None,
    }


def _survey_lines(content: Survey) -> Iterator[str]:
    yield f"{content.records:,} {content.kind} records"
    for heading, counts in (("systems", content.systems), ("raters", content.raters)):
        if counts:
            shown = ", ".join(f"{name} ({count:,})" for name, count in list(counts.items())[:8])
            yield f"  {heading}: {len(counts):,}: {shown}{', ...' if len(counts) > 8 else ''}"
    if content.kind == "judgement":
        yield f"  with a value: {content.answers.total:,}"
    else:
        turns = content.turns
        yield f"  turns per record: {turns.mean:.1f} on average, {turns.least:,} to {turns.most:,}"
        if turns.total:
            mean, with_responses = content.words / content.said, content.said > turns.total
            turned = f"{counted(content.said, 'turn')}{', responses counted' if with_responses else ''}"
            yield f"  in all: {turned}; {counted(content.words, 'word')}, {mean:.1f} per turn"
    noun = {"question": "candidates", "nbest": "responses", "example": "references", "prompt": "references"}
    if content.kind in noun:
        answers = content.answers
        yield f"  {noun[content.kind]} per record: {answers.mean:.1f} on average, {answers.least:,} to {answers.most:,}"
    if content.without_references:
        yield f"  without references: {content.without_references:,}"
    if content.empty_responses:
        yield f"  empty responses: {content.empty_responses:,}"
    for reason, count in content.missing_responses.items():
        yield f"  {reason}: {count:,}"
    for name, count in content.unknown.items():
        hint = f"; did you mean {content.meant[name]!r}?" if name in content.meant else ""
        yield f"  unknown field {name!r} in {count:,} records{hint}"
