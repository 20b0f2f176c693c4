"""Scores in one line."""

from __future__ import annotations

import pytest

import dialeval
from dialeval.errors import ResourceUnavailable, UnknownName, Unsuitable
from dialeval.metrics.scoring import available


def test_scores_in_one_line_with_ragged_references():
    responses = ["this is a good test", "well", "hello there"]
    references = [["this is a test", "this is also a test"], "well", []]
    found = dialeval.score(responses, references, metrics=["bleu(order=1)", "rouge_l"])
    assert list(found) == ["bleu(order=1)", "rouge_l"]
    rouge = found["rouge_l"]
    # nlg-eval's own suite asserts .9070631 for the first pair.
    assert rouge.values[0] == pytest.approx(0.9070631, abs=1e-6)
    assert rouge.values[1] == pytest.approx(1)
    assert rouge.reasons == {2: "no references"}


@pytest.mark.parametrize(
    ("responses", "references"),
    [
        ("a response", ["its reference"]),
        (["a response"], "its reference"),
        (["a", "b", "c"], [["x", "y", "z"]]),
    ],
)
def test_text_for_lists_and_streams_for_lists_are_refused(responses, references):
    with pytest.raises(Unsuitable):
        dialeval.score(responses, references)


def test_a_wrong_name_suggests_the_close_one():
    with pytest.raises(UnknownName, match="Did you mean 'rouge_l'"):
        dialeval.score(["a"], ["a"], ["rogue_l"])


def test_what_cannot_run_says_how_to_enable_it(monkeypatch):
    def statistics(metric, examples):
        raise ResourceUnavailable("no weights here; pip install them")

    monkeypatch.setattr(dialeval.Chrf, "statistics", statistics)
    found = available(["length", "chrf"])
    assert list(found.metrics) == ["length"]
    assert found.obstacles == {"chrf": "no weights here; pip install them"}
