"""``dialeval train quality`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

ANSWERS = ("I like tea with milk.", "My car is blue.", "Tea, and you?", "Oh oh oh oh oh.", "Coffee, not tea.")


def write_rated(folder: Path, count: int = 25) -> tuple[Path, Path]:
    answers, ratings = folder / "answers.jsonl", folder / "ratings.jsonl"
    rows = [
        {
            "id": str(place),
            "system": "bot",
            "context": [{"role": "user", "content": f"Do you like tea, number {place}?"}],
            "response": ANSWERS[place % len(ANSWERS)],
        }
        for place in range(count)
    ]
    judged = [
        {
            "item": str(place),
            "system": "bot",
            "rater": rater,
            "criterion": "overall",
            "value": (4, 1, 5, 1, 4)[place % 5] + shift,
        }
        for place in range(count)
        for rater, shift in (("a", 0), ("b", 1))
    ]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ratings.write_text("".join(json.dumps(row) + "\n" for row in judged))
    return answers, ratings


def test_training_on_own_ratings_then_scoring(dialeval, tmp_path):
    answers, ratings = write_rated(tmp_path)
    done = dialeval("train", "quality", answers, "--ratings", ratings, "-o", "mine", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["recipes"] == ["turn"]
    assert told["agreement"][0]["n"] == 25
    assert told["agreement"][0]["spearman"] > 0.5
    assert "25 of 25 rated answers can be scored" in done.err
    scored = dialeval("score", answers, "-m", "quality(model='mine')", "--per-item", "out.jsonl", "--json")
    assert scored.code == 0, scored.err
    values = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len(values) == 25
    assert values[0]["value"] > values[1]["value"]
    assert all(row["rater"].startswith("quality(") for row in values)


def test_ratings_of_other_items_are_refused(dialeval, tmp_path):
    answers, ratings = write_rated(tmp_path)
    ratings.write_text(ratings.read_text().replace('"bot"', '"another"'))
    done = dialeval("train", "quality", answers, "--ratings", ratings, "-o", "mine")
    assert done.code == 1
    assert "called the same in both files" in done.err


def test_several_criteria_need_a_choice(dialeval, tmp_path):
    answers, ratings = write_rated(tmp_path)
    with ratings.open("a") as file:
        file.write('{"item": "1", "system": "bot", "rater": "a", "criterion": "style", "value": 3}\n')
    done = dialeval("train", "quality", answers, "--ratings", ratings, "-o", "mine")
    assert done.code == 1
    assert "--criterion 'overall'" in done.err
    unknown = dialeval("train", "quality", answers, "--ratings", ratings, "-o", "mine", "--criterion", "wit")
    assert "no ratings of 'wit', only of overall, style" in unknown.err


def test_ratings_are_given_for_each_file_or_none(dialeval, tmp_path):
    answers, ratings = write_rated(tmp_path)
    done = dialeval("train", "quality", answers, answers, "--ratings", ratings, "-o", "mine")
    assert done.code == 2
