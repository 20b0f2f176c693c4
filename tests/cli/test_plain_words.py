"""Small mistakes that each were once told badly: odd values, empty names, unknown names, and nothing to measure."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

EXAMPLE = {"id": "1", "system": "a", "context": "hi", "response": "hello", "references": ["hello there"]}


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(EXAMPLE) + "\n")
    return path


def flat(text: str) -> str:
    """The text without the frame that the parser draws, on one line."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", text).split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seed", "x"), "found 'x', expected a whole number, 0 or more"),
        (("--jobs", "0"), "expected a whole number, 1 or more"),
        (("--trials", "many"), "found 'many', expected a whole number"),
    ],
)
def test_odd_numbers_are_told_in_plain_words(dialeval, answers, words, message):
    done = dialeval("score", answers, "-m", "rouge_l", *words)
    assert done.code == 2
    assert message in flat(done.err)


@pytest.mark.parametrize("verb", ["score", "run"])
def test_an_empty_name_is_no_directory(dialeval, verb):
    done = dialeval(verb, "")
    assert done.code == 2
    assert "found an empty name" in flat(done.err)


@pytest.mark.parametrize("words", [("-m", "nosuch"), ("--engine", "nosuch"), ("--from", "nosuch")])
def test_unknown_names_are_mistakes_in_the_usage(dialeval, answers, words):
    assert dialeval("score", answers, *words).code == 2


def test_flags_show_no_type_in_any_help():
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    assert "--json" in page
    assert "<bool>" not in page
    assert max(map(len, page.splitlines())) <= 80


def study(folder: Path, systems: list[dict[str, object]], **more: object) -> Path:
    path = folder / "study.yaml"
    content = {"name": "s", "data": "answers.jsonl", "systems": systems, "measures": ["rouge_l"], **more}
    path.write_text(json.dumps(content))
    return path


def test_a_system_without_a_name_is_refused(dialeval, answers):
    path = study(answers.parent, [{"name": " ", "kind": "echo"}, {"name": "b", "kind": "echo"}])
    done = dialeval("run", path)
    assert done.code == 1
    assert "systems[0].name: found ' ', expected a name" in done.err


def test_a_margin_is_told_of_at_its_place(dialeval, answers):
    path = study(answers.parent, [{"name": "b", "kind": "echo"}], margin={"rouge_l": -1})
    done = dialeval("run", path)
    assert done.err.splitlines()[1:] == ["  margin.rouge_l: found -1, expected a number above 0"]


def test_the_same_hint_stands_once(dialeval, answers):
    path = study(answers.parent, [{"name": f"s{n}", "kind": "nosuch"} for n in range(10)])
    done = dialeval("run", path)
    assert done.err.count("known kinds:") == 1
    assert done.err.count("There is no kind of system called 'nosuch'") == 10


def test_names_with_emoji_work_from_the_table_to_the_gate(dialeval, answers, tmp_path):
    rows = [{**EXAMPLE, "id": str(n), "system": "🚀 bot", "response": f"hello {n}"} for n in range(8)]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    systems = [
        {"name": "🚀 bot", "kind": "transcript", "path": "answers.jsonl"},
        {"name": "plain", "kind": "echo"},
    ]
    path = study(
        tmp_path, systems, gates=["🚀 bot: point(rouge_l) >= 0.1", "🚀 bot - plain: point(rouge_l) >= 0"]
    )
    done = dialeval("run", path, "-o", tmp_path / "run")
    assert done.code == 0, done.err
    rows_shown = [
        line for line in done.out.splitlines() if re.fullmatch(r"(🚀 bot|plain)[ ★]+0\.\d{3} \[.*\] *", line)
    ]
    assert len(rows_shown) == 2, done.out
    ends = {len(line.rstrip()) + line.count("🚀") for line in rows_shown}  # an emoji is two cells wide
    assert len(ends) == 1, rows_shown
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    anchors = set(re.findall(r'href="#([^"]+)"', page))
    assert anchors <= set(re.findall(r'id="([^"]+)"', page))


def test_lists_that_are_all_left_out_are_no_success(dialeval, tmp_path, minilm):
    path = tmp_path / "lists.jsonl"
    row = {"id": "1", "system": "a", "context": "Is it?", "responses": ["well maybe"], "expected": "yes"}
    path.write_text(json.dumps(row) + "\n")
    done = dialeval("nbest", "measure", path)
    assert done.code == 1
    assert "no item of any system has a value: a response is ambiguous" in done.err


@pytest.mark.parametrize("responses", [[], [""], ["", " "]])
@pytest.mark.parametrize("expected", ["yes", None])
def test_lists_without_a_response_are_no_success(dialeval, tmp_path, minilm, responses, expected):
    context = [{"role": "assistant", "content": "It is."}, {"role": "user", "content": "Is it?"}]
    rows = [
        {"id": n, "system": "a", "context": context, "responses": responses, "expected": expected}
        for n in "12"
    ]
    path = tmp_path / "lists.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = dialeval("nbest", "measure", path)
    assert done.code == 1
    assert re.search(r"\ba\b.* (has no response to any|answered none) of (the )?2 (items|stimuli)", done.err)
    rows.append({**rows[0], "system": "b", "responses": ["Yes, it is."]})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = dialeval("nbest", "measure", path, "--json")
    assert done.code == 1, "one of two systems said nothing"
    assert re.search(r"\ba\b.* (has no response to any|answered none) of (the )?2 (items|stimuli)", done.err)
    assert "b" in {row["system"] for row in json.loads(done.out)["results"]}


@pytest.mark.parametrize(
    ("candidates", "told"),
    [
        (
            [{"text": "noon", "correct": True}],
            "no item of any system has a value: the question has no false candidate",
        ),
        (
            [{"text": "Noon.", "correct": True}, {"text": "noon", "correct": False}],
            "found 1 question, each with a false candidate that has the text of a right one",
        ),
    ],
)
def test_questions_without_a_choice_are_no_success(dialeval, tmp_path, candidates, told):
    path = tmp_path / "questions.jsonl"
    row = {"id": "1", "context": [{"role": "user", "content": "when"}], "candidates": candidates}
    path.write_text(json.dumps(row) + "\n")
    done = dialeval("select", "ask", path, "--system", "tfidf")
    assert done.code == 1
    assert told in done.err


def test_acts_without_a_response_are_no_success_unless_allowed(dialeval, tmp_path):
    path = tmp_path / "acts.jsonl"
    rows = [
        {"id": n, "system": "s", "act": "inform(name=x)", "response": said}
        for n, said in (("1", ""), ("2", None))
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = dialeval("nlg", "score", path)
    assert done.code == 1
    assert "s answered none of 2 items" in done.err
    assert dialeval("nlg", "score", path, "--allow-unanswered", "1").code == 0


def test_dialogues_that_cannot_be_checked_are_no_success(dialeval, tmp_path):
    path = tmp_path / "talks.jsonl"
    path.write_text(json.dumps({"id": "1", "messages": [{"role": "user", "content": "hi"}]}) + "\n")
    done = dialeval("consistency", "detect", path)
    assert done.code == 1
    assert f"{path}: nothing was checked (1 dialogue: " in done.err
    assert "--speakers all" in done.err
    path.write_text(json.dumps({"id": "1", "messages": [{"role": "assistant", "content": ""}]}) + "\n")
    done = dialeval("consistency", "detect", path)
    assert done.code == 1
    assert "--speakers all compares" not in done.err, "that would not help"


def test_a_single_rater_is_no_agreement(dialeval, tmp_path):
    path = tmp_path / "ratings.jsonl"
    path.write_text(
        json.dumps({"item": "1", "system": "a", "rater": "x", "criterion": "q", "value": 3}) + "\n"
    )
    done = dialeval("annotate", "agreement", path)
    assert done.code == 1
    assert "no criterion has answers of two raters" in done.err
