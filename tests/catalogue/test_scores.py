"""Scores in one line."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dialeval
from dialeval import Bleu, Signature, score
from dialeval.catalogue import build_any
from dialeval.catalogue.scores import available
from dialeval.errors import DialevalError, ResourceUnavailable, UnknownName, Unsuitable


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


def exact(response, references, bonus=0.0):
    """Whether the response is one of the references."""
    return float(response in references) + bonus


class Thanks:
    """Whether the response thanks."""

    higher_is_better = True
    yes_no = True

    def __init__(self, word="thank"):
        self.word = word

    def unscorable(self, example):
        return None if example.response.text.strip() else "empty response"

    def statistics(self, examples):
        return np.array([(float(self.word in example.response.text), 1.0) for example in examples])

    def aggregate(self, totals):
        return totals[..., 0] / totals[..., 1]


def test_a_metric_may_be_a_function_a_class_or_an_object():
    responses, references = ["thank you", "no"], [["thank you"], ["yes"]]
    metrics = [exact, Thanks, Thanks("no"), Bleu(order=1), "rouge_l", lambda response: len(response)]
    with pytest.raises(Unsuitable, match="two metrics called"):
        score(responses, references, [Thanks, exact, exact])
    scores = {name: result.score for name, result in score(responses, references, metrics).items()}
    assert scores["exact"] == scores["Thanks"] == 0.5
    assert scores["test_scores.py:Thanks(word='no')"] == 0.5
    assert scores["<lambda>"] == 5.5
    assert scores["bleu(order=1)"] == score(responses, references, "bleu(order=1)")["bleu(order=1)"].score
    assert scores["rouge_l"] == 0.5
    assert score(["a"], metrics=exact)["exact"].reasons == {0: "no references"}


def test_a_function_has_the_signature_that_the_command_line_gives_it():
    named = build_any(f"{__file__}:exact")
    assert score(["a", "b"], ["a", "b"], exact)["exact"].signature == named.signature
    assert (
        score(["a", "b"], ["a", "b"], Thanks)["Thanks"].signature == build_any(f"{__file__}:Thanks").signature
    )


def test_a_function_of_a_notebook_needs_no_file():
    space: dict[str, object] = {"__name__": "__main__"}
    exec("def short(response):\n    return len(response) < 3", space)
    result = score(["a", "abc"], metrics=[space["short"]])["short"]
    assert result.score == 0.5
    assert Signature.parse(str(result.signature)) == result.signature
    assert result.signature.name == "__main__:short"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], []), "Found no responses, expected at least one example."),
        ((["a"], ["a"], []), "Found no metrics, expected at least one"),
        ((["a"], ["a"], [3]), "Found int as a metric, expected a name such as 'rouge_l'"),
        (
            ({"response": ["a"], "gold": ["a"]}, "golden", "rouge_l"),
            "no column 'golden'; it has response, gold",
        ),
        (
            ({"response": ["a"]}, [["a"]], "rouge_l"),
            "Found references beside a data frame, expected them in it.",
        ),
        ((["a"], ["a"], ["rogue_l"]), "There is no metric called 'rogue_l'. Did you mean 'rouge_l'?"),
        ((["a"], ["a"], [object()]), "Found object as a metric"),
    ],
)
def test_what_cannot_be_scored_is_named(arguments, message):
    with pytest.raises(DialevalError, match=re.escape(message)):
        score(*arguments)


def test_references_may_be_a_named_column():
    assert score({"response": ["a"], "wanted": ["a"]}, "wanted", "rouge_l")["rouge_l"].score == 1
