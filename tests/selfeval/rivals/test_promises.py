"""What every metric promises, asked of those that take long: with a small language model, or trained ones."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from dialeval.catalogue import METRICS, build
from dialeval.core import Metric, Signature
from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.selfeval.subjects import Subject

TRAINED = ("quantidce", "dynaeval", "density")
COSTLY = [
    name
    for name, traits in METRICS.traits.items()
    if traits.costly and ".selfeval." in METRICS[name].__module__
]
SUBJECTS: list[Subject] = [
    Example("1", "s", alternating(["Hello."]), Response("Hi.")),
    Example("2", "s", alternating(["Hello.", "Tea?"]), Response("No, I like milk. 東京")),
    Example("3", "s", alternating(["Hello."]), Response("  ")),
    Example("4", "s", (), Response("Hi.")),
    Dialogue("5", (Turn("user", "Hello."), Turn("assistant", "Hi."), Turn("user", "Tea?")), "s"),
    Dialogue("6", (), "s"),
]


@pytest.fixture(params=COSTLY)
def metric(request: pytest.FixtureRequest, causal: Path) -> Metric[Subject]:
    call = request.param if request.param in TRAINED else f"{request.param}(model={str(causal)!r})"
    return build(call)  # type: ignore[return-value]  # a scorer of both


def test_batching_changes_nothing(metric: Metric[Subject]) -> None:
    whole = metric.statistics(SUBJECTS)
    for cut in (1, 4):
        parts = [metric.statistics(SUBJECTS[:cut]), metric.statistics(SUBJECTS[cut:])]
        np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-5, atol=1e-5)


def test_order_changes_nothing(metric: Metric[Subject]) -> None:
    np.testing.assert_array_equal(metric.statistics(SUBJECTS[::-1]), metric.statistics(SUBJECTS)[::-1])


def test_values_are_finite_where_there_is_something_to_judge(metric: Metric[Subject]) -> None:
    rows = metric.statistics(SUBJECTS)
    assert np.isfinite(rows).all()
    judged = [metric.unscorable(subject) is None for subject in SUBJECTS]
    assert judged == [True, True, False, False, True, False]
    assert np.isfinite(metric.aggregate(rows)).tolist() == judged


def test_they_travel_to_other_processes(metric: Metric[Subject]) -> None:
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert Signature.parse(str(metric.signature)) == metric.signature
    assert build(metric.signature.call) == metric
