"""Trials with random candidates as a run records them, and how their rankings correlate with people's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dialeval.errors import Unsuitable
from dialeval.files.documents import finite
from dialeval.ratings import read_judgements
from dialeval.selection.asking.trials import RandomTrials
from dialeval.selection.document import RankingTrials, Trials, TrialsRow
from dialeval.stats import five_numbers, over_scores
from dialeval.stats.correlation.coefficients import spearman


@dataclass(frozen=True, slots=True)
class HumanRanking:
    """Systems' mean ratings by people."""

    criterion: str
    means: Mapping[str, float]


def read_ranking(file: Path, criterion: str | None = None) -> HumanRanking:
    """Return each system's mean rating by people on a criterion, which may be left out if there is only one."""
    ratings = read_judgements([file])
    if criterion is None and len(ratings.criteria) != 1:
        found = ", ".join(map(repr, ratings.criteria))
        raise Unsuitable(f"{file}: found several criteria ({found}), expected one. Name it as 'criterion'.")
    name = criterion or ratings.criteria[0]
    kept = ratings.criterion_named(name)
    means = {
        system: float(np.nanmean(own))
        for index, system in enumerate(kept.systems)
        if not np.isnan(own := kept.value[kept.system == index]).all()
    }
    return HumanRanking(name, means)


def why_no_ranking(ranking: HumanRanking, systems: Sequence[str]) -> str | None:
    """Return why these systems' ranking cannot be correlated with people's; None if it can."""
    if sum(name in ranking.means for name in systems) >= 2:
        return None
    return (
        f"People judged {', '.join(ranking.means) or 'nobody'}, and two or more of {', '.join(systems)} are needed to "
        "correlate rankings. Use the same names in both."
    )


def trials_document(trials: RandomTrials, source: str, people: HumanRanking | None = None) -> Trials:
    """Return trials with random candidates from ``source``, correlated with people's ranking if there is one."""
    return Trials(
        trials=len(trials.random),
        pool=trials.pool,
        questions=trials.questions,
        left_out=trials.left_out,
        source=source,
        seed=trials.seed,
        systems=tuple(
            TrialsRow(
                system=name,
                chosen=float(trials.chosen[index]),
                mean=float(trials.random[:, index].mean()),
                five=five_numbers(trials.fresh[:, index]),
                widening=finite(float(trials.widening[index])),
            )
            for index, name in enumerate(trials.systems)
        ),
        accuracies=tuple(map(tuple, trials.random.tolist())),
        human=_with_people(trials, people) if people else None,
        human_reason=why_no_ranking(people, trials.systems) if people else None,
    )


def _with_people(trials: RandomTrials, ranking: HumanRanking) -> RankingTrials | None:
    """The correlations of the rankings of trials with people's; None if people ranked fewer than two systems."""
    if why_no_ranking(ranking, trials.systems):
        return None
    human = np.array([ranking.means.get(name, np.nan) for name in trials.systems])
    known = ~np.isnan(human)
    tested = spearman(human[known], trials.chosen[known])
    over = over_scores(human, trials.random)  # as drawn: stretching each system alone would part ties
    return RankingTrials(
        criterion=ranking.criterion,
        coefficient="spearman",
        systems=int(known.sum()),
        not_judged=tuple(name for name, judged in zip(trials.systems, known, strict=True) if not judged),
        chosen=finite(tested.value),
        mean=float(over.values.mean()) if over.values.size else None,
        five=over.five,
        undefined=over.undefined,
        values=tuple(over.values.tolist()),
        p=finite(tested.p),
    )
