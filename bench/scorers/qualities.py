"""FED quality by quality, the layout of Table 4 of Ma et al. (2022): ``python -m bench.scorers.qualities -m selfeval``.

Spearman with people's mean rating of each of FED's 20 qualities, the mean within systems and over all; beside it the
human ceiling, the mean correlation of one rater with the mean of the others.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from scipy.stats import spearmanr

from bench.scorers.agreement import agreement
from bench.scorers.scores import scores_of
from bench.scorers.sets import DATA, Key, RatedSet, read_set
from dialeval.catalogue import build
from dialeval.data import read

SETS: Final = ("fed-turn", "fed-dialogue")


def ratings() -> Mapping[str, Mapping[Key, Mapping[str, float]]]:
    """By quality, then item and system, then rater; answers that are not numbers left out."""
    table: dict[str, dict[Key, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for each in read(DATA / "fed" / "fed_data.json", "judgement", format="fed"):
        if each.value is not None:
            table[each.criterion][each.item, each.system][each.rater] = each.value
    return table


def ceiling(given: Sequence[Mapping[str, float]]) -> float:
    """The mean over raters of the correlation of their ratings with the mean of the others' of the same items."""
    values = []
    for rater in sorted({name for some in given for name in some}):
        pairs = [
            (some[rater], float(np.mean([value for name, value in some.items() if name != rater])))
            for some in given
            if rater in some and len(some) > 1
        ]
        if len(pairs) > 20 and len({first for first, _ in pairs}) > 1:
            values.append(float(spearmanr([a for a, _ in pairs], [b for _, b in pairs]).statistic))
    return float(np.mean(values)) if values else float("nan")


def rows(name: str, metrics: Sequence[str]) -> list[list[str]]:
    """One row per quality of the set."""
    rated = read_set(name)
    scores = {metric: scores_of(build(metric), rated) for metric in metrics}
    table = []
    for quality, known in ratings().items():
        chosen = [place for place, key in enumerate(rated.keys) if known.get(key)]
        if not chosen:
            continue
        part = _part(rated, chosen, known)
        cells = [quality, str(len(chosen)), f"{ceiling([known[key] for key in part.keys]):.3f}"]
        for metric in metrics:
            found = agreement(part, scores[metric][chosen], resamples=1)
            cells.append(f"{found.within_spearman.value:.3f} / {found.pooled_spearman.value:.3f}")
        table.append(cells)
    return table


def _part(rated: RatedSet, chosen: Sequence[int], known: Mapping[Key, Mapping[str, float]]) -> RatedSet:
    means = [float(np.mean(list(known[rated.keys[place]].values()))) for place in chosen]
    return RatedSet(
        rated.name,
        rated.role,
        tuple(rated.subjects[place] for place in chosen),
        np.array(means),
        tuple(rated.clusters[place] for place in chosen),
    )


def main(arguments: Sequence[str]) -> None:
    """Print a table for turns and one for dialogues."""
    parser = argparse.ArgumentParser(prog="python -m bench.scorers.qualities", description=__doc__)
    parser.add_argument("-m", "--metric", action="append", required=True)
    given = parser.parse_args(arguments)
    for name in SETS:
        print(f"\n{name}: within systems / pooled\n")
        print(f"| quality | n | ceiling | {' | '.join(given.metric)} |")
        print("|---" * (3 + len(given.metric)) + "|")
        for row in rows(name, given.metric):
            print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main(sys.argv[1:])
