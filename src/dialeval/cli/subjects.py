"""Subjects of ``dialeval score``: examples, or dialogues for the metrics that judge whole ones."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar, cast

from dialeval.cli.parsing.declaring import bad_usage

if TYPE_CHECKING:
    from dialeval.core import CorpusMeasure, Metric, Missing
    from dialeval.data import Dialogue, Example
    from dialeval.data.codec.bad import OnBad

    AnyMetric = Metric[Example] | CorpusMeasure[Example]

MANY: Final = 1_000_000
"""So many responses are told of where all are held in memory."""
S = TypeVar("S", bound="Example | Dialogue | Missing")


class Layout(NamedTuple):
    """How a file is read: its format, and its columns as the command line names them."""

    format: str | None = None
    columns: str | None = None


def read_examples(
    file: str | None, hyp: Path | None, refs: Sequence[Path] | None, layout: Layout, on_bad: OnBad
) -> Iterator[Example]:
    """The responses of a file, or of lines of text with their references."""
    from dialeval.data import read, read_texts

    if (file is None) == (hyp is None):
        raise bad_usage("give either FILE or --hyp with its --ref files", where="FILE")
    if hyp is not None:
        return read_texts(hyp, refs or [], on_bad=on_bad)
    return read(str(file), "example", format=layout.format, columns=layout.columns, on_bad=on_bad)


def read_beside(
    file: str | None, data: str, layout: Layout, *, allow_unmatched: bool, skip_bad: bool
) -> list[Example | Missing]:
    """The file's responses, beside the contexts and references that the data has for their ids."""
    from dialeval.data import read_prompts
    from dialeval.data.codec.column_names import Columns
    from dialeval.study.recorded import recorded_examples

    if file is None or file == "-" or skip_bad:
        raise bad_usage("it goes with a FILE, and without --hyp and --skip-bad", where="--data")
    prompts = list(read_prompts(data))
    return recorded_examples(
        Path(file),
        prompts,
        format=layout.format,
        columns=Columns.of(layout.columns),
        allow_unmatched=allow_unmatched,
    )


def judging_dialogues(
    metrics: Mapping[str, AnyMetric], file: str | None, layout: Layout
) -> dict[str, Metric[Dialogue]]:
    """The metrics that judge whole dialogues, where the file holds any; the others judge the last turn of each."""
    from dialeval.core import CorpusMeasure, JudgesDialogues

    able: dict[str, Metric[Dialogue]] = {
        name: cast("Metric[Dialogue]", metric)
        for name, metric in metrics.items()
        if isinstance(metric, JudgesDialogues) and not isinstance(metric, CorpusMeasure)
    }
    if not able or file is None:
        return {}
    from dialeval.data.reading import read_guessing

    return (
        able if read_guessing(file, format=layout.format, columns=layout.columns).kind == "dialogue" else {}
    )


def read_dialogues(file: str, layout: Layout, on_bad: OnBad) -> Iterator[Dialogue]:
    """The dialogues of a file; one that names no system is of a system called so, as its last turn would be."""
    from dialeval.data import read

    for dialogue in read(file, "dialogue", format=layout.format, columns=layout.columns, on_bad=on_bad):
        yield dialogue if dialogue.system else replace(dialogue, system="system")


@contextmanager
def kept_input(file: str | None, metrics: Mapping[str, AnyMetric]) -> Iterator[str | None]:
    """The file; standard input as a file for as long as this lasts, where metrics may read it more than once."""
    from dialeval.core import JudgesDialogues

    if file != "-" or not any(isinstance(metric, JudgesDialogues) for metric in metrics.values()):
        yield file
        return
    from shutil import copyfileobj
    from tempfile import NamedTemporaryFile

    with NamedTemporaryFile(prefix="stdin-", suffix=".jsonl") as copy:
        copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        yield copy.name


def first_items(subjects: Iterable[S], limit: int | None) -> Iterator[S]:
    """The first ``limit`` items, with every system's response to each wherever it stands in the file."""
    kept: set[str] = set()
    for subject in subjects:
        if limit is None or subject.item in kept or len(kept) < limit:
            if limit is not None:
                kept.add(subject.item)
            yield subject


def telling(subjects: Iterable[S], holding: Sequence[str]) -> Iterator[S]:
    """The subjects; where there are many, those who run out of memory have been told which measures hold them all."""
    for number, subject in enumerate(subjects, start=1):
        if number == MANY and holding:
            print(
                f"note: {', '.join(holding)}: all responses are held in memory, {MANY:,} so far; other metrics need no "
                "more than their ids and statistics ('dialeval docs scale')",
                file=sys.stderr,
            )
        yield subject


def side_file(file: str) -> Path:
    """Where lines that cannot be read are kept."""
    from dialeval.data.codec.sources import split_format

    bare = str(split_format(file).source)
    return Path(f"{'stdin' if bare == '-' else bare}.bad.jsonl")
