"""Tables of Certainty and Variety."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dialeval.display.table import Cell, Column, Table
from dialeval.display.terminal import print_table
from dialeval.display.wording import count, interval, number
from dialeval.nbest.document import NBestDocument, NBestResult, StimuliSummary


def results_table(
    results: Sequence[NBestResult], title: str = "Certainty and Variety", notes: Sequence[str] = ()
) -> Table:
    """One row per system, kind and list size."""
    columns = (
        Column("system"),
        Column("stimuli"),
        Column("responses", numeric=True),
        Column("Certainty", numeric=True),
        Column("Variety", numeric=True),
        Column("lists", numeric=True),
        Column("left out", numeric=True),
    )
    rows = tuple(
        (
            Cell(result.system),
            Cell(result.kind),
            Cell(str(result.size)),
            Cell(number(result.certainty), interval(*(result.certainty_interval or (None, None)))),
            Cell(number(result.variety), interval(*(result.variety_interval or (None, None)))),
            Cell(f"{result.n:,}"),
            Cell(f"{result.excluded:,}"),
        )
        for result in results
    )
    return Table(title, columns, rows, (*_notes(results), *notes))


def _notes(results: Sequence[NBestResult]) -> Iterator[str]:
    yield (
        "Certainty: lists with at least one response that does not contradict. Variety: mean share of such "
        "responses, over lists that have one. A list with an ambiguous response is left out."
    )
    for result in results:
        if result.shorter:
            lists = count(result.shorter, "list")
            yield f"{result.system}, {result.kind}: {lists} with fewer than {result.size} responses"
        total = result.n + result.excluded
        if 2 * result.excluded > total:
            share = f"{result.excluded:,} of {count(total, 'list')}"
            yield f"{result.system}, {result.kind}: {share} left out, so the rest may not stand for them"


def print_measured(document: NBestDocument) -> None:
    """Print the results."""
    from dialeval.display.consoles import PrintableConsole

    print_table(results_table(document.results, notes=document.notes), PrintableConsole())


def summary_lines(summary: StimuliSummary) -> Iterator[str]:
    """What became of the pairs, for people."""
    kinds = ", ".join(f"{number_of:,} {kind}" for kind, number_of in summary.stimuli.items())
    yield f"{count(summary.pairs, 'pair')} -> {kinds or 'no stimuli'} (tags by {summary.tagger})"
    if summary.training:
        yield f"{count(summary.training, 'question')} for unlikelihood training"
    for rule, number_of in sorted(summary.excluded.items(), key=lambda each: -each[1]):
        yield f"  left out, {rule}: {number_of:,}"
    if summary.numbered:
        yield f"  labels that are numbers, read as 0 entailment, 1 neutral, 2 contradiction: {summary.numbered:,}"
    if summary.bad_lines:
        yield f"  bad lines: {summary.bad_lines:,}"
