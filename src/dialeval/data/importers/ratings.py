"""Ratings in annotation files: a number, or words or nothing where the rater could not say; unnamed raters."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from typing import Final, NamedTuple

from dialeval.data.codec.bad import Where
from dialeval.data.codec.dialects import number_in
from dialeval.data.codec.fields import wrong

_LARGEST: Final = sys.float_info.max
"""Whole numbers in JSON have any number of digits; NaN and infinity are not below this."""


class Rating(NamedTuple):
    """A value, or the reason there is none."""

    value: float | None
    reason: str | None = None


def rating(answer: object, where: Where, field: str) -> Rating:
    """The rating that ``answer`` gives; words become the reason for no value."""
    if isinstance(answer, str):
        return Rating(None, answer)
    if isinstance(answer, int | float) and not isinstance(answer, bool) and abs(answer) <= _LARGEST:
        return Rating(float(answer))
    raise wrong(where, field, answer, "a number, or words where the rater could not say", "Fix the rating.")


NO_ANSWER: Final = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""What stands in a cell, in lower case, where a rater could not say."""


def rating_in_cell(
    cell: str, where: Where, field: str, todo: str = "Fix the rating.", separator: str = ","
) -> Rating:
    """The rating in a table's cell; blank, or a word such as NA that programs write for it, is a missing value.

    Other words are refused, since in a table they are more often a slip or a column that holds no ratings.
    """
    written = cell.strip()
    if written.lower() in NO_ANSWER:
        return Rating(None, written or None)
    value = number_in(written, separator)
    if math.isfinite(value):
        return Rating(value)
    raise wrong(where, field, cell, "a number, or an empty cell where the rater could not say", todo)


def score_in_cell(cell: str, where: Where, field: str) -> float:
    """The number a table's cell must hold."""
    value = rating_in_cell(cell, where, field).value
    if value is None:
        raise wrong(where, field, cell, "a number", "Fix the score.")
    return value


_POSITION: Final = re.compile(r"#[1-9][0-9]*")


def position(number: int) -> str:
    """The rater of the rating that stands at this place of its list, counted from 1."""
    return f"#{number}"


def anonymous(raters: Iterable[str]) -> bool:
    """Whether one of the raters is a position in a list, so that nobody can be followed from item to item."""
    return any(_POSITION.fullmatch(rater) for rater in raters)
