"""Intervals of agreement: about which items and raters, and why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import Floats, Integers, Resampling
from dialeval.ratings.table import Unit
from dialeval.stats.agreement.coefficients import AGREEMENTS, AgreementName
from dialeval.stats.agreement.limits import FEWEST, Absence, agreement_limits
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Bounds

OF_SAMPLED: Final[tuple[AgreementName, ...]] = ("icc_2_1", "icc_2_k")
"""Measures that are about raters like these by their definition."""
Raters: TypeAlias = Literal["fixed", "sampled"]
"""Whose agreement on other items intervals are about: that of these raters, or of others like them, too."""
NO_INTERVAL: Final[Mapping[Absence, str]] = {
    "undefined": "the coefficient is undefined without one of the items or raters",
    "few-units": f"there are fewer than {FEWEST} items or dialogues that count",
    "few-raters": "two raters leave nobody to compare with when one is left out",
    "constant": "the coefficient is the same whichever item is left out",
    "unseen": "it depends on a category that raters have not agreed on yet",
}
"""Why there is no interval, in words."""
NOT_NAMED: Final = "raters are not named, so other raters cannot be sampled"


class Measured(NamedTuple):
    """A measure of agreement, with its interval where it has one."""

    estimate: Estimate
    interval: Bounds | None
    no_interval: str | None = None
    """Why there is no interval, though there is a value and one was asked for."""

    @property
    def value(self) -> float:
        """The measure's value; NaN where it is undefined."""
        return self.estimate.value


class Limits(NamedTuple):
    """What intervals are asked for."""

    resampling: Resampling
    raters: Raters
    labels: Mapping[Unit, int]
    """What belongs together; empty where all units are independent."""

    @classmethod
    def asked(cls, resampling: Resampling, raters: Raters) -> Limits:
        """Before it is known of which units."""
        return cls(resampling, raters, {})

    def over(self, units: Sequence[Unit]) -> Limits:
        """The same for these units."""
        if self.resampling.cluster == "none":
            return self
        items = list(dict.fromkeys(unit.item for unit in units))
        together = self.resampling.clusters(items)
        codes = range(len(items)) if together is None else together.tolist()
        of_item = dict(zip(items, codes, strict=True))
        labels = {unit: of_item[unit.item] for unit in units}
        return self if len(set(labels.values())) == len(units) else self._replace(labels=labels)

    def clusters(self, units: Sequence[Unit]) -> Integers | None:
        """Which of the units belong together; None where all are independent."""
        return np.array([self.labels[unit] for unit in units], dtype=np.int64) if self.labels else None

    def measured(
        self, name: AgreementName, laid: Table, estimate: Estimate | None = None, *, named: bool = True
    ) -> Measured:
        """The measure of a table, whose columns are raters where ``named``."""
        estimate = AGREEMENTS[name].estimate(laid.values) if estimate is None else estimate
        if not estimate.defined or not self.resampling.resamples:
            return Measured(estimate, None)
        together = self.clusters(laid.units)
        sampled = self.raters == "sampled" or (name in OF_SAMPLED and together is None)
        if sampled and not named:
            return Measured(estimate, None, NOT_NAMED)
        low, high, absence = agreement_limits(
            name,
            laid.values,
            raters="like-these" if sampled else "these",
            confidence=self.resampling.confidence,
            clusters=together,
        )
        if absence is not None:
            return Measured(estimate, None, NO_INTERVAL[absence])
        return Measured(estimate, Bounds(low, high))


class Table(NamedTuple):
    """Ratings laid out, and what its lines are."""

    values: Floats
    """Shape (units, raters), or (units, most ratings of a unit)."""
    units: tuple[Unit, ...]

    @property
    def complete(self) -> Table:
        """The units that have as many values as any has."""
        if not self.values.shape[1]:
            return self
        whole = (~np.isnan(self.values)).sum(axis=1)
        kept = whole == whole.max(initial=0)
        return Table(
            self.values[kept], tuple(unit for unit, keep in zip(self.units, kept, strict=True) if keep)
        )
