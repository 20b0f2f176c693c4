"""``dialeval annotate preferences``: choices between two answers by people and by judges, and what moves them."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from dialeval.cli.annotate.reading import OnlyCriteria
from dialeval.cli.options import Json
from dialeval.core import Resampling
from dialeval.display.consoles import PrintableConsole
from dialeval.display.table import Table
from dialeval.display.terminal import print_table
from dialeval.errors import UnknownName
from dialeval.files.documents import as_json
from dialeval.options import Argument, Option, Options
from dialeval.ratings.pairwise import PEOPLE, pairwise_results
from dialeval.ratings.pairwise_tables import pairwise_tables, strengths_table
from dialeval.ratings.preferences import Preference, read_preferences, strengths
from dialeval.ratings.recorded_pairs import Collection, read_recorded


def preferences(
    files: Annotated[
        list[str],
        Argument(
            metavar="FILE", help="Preferences: columns a, b, choice, and item, rater, first and criterion."
        ),
    ],
    format: Annotated[
        Collection | None,
        Option(
            "--from",
            help="Recorded verdicts of a published collection; files of its answers give the lengths.",
            show_default="preferences",
        ),
    ] = None,
    criterion: OnlyCriteria = None,
    people: Annotated[
        list[str] | None,
        Option(
            "--people",
            metavar="RATER",
            help="A rater who is a person. Repeatable.",
            show_default="raters whose verdicts do not say which answer was shown first",
        ),
    ] = None,
    own: Annotated[
        list[str] | None,
        Option("--own", metavar="SYSTEM", help="A system of the judges' own family. Repeatable."),
    ] = None,
    raters: Annotated[
        Literal["fixed", "sampled"],
        Option("--raters", help="Intervals of strengths for these raters, or also for others like them."),
    ] = "fixed",
    resampling: Annotated[Resampling, Options("cluster")] = Resampling(),
    json: Json = False,
) -> None:
    """Print how strong systems are in preferences between two answers, and what moves the verdicts of judges.

    Each line names the systems a and b and the choice: a, b or tie; of judges also which was shown first. A verdict
    that does not survive the swap counts as a tie.

    Example: dialeval annotate preferences preferences.csv

    Example: dialeval annotate preferences vanilla.jsonl.gz pairs.jsonl --from llmbar --criterion LLMBar/Natural
    """
    given = _chosen(_read(files, format), criterion)
    known = dict.fromkeys(one.rater for one in given)
    for name in people or ():
        if name not in known:
            raise UnknownName("rater", name, known)
    systems = dict.fromkeys(name for one in given for name in (one.a, one.b))
    for name in own or ():
        if name not in systems:
            raise UnknownName("system", name, systems)
    found = pairwise_results(given, people=people or None, own=own or (), resampling=resampling)
    judges = {one.rater for one in found.raters} - {PEOPLE}
    voices = [one for one in given if one.rater not in judges] or list(given)
    pooled = strengths(voices, resampling=resampling, raters=raters)
    if json:
        content = {
            **as_json(pooled),
            "by_rater": as_json(found.raters),
            "agreements": as_json(found.agreements),
        }
        print(jsonlib.dumps(content, ensure_ascii=False, allow_nan=False))
        return
    tables = [strengths_table(pooled)] if not judges else []
    print_tables([*tables, *pairwise_tables(found, people_alone=not judges)])


def _read(files: Sequence[str], collection: Collection | None) -> Sequence[Preference]:
    if collection is not None:
        return read_recorded(files, collection)
    return [one for file in files for one in read_preferences(file)]


def _chosen(given: Sequence[Preference], criteria: Sequence[str] | None) -> Sequence[Preference]:
    if not criteria:
        return given
    known = dict.fromkeys(one.criterion for one in given)
    for name in criteria:
        if name not in known:
            raise UnknownName("criterion", name, known)
    return [one for one in given if one.criterion in criteria]


def print_tables(tables: Iterable[Table]) -> None:
    """Print tables, one below the other."""
    console = PrintableConsole()
    for index, table in enumerate(tables):
        if index:
            console.print()
        print_table(table, console)
