"""A study's human ratings: read early, joined with its measures, told in its folder, page and terminal."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from dialeval.errors import BadInput, BadStudy, UnknownName, Unsuitable
from dialeval.study import load_study, read_summary, render, run_study, write_run


def rate(
    folder: Path, *, items: int = 40, criteria: tuple[str, ...] = ("overall",), name: str = "ratings.jsonl"
) -> None:
    """Two people rate the first ``items`` items of both transcripts: good ones higher, longer ones higher still."""
    with (folder / name).open("w", encoding="utf-8") as out:
        for at in range(items):
            for system, level in (("good", 4), ("poor", 2)):
                for rater in ("ann", "ben"):
                    value = level + (at % 3 == 0) - (rater == "ben") * (at % 5 == 0)
                    for criterion in criteria:
                        row = {"item": f"d{at // 2}/{at % 2}", "system": system, "rater": rater}
                        out.write(json.dumps({**row, "criterion": criterion, "value": value}) + "\n")


def name_ratings(folder: Path, value: str) -> Path:
    study = folder / "study.yaml"
    study.write_text(study.read_text().replace("measures:", f"trials: 100\nhuman: {value}\nmeasures:"))
    return study


def summary(folder: Path, value: str = "ratings.jsonl") -> dict:
    write_run(run_study(load_study(name_ratings(folder, value))), folder / "out")
    return json.loads((folder / "out" / "summary.json").read_text())


def test_the_summary_says_how_each_measure_agrees_with_people(study_folder):
    rate(study_folder)
    human = summary(study_folder)["human"]
    assert human["human"]["criterion"] == "overall"
    assert human["human"]["raters"] == 2
    by_item = {row["measure"]: row for row in human["rows"] if row["level"] == "item"}
    assert list(by_item) == ["bleu(order=2)", "rouge_l", "length"]  # as the study wrote them
    assert by_item["rouge_l"]["spearman"] > 0.7
    assert by_item["rouge_l"]["estimate"]["n"] == 78  # d5/1 has no reference for either
    assert human["settings"]["seed"] == 7
    assert human["settings"]["trials"] == 100


def test_systems_and_items_that_only_one_side_knows_are_counted(study_folder):
    rate(study_folder)
    with (study_folder / "ratings.jsonl").open("a") as out:
        row = {"item": "d99/0", "system": "good", "rater": "ann", "criterion": "overall", "value": 3}
        out.write(json.dumps(row) + "\n")
    unjoined = summary(study_folder)["human"]["unjoined"]
    assert unjoined["human"] == 1  # d99/0; d3/0 of poor is unanswered, and so has a value
    assert {"side": "human", "item": "d99/0", "system": "good"} in unjoined["first"]
    length = next(one for one in unjoined["measures"] if one["measure"] == "length")
    assert length == {
        "measure": "length",
        "both": 80,
        "only_human": 1,
        "only_measure": 40,
    }  # floor is not rated


def test_estimates_appear_where_only_some_answers_were_rated(study_folder):
    rate(study_folder, items=24)
    human = summary(study_folder)["human"]
    (estimates,) = human["estimates"]
    good = next(one for one in estimates["systems"] if one["system"] == "good")
    assert (good["estimate"]["n"], good["n_unrated"]) == (24, 16)
    assert good["estimate"]["low"] < good["estimate"]["value"] < good["estimate"]["high"]
    assert good["classical"]["estimate"]["value"] == pytest.approx(4 + 8 / 24 - 5 / 48)


def test_the_page_has_a_section_about_people_and_the_terminal_a_line(study_folder, dialeval):
    rate(study_folder, items=24)
    done = dialeval("run", name_ratings(study_folder, "ratings.jsonl"), "-o", "out")
    assert done.code == 0
    # Within a system, BLEU falls where the ratings rise.
    assert "no measure agrees with people on these 2 systems: bleu(order=2) comes nearest" in " ".join(
        done.out.split()
    )
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "<h2>Do the measures agree with people?</h2>" in page
    section = page[page.index('<section id="people">') : page.index('<section id="items">')]
    assert "Items, pooled: measures against people&#39;s &#39;overall&#39;" in section
    assert "Scatter plot of rouge_l against people" in section
    assert "Heat map of correlations" in section
    assert "ratings alone" in section
    headings = [int(level) for level in re.findall(r"<h(\d)", section)]
    assert all(after <= before + 1 for before, after in itertools.pairwise(headings))
    before = Path("out/report.html").read_bytes()
    assert render(Path("out")).read_bytes() == before


def test_equal_runs_have_equal_bytes(study_folder):
    rate(study_folder, items=24)
    study = load_study(name_ratings(study_folder, "ratings.jsonl"))
    for folder in ("one", "two"):
        write_run(run_study(study), study_folder / folder)
    for name in ("summary.json", "points.parquet"):
        assert (study_folder / "one" / name).read_bytes() == (study_folder / "two" / name).read_bytes()


def test_the_ratings_are_among_the_files_of_the_manifest(study_folder):
    rate(study_folder)
    summary(study_folder)
    manifest = json.loads((study_folder / "out" / "manifest.json").read_text())
    assert any(one["path"].endswith("ratings.jsonl") for one in manifest["files"])


def test_a_study_without_ratings_says_null_and_leaves_no_points(study_folder):
    rate(study_folder)
    assert summary(study_folder)["human"] is not None
    study = study_folder / "study.yaml"
    study.write_text(study.read_text().replace("human: ratings.jsonl\n", ""))
    write_run(run_study(load_study(study)), study_folder / "out")
    content = json.loads((study_folder / "out" / "summary.json").read_text())
    assert content["human"] is None
    assert not (study_folder / "out" / "points.parquet").exists()
    assert 'id="people"' not in render(study_folder / "out").read_text(encoding="utf-8")


def test_a_run_of_an_earlier_version_is_still_read(study_folder):
    write_run(run_study(load_study(study_folder / "study.yaml")), study_folder / "out")
    file = study_folder / "out" / "summary.json"
    content = json.loads(file.read_text())
    del content["human"]
    file.write_text(json.dumps(content))
    assert read_summary(study_folder / "out").human is None
    assert render(study_folder / "out").is_file()


def test_the_criterion_can_be_named_and_must_be_where_there_are_several(study_folder):
    rate(study_folder, criteria=("overall", "fluent"))
    named = summary(study_folder, "{path: ratings.jsonl, criterion: fluent}")
    assert named["human"]["human"]["criterion"] == "fluent"
    assert named["human"]["human"]["set_aside"] == {"overall": 160}


def test_several_criteria_without_a_name_are_known_before_any_system_is_asked(study_folder):
    rate(study_folder, criteria=("overall", "fluent"))
    study = load_study(name_ratings(study_folder, "ratings.jsonl"))
    (study_folder / "good.jsonl").unlink()  # would fail, were it asked
    with pytest.raises(Unsuitable, match=r"'overall' \(160\), 'fluent' \(160\).*criterion: NAME"):
        run_study(study)


def test_a_wrong_criterion_suggests_the_close_ones(study_folder):
    rate(study_folder)
    study = load_study(name_ratings(study_folder, "{path: ratings.jsonl, criterion: overal}"))
    with pytest.raises(UnknownName, match="Did you mean 'overall'"):
        run_study(study)


def test_a_file_that_holds_no_judgements_is_refused(study_folder):
    study = load_study(name_ratings(study_folder, "prompts.jsonl"))
    with pytest.raises(BadInput, match=r"prompts\.jsonl, line 1"):
        run_study(study)


def test_ratings_of_other_answers_are_a_failure_and_the_rest_is_kept(study_folder, dialeval):
    row = {"item": "x", "system": "y", "rater": "ann", "criterion": "overall", "value": 3}
    (study_folder / "ratings.jsonl").write_text(json.dumps(row) + "\n")
    done = dialeval("run", name_ratings(study_folder, "ratings.jsonl"), "-o", "out")
    assert done.code == 1
    assert "1 part of the study failed; the other results are in" in done.err
    content = json.loads(Path("out/summary.json").read_text())
    assert content["human"] is None
    (failure,) = content["failures"]
    assert (failure["system"], failure["measure"]) == (None, None)
    assert failure["message"].startswith("human ratings: 1 of 1 lines of ratings.jsonl match no item")
    assert len(content["results"]) == 9


def test_a_study_of_corpus_measures_alone_has_nothing_to_join(study_folder):
    rate(study_folder)
    study = name_ratings(study_folder, "ratings.jsonl")
    study.write_text(study.read_text().replace("[bleu(order=2), rouge_l, length]", "[distinct(n=2)]"))
    (failure,) = run_study(load_study(study)).failures
    assert "no measure of this study has values of single items" in failure.message


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("nowhere.jsonl", "human.path: "),
        ("5", "human: found 5, but it must be the path of a file of ratings, or {path, criterion}"),
        ("{criterion: overall}", "human.path: required"),
        ("{path: prompts.jsonl, critrion: x}", "human.critrion: unknown key; did you mean 'criterion'?"),
        (
            "{path: prompts.jsonl, format: fedd}",
            "human.format: There is no format called 'fedd'. Did you mean 'fed'",
        ),
    ],
)
def test_every_mistake_is_named_with_its_path(study_folder, value, problem):
    with pytest.raises(BadStudy) as raised:
        load_study(name_ratings(study_folder, value))
    assert problem in str(raised.value)


def test_a_measure_that_says_lower_is_better_is_ranked_so(study_folder, monkeypatch):
    monkeypatch.setattr("dialeval.metrics.overlap.rouge_l.RougeL.higher_is_better", False)
    rate(study_folder)
    human = summary(study_folder)["human"]
    assert human["settings"]["lower_is_better"] == ["rouge_l"]
    by_item = {row["measure"]: row for row in human["rows"] if row["level"] == "item"}
    assert by_item["rouge_l"]["spearman"] > 0.4  # as it is, but for silence, which now counts as 1
    assert by_item["rouge_l"]["cluster"] == max(row["cluster"] for row in by_item.values())


def test_a_study_of_dialogues_resamples_them_whole_against_people_too(study_folder):
    rate(study_folder)
    study = study_folder / "study.yaml"
    before = study.read_text()
    whole = summary(study_folder)["human"]
    study.write_text(before + "cluster: none\n")
    alone = summary(study_folder)["human"]
    assert (alone["settings"]["cluster"], whole["settings"]["cluster"]) == ("none", "dialogue")
    one, other = (next(row for row in found["rows"] if row["level"] == "item") for found in (alone, whole))
    assert one["spearman"] == other["spearman"]
    assert one["estimate"] != other["estimate"]
    assert [r["p_permutation"] for r in alone["rivals"]] != [r["p_permutation"] for r in whole["rivals"]]


def test_one_rater_twice_is_an_error_unless_the_study_says_what_counts(study_folder):
    rate(study_folder)
    with (study_folder / "ratings.jsonl").open("a") as out:
        row = {"item": "d0/0", "system": "good", "rater": "ann", "criterion": "overall", "value": 1}
        out.write(json.dumps(row) + "\n")
    plain = (study_folder / "study.yaml").read_text()
    with pytest.raises(BadInput, match="'repeats' under 'human'"):
        summary(study_folder)
    (study_folder / "study.yaml").write_text(plain)
    human = summary(study_folder, "{path: ratings.jsonl, repeats: separate}")["human"]
    assert human["human"]["raters"] == 3
    (study_folder / "study.yaml").write_text(plain)
    with pytest.raises(BadStudy, match=r"human\.repeats"):
        summary(study_folder, "{path: ratings.jsonl, repeats: second}")


def rate_few(folder: Path) -> None:
    """One person, three items: 1.33 higher on average, and 8 higher at most by Student's interval."""
    rows = [("good", (5, 5, 4)), ("poor", (4, 2, 4))]
    lines = [
        {"item": f"d{at}/0", "system": system, "rater": "ann", "criterion": "overall", "value": value}
        for system, values in rows
        for at, value in enumerate(values)
    ]
    (folder / "ratings.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize(("scale", "most"), [("", None), (", scale: 1-5", 4), (", scale: 0-10", 10)])
def test_differences_of_ratings_keep_to_the_scale_that_the_study_declares(study_folder, scale, most):
    rate_few(study_folder)
    (pair,) = summary(study_folder, f"{{path: ratings.jsonl{scale}}}")["people"]
    high = pair["difference"]["high"]
    assert high > 4 if most is None else high <= most


def test_a_scale_that_is_none_or_that_ratings_leave_is_refused(study_folder):
    rate_few(study_folder)
    study = name_ratings(study_folder, "{path: ratings.jsonl, scale: five}")
    with pytest.raises(BadStudy, match=r"human\.scale: 'five' is not a valid scale"):
        load_study(study)
    study.write_text(study.read_text().replace("five", "1-4"))
    with pytest.raises(BadInput, match="2 ratings outside the scale, first 5"):
        run_study(load_study(study))
