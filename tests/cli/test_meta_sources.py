"""Bad and doubtful input to ``dialeval meta`` and ``dialeval annotate agreement``: all is named, nothing is silent."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

Row = dict[str, Any]


def write(path: str, rows: list[Row]) -> str:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def judgement(item: str, system: str, rater: str, criterion: str, value: Any) -> Row:
    return {"item": item, "system": system, "rater": rater, "criterion": criterion, "value": value}


def made(items: int = 12) -> tuple[list[Row], list[Row]]:
    """Three people rate the answers of three systems; 'close' follows them and 'noise' does not."""
    dice, ratings, scores = random.Random(3), [], []
    for item in range(items):
        for at, system in enumerate("abc"):
            quality = 1 + at + 2 * dice.random()
            for name in ("ann", "ben", "cem"):
                value = min(5, max(1, round(quality + dice.gauss(0, 0.5))))
                ratings.append(judgement(f"i{item}", system, name, "overall", value))
            scores.append(judgement(f"i{item}", system, "close", "close", quality))
            scores.append(judgement(f"i{item}", system, "noise", "noise", dice.random()))
    return ratings, scores


RATINGS, SCORES = made()


@pytest.fixture
def run(dialeval):
    """``dialeval meta`` on files in the working folder, quickly."""
    write("ratings.jsonl", RATINGS)
    write("scores.jsonl", SCORES)

    def call(*arguments, criterion="overall"):
        named = ("--human-criterion", criterion) if criterion else ()
        quick = ("--trials", 20, "--level", "item", "-o", "out")
        return dialeval("meta", *arguments, *named, *quick)

    return call


def changed(at: int, **fields: Any) -> list[Row]:
    return [{**row, **fields} if number == at else row for number, row in enumerate(RATINGS)]


BAD: dict[str, tuple[Any, tuple[str, ...]]] = {
    "no such file": (None, ("bad.jsonl: found no such file, expected a file.",)),
    "text among numbers": (
        changed(5, value="good"),
        ("bad.jsonl, line 6, field 'value': found the text 'good', expected a finite number or null.",),
    ),
    "infinity": (changed(2, value=float("inf")), ("bad.jsonl, line 3", "found Infinity", "Write null")),
    "two values of one rater": (
        [*RATINGS, {**RATINGS[5], "value": 99}],
        (
            f"bad.jsonl, line {len(RATINGS) + 1}, field 'value': found two values,",
            "(the other stands in line 6), expected one value per rater and criterion. Keep one of them",
        ),
    ),
    "an empty file": ([], ("bad.jsonl: found an empty file, expected at least one judgement.", "Check")),
}


@pytest.mark.parametrize("json_too", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("kind", BAD)
def test_bad_files_are_refused_by_both_with_their_place(dialeval, run, kind, json_too):
    rows, said = BAD[kind]
    if rows is not None:
        write("bad.jsonl", rows)
    for done in (
        run("bad.jsonl", "scores.jsonl", *json_too),
        dialeval("annotate", "agreement", "bad.jsonl", "--trials", 20, *json_too),
    ):
        assert (done.code, done.out) == (1, "")
        assert "Traceback" not in done.err
        for part in said:
            assert part in done.err
    assert not Path("out").exists()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_values_that_are_no_numbers_name_their_field_in_tables(dialeval, run, suffix):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = changed(1, value=float("inf"))
    if suffix == ".csv":
        lines = [",".join(map(str, row.values())) for row in rows]
        Path("bad.csv").write_text("\n".join(["item,system,rater,criterion,value", *lines]) + "\n")
    else:
        pq.write_table(
            pa.Table.from_pylist([{**row, "value": float(row["value"])} for row in rows]), "bad.parquet"
        )
    line = 3 if suffix == ".csv" else 2
    for done in (run(f"bad{suffix}", "scores.jsonl"), dialeval("annotate", "agreement", f"bad{suffix}")):
        assert done.code == 1
        assert (
            f"bad{suffix}, line {line}, field 'value': found the number inf, expected a finite number"
            in done.err
        )


def test_contradicting_files_are_both_named_with_their_lines(run):
    write("more.jsonl", [RATINGS[0] | {"item": "z"}, {**RATINGS[7], "value": 99}])
    done = run("ratings.jsonl", "more.jsonl", "scores.jsonl")
    assert done.code == 1
    assert "error: more.jsonl, line 2, field 'value': found two values" in done.err
    assert "(the other stands in ratings.jsonl, line 8)" in done.err


def test_lines_are_counted_as_an_editor_counts_them(dialeval):
    rows = [json.dumps(row) for row in [*RATINGS[:3], {**RATINGS[0], "value": 99}]]
    Path("gaps.jsonl").write_text("\n\n".join(rows) + "\n")
    done = dialeval("annotate", "agreement", "gaps.jsonl")
    assert "gaps.jsonl, line 7, field 'value'" in done.err
    assert "(the other stands in line 1)" in done.err


def test_ratings_off_the_scale_are_refused_with_their_line(dialeval, run):
    write("bad.jsonl", changed(4, value=9))
    for done in (
        run("scores.jsonl", "bad.jsonl", "--scale", "1-5"),
        dialeval("annotate", "agreement", "bad.jsonl", "--scale", "1-5"),
    ):
        assert done.code == 1
        found = "bad.jsonl, line 5, field 'value': found 1 rating outside the scale, 9 of rater 'ben'"
        assert found in done.err
        assert "expected 1 to 5. Fix it, or give the scale that was used." in done.err
    assert (
        run("ratings.jsonl", "scores.jsonl", "--scale", "1-5").code == 0
    )  # scores are on no scale of people's
    assert run("ratings.jsonl", "scores.jsonl", "--scale", "5").code == 2


def test_a_sheet_with_a_column_for_each_rater_is_read_as_it_is(run):
    lines = [f"i{n},{system},{n % 4},{n % 5}" for n in range(12) for system in "abc"]
    Path("wide.csv").write_text("\n".join(["item,system,ann,ben", *lines]))
    done = run("wide.csv", "scores.jsonl", criterion="rating")
    assert (done.code, "with a column for each rater" in done.err) == (0, True)


def test_errors_about_all_files_together_name_them(run):
    unknown = run("ratings.jsonl", "scores.jsonl", criterion="overal")
    assert unknown.code == 1
    assert "error: ratings.jsonl, scores.jsonl: There is no criterion called 'overal'." in unknown.err
    assert "Did you mean 'overall'? There are close, noise, overall." in unknown.err
    alone = run("scores.jsonl", criterion=None)
    assert alone.code == 1
    assert "error: scores.jsonl: People rated 2 criteria here" in alone.err
    assert (
        "has the name of its criterion, as measures do: if they are measures, add people's ratings."
        in alone.err
    )
    nobody = run(write("silent.jsonl", [{**row, "value": None} for row in RATINGS]), "scores.jsonl")
    assert nobody.code == 1
    assert (
        "silent.jsonl, scores.jsonl: People's ratings on 'overall' are required, but found 108" in nobody.err
    )


def test_items_that_never_join_are_shown_side_by_side(run):
    apart = run("ratings.jsonl", write("x.jsonl", [{**row, "item": "x" + row["item"]} for row in SCORES]))
    assert apart.code == 1
    assert "ratings.jsonl, x.jsonl: No answer is both rated" in apart.err
    assert "People rated item 'i0' of system 'a'; close scored item 'xi0'" in apart.err
    assert "case or blanks" not in apart.err
    upper = run("ratings.jsonl", write("X.jsonl", [{**row, "item": row["item"].upper()} for row in SCORES]))
    assert upper.code == 1
    assert "'i0' is the same except for case or whitespace. Use the same item ids" in upper.err


def read(done) -> dict[str, Any]:
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_criteria_that_differ_in_case_or_blanks_are_told_at_the_top(run):
    spelt = {"ann": "overall", "ben": "Overall", "cem": " overall"}
    write("case.jsonl", [{**row, "criterion": spelt[row["rater"]]} for row in RATINGS])
    first, second, *_ = read(run("case.jsonl", "scores.jsonl", "--json"))["notes"]
    said = "is 'overall' except for case or whitespace, and counts as another criterion: 36 judgements by"
    assert first == f"'Overall' {said} ben; if they are the same, use one spelling"
    assert second == f"' overall' {said} cem; if they are the same, use one spelling"
    lines = run("case.jsonl", "scores.jsonl").out.splitlines()
    assert lines[0].startswith(" • 'Overall' is 'overall' except for case")
    several = run("case.jsonl", "scores.jsonl", criterion=None)
    assert several.code == 1
    assert "'overall' and 'Overall' and ' overall' differ only in case or whitespace" in several.err


def test_a_measure_that_is_called_like_the_criterion_is_no_twin_of_it(run):
    write("own.jsonl", [{**row, "rater": "Overall", "criterion": "Overall"} for row in SCORES[::2]])
    assert read(run("ratings.jsonl", "own.jsonl", "--json"))["notes"] == []


def test_agreement_warns_of_criteria_that_are_twins(dialeval):
    write(
        "case.jsonl", [{**row, "criterion": "Overall"} if row["rater"] == "ben" else row for row in RATINGS]
    )
    done = dialeval("annotate", "agreement", "case.jsonl", "--trials", 0, "--json")
    assert done.code == 0
    assert "warning: 'overall' and 'Overall' differ only in case or whitespace, and count as two" in done.err


def test_who_counts_as_what_is_said_where_some_were_named(run):
    found = read(run("ratings.jsonl", "scores.jsonl", "--people", "ann", "--json"))
    assert found["notes"] == ["people: ann", "measures, being all the others: ben, cem, close, noise"]
    found = read(run("ratings.jsonl", "scores.jsonl", "--measures", "cem", "--json"))
    assert found["notes"][:2] == ["people: ann, ben", "measures: cem, close, noise"]
    shown = run("ratings.jsonl", "scores.jsonl", "--people", "ann").out.splitlines()
    assert shown[0] == " • people: ann"
    assert read(run("ratings.jsonl", "scores.jsonl", "--json"))["notes"] == []


@pytest.mark.parametrize("option", ["--people", "--measures"])
def test_patterns_that_fit_nobody_are_errors_with_close_names(run, option):
    done = run("ratings.jsonl", "scores.jsonl", option, "ann", option, "clsoe")
    assert done.code == 1
    assert "There is no rater called 'clsoe'. Did you mean 'close'?" in done.err
    assert (
        f"A pattern for {option[2:]} must match one of the 5 raters: ann, ben, cem, close, noise." in done.err
    )


def test_judgements_given_twice_are_counted_and_said(run):
    write("twice.jsonl", [*RATINGS, RATINGS[5], RATINGS[6]])
    found = read(run("twice.jsonl", "scores.jsonl", "--json"))
    assert found["human"]["repeated"] == 2
    assert found["notes"] == ["duplicate judgements, counted once: 2"]


def test_one_system_says_in_our_words_why_it_has_no_rank(dialeval):
    write("r.jsonl", [row for row in RATINGS if row["system"] == "a"])
    write("s.jsonl", [row for row in SCORES if row["system"] == "a"])
    done = dialeval("meta", "r.jsonl", "s.jsonl", "--human-criterion", "overall", "--trials", 20)
    assert done.code == 0
    assert "undefined: fewer than 2 systems (1)" in done.out
    equal = write("equal.jsonl", [{**row, "value": 3} for row in RATINGS])
    write("scores.jsonl", SCORES)
    flat = dialeval("meta", equal, "scores.jsonl", "--human-criterion", "overall", "--trials", 20)
    assert "undefined: all human ratings are equal (3)" in flat.out


def test_one_item_has_no_interval_and_says_so(dialeval):
    write("r.jsonl", [row for row in RATINGS if row["item"] == "i0"])
    write("s.jsonl", [row for row in SCORES if row["item"] == "i0"])
    options = ("--human-criterion", "overall", "--trials", 20, "--json")
    found = read(dialeval("meta", "r.jsonl", "s.jsonl", *options))
    for row in found["rows"]:
        assert (row["estimate"]["low"], row["estimate"]["high"]) == (None, None)
    pooled = next(row for row in found["rows"] if row["level"] == "item")
    assert "no interval: 1 item, and 5 are required" in pooled["warnings"]
    assert found["rivals"]
    assert all(rival["difference"]["low"] is None for rival in found["rivals"])


def test_the_ratings_of_one_rater_have_no_ceiling_and_say_why(run):
    write("one.jsonl", [row for row in RATINGS if row["rater"] == "ann"])
    found = read(run("one.jsonl", "scores.jsonl", "--json"))
    assert found["rows"][0]["spearman"] is not None
    assert found["ceiling"][0]["mean"]["value"] is None
    assert found["ceiling"][0]["mean"]["reason"]


def test_turns_of_a_dialogue_are_resampled_together(run):
    for name, rows in (("r", RATINGS), ("s", SCORES)):
        write(
            f"{name}.jsonl", [{**row, "item": f"d{int(row['item'][1:]) // 4}/{row['item']}"} for row in rows]
        )
    alone, whole = (read(run("r.jsonl", "s.jsonl", "--json", *more)) for more in (("--cluster", "none"), ()))
    assert (alone["settings"]["cluster"], whole["settings"]["cluster"]) == ("none", "dialogue")
    assert alone["rows"][0]["spearman"] == whole["rows"][0]["spearman"]
    assert alone["rows"][0]["estimate"]["low"] != whole["rows"][0]["estimate"]["low"]
    assert whole["rivals"][0]["p_error"] == 0  # three dialogues: all eight swaps were tried
    assert "no interval: 3 dialogues, and 5 are required" in run("r.jsonl", "s.jsonl").out


def test_planning_is_printed_written_and_on_the_page(run):
    found = read(run("ratings.jsonl", "scores.jsonl", "--plan", "--json"))
    questions = {(one["question"], one["over"]): one for one in found["planning"]}
    systems = questions["to find that c is rated above b", "items"]
    assert systems["at_hand"] == 12
    assert (systems["goal"], systems["target"]) == ("power", 0.8)
    reached = [one["size"] for one in systems["points"] if one["power"]["value"] >= 0.8]
    assert systems["enough"] == min(reached)
    assert questions["to find that c is rated above b", "raters"]["at_hand"] == 3
    assert ("to find that close agrees better with people than noise on these systems", "items") in questions
    of_systems = questions["to pin down the correlation of close with people, as to systems", "systems"]
    assert of_systems["enough"] is None
    assert of_systems["reason"] == "3 systems are too few to resample: at least 5 are required"
    assert "What the next study needs" in Path("out/meta.html").read_text(encoding="utf-8")
    shown = run("ratings.jsonl", "scores.jsonl", "--plan").out
    assert "What the next study needs" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert read(run("ratings.jsonl", "scores.jsonl", "--json"))["planning"] == []


def test_planning_without_resamples_says_why_there_is_none(dialeval, run):
    options = ("--human-criterion", "overall", "--plan", "--trials", 0, "--level", "item", "--json")
    found = read(dialeval("meta", "ratings.jsonl", "scores.jsonl", *options))
    assert found["planning"] == []
    assert any(note.startswith("no planning: it requires resamples") for note in found["notes"])
