"""One rating as annotation files give it: a number, or words where the rater could not say."""

from __future__ import annotations

import math
from typing import NamedTuple

from dialeval.data.bad import Where
from dialeval.data.fields import wrong


class Rating(NamedTuple):
    """A value, or the reason there is none."""

    value: float | None
    reason: str | None = None


def rating(answer: object, where: Where, field: str) -> Rating:
    """The rating that ``answer`` gives; words become the reason for no value."""
    if isinstance(answer, str):
        return Rating(None, answer)
    if type(answer) in (int, float) and math.isfinite(answer):  # type: ignore[arg-type]  # a number
        return Rating(float(answer))  # type: ignore[arg-type]
    raise wrong(where, field, answer, "a number, or words where the rater could not say", "Mend the rating.")
