"""Analyses on answers whose numbers are known, and on the published labels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy.stats import ttest_ind

from dialeval.consistency.analysing.analysis import analyse
from dialeval.consistency.analysing.reading import read_labelled
from dialeval.consistency.document import LabelledAnswer


def answer(item, system, question, label, votes=3, draw="top"):
    return LabelledAnswer(item, system, "I like tea.", question, "No.", label, votes, 3, draw)


def test_features_are_compared_by_a_one_tailed_t_test():
    rates = {"how": [1, 1, 0, 1, 1], "what": [0, 1, 0, 0, 0, 0]}
    given = [
        answer(f"{word}{place}", "x", f"{word} is it?", "contradiction" if rate else "consistent")
        for word, values in rates.items()
        for place, rate in enumerate(values)
    ]
    feature = next(each for each in analyse(given).features if each.feature == '"how"')
    expected = ttest_ind(rates["how"], rates["what"], alternative="greater")
    assert (feature.contexts, feature.others) == (5, 6)
    assert feature.p == pytest.approx(expected.pvalue)
    assert feature.mean == pytest.approx(0.8)


def test_agreement_of_systems_over_contexts():
    given = [
        answer(item, system, "Why?", "contradiction" if item == "a" else "consistent")
        for item in "ab"
        for system in "xy"
    ]
    document = analyse(given)
    assert document.kappa == pytest.approx(1)
    assert document.kappa_contexts == 2


def test_random_and_top_are_counted_apart():
    given = [answer("a", "x", "?", "contradiction"), answer("b", "x", "?", "consistent", draw="random")]
    assert analyse(given).draws == {"top": (1, 1), "random": (0, 1)}


def test_answers_that_the_detector_labelled_are_counted_and_tell_nothing_of_its_misses():
    class Never:
        def probabilities(self, pairs):
            raise AssertionError("the detector is asked about its own labels")

    own = replace(answer("a", "x", "Why?", "contradiction", votes=0), by="detector")
    document = analyse([own], detector=Never())
    assert (document.by_detector, document.misses) == (1, None)


def test_dialogue_acts_are_features_too():
    class Acts:
        def acts(self, texts):
            return ["qy" if text.startswith("Do") else "qw" for text in texts]

    given = [
        answer("a", "x", "Do you?", "contradiction"),
        answer("b", "x", "Why?", "consistent"),
    ]
    assert {"act qy", "act qw"} <= {each.feature for each in analyse(given, labeller=Acts()).features}


def test_published_labels_of_all_eight_systems(shared_data):
    contexts = sorted((shared_data / "rgm-contradiction" / "contexts" / "indomain").glob("*.jsonl"))
    document = analyse(read_labelled(contexts))
    assert (document.answers, len(document.systems)) == (1600, 8)
    assert document.kappa_contexts > 0
