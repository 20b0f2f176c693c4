"""``--sample``: as many items as asked for, each as likely as any other, in their order."""

from __future__ import annotations

import json
from collections import Counter

from dialeval.cli.sampling import drawn


def test_every_item_is_equally_likely_and_keeps_all_its_records(capsys):
    records = [(f"i{n}", system) for system in "ab" for n in range(10)]
    times: Counter[str] = Counter()
    for seed in range(500):
        kept, told = drawn(records, lambda record: record[0], limit=None, sample=3, seed=seed)
        names = {name for name, _ in kept}
        assert len(names) == 3
        assert kept == [record for record in records if record[0] in names]
        assert told == f"a random sample of 3 of 10 items, seed {seed}"
        times.update(names)
    assert all(110 <= times[f"i{n}"] <= 190 for n in range(10))  # 150 by chance, within 4 sigma


def test_a_sample_of_more_than_there_are_is_all_of_them():
    kept, told = drawn(["a", "b"], str, limit=None, sample=5, seed=0)
    assert kept == ["a", "b"]
    assert told == "a random sample of 2 of 2 items, seed 0"
    assert drawn(["a", "b", "a", "c"], str, limit=2, sample=None, seed=0) == (["a", "b", "a"], None)


def test_convert_and_select_tasks_draw_and_say_so(dialeval, tmp_path):
    rows = [
        {
            "id": f"q{n}",
            "context": [{"role": "user", "content": "When?"}],
            "candidates": [{"text": f"At {n}.", "correct": True}, {"text": "No.", "correct": False}],
        }
        for n in range(20)
    ]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = dialeval("data", "convert", "questions.jsonl", "some.jsonl", "--sample", 5, "--seed", 1)
    assert done.code == 0, done.err
    assert "a random sample of 5 of 20 items, seed 1" in done.err
    some = [json.loads(line)["id"] for line in (tmp_path / "some.jsonl").read_text().splitlines()]
    assert len(some) == 5
    assert some == sorted(some, key=lambda name: int(name[1:])) != [f"q{n}" for n in range(5)]
    done = dialeval("select", "tasks", "questions.jsonl", "-o", "tasks", "--sample", 5, "--seed", 1)
    assert "a random sample of 5 of 20 items, seed 1" in done.err
    key = [json.loads(line)["item"] for line in (tmp_path / "tasks/key.jsonl").read_text().splitlines()]
    assert list(dict.fromkeys(key)) == some
    refused = dialeval("data", "convert", "questions.jsonl", "x.jsonl", "--sample", 5, "--limit", 5)
    assert refused.code == 2
    assert "--limit" in refused.err
