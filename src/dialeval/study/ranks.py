"""Ranks of the systems, comparisons of all pairs of them, and the items that both rest on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from dialeval.core import Floats, Integers, Resampling
from dialeval.display.wording import NEGLIGIBLE
from dialeval.errors import DialevalError
from dialeval.evaluation.compare import Comparison, compare_all, decide_families
from dialeval.evaluation.compare.leaving_out import side_of
from dialeval.evaluation.compare.pairs import are_aligned, places_of_values, valued_places
from dialeval.evaluation.silence import no_value
from dialeval.files.documents import finite
from dialeval.stats import Jackknifed, Ranks, RankTable, rank_jackknifed
from dialeval.study.document import Failure, Family, Ranking, SystemRank
from dialeval.study.missing import Measurement, on_ranked_items
from dialeval.text.ids import TextColumn

if TYPE_CHECKING:
    from dialeval.study.file import Study
    from dialeval.study.scores import SystemResult


_JUST_BEHIND: Final = 1e-6
"""Share of the way to the worst score by which a silent system is behind one that answered all, if not more."""


class _Field(NamedTuple):
    """The systems that one measure ranks, on the same items."""

    label: str
    systems: tuple[str, ...]
    table: Jackknifed
    units: tuple[str, ...]
    """Items or dialogues; the table may have runs of systems beside them."""
    family: str
    """Near-copies of a measure, which count once together."""
    silent: frozenset[str] = frozenset()
    """Systems whose silence the measure cannot count: it does not show them to be better than another."""

    def only(self, systems: Sequence[str], weight: float) -> Jackknifed:
        """Of these systems."""
        places = [self.systems.index(system) for system in systems]
        return self.table._replace(
            scores=self.table.scores[places], without=self.table.without[:, places], weight=weight
        )


def rankings(
    study: Study, scored: Sequence[SystemResult], compared: Sequence[Comparison]
) -> tuple[Ranking, ...]:
    """The ranks over all measures first, where there are several, then those under each measure that ranks.

    Over all measures each family counts the same, and its measures share its weight.
    Under a measure the interval of a rank follows from the comparisons: above a system are at least those shown to be
    better, below it at least those shown to be worse. Over all measures it follows from tests of all pairs at once.
    Without resamples there are none.
    """
    fields = list(_fields(study, scored)) if study.resampling.resamples else []
    groups: dict[tuple[str, ...], list[_Field]] = {}
    for field in fields:
        groups.setdefault(field.systems, []).append(field)
    tables = {systems: _ranked(group, systems, study.resampling) for systems, group in groups.items()}
    ranks = {
        field.label: found
        for systems, group in groups.items()
        for field, found in zip(group, tables[systems].measures, strict=True)
    }
    each = [_under_measure(field, ranks[field.label], compared) for field in fields]
    systems, together = _together(fields)
    if len(together) < 2 or len(systems) < 2:
        return tuple(each)
    alike = tables.get(systems) if together == groups.get(systems) else None
    overall = (alike or _ranked(together, systems, study.resampling)).overall
    units = {unit for field in together for unit in field.units}
    return _over_all(systems, together, overall, len(units)), *each


def _fields(study: Study, scored: Sequence[SystemResult]) -> Iterator[_Field]:
    """Yield what each measure ranks: systems with a score on the same items, of which one is not as good as 0.

    A system that left items unanswered, which the measure cannot count, is ranked as if that share of the corpus had
    the worst score, and not at all if there is none.
    """
    for measure in study.measures:
        higher = measure.metric.higher_is_better
        systems = [
            s
            for s in scored
            if s.measure is measure
            and math.isfinite(s.ranked.score)
            and not (_is_silent(study, s) and math.isnan(_worst(s)))
        ]
        if higher is None or len(systems) < 2 or not _on_same_items(systems):
            continue
        if all(abs(system.ranked.score) < NEGLIGIBLE for system in systems):
            continue
        order, places = _order(systems)
        sides = [side_of(system.ranked, order, study.resampling, places) for system in systems]
        units = _units(order, study.resampling)
        table = Jackknifed(
            np.array([side.left_out.score for side in sides]),
            np.stack([side.left_out.without for side in sides], axis=1),
            higher,
            units,
        )
        silent = {
            place: system.result.uncounted / len(system.result)
            for place, system in enumerate(systems)
            if _is_silent(study, system)
        }
        if silent:
            table = _with_silence(table, silent, _worst(systems[0]))
        names = tuple(system.system for system in systems)
        runs = {name: side.runs for name, side in zip(names, sides, strict=True) if side.runs is not None}
        yield _Field(
            measure.label,
            names,
            with_runs(table, names, runs, study.resampling.confidence) if runs else table,
            units,
            measure.metric.family,
            frozenset(names[place] for place in silent),
        )


def _is_silent(study: Study, scored: SystemResult) -> bool:
    """Whether the system left more items unanswered than the study allows, of which the measure does not count all."""
    if study.missing != "auto" or not scored.result.uncounted:
        return False
    return scored.result.unanswered > study.allow_unanswered * len(scored.result)


def _worst(scored: SystemResult) -> float:
    """The worst score that the measure has for a corpus; NaN if there is none."""
    return scored.measure.metric.worst


def _with_silence(table: Jackknifed, shares: Mapping[int, float], worst: float) -> Jackknifed:
    """The table with the worst score for the share of items that each of these systems left unanswered.

    None of them ranks before the best system that answered all.
    """
    scores, without = table.scores.copy(), table.without.copy()
    sign = 1.0 if table.higher_is_better else -1.0
    answering = [place for place in range(len(scores)) if place not in shares]
    first = max(answering, key=lambda place: sign * scores[place], default=None)
    for place, share in shares.items():
        scores[place] += share * (worst - scores[place])
        without[:, place] += share * (worst - without[:, place])
        if first is not None and sign * (scores[place] - scores[first]) >= 0:
            behind = _JUST_BEHIND * (worst - scores[first])
            scores[place], without[:, place] = scores[first] + behind, without[:, first] + behind
    return table._replace(scores=scores, without=without)


def _on_same_items(systems: Sequence[SystemResult]) -> bool:
    results = [system.ranked for system in systems]
    return are_aligned(results) or len({frozenset(places_of_values(result)) for result in results}) == 1


class _Order(NamedTuple):
    """Items in the order of the first system, and where all systems have them, if that is the same for all."""

    items: Sequence[str]
    places: Integers | None


def _order(systems: Sequence[SystemResult]) -> _Order:
    first = systems[0].ranked
    if not are_aligned([system.ranked for system in systems]):
        return _Order(list(places_of_values(first)), None)
    places = valued_places(first)
    items = first.items if not first.reasons else TextColumn(first.items[i] for i in places.tolist())
    return _Order(items, places)


def with_runs(
    table: Jackknifed, systems: Sequence[str], runs: Mapping[str, Floats], confidence: float
) -> Jackknifed:
    """The table with a unit for each run of a system, so that resamples draw runs, too.

    What a unit adds is scaled such that the variances over items and over the runs of each system are those of their
    own numbers, though all units are drawn together; that of runs also by how much farther Student's t reaches than the
    normal distribution, as there are few.
    """
    from scipy.special import ndtri, stdtrit

    tail = (1 + confidence) / 2
    n, units = len(table.without), len(table.without) + sum(map(len, runs.values()))
    mean = table.without.mean(axis=0)
    added = [(mean - table.without) * math.sqrt(units * (units - 1) * (n - 1) / n)]
    names = [*(table.units or ())]
    for system, scores in runs.items():
        times = len(scores)
        away = np.zeros((times, len(systems)))
        farther = float(stdtrit(times - 1, tail) / ndtri(tail))
        scale = farther * math.sqrt(units * (units - 1) / times / (times - 1))
        away[:, systems.index(system)] = (scores - scores.mean()) * scale
        added.append(away)
        names += [f"run {number} of {system}" for number in range(1, times + 1)]
    without = table.scores - np.concatenate(added) / (units - 1)
    return table._replace(without=without, units=tuple(names))


def _units(items: Sequence[str], resampling: Resampling) -> tuple[str, ...]:
    """Names of what is left out in turn: dialogues where ids show them, so that measures share them."""
    if resampling.clusters(items) is None:
        return tuple(items)
    return tuple(dict.fromkeys(map(resampling.group, items)))


def _ranked(fields: Sequence[_Field], systems: Sequence[str], resampling: Resampling) -> RankTable:
    sizes = Counter(field.family for field in fields)
    return rank_jackknifed(
        [field.only(systems, 1 / sizes[field.family]) for field in fields],
        resamples=max(1, resampling.resamples),
        seed=resampling.seed,
        confidence=resampling.confidence,
    )


def _together(fields: Sequence[_Field]) -> tuple[tuple[str, ...], list[_Field]]:
    """The systems that at least half of the measures rank, and the measures that rank all of these."""
    times = Counter(system for field in fields for system in field.systems)
    systems = tuple(system for system in times if times[system] >= len(fields) / 2)
    return systems, [field for field in fields if set(systems) <= set(field.systems)]


def _under_measure(field: _Field, ranks: Ranks, compared: Sequence[Comparison]) -> Ranking:
    better = {
        (c.a, c.b) if c.verdict == "better" else (c.b, c.a)
        for c in compared
        if c.measure == field.label and c.verdict in ("better", "worse")
    }
    better = {pair for pair in better if pair[0] not in field.silent}
    systems = tuple(
        SystemRank(
            system,
            finite(float(ranks.rank[place])),
            1 + sum((other, system) in better for other in field.systems),
            len(field.systems) - sum((system, other) in better for other in field.systems),
            finite(float(ranks.p_best[place])),
        )
        for place, system in enumerate(field.systems)
    )
    return Ranking(field.label, (field.label,), len(field.units), systems)


def _over_all(systems: Sequence[str], fields: Sequence[_Field], ranks: Ranks, units: int) -> Ranking:
    return Ranking(
        measure=None,
        measures=tuple(field.label for field in fields),
        units=units,
        systems=tuple(
            SystemRank(
                system,
                finite(float(ranks.rank[place])),
                int(ranks.best[place]),
                int(ranks.worst[place]),
                finite(float(ranks.p_best[place])),
            )
            for place, system in enumerate(systems)
        ),
        families=_families(fields),
    )


def _families(fields: Sequence[_Field]) -> tuple[Family, ...]:
    members: dict[str, list[str]] = {}
    for field in fields:
        members.setdefault(field.family, []).append(field.label)
    return tuple(Family(name, tuple(labels)) for name, labels in members.items())


def rank(study: Study, scored: Sequence[SystemResult], failures: list[Failure]) -> tuple[SystemResult, ...]:
    """The results with those on the items that systems are ranked on; a measure that cannot rank them has failed."""
    results: list[SystemResult] = []
    for measure in study.measures:
        systems = [result for result in scored if result.measure is measure]
        measured = [Measurement(system.result, system.subjects) for system in systems]
        try:
            ranked = on_ranked_items(measured, study.missing, study.resampling)
        except DialevalError as error:
            failures.append(Failure(None, measure.label, str(error)))
        else:
            results += [
                replace(system, ranked=result) for system, result in zip(systems, ranked, strict=True)
            ]
    return tuple(results)


def without_values(scored: Sequence[SystemResult], failures: Sequence[Failure]) -> Iterator[Failure]:
    """A failure for each measure that has no value of any system, unless all of these failed themselves."""
    failed = {failure.system for failure in failures if failure.measure is None and not failure.partial}
    labels = (result.measure.label for result in scored if not result.measure.metric.conditional)
    for label in dict.fromkeys(labels):
        results = [s.result for s in scored if s.measure.label == label and s.system not in failed]
        if (reason := no_value(results)) is not None:
            yield Failure(None, label, reason)


def compare(study: Study, scored: Sequence[SystemResult]) -> tuple[Comparison, ...]:
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
