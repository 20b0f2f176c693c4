"""All analyses of ``dialeval meta``, as one document."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Final, NamedTuple

import numpy as np

from dialeval.catalogue.metrics import CORPUS_MEASURES, METRICS
from dialeval.core import DEFAULT_RESAMPLING, Floats, Resampling
from dialeval.display.notes import Note
from dialeval.engine import Watch, unwatched
from dialeval.errors import UnknownName, Unsuitable
from dialeval.files.custom_code import is_place
from dialeval.files.documents import finite
from dialeval.judge.metric import scale_of_judge
from dialeval.meta.ceiling import leave_one_out, split_half
from dialeval.meta.combinations import linear_combination, zscore_average
from dialeval.meta.correlation import correlate, correlation_matrix, with_accuracies, with_adjusted_p
from dialeval.meta.document import (
    LEVELS,
    Ceiling,
    Coefficient,
    Combined,
    Document,
    Estimates,
    Human,
    Level,
    Mean,
    NotJoined,
    Planned,
    Resample,
    Rivalry,
    Row,
    Settings,
    Source,
    Standing,
    TrueMeans,
    first_defined,
)
from dialeval.meta.estimates import estimate_systems
from dialeval.meta.instability import stabilities
from dialeval.meta.instances import InstanceRule
from dialeval.meta.planning.plans import plans
from dialeval.meta.report.verdict import headline
from dialeval.meta.rivals import compare_measures, with_rank_groups
from dialeval.meta.roles import fits
from dialeval.meta.trust import standing
from dialeval.options import Option
from dialeval.ratings.joined import Grid, Joined, MeasureGrid
from dialeval.stats.correlation.levels import identity_correlation
from dialeval.text.calls import split_call
from dialeval.version import __version__


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Questions about measures and people; all that can move a number beside the judgements."""

    levels: tuple[Level, ...] = LEVELS
    coefficient: Annotated[Coefficient, Option()] = "spearman"
    """The one with interval, tests and rank groups."""
    resampling: Resampling = DEFAULT_RESAMPLING
    resample: Annotated[Resample, Option()] = "items"
    """What intervals are about: other items, other systems, or both."""
    repeats: int = 100
    """Of the splits of the raters, and of the small test sets."""
    estimate: Annotated[bool, Option()] = False
    """Estimate systems' mean ratings over all items from the rated ones."""
    estimate_by: Annotated[str | None, Option(metavar="MEASURE", show_default="all, fitted")] = None
    """Estimate by this measure alone.

    None takes all together, fitted to ratings of other items.
    """
    combine: Annotated[bool, Option()] = False
    """Add combinations of the measures."""
    lower_is_better: Annotated[
        tuple[str, ...], Option(metavar="GLOB", show_default="our own that say so")
    ] = ()
    """Measures for which lower is better. Repeatable."""
    instances: tuple[InstanceRule, ...] = ()
    """Measures that are tested on single answers."""
    trust: Annotated[bool, Option()] = False
    """Say what each measure may be trusted with; of judges it is always said."""
    plan: Annotated[bool, Option()] = False
    """Estimate how many items, raters and systems the next study requires."""


def lower_is_better(joined: Joined, patterns: Sequence[str] = ()) -> tuple[str, ...]:
    """Names of the measures for which lower is better: those that a pattern fits, and metrics of ours that say so."""
    names = [name for measure in joined.measures for name in (measure.name, measure.rater)]
    for pattern in patterns:
        if not any(fits(name, [pattern]) for name in names):
            shown = ", ".join(measure.name for measure in joined.measures)
            raise UnknownName("measure", pattern, names, todo=f"There are {shown}.")
    return tuple(
        measure.name
        for measure in joined.measures
        if fits(measure.name, patterns) or fits(measure.rater, patterns) or _falls(measure.rater)
    )


def turned(joined: Joined, names: Collection[str]) -> Joined:
    """Return the judgements with the named measures' values negated, so that with all of them higher is better."""
    measures = (_turned(measure) if measure.name in names else measure for measure in joined.measures)
    return dataclasses.replace(joined, measures=tuple(measures))


def turned_rows(rows: Sequence[Row], names: Collection[str]) -> tuple[Row, ...]:
    """Return the rows with the named measures' coefficients and bounds negated; twice gives back what was given."""
    return tuple(_turned_row(row) if row.measure in names else row for row in rows)


def _falls(rater: str) -> bool:
    try:
        name, _, rest = split_call(rater)
    except ValueError:
        return False
    if is_place(name):
        return "|better=lower|" in rest
    maker = METRICS.get(name) or CORPUS_MEASURES.get(name)
    return getattr(maker, "higher_is_better", None) is False


def _turned(measure: MeasureGrid) -> MeasureGrid:
    grid = Grid(measure.grid.systems, measure.grid.items, -measure.values)
    return MeasureGrid(measure.name, measure.rater, measure.criterion, grid)


def _turned_row(row: Row) -> Row:
    return dataclasses.replace(
        row,
        pearson=_negated(row.pearson),
        spearman=_negated(row.spearman),
        kendall=_negated(row.kendall),
        estimate=-row.estimate,
        true_means=None if row.true_means is None else _turned_means(row.true_means),
    )


def _turned_means(means: TrueMeans) -> TrueMeans:
    return dataclasses.replace(means, pearson=-means.pearson)


def _negated(value: float | None) -> float | None:
    return None if value is None else -value


MOST_UNJOINED: Final = 20
"""Number of answers of unknown items and systems that are listed; ``unjoined.jsonl`` has them all."""


def count_people(joined: Joined) -> Human:
    """Count people and the answers they rated, and how much knowing the system alone would say of their ratings."""
    rated = ~np.isnan(joined.human.values)
    values = joined.scored.human.values
    reason = _no_identity(values)
    identity = identity_correlation(values if reason is None else np.empty((0, 0)))
    return Human(
        criterion=joined.criterion,
        raters=len(joined.rater_names),
        ratings=joined.counts.ratings,
        could_not_say=joined.counts.could_not_say,
        repeated=joined.counts.repeated,
        cells=int(rated.sum()),
        items=int(rated.any(axis=0).sum()),
        systems=int(rated.any(axis=1).sum()),
        set_aside=joined.counts.set_aside,
        system_identity=finite(identity.observed),
        system_identity_reason=reason,
        system_identity_by_chance=finite(identity.by_chance),
        system_identity_corrected=finite(identity.corrected),
    )


def system_means(joined: Joined) -> Iterator[Mean]:
    """Means of each system that people and a measure both have, each over all answers of that side."""
    human = joined.human.values
    for measure in joined.measures:
        for system, *sides in zip(joined.systems, human, measure.values, strict=True):
            rated, scored = (side[~np.isnan(side)] for side in sides)
            if len(rated) and len(scored):
                means = float(rated.mean()), float(scored.mean())
                yield Mean(measure.name, system, *means, len(rated), len(scored))


def not_joined(joined: Joined) -> NotJoined:
    """Count answers of one side only, and list the first whose item or system the other does not know."""
    apart = joined.apart
    return NotJoined(
        human=int(apart.human.sum()),
        measures=joined.coverage,
        unknown=int(apart.strange.sum()),
        not_rated=int((apart.measures & ~apart.strange).sum()),
        not_scored=int((apart.human & ~apart.strange).sum()),
        first=tuple(islice(joined.strangers(), MOST_UNJOINED)),
    )


def _no_identity(ratings: Floats) -> str | None:
    """Why knowing the system of an answer says nothing; None if it does."""
    rated = ~np.isnan(ratings)
    if rated.any(axis=1).sum() < 2:
        return "fewer than two systems were rated"
    if rated.sum(axis=1).max(initial=0) < 2:
        return "no system has two rated answers: its mean is the answer's own"
    return None if np.ptp(ratings[rated]) else "all ratings are equal"


FOLDS: Final = 10
AVERAGE: Final = "zscore_average"
COVERS: Final = 0.95
"""A measure is fitted for estimates if it scores this share of the answers that the widest one does."""


class Combining(NamedTuple):
    """The measures with those made of them, and what these are made of."""

    joined: Joined
    combined: tuple[Combined, ...] = ()


def combine(joined: Joined, lower: Sequence[str], seed: int, notes: list[Note]) -> Combining:
    """The measures with their average and their fitted combination; ``notes`` take what there is none of, and why.

    Fits that rank systems must not have seen how their other answers were rated; one system has no rank.
    """
    if len(joined.measures) < 2:
        notes.append(Note("one_measure", "only one measure: there is nothing to combine"))
        return Combining(joined)
    plus = joined.plus(zscore_average(joined, lower_is_better=lower, name=AVERAGE))
    signs = {measure.name: -1 if measure.name in lower else 1 for measure in joined.measures}
    average = Combined(AVERAGE, False, {name: sign / len(signs) for name, sign in signs.items()})
    several = int((~np.isnan(joined.human.values)).any(axis=1).sum()) > 1
    try:
        fitted = linear_combination(joined, folds=FOLDS, seed=seed, new_systems=several)
    except Unsuitable as obstacle:
        notes.append(Note("no_combination", f"no linear combination: {obstacle}"))
        return Combining(plus, (average,))
    weights = {weight.measure: weight.weight for weight in fitted.weights}
    held_out = dict(fitted.signature.facts)["held_out"]
    return Combining(
        plus.plus(fitted.measure), (average, Combined(fitted.measure.name, True, weights, held_out))
    )


def estimated(joined: Joined, inquiry: Inquiry, notes: list[Note]) -> Estimates | None:
    """Systems' mean ratings over all items; None if there are none, with a note that says why."""
    if not joined.measures:
        notes.append(Note("no_estimates", "no estimates: there is no measure"))
        return None
    try:
        predictor = _predictor(joined, inquiry, notes)
        return estimate_systems(joined, predictor, resampling=inquiry.resampling)
    except Unsuitable as obstacle:
        notes.append(Note("no_estimates", f"no estimates: {obstacle}"))
        return None


def _predictor(joined: Joined, inquiry: Inquiry, notes: list[Note]) -> MeasureGrid:
    """The measure that stands in for ratings.

    Picking the one that agrees best with the ratings at hand would make intervals too narrow. All measures together,
    fitted to the ratings of other items, need no picking (Zrnic & Candès, 2024). Systems are not held out: a fit that
    knows them makes narrower intervals, which are valid all the same.
    """
    if inquiry.estimate_by is not None:
        return joined.measure_named(inquiry.estimate_by)
    cells = {measure.name: int((~np.isnan(measure.values)).sum()) for measure in joined.measures}
    most = max(cells.values())
    wide = [name for name, scored in cells.items() if scored >= COVERS * most]
    for name in (name for name in cells if name not in wide):
        text = f"estimates are made without {name}, which scored {cells[name]:,} of {most:,} answers"
        notes.append(Note("estimated_without", text))
    if len(wide) == 1:
        return joined.measure_named(wide[0])
    return linear_combination(joined, wide, folds=FOLDS, seed=inquiry.resampling.seed, fill=True).measure


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Findings:
    """Findings, and the judgements they are about; ``joined`` has the combinations among its measures."""

    joined: Joined
    document: Document

    def __str__(self) -> str:
        return headline(self.document)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


def examine(
    joined: Joined,
    inquiry: Inquiry | None = None,
    watch: Watch = unwatched,
    *,
    sources: Mapping[str, str | None] | None = None,
) -> Findings:
    """Agreement at every level, the ceiling, rivals, instability; estimates and combinations if asked for.

    ``sources`` are the files that the judgements come from, and their digests.
    """
    inquiry = inquiry or Inquiry()
    _check_values(joined)
    notes = list(joined.notes)
    lower = lower_is_better(joined, inquiry.lower_is_better)
    instances = tuple(rule.validate(joined, alpha=inquiry.resampling.alpha) for rule in inquiry.instances)
    made = combine(joined, lower, inquiry.resampling.seed, notes) if inquiry.combine else Combining(joined)
    estimates = estimated(joined, inquiry, notes) if inquiry.estimate else None
    whole, upright = made.joined, turned(made.joined, lower)
    rows, rivals = _agreement(whole, upright, inquiry, watch)
    better = turned_rows(rows, lower)
    main: Level = first_defined(rows) or inquiry.levels[0]
    planned = _plans(upright, [row for row in better if row.level == main], inquiry, notes)
    tested = with_adjusted_p(with_rank_groups(better, rivals))
    ranked = with_accuracies(tested, upright, resampling=inquiry.resampling)
    kind, seed = inquiry.coefficient, inquiry.resampling.seed
    document = Document(
        format=1,
        rows=turned_rows(ranked, lower),
        human=count_people(whole),
        ceiling=tuple(_ceiling(whole, level, inquiry) for level in inquiry.levels),
        raters=leave_one_out(_compared(whole, main), level=main, coefficient=kind),
        rivals=rivals,
        correlations=tuple(
            correlation_matrix(whole, level=level, coefficient=kind) for level in inquiry.levels
        ),
        instability=(
            stabilities(whole, repeats=inquiry.repeats, seed=seed, coefficient=kind)
            if "system" in inquiry.levels
            else ()
        ),
        means=tuple(system_means(whole)),
        combined=made.combined,
        estimates=() if estimates is None else (estimates,),
        instances=instances,
        planning=planned,
        unjoined=not_joined(whole),
        notes=tuple(notes),
        settings=_settings(inquiry, joined.items, lower, sources or {}),
    )
    return Findings(whole, dataclasses.replace(document, trust=_standings(document, whole, inquiry)))


def _standings(document: Document, joined: Joined, inquiry: Inquiry) -> tuple[Standing, ...]:
    """Judges beside people; all measures if asked for."""
    wanted = [each for each in joined.measures if inquiry.trust or scale_of_judge(each.rater) is not None]
    return tuple(
        Standing(
            each.name,
            standing(document, joined, each.name, inquiry.resampling, limits=scale_of_judge(each.rater)),
        )
        for each in wanted
    )


def _check_values(joined: Joined) -> None:
    """Refuse measures that have no value at all, as those of a run in which every system failed."""
    if joined.measures and all(np.isnan(measure.values).all() for measure in joined.measures):
        names = ", ".join(measure.name for measure in joined.measures)
        raise Unsuitable(
            f"No value of {names} can be compared with people's ratings. Check the run's failures, and run it again."
        )


def _agreement(
    joined: Joined, upright: Joined, inquiry: Inquiry, watch: Watch
) -> tuple[tuple[Row, ...], tuple[Rivalry, ...]]:
    """Each measure with people, and each pair of measures; without resamples no two are compared."""
    rows: list[Row] = []
    rivals: list[Rivalry] = []
    kind, resampling, resample = inquiry.coefficient, inquiry.resampling, inquiry.resample
    with watch("measures against people", 2 * len(inquiry.levels)) as progress:
        for level in inquiry.levels:
            rows += correlate(
                joined, levels=[level], coefficient=kind, resampling=resampling, resample=resample
            )
            progress.advance(1)
            if resampling.resamples:
                rivals += compare_measures(
                    upright, level=level, coefficient=kind, resampling=resampling, resample=resample
                )
            progress.advance(1)
    return tuple(rows), tuple(rivals)


def _compared(joined: Joined, level: Level) -> Joined:
    """The ratings that measures are compared with: over systems all, elsewhere those of answers with a score."""
    return joined if level == "system" else joined.scored


def _ceiling(joined: Joined, level: Level, inquiry: Inquiry) -> Ceiling:
    """Agreement of one half of the people with the other."""
    resampling = inquiry.resampling
    return split_half(
        _compared(joined, level),
        level=level,
        coefficient=inquiry.coefficient,
        repeats=inquiry.repeats,
        seed=resampling.seed,
        clusters=resampling.clusters(joined.items),
        confidence=resampling.confidence,
    )


def _plans(upright: Joined, rows: Sequence[Row], inquiry: Inquiry, notes: list[Note]) -> tuple[Planned, ...]:
    """Planning from the measures that agree best; without resamples there is nothing to plan by."""
    if not inquiry.plan:
        return ()
    if not inquiry.resampling.resamples:
        text = "no planning: it requires resamples, and there were none"
        notes.append(Note("no_planning", text))
        return ()
    defined = sorted((row for row in rows if row.value is not None), key=lambda row: -(row.value or 0.0))
    measures = [row.measure for row in defined]
    return plans(
        upright.scored,
        measures,
        level=first_defined(rows) or "item",
        coefficient=inquiry.coefficient,
        resampling=inquiry.resampling,
    )


def _settings(
    inquiry: Inquiry, items: Sequence[str], lower: tuple[str, ...], sources: Mapping[str, str | None]
) -> Settings:
    resampling = inquiry.resampling
    return Settings(
        coefficient=inquiry.coefficient,
        levels=inquiry.levels,
        resample=inquiry.resample,
        cluster=resampling.cluster_name(items),
        trials=resampling.resamples,
        repeats=inquiry.repeats,
        seed=resampling.seed,
        level=resampling.confidence,
        lower_is_better=lower,
        package=__version__,
        sources=tuple(Source(path, digest) for path, digest in sources.items()),
    )
