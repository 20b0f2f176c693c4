"""Which judge, how many ratings? Recorded judges beside people: the table of docs/judge-escalation.md.

``python -m bench which_judge`` needs the recorded sets in DIALEVAL_DATA.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bench.real_text import DATA
from bench.result import BenchResult
from dialeval import Ratings, join
from dialeval.core import Resampling
from dialeval.data import Judgement, read
from dialeval.judge.document import BesidePeople
from dialeval.judge.trust import Trust
from dialeval.meta import Inquiry, examine
from dialeval.meta.document import Row


class RecordedSet(NamedTuple):
    """Verdicts and people's ratings of the same answers."""

    name: str
    people: tuple[str, str]
    """File and format."""
    verdicts: tuple[str, str]
    criterion: str
    judges: tuple[str, ...]


SETS = (
    RecordedSet(
        "FED dialogues, overall",
        ("fed/fed_data.json", "fed"),
        ("batcheval/fed_dialogue.scores.jsonl.gz", "batcheval"),
        "Overall",
        (
            "batcheval(judge='gpt-4',quality='Overall',run=1)",
            "batcheval(judge='gpt-4',quality='Overall',run='mean')",
        ),
    ),
    RecordedSet(
        "FED dialogues, coherent",
        ("fed/fed_data.json", "fed"),
        ("batcheval/fed_dialogue.scores.jsonl.gz", "batcheval"),
        "Coherent",
        (
            "batcheval(judge='gpt-4',quality='Coherent',run='mean')",
            "batcheval(judge='gpt-4-1106-preview',quality='Coherent',run='mean')",
        ),
    ),
    RecordedSet(
        "USR Topical-Chat, overall",
        ("usr-topicalchat/topical_chat_result.json", "usr"),
        ("batcheval/usr_topicalchat.scores.jsonl.gz", "batcheval"),
        "Overall",
        (
            "batcheval(judge='gpt-4',quality='overall',run=1)",
            "batcheval(judge='gpt-4',quality='overall',run='mean')",
        ),
    ),
    RecordedSet(
        "LLM-Rubric, real users",
        ("llm-rubric/real.human.tsv", "llm-rubric"),
        ("llm-rubric/real.judge.tsv.gz", "llm-rubric"),
        "Q0",
        ("llm_rubric(question='Q0',value='expected')", "llm_rubric(question='Q0',value='most probable')"),
    ),
    RecordedSet(
        "LLM-Rubric, synthetic",
        ("llm-rubric/synth.human.tsv", "llm-rubric"),
        ("llm-rubric/synth.judge.tsv.gz", "llm-rubric"),
        "Q0",
        ("llm_rubric(question='Q0',value='expected')",),
    ),
)
COLUMNS = (
    *("judge", "answers", "ratings each", "within systems", "pooled", "halves of people"),
    *("100 ratings are worth", "trust"),
)


def run() -> Iterator[BenchResult]:
    """Print the table, and yield how long it took."""
    start = time.perf_counter()
    for row in (COLUMNS, ["---"] * len(COLUMNS), *rows()):
        print(f"| {' | '.join(row)} |", flush=True)
    yield BenchResult("which judge", time.perf_counter() - start, float("nan"), "table above")


def rows() -> Iterator[tuple[str, ...]]:
    """A row for each judge of each set."""
    for recorded in SETS:
        verdicts = _judgements(recorded.verdicts)
        people = [
            one
            for one in _judgements(recorded.people)
            if one.criterion.casefold() == recorded.criterion.casefold()
        ]
        for judge in recorded.judges:
            own = [one for one in verdicts if one.rater == judge]
            judged = {one.item for one in own}
            rated = [one for one in people if one.item in judged]
            yield _row(recorded, judge, [*rated, *own])


def _judgements(source: tuple[str, str]) -> list[Judgement]:
    path, form = source
    return [one for one in read(DATA / path, "judgement", format=form) if isinstance(one, Judgement)]


def _row(recorded: RecordedSet, judge: str, given: list[Judgement]) -> tuple[str, ...]:
    criterion = next(one.criterion for one in given if one.rater != judge)
    joined = join(Ratings.of(given, repeats="separate"), criterion, measures=[judge.replace("[", "[[]")])
    document = examine(joined, Inquiry(trust=True, resampling=Resampling(resamples=200))).document
    (found,) = document.trust
    within = next(row for row in document.rows if row.estimate == found.people.within)
    each = document.human.ratings / document.human.cells
    return (
        f"{recorded.name}: {_short(judge)}",
        str(within.estimate.n),
        f"{each:.1f}",
        _interval(found.people),
        "" if found.people.pooled is None else f"{found.people.pooled.number:.2f}",
        _ceiling(found.people),
        _worth(within),
        "" if found.people.trust is None else _trusted(found.people.trust),
    )


def _short(judge: str) -> str:
    options = dict(
        part.split("=") for part in judge.partition("(")[2].rstrip(")").replace("'", "").split(",")
    )
    if "judge" in options:
        return f"{options['judge']}, {'mean of 5' if options['run'] == 'mean' else 'one run'}"
    return f"gpt-3.5, {options['value']} score"


def _interval(people: BesidePeople) -> str:
    within = people.within
    if within is None or within.bounds is None:
        return ""
    return f"{within.number:.2f} [{within.bounds[0]:.2f}, {within.bounds[1]:.2f}]"


def _ceiling(people: BesidePeople) -> str:
    ceiling = people.ceiling
    return "" if ceiling is None or ceiling.value is None else f"{ceiling.value:.2f}"


def _trusted(trust: Trust) -> str:
    rank = f"rank: {trust.rank} ({trust.agreed} of {trust.told_apart} pairs that people tell apart)"
    needed = "" if trust.needed_to_find is None else f", about {trust.needed_to_find:,} would decide"
    return f"{rank}; find: {trust.find}{needed}"


def _worth(row: Row) -> str:
    """Ratings that 100 with the judge's verdicts are worth, if verdicts are many: 100 / (1 - r²), Pearson's r."""
    return "" if row.pearson is None or not np.isfinite(row.pearson) else f"{100 / (1 - row.pearson**2):.0f}"
