"""Dialogue acts from lines as Switchboard's are published."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dialeval.consistency.learning.acts import (
    Utterance,
    accuracy_of,
    commonest_act,
    read_labeller,
    read_utterances,
)
from dialeval.errors import BadInput, ResourceUnavailable, Unsuitable

LINES = [
    Utterance(text, act, before, str(number))
    for number in range(4)
    for act, before, texts in (
        ("qy", "me: Well,", ("Do you like it?", "Are you there?", "Is it big?", "Have you been to Texas?")),
        ("b", "you: I went there.", ("Uh-huh.", "Yeah.", "Right.", "Okay.")),
    )
    for text in texts
]


def test_lines_are_read_with_what_was_said_before_and_bad_ones_are_named(tmp_path):
    path = tmp_path / "swda.txt"
    path.write_text("1|A|Okay, uh,|b\n1|B||x\n1|B|Is it?|qy\n1|B|Well.|%\n2|B|Hi.|fp\n")
    assert list(read_utterances(path)) == [
        Utterance("Okay, uh,", "b", "", "1"),
        Utterance("Is it?", "qy", "you: Okay, uh,", "1"),
        Utterance("Well.", "%", "me: Is it?", "1"),
        Utterance("Hi.", "fp", "", "2"),
    ]
    path.write_text("1|A|too few\n")
    with pytest.raises(BadInput, match="3 fields"):
        list(read_utterances(path))


def test_accuracy_beside_the_commonest_act():
    said = [Utterance("a", "sd"), Utterance("b", "sd"), Utterance("c", "qy"), Utterance("d", "sd")]
    assert commonest_act(said) == "sd"
    found = accuracy_of(["sd", "sd", "qy", "b"], said)
    assert (found.value, found.n) == (0.75, 4)
    assert found.low < 0.75 < found.high


@pytest.mark.slow
def test_a_labeller_learns_and_runs_without_torch(tmp_path, minilm):
    pytest.importorskip("torch")
    from dialeval.consistency.learning.acts_training import ActsConfig, train_acts

    config = ActsConfig()
    config = replace(
        config,
        finetuning=replace(config.finetuning, rank=2, alpha=4.0),
        schedule=replace(config.schedule, epochs=6, learning_rate=5e-3, evaluate_every=0),
        batch=8,
    )
    done = train_acts(LINES, LINES, config, tmp_path)
    assert {name: each.value for name, each in done.measured.items()} == {
        "with the utterance before": 1.0,
        "alone": 1.0,
        "always qy": 0.5,
    }
    labeller = read_labeller(tmp_path)
    assert labeller.acts(["Do you have a dog?", "Uh-huh."]) == ["qy", "b"]
    assert labeller.acts(["Do you?", "Yeah."], ["me: Well,", "you: I went there."]) == ["qy", "b"]
    assert "| alone | 32 | 1.000" in (tmp_path / "README.md").read_text()


def test_one_act_cannot_be_learnt(tmp_path):
    pytest.importorskip("torch")
    from dialeval.consistency.learning.acts_training import ActsConfig, train_acts

    with pytest.raises(Unsuitable, match="1 dialogue act"):
        train_acts([Utterance("a", "b")], [], ActsConfig(), tmp_path)


def test_a_folder_without_a_labeller_is_refused(tmp_path):
    with pytest.raises(ResourceUnavailable, match="train acts"):
        read_labeller(tmp_path)
