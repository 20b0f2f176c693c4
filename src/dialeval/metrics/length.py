"""Length of responses: not a quality, yet many measures of quality depend on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dialeval.core import Floats
from dialeval.data.types import Example
from dialeval.metrics.rows import MeanOfValues, rows_of_values
from dialeval.text.tokenisers.words import split_whitespace


@dataclass(frozen=True, slots=True)
class Length(MeanOfValues[Example]):
    """Words per response, separated by whitespace.

    Neither direction is better.

    The corpus score is the mean. An empty response has 0 words. A text in a script without spaces, such as
    Japanese, counts as one word between its spaces.
    """

    name: ClassVar[str] = "length"
    facts: ClassVar[tuple[tuple[str, str], ...]] = (("tokens", "whitespace"),)
    higher_is_better: ClassVar[None] = None
    limits: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the response's words and 1."""
        return rows_of_values([len(split_whitespace(example.response.text)) for example in examples])
