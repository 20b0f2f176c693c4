"""``dialeval select ask --random-trials``: the same questions with random false candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

if TYPE_CHECKING:
    from dialeval.core import System
    from dialeval.engine import Cache
    from dialeval.selection.asking.asking import Asked
    from dialeval.selection.asking.choosers import Chooser
    from dialeval.selection.asking.findings import HumanRanking
    from dialeval.selection.asking.trials import Utterances
    from dialeval.selection.document import Trials
    from dialeval.study import Workshop


@dataclass(frozen=True, slots=True)
class TrialsPlan:
    """Trials that were asked for, with all they need read and found usable before any system is asked."""

    utterances: Utterances
    source: str
    trials: int
    pool: int | None
    seed: int
    people: HumanRanking | None


class Tried(NamedTuple):
    """What came of trials; where they failed, why."""

    trials: Trials | None
    reason: str | None


def refuse_idle_options(*, random_trials: int, **given: object) -> None:
    """Usage errors for options that would do nothing: those of trials without trials, a criterion without ratings."""
    for name, value in given.items():
        if value is not None and not random_trials:
            option = f"--{name.replace('_', '-')}"
            raise typer.BadParameter("does nothing without --random-trials", param_hint=option)
    if given.get("human_criterion") is not None and given.get("human") is None:
        raise typer.BadParameter("does nothing without --human", param_hint="--human-criterion")


def read_ranking(file: Path, criterion: str | None, systems: Sequence[str]) -> HumanRanking:
    """Each system's mean rating by people, who must have judged two of the systems."""
    import numpy as np

    from dialeval.errors import Unsuitable
    from dialeval.ratings import only_criterion, read_judgements
    from dialeval.selection.asking.findings import HumanRanking, why_no_ranking

    ratings = read_judgements([file])
    name = criterion or only_criterion(ratings, todo="Name it with --human-criterion.")
    kept = ratings.criterion_named(name)
    means = {
        system: float(np.nanmean(own))
        for index, system in enumerate(kept.systems)
        if not np.isnan(own := kept.value[kept.system == index]).all()
    }
    ranking = HumanRanking(name, means)
    reason = why_no_ranking(ranking, systems)
    if reason:
        raise Unsuitable(f"{file}: {reason}")
    return ranking


def try_random(
    plan: TrialsPlan,
    asked: Asked,
    systems: Sequence[System | Chooser],
    shop: Workshop,
    caches: Mapping[str, Cache],
) -> Tried:
    """The trials over the systems that could be asked; their failure must not lose what those chose."""
    from dialeval.errors import DialevalError
    from dialeval.selection.asking.findings import trials_document
    from dialeval.selection.asking.trials import run_trials

    able = {answer.system for answer in asked.answered}
    if not able:
        return Tried(None, "no system could be asked")
    try:
        found = run_trials(
            [system for system in systems if system.name in able],
            asked.questions,
            plan.utterances,
            trials=plan.trials,
            pool=plan.pool,
            seed=plan.seed,
            normalise=asked.normalise,
            cache=shop.cache,
            caches=caches,
            watch=shop.watch,
        )
    except DialevalError as error:
        return Tried(None, str(error))
    return Tried(trials_document(found, plan.source, plan.people), None)
