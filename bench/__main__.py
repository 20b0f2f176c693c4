"""Run the benches: ``python -m bench`` for all, ``python -m bench bootstrap`` for those named.

``python -m bench calibration:scores`` runs one section of a bench that has several. ``python -m bench scorers`` is not
about speed: it prints how metrics agree with people, and has options of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from bench.result import HEADING, line

# By name, so that a bench imports only the libraries it uses.
BENCHES: Final = (
    "agreement",
    "annotation",
    "bertscore",
    "big_files",
    "bootstrap",
    "calibration",
    "chrf",
    "cider",
    "detector",
    "embedding",
    "follow_ups",
    "generation",
    "imports",
    "likelihood",
    "meteor",
    "nlg_generation",
    "nlg_slots",
    "overlap",
    "perm_both",
    "retrieval",
    "runner",
    "selection_build",
    "selection_trials",
    "selfeval",
    "self_bleu",
    "spearman_bootstrap",
    "which_judge",
)


def main(arguments: Sequence[str]) -> None:
    if arguments[:1] == ["scorers"]:
        import_module("bench.scorers.__main__").main(arguments[1:])
        return
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure speed and memory.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all by default: {', '.join(BENCHES)}")
    parser.add_argument(
        "--markdown", action="store_true", help="print the tables of the calibration bench as Markdown"
    )
    given = parser.parse_args(arguments)
    names, options = given.names, {"markdown": True} if given.markdown else {}
    unknown = sorted({name.partition(":")[0] for name in names} - set(BENCHES))
    if unknown:
        parser.error(f"unknown bench: {', '.join(unknown)} (choose from {', '.join(BENCHES)})")
    print(HEADING)
    for name in names or BENCHES:
        bench, _, section = name.partition(":")
        told = options if bench == "calibration" else {}
        for result in import_module(f"bench.{bench}").run(*([section] if section else []), **told):
            print(line(result), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
