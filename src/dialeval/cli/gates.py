"""``--fail-under``: thresholds given on the command line, and the exit code that says one was not met."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from dialeval.study import Gate, GateOutcome

GATE_NOT_MET: Final = 100


def parse_fail_under(given: Sequence[str] | None, known: Sequence[str]) -> tuple[Gate, ...]:
    """Gates from ``METRIC=VALUE`` pairs; a metric that is not measured is a usage error."""
    from dialeval.errors import UnknownName
    from dialeval.study import parse_gate

    gates = []
    for text in given or ():
        metric, _, value = text.rpartition("=")
        try:
            gate = parse_gate(f"{metric} >= {value}")
        except ValueError:
            message = f"found {text!r}, needed METRIC=VALUE such as 'rouge_l=0.3'"
            raise typer.BadParameter(message, param_hint="--fail-under") from None
        if gate.measure not in known:
            raise typer.BadParameter(
                str(UnknownName("metric here", gate.measure, known)), param_hint="--fail-under"
            )
        gates.append(gate)
    return tuple(gates)


def exit_on_gates(outcomes: Sequence[GateOutcome]) -> None:
    """Name every gate that was not met on stderr and leave with 100; return where all were met."""
    missed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in missed:
        has = "no score" if outcome.score is None else f"{outcome.score:.4g}"
        print(f"gate not met: {outcome.gate} ({outcome.system} has {has})", file=sys.stderr)
    if missed:
        raise typer.Exit(GATE_NOT_MET)
