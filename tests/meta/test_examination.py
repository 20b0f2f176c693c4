from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from dialeval.core import Resampling
from dialeval.data import Judgement
from dialeval.display.notes import codes
from dialeval.errors import UnknownName, Unsuitable
from dialeval.files.documents import as_json
from dialeval.files.folders import check_target
from dialeval.meta.correlation import correlate
from dialeval.meta.document import Document
from dialeval.meta.examination import Inquiry, examine, lower_is_better, turned, turned_rows
from dialeval.meta.folder import META_FILES, read_meta, write_findings
from dialeval.meta.instances import InstanceRule
from dialeval.meta.judgements import join, only_criterion
from dialeval.meta.points import read_points, write_points
from dialeval.ratings.joined import Grid, Joined, MeasureGrid
from dialeval.ratings.table import Ratings

QUICK = Inquiry(resampling=Resampling(resamples=50), repeats=20)


def ask(joined: Joined, inquiry: Inquiry) -> Document:
    return examine(joined, inquiry).document


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
    found = ask(made(), QUICK)
    assert len(found.rows) == 2 * 4
    assert {one.level for one in found.rivals} == {
        "system",
        "item",
        "item_within_system",
        "system_within_item",
    }
    clusters = {row.measure: row.cluster for row in found.rows if row.level == "item"}
    assert clusters == {"close": 1, "noise": 2}
    assert [one.level for one in found.ceiling] == list(found.settings.levels)
    assert len(found.raters) == 3
    assert found.estimates == ()
    assert found.combined == ()


def test_measures_without_a_single_value_are_refused() -> None:
    rows = [Judgement("i0", "s0", "ann", "overall", 3.0), Judgement("i0", "s0", "length", "length", None)]
    with pytest.raises(Unsuitable, match="No value of length can be compared"):
        ask(join(Ratings.of(rows), "overall"), QUICK)


def test_small_test_sets_scatter_about_the_value_on_all_items() -> None:
    close = ask(made(items=60), QUICK).instability[0]
    assert close.measure == "close"
    assert close.size == 30
    assert close.five is not None
    assert close.five[0] <= (close.whole or 0.0) <= close.five[-1]


def test_two_systems_have_no_instability() -> None:
    assert ask(made(systems=2), QUICK).instability == ()


def test_a_combination_is_a_measure_and_is_not_used_for_estimates() -> None:
    found = ask(
        made(rated=20),
        Inquiry(
            resampling=Resampling(resamples=20), repeats=5, combine=True, estimate=True, levels=("item",)
        ),
    )
    assert [row.measure for row in found.rows] == ["close", "noise", "zscore_average", "linear_combination"]
    assert found.estimates[0].measure == "linear_combination"
    told = as_json(found)["combined"]
    assert [one["measure"] for one in told] == ["zscore_average", "linear_combination"]
    assert told[0]["weights"] == {"close": 0.5, "noise": 0.5}


def test_estimates_come_by_the_measure_that_was_named() -> None:
    found = ask(
        made(rated=20),
        Inquiry(resampling=Resampling(resamples=0), repeats=5, estimate=True, estimate_by="close"),
    )
    assert found.estimates[0].measure == "close"
    assert all(one.estimate.n == 20 and one.n_unrated == 10 for one in found.estimates[0].systems)


def without(joined: Joined, name: str, items: int) -> Joined:
    """The same, the measure lacking its scores of the first items of the first system."""
    values = joined.measure_named(name).values.copy()
    values[0, :items] = np.nan
    fewer = MeasureGrid(name, name, name, Grid(joined.systems, joined.items, values))
    measures = tuple(fewer if one.name == name else one for one in joined.measures)
    return dataclasses.replace(joined, measures=measures)


def test_a_good_measure_is_not_dropped_from_estimates_over_one_missing_score() -> None:
    whole = ask(
        made(rated=20),
        Inquiry(resampling=Resampling(resamples=0), repeats=5, estimate=True, levels=("item",)),
    )
    holed = ask(
        without(made(rated=20), "close", 1),
        Inquiry(resampling=Resampling(resamples=0), repeats=5, estimate=True, levels=("item",)),
    )
    assert holed.estimates[0].measure == "linear_combination"
    assert "measures='close, noise'" in holed.estimates[0].rater
    for one, other in zip(whole.estimates[0].systems, holed.estimates[0].systems, strict=True):
        assert (other.estimate.n, other.n_unrated) == (20, 10)
        assert other.effective_n == pytest.approx(one.effective_n, rel=0.3)
    assert "estimated_without" not in codes(holed.notes)


def test_a_measure_that_scores_far_fewer_answers_is_left_out_of_estimates_and_named() -> None:
    found = ask(
        without(made(rated=20), "noise", 25),
        Inquiry(resampling=Resampling(resamples=0), repeats=5, estimate=True, levels=("item",)),
    )
    assert found.estimates[0].measure == "close"
    assert [(note.code, note.text) for note in found.notes] == [
        ("estimated_without", "estimates are made without noise, which scored 95 of 120 answers")
    ]


def test_a_combination_does_not_rank_systems_by_what_it_was_told_of_them() -> None:
    """Measures of nothing but a random offset for each system: fits that saw the systems would look good."""
    inquiry = Inquiry(resampling=Resampling(resamples=0), repeats=2, combine=True, levels=("system", "item"))
    values: dict[str, list[float]] = {"system": [], "item": []}
    for seed in range(12):
        dice = np.random.default_rng(seed)
        systems, items = tuple(f"s{at}" for at in range(5)), tuple(f"i{at}" for at in range(30))
        offsets, human = dice.normal(size=(6, 5, 1)), dice.normal(size=(5, 1)) + dice.normal(size=(5, 30))
        rows = [
            Judgement(item, system, "ann", "overall", human[s, i])
            for s, system in enumerate(systems)
            for i, item in enumerate(items)
        ]
        joined = join(Ratings.of([*rows, Judgement("i0", "s0", "m", "m", 0)]), "overall")
        grids = [
            MeasureGrid(
                f"m{at}", f"m{at}", f"m{at}", Grid(systems, items, offsets[at] + dice.normal(size=(5, 30)))
            )
            for at in range(6)
        ]
        found = ask(dataclasses.replace(joined, measures=tuple(grids)), inquiry)
        for row in found.rows:
            if row.measure == "linear_combination":
                values[row.level].append(row.spearman or 0.0)
        assert as_json(found)["combined"][1]["held_out"] == "items and systems"
    assert np.mean(values["system"]) < 0.4  # .8 where fits have seen the systems
    assert np.mean(values["item"]) < 0.15  # .4


def test_one_system_is_combined_over_held_out_items() -> None:
    found = ask(
        made(systems=1),
        Inquiry(resampling=Resampling(resamples=0), repeats=2, combine=True, levels=("item",)),
    )
    assert as_json(found)["combined"][1]["held_out"] == "items"


def backwards(joined: Joined) -> Joined:
    close = joined.measure_named("close")
    error = MeasureGrid("error", "error", "error", Grid(joined.systems, joined.items, -close.values))
    return dataclasses.replace(joined, measures=(error, joined.measure_named("noise"), close))


def test_a_measure_with_which_lower_is_better_is_ranked_by_how_far_it_falls() -> None:
    joined = backwards(made())
    inquiry = Inquiry(
        resampling=Resampling(resamples=200), repeats=5, combine=True, lower_is_better=("err*",)
    )
    found = ask(joined, inquiry)
    assert found.settings.lower_is_better == ("error",)
    rows = {row.measure: row for row in found.rows if row.level == "item"}
    assert rows["error"].spearman == pytest.approx(-(rows["close"].spearman or 0))
    assert rows["error"].estimate == -rows["close"].estimate
    assert rows["error"].cluster == rows["close"].cluster == 1 < (rows["noise"].cluster or 0)
    (rival,) = (one for one in found.rivals if one.level == "item" and {one.a, one.b} == {"error", "noise"})
    assert rival.significant
    assert rival.difference.value is not None
    assert rival.difference.value > 0.5
    content = as_json(found)
    assert content["settings"]["lower_is_better"] == ["error"]
    assert content["combined"][0]["weights"] == {"error": -1 / 3, "noise": 1 / 3, "close": 1 / 3}
    assert rows["zscore_average"].spearman == pytest.approx(0.8, abs=0.15)
    systems = {row["measure"]: row for row in content["rows"] if row["level"] == "system"}
    assert systems["error"]["pairwise_accuracy"] == systems["close"]["pairwise_accuracy"] == 1
    last = ask(joined, Inquiry(resampling=Resampling(resamples=200), repeats=5, levels=("item",)))
    assert {row.measure: row.cluster for row in last.rows}["error"] == 3


def test_differences_are_of_the_resamples_that_were_asked_for() -> None:
    bounds = {}
    for resample in ("items", "systems"):
        inquiry = Inquiry(
            resampling=Resampling(resamples=100), repeats=2, levels=("item",), resample=resample
        )
        [bounds[resample]] = ask(made(), inquiry).rivals
    assert bounds["items"].difference.value == bounds["systems"].difference.value
    assert bounds["items"].difference.bounds != bounds["systems"].difference.bounds


def test_rows_that_compare_systems_have_accuracies() -> None:
    content = as_json(ask(made(), QUICK))
    for row in content["rows"]:
        own = {"pairwise_accuracy", "soft_pairwise_accuracy", "acc_eq", "tie_epsilon"} & row.keys()
        assert own == {
            "system": {"pairwise_accuracy", "soft_pairwise_accuracy"},
            "system_within_item": {"acc_eq", "tie_epsilon"},
        }.get(row["level"], set())
        if row["measure"] == "close":
            assert all(row[key] > 0.75 for key in own - {"tie_epsilon"})


def test_what_knowing_the_system_alone_reaches_is_told_or_why_not() -> None:
    joined = made()
    means = np.broadcast_to(joined.human.values.mean(axis=1, keepdims=True), joined.human.values.shape)
    human = as_json(ask(joined, QUICK))["human"]
    expected = scipy.stats.pearsonr(joined.human.values.ravel(), means.ravel()).statistic
    assert human["system_identity"] == pytest.approx(expected)
    assert human["system_identity"] ** 2 == pytest.approx(
        human["system_identity_by_chance"] ** 2 + human["system_identity_corrected"] ** 2
    )
    assert human["system_identity_reason"] is None
    alone = as_json(ask(made(items=1), Inquiry(resampling=Resampling(resamples=0), repeats=2)))["human"]
    assert alone["system_identity"] is None
    assert alone["system_identity_reason"] == "no system has two rated answers: its mean is the answer's own"


def test_cells_of_unknown_items_are_listed_and_the_rest_is_counted(tmp_path: Path) -> None:
    rows = [
        *(Judgement(item, "a", "ann", "overall", 3) for item in ("1", "2", "lost")),
        Judgement("1", "b", "ann", "overall", 2),
        *(Judgement(item, "a", name, name, 1) for item in ("1", "2", "new") for name in ("m", "n")),
        *(Judgement("2", "b", name, name, 1) for name in ("m", "n")),
        Judgement("1", "stray", "n", "n", 1),
    ]
    joined = join(Ratings.of(rows), "overall")
    findings = examine(joined, Inquiry(resampling=Resampling(resamples=0), repeats=2))
    write_findings(findings, tmp_path)
    told = as_json(findings.document)["unjoined"]
    assert (told["human"], told["unknown"], told["not_rated"], told["not_scored"]) == (2, 3, 1, 1)
    assert [one["only_measure"] for one in told["measures"]] == [2, 3]
    assert told["first"] == [
        {"side": "human", "item": "lost", "system": "a"},
        {"side": "m", "item": "new", "system": "a"},
        {"side": "n", "item": "1", "system": "stray"},
    ]
    lines = (tmp_path / "unjoined.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == told["first"]


def test_stale_plots_go_and_an_interrupted_folder_is_taken_up(tmp_path: Path) -> None:
    findings = examine(
        made(items=5), Inquiry(resampling=Resampling(resamples=0), repeats=2, levels=("item",))
    )
    folder = tmp_path / "out"
    write_findings(findings, folder)
    (folder / "meta.json").unlink()  # as an interrupted write leaves it
    (folder / ".meta.json.x.part").touch()
    (folder / "plots").mkdir()
    (folder / "plots" / "scatter-gone.svg").touch()
    check_target(folder, "meta.json", kind="meta", parts=META_FILES)
    write_findings(findings, folder)
    assert list((folder / "plots").iterdir()) == []
    assert not list(folder.glob(".*"))


def test_instances_are_told_system_by_system() -> None:
    rules = (InstanceRule.parse("close>=median"), InstanceRule.parse("noise>=9"))
    content = as_json(ask(made(), Inquiry(resampling=Resampling(resamples=0), repeats=2, instances=rules)))
    first, second = content["instances"]
    assert first["rule"].startswith("close >= ")
    assert (first["tested"], len(first["systems"])) == (4, 4)
    assert first["significant"] >= first["significant_adjusted"] >= 3
    assert second["tested"] == 0
    assert second["systems"][0]["p"] is None
    assert second["systems"][0]["reason"] == "the measure calls every rated answer wrong (30)"


def test_too_few_ratings_for_a_fit_are_noted() -> None:
    found = ask(
        made(rated=3),
        Inquiry(resampling=Resampling(resamples=0), repeats=5, combine=True, estimate=True, levels=("item",)),
    )
    assert found.estimates == ()
    assert codes(found.notes) == ("no_combination", "no_estimates")


def test_without_trials_nothing_is_compared() -> None:
    found = ask(made(), Inquiry(resampling=Resampling(resamples=0), repeats=5))
    assert found.rivals == ()
    assert {row.estimate.low for row in found.rows} == {None}
    assert {row.cluster for row in found.rows} == {None}


def test_the_document_is_read_back_as_it_was_computed(tmp_path: Path) -> None:
    rules = (InstanceRule.parse("close>=median"),)
    inquiry = Inquiry(
        resampling=Resampling(resamples=20),
        repeats=5,
        estimate=True,
        combine=True,
        plan=True,
        instances=rules,
    )
    for joined in (made(raters=1, systems=2, rated=12), made(systems=5, items=12, rated=10)):
        findings = examine(joined, inquiry, sources={"ratings.jsonl": None})
        write_findings(findings, tmp_path)
        read = read_meta(tmp_path)
        assert read == findings.document
        assert json.loads((tmp_path / "meta.json").read_text()) == as_json(read) == as_json(findings.document)


def test_correlations_among_measures_agree_with_the_rows() -> None:
    findings = ask(made(), QUICK)
    matrices = {one["level"]: one for one in as_json(findings)["correlations"]}
    for row in findings.rows:
        matrix = matrices[row.level]
        assert matrix["values"][0][matrix["names"].index(row.measure)] == pytest.approx(row.spearman)
    assert matrices["item"]["values"][1][1] == pytest.approx(1)
    assert matrices["item"]["values"][1][2] == matrices["item"]["values"][2][1]


def test_means_are_over_all_cells_of_each_side() -> None:
    rows = [
        *(Judgement(item, "a", "ann", "overall", value) for item, value in (("1", 1), ("2", 2), ("3", 6))),
        *(Judgement(item, "a", "m", "m", value) for item, value in (("1", 10), ("2", 30), ("4", 99))),
    ]
    joined = join(Ratings.of(rows), "overall")
    (mean,) = as_json(ask(joined, Inquiry(resampling=Resampling(resamples=0), repeats=5)))["means"]
    assert mean == {
        "measure": "m",
        "system": "a",
        "human": 3.0,
        "value": pytest.approx(139 / 3),
        "n": 3,
        "scored": 3,
    }


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
    with pytest.raises(Unsuitable, match="only scores of measures"):
        only_criterion(Ratings.of(one[1:]), todo="Name it.")
    judged = [*two, Judgement("1", "a", "judge-x", "overall", 3)]
    assert only_criterion(Ratings.of(judged), people=["judge*"], todo="") == "overall"


def test_a_wrong_measure_for_estimates_suggests_the_close_ones() -> None:
    with pytest.raises(UnknownName, match="close"):
        ask(made(rated=9), Inquiry(resampling=Resampling(resamples=0), estimate=True, estimate_by="clsoe"))


def test_turns_of_one_dialogue_are_drawn_together() -> None:
    """Ten copies of each item under one dialogue's name tell no more than one, and intervals must know it."""
    plain = made(items=15)
    copies = tuple(f"{item}/{turn}" for item in plain.items for turn in range(10))

    def copied(grid: Grid) -> Grid:
        return Grid(grid.systems, copies, np.repeat(grid.values, 10, axis=1))

    many = dataclasses.replace(
        plain,
        human=copied(plain.human),
        measures=tuple(dataclasses.replace(one, grid=copied(one.grid)) for one in plain.measures),
    )
    alone, together = (Resampling(resamples=200, cluster=cluster) for cluster in ("none", "dialogue"))
    asked = Inquiry(repeats=5, levels=("item",))
    one, naive, whole = (
        ask(table, dataclasses.replace(asked, resampling=resampling)).rows[1]
        for table, resampling in ((plain, alone), (many, alone), (many, together))
    )
    assert (whole.estimate.low, whole.estimate.high) == pytest.approx((one.estimate.low, one.estimate.high))
    assert naive.estimate.high - naive.estimate.low < 0.6 * (whole.estimate.high - whole.estimate.low)
    assert ask(many, dataclasses.replace(asked, resampling=together)).settings.cluster == "dialogue"


def test_planning_asks_about_the_measures_as_they_agree_with_people() -> None:
    """A measure for which lower is better is planned for by how well it agrees, not by its sign."""
    plain = made(systems=5)
    turned = dataclasses.replace(
        plain,
        measures=tuple(
            dataclasses.replace(one, grid=dataclasses.replace(one.grid, values=-one.values))
            for one in plain.measures
        ),
    )
    asked = Inquiry(resampling=Resampling(resamples=50), repeats=5, levels=("item",), plan=True)
    upright = ask(plain, asked).planning
    lower = ask(turned, dataclasses.replace(asked, lower_is_better=("close", "noise"))).planning
    assert [plan.question for plan in upright] == [plan.question for plan in lower]
    assert "to find that close agrees better with people than noise on these systems" in {
        plan.question for plan in lower
    }
    assert [plan.enough for plan in upright] == [plan.enough for plan in lower]
    by_systems = [plan for plan in upright if plan.over == "systems"]
    assert [plan.at_hand for plan in by_systems] == [5, 5]


@pytest.fixture
def joined(make_joined):
    dice = np.random.default_rng(0)
    names = ("ter", "bleu(order=2)", "self_bleu(order=2)", "length")
    return make_joined(dice.random((2, 3, 8)), {name: dice.random((3, 8)) for name in names})


def test_patterns_and_our_own_metrics_say_which(joined) -> None:
    assert lower_is_better(joined) == ("self_bleu(order=2)",)
    assert lower_is_better(joined, ["ter", "leng*"]) == ("ter", "self_bleu(order=2)", "length")


def test_a_pattern_that_fits_nothing_suggests_the_close_ones(joined) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'ter'"):
        lower_is_better(joined, ["tre"])


def test_turning_a_measure_turns_its_row_and_twice_is_not_at_all(joined) -> None:
    rows = correlate(joined, levels=["item"], resampling=Resampling(resamples=50))
    other = correlate(turned(joined, ["ter"]), levels=["item"], resampling=Resampling(resamples=50))
    for one, two in zip(turned_rows(rows, ["ter"]), other, strict=True):
        assert one.measure == two.measure
        for name in ("pearson", "spearman", "kendall"):
            assert getattr(one, name) == pytest.approx(getattr(two, name))
        assert one.estimate[:3] == pytest.approx(two.estimate[:3])
    assert turned_rows(turned_rows(rows, ["ter"]), ["ter"]) == rows
