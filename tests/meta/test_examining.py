from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from dialeval.data import Judgement
from dialeval.errors import UnknownName, Unsuitable
from dialeval.meta.criteria import only_criterion
from dialeval.meta.document import document
from dialeval.meta.examining import Inquiry, examine
from dialeval.meta.folder import write_findings
from dialeval.meta.joining import Grid, Joined, MeasureGrid, join
from dialeval.meta.points import write_points
from dialeval.meta.ratings import Ratings
from dialeval.report import read_document
from dialeval.report.meta.points import read_points

QUICK = Inquiry(trials=50, repeats=20)


def made(
    *, systems: int = 4, items: int = 30, rated: int | None = None, raters: int = 3, seed: int = 0
) -> Joined:
    """People who agree with 'close' but for noise, and not with 'noise'; only the first ``rated`` items are rated."""
    dice = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        for system in range(systems):
            quality = system + dice.normal()
            rows.append(Judgement(f"i{item}", f"s{system}", "close", "close", quality + dice.normal(0, 0.5)))
            rows.append(Judgement(f"i{item}", f"s{system}", "noise", "noise", dice.normal()))
            rows += [
                Judgement(f"i{item}", f"s{system}", f"r{rater}", "overall", quality + dice.normal(0, 0.5))
                for rater in range(raters)
                if item < (items if rated is None else rated)
            ]
    return join(Ratings.of(rows), "overall")


def test_everything_is_found_at_once() -> None:
    found = examine(made(), QUICK)
    assert len(found.rows) == 2 * 4
    assert {one.level for one in found.rivals} == {
        "system",
        "item",
        "item_within_system",
        "system_within_item",
    }
    clusters = {row.measure: row.cluster for row in found.rows if row.level == "item"}
    assert clusters == {"close": 1, "noise": 2}
    assert [one.level for one in found.ceiling] == list(found.inquiry.levels)
    assert len(found.raters) == 3
    assert found.estimates is None
    assert found.combination is None


def test_small_test_sets_scatter_about_the_value_on_all_items() -> None:
    close = examine(made(items=60), QUICK).instability[0]
    assert close.small.measure == "close"
    assert close.small.size == 30
    assert close.small.summary is not None
    assert close.small.summary.least <= close.whole <= close.small.summary.greatest


def test_two_systems_have_no_instability() -> None:
    assert examine(made(systems=2), QUICK).instability == ()


def test_a_combination_is_a_measure_and_is_not_used_for_estimates() -> None:
    found = examine(
        made(rated=20), Inquiry(trials=20, repeats=5, combine=True, estimate=True, levels=("item",))
    )
    assert [row.measure for row in found.rows] == ["close", "noise", "zscore_average", "linear_combination"]
    assert found.estimates is not None
    assert found.estimates.measure == "linear_combination"
    told = document(found)["combined"]
    assert [one["measure"] for one in told] == ["zscore_average", "linear_combination"]
    assert told[0]["weights"] == {"close": 0.5, "noise": 0.5}


def test_estimates_come_by_the_measure_that_was_named() -> None:
    found = examine(made(rated=20), Inquiry(trials=0, repeats=5, estimate=True, estimate_by="close"))
    assert found.estimates is not None
    assert found.estimates.measure == "close"
    assert all(one.estimate.n == 20 and one.estimate.n_unrated == 10 for one in found.estimates.systems)


def test_a_measure_that_scores_more_answers_is_preferred_to_a_fit_of_all() -> None:
    joined = made(rated=20)
    values = joined.measure_named("noise").values.copy()
    values[0, 0] = np.nan
    fewer = MeasureGrid("noise", "noise", "noise", Grid(joined.systems, joined.items, values))
    thin = dataclasses.replace(joined, measures=(joined.measure_named("close"), fewer))
    found = examine(thin, Inquiry(trials=0, repeats=5, estimate=True, levels=("item",)))
    assert found.estimates is not None
    assert found.estimates.measure == "close"


def test_too_few_ratings_for_a_fit_are_noted() -> None:
    found = examine(
        made(rated=3), Inquiry(trials=0, repeats=5, combine=True, estimate=True, levels=("item",))
    )
    assert found.estimates is None
    assert [note.split(":")[0] for note in found.notes] == ["no linear combination", "no estimates"]


def test_without_trials_nothing_is_compared() -> None:
    found = examine(made(), Inquiry(trials=0, repeats=5))
    assert found.rivals == ()
    assert {row.low for row in found.rows} == {None}
    assert {row.cluster for row in found.rows} == {None}


def test_the_document_holds_plain_json_that_the_report_reads(tmp_path: Path) -> None:
    findings = examine(
        made(raters=1, systems=2, rated=12), Inquiry(trials=20, repeats=5, estimate=True, combine=True)
    )
    content = write_findings(findings, tmp_path, {"ratings.jsonl": None})
    assert json.loads((tmp_path / "meta.json").read_text()) == content
    read = read_document(tmp_path)
    assert [row.measure for row in read.rows] == [row.measure for row in findings.rows]
    assert read.ceiling[0].reason is not None
    assert read.estimates[0].systems[0].classical.value is not None


def test_correlations_among_measures_agree_with_the_rows() -> None:
    findings = examine(made(), QUICK)
    matrices = {one["level"]: one for one in document(findings)["correlations"]}
    for row in findings.rows:
        matrix = matrices[row.level]
        assert matrix["values"][0][matrix["names"].index(row.measure)] == pytest.approx(row.spearman)
    assert matrices["item"]["values"][1][1] == pytest.approx(1)
    assert matrices["item"]["values"][1][2] == matrices["item"]["values"][2][1]


def test_means_are_over_the_cells_that_both_have() -> None:
    rows = [
        *(Judgement(item, "a", "ann", "overall", value) for item, value in (("1", 1), ("2", 2), ("3", 6))),
        *(Judgement(item, "a", "m", "m", value) for item, value in (("1", 10), ("2", 30), ("4", 99))),
    ]
    joined = join(Ratings.of(rows), "overall")
    (mean,) = document(examine(joined, Inquiry(trials=0, repeats=5)))["means"]
    assert mean == {"measure": "m", "system": "a", "human": 1.5, "value": 20.0, "n": 2}


def test_points_are_the_cells_that_both_have(tmp_path: Path) -> None:
    joined = made(systems=2, items=5, rated=3)
    write_points(joined, tmp_path / "points.parquet")
    points = read_points(tmp_path / "points.parquet")
    assert set(points) == {(m, s) for m in ("close", "noise") for s in ("s0", "s1")}
    np.testing.assert_array_equal(points["noise", "s1"].human, joined.human.values[1, :3])
    np.testing.assert_array_equal(points["noise", "s1"].value, joined.measures[1].values[1, :3])


def test_the_only_criterion_is_found_and_several_are_listed() -> None:
    one = [Judgement("1", "a", "ann", "overall", 3), Judgement("1", "a", "bleu(order=4)", "bleu", 0.1)]
    assert only_criterion(Ratings.of(one), todo="Name it.") == "overall"
    two = [*one, Judgement("1", "a", "ann", "fluent", 2), Judgement("1", "a", "ann", "rude", None)]
    with pytest.raises(Unsuitable, match=r"2 criteria .* 'overall' \(1\), 'fluent' \(1\)\. Name it\."):
        only_criterion(Ratings.of(two), todo="Name it.")
    with pytest.raises(Unsuitable, match="only of measures"):
        only_criterion(Ratings.of(one[1:]), todo="Name it.")
    judged = [*two, Judgement("1", "a", "judge-x", "overall", 3)]
    assert only_criterion(Ratings.of(judged), people=["judge*"], todo="") == "overall"


def test_a_wrong_measure_for_estimates_suggests_the_close_ones() -> None:
    with pytest.raises(UnknownName, match="close"):
        examine(made(rated=9), Inquiry(trials=0, estimate=True, estimate_by="clsoe"))
