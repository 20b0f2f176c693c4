"""Small tables of ratings, written as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dialeval.data import Judgement
from dialeval.ratings.table import Ratings


def table(answers: Mapping[str, Sequence[float | None]], criterion: str = "fluency") -> Ratings:
    """Each rater's values for the items q1, q2 and so on; "-" leaves one unasked, None is one who could not say."""
    return Ratings.of(
        Judgement(f"q{at}", "bot", rater, criterion, value)
        for rater, values in answers.items()
        for at, value in enumerate(values, start=1)
        if value != "-"
    )
