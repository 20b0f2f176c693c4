"""Human ratings of a study's responses, and agreement of its measures with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from glob import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dialeval.core import Resampling
from dialeval.data import Judgement
from dialeval.errors import Unsuitable
from dialeval.study.file import HumanRatings, Study
from dialeval.study.gates import HUMAN

if TYPE_CHECKING:
    from dialeval.engine import Watch
    from dialeval.evaluation.compare import Comparison
    from dialeval.evaluation.measure import Measure
    from dialeval.judge.document import BesidePeople
    from dialeval.judge.scale_use import ScaleUse
    from dialeval.meta import Findings
    from dialeval.ratings import Ratings
    from dialeval.ratings.joined import Joined
    from dialeval.ratings.scale import RatingScale
    from dialeval.study.scores import SystemResult


class People(NamedTuple):
    """Ratings by people, and the criterion that measures are compared with."""

    ratings: Ratings
    criterion: str


def read_people(human: HumanRatings, study: Study) -> People:
    """The ratings a study names, and their criterion: the given one, or the only one there is."""
    from dialeval.meta import only_criterion
    from dialeval.ratings import read_judgements

    ratings = _of_study(read_judgements([human.path], format=human.format, repeats=human.repeats), study)
    criterion = human.criterion
    if criterion is None:
        todo = f"Say which the study is about, as in human: {{path: {human.path.name}, criterion: NAME}}."
        criterion = only_criterion(ratings, todo=todo)
    chosen = ratings.criterion_named(criterion)
    if human.scale is not None:
        human.scale.check(chosen, str(human.path))
    return People(ratings, criterion)


def declared_scale(human: HumanRatings, criterion: str) -> RatingScale | None:
    """The scale that the study declares for its ratings, or the project that they were exported from."""
    from dialeval.annotation.scales import read_scales

    return human.scale or read_scales(human.path).get(criterion)


def agree(study: Study, people: People, scored: Sequence[SystemResult], watch: Watch) -> Findings:
    """Correlate the study's measures with people's ratings; estimate mean ratings if only some answers were rated."""
    from dialeval.meta import Inquiry, examine, join
    from dialeval.ratings import Ratings

    automatic = Ratings.of(_judgements(scored))
    if not len(automatic):
        raise Unsuitable(
            "no measure of this study has values of single items, which ratings could be joined to."
        )
    joined = join(Ratings.merge([people.ratings, automatic]), people.criterion)
    partial = any(measure.only_measure for measure in joined.coverage)
    gated = any(gate.measure == HUMAN for gate in study.gates)
    inquiry = Inquiry(
        resampling=study.resampling,
        estimate=partial or gated,
        lower_is_better=_lower_is_better(scored, automatic.raters),
    )
    return examine(joined, inquiry, watch)


def judge_beside_people(study: Study, measure: Measure, agreement: Findings | None) -> BesidePeople | None:
    """How a judge's scores differ from people's ratings; None if people rated nothing of it."""
    joined = None if agreement is None else agreement.joined
    grid = None if joined is None else next((m for m in joined.measures if m.name == measure.label), None)
    if agreement is None or joined is None or grid is None or study.human is None:
        return None
    from dialeval.meta.trust import standing

    scale = declared_scale(study.human, joined.criterion)
    return standing(
        agreement.document,
        joined,
        grid.name,
        study.resampling,
        limits=measure.metric.limits,
        scale=None if scale is None else (scale.lowest, scale.highest),
    )


def judges_use_of_scale(study: Study, measure: Measure, agreement: Findings | None) -> ScaleUse | None:
    """How often a judge gives each score beside people; None if they share no answers, or have different scales."""
    joined = None if agreement is None else agreement.joined
    grid = None if joined is None else next((m for m in joined.measures if m.name == measure.label), None)
    low, high = measure.metric.limits
    if joined is None or grid is None or study.human is None or not np.isfinite(high - low):
        return None
    scale = declared_scale(study.human, joined.criterion)
    given = dict(measure.metric.signature.parameters)
    if given.get("mode") == "yes_no" or (scale is not None and (scale.lowest, scale.highest) != (low, high)):
        return None
    from dialeval.judge.scale_use import scale_use

    people = joined.people
    return scale_use(
        np.asarray(grid.values).ravel(),
        people.value,
        people.system * len(joined.items) + people.item,
        joined.items * len(joined.systems),
        scale=np.arange(low, high + 1).tolist(),
        resampling=study.resampling,
    )


def compare_ratings(
    joined: Joined, resampling: Resampling, scale: RatingScale | None = None
) -> tuple[Comparison, ...]:
    """Differences of people's mean ratings between every two systems, with Holm's correction over all of them.

    Nothing if people rated one system only, or by categories that have no mean.
    """
    from dialeval.ratings import Ratings
    from dialeval.ratings.means import means_of

    given = joined.people
    names = [joined.items, joined.systems, given.raters, (joined.criterion,)]
    columns = [given.item, given.system, given.rater, np.zeros(len(given.value), dtype=np.int64)]
    ratings = Ratings.coded(names, columns, given.value)
    try:
        (found,) = means_of(
            ratings.where(np.ones(len(ratings), dtype=bool)),
            resampling=resampling,
            scales={} if scale is None else {joined.criterion: scale},
        )
    except Unsuitable:
        return ()
    return found.differences


def _of_study(ratings: Ratings, study: Study) -> Ratings:
    """The ratings; those that name no system are of the only one, where the study has one."""
    if ratings.systems == ("",) and len(study.systems) == 1:
        return replace(ratings, systems=(study.systems[0].name,))
    return ratings


def _lower_is_better(scored: Sequence[SystemResult], known: Collection[str]) -> tuple[str, ...]:
    """Labels of measures that say so of themselves, as patterns that fit nothing else."""
    labels = {score.measure.label: score.measure.metric.higher_is_better for score in scored}
    return tuple(escape(label) for label, higher in labels.items() if higher is False and label in known)


def _judgements(scored: Sequence[SystemResult]) -> Iterator[Judgement]:
    """Every item's value, under the label the study gave the measure."""
    for score in scored:
        if score.result.per_item:
            for judgement in score.result.judgements:
                yield Judgement(
                    judgement.item,
                    judgement.system,
                    score.measure.label,
                    judgement.criterion,
                    judgement.value,
                )
