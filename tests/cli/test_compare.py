"""``dialeval compare``: runs or files, one verdict per measure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def write(path: str, system: str, *, good: int, n: int = 60, ask: str = "where") -> None:
    with Path(path).open("w") as file:
        for at in range(n):
            row = {
                "id": f"i{at}",
                "system": system,
                "context": [{"role": "user", "content": ask}],
                "response": f"it is at number {at}" if at < good else "i do not know",
                "references": [f"it is at number {at}"],
            }
            file.write(json.dumps(row) + "\n")


@pytest.fixture
def files(dialeval):
    write("old.jsonl", "old", good=20)
    write("new.jsonl", "new", good=40)
    write("same.jsonl", "same", good=21)
    return dialeval


def test_two_files_get_a_verdict_per_measure(files):
    done = files("compare", "new.jsonl", "old.jsonl", "-m", "rouge_l")
    assert done.code == 0
    assert done.out.startswith("rouge_l: new is better than old by 0.3")
    assert "60 items" in done.out


def test_noise_is_called_noise_with_what_it_would_take(files):
    out = files("compare", "same.jsonl", "old.jsonl", "-m", "rouge_l").out
    assert "Undecided: same scores" in out
    assert "may be as large as 0.07" in " ".join(out.split())


def test_json_has_the_summarys_fields(files):
    rows = json.loads(files("compare", "new.jsonl", "old.jsonl", "--json").out)["comparisons"]
    assert [row["measure"] for row in rows] == ["bleu(order=4)", "rouge_l"]
    assert rows[1]["better"] == "new"
    assert rows[1]["wins"] == 20


def test_items_that_mean_something_else_cannot_be_paired(files):
    write("other.jsonl", "other", good=10, ask="when")
    done = files("compare", "new.jsonl", "other.jsonl")
    assert done.code == 1
    assert "Items (60) have other contexts or references" in done.err


def test_systems_of_runs_are_named_or_matched(files):
    Path("study.yaml").write_text(
        "data: old.jsonl\nsystems:\n  - {name: old, kind: transcript, path: old.jsonl}\n"
        "  - {name: new, kind: transcript, path: new.jsonl}\nmeasures: [rouge_l]\n"
    )
    assert files("run", "study.yaml", "-o", "run").code == 0
    assert "new is better than old" in files("compare", "run:new", "run:old").out
    twin = files("compare", "run:new", "run:new")
    assert twin.code == 1
    assert "on both sides, expected two different systems" in twin.err
    same = files("compare", "run", "run")
    assert same.code == 1
    assert "Say which two to compare" in same.err
    wrong = files("compare", "run:nwe", "run:old")
    assert "Did you mean 'new'?" in wrong.err
    assert files("compare", "run", "no-such-folder").code == 1
    unknown = files("compare", "run:new", "run:old", "-m", "length")
    assert unknown.code == 2
    assert "It has: rouge_l." in unknown.err


def test_runs_are_compared_as_they_were_run(files):
    study = (
        "data: old.jsonl\nsystems:\n  - {name: old, kind: transcript, path: old.jsonl}\n"
        "  - {name: same, kind: transcript, path: same.jsonl}\nmeasures: [rouge_l]\n"
        "trials: 300\nseed: 4\nlevel: 0.9\n"
    )
    Path("study.yaml").write_text(study)
    assert files("run", "study.yaml", "-o", "run").code == 0
    (ran,) = json.loads(Path("run/summary.json").read_text())["comparisons"]
    again = json.loads(files("compare", "run:old", "run:same", "--json").out)
    assert again["comparisons"] == [ran]
    assert again["settings"] == {"trials": 300, "seed": 4, "level": 0.9, "cluster": None, "look": None}
    other = json.loads(
        files("compare", "run:old", "run:same", "--json", "--cluster", "dialogue", "--level", "0.95").out
    )
    assert other["settings"] == {"trials": 300, "seed": 4, "level": 0.95, "cluster": "dialogue", "look": None}
    Path("study.yaml").write_text(study.replace("seed: 4", "seed: 5"))
    assert files("run", "study.yaml", "-o", "other").code == 0
    differ = files("compare", "run", "other")
    assert differ.code == 1
    assert "Run both with the same settings" in differ.err


def test_a_file_that_meets_a_run_is_scored_by_the_runs_measures(files):
    Path("study.yaml").write_text(
        "data: old.jsonl\nsystems:\n  - {name: old, kind: transcript, path: old.jsonl}\n"
        "measures: [rouge_l, length, bleu(order=1)]\n"
    )
    assert files("run", "study.yaml", "-o", "run").code == 0
    rows = json.loads(files("compare", "run", "new.jsonl", "--json").out)["comparisons"]
    assert [row["measure"] for row in rows] == ["rouge_l", "length", "bleu(order=1)"]


def test_verdicts_are_wrapped_to_the_terminal(files):
    out = files("compare", "same.jsonl", "old.jsonl").out
    assert max(map(len, out.splitlines())) <= 80


def test_margins_show_equivalence(files):
    plain = json.loads(files("compare", "same.jsonl", "old.jsonl", "-m", "rouge_l", "--json").out)
    assert plain["comparisons"][0]["verdict"] == "undecided"
    done = files("compare", "same.jsonl", "old.jsonl", "-m", "rouge_l", "--margin", "0.1")
    assert "same and old are equivalent within 0.1: same scores 0.0167 higher" in " ".join(done.out.split())
    both = files("compare", "same.jsonl", "old.jsonl", "--margin", "rouge_l=0.1", "--json")
    assert [(row["measure"], row["margin"]) for row in json.loads(both.out)["comparisons"]] == [
        ("bleu(order=4)", None),
        ("rouge_l", 0.1),
    ]


@pytest.mark.parametrize(
    ("margin", "said"),
    [
        ("0.1", "but no metric; expected METRIC=VALUE"),
        ("rouge=0.1", "Did you mean 'rouge_l'"),
        ("rouge_l=0", "a value above 0"),
        ("rouge_l=x", "a value above 0"),
        ("length=1", "no metric here called 'length'"),
    ],
)
def test_bad_margins_say_what_is_needed(files, margin, said):
    done = files("compare", "new.jsonl", "old.jsonl", "--margin", margin)
    assert done.code == 2
    assert said in " ".join(done.err.replace("│", " ").split())


def test_several_metrics_are_one_family_unless_one_decides(files):
    rows = json.loads(files("compare", "new.jsonl", "old.jsonl", "--json").out)["comparisons"]
    assert [(row["family"], row["correction"], row["role"]) for row in rows] == [(2, "holm", None)] * 2
    assert "2 tests with Holm's correction" in files("compare", "new.jsonl", "old.jsonl").out
    declared = files("compare", "new.jsonl", "old.jsonl", "--primary", "rouge_l", "--json")
    rows = json.loads(declared.out)["comparisons"]
    assert [(row["family"], row["role"]) for row in rows] == [(1, "exploratory"), (1, "confirmatory")]


def test_dialogues_are_told_with_their_design_effect(dialeval):
    for name, good in (("old", 20), ("new", 40)):
        write(f"{name}.jsonl", name, good=good)
        text = Path(f"{name}.jsonl").read_text()
        for at in range(60):
            text = text.replace(f'"id": "i{at}"', f'"id": "d{at // 5}/{at}"')
        Path(f"{name}.jsonl").write_text(text)
    out = dialeval("compare", "new.jsonl", "old.jsonl", "-m", "rouge_l").out
    assert "Resampled by dialogue: 12 dialogues of 60 items, design effect 5.4." in out
    alone = dialeval("compare", "new.jsonl", "old.jsonl", "-m", "rouge_l", "--cluster", "none").out
    assert "although ids show several turns" in " ".join(alone.split())
    table = dialeval("score", "new.jsonl", "-m", "rouge_l").out
    assert "resampled by dialogue: 12 dialogues of 60 items, design effect 5.4" in table


def test_two_looks_spend_alpha_once(files):
    first = files("compare", "same.jsonl", "old.jsonl", "-m", "rouge_l", "--first-look", "--json")
    Path("first.json").write_text(first.out)
    assert json.loads(first.out)["settings"]["look"] == "1/2"
    second = files("compare", "new.jsonl", "old.jsonl", "-m", "rouge_l", "--second-look", "first.json")
    assert "of both looks" in second.out
    assert "second of two looks" in " ".join(second.out.split())
    plain = files("compare", "same.jsonl", "old.jsonl", "-m", "rouge_l", "--json")
    Path("plain.json").write_text(plain.out)
    refused = files("compare", "new.jsonl", "old.jsonl", "--second-look", "plain.json")
    assert (refused.code, "not a first look" in refused.err) == (1, True)
    assert files("compare", "new.jsonl", "old.jsonl", "--second-look", "nothing.json").code == 1
    other = files("compare", "new.jsonl", "old.jsonl", "-m", "length", "--second-look", "first.json")
    assert (other.code, "the same measures" in other.err) == (1, True)


def test_an_undecided_pair_says_what_more_items_would_do(files):
    out = " ".join(files("compare", "same.jsonl", "old.jsonl", "-m", "rouge_l").out.split())
    assert "A few more items might show a difference; perhaps no number would, because it may be 0." in out
    assert "compare the new ones alone, or plan two looks (--first-look)" in out
    clear = files("compare", "new.jsonl", "old.jsonl", "-m", "rouge_l").out
    assert "--first-look" not in clear


def test_runs_bring_what_their_study_declared(files):
    study = (
        "data: prompts.jsonl\nmeasures: [rouge_l, length]\nprimary: rouge_l\nmargin: {rouge_l: 0.1}\ntrials: 200\n"
        "systems: [{kind: transcript, name: old, path: old.jsonl}, {kind: transcript, name: same, path: same.jsonl}]\n"
    )
    Path("prompts.jsonl").write_text(Path("old.jsonl").read_text())
    Path("study.yaml").write_text(study)
    assert files("run", "study.yaml", "-o", "run").code == 0
    rows = json.loads(files("compare", "run:old", "run:same", "--json").out)["comparisons"]
    assert [(row["role"], row["margin"], row["verdict"]) for row in rows] == [
        ("confirmatory", 0.1, "equivalent"),
        ("exploratory", None, "undecided"),
    ]
    given = files("compare", "run:old", "run:same", "--margin", "rouge_l=0.001", "--json")
    assert json.loads(given.out)["comparisons"][0]["margin"] == 0.001


@pytest.fixture
def bare(files):
    """Prompts with references, and responses with ids only, in a table and as lines of text."""
    rows = [json.loads(line) for line in Path("old.jsonl").read_text().splitlines()]
    prompts = [{key: row[key] for key in ("id", "context", "references")} for row in rows]
    Path("prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in prompts))
    new = [json.loads(line)["response"] for line in Path("new.jsonl").read_text().splitlines()]
    Path("a.txt").write_text("\n".join(new) + "\n")
    table = "".join(f"{row['id']};{row['response']}\n" for row in rows)
    Path("b.csv").write_text(f"id;response\n{table}")
    return files


def test_bare_responses_are_compared_beside_the_data(bare):
    full = json.loads(bare("compare", "new.jsonl", "old.jsonl", "-m", "rouge_l", "--json").out)[
        "comparisons"
    ][0]
    done = bare("compare", "a.txt", "b.csv", "--data", "prompts.jsonl", "-m", "rouge_l", "--json")
    (row,) = json.loads(done.out)["comparisons"]
    assert (row["a"], row["b"], row["difference"]["n"]) == ("a.txt", "b.csv", 60)
    assert [row[key] for key in ("difference", "p_permutation")] == [
        full[key] for key in ("difference", "p_permutation")
    ]


def test_bare_responses_need_no_data_where_the_other_side_has_it(bare):
    done = bare("compare", "new.jsonl", "b.csv", "-m", "rouge_l", "--json")
    assert (done.code, json.loads(done.out)["comparisons"][0]["difference"]["n"]) == (0, 60)
    Path("study.yaml").write_text(
        "data: old.jsonl\nsystems: [{name: old, kind: transcript, path: old.jsonl}]\nmeasures: [rouge_l]\n"
    )
    assert bare("run", "study.yaml", "-o", "run").code == 0
    done = bare("compare", "run", "a.txt", "--json")
    (row,) = json.loads(done.out)["comparisons"]
    assert (row["difference"]["n"], row["difference"]["value"] < 0) == (60, True)


def test_bare_responses_without_data_say_what_is_missing(bare):
    done = bare("compare", "a.txt", "b.csv", "-m", "rouge_l")
    assert done.code == 1
    assert "no references" in done.err
    assert "on the same items" not in done.err


def test_lines_that_match_no_item_of_the_data_are_counted_and_refused(bare):
    lines = Path("b.csv").read_text().splitlines()
    Path("some.csv").write_text(
        "\n".join(["id;response", *(f"x{line}" for line in lines[1:11]), *lines[11:]])
    )
    done = bare("compare", "a.txt", "some.csv", "--data", "prompts.jsonl", "-m", "rouge_l", "--json")
    assert (
        json.loads(done.out)["comparisons"][0]["difference"]["n"] == 60
    )  # ten are unanswered, and count as the worst value
    assert [row["unanswered"] for row in json.loads(done.out)["unanswered"]] == [10]
    assert "some.csv: 10 of 60 lines match no item, such as 'xi0'" in done.err
    Path("most.csv").write_text(
        "\n".join(["id;response", *(f"x{line}" for line in lines[1:41]), *lines[41:]])
    )
    done = bare("compare", "a.txt", "most.csv", "--data", "prompts.jsonl", "-m", "rouge_l")
    assert (done.code, "--allow-unmatched" in done.err) == (1, True)
    allowed = bare(
        "compare", "a.txt", "most.csv", "--data", "prompts.jsonl", "-m", "rouge_l", "--allow-unmatched"
    )
    assert allowed.code == 0


@pytest.mark.parametrize("silence", [None, "", " \u200b "])
def test_a_system_that_answers_nothing_loses_with_an_interval_and_an_error(bare, silence):
    ids = [json.loads(line)["id"] for line in Path("prompts.jsonl").read_text().splitlines()]
    lines = [json.dumps({"id": item, "response": silence}) + "\n" for item in ids]
    Path("mute.jsonl").write_text("".join(lines))
    done = bare("compare", "new.jsonl", "mute.jsonl", "--data", "prompts.jsonl", "-m", "rouge_l", "--json")
    (row,) = json.loads(done.out)["comparisons"]
    assert (row["verdict"], row["difference"]["low"] > 0, row["absence"]) == ("better", True, None)
    assert done.code == 1
    assert "mute.jsonl answered none of 60 items" in done.err
    words = ("new.jsonl", "mute.jsonl", "--data", "prompts.jsonl", "-m", "rouge_l", "--allow-unanswered", "1")
    assert bare("compare", *words).code == 0


@pytest.mark.parametrize(
    ("rule", "told"),
    [("auto", "counted as the worst value under rouge_l"), ("shared", "left out under rouge_l")],
)
def test_what_silence_counts_as_is_told_as_the_run_counted_it(bare, rule, told):
    rows = [json.loads(line) for line in Path("new.jsonl").read_text().splitlines()]
    hush = [{"id": row["id"], "response": row["response"] if n % 2 else None} for n, row in enumerate(rows)]
    Path("hush.jsonl").write_text("".join(json.dumps(row) + "\n" for row in hush))
    Path("study.yaml").write_text(
        "data: prompts.jsonl\nmeasures: [rouge_l]\nsystems:\n  - {name: new, kind: transcript, path: a.txt}\n"
        f"  - {{name: hush, kind: transcript, path: hush.jsonl}}\nmissing: {rule}\n"
    )
    assert bare("run", "study.yaml", "-o", "run").code == 0
    done = bare("compare", "run:new", "run:hush")
    assert f"hush left 30 of 60 items unanswered: {told} (run)." in " ".join(done.out.split())


@pytest.mark.parametrize(("rule", "better"), [("auto", None), ("shared", "hush")])
def test_a_system_is_not_better_by_items_that_it_left_out(bare, rule, better):
    """Under a measure that cannot count silence, as in the verdict of a run; unless the study says so itself."""
    ids = [json.loads(line)["id"] for line in Path("prompts.jsonl").read_text().splitlines()]
    texts = {
        "hush": lambda n: f"word{n} is new{n}" if n % 2 else None,
        "same": lambda n: "it is the same thing",
    }
    for name, text in texts.items():
        rows = [json.dumps({"id": item, "response": text(n)}) + "\n" for n, item in enumerate(ids)]
        Path(f"{name}.jsonl").write_text("".join(rows))
    Path("study.yaml").write_text(
        f"data: prompts.jsonl\nmeasures: [distinct]\nmissing: {rule}\nsystems:\n"
        + "".join(f"  - {{name: {name}, kind: transcript, path: {name}.jsonl}}\n" for name in texts)
    )
    bare("run", "study.yaml", "-o", "run")
    (row,) = json.loads(bare("compare", "run:hush", "run:same", "--json").out)["comparisons"]
    verdict = "better" if better else "different"
    assert (row["significant"], row["better"], row["verdict"]) == (True, better, verdict)
    if better is None:
        files = ("hush.jsonl", "same.jsonl", "-m", "distinct")
        (row,) = json.loads(bare("compare", *files, "--json").out)["comparisons"]
        assert (row["significant"], row["better"]) == (True, None)
        said = " ".join(bare("compare", *files).out.split())
        assert "left items unanswered, which the measure cannot count" in said


@pytest.mark.parametrize("metric", ["distinct(n=2)", "polite.py:politeness"])
def test_a_half_silent_system_is_not_identical_to_the_one_it_copies(dialeval, metric):
    """What it said was the same, so both were "equivalent: identical on all 30 items"."""
    Path("polite.py").write_text(
        "def politeness(response):\n    words = response.split()\n"
        "    return len(words) % 3 / 3 if words else None\n"
    )
    write("full.jsonl", "full", good=40)
    rows = [json.loads(line) for line in Path("full.jsonl").read_text().splitlines()]
    half = [
        row | {"system": "half", "response": row["response"] if at % 2 else ""} for at, row in enumerate(rows)
    ]
    Path("half.jsonl").write_text("".join(json.dumps(row) + "\n" for row in half))
    done = dialeval("compare", "full.jsonl", "half.jsonl", "-m", metric)
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert "identical" not in said
    assert "equivalent" not in said
    assert "half left 30 of 60 items unanswered" in said


def test_two_files_give_the_numbers_of_a_run_of_them_also_where_one_lacks_lines(dialeval):
    write("full.jsonl", "full", good=30)
    write("some.jsonl", "some", good=40)
    lines = Path("some.jsonl").read_text().splitlines(keepends=True)
    Path("some.jsonl").write_text("".join(lines[:45]))
    Path("study.yaml").write_text(
        "data: full.jsonl\nmeasures: [rouge_l, bleu]\nsystems:\n"
        "  - {name: full, kind: transcript, path: full.jsonl}\n  - {name: some, kind: transcript, path: some.jsonl}\n"
    )
    assert dialeval("run", "study.yaml", "-o", "run").code == 0
    asked = ("-m", "rouge_l", "-m", "bleu", "--json")
    run, files, beside = (
        json.loads(dialeval("compare", *sides, *asked).out)
        for sides in (
            ("run:full", "run:some"),
            ("full.jsonl", "some.jsonl"),
            ("run:full", "some.jsonl"),
        )
    )
    assert [row["difference"]["n"] for row in run["comparisons"]] == [60, 60]
    assert files["comparisons"] == run["comparisons"]
    assert beside["comparisons"] == run["comparisons"]
    assert files["unanswered"] == [{"source": "some.jsonl", "system": "some", "unanswered": 15, "items": 60}]


def test_files_about_other_items_for_the_most_part_are_compared_on_those_they_share(dialeval):
    write("full.jsonl", "full", good=30)
    write("some.jsonl", "some", good=40)
    lines = Path("some.jsonl").read_text().splitlines(keepends=True)
    Path("some.jsonl").write_text("".join(lines[:30]))
    (row,) = json.loads(dialeval("compare", "full.jsonl", "some.jsonl", "-m", "rouge_l", "--json").out)[
        "comparisons"
    ]
    assert (row["difference"]["n"], row["unpaired"]) == (30, 30)
