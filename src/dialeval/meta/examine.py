"""All analyses of ``dialeval meta``, as one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialeval.display.notes import Note
from dialeval.engine import Watch, unwatched
from dialeval.errors import Unsuitable
from dialeval.meta.correlation.accuracies import with_accuracies
from dialeval.meta.correlation.ceiling import leave_one_out, split_half
from dialeval.meta.correlation.directions import lower_is_better, turned, turned_rows
from dialeval.meta.correlation.instability import stabilities
from dialeval.meta.correlation.levels import correlate, correlation_matrix
from dialeval.meta.correlation.rank_groups import with_rank_groups
from dialeval.meta.correlation.rivals import compare_measures
from dialeval.meta.document import (
    Ceiling,
    Document,
    Level,
    Planned,
    Rivalry,
    Row,
    Settings,
    Source,
    first_defined,
)
from dialeval.meta.estimation.standing_in import Combining, combine, estimated
from dialeval.meta.inquiry import Inquiry
from dialeval.meta.overview import count_people, not_joined, system_means
from dialeval.meta.planning.plans import plans
from dialeval.meta.report.verdict import headline
from dialeval.ratings.joined import Joined
from dialeval.version import __version__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Findings:
    """What was found, and in what; ``joined`` has the combinations among its measures."""

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
    """Agreement at every level, the ceiling, rivals, instability; estimates and combinations where asked for.

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
    ranked = with_accuracies(with_rank_groups(better, rivals), upright, resampling=inquiry.resampling)
    kind, seed, scored = inquiry.coefficient, inquiry.resampling.seed, whole.scored
    document = Document(
        format=1,
        rows=turned_rows(ranked, lower),
        human=count_people(whole),
        ceiling=_ceiling(scored, inquiry),
        raters=leave_one_out(scored, level=main, coefficient=kind),
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
    return Findings(whole, document)


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


def _ceiling(scored: Joined, inquiry: Inquiry) -> tuple[Ceiling, ...]:
    """How well one half of the people predicts the other, at each level."""
    resampling = inquiry.resampling
    return tuple(
        split_half(
            scored,
            level=level,
            coefficient=inquiry.coefficient,
            repeats=inquiry.repeats,
            seed=resampling.seed,
            clusters=resampling.clusters(scored.items),
            confidence=resampling.confidence,
        )
        for level in inquiry.levels
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
