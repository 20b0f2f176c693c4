"""Every criterion in one table."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from dialeval.core import Resampling
from dialeval.data.types import Judgement
from dialeval.display.table import markdown
from dialeval.meta import join
from dialeval.meta.criteria import (
    CriteriaTable,
    Shown,
    correlate_criteria,
    criteria_json,
    criteria_of,
    criteria_tables,
)
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


def of_sets(names: tuple[str, ...], coefficient: Shown = "spearman", resamples: int = 0) -> CriteriaTable:
    """The table of some criteria in each of two sets, or in one without a name."""
    ratings = Ratings.of(judgements())
    joined = [join(ratings, name) for name in ("coherent", "funny")]
    return correlate_criteria(
        dict.fromkeys(names, joined),
        level="item",
        coefficient=coefficient,
        resampling=Resampling(resamples=resamples),
    )


def test_criteria_of_people_are_in_one_table_and_chance_is_marked() -> None:
    assert set(criteria_of(Ratings.of(judgements()), people=None, measures=None)) == {"coherent", "funny"}
    found = of_sets(("",))
    by_name = {row.criterion: row for row in found.rows}
    assert by_name["coherent"].estimate.value == pytest.approx(0.85, abs=0.12)
    p = {name: row.p for name, row in by_name.items()}
    assert p["coherent"] is not None
    assert p["coherent"] < 0.01 < (p["funny"] or 0)
    assert by_name["coherent"].p_adjusted == pytest.approx(2 * p["coherent"])
    (table,) = criteria_tables(found)
    text = markdown(table)
    lines = {name: next(line for line in text.splitlines() if f"| {name} " in line) for name in by_name}
    assert "°" in lines["funny"]
    assert "*" not in lines["funny"]
    assert "°" not in lines["coherent"]
    assert "*" in lines["coherent"]
    assert "1 of 2 stay below 0.01 after Holm" in text


def test_sets_are_tables_of_one_family() -> None:
    """Twice as many correlations multiply the smallest p twice as much."""
    one, two = of_sets(("",)), of_sets(("turn", "dialogue"))
    assert two.rows[0].p_adjusted == pytest.approx(2 * (one.rows[0].p_adjusted or 0))
    tables = criteria_tables(two)
    assert [table.title for table in tables] == ["Every criterion: turn", "Every criterion: dialogue"]
    assert not tables[0].notes
    assert "over the 4 correlations with a p-value" in " ".join(tables[1].notes)
    content = criteria_json(two)
    assert [row["set"] for row in content["rows"]] == ["turn", "turn", "dialogue", "dialogue"]  # type: ignore[attr-defined]


def test_people_are_compared_without_their_own_rating_and_with_it() -> None:
    """With noise of half the spread a rater has .8 with the other one; with a mean that contains it, more."""
    row = of_sets(("",)).people[0]
    ratings = [one for one in judgements() if one.criterion == "coherent"]
    ana, ben = ([one.value or 0 for one in ratings if one.rater == rater] for rater in ("ana", "ben"))
    mean = np.mean([ana, ben], axis=0)
    assert row.others == pytest.approx(spearmanr(ana, ben).statistic)
    assert row.own == pytest.approx(np.mean([spearmanr(rater, mean).statistic for rater in (ana, ben)]))
    assert (row.own or 0) > (row.others or 1)


def test_averages_are_of_pearson_and_spearman_with_the_interval_of_their_mean() -> None:
    found = of_sets(("",), "average", resamples=200)
    first = found.rows[0]
    assert first.pearson is not None
    assert first.spearman is not None
    assert first.estimate.value == pytest.approx((first.pearson + first.spearman) / 2)
    assert first.estimate.bounds is not None
    spearman = of_sets(("",), resamples=200).rows[0].estimate
    assert first.estimate.low == pytest.approx(spearman.low, abs=0.1)
    assert first.p is not None
    assert first.p < 1e-6
    (table,) = criteria_tables(found)
    assert [column.title for column in table.columns][-5:] == [
        "Pearson",
        "Spearman",
        "mean of both",
        "p",
        "p (Holm)",
    ]
