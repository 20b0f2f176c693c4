"""Claims that a study declares in advance: the primary measure, margins, and thresholds that fail a build."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import ge, gt, le, lt
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from dialeval.core import Estimate, Result, System
from dialeval.display.wording import count
from dialeval.errors import DialevalError, UnknownName
from dialeval.evaluation.compare import Comparison
from dialeval.evaluation.measure import Measure
from dialeval.study.document import GateOutcome, JudgedBy
from dialeval.study.missing import NOT_SHARED, why_no_worst
from dialeval.text.calls import print_call, split_call


@dataclass(frozen=True, slots=True)
class Gate:
    """Threshold of one measure: for every system, for one, or for the difference between two.

    A threshold is met where the interval says so: for ``>=`` its lower end, for ``<=`` its upper end.
    """

    measure: str
    comparator: str
    """One of ``>=``, ``>``, ``<=``, ``<``, or ``=`` where two systems must be equivalent within the study's margin."""
    threshold: float = math.nan
    """NaN where systems must be equivalent."""
    system: str | None = None
    """None means that every system must meet it."""
    other: str | None = None
    """Whose score is subtracted from the system's; None where no two are compared."""
    point: bool = False
    """Whether the score itself is judged, whatever its interval."""

    def __str__(self) -> str:
        sign = "=" if self.comparator == "=" else "-"
        whose = (
            f"{self.system} {sign} {self.other}: "
            if self.other
            else f"{self.system}: "
            if self.system
            else ""
        )
        what = f"point({self.measure})" if self.point else self.measure
        return f"{whose}{what}" + ("" if sign == "=" else f" {self.comparator} {self.threshold:g}")

    @property
    def judged_by(self) -> JudgedBy:
        """Which number decides."""
        if self.comparator == "=":
            return "equivalence"
        return "point" if self.point else "low" if self.comparator in (">=", ">") else "high"

    def met_by(self, number: float) -> bool:
        """Whether the number that decides passes; an undefined one never does."""
        return self.comparator in _COMPARE and _COMPARE[self.comparator](number, self.threshold)


class ScoreAtGate(NamedTuple):
    """A score or a difference with its interval, and who has it."""

    measure: str
    system: str
    estimate: Estimate
    unanswered: int = 0
    """Items that the system left unanswered."""
    items: int = 0
    """Number of items that it was asked."""
    constant: bool = False
    """Whether there is no interval because all items have the same value."""
    reasons: Mapping[int, str] = MappingProxyType({})
    """Why items have no value, by place."""

    @classmethod
    def of(cls, measure: str, system: str, result: Result) -> ScoreAtGate:
        """The score of a result."""
        constant = result.absence == "constant"
        return cls(measure, system, result.estimate, result.unanswered, len(result), constant, result.reasons)

    @property
    def gaps(self) -> frozenset[int]:
        """Items that have no value, although another system may have one."""
        return frozenset(place for place, reason in self.reasons.items() if reason != NOT_SHARED)

    def silence(self, allowed: float) -> str | None:
        """Say how many items the system left unanswered if that is more than this share of them; else None."""
        if self.unanswered <= allowed * self.items:
            return None
        return (
            f"{self.system} left {self.unanswered:,} of {count(self.items, 'item')} unanswered, and "
            f"{f'at most {allowed:.3g} of them' if allowed else 'none'} may be"
        )


HUMAN: Final = "human"
"""People's mean ratings, as a gate names them."""
Differences: TypeAlias = Mapping[tuple[str, str], Estimate]
"""The first system's mean minus the second's."""
_COMPARE: Final[Mapping[str, Callable[[float, float], bool]]] = {">=": ge, ">": gt, "<=": le, "<": lt}
_NUMBER: Final = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_GATE: Final = re.compile(rf"(?:([^:()]+):)?\s*(.+?)\s*(>=|<=|>|<)\s*({_NUMBER})")
_EQUAL: Final = re.compile(r"([^:()]+?)\s+=\s+([^:()]+?):\s*(.+?)")
_POINT: Final = re.compile(r"point\(\s*(.+?)\s*\)")


def parse_gate(text: str, systems: Sequence[str] = ()) -> Gate:
    """A gate as people write it.

    ``rouge_l >= 0.3`` or ``new: rouge_l >= 0.3`` for one system, ``new - old: rouge_l >= -0.02`` for a difference,
    ``new = old: rouge_l`` for equivalence; ``point(rouge_l) >= 0.3`` for the score without its interval. ``systems``
    are the names that are known, since a name may itself hold a minus.

    >>> parse_gate("new: bleu(order=2) > .1").judged_by
    'low'
    >>> str(parse_gate("new - old: point( bleu(order = 2) ) >= -0.02"))
    'new - old: point(bleu(order=2)) >= -0.02'
    """
    equal = _EQUAL.fullmatch(text.strip())
    if equal is not None and not any(sign in equal[3] for sign in "<>"):
        return Gate(_label(equal[3]), "=", system=equal[1].strip(), other=equal[2].strip())
    match = _GATE.fullmatch(text.strip())
    if match is None or " = " in (match[1] or ""):
        raise ValueError(
            f"{text!r} is not a gate such as 'rouge_l >= 0.3', 'new: rouge_l >= 0.3', 'new - old: rouge_l >= -0.02' "
            "or 'new = old: rouge_l'"
        )
    whose, measure, comparator, threshold = match.groups()
    point = _POINT.fullmatch(measure)
    label = _label(point[1] if point else measure)
    system, other = _pair(whose.strip(), systems) if whose else (None, None)
    return Gate(label, comparator, float(threshold), system, other, point is not None)


def _label(measure: str) -> str:
    name, parameters, _ = split_call(measure.strip())
    return print_call(name, parameters)


def _pair(whose: str, systems: Sequence[str]) -> tuple[str, str | None]:
    """One system, or two with a minus between them."""
    parts = whose.split(" - ")
    if whose in systems or len(parts) == 1:
        return whose, None
    cuts = [
        (" - ".join(parts[:cut]).strip(), " - ".join(parts[cut:]).strip()) for cut in range(1, len(parts))
    ]
    return next((cut for cut in cuts if cut[0] in systems and cut[1] in systems), cuts[0])


def check_gates(
    gates: Sequence[Gate],
    scores: Sequence[ScoreAtGate],
    comparisons: Sequence[Comparison] = (),
    *,
    allowed: float = 0.0,
) -> Iterator[GateOutcome]:
    """Judge the scores and differences by the gates that concern them.

    A system that left more than the ``allowed`` share of the items unanswered passes none: of a difference the system
    that another one is subtracted from, of an equivalence both. If both gave the same answers and left the same items
    unanswered, neither counts: a pull request that changes nothing loses nothing.
    """
    for gate in gates:
        concerned = [judged for judged in scores if judged.measure == gate.measure]
        if gate.other is not None:
            gated = (gate.system, gate.other) if gate.comparator == "=" else (gate.system,)
            pair = _tested(gate, comparisons)
            # Answers to the items that both are compared on may be the same where one was silent on others.
            silences = {
                (judged.unanswered, judged.gaps)
                for judged in concerned
                if judged.system in (gate.system, gate.other)
            }
            changed = pair is None or not pair.identical or len(silences) > 1
            sides = [judged for judged in concerned if judged.system in gated and changed]
            yield _unless_silent(_check_pair(gate, pair), sides, allowed)
        for judged in concerned if gate.other is None else ():
            if gate.system in (None, judged.system):
                yield _unless_silent(_outcome(gate, judged), [judged], allowed)


def check_human_gates(
    gates: Sequence[Gate],
    systems: Sequence[str],
    means: Mapping[str, Estimate],
    differences: Differences,
    *,
    reason: str,
) -> Iterator[GateOutcome]:
    """Judge people's mean ratings by the gates on ``human``: estimated from ratings and measures, by system and pair.

    What is undefined passes none, for this ``reason``: a system that nobody rated, or a pair of which one is not rated.
    """
    nothing = Estimate.undefined(reason)
    for gate in (gate for gate in gates if gate.measure == HUMAN):
        if gate.other is not None:
            given = differences.get((gate.system or "", gate.other))
            turned = differences.get((gate.other, gate.system or ""))
            found = given or (nothing if turned is None else -turned)
            yield replace(_outcome(gate, ScoreAtGate(HUMAN, gate.system or "", found)), other=gate.other)
            continue
        for system in systems if gate.system is None else (gate.system,):
            yield _outcome(gate, ScoreAtGate(HUMAN, system, means.get(system, nothing)))


def _unless_silent(outcome: GateOutcome, gated: Sequence[ScoreAtGate], allowed: float) -> GateOutcome:
    """The outcome; that it failed where one of these systems left too many items unanswered."""
    reasons = [reason for judged in gated if (reason := judged.silence(allowed)) is not None]
    return (
        replace(outcome, passed=False, code="unanswered", reason="; ".join(reasons)) if reasons else outcome
    )


def _tested(gate: Gate, comparisons: Sequence[Comparison]) -> Comparison | None:
    """The comparison of the two systems that the gate names; None if there is none."""
    named = {gate.system, gate.other}
    return next((c for c in comparisons if c.measure == gate.measure and {c.a, c.b} == named), None)


def _check_pair(gate: Gate, test: Comparison | None) -> GateOutcome:
    """Judge the difference between two systems, or whether they are shown to be equivalent."""
    system = gate.system or ""
    if test is None:
        untested = ScoreAtGate(gate.measure, system, Estimate.undefined("they could not be compared"))
        return replace(_outcome(gate, untested), other=gate.other)
    difference = test.difference if test.a == gate.system else -test.difference
    judged = ScoreAtGate(gate.measure, system, difference, constant=test.absence == "constant")
    outcome = _outcome(gate, judged)
    if gate.comparator == "=":
        shown = test.verdict == "equivalent"
        outcome = replace(outcome, passed=shown, number=test.largest, reason=difference.reason)
    return replace(outcome, other=gate.other)


def _outcome(gate: Gate, judged: ScoreAtGate) -> GateOutcome:
    if judged.constant and gate.judged_by in ("low", "high"):
        return _constant(gate, judged)
    value, low, high, _, reason = judged.estimate
    numbers = {"point": value, "low": low, "high": high}
    number = numbers.get(gate.judged_by)
    missing = "no score" if value is None else "no interval" if number is None else None
    return GateOutcome(
        gate=str(gate),
        system=judged.system,
        measure=gate.measure,
        score=value,
        passed=number is not None and gate.met_by(number),
        judged_by=gate.judged_by,
        number=number,
        reason=missing and (reason or missing),
    )


def _constant(gate: Gate, judged: ScoreAtGate) -> GateOutcome:
    """The outcome by the score itself, if all items have the same value and no limits of the measure bound others."""
    value, _, _, n, _ = judged.estimate
    return GateOutcome(
        gate=str(gate),
        system=judged.system,
        measure=gate.measure,
        score=value,
        passed=value is not None and gate.met_by(value),
        judged_by="point",
        number=value,
        reason=f"{value:.4g} on all {count(n, 'item')}: nothing varies, so it is judged itself",
        code="constant",
    )


class Claims(NamedTuple):
    """The measure that decides, and the smallest difference that matters, by the measures' labels."""

    primary: str | None
    margins: Mapping[str, float]


def build_claims(content: Mapping[str, Any], measures: Sequence[Measure], problems: list[str]) -> Claims:
    """The primary measure and the margins; whatever is wrong with them, or with ``missing``, joins the problems."""
    labels = [measure.label for measure in measures]
    if content.get("missing") == "worst":
        reasons = [reason for measure in measures if (reason := why_no_worst(measure)) is not None]
        problems += [
            f"missing: found 'worst', but {reason}; expected auto, shared or own" for reason in reasons
        ]
    given, margin = content.get("primary"), content.get("margin")
    primary = _known_label("primary", given, labels, problems) if isinstance(given, str) else None
    directed = [measure.label for measure in measures if measure.metric.higher_is_better is not None]
    if primary is not None and primary not in directed:
        problems.append(f"primary: {primary} only describes, so no system can be better under it")
    if isinstance(margin, dict):
        named = {_known_label("margin", str(name), labels, problems): value for name, value in margin.items()}
        return Claims(primary, {name: value for name, value in named.items() if name is not None})
    if margin is not None and len(labels) > 1:
        problems.append(f"margin: found {margin!r}, but no measure; expected {{{labels[0]}: {margin}}}")
    return Claims(primary, {label: margin for label in labels if margin is not None})


def _known_label(where: str, given: str, labels: Sequence[str], problems: list[str]) -> str | None:
    """The label of the measure that was named, however it was spelled."""
    try:
        name, parameters, _ = split_call(given)
        label = print_call(name, parameters)
        if label not in labels:
            raise UnknownName("measure in this study", label, labels)
    except (DialevalError, ValueError) as error:
        problems.append(f"{where}: {error}")
        return None
    return label


def build_gates(
    given: Sequence[object],
    systems: Sequence[System],
    measures: Sequence[Measure],
    margins: Mapping[str, float],
    problems: list[str],
    *,
    rated: bool = False,
) -> list[Gate]:
    """The gates as written, whose measures and systems the study must have; on ``human`` if it is ``rated``."""
    gates = []
    labels, names = [measure.label for measure in measures], [system.name for system in systems]
    labels += [HUMAN] if rated else []
    for index, text in enumerate(given):
        if not isinstance(text, str):
            continue  # a problem of the file's shape
        try:
            gate = parse_gate(text, names)
            if gate.measure not in labels:
                raise UnknownName("measure in this study", gate.measure, labels)
            for name in (gate.system, gate.other):
                if name is not None and name not in names:
                    raise UnknownName("system in this study", name, names)
            if gate.other is not None and gate.other == gate.system:
                raise ValueError(f"a difference is between two systems, found {gate.system!r} twice")
            if gate.comparator == "=" and gate.measure == HUMAN:
                raise ValueError(
                    "ratings have no gate of equivalence; gate both differences, as in 'new - old: human >= -0.2'"
                )
            if gate.comparator == "=" and gate.measure not in margins:
                raise ValueError(f"equivalence needs a margin, as in margin: {{{gate.measure}: 0.02}}")
            gates.append(gate)
        except (DialevalError, ValueError) as error:
            problems.append(f"gates[{index}]: {error}")
    return gates
