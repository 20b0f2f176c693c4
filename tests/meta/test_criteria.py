"""Every criterion in one table."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.data.types import Judgement
from dialeval.display.table import markdown
from dialeval.meta import join
from dialeval.meta.criteria import as_rows, correlate_criteria, criteria_of, criteria_table
from dialeval.ratings import Ratings


def judgements() -> list[Judgement]:
    """Sixty items; the measure agrees with people on one criterion, and the other is noise."""
    draw = np.random.default_rng(0)
    found = []
    for item in range(60):
        quality = float(draw.normal())
        found.append(Judgement(f"i{item}", "s", "selfeval", "selfeval", quality))
        for rater in ("ana", "ben"):
            found.append(Judgement(f"i{item}", "s", rater, "coherent", quality + float(draw.normal(0, 0.5))))
            found.append(Judgement(f"i{item}", "s", rater, "funny", float(draw.normal())))
    return found


def test_criteria_of_people_are_in_one_table_and_chance_is_marked() -> None:
    ratings = Ratings.of(judgements())
    names = criteria_of(ratings, people=None, measures=None)
    assert set(names) == {"coherent", "funny"}
    rows = correlate_criteria(
        {name: join(ratings, name) for name in names},
        level="item",
        coefficient="spearman",
        resampling=Resampling(resamples=0),
    )
    by_name = {row.criterion: row for row in rows}
    assert by_name["coherent"].estimate.value == pytest.approx(0.85, abs=0.12)
    p = {name: row.p for name, row in by_name.items()}
    assert p["coherent"] is not None
    assert p["coherent"] < 0.01 < (p["funny"] or 0)
    assert by_name["coherent"].p_adjusted == pytest.approx(2 * p["coherent"])
    text = markdown(criteria_table(rows, level="item", coefficient="spearman"))
    lines = {name: next(line for line in text.splitlines() if name in line) for name in names}
    assert "°" in lines["funny"]
    assert "°" not in lines["coherent"]
    assert "1 of 2 correlations stay below 0.01 after Holm" in text
    assert {row["criterion"] for row in as_rows(rows)} == set(names)
