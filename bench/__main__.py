"""Run the benches: ``python -m bench`` for all, ``python -m bench bootstrap`` for those named."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from bench.result import HEADING, line

# By name, so that one bench neither needs another's libraries nor pays for importing them.
BENCHES: Final = (
    "agreement",
    "bertscore",
    "bootstrap",
    "chrf",
    "cider",
    "embedding",
    "generation",
    "imports",
    "likelihood",
    "meteor",
    "overlap",
    "perm_both",
    "retrieval",
    "runner",
    "selection_build",
    "selection_trials",
    "self_bleu",
    "spearman_bootstrap",
)


def main(names: Sequence[str]) -> int:
    unknown = sorted(set(names) - set(BENCHES))
    if unknown:
        print(
            f"There is no bench called {', '.join(unknown)}; choose from {', '.join(BENCHES)}.",
            file=sys.stderr,
        )
        return 2
    print(HEADING)
    for name in names or BENCHES:
        for result in import_module(f"bench.{name}").run():
            print(line(result), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
