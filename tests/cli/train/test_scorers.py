"""``dialeval train selfeval`` and detectors on tiny encoders, and ``dialeval selfeval levels`` on what they wrote."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch")

TOPICS = ("the cat sat on the mat", "where is it?", "it is on the hat", "a rat ate the oat", "the tea is hot")


@pytest.fixture
def talks(tmp_path):
    rows = [
        {
            "id": f"d{number}",
            "messages": [
                {"role": "AB"[place % 2], "content": f"{TOPICS[number % 5]} {number} {place}"}
                for place in range(6)
            ],
        }
        for number in range(24)
    ]
    (tmp_path / "talks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "talks.jsonl"


def test_the_papers_models_from_the_first_training_to_its_second_table(dialeval, roberta, talks, tmp_path):
    quick = ("--profile", "paper", "--encoder", roberta, "--epochs", 1, "--device", "cpu", "--json")
    first = dialeval("train", "selfeval", talks, "-o", "first", *quick)
    assert first.code == 0, first.err
    both = dialeval("train", "selfeval", talks, "-o", "both", *quick, "--start-from", "first")
    assert both.code == 0, both.err
    simple = ("--profile", "simple", *quick[2:])
    after = dialeval("train", "selfeval", talks, "-o", "simple", *simple, "--start-from", "first")
    assert after.code == 0, after.err
    other = dialeval(
        "train",
        "selfeval",
        talks,
        "-o",
        "x",
        "--encoder",
        roberta,
        "--profile",
        "light",
        "--start-from",
        "first",
    )
    assert other.code == 2
    assert "first has the profile paper, and the scorer to train light" in " ".join(other.err.split())
    table = dialeval("selfeval", "levels", talks, "-m", "selfeval(model='both')", "--json")
    assert table.code == 0, table.err
    [row] = json.loads(table.out)["levels"]
    assert len(row["by_level"]) == 3
    assert (row["dialogues"], row["unscored"]) == (12, 0)
    said = dialeval("selfeval", "levels", talks, "-m", "selfeval(model='both')", "--cuts-from", talks)
    assert "Rep-2" in said.out
    assert "chosen on 24 other dialogues" in said.out
    wrong = dialeval("selfeval", "levels", talks, "-m", "rouge_l")
    assert wrong.code == 2
    assert "rouge_l scores responses" in wrong.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--profile", "light", "--loss", "bce", "--curve", 2), "bce only tells originals"),
        (("--near", 0.3), "turnwise learns the next turn"),
        (("--start-from", "nowhere"), "no adapter at"),
    ],
)
def test_options_that_would_do_nothing_are_refused(dialeval, talks, options, said):
    done = dialeval("train", "selfeval", talks, "-o", "x", *options)
    assert done.code in (1, 2)
    assert said in " ".join(done.err.split())


def test_graded_levels_and_other_numbers_of_a_profile(dialeval, roberta, talks):
    done = dialeval(
        "train", "selfeval", talks, "-o", "graded", "--profile", "light", "--encoder", roberta, "--epochs", 2,
        "--hardness", "graded", "--near", 0.25, "--late", 2, "--curve", 2, "--rounds", 3, "--per-level", 2,
        "--rank", 2, "--tokens", 40, "--dropout", 0.2, "--batch", 5, "--weight-decay", 0.01, "--warm-up", 2,
        "--second-learning-rate", 1e-4, "--precision", "bfloat16", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    scored = dialeval("score", talks, "-m", "selfeval(model='graded')", "--json")
    assert 0 < json.loads(scored.out)["results"][0]["score"] < 1


def test_a_detector_of_all_weights_learns_from_decodes_dialogues(dialeval, roberta, tmp_path):
    def dialogue(number, contradicts):
        said = [
            "I like tea.",
            "Really?",
            "The cat sat.",
            "And?",
            "I hate tea." if contradicts else "It is hot.",
        ]
        turns = [{"turn_id": n, "agent_id": n % 2, "text": f"{text} {number}"} for n, text in enumerate(said)]
        evidence = [0, 4] if contradicts else []
        return {
            "record_id": str(number), "turns": turns, "is_contradiction": contradicts,
            "aggregated_contradiction_indices": evidence,
        }  # fmt: skip

    for name, start in (("train", 0), ("dev", 40)):
        rows = [dialogue(number, number % 2 == 0) for number in range(start, start + 40)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = dialeval(
        "train", "contradiction", "train.jsonl", "--validate-on", "dev.jsonl", "-o", "det", "--encoder", roberta,
        "--rank", 0, "--tokens", 48, "--weight-decay", 0.01, "--warm-up", 0, "--schedule", "constant",
        "--precision", "bfloat16", "--device", "cpu", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert json.loads(done.out)["train"] == 40
    assert "all weights" in (tmp_path / "det" / "README.md").read_text()
    used = dialeval("consistency", "evaluate", "dev.jsonl", "--model", "det", "--json")
    assert used.code == 0, used.err
    assert json.loads(used.out)["results"][0]["set"] == "decode"


@pytest.mark.parametrize("kind", ["density", "dynaeval", "quantidce"])
def test_rivals_train_in_sixteen_bits(dialeval, roberta, talks, kind):
    options = ("--encoder", roberta, "--epochs", 1, "--precision", "bfloat16", "--device", "cpu", "--json")
    done = dialeval("train", "rival", kind, talks, "-o", "rival", *options)
    assert done.code == 0, done.err
    assert json.loads(done.out)["updates"] > 0


@pytest.mark.parametrize(("long", "held"), [(9, 0), (10, 2), (29, 2), (30, 3)])
def test_a_tenth_of_the_long_dialogues_is_held_out_and_no_single_one(long: int, held: int) -> None:
    """Short dialogues first: they are not learnt from, so they are no test of what was learnt either."""
    from dialeval.cli.train.scorers import _parted
    from dialeval.data.types import Dialogue, Turn

    given = [
        Dialogue(
            f"d{n}",
            tuple(Turn("ab"[k % 2], f"turn {k} of {n}") for k in range(2 if n < 40 else 4)),
        )
        for n in range(40 + long)
    ]
    parted = _parted("talks.jsonl", given, 100)
    assert len(parted.judged.dialogues) == held
    assert len(parted.material.dialogues) == long - held
