"""Studies on files as other tools export them: the study knows what they leave out."""

from __future__ import annotations

import json

import pytest

from dialeval.errors import BadInput, BadStudy
from dialeval.study import Workshop, load_study, run_study

ITEMS = {"a": ("Where is platform 2?", "Over there on the left."), "b": ("Tea?", "Yes please, with milk.")}


@pytest.fixture
def folder(tmp_path):
    rows = [
        {"id": item, "context": [{"role": "user", "content": asked}]} for item, (asked, _) in ITEMS.items()
    ]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "answers.txt").write_text("Over there on the right.\nYes please, with sugar.\n")
    return tmp_path


def run(folder, *, data="data.jsonl", path="answers.txt", **keys):
    study = {
        "data": data,
        "systems": [{"name": "new", "kind": "transcript", "path": path}],
        "measures": ["rouge_l"],
        **keys,
    }
    (folder / "study.yaml").write_text(json.dumps(study))
    return run_study(load_study(folder / "study.yaml"), Workshop())


def references(done):
    return {prompt.item: prompt.references for prompt in done.prompts}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("refs.txt", "Over there on the left.\nYes please, with milk.\n"),
        ("refs.csv", "id;reference\nb;Yes please, with milk.\na;Over there on the left.\n"),
        (
            "refs.jsonl",
            "".join(json.dumps({"id": i, "references": [r]}) + "\n" for i, (_, r) in ITEMS.items()),
        ),
    ],
)
def test_references_stand_in_a_file_of_their_own(folder, name, content):
    (folder / name).write_text(content)
    done = run(folder, references=name)
    assert references(done) == {item: (reference,) for item, (_, reference) in ITEMS.items()}
    assert done.scored[0].result.scored == 2


def test_references_that_do_not_fit_are_refused(folder):
    (folder / "refs.txt").write_text("One line.\n")
    with pytest.raises(BadInput, match="found 1 lines, needed 2, one for each item of the data"):
        run(folder, references="refs.txt")
    (folder / "refs.csv").write_text("id,reference\nx,One\ny,Two\n")
    with pytest.raises(BadInput, match="found no id of the data among 2, such as 'x'"):
        run(folder, references=["refs.csv"])
    with pytest.raises(BadStudy, match="references: no such file"):
        run(folder, references="refs.tsv")


def test_a_limit_keeps_the_order_of_lines(folder):
    (folder / "refs.txt").write_text("Over there on the left.\nYes please, with milk.\n")
    done = run(folder, references="refs.txt", limit=1)
    assert [example.response.text for example in done.respondents[0].examples] == ["Over there on the right."]


def test_formats_are_named_before_files(folder):
    (folder / "data.jsonl").rename(folder / "data.log")
    (folder / "answers.txt").rename(folder / "answers.out")
    done = run(folder, data="jsonl:data.log", path="text:answers.out")
    assert len(done.prompts) == 2
    assert not done.failures


def test_every_turn_of_the_assistant_is_an_item(folder):
    said = ["Hi.", "Hello.", "Tea?", "Yes please, with milk."]
    (folder / "talks.jsonl").write_text(json.dumps({"id": "d", "turns": said}))
    done = run(folder, data="talks.jsonl", path="talks.jsonl", turns="all")
    assert references(done) == {"d/2": ("Hello.",), "d/4": ("Yes please, with milk.",)}
    assert done.scored[0].result.score == 1
    assert references(run(folder, data="talks.jsonl", path="talks.jsonl")) == {
        "d": ("Yes please, with milk.",)
    }


def test_ratings_of_the_only_system_need_not_name_it(folder):
    (folder / "refs.txt").write_text("Over there on the left.\nYes please, with milk.\n")
    (folder / "ratings.csv").write_text("id,rating\na,4\nb,2\n")
    done = run(folder, references="refs.txt", human="ratings.csv")
    assert not done.failures
    assert done.agreement is not None
