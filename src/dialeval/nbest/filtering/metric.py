"""How often a real filter answers well where an ideal one would: the gap that Certainty and Variety assume away."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from dialeval.core import Floats, Signature
from dialeval.metrics.rows import MeanOfValues, rows_of_values
from dialeval.nbest.detectors import SHIPPED
from dialeval.nbest.filtering.rule import FilterRule, Method, Otherwise
from dialeval.nbest.measuring.judged import JudgedList
from dialeval.nbest.measuring.metrics import NONE_CONSISTENT, consistent_share, why_left_out

OWN_JUDGE: Final = "the filter's detector is also the judge, so it cannot be wrong"
UNFILTERED: Final = ""
"""The detector of no filter: the first candidate is the answer."""


@dataclass(frozen=True, slots=True)
class FilterAccuracy(MeanOfValues[JudgedList]):
    """Share of lists with a consistent response of which the filter's choice is one, in [0, 1]; higher is better.

    An ideal filter has 1. Certainty and Variety assume one (Sato, 2024, section 5.1), so 1 minus this is what they
    leave out: lists with a good response that the detector does not let through, or ranks too low. Lists
    without a consistent response, or with an ambiguous one, are left out, and so are lists that the filter's own
    detector has judged.
    """

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    family: ClassVar[str] = "nbest_filter"
    yes_no: ClassVar[bool] = True
    conditional: ClassVar[bool] = True
    silence: ClassVar[float] = math.nan
    """As of Variety: a list without a response has no consistent one."""
    reader: str = "yesno"
    """The signature of what judged the responses."""
    n: int | None = None
    """How many responses of a list are looked at, the first ones; None for all."""
    filter: str = SHIPPED
    """The filter's detector; empty for no filter, whose choice is the first response."""
    method: Method = "drop"
    otherwise: Otherwise = "first"

    @property
    def signature(self) -> Signature:
        """All that could move the number beside the lists."""
        parameters = (
            ("n", "all" if self.n is None else self.n),
            ("reader", self.reader),
            ("filter", self._detector),
            ("method", self.method),
            ("otherwise", self.otherwise),
        )
        return Signature("nbest_filter", parameters)

    @property
    def resources(self) -> Mapping[str, str]:
        """Those of the filter's detector."""
        return {} if self.filter == UNFILTERED else self._rule.resources

    def unscorable(self, judged: JudgedList) -> str | None:
        """Why the list is left out, or None."""
        seen = judged.first(self.n)
        why = why_left_out(seen)
        if why is None and self.filter != UNFILTERED and seen.reader == self._detector:
            return OWN_JUDGE
        return why or (None if consistent_share(seen) else NONE_CONSISTENT)

    def statistics(self, lists: Sequence[JudgedList]) -> Floats:
        """Rows of 1 if the choice is consistent or 0, and 1."""
        seen = [judged.first(self.n) for judged in lists]
        if self.filter == UNFILTERED:
            return rows_of_values([float(judged.verdicts[0] == "consistent") for judged in seen])
        contexts = [judged.nbest.context for judged in seen]
        chosen = self._rule.choose(contexts, [judged.nbest.responses for judged in seen])
        return rows_of_values(
            [
                float(bool(each.places) and judged.verdicts[each.places[0]] == "consistent")
                for judged, each in zip(seen, chosen, strict=True)
            ]
        )

    @property
    def _rule(self) -> FilterRule:
        return FilterRule(self.filter, self.method, self.otherwise)

    @property
    def _detector(self) -> str:
        return "" if self.filter == UNFILTERED else str(self._rule.judge.signature)
