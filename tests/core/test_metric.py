"""The base class of metrics: defaults, signatures from fields, and classes of users that do not inherit it."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from dialeval import Bleu, Distinct, LeaveOneOut, Length, Metric, RougeL, Signature, compare, evaluate
from dialeval.core.custom import as_metric
from dialeval.data.types import Example, Response
from dialeval.errors import Unsuitable
from dialeval.metrics.rows import MeanOfValues, rows_of_values


@dataclass(frozen=True, slots=True)
class Long(MeanOfValues[Example]):
    """Whether a response has many words."""

    name: ClassVar[str] = "long"
    facts: ClassVar[tuple[tuple[str, str], ...]] = (("tokens", "blanks"),)
    version: ClassVar[int] = 2
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    least: int = 2
    memory: list[str] = field(default_factory=list, repr=False, compare=False)

    def statistics(self, examples):
        return rows_of_values([len(each.response.text.split()) >= self.least for each in examples])


class Loud:
    """A user's class that inherits nothing and sets its attributes when it is made."""

    def __init__(self, mark="!", signature=None):
        self.mark = mark
        self.higher_is_better = False
        self.limits = (0, 1)
        self.name = "a name of the user's own"
        if signature is not None:
            self.signature = signature

    def statistics(self, examples):
        return np.array([(self.mark in each.response.text, 1.0) for each in examples])

    def aggregate(self, totals):
        return totals[..., 0] / totals[..., 1]


@dataclass(frozen=True)
class Openings:
    """A user's corpus measure."""

    per_item = False
    signature = Signature("openings")
    words: int = 1

    def without(self, examples, groups):
        said = np.array([" ".join(each.response.text.split()[: self.words]) for each in examples])
        rest = [said[groups != group] for group in range(groups.max() + 1)]
        return LeaveOneOut(self.share(said), np.array([self.share(part) for part in rest]))

    def share(self, said):
        return len(set(said)) / len(said) if len(said) else math.nan


def said(*texts, system="s"):
    return [Example(str(at), system, (), Response(text), (text[::-1],)) for at, text in enumerate(texts)]


def test_fields_are_the_parameters_of_the_signature():
    assert str(Long(3).signature) == "long(least=3)|tokens=blanks|version=2"


def test_what_a_metric_does_not_say_has_a_default():
    metric = Long()
    assert (metric.higher_is_better, metric.worst, metric.silence, metric.family) == (True, 0, 0, "long")
    assert (metric.yes_no, metric.conditional, metric.per_item, metric.resources) == (None, False, True, {})
    assert metric.unscorable(said("a")[0]) is None
    assert metric.fit(said("a")) is metric
    assert not any(metric.has(member) for member in ("fit", "explain", "turn_effects", "breakdowns"))
    assert math.isnan(Length().worst)


def test_groups_are_left_out_of_any_metric():
    examples = said("a b", "c", "d e", "f")
    found = Long().without(examples, np.array([0, 0, 1, 1]))
    assert (found.score, found.without.tolist()) == (0.5, [0.5, 0.5])
    bleu = Bleu(order=1)
    without = bleu.without(examples, np.arange(4)).without
    assert without[0] == pytest.approx(evaluate(bleu, examples[1:]).score)


def test_metrics_that_need_all_subjects_say_so():
    assert Distinct().needs_all
    assert not RougeL().needs_all


def test_attributes_of_a_users_object_stand_before_the_defaults():
    metric = as_metric(Loud("?", Signature("loud")))
    assert isinstance(metric, Metric)
    assert (metric.higher_is_better, metric.limits, metric.worst) == (False, (0, 1), 1)
    assert metric.signature == Signature("loud")
    again = pickle.loads(pickle.dumps(metric))
    assert (again.mark, again.limits, again.signature) == ("?", (0, 1), metric.signature)
    assert evaluate(again, said("a?", "b")).score == 0.5


def test_a_users_corpus_measure_is_evaluated_and_compared():
    measure = pickle.loads(pickle.dumps(as_metric(Openings())))
    varied, dull = (
        evaluate(measure, said("a b", "c d", "e")),
        evaluate(Openings(), said("a", "a", "a", system="t")),
    )
    assert (varied.score, varied.per_item, varied.judgements, varied.values.size) == (1, False, (), 0)
    assert compare(varied, dull).difference.value == pytest.approx(2 / 3)


def test_what_lacks_members_is_refused_with_their_purpose():
    class Half:
        per_item = False

    with pytest.raises(Unsuitable, match=r"Half is not a Metric: it lacks\n  without: The score of all"):
        as_metric(Half())
    with pytest.raises(Unsuitable, match="aggregate: Scores of summed rows"):
        evaluate(Metric(), said("a"))
