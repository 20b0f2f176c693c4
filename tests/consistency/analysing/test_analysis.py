"""Analyses on answers whose numbers are known, and on the published labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ttest_ind

from dialeval.consistency.analysing.analysis import analyse
from dialeval.consistency.analysing.reading import read_labelled
from dialeval.consistency.detecting.detector import Calibration
from dialeval.consistency.document import LabelledAnswer
from dialeval.errors import Unsuitable


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
    given = [answer("a", "x", "?", "contradiction"), answer("b", "x", "?", "consistent", 0, draw="random")]
    assert analyse(given).draws[0].counts == {"top": (1, 1), "random": (0, 1)}


def test_top_and_random_are_counted_by_votes_at_each_distance_and_tested_over_contexts():
    votes = {
        ("top", 1): [(3, 2), (1, 0), (2, 2)],
        ("random", 1): [(1, 0), (0, 0), (0, 1)],
        ("top", 3): [(0, 3), (2, 1)],
        ("random", 3): [(0, 0), (1, 1)],
    }
    given = [
        replace(answer(f"{draw}{distance}-{n}", system, "?", "ambiguous", vote, draw=draw), distance=distance)
        for (draw, distance), rows in votes.items()
        for n, row in enumerate(rows)
        for system, vote in zip("xy", row, strict=True)
    ]
    drawn = {(each.distance, each.votes): each for each in analyse(given).draws}
    assert list(drawn) == [(d, v) for d in (None, 1, 3) for v in (None, 1, 2, 3)]
    assert drawn[1, 1].counts == {"top": (5, 6), "random": (2, 6)}
    assert drawn[1, 2].counts == {"top": (4, 6), "random": (0, 6)}
    assert drawn[3, 3].counts == {"top": (1, 4), "random": (0, 4)}
    assert drawn[None, 1].counts == {"top": (8, 10), "random": (4, 10)}
    expected = ttest_ind([1, 0.5, 1], [0.5, 0, 0.5], alternative="greater")
    assert drawn[1, 1].p == pytest.approx(expected.pvalue)
    assert analyse([answer("a", "x", "?", "consistent", 0)]).draws[0].p is None


def test_rates_run_from_any_rater_to_all_and_an_answer_in_two_draws_counts_once():
    votes = [3, 2, 2, 1, 0]
    given = [
        replace(answer(f"c{n}", "x", "?", label_of(vote), vote), response=f"answer {n}")
        for n, vote in enumerate(votes)
    ]
    document = analyse([*given, replace(given[0], draw="random")])
    (rates,) = document.systems
    assert (rates.system, rates.answers, rates.within) == ("x", 5, None)
    assert (rates.any.value, rates.contradictory.value, rates.all.value) == (0.8, 0.6, 0.2)
    assert document.unanimity.value == pytest.approx(1 / 4)


def label_of(votes):
    return "contradiction" if votes >= 2 else "ambiguous" if votes else "consistent"


class Finds:
    """A detector that finds contradictions in these responses."""

    calibration = Calibration()
    nearest = None

    def __init__(self, model, *found):
        self.model, self._found = model, found

    def probabilities(self, pairs):
        return np.array([0.9 if pair.response in self._found else 0.1 for pair in pairs])


def test_contradictions_that_one_detector_gains_are_compared_by_votes_with_those_both_find():
    said = {"g": (2, 2, 2, 3), "b": (2, 3, 3, 3, 3), "l": (3,), "n": (2, 3)}
    given = [
        replace(answer(f"{kind}{n}", "x", "?", "contradiction", vote), response=kind)
        for kind, votes in said.items()
        for n, vote in enumerate(votes)
    ]
    document = analyse(given, detector=Finds("new", "g", "b"), against=Finds("old", "b", "l"))
    found = document.compared
    assert (found.model, found.against) == ("new", "old")
    assert (found.gained, found.both, found.lost, found.neither) == ((3, 1), (1, 4), (0, 1), (1, 1))
    assert found.p == pytest.approx(chi2_contingency([[3, 1], [1, 4]], correction=False).pvalue)
    assert document.misses == ((1, 4), (2, 5))
    same = analyse(given, detector=Finds("new", "g"), against=Finds("old", "g")).compared
    assert (same.p, same.reason) == (None, "no contradiction of one kind")


def test_answers_that_contradict_themselves_are_counted_for_each_system():
    inside = "I have never been there. I was there last year."
    given = [
        replace(answer(f"c{n}", system, "?", label, 3), response=text)
        for n, (system, label, text) in enumerate(
            [
                ("x", "contradiction", inside),
                ("x", "contradiction", "I have no dog."),
                ("x", "consistent", inside),
                ("y", "contradiction", "I have no dog. I like tea."),
            ]
        )
    ]
    document = analyse(given, detector=Finds("new", "I was there last year."))
    assert {rate.system: rate.within for rate in document.systems} == {"x": 1, "y": 0}
    texts_unknown = analyse([replace(given[0], response="")], detector=Finds("new"))
    assert texts_unknown.systems[0].within is None


def test_features_of_a_user_are_whole_words_or_regular_expressions():
    given = [
        answer("a", "x", "So, what do you remember of it?", "contradiction"),
        answer("b", "x", "Do you remembered?", "consistent", 0),
        answer("c", "x", "And so?", "contradiction"),
    ]
    wanted = ["do you remember", "/^(so|and)/", "never"]
    found = {each.feature: each for each in analyse(given, features=wanted).features}
    assert found['"do you remember"'].contexts == 1
    assert (found["/^(so|and)/"].contexts, found["/^(so|and)/"].mean) == (2, 1.0)
    assert (found['"never"'].contexts, found['"never"'].p) == (0, None)
    for odd in ("/(/", "//", " "):
        with pytest.raises(Unsuitable, match="feature"):
            analyse(given, features=[odd])


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
