"""Results on the items that systems are ranked on, and comparisons of all pairs of systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dialeval.errors import DialevalError
from dialeval.evaluation.compare import Comparison, compare_all, decide_families
from dialeval.evaluation.unscored import no_value
from dialeval.study.document import Failure
from dialeval.study.missing import Measured, on_ranked_items

if TYPE_CHECKING:
    from dialeval.study.file import Study
    from dialeval.study.scoring import Scored


def rank(study: Study, scored: Sequence[Scored], failures: list[Failure]) -> tuple[Scored, ...]:
    """The results with those on the items that systems are ranked on; a measure that cannot rank them has failed."""
    results: list[Scored] = []
    for measure in study.measures:
        systems = [result for result in scored if result.measure is measure]
        measured = [Measured(system.result, system.subjects) for system in systems]
        try:
            ranked = on_ranked_items(measured, study.missing, study.resampling)
        except DialevalError as error:
            failures.append(Failure(None, measure.label, str(error)))
        else:
            results += [
                replace(system, ranked=result) for system, result in zip(systems, ranked, strict=True)
            ]
    return tuple(results)


def without_values(scored: Sequence[Scored], failures: Sequence[Failure]) -> Iterator[Failure]:
    """A failure for each measure that has no value of any system, unless all of these failed themselves."""
    failed = {failure.system for failure in failures if failure.measure is None and not failure.partial}
    labels = (result.measure.label for result in scored if not result.measure.metric.conditional)
    for label in dict.fromkeys(labels):
        results = [s.result for s in scored if s.measure.label == label and s.system not in failed]
        if (reason := no_value(results)) is not None:
            yield Failure(None, label, reason)


def compare(study: Study, scored: Sequence[Scored]) -> tuple[Comparison, ...]:
    """All pairs of systems that have at least one scored item, measure by measure, corrected over their families.

    Without resamples there are neither intervals nor comparisons.
    """
    if not study.resampling.resamples:
        return ()
    results = {
        measure.label: [
            system.ranked for system in scored if system.measure is measure and system.ranked.scored
        ]
        for measure in study.measures
    }
    tests = {label: len(systems) * (len(systems) - 1) // 2 for label, systems in results.items()}
    others = sum(tests.values()) - tests.get(study.primary or "", 0)
    raw = [
        replace(pair, measure=label)
        for label, systems in results.items()
        for pair in compare_all(
            systems,
            study.resampling,
            margin=study.margins.get(label),
            tests=tests[label] if label == study.primary else others,
        )
    ]
    return decide_families(raw, primary=study.primary, correction=study.correction)
