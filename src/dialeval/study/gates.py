"""Thresholds that a study's systems must meet, so that a build can fail on a worse chatbot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Final

from dialeval.files.documents import finite
from dialeval.study.document import GateOutcome
from dialeval.text.calls import print_call, split_call


@dataclass(frozen=True, slots=True)
class Gate:
    """A threshold on one measure; ``system`` None means that every system must meet it."""

    measure: str
    comparator: str
    """One of ``>=``, ``>``, ``<=``, ``<``."""
    threshold: float
    system: str | None = None

    def __str__(self) -> str:
        whose = f"{self.system}: " if self.system else ""
        return f"{whose}{self.measure} {self.comparator} {self.threshold:g}"

    def met_by(self, score: float) -> bool:
        """Whether ``score`` passes; an undefined score never does."""
        return _COMPARE[self.comparator](score, self.threshold)


_COMPARE: Final[Mapping[str, Callable[[float, float], bool]]] = {">=": ge, ">": gt, "<=": le, "<": lt}
_GATE: Final = re.compile(r"(?:([^:()]+):)?(.+?)(>=|<=|>|<)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)")


def parse_gate(text: str) -> Gate:
    """A gate as people write it: ``rouge_l >= 0.3``, or ``new: rouge_l >= 0.3`` for one system.

    >>> parse_gate("new: bleu(order=2) > .1")
    Gate(measure='bleu(order=2)', comparator='>', threshold=0.1, system='new')
    """
    match = _GATE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a gate such as 'rouge_l >= 0.3' or 'new: rouge_l >= 0.3'")
    system, measure, comparator, threshold = match.groups()
    name, parameters, _ = split_call(measure)
    label = print_call(name, parameters)
    return Gate(label, comparator, float(threshold), system.strip() if system else None)


def check_gates(gates: Sequence[Gate], scores: Sequence[tuple[str, str, float]]) -> Iterator[GateOutcome]:
    """How each (measure, system, score) fares at the gates that concern it."""
    for gate in gates:
        for measure, system, score in scores:
            if measure == gate.measure and gate.system in (None, system):
                yield GateOutcome(str(gate), system, measure, finite(score), gate.met_by(score))
