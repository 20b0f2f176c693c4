"""Claims that a study declares in advance: primary measure, margins, gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dialeval.core import System
from dialeval.errors import DialevalError, UnknownName
from dialeval.evaluation.measure import Measure
from dialeval.study.gates import Gate, parse_gate
from dialeval.study.missing import why_no_worst
from dialeval.text.calls import print_call, split_call


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
    primary = _label("primary", given, labels, problems) if isinstance(given, str) else None
    directed = [measure.label for measure in measures if measure.metric.higher_is_better is not None]
    if primary is not None and primary not in directed:
        problems.append(f"primary: {primary} only describes, so no system can be better under it")
    if isinstance(margin, dict):
        named = {_label("margin", str(name), labels, problems): value for name, value in margin.items()}
        return Claims(primary, {name: value for name, value in named.items() if name is not None})
    if margin is not None and len(labels) > 1:
        problems.append(f"margin: found {margin!r}, but no measure; expected {{{labels[0]}: {margin}}}")
    return Claims(primary, {label: margin for label in labels if margin is not None})


def _label(where: str, given: str, labels: Sequence[str], problems: list[str]) -> str | None:
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
) -> list[Gate]:
    """The gates as written, whose measures and systems the study must have."""
    gates = []
    labels, names = [measure.label for measure in measures], [system.name for system in systems]
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
            if gate.comparator == "=" and gate.measure not in margins:
                raise ValueError(f"equivalence needs a margin, as in margin: {{{gate.measure}: 0.02}}")
            gates.append(gate)
        except (DialevalError, ValueError) as error:
            problems.append(f"gates[{index}]: {error}")
    return gates
