"""``dialeval nbest sweep``: Certainty and Variety by beam size, each size with a search of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dialeval.cli.execution import Execution, Sampling
from dialeval.cli.nbest.answers import ModelOption, ReaderOption
from dialeval.cli.nbest.measure import ByOption, DetectorOption, judge_options
from dialeval.cli.run import as_file, evaluate_study
from dialeval.core import Resampling
from dialeval.display.terminal import print_table
from dialeval.nbest.measure import whole_numbers
from dialeval.nbest.measuring.lists import Profile
from dialeval.options import Argument, Option, Options

if TYPE_CHECKING:
    from dialeval.study import Run
    from dialeval.study.document import Summary

USUAL = 10
"""The beam size of the leaderboard, as in Table 5.2 of the thesis, if it is among the sizes."""


def sweep(
    file: Annotated[str, Argument(metavar="STIMULI", help="What 'nbest stimuli' wrote; - for stdin.")],
    system: Annotated[
        list[str],
        Option("--system", metavar="NAME", help="A system with beam search. Repeatable."),
    ],
    beams: Annotated[
        str, Option("--beams", metavar="B,B,...", help="Beam sizes, each a point of the curves.")
    ] = "1,2,5,10,20",
    profile: Annotated[
        Profile,
        Option(
            "--profile",
            help="'thesis' ranks finished beams without a length penalty, 'usual' by log-probability per token.",
        ),
    ] = "thesis",
    reader: ReaderOption = "yesno",
    model: ModelOption = None,
    by: ByOption = "answer",
    detector: DetectorOption = None,
    out: Annotated[
        Path | None, Option("--out", "-o", help="A run folder, with every list in sweep.jsonl.")
    ] = None,
    resampling: Sampling = Resampling(),
    execution: Annotated[
        Execution,
        Options(
            *("limit", "engine", "address", "resume", "ask_again", "cache"),
            *("allow_unanswered", "shard", "json"),
        ),
    ] = Execution(),
) -> None:
    """Search with each beam size by itself, and show Certainty and Variety of the lists as curves.

    As in Figure 5.2 of Sato (2024). The first responses of one list are no list of a smaller beam search; 'nbest
    measure --sizes' has those. The leaderboard is at 10 beams, or else at the largest size. Interrupted? The same
    command resumes.

    Example: dialeval nbest sweep stimuli.jsonl --system smollm2-135m-instruct --beams 2,5,10 -o swept
    """
    sizes = whole_numbers(beams, "beam sizes")
    with as_file(file, execution.part, out) as path:
        options = {
            "stimuli": str(path),
            "n": USUAL if USUAL in sizes else sizes[-1],
            "beams": ",".join(map(str, sizes)),
            "profile": profile,
            **judge_options(reader, model, by, detector),
        }
        content = {
            "data": str(path),
            "systems": list(system),
            "measures": [{"name": name, **options} for name in ("nbest", "nbest_variety")],
        }
        show = None if execution.json else _print_curves
        evaluate_study("nbest", content, resampling, execution, out=out, also=show)


def _print_curves(_run: Run, summary: Summary) -> Mapping[str, Any]:
    """Print the points of the curves, which a page draws."""
    from dialeval.display.consoles import PrintableConsole
    from dialeval.study.document import ranked
    from dialeval.study.report.breakdowns import part_tables

    console = PrintableConsole()
    for table in part_tables(summary.breakdowns, ranked(summary), curves=True):
        console.print()
        print_table(table, console)
    return {}
