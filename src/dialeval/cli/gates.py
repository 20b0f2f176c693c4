"""``--fail-under``: thresholds given on the command line, and the exit code that says one was not met."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from dialeval.cli.parsing.parameters import BadUsage
from dialeval.display.streams import behind, in_github_actions, printable
from dialeval.errors import RunFailed, UnknownName
from dialeval.evaluation.silence import unanswered_of

if TYPE_CHECKING:
    from dialeval.core import Result
    from dialeval.study import Gate, GateOutcome

GATE_NOT_MET: Final = 100


class Directed(Protocol):
    """A metric that says which direction is better."""

    @property
    def higher_is_better(self) -> bool | None:
        """False if lower is better, None if neither is."""


def parse_fail_under(given: Sequence[str] | None, known: Mapping[str, Directed]) -> tuple[Gate, ...]:
    """Gates from ``METRIC=VALUE`` pairs; a metric that is not measured is a usage error.

    The name without its options is enough if only one metric has it.
    If lower is better, the gate is not met above the value: ``slot_error_rate=0.05`` is ``slot_error_rate <= 0.05``.
    """
    if not given:
        return ()
    from dialeval.study import parse_gate

    gates = []
    for text in given:
        metric, _, value = text.rpartition("=")
        try:
            gate = parse_gate(f"{metric} >= {value}")
        except ValueError:
            message = f"found {text!r}, expected METRIC=VALUE such as 'rouge_l=0.3' or 'point(rouge_l)=0.3'"
            raise BadUsage(message, where="--fail-under") from None
        alike = [label for label in known if label.partition("(")[0] == gate.measure]
        if gate.measure not in known and len(alike) == 1:
            gate = replace(gate, measure=alike[0])
        if gate.measure not in known:
            measured = f"Measured here: {', '.join(known)}."
            unknown = UnknownName("metric here", gate.measure, known, todo=measured)
            raise BadUsage(str(unknown), where="--fail-under")
        is_lower_better = known[gate.measure].higher_is_better is False
        gates.append(replace(gate, comparator="<=") if is_lower_better else gate)
    return tuple(gates)


def exit_on_gates(outcomes: Sequence[GateOutcome]) -> None:
    """Name every gate that was not met on stderr and leave with 100; return if all were met.

    Gates that were met without an interval are named too.
    """
    for outcome in outcomes:
        if outcome.passed and outcome.code == "constant":
            print(f"note: gate met: {outcome.gate} ({outcome.finding})", file=sys.stderr)
    missed = [outcome for outcome in outcomes if not outcome.passed]
    if not missed:
        return
    from dialeval.study.report.text import missed_gate

    for outcome in missed:
        print(missed_gate(outcome), file=sys.stderr)
        show_in_job(missed_gate(outcome))
    sys.exit(GATE_NOT_MET)


def in_ci() -> bool:
    """Whether this runs in continuous integration, which all common services say in the variable ``CI``."""
    return os.environ.get("CI", "").strip().lower() in ("true", "1", "yes")


def refuse_silence(results: Iterable[tuple[str, Result]], allowed: float) -> None:
    """Fail if a system answered nothing at all, unless that is allowed; from results by system."""
    mute = [each for each in unanswered_of("", results) if each.unanswered == each.items]
    if mute and allowed < 1:
        names = [each.system for each in mute]
        who = f"{names[0]} answered" if len(names) == 1 else f"{', '.join(names)}: each answered"
        raise RunFailed(
            f"{who} none of {mute[0].items:,} items. Look at its responses; if that is meant, allow it with "
            "--allow-unanswered 1."
        )


def show_in_job(error: str) -> None:
    """Make the error a line of the GitHub Actions job, if there is one."""
    if in_github_actions():
        # On stderr, which GitHub reads too: stdout may be JSON.
        print(f"::error title=dialeval::{_one_command(printable(error))}", file=behind(sys.stderr))


def add_job_summary(text: str) -> None:
    """Add Markdown to the summary of the GitHub Actions job, if there is one."""
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if in_github_actions() and place:
        with open(place, "a", encoding="utf-8") as summary:
            summary.write(text + "\n")


def _one_command(text: str) -> str:
    """The text as one workflow command can hold it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
