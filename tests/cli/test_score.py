"""``dialeval score``: files, pipes and text in; scores, JSON and judgements out."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from dialeval.catalogue import CORPUS_MEASURES, EVERY_METRIC, METRICS

ROWS = [
    {
        "id": "1",
        "system": "a",
        "context": [],
        "response": "this is a good test",
        "references": ["this is a test"],
    },
    {"id": "2", "system": "a", "context": [], "response": "no", "references": []},
    {"id": "1", "system": "b", "context": [], "response": "this is a test", "references": ["this is a test"]},
]


@pytest.fixture
def examples(tmp_path) -> Path:
    path = tmp_path / "examples.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def results(done) -> dict[tuple[str, str], dict]:
    return {(row["metric"], row["system"]): row for row in json.loads(done.out)["results"]}


def test_json_has_the_promised_fields(dialeval, examples):
    done = dialeval("score", examples, "-m", "bleu(order=1)", "-m", "rouge_l", "--json")
    assert done.code == 0
    row = results(done)["bleu(order=1)", "a"]
    assert {"metric", "signature", "score", "low", "high", "n", "unscored"} <= set(row)
    assert row["score"] == pytest.approx(0.8, abs=1e-6)
    assert (row["n"], row["unscored"]) == (1, 1)
    assert row["signature"].startswith("bleu(order=1)|")
    assert results(done)["rouge_l", "b"]["score"] == pytest.approx(1)


def test_the_table_says_what_is_unscored_and_why(dialeval, examples):
    done = dialeval("score", examples, "-m", "rouge_l")
    assert "no references" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_a_pipe_gives_the_same_as_the_file(dialeval, examples, monkeypatch):
    direct = dialeval("score", examples, "-m", "rouge_l", "--json")
    with io.TextIOWrapper(examples.open("rb"), encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        assert dialeval("score", "-", "-m", "rouge_l", "--json").out == direct.out


def test_text_files_with_ragged_references(dialeval):
    Path("hyp.txt").write_text("this is a test\nwell done\n")
    Path("ref1.txt").write_text("this is a test\nwell done\n")
    Path("ref2.txt").write_text("that was a test\n\n")
    done = dialeval(
        "score", "--hyp", "hyp.txt", "--ref", "ref1.txt", "--ref", "ref2.txt", "-m", "rouge_l", "--json"
    )
    (row,) = results(done).values()
    assert (row["score"], row["n"], row["unscored"]) == (1.0, 2, 0)


def test_text_files_of_different_length_are_refused(dialeval):
    Path("hyp.txt").write_text("a\nb\n")
    Path("ref.txt").write_text("a\n")
    done = dialeval("score", "--hyp", "hyp.txt", "--ref", "ref.txt")
    assert done.code == 1
    assert "hyp.txt" in done.err
    assert "ref.txt" in done.err
    assert "Traceback" not in done.err


def test_per_item_writes_a_judgement_for_every_item_and_metric(dialeval, examples):
    dialeval("score", examples, "-m", "rouge_l", "-m", "length", "--per-item", "items.jsonl")
    rows = [json.loads(line) for line in Path("items.jsonl").read_text().splitlines()]
    assert len(rows) == 6
    assert {"item", "system", "rater", "criterion", "value"} <= set(rows[0])
    (gap,) = [row for row in rows if row["value"] is None]
    assert (gap["item"], gap["criterion"], gap["reason"]) == ("2", "rouge_l", "no references")
    assert gap["rater"].startswith("rouge_l(")


def test_a_wrong_metric_suggests_the_close_one(dialeval, examples):
    done = dialeval("score", examples, "-m", "rogue_l")
    assert done.code == 2
    assert "Did you mean 'rouge_l'?" in done.err


def test_bad_lines_stop_the_run_or_are_set_aside(dialeval, examples):
    with examples.open("a") as file:
        file.write('{"id": "9"\n')
    refused = dialeval("score", examples, "-m", "length")
    assert refused.code == 1
    assert "examples.jsonl, line 4" in refused.err
    kept = dialeval("score", examples, "-m", "length", "--json", "--skip-bad")
    assert kept.code == 0
    assert results(kept)["length", "a"]["n"] == 2
    assert "1 bad line was left out" in kept.err
    assert len(Path(f"{examples}.bad.jsonl").read_text().splitlines()) == 1


def test_gates_work_here_too(dialeval, examples):
    assert dialeval("score", examples, "-m", "length", "--fail-under", "point(length)=2").code == 0
    assert dialeval("score", examples, "-m", "length", "--fail-under", "length=4").code == 100


def test_a_file_or_text_files_must_be_given_but_not_both(dialeval, examples):
    assert dialeval("score").code == 2
    assert dialeval("score", examples, "--hyp", "x.txt").code == 2


def test_limit_takes_the_first_items_of_every_system(dialeval, examples):
    rows = results(dialeval("score", examples, "--limit", "1", "-m", "length", "--json"))
    assert {key: row["n"] for key, row in rows.items()} == {("length", "a"): 1, ("length", "b"): 1}


def test_items_that_only_other_systems_answered_are_noted(dialeval, examples):
    assert (
        "b: 1 of the file's 2 items have no response from it"
        in dialeval("score", examples, "-m", "length").out
    )


def test_all_runs_what_can_run_and_says_how_to_enable_the_rest(dialeval, examples):
    done = dialeval("score", examples, "--all", "--json", "--trials", "10")
    assert done.code == 0
    ran = {name for name, _ in results(done)}
    assert {"bleu(order=1)", "rouge_l", "cider", "chrf", "distinct(n=2)", "self_bleu", "length"} <= ran
    left_out = set(EVERY_METRIC) - ran
    assert all(f"left out: {name}: " in done.err for name in left_out)
    assert "skip_thought" in left_out  # no weights of it come with any package


def test_help_names_every_metric_and_all_runs_those_that_do_not_take_long(dialeval):
    known = {*METRICS, *CORPUS_MEASURES}
    tables = (METRICS.traits | CORPUS_MEASURES.traits).items()
    costly = {name for name, traits in tables if traits.costly}
    of_talks = {"success", "turns_to_success", "user_faults", "pass_k"}
    asked = {"lm_likelihood", "pmi", "follow_ups", "fed", "full"}
    from_data = {
        "assertions",
        "contains",
        "not_contains",
        "regex",
        "equals",
        "json",
        "max_length",
        "language",
    }
    by_judge = {"judged_facts", "judged_slot_errors"}
    assert costly == {
        *asked,
        "quantidce",
        "dynaeval",
        "density",
        "slot_error_rate",
        "judge",
        *by_judge,
        *of_talks,
        *from_data,
    }
    assert {name.partition("(")[0] for name in EVERY_METRIC} == known - costly
    shown = dialeval("score", "--help").out
    assert all(name in shown for name in known)


def test_measures_of_all_responses_together_stand_beside_metrics(dialeval, examples):
    done = dialeval(
        "score", examples, "-m", "distinct(n=2)", "-m", "length", "--json", "--per-item", "items.jsonl"
    )
    assert done.code == 0
    found = results(done)
    assert list(found) == [("distinct(n=2)", "a"), ("distinct(n=2)", "b"), ("length", "a"), ("length", "b")]
    assert (found["distinct(n=2)", "a"]["score"], found["distinct(n=2)", "a"]["n"]) == (1.0, 2)
    rows = [json.loads(line) for line in Path("items.jsonl").read_text().splitlines()]
    assert {row["criterion"] for row in rows} == {"length"}
    assert "distinct(n=2): no per-item values" in done.err
    assert "distinct" in dialeval("score", examples, "-m", "self_bleu", "-m", "distinct").out


def test_a_metric_that_sees_the_whole_corpus_first_reads_a_pipe_too(dialeval, examples, monkeypatch):
    direct = dialeval("score", examples, "-m", "cider", "-m", "rouge_l", "--json")
    assert direct.code == 0
    assert set(results(direct)) == {("cider", "a"), ("cider", "b"), ("rouge_l", "a"), ("rouge_l", "b")}
    with io.TextIOWrapper(examples.open("rb"), encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        assert dialeval("score", "-", "-m", "cider", "-m", "rouge_l", "--json").out == direct.out


def test_where_there_is_no_interval_the_table_says_why(dialeval):
    Path("answers.txt").write_text("yes\nyes\nyes\n")
    done = dialeval("score", "--hyp", "answers.txt", "-m", "length")
    assert "– constant" in done.out
    assert "no interval, constant: nothing varies from item to item" in done.out
    (row,) = json.loads(dialeval("score", "--hyp", "answers.txt", "-m", "length", "--json").out)["results"]
    assert (row["low"], row["absence"], row["units"], row["design_effect"]) == (None, "constant", 3, None)


def test_a_metric_without_any_value_fails_and_says_why(dialeval, tmp_path):
    bare = tmp_path / "bare.csv"
    bare.write_text("id,response\n1,no\n2,None\n3,yes\n")
    done = dialeval("score", bare, "-m", "rouge_l", "-m", "length", "--json")
    assert done.code == 1
    assert {(row["metric"], row["n"]) for row in json.loads(done.out)["results"]} == {
        ("rouge_l", 0),
        ("length", 3),
    }
    assert "rouge_l: no item of any system has a value: no references (3 times)" in done.err
    assert "length" not in done.err
    assert dialeval("score", bare, "-m", "length").code == 0


def test_an_undefined_corpus_measure_fails_too(dialeval, tmp_path):
    silent = tmp_path / "silent.jsonl"
    silent.write_text('{"id": "1", "response": ""}\n{"id": "2", "response": " "}\n')
    done = dialeval("score", silent, "-m", "distinct(n=2)")
    assert done.code == 1
    assert "distinct(n=2)" in done.err


def test_all_fails_only_where_no_metric_has_a_value(dialeval, tmp_path, monkeypatch):
    monkeypatch.setattr("dialeval.cli.scoring.EVERY_METRIC", ("rouge_l", "length"))
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"id": "1", "response": "no"}\n')
    assert dialeval("score", bare, "--all").code == 0
    bare.write_text('{"id": "1", "response": null}\n')
    assert dialeval("score", bare, "--all").code == 1


def test_bare_responses_are_scored_beside_the_data(dialeval, tmp_path):
    prompts = [{"id": str(at), "context": [], "references": [f"tea number {at}"]} for at in range(3)]
    Path("prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in prompts))
    Path("lines.txt").write_text("tea number 0\ntea number 1\ntea number 2\n")
    assert results(dialeval("score", "lines.txt", "--data", "prompts.jsonl", "-m", "rouge_l", "--json"))[
        "rouge_l", "system"
    ]["score"] == pytest.approx(1)
    Path("ids.csv").write_text("id,response\n2,tea number 2\n7,tea\n0,no\n")
    done = dialeval(
        "score", "ids.csv", "--data", "prompts.jsonl", "-m", "rouge_l", "-m", "distinct", "--json"
    )
    assert [results(done)[name, "system"]["n"] for name in ("rouge_l", "distinct")] == [3, 2]
    assert results(done)["rouge_l", "system"]["unanswered"] == 1
    assert "ids.csv: 1 of 3 lines match no item, such as '7'" in done.err
    assert dialeval("score", "--hyp", "lines.txt", "--data", "prompts.jsonl").code == 2


def silent_file(folder: Path, responses: list[str | None]) -> Path:
    """Examples with one word of reference each, and these responses."""
    rows = [
        {"id": str(n), "response": said, "references": ["tea please"]} for n, said in enumerate(responses)
    ]
    (folder / "silent.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "silent.jsonl"


def test_silence_is_scored_as_the_worst_answer_and_fails_a_threshold(dialeval, tmp_path):
    file = silent_file(tmp_path, ["tea please", "tea", None, "", " ", "\u200b", "please", "tea please"])
    row = results(dialeval("score", file, "-m", "rouge_l", "--json"))["rouge_l", "system"]
    assert (row["n"], row["unanswered"], row["unscored"]) == (8, 4, 0)
    done = dialeval("score", file, "-m", "rouge_l", "--fail-under", "point(rouge_l)=0.1")
    assert done.code == 100
    assert "system left 4 of 8 items unanswered, and none may be" in done.err
    assert "system left 4 of 8 items unanswered: counted as the worst value under rouge_l" in done.out
    allowed = ("--fail-under", "point(rouge_l)=0.1", "--allow-unanswered", "0.5")
    assert dialeval("score", file, "-m", "rouge_l", *allowed).code == 0
    assert dialeval("score", file, "-m", "rouge_l", "--allow-unanswered", "2").code == 2


@pytest.mark.parametrize("said", [None, ""])
def test_a_system_that_answers_nothing_is_an_error(dialeval, tmp_path, said):
    file = silent_file(tmp_path, [said] * 6)
    done = dialeval("score", file, "-m", "rouge_l", "--json")
    assert done.code == 1
    assert results(done)["rouge_l", "system"]["score"] == 0
    assert "system answered none of 6 items" in done.err
    assert dialeval("score", file, "-m", "rouge_l", "--allow-unanswered", "1").code == 0


def test_copies_of_the_references_are_pointed_out(dialeval, tmp_path):
    rows = [
        {"id": str(n), "response": f"Tea number {n}, please!", "references": [f"tea number {n} please"]}
        for n in range(9)
    ]
    (tmp_path / "copies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = dialeval("score", tmp_path / "copies.jsonl", "-m", "rouge_l")
    assert "9 of 9 responses equal their reference: is the data its own log?" in " ".join(done.out.split())
    told = json.loads(dialeval("score", tmp_path / "copies.jsonl", "-m", "rouge_l", "--json").out)
    assert told["leaks"] == [
        {"system": "system", "copied": 9, "items": 9, "code": "responses_equal_references"}
    ]
