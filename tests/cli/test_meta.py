"""``dialeval meta``: people and measures in one table, and what comes of it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

LEVELS = {"system", "item", "item_within_system", "system_within_item"}


def write(path: str, rows: list[dict[str, Any]]) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def judgement(item: str, system: str, rater: str, criterion: str, value: float | None) -> dict[str, Any]:
    return {"item": item, "system": system, "rater": rater, "criterion": criterion, "value": value}


@pytest.fixture
def files(dialeval):
    """Three people rate forty answers of four systems; 'close' follows them, 'noise' does not."""
    dice = random.Random(5)
    ratings, scores = [], []
    for item in range(40):
        for at, system in enumerate(("a", "b", "c", "d")):
            quality = 1 + at * 0.7 + dice.random() * 2
            ratings += [
                judgement(
                    f"i{item}", system, name, "overall", min(5, max(1, round(quality + dice.gauss(0, 0.5))))
                )
                for name in ("ann", "ben", "cem")
            ]
            ratings.append(judgement(f"i{item}", system, "ann", "fluent", dice.randint(1, 5)))
            scores.append(judgement(f"i{item}", system, "close", "close", quality + dice.gauss(0, 0.3)))
            scores.append(judgement(f"i{item}", system, "noise", "noise", dice.random()))
    write("ratings.jsonl", ratings)
    write("scores.jsonl", scores)
    return dialeval


def meta(files, *arguments, sources=("ratings.jsonl", "scores.jsonl")) -> dict[str, Any]:
    done = files("meta", *sources, "--human-criterion", "overall", "--trials", 200, "--json", *arguments)
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_every_measure_has_a_row_at_every_level(files):
    found = meta(files)
    assert {(row["measure"], row["level"]) for row in found["rows"]} == {
        (measure, level) for measure in ("close", "noise") for level in LEVELS
    }
    by_item = {row["measure"]: row for row in found["rows"] if row["level"] == "item"}
    assert (
        by_item["close"]["estimate"]["low"]
        < by_item["close"]["spearman"]
        < by_item["close"]["estimate"]["high"]
    )
    assert by_item["close"]["spearman"] > 0.7 > 0.3 > by_item["noise"]["spearman"]
    assert by_item["close"]["estimate"]["n"] == 160
    assert (by_item["close"]["cluster"], by_item["noise"]["cluster"]) == (1, 2)
    assert found["human"]["raters"] == 3
    assert found["human"]["cells"] == 160
    assert found["human"]["set_aside"] == {"fluent": 160}


def test_json_is_strict_and_is_what_the_folder_holds(files):
    found = meta(files, "-o", "out")

    def refuse(word: str) -> None:
        raise AssertionError(word)

    kept = json.loads(Path("out/meta.json").read_text(encoding="utf-8"), parse_constant=refuse)
    assert {**kept, "folder": "out", "report": "out/meta.html"} == found
    assert sorted(path.name for path in Path("out").iterdir()) == ["meta.html", "meta.json", "points.parquet"]


def test_the_same_command_gives_the_same_bytes(files):
    meta(files, "-o", "one")
    meta(files, "-o", "two")
    for name in ("meta.json", "points.parquet", "meta.html"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()


def test_the_table_is_printed_with_interval_n_and_cluster(files):
    done = files("meta", "ratings.jsonl", "scores.jsonl", "--human-criterion", "overall", "--level", "item")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "Spearman with people's 'overall'"
    assert lines[1].split() == ["measure", "pooled", "p", "p", "(Holm)", "rank", "group"]
    assert lines[3].startswith("close ")
    assert "[" in lines[3]
    assert max(map(len, lines)) <= 80
    assert "1 of 1 pair of measures differ significantly" in done.out
    assert lines[-1] == "Report: runs/meta-ratings/meta.html"


def test_only_the_levels_asked_for_and_the_coefficient_asked_for(files):
    found = meta(files, "--level", "item", "--level", "system", "--coefficient", "kendall")
    assert [row["level"] for row in found["rows"]].count("item") == 2
    assert {row["level"] for row in found["rows"]} == {"system", "item"}
    assert {row["coefficient"] for row in found["rows"]} == {"kendall"}
    assert {one["coefficient"] for one in found["correlations"]} == {"kendall"}


def test_a_wrong_level_suggests_the_close_ones(files):
    done = files("meta", "ratings.jsonl", "--level", "items")
    assert done.code == 2
    assert "'item'" in done.err


def test_several_criteria_are_listed_where_none_is_named(files):
    done = files("meta", "ratings.jsonl", "scores.jsonl")
    assert done.code == 1
    assert "'overall' (480), 'fluent' (160)" in done.err
    assert "--human-criterion" in done.err


def test_the_only_criterion_is_used_and_named(files):
    rows = [json.loads(line) for line in Path("ratings.jsonl").read_text().splitlines()]
    write("only.jsonl", [row for row in rows if row["criterion"] == "overall"])
    done = files(
        "meta", "only.jsonl", "scores.jsonl", "--measures", "close", "--measures", "noise", "--trials", 0
    )
    assert done.code == 0
    assert "only 'overall', so that is the human criterion" in done.err


def test_a_wrong_criterion_suggests_the_close_ones(files):
    done = files("meta", "ratings.jsonl", "scores.jsonl", "--human-criterion", "overal")
    assert done.code == 1
    assert "Did you mean 'overall'?" in done.err


def test_people_without_any_measure_are_an_error_that_says_what_to_do(files):
    done = files("meta", "ratings.jsonl", "--human-criterion", "overall")
    assert done.code == 1
    assert "no measure to compare with them" in done.err
    assert "--measures" in done.err
    assert not Path("runs").exists()


def test_a_rater_can_be_named_a_measure(files):
    found = meta(files, "--measures", "cem", "--level", "item")
    assert [row["measure"] for row in found["rows"]] == ["cem", "close", "noise"]
    assert found["human"]["raters"] == 2


def test_what_does_not_join_is_counted_and_listed(files):
    write("more.jsonl", [judgement("nowhere", "a", "ann", "overall", 3)])
    found = meta(files, "-o", "out", sources=("ratings.jsonl", "more.jsonl", "scores.jsonl"))
    assert found["unjoined"]["human"] == 1
    assert found["unjoined"]["first"] == [{"side": "human", "item": "nowhere", "system": "a"}]
    assert json.loads(Path("out/unjoined.jsonl").read_text()) == {
        "side": "human",
        "item": "nowhere",
        "system": "a",
    }
    meta(files, "-o", "out")
    assert not Path("out/unjoined.jsonl").exists()


def test_nothing_that_joins_is_an_error(files):
    write("other.jsonl", [judgement("x", "z", "close", "close", 1)])
    done = files("meta", "ratings.jsonl", "other.jsonl", "--human-criterion", "overall")
    assert done.code == 1
    assert "No answer is both rated by people and scored by a measure" in done.err


def test_estimates_from_a_rated_part(files):
    rows = [json.loads(line) for line in Path("ratings.jsonl").read_text().splitlines()]
    write("part.jsonl", [row for row in rows if int(row["item"][1:]) < 25])
    found = meta(files, "--level", "item", "--estimate", sources=("part.jsonl", "scores.jsonl"))
    (estimates,) = found["estimates"]
    assert estimates["measure"] == "linear_combination"
    assert [one["system"] for one in estimates["systems"]] == ["a", "b", "c", "d"]
    assert all(one["estimate"]["n"] == 25 and one["n_unrated"] == 15 for one in estimates["systems"])
    for one in estimates["systems"]:
        ours, alone = (each["estimate"]["high"] - each["estimate"]["low"] for each in (one, one["classical"]))
        assert ours < 1.05 * alone
    assert len(estimates["differences"]) == 6
    by = meta(files, "--level", "item", "--estimate-by", "close", sources=("part.jsonl", "scores.jsonl"))
    assert by["estimates"][0]["measure"] == "close"
    assert (
        files(
            "meta", "part.jsonl", "scores.jsonl", "--human-criterion", "overall", "--estimate-by", "clos"
        ).code
        == 2
    )


def test_combinations_stand_among_the_measures(files):
    found = meta(files, "--level", "item", "--combine")
    assert [row["measure"] for row in found["rows"]] == [
        "close",
        "noise",
        "zscore_average",
        "linear_combination",
    ]
    values = {row["measure"]: row["spearman"] for row in found["rows"]}
    assert values["linear_combination"] > values["zscore_average"]
    assert [one["fitted"] for one in found["combined"]] == [False, True]


def test_without_resamples_there_are_no_intervals_and_no_rivals(files):
    found = meta(files, "--trials", 0, "--level", "item")
    assert found["rivals"] == []
    assert {row["estimate"]["low"] for row in found["rows"]} == {None}


def test_the_page_can_be_made_again_and_plots_had_as_files(files):
    meta(files, "-o", "out", "--level", "item", "--plots")
    page = Path("out/meta.html")
    before = page.read_bytes()
    page.unlink()
    done = files("report", "out")
    assert (done.code, done.out) == (0, "out/meta.html\n")
    assert page.read_bytes() == before
    assert Path("out/plots/scatter-close.svg").is_file()


def test_a_folder_with_other_things_is_not_written_into(files):
    Path("mine").mkdir()
    Path("mine/thesis.tex").touch()
    done = files("meta", "ratings.jsonl", "scores.jsonl", "--human-criterion", "overall", "-o", "mine")
    assert done.code == 1
    assert "a folder with other files" in done.err


def test_a_run_folder_stands_beside_ratings(files):
    assert files("demo", "--quick", "--copy", "my").code == 0
    assert files("run", "my/study.yaml", "-o", "runs/mine", "--limit", 12).code == 0
    items = [json.loads(line)["id"] for line in Path("my/prompts.jsonl").read_text().splitlines()[:12]]
    write(
        "people.jsonl",
        [
            judgement(item, system, name, "overall", 1 + (at + number) % 4)
            for number, item in enumerate(items)
            for at, system in enumerate(("attentive", "chatty", "echo"))
            for name in ("ann", "ben")
        ],
    )
    done = files("meta", "runs/mine", "people.jsonl", "--trials", 50, "--level", "item", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert {row["measure"] for row in found["rows"]} >= {"bleu", "rouge_l", "length"}
    assert {row["estimate"]["n"] for row in found["rows"]} == {36}
    assert found["folder"] == "runs/meta-mine"
    assert {one["path"] for one in found["settings"]["sources"]} == {"runs/mine", "people.jsonl"}


def test_an_importer_can_be_named(dialeval, shared_data):
    source = shared_data / "usr-topicalchat" / "topical_chat_result.json"
    done = dialeval(
        *(
            "meta",
            source,
            "--from",
            "unieval",
            "--human-criterion",
            "overall",
            "--level",
            "item",
            "--trials",
            0,
            "--json",
        ),
        *("-o", "out"),
    )
    assert done.code == 0, done.err
    rows = {row["measure"]: row for row in json.loads(done.out)["rows"]}
    overall = next(row for name, row in rows.items() if "overall" in name)
    assert round(overall["pearson"], 3) == 0.633  # facts: UniEval on USR-TopicalChat, all 360 rows
    assert round(overall["spearman"], 3) == 0.663


def test_lower_is_better_turns_the_ranking_and_not_the_rows(files):
    rows = [json.loads(line) for line in Path("scores.jsonl").read_text().splitlines()]
    errors = [{**row, "rater": "ter", "criterion": "ter", "value": -row["value"]} for row in rows]
    write("errors.jsonl", [row for at, row in enumerate(errors) if rows[at]["rater"] == "close"])
    sources = ("ratings.jsonl", "scores.jsonl", "errors.jsonl")
    found = meta(files, "--level", "item", "--lower-is-better", "te*", "-o", "out", sources=sources)
    by_name = {row["measure"]: row for row in found["rows"]}
    assert by_name["ter"]["spearman"] == pytest.approx(-by_name["close"]["spearman"])
    assert by_name["ter"]["cluster"] == by_name["close"]["cluster"] == 1
    assert found["settings"]["lower_is_better"] == ["ter"]
    wrong = files("meta", *sources, "--human-criterion", "overall", "--lower-is-better", "tre")
    assert wrong.code == 2
    assert "Did you mean 'ter'?" in wrong.err


def test_another_criterion_of_people_is_looked_at_as_a_measure(files):
    found = meta(files, "--level", "item", "--also", "flu*", "--trials", 0)
    assert [row["measure"] for row in found["rows"]] == ["close", "noise", "fluent"]
    assert found["human"]["set_aside"] == {}
    wrong = files("meta", "ratings.jsonl", "scores.jsonl", "--human-criterion", "overall", "--also", "fluant")
    assert wrong.code == 1
    assert "Did you mean 'fluent'?" in wrong.err


def test_single_answers_are_tested_system_by_system(files):
    rules = ("--instances", "close>=median", "--instances", "noise >= 0.5")
    found = meta(files, "--level", "item", "--trials", 0, "-o", "out", *rules)
    first, second = found["instances"]
    assert [one["system"] for one in first["systems"]] == ["a", "b", "c", "d"]
    assert first["test"] == "welch"
    assert first["significant"] == sum((one["p"] or 1) < 0.05 for one in first["systems"]) >= 2
    assert second["rule"] == "noise >= 0.5"
    assert second["significant"] <= 1
    page = Path("out/meta.html").read_text(encoding="utf-8")
    assert "Is a measure right about single answers?" in page
    assert "right where noise &gt;= 0.5" in page
    arguments = ("--human-criterion", "overall", "--level", "item", "--trials", 0, *rules)
    shown = files("meta", "ratings.jsonl", "scores.jsonl", *arguments)
    assert "Single answers: right where noise >= 0.5" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_wrong_rules_for_single_answers_are_told_before_the_work(files):
    common = ("meta", "ratings.jsonl", "scores.jsonl", "--human-criterion", "overall", "--instances")
    assert files(*common, "close>2").code == 2
    unknown = files(*common, "clos>=2")
    assert unknown.code == 2
    assert "Did you mean 'close'?" in unknown.err
    graded = files(*common, "close")
    assert graded.code == 1
    assert "does not say right or wrong" in graded.err
    assert not Path("runs").exists()


def test_an_interrupted_folder_is_taken_up_again(files):
    meta(files, "-o", "out", "--level", "item", "--trials", 0, "--plots")
    Path("out/meta.json").unlink()
    Path("out/plots/scatter-old.svg").touch()
    meta(files, "-o", "out", "--level", "item", "--trials", 0)
    assert list(Path("out/plots").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named_without_a_traceback(dialeval, tmp_path):
    rows = [
        {"item": f"i{at}", "system": "s", "rater": rater, "criterion": rater, "value": at * (1 + (at % 2))}
        for at in range(6)
        for rater in ("overall", "bleu")
    ]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = dialeval(
        *("meta", "all.jsonl", "--human-criterion", "overall", "--people", "overall", "--level", "item"),
        *("--trials", "0", "-o", tmp_path / "all.jsonl" / "x"),
    )
    assert done.code == 1
    assert "Check the path" in done.err


def test_every_criterion_of_turns_and_dialogues_is_one_call(files):
    """Turns and dialogues are rated on criteria of the same names; each set has its own correlations."""
    scores = [json.loads(line) for line in Path("scores.jsonl").read_text().splitlines()]
    first = [f"i{item}" for item in range(20)]
    write("turns.jsonl", [row for row in scores if row["item"] in first])
    write("dialogues.jsonl", [row for row in scores if row["item"] not in first])
    sets = ("--set", "turn=turns.jsonl", "--set", "dialogue=dialogues.jsonl")
    done = files("meta", "ratings.jsonl", "--criteria", "all", *sets, "--json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["rows"]
    assert {(row["set"], row["criterion"], row["items"]) for row in rows} == {
        (name, criterion, 20) for name in ("turn", "dialogue") for criterion in ("overall", "fluent")
    }
    alone = files("meta", "ratings.jsonl", "turns.jsonl", "--criteria", "all", "--json")
    before = json.loads(alone.out)["rows"]
    assert [row["estimate"] for row in before] == [row["estimate"] for row in rows if row["set"] == "turn"]
    assert {row["measure"] for row in rows} == {"close", "noise"}  # not people who judged other criteria only
    printed = files("meta", "ratings.jsonl", "--criteria", "all", *sets, "--average")
    assert "Every criterion: dialogue" in printed.out
    assert "over the 8 correlations with a p-value" in " ".join(printed.out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ratings.jsonl", "--set", "turn=scores.jsonl"), "--set: needs --criteria"),
        (("ratings.jsonl", "--average"), "--average: needs --criteria"),
        (("ratings.jsonl", "--criteria", "all", "--set", "scores.jsonl"), "is not NAME=FILE"),
        (("--criteria", "all"), "Missing argument 'JUDGEMENTS'"),
        ((), "Missing argument 'JUDGEMENTS'"),
    ],
)
def test_sets_and_averages_are_for_every_criterion(files, arguments, said):
    done = files("meta", *arguments)
    assert done.code == 2
    assert said in done.err
