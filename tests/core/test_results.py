"""Results keep every subject."""

from __future__ import annotations

import numpy as np

from dialeval import Length
from dialeval.core import Estimate, Provenance, Result


def test_judgements_hold_a_value_or_a_reason_for_every_subject():
    provenance = Provenance(Length().signature, "d", "0", 0, 0)
    result = Result(
        metric=Length(),
        items=("one", "two"),
        systems=("a", "a"),
        rows=np.array([[3.0, 1.0], [np.nan, np.nan]]),
        values=np.array([3.0, np.nan]),
        estimate=Estimate(3.0, 2.0, 4.0, 1),
        provenance=provenance,
        reasons={1: "no response"},
    )
    first, second = result.judgements
    assert (first.item, first.value, first.reason, first.rater) == ("one", 3.0, None, str(Length().signature))
    assert (second.item, second.value, second.reason, second.criterion) == (
        "two",
        None,
        "no response",
        "length",
    )
    assert (len(result), result.scored, result.coverage) == (2, 1, 0.5)
