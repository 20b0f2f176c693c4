"""Dialogue acts from lines as Switchboard's are published."""

from __future__ import annotations

import pytest

from dialeval.consistency.learning.acts import (
    Utterance,
    read_labeller,
    read_utterances,
    train_acts,
    write_labeller,
)
from dialeval.errors import BadInput, Unsuitable

LINES = [
    Utterance(text, act)
    for act, texts in {
        "qy": ("Do you like it?", "Are you there?", "Is it big?", "Have you been to Texas?"),
        "b": ("Uh-huh.", "Yeah.", "Right.", "Okay."),
    }.items()
    for text in texts
]


def test_lines_are_read_and_bad_ones_named(tmp_path):
    path = tmp_path / "swda.txt"
    path.write_text("1|A|Okay, uh,|b\n1|B||x\n1|B|Is it?|qy\n")
    assert list(read_utterances(path)) == [Utterance("Okay, uh,", "b"), Utterance("Is it?", "qy")]
    path.write_text("1|A|too few\n")
    with pytest.raises(BadInput, match="3 fields"):
        list(read_utterances(path))


def test_a_labeller_learns_and_is_read_back(tmp_path, minilm):
    labeller = train_acts(LINES)
    assert labeller.accuracy(LINES) == (len(LINES), len(LINES))
    assert labeller.acts(["Do you have a dog?", "Uh-huh."]) == ["qy", "b"]
    write_labeller(tmp_path, labeller, {"utterances": len(LINES)})
    assert read_labeller(tmp_path).acts(["Are you well?"]) == ["qy"]


def test_one_act_cannot_be_learnt():
    with pytest.raises(Unsuitable, match="1 dialogue act"):
        train_acts([Utterance("a", "b")])
