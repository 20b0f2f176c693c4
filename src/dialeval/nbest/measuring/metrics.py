"""Certainty and Variety of n-best lists (Sato, 2024, section 5.2.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from dialeval.core import Floats, Signature
from dialeval.metrics.rows import MeanOfValues, rows_of_values
from dialeval.nbest.measuring.judged import JudgedList

EMPTY: Final = "the list has no responses"
AMBIGUOUS: Final = "a response is ambiguous"
NONE_CONSISTENT: Final = "no response is consistent"


def why_left_out(judged: JudgedList) -> str | None:
    """Why a list counts for neither measure: it is empty, or a response is ambiguous (section 5.6.3)."""
    if not judged.verdicts:
        return EMPTY
    if judged.obstacle is not None:
        return judged.obstacle
    return AMBIGUOUS if "ambiguous" in judged.verdicts else None


def consistent_share(judged: JudgedList) -> float:
    """The share of the list's responses that do not contradict."""
    return judged.verdicts.count("consistent") / len(judged.verdicts)


@dataclass(frozen=True, slots=True)
class Certainty(MeanOfValues[JudgedList]):
    """Share of n-best lists with at least one response that does not contradict, in [0, 1]; higher is better.

    Lists with an ambiguous response are left out (Sato, 2024, sections 5.2.1 and 5.6.3).
    """

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    family: ClassVar[str] = "nbest"
    yes_no: ClassVar[bool] = True
    reader: str = "yesno"
    """The signature of what judged the responses."""
    n: int | None = None
    """How many responses of a list are looked at, the first ones; None for all."""

    @property
    def signature(self) -> Signature:
        """All that could move the number beside the lists."""
        return Signature(
            "nbest_certainty", (("n", "all" if self.n is None else self.n), ("reader", self.reader))
        )

    def unscorable(self, judged: JudgedList) -> str | None:
        """Why the list is left out, or None."""
        return why_left_out(judged.first(self.n))

    def statistics(self, lists: Sequence[JudgedList]) -> Floats:
        """Rows of 1 or 0, and 1."""
        return rows_of_values([float(consistent_share(judged.first(self.n)) > 0) for judged in lists])


@dataclass(frozen=True, slots=True)
class Variety(MeanOfValues[JudgedList]):
    """Mean share of responses that do not contradict, over lists that have one, in (0, 1]; higher is better.

    Lists with an ambiguous response, and lists without a consistent one, are left out (Sato, 2024, section 5.2.1).
    """

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    family: ClassVar[str] = "nbest"
    conditional: ClassVar[bool] = True
    silence: ClassVar[float] = math.nan
    """A list without a response has no consistent one, so it is left out as others without one; Certainty counts it."""
    reader: str = "yesno"
    """The signature of what judged the responses."""
    n: int | None = None
    """How many responses of a list are looked at, the first ones; None for all."""

    @property
    def signature(self) -> Signature:
        """All that could move the number beside the lists."""
        return Signature(
            "nbest_variety", (("n", "all" if self.n is None else self.n), ("reader", self.reader))
        )

    def unscorable(self, judged: JudgedList) -> str | None:
        """Why the list is left out, or None."""
        seen = judged.first(self.n)
        why = why_left_out(seen)
        return why or (None if consistent_share(seen) else NONE_CONSISTENT)

    def statistics(self, lists: Sequence[JudgedList]) -> Floats:
        """Rows of the share and 1."""
        return rows_of_values([consistent_share(judged.first(self.n)) for judged in lists])
