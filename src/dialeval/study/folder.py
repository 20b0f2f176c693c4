"""The run folder: the only writer and reader of its files (docs/files.md)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from shutil import rmtree
from types import GenericAlias
from typing import Any, Final
from urllib.parse import quote

from dialeval.catalogue.tasks import TASKS
from dialeval.core import Missing, Result
from dialeval.data import Example, read, write
from dialeval.data.results import EXAMPLES, FILE as RESULTS, ItemValues, read_results, write_results
from dialeval.data.table import of_items
from dialeval.errors import BadInput
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import Origin, damaged, read_document, require_file, write_document
from dialeval.files.folders import alone_in, check_links, check_target
from dialeval.meta.document import Points
from dialeval.meta.points import points_of, read_points, write_points
from dialeval.study.content import content_of, page_sections
from dialeval.study.document import Content, Manifest, Summary
from dialeval.study.file import Study
from dialeval.study.judged import evidence_of, read_evidence, verdicts_of, write_verdicts
from dialeval.study.judged_pairs import write_preferences
from dialeval.study.provenance import Circumstances, manifest_of
from dialeval.study.report.page import Link, page_of
from dialeval.study.run import Run
from dialeval.study.scores import SystemResult
from dialeval.study.shards import FILE as SHARD_FILE
from dialeval.study.summary import summarise

RUN: Final = Origin(
    "a run folder as written by 'dialeval run'",
    "Run the study again; what was computed is kept, so it is quick.",
)
FILES: Final = ("summary.json", "manifest.json", RESULTS, EXAMPLES, "study.yaml")
"""Files of a complete folder, but for its page and what only some runs have."""
PAGES: Final = {"meta.html": "Agreement with people"}
"""Pages of other evaluations, which the report links if they are in a folder of the run."""


_BEGUN: Final = ".run.part"
"""A folder with this file is ours, though a run that writes its first files there was interrupted."""
ANSWERS: Final = ".answers"
"""Folder in a run folder with the answers of a run that has not finished, if later runs must not use them."""

STDIN: Final = "stdin.jsonl"
"""Input that a run read from standard input, in its folder."""


def check_run_folder(folder: Path, study: Study) -> None:
    """Refuse a folder that a run of the study would spoil: one with other files, or with the study itself."""
    copy = folder / "study.yaml"
    if copy.exists() and study.path.exists() and copy.samefile(study.path):
        raise BadInput(
            str(copy),
            "the study that is to be run",
            "a folder without it, since a run writes its own study.yaml",
            "Give another -o.",
        )
    _check(folder)


def keep_input(folder: Path, data: bytes) -> Path:
    """Keep what a run reads from standard input in its folder, whose study names the file, and return its path."""
    _check(folder)
    path = folder.absolute() / STDIN
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)
    return path


def _check(folder: Path) -> None:
    check_target(folder, "manifest.json", "summary.json", _BEGUN, kind="run", parts=(ANSWERS, STDIN))


def forget_answers(folder: Path) -> None:
    """Remove the answers that a run cached for itself alone; a link in their place is removed, not followed."""
    own = folder / ANSWERS
    if own.is_symlink():
        own.unlink()
    elif own.exists():
        rmtree(own)


def write_run(run: Run, folder: str | Path, circumstances: Circumstances | None = None) -> Content:
    """Write everything but the page, and return what the page shows.

    Each file appears whole. The manifest goes first and comes last, so a folder that has a manifest is complete. Where
    two runs end at once in one folder, one waits until the other has written.
    """
    with alone_in(Path(folder), wait=True):
        return _write_run(run, Path(folder), circumstances or Circumstances.now())


def _write_run(run: Run, folder: Path, circumstances: Circumstances) -> Content:
    for stale in (folder / "manifest.json", folder / "report.html", *folder.glob(".*.part")):
        stale.unlink(missing_ok=True)
    (folder / _BEGUN).touch()
    write_atomically(folder / "study.yaml", run.study.text.encode())
    write(folder / EXAMPLES, _answered(respondent.examples for respondent in run.respondents))
    _write_further(run, folder)
    for name, traits in TASKS.traits.items():
        if subjects := [(scored.measure.label, scored.subjects) for scored in _asked(run, name)]:
            TASKS[name].write(folder, subjects)
        else:
            for file in traits.files:
                (folder / file).unlink(missing_ok=True)
    blocks = _blocks(run)
    write_results(folder / RESULTS, blocks)
    points = _write_points(run, folder / "points.parquet")
    summary = summarise(run)
    write_document(folder / "summary.json", summary)
    manifest = manifest_of(run, circumstances)
    write_document(folder / "manifest.json", manifest)
    (folder / _BEGUN).unlink(missing_ok=True)
    found = write_verdicts(run.scored, folder)
    write_preferences(run.pairs, folder)
    return content_of(run.study.text, summary, manifest, blocks, points, _answers_of(run), found)


def describe(run: Run, circumstances: Circumstances | None = None) -> Content:
    """Return what the page of a run shows, without writing anything."""
    manifest = manifest_of(run, circumstances or Circumstances.now())
    points = {} if run.agreement is None else points_of(run.agreement.joined)
    found = evidence_of(verdicts_of(run.scored))
    return content_of(run.study.text, summarise(run), manifest, _blocks(run), points, _answers_of(run), found)


def _answers_of(run: Run) -> Callable[[Collection[str]], Iterator[Example]]:
    """Return a function that gives the answers to some items, to prompts and to whatever else was asked."""
    more = (TASKS[name].examples_of(scored.subjects) for name in TASKS for scored in _asked(run, name))

    def answers(items: Collection[str]) -> Iterator[Example]:
        given = [respondent.examples for respondent in run.respondents]
        yield from _answered(of_items(examples, items) for examples in given)
        yield from chain(*(_answered(runs) for runs in _further(run)), *more)

    return answers


def write_page(content: Content, folder: str | Path) -> Path:
    """Write ``report.html`` into the folder and return its path; the same run gives the same bytes."""
    path = Path(folder) / "report.html"
    page = page_of(content, list(page_sections(content)), _pages_in(Path(folder)))
    with alone_in(Path(folder), wait=True):  # another run that begins here removes what lies about
        write_atomically(path, page.encode())
    return path


def _pages_in(folder: Path) -> list[Link]:
    """Pages of other evaluations in folders of this run, such as those of the demo."""
    return [
        Link(f"{quote(page.parent.name)}/{page.name}", title)
        for page in sorted(folder.glob("*/*.html"))
        if (title := PAGES.get(page.name) or _title(page))
    ]


def _title(page: Path) -> str | None:
    """The name of the study whose report it is; None of other pages."""
    return study_in(page.parent) if page.name == "report.html" else None


def render(folder: str | Path) -> Path:
    """Write the page of a finished run again, from its files."""
    check_links(Path(folder))
    return write_page(read_run(Path(folder)), folder)


def read_run(folder: Path) -> Content:
    """Return the content of a run's page; BadInput names the file and field that is missing or damaged."""
    for name in FILES:
        _required(folder, name)
    try:
        study = (folder / "study.yaml").read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise damaged(folder / "study.yaml", "bytes that are not UTF-8", RUN) from None
    manifest, summary = read_manifest(folder), read_summary(folder)
    blocks = read_results(folder / RESULTS)
    points = read_points(_required(folder, "points.parquet")) if summary.human else {}
    more = (TASKS[name].examples(folder) for name, sections in summary.sections.items() if sections)
    answers = chain(
        read_examples(folder), *(read_run_of(folder, run) for run in further_runs(summary)), *more
    )
    found = read_evidence(folder) if manifest.judges else {}
    return content_of(study, summary, manifest, blocks, points, lambda _: answers, found)


def _required(folder: Path, name: str) -> Path:
    """That file of the run folder; BadInput where there is none, as in the folder of a shard."""
    if not (folder / name).is_file() and (folder / SHARD_FILE).is_file():
        todo = "Join it with the other shards, 'dialeval merge SHARD... -o RUN', and give that folder."
        raise BadInput(str(folder), "the folder of a shard", RUN.expected, todo)
    return require_file(folder, name, RUN)


def read_summary(folder: Path) -> Summary:
    """The summary of the run in ``folder``."""
    from pydantic import create_model

    file = _required(folder, "summary.json")
    summary = read_document(Summary, file, RUN)
    keys: Mapping[str, Any] = {
        name: (GenericAlias(tuple, (capability.document, ...)), ()) for name, capability in TASKS.items()
    }
    sections = read_document(create_model("Sections", **keys), file, RUN)
    return dataclasses.replace(summary, sections={name: getattr(sections, name) for name in keys})


def study_in(folder: Path) -> str | None:
    """The name of the study whose run is in ``folder``; None where there is none that can be read."""
    try:
        return read_summary(folder).study
    except BadInput:
        return None


def read_manifest(folder: Path) -> Manifest:
    """The manifest of the run in ``folder``."""
    return read_document(Manifest, _required(folder, "manifest.json"), RUN)


def read_examples(folder: Path) -> Iterable[Example]:
    """Yield the systems' answers to the prompts."""
    path = folder / EXAMPLES
    # Empty where no system answered, which a reader would call a mistake.
    return read(path, "example") if path.stat().st_size else ()


def further_runs(summary: Summary) -> range:
    """The numbers of the runs beyond the first, of systems with several."""
    return range(2, max((system.runs for system in summary.systems), default=1) + 1)


def read_run_of(folder: Path, run: int) -> Iterable[Example]:
    """Return the answers of systems with several runs in this one of them."""
    return read(_required(folder, f"examples.{run}.jsonl"), "example")


def _answered(systems: Iterable[Iterable[Example | Missing]]) -> Iterator[Example]:
    """The answers of all systems that gave one."""
    return (example for examples in systems for example in examples if not isinstance(example, Missing))


def _write_further(run: Run, folder: Path) -> None:
    """Write the answers of further runs, a file for each; nothing if every system has one."""
    for stale in folder.glob("examples.*.jsonl"):
        stale.unlink()
    for number, runs in enumerate(_further(run), 2):
        write(folder / f"examples.{number}.jsonl", _answered(runs))


def _further(run: Run) -> Iterator[list[Sequence[Example | Missing]]]:
    """Answers of the second run of each system that has one, of the third, and so on."""
    for number in range(1, max((len(respondent.runs) for respondent in run.respondents), default=0)):
        yield [respondent.runs[number] for respondent in run.respondents if len(respondent.runs) > number]


def _asked(run: Run, capability: str) -> Sequence[SystemResult]:
    return [
        scored
        for scored in run.scored
        if scored.measure.capability and scored.measure.capability.name == capability
    ]


def _blocks(run: Run) -> list[ItemValues]:
    return [_block(scored, scored.result) for scored in run.scored if scored.result.per_item]


def _block(scored: SystemResult, result: Result) -> ItemValues:
    return ItemValues(
        measure=scored.measure.label,
        system=scored.system,
        rater=str(result.signature),
        criterion=result.signature.name,
        items=result.items,
        values=result.values,
        reasons=result.reasons,
        statistics=result.rows,
    )


def _write_points(run: Run, path: Path) -> Points:
    """Write what people and measures said of the same answers; no file where nobody was asked."""
    if run.agreement is None:
        path.unlink(missing_ok=True)
        return {}
    write_points(run.agreement.joined, path)
    return points_of(run.agreement.joined)
