"""What every metric in the table promises, asked of each by name."""

from __future__ import annotations

import pickle
from dataclasses import fields

import numpy as np
import pytest
from _pytest.mark import ParameterSet
from hypothesis import given, settings, strategies as st

from dialeval.catalogue import METRICS, build, summary
from dialeval.core import Floats, Metric, Signature
from dialeval.data.types import Example, Response, Turn
from dialeval.errors import DialevalError, ResourceUnavailable, UnknownName
from dialeval.evaluation.runner import fitted
from support.paths import DOCS

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "D", "é", "東京", ","]), max_size=7).map(" ".join) | st.text(
    max_size=8
)
EXAMPLES = st.lists(
    st.builds(
        Example,
        item=st.just("i"),
        system=st.just("s"),
        context=st.just((Turn("user", "a b"),)),
        response=TEXTS.map(Response),
        references=st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
    ),
    min_size=1,
    max_size=6,
)


# Matrix products round by the shape of their batch, so a network's values follow their company in the last digits.
NEURAL = (
    "bertscore",
    "sentence_cosine",
    "context_cosine",
    "selfeval",
    "quality",
    "quantidce",
    "dynaeval",
    "density",
    "contradiction_free",
    "contradiction_rate",
    "judge",
    "judged_facts",
    "judged_slot_errors",
)
CALLS = {
    "judge": "judge(model='smollm2-135m-instruct')",
    "judged_facts": "judged_facts(by='judge:smollm2-135m-instruct')",
    "judged_slot_errors": "judged_slot_errors(by='judge:smollm2-135m-instruct')",
}
"""Calls of metrics that need a parameter."""
# What these promise is asked of a small model in tests/selfeval/rivals/test_promises.py, for it takes many passes.
LANGUAGE_MODELS = tuple(name for name, traits in METRICS.traits.items() if traits.costly)


def made(name: str) -> Metric[Example]:
    return build(CALLS.get(name, name))


def installed(name: str) -> ParameterSet:
    """The metric's name, to be skipped where what it rests on is not on this machine."""
    try:
        made(name)
    except ResourceUnavailable as absence:
        return pytest.param(name, marks=pytest.mark.skip(reason=str(absence)))
    return pytest.param(name, marks=[pytest.mark.slow] if name in NEURAL else [])


every_metric = pytest.mark.parametrize("name", [installed(name) for name in METRICS])
every_quick_metric = pytest.mark.parametrize(
    "name", [installed(name) for name in METRICS if name not in LANGUAGE_MODELS]
)
quick = settings(max_examples=40, deadline=None)


# Where references tie, these take the first one's counts, as sacrebleu and METEOR's jar do: the item's score stays,
# its row may not.
TAKES_THE_FIRST = ("chrf", "meteor")


def ready(name: str) -> Metric[Example]:
    """The metric of that name, fitted to a small corpus where it needs one."""
    texts = ("a b c", "a D", "é , a", "東京 b")
    return fitted(made(name), [Example(text, "s", (), Response("a"), (text, "b c")) for text in texts])


def corpus_score(metric: Metric[Example], examples: list[Example]) -> Floats:
    return metric.aggregate(metric.statistics(examples).sum(axis=0))


@every_quick_metric
@quick
@given(examples=EXAMPLES, cut=st.integers(0, 6))
def test_batching_changes_nothing(name: str, examples: list[Example], cut: int) -> None:
    metric = ready(name)
    parts = [metric.statistics(examples[:cut]), metric.statistics(examples[cut:])]
    rounding = 2e-6 if name in NEURAL else 0
    np.testing.assert_allclose(np.concatenate(parts), metric.statistics(examples), rtol=0, atol=rounding)


@every_quick_metric
@quick
@given(examples=EXAMPLES)
def test_order_changes_nothing(name: str, examples: list[Example]) -> None:
    metric = ready(name)
    np.testing.assert_array_equal(metric.statistics(examples[::-1]), metric.statistics(examples)[::-1])
    np.testing.assert_allclose(
        corpus_score(metric, examples[::-1]), corpus_score(metric, examples), rtol=1e-12
    )


@every_quick_metric
@quick
@given(examples=EXAMPLES)
def test_the_order_of_references_changes_nothing(name: str, examples: list[Example]) -> None:
    metric = ready(name)
    turned = [Example("i", "s", e.context, e.response, e.references[::-1]) for e in examples]
    rows, turned_rows = metric.statistics(examples), metric.statistics(turned)
    if name in TAKES_THE_FIRST:
        np.testing.assert_allclose(metric.aggregate(turned_rows), metric.aggregate(rows), rtol=1e-14)
    else:
        np.testing.assert_array_equal(turned_rows, rows)


@every_quick_metric
@quick
@given(examples=EXAMPLES)
def test_a_corpus_said_twice_scores_the_same(name: str, examples: list[Example]) -> None:
    metric = ready(name)
    # BLEU's constants do not double with the counts, which shows where no n-gram matched: some 1e-4.
    np.testing.assert_allclose(corpus_score(metric, examples * 2), corpus_score(metric, examples), atol=1e-3)


@every_quick_metric
@quick
@given(examples=EXAMPLES)
def test_statistics_are_finite_rows_and_scores_are_finite(name: str, examples: list[Example]) -> None:
    metric = ready(name)
    rows = metric.statistics(examples)
    scored = [metric.unscorable(example) is None for example in examples]
    assert rows.dtype == np.float64
    assert rows.shape == (len(examples), rows.shape[1])
    assert np.isfinite(rows).all()
    assert np.isfinite(metric.aggregate(rows[scored])).all()


@every_quick_metric
@quick
@given(examples=EXAMPLES)
def test_a_stack_of_totals_is_scored_as_one_by_one(name: str, examples: list[Example]) -> None:
    metric = ready(name)
    rows = metric.statistics(examples)
    stack = np.stack([rows, rows * 2, rows * 0])
    scores = metric.aggregate(stack)
    assert scores.shape == stack.shape[:-1]
    for at in np.ndindex(scores.shape):
        np.testing.assert_allclose(scores[at], metric.aggregate(stack[at]), rtol=1e-15)


@every_metric
def test_no_examples_give_no_rows_and_an_undefined_score(name: str) -> None:
    metric = ready(name)
    width = metric.statistics([Example("i", "s", (), Response("a"), ("a",))]).shape[1]
    assert metric.statistics([]).shape == (0, width)
    assert np.isnan(metric.aggregate(np.zeros(width)))
    assert metric.aggregate(np.zeros((0, width))).shape == (0,)


@every_metric
def test_the_signature_says_how_to_build_the_metric_again(name: str) -> None:
    metric = made(name)
    signature = metric.signature
    assert signature.name == name
    assert Signature.parse(str(signature)) == signature
    assert build(signature.call) == metric
    assert build(signature.call).signature == signature


@every_metric
def test_the_signature_shows_every_parameter_that_is_not_left_at_its_default(name: str) -> None:
    metric = made(name)
    shown = dict(metric.signature.parameters)
    for field in fields(metric):  # type: ignore[arg-type]
        assert shown.pop(field.name, field.default) == getattr(metric, field.name)
    assert shown == {}


@every_metric
def test_metrics_are_values_that_travel_to_other_processes(name: str) -> None:
    metric = made(name)
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert hash(made(name)) == hash(metric)


@every_metric
def test_every_metric_is_documented(name: str) -> None:
    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    assert f"`{name}`" in page
    assert str(made(name).signature) in page


@every_metric
def test_the_summary_is_one_line(name: str) -> None:
    line = summary(name)
    assert 20 < len(line) < 110
    assert "\n" not in line
    assert not line.endswith(".")
    assert summary(made(name).signature.call) == line


def test_parameters_are_read_from_the_name() -> None:
    assert build("bleu(order=2)").signature.call == "bleu(order=2)"
    assert build("rouge_l(beta=1)") == build("rouge_l(beta=1.0)")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("bleu(order=5)", "'order' of bleu: found 5, expected 1, 2, 3 or 4"),
        ("bleu(order='4')", "found '4', expected a whole number"),
        ("bleu(orders=4)", "Did you mean 'order'?"),
        ("length(order=4)", "It takes none"),
        ("bleu(4)", "bleu(order=4)"),
        ("ROUGE_L", "Did you mean 'rouge_l'?"),
    ],
)
def test_a_wrong_name_or_parameter_is_explained(name: str, complaint: str) -> None:
    with pytest.raises(DialevalError) as caught:
        build(name)
    assert complaint in str(caught.value)


def test_the_summary_of_an_unknown_metric_suggests_the_close_one() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'bleu'"):
        summary("blue")
