"""``dialeval annotate agreement``: tables for people, JSON for machines, errors with their place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dialeval.cli.annotate.agreement import MOST_RATERS
from support.paths import DOCS

WIDE = "item,criterion,ana,ben,cleo\n" + "".join(
    f"q{at},fluency,{a},{b},{c}\n"
    for at, (a, b, c) in enumerate([(1, 1, 5), (2, 2, 3), (3, 3, 1), (4, 4, 2), (5, 5, 3), (5, 4, "")])
)


@pytest.fixture
def sheet(dialeval) -> str:
    Path("r.csv").write_text(WIDE)
    return "r.csv"


def read_json(done, code: int = 0) -> dict:
    assert done.code == code, done.err
    return json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))["criteria"]


def test_json_has_the_documented_layout(dialeval, sheet):
    options = ("--from", "ratings-wide", "--json", "--classes", ">3", "--drop-below", "0.2")
    found = read_json(dialeval("annotate", "agreement", sheet, *options))
    page = (DOCS / "agreement.md").read_text(encoding="utf-8").split("\n## JSON\n")[1]
    documented = json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL)[1])["criteria"]["fluency"]

    def same_keys(ours: object, theirs: object, path: str) -> None:
        if isinstance(theirs, dict) and path not in (
            ".intervals",
            ".reasons",
            ".dropped.after",
            ".classes.>3.intervals",
            ".no_interval",
            ".classes.>3.no_interval",
        ):
            assert isinstance(ours, dict)
            assert list(ours) == list(theirs), path
            for key, value in theirs.items():
                same_keys(ours[key], value, f"{path}.{key}")
        elif isinstance(theirs, list) and theirs and isinstance(theirs[0], dict):
            assert isinstance(ours, list)
            same_keys(ours[0], theirs[0], f"{path}[]")

    same_keys(found["fluency"], documented, "")
    one = found["fluency"]
    assert (one["items"], one["raters"], one["ratings"], one["could_not_say"]) == (6, 3, 17, 1)
    assert set(one["intervals"]) | set(one["reasons"]) | set(one["no_interval"]) == {
        "fleiss_kappa",
        "fleiss_kappa_complete",
        "krippendorff_alpha.nominal",
        "krippendorff_alpha.ordinal",
        "krippendorff_alpha.interval",
        "percent_agreement",
        "mean_cohen_kappa",
        "icc",
        "icc_k",
    }
    assert [gone["rater"] for gone in one["dropped"]["raters"]] == ["cleo"]
    assert one["dropped"]["after"]["raters"] == 2
    assert one["dropped"]["after"]["fleiss_kappa"] > one["fleiss_kappa"]


def test_people_see_every_part_in_80_columns(dialeval, sheet):
    done = dialeval(
        "annotate", "agreement", sheet, "--from", "ratings-wide", "--classes", ">3", "--drop-below", "0.2"
    )
    assert done.code == 0
    assert done.err == ""
    assert max(map(len, done.out.splitlines())) <= 80
    words = " ".join(done.out.split())
    assert words.startswith("fluency: 6 items, 3 raters, 17 ratings value")
    for part in (
        "5 different values, from 1 to 5",
        "could not say: 1 of 18",
        "Fleiss' kappa, complete items",
        "Krippendorff's alpha, interval",
        "Fleiss' kappa, >3",
        "fluency: pairs of raters",
        "> 0.6 1/3 33.3 %",
        "fluency: raters",
        "agrees with the others no better than chance",
        "fluency: raters below 0.2 (mean)",
        "fluency: with all 3 raters, and with 2",
        "complete: the 5 items with as many ratings as any has",
    ):
        assert part in words, part


def test_nobody_to_drop_is_said_in_a_line(dialeval, sheet):
    done = dialeval("annotate", "agreement", sheet, "--from", "ratings-wide", "--drop-below", "-1")
    assert "fluency: no rater is below -1 (mean)" in done.out


def test_a_single_rater_is_told_that_there_is_no_agreement(dialeval):
    Path("one.csv").write_text("item,ana\nq1,4\nq2,3\n")
    done = dialeval("annotate", "agreement", "one.csv", "--from", "ratings-wide")
    assert (done.code, done.out.splitlines()) == (
        1,
        [
            "No agreement with a single rater: 1 criterion (rating).",
            "Agreement requires two or more raters of the same answers: give their files, too.",
        ],
    )
    shown = dialeval("annotate", "agreement", "one.csv", "--from", "ratings-wide", "--json")
    one = read_json(shown, code=1)["rating"]
    assert one["fleiss_kappa"] is None
    assert one["reasons"]["fleiss_kappa"] == "no unit has two ratings or more"
    assert one["warnings"] == ["there is only one rater, ana: agreement requires two"]


def test_criteria_and_systems_can_be_chosen(dialeval):
    lines = [
        {"item": f"q{at}", "system": system, "rater": rater, "criterion": criterion, "value": value}
        for at in range(4)
        for system in ("old", "new")
        for rater in ("ana", "ben", "cleo")
        for criterion, value in (("fluency", at % 3), ("sense", at % 2))
    ]
    Path("r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read_json(dialeval("annotate", "agreement", "r.jsonl", "--json", "--system", "new"))
    assert {name: one["items"] for name, one in found.items()} == {"fluency": 4, "sense": 4}
    found = read_json(
        dialeval("annotate", "agreement", "r.jsonl", "--json", "--criterion", "sense", "--trials", 0)
    )
    assert list(found) == ["sense"]
    assert (found["sense"]["fleiss_kappa"], found["sense"]["intervals"]) == (1.0, {})
    done = dialeval("annotate", "agreement", "r.jsonl", "--criterion", "fluancy")
    assert done.code == 2
    assert "no criterion called 'fluancy'. Did you mean 'fluency'?" in done.err
    done = dialeval("annotate", "agreement", "r.jsonl", "--system", "nwe")
    assert "no system called 'nwe'. Did you mean 'new'?" in done.err


def test_several_files_are_one_table_and_repeats_count_once(dialeval, sheet):
    Path("more.csv").write_text(WIDE.replace("q", "z") + "q0,fluency,1,1,5\n")
    done = dialeval("annotate", "agreement", sheet, "more.csv", "--from", "ratings-wide", "--json")
    assert read_json(done)["fluency"]["items"] == 12
    assert done.err == "warning: 3 judgements were given twice: counted once\n"


def test_two_values_of_one_rater_are_refused(dialeval, sheet):
    Path("more.csv").write_text("item,criterion,ana\nq0,fluency,4\n")
    done = dialeval("annotate", "agreement", sheet, "more.csv", "--from", "ratings-wide")
    assert done.code == 1
    assert "two values, 1 and 4, of rater 'ana' for 'fluency' of item 'q0'" in done.err


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (
            ("--scale", "1-4"),
            1,
            "r.csv, field 'value': found 4 ratings outside the scale, first 5 of rater 'cleo'",
        ),
        (
            ("--scale", "5"),
            2,
            "'5' is not a valid scale. Give the lowest and the highest rating, as in '1-5'.",
        ),
        (("--classes", "3"), 2, "'3' is not a valid threshold."),
    ],
)
def test_what_cannot_be_used_is_explained(dialeval, options, code, said):
    Path("r.csv").write_text(WIDE)
    done = dialeval("annotate", "agreement", "r.csv", "--from", "ratings-wide", *options)
    assert (done.code, done.out) == (code, "")
    assert said in " ".join(done.err.replace("│", " ").split())


def test_usage_errors_exit_with_2(dialeval, sheet):
    assert dialeval("annotate", "agreement").code == 2
    assert dialeval("annotate", "agreement", sheet, "--drop-rule", "none").code == 2
    assert dialeval("annotate", "agreement", sheet, "--drop-below", "low").code == 2


def test_bad_lines_name_file_line_and_field(dialeval):
    Path("bad.csv").write_text("item,ana,ben\nq1,4,good\n")
    done = dialeval("annotate", "agreement", "bad.csv", "--from", "ratings-wide")
    assert done.code == 1
    assert done.err.startswith(
        "error: bad.csv, line 2, field 'ben': found the text 'good', expected a number"
    )


def test_a_sheet_of_raters_is_read_as_it_is(dialeval, sheet):
    done = dialeval("annotate", "agreement", sheet)
    assert (done.code, "with a column for each rater" in done.err) == (0, True)


def test_of_many_raters_those_who_agree_least_are_listed(dialeval):
    count = MOST_RATERS + 5
    names = [f"r{at:02}" for at in range(count)]
    rows = [[(row + (at if row % 3 == 0 else 0)) % 4 for at in range(count)] for row in range(12)]
    lines = ["item," + ",".join(names), *(f"q{at}," + ",".join(map(str, row)) for at, row in enumerate(rows))]
    Path("many.csv").write_text("\n".join(lines) + "\n")
    done = dialeval("annotate", "agreement", "many.csv", "--from", "ratings-wide", "--trials", 0)
    assert f"the {MOST_RATERS} of {count} raters who agree least; --json has all" in done.out
    assert len(re.findall(r"^r\d\d ", done.out, re.MULTILINE)) == MOST_RATERS


def test_measures_among_the_ratings_are_left_out(dialeval, sheet):
    extra = [
        {"item": f"q{at}", "system": "", "rater": "METEOR", "criterion": "METEOR", "value": at / 9}
        for at in range(5)
    ]
    Path("m.jsonl").write_text("".join(json.dumps(line) + "\n" for line in extra))
    assert dialeval("data", "convert", sheet, "r.jsonl", "--from", "ratings-wide").code == 0
    done = dialeval("annotate", "agreement", "r.jsonl", "m.jsonl", "--json")
    assert list(read_json(done)) == ["fluency"]
    assert done.err == "1 measures among the raters are left out; include one with --criterion\n"
    both = dialeval("annotate", "agreement", "r.jsonl", "m.jsonl", "--json", "--criterion", "METEOR")
    assert list(read_json(both, code=1)) == ["METEOR"]


def test_nothing_is_said_of_raters_who_are_positions(dialeval):
    Path("r.csv").write_text(WIDE.replace("ana,ben,cleo", "#1,#2,#3"))
    options = ("--from", "ratings-wide", "--drop-below", "0.2", "--trials", 0)
    one = read_json(dialeval("annotate", "agreement", "r.csv", *options, "--json"))["fluency"]
    for name in ("mean_cohen_kappa", "icc", "icc_k", "pairs", "per_rater", "dropped"):
        assert one[name] is None, name
        assert one["reasons"][name].startswith("raters are positions in a list (#1, #2 ...), not people"), (
            name
        )
    assert set(one["reasons"]) == {"mean_cohen_kappa", "icc", "icc_k", "pairs", "per_rater", "dropped"}
    assert one["fleiss_kappa"] is not None
    words = " ".join(dialeval("annotate", "agreement", "r.csv", *options).out.split())
    assert words.startswith("fluency: 6 items, up to 3 anonymous raters each, 17 ratings")
    assert "fluency: raters" not in words
    assert "fluency: no rater can be dropped • raters are positions in a list" in words


def test_dropping_where_there_are_no_categories_gives_the_reason(dialeval):
    rows = "".join(f"q{at},{at / 7},{at / 5}\n" for at in range(300))
    Path("m.csv").write_text("item,ana,ben\n" + rows)
    options = ("--from", "ratings-wide", "--drop-below", "0.2", "--trials", 0, "--json")
    one = read_json(dialeval("annotate", "agreement", "m.csv", *options))["rating"]
    assert one["dropped"] is None
    assert "measurements, not categories" in one["reasons"]["dropped"]
    assert "measurements, not categories" in one["reasons"]["pairs"]
    assert len(one["per_rater"]) == 2


CIRCA = "id\tjudgements\n1\tYes#No#Yes\n2\tNo#No#Other\n3\tYes#Yes#Yes\n"


def test_the_labels_of_circa_are_on_no_scale(dialeval):
    Path("circa.tsv").write_text(CIRCA)
    found = read_json(dialeval("annotate", "agreement", "circa.tsv", "--from", "circa", "--json"))
    for one in found.values():
        for name in ("krippendorff_alpha.ordinal", "krippendorff_alpha.interval", "icc", "icc_k"):
            assert one["reasons"][name] == "values are names of categories, on no scale"
        assert one["krippendorff_alpha"]["ordinal"] is None
        assert one["krippendorff_alpha"]["nominal"] is not None


def test_the_python_on_the_page_runs(capsys):
    page = (DOCS / "agreement.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    exec(compile("\n".join(blocks), "agreement.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "0.093 agrees with the others no better than chance"
    assert lines[1] == "['cleo'] 0.789"
    assert lines[2] == "1.0 None no value has 2 of 3 votes"
    assert lines[3] == "('ana', 'ben')"


def test_the_published_kappas_come_out_of_the_command(dialeval, shared_data):
    path = shared_data / "eval-via-selection" / "human_scores.jsonl"
    options = ("--from", "eval-via-selection", "--classes", ">3", "--json", "--trials", 0)
    one = read_json(dialeval("annotate", "agreement", path, *options))["acceptability"]
    assert round(one["fleiss_kappa"], 4) == 0.2156
    assert (
        round(one["classes"][">3"]["fleiss_kappa"], 4) == 0.6155
    )  # the paper prints .63; facts.md, section 3


def test_preferences_are_printed_for_people_and_machines(dialeval):
    choices = (f"i{n},r{n % 3},new,old,{'ab'[n % 3 == 0]}" for n in range(30))
    Path("p.csv").write_text("\n".join(["item,rater,a,b,choice", *choices, "i30,r1,new,old,tie"]))
    found = json.loads(dialeval("annotate", "preferences", "p.csv", "--json").out)
    assert [(one["system"], one["wins"], one["ties"]) for one in found["systems"]] == [
        *(("new", 20, 1), ("old", 10, 1))
    ]
    shown = dialeval("annotate", "preferences", "p.csv").out
    assert "31 preferences, 31 items, 3 raters" in shown
    assert "intervals for other items and these raters" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_rater_who_judged_twice_is_told_of_the_option(dialeval):
    values = (f"i{n},s,{rater},sense,{n % 3}" for n in range(8) for rater in ("ann", "ben"))
    Path("r.csv").write_text("\n".join(["item,system,rater,criterion,value", *values, "i0,s,ann,sense,2"]))
    done = dialeval("annotate", "agreement", "r.csv")
    assert (done.code, "--repeats first, last, mean or separate" in " ".join(done.err.split())) == (1, True)
    done = dialeval("annotate", "agreement", "r.csv", "--repeats", "first", "--json")
    assert read_json(done)["sense"]["percent_agreement"] == 1
    assert "the first counts" in done.err


def test_raters_whom_an_export_flags_are_flagged_by_agreement_and_kept(dialeval, tmp_path):
    rows = [
        {"item": f"d{n}", "system": "bot", "rater": rater, "criterion": "overall", "value": (n + shift) % 3}
        for n in range(6)
        for shift, rater in enumerate(("ann", "bob"))
    ]
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = "answered 6 of 6 items faster than 600 words a minute"
    flag = {"rater": "ann", "state": "active", "flags": {"faster_than_reading": text}}
    (tmp_path / "out.raters.jsonl").write_text(json.dumps(flag) + "\n")
    agreed = dialeval("annotate", "agreement", "out.jsonl", "--json")
    assert f"warning: ann {text}" in agreed.err
    criterion = json.loads(agreed.out)["criteria"]["overall"]
    assert criterion["ratings"] == 12
    flags = {rater["rater"]: rater["flags"] for rater in criterion["per_rater"]}
    assert text in flags["ann"]
    assert text not in flags["bob"]
    (tmp_path / "out.raters.jsonl").write_text('{"rater": 3}\n')
    refused = dialeval("annotate", "agreement", "out.jsonl")
    assert refused.code == 1
    assert "out.raters.jsonl, line 1" in refused.err
