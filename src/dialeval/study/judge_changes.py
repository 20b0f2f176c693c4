"""Judges of two runs that are compared: whether they are the same, and if not, whether anchors show them equivalent.

Answers that are byte-identical in both runs were judged in both and are anchors at no cost. Otherwise ``judge drift``
lets today's judge judge answers of an earlier run again.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dialeval.core import Resampling, Result
from dialeval.errors import Unsuitable
from dialeval.files.documents import Origin, read_document
from dialeval.judge.drift import Drift, JudgeIdentity, Verdict, changes, drift_of
from dialeval.study.folder import read_manifest
from dialeval.study.sides import Key, Side

ORIGIN = Origin("a file as written by 'dialeval judge drift'", "Write it again with 'dialeval judge drift'.")


@dataclass(frozen=True, slots=True)
class JudgeChange:
    """A judge that is not the same on both sides, and what shows that its verdicts may be compared."""

    measure: str
    changed: str
    """What differs, in words."""
    evidence: Drift

    @property
    def sentence(self) -> str:
        """Return what was found, for people."""
        return f"{self.measure}: the judge is not the same: {self.changed}; its verdicts are {self.evidence.sentence}"


def match_judges(
    first: Side,
    second: Side,
    resampling: Resampling,
    margins: Mapping[str, float],
    anchors: Sequence[Path] = (),
) -> tuple[Side, tuple[JudgeChange, ...]]:
    """The second side with verdicts that may be compared with those of the first, and the judges that changed.

    Unsuitable names a judge that changed if neither answers that both runs share nor a file of anchors shows that its
    verdicts are equivalent.
    """
    known = [read_document(Drift, path, ORIGIN) for path in anchors]
    found = []
    for here, there in list(_pairs(first, second)):
        then, now = identity(first, here), identity(second, there)
        changed = changes(then, now)
        if changed is None:
            continue
        margin = margins.get(here, margins.get(there))
        given = next((drift for drift in known if {drift.then, drift.now} == {then, now}), None)
        evidence = given or _free_anchors(first, second, (here, there), (then, now), margin, resampling)
        if margin is not None and given is not None:
            evidence = _within(given, margin)
        if evidence.verdict != "equivalent":
            raise Unsuitable(_refusal(first, second, here, changed, evidence))
        found.append(JudgeChange(here, changed, evidence))
        second = _as_first(first, second, here, there)
    return second, tuple(found)


def identity(side: Side, label: str) -> JudgeIdentity:
    """The judge of a run under that label."""
    result = next(result for key, result in side.results.items() if key.measure == label)
    records = read_manifest(Path(side.source)).judges
    returned = next((record.returned for record in records if record.measure == label), ())
    return JudgeIdentity(str(result.signature), returned)


def judges_of(side: Side) -> list[str]:
    """Labels of the judges of a run."""
    return [label for label in side.measures if side.judged_by(label)]


def _pairs(first: Side, second: Side) -> Iterator[tuple[str, str]]:
    """The same judge on both sides; or the only one on each that judges by a rubric and has no counterpart."""
    if first.source == second.source or not all(_is_run(side) for side in (first, second)):
        return
    here, there = judges_of(first), judges_of(second)
    yield from ((label, label) for label in here if label in there)
    alone, others = (
        [label for label in here if label not in there],
        [label for label in there if label not in here],
    )
    for label in alone:
        rubric = _rubric(first, label)
        own = [other for other in others if _rubric(second, other) == rubric]
        if len(own) == 1 and sum(_rubric(first, each) == rubric for each in alone) == 1:
            yield label, own[0]


def _is_run(side: Side) -> bool:
    return (Path(side.source) / "manifest.json").is_file()


def _rubric(side: Side, label: str) -> tuple[object, object]:
    result = next(result for key, result in side.results.items() if key.measure == label)
    parameters = dict(result.signature.parameters)
    return parameters.get("rubric", "overall"), parameters.get("level", "turn")


def _free_anchors(
    first: Side,
    second: Side,
    labels: tuple[str, str],
    judges: tuple[JudgeIdentity, JudgeIdentity],
    margin: float | None,
    resampling: Resampling,
) -> Drift:
    """Verdicts on the answers that are byte-identical in both runs, whichever systems gave them."""
    before, after = (_verdicts(side, label) for side, label in zip((first, second), labels, strict=True))
    shared = [key for key in before if key in after]
    then, now = (np.array([own[key] for key in shared], dtype=np.float64) for own in (before, after))
    result = next(result for key, result in first.results.items() if key.measure == labels[0])
    return drift_of(
        then,
        now,
        [item for item, _ in shared],
        judges,
        limits=result.metric.limits,
        margin=margin,
        resampling=resampling,
    )


def _verdicts(side: Side, label: str) -> dict[tuple[str, int], float]:
    """The mean verdict on each answer, by item and hash of the answer."""
    given: dict[tuple[str, int], list[float]] = {}
    for key, result in side.results.items():
        if key.measure == label and result.answers is not None:
            for item, answer, value in zip(
                result.items, result.answers.tolist(), result.values.tolist(), strict=True
            ):
                if math.isfinite(value) and answer != hash(None):
                    given.setdefault((item, answer), []).append(value)
    return {key: math.fsum(own) / len(own) for key, own in given.items()}


def _within(drift: Drift, margin: float) -> Drift:
    """The same verdicts against another margin."""
    low, high = drift.difference.bounds or (-math.inf, math.inf)
    verdict: Verdict = "equivalent" if -margin < low and high < margin else "undecided"
    return dataclasses.replace(drift, margin=margin, verdict=verdict)


def _as_first(first: Side, second: Side, here: str, there: str) -> Side:
    """The second side, its verdicts under the name and signature of the first's, so that they pair."""
    like = next(result for key, result in first.results.items() if key.measure == here)
    results = {
        (Key(here, key.system) if key.measure == there else key): (
            _signed(result, like) if key.measure == there else result
        )
        for key, result in second.results.items()
    }
    return dataclasses.replace(second, results=results)


def _signed(result: Result, like: Result) -> Result:
    resources = like.provenance.resources
    provenance = dataclasses.replace(result.provenance, signature=like.signature, resources=resources)
    return dataclasses.replace(result, metric=like.metric, provenance=provenance)


def _refusal(first: Side, second: Side, label: str, changed: str, evidence: Drift) -> str:
    others = [name for name in first.measures if name in second.measures and name not in judges_of(first)]
    without = f", or compare by other measures, as with -m {others[0]!r}" if others else ""
    return (
        f"The judge {label} of {first.source} is not that of {second.source}; they differ in {changed}. On answers "
        f"that are the same in both runs its verdicts are {evidence.sentence}. Run both again with one judge; or judge "
        f"answers of {first.source} again with the judge of {second.source}, 'dialeval judge drift {first.source} "
        f"JUDGE -o drift.json', and give --anchors drift.json{without}."
    )
