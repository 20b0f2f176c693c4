"""A plain function or class of one's own is a metric like any other."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from dialeval.catalogue import build_any
from dialeval.core import Signature
from dialeval.data import Example, Response
from dialeval.engine import ProcessPool
from dialeval.errors import DialevalError, UnknownName, Unsuitable
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.evaluation.uncertainty import undeclared_limits
from dialeval.metrics.custom import custom_metric, from_signature

NAMES = ("share", "bounded", "words", "badness")

CODE = '''
def shared(response, references):
    """Words shared with the best reference."""
    return max(len(set(response.split()) & set(r.split())) for r in references)

def any_names(text, golds, before, scale=1):
    return scale * (len(text) + 10 * len(golds) + 100 * len(before))

def words(response):
    return len(response.split()) or None

def badness(response):
    return response.count("bad")
badness.higher_is_better = False

def crash(response):
    return 1 / (len(response) - 3)

def text(response):
    return "good"

def share(response):
    return min(1, len(response.split()) / 4)

def bounded(response):
    return min(1, len(response.split()) / 4)
bounded.limits = (0, 1)

def beyond(response):
    return 3
beyond.limits = (0, 1)

def upside_down(response):
    return 3
upside_down.limits = (1, 0)

def large(response):
    return 1234564
large.limits = (-0.123456789, 1234564)

def nothing():
    return 1

class Bare:
    higher_is_better = True
'''


@pytest.fixture(autouse=True)
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(CODE)
    return tmp_path


def example(item: str, response: str, *references: str) -> Example:
    return Example(item, "s", (), Response(response), references)


def test_a_function_is_given_what_it_asks_for_by_name():
    result = evaluate(build_any("mine.py:shared"), [example("1", "a b c", "c d", "b c"), example("2", "a")])
    assert result.values[0] == 2
    assert dict(result.reasons) == {1: "no references"}


def test_a_function_with_other_names_is_given_response_references_context_in_order():
    result = evaluate(build_any("mine.py:any_names(scale=2)"), [example("1", "abc", "x", "y")])
    assert result.score == 2 * (3 + 20 + 0)


def test_none_is_no_value_and_not_zero():
    result = evaluate(build_any("mine.py:words"), [example("1", "a b"), example("2", "")])
    assert result.score == 2
    assert math.isnan(result.values[1])
    assert list(result.reasons) == [1]


def test_the_signature_holds_options_direction_and_source_and_parses_back():
    metric = build_any("mine.py:badness")
    assert metric.higher_is_better is False
    assert str(metric.signature).startswith("mine.py:badness|better=lower|form=function|source=")
    assert Signature.parse(str(metric.signature)) == metric.signature
    read_back = from_signature(str(metric.signature))
    assert read_back is not None
    assert read_back.higher_is_better is False


def test_it_runs_in_a_pool_of_processes(mine):
    examples = [example(str(n), "w " * n) for n in range(1, 40)]
    with ProcessPool(2) as pool:
        result = evaluate(build_any("mine.py:words"), examples, Plan(executor=pool, batch_size=5))
    assert result.score == 20


@pytest.mark.parametrize(
    ("name", "said"),
    [("mine.py:crash", "failed on item '1': ZeroDivisionError"), ("mine.py:text", "gave str for item '1'")],
)
def test_a_function_that_fails_names_itself_and_the_item(name, said):
    with pytest.raises(DialevalError, match=said):
        evaluate(build_any(name), [example("1", "abc")])


def test_a_function_without_parameters_and_wrong_options_are_refused():
    with pytest.raises(DialevalError, match="takes no response"):
        build_any("mine.py:nothing")
    with pytest.raises(UnknownName, match="It takes scale"):
        build_any("mine.py:any_names(scael=2)")


def test_a_class_that_lacks_members_is_told_which_and_what_for():
    with pytest.raises(
        Unsuitable, match=r"is not a Metric: it lacks\n  statistics: One row(.|\n)*aggregate: Scores"
    ):
        build_any("mine.py:Bare")


def test_evaluate_says_which_member_an_object_lacks():
    with pytest.raises(Unsuitable, match="statistics: One row per subject"):
        evaluate(object(), [example("1", "a")])


def test_other_names_are_not_ones_own():
    assert custom_metric("blue") is None
    with pytest.raises(UnknownName, match="Did you mean 'bleu'"):
        build_any("blue")


def test_a_function_may_declare_its_limits():
    examples = [Example(str(n), "a", (), Response("a " * (n % 5)), ()) for n in range(6)]
    free, held = (evaluate(custom_metric(f"mine.py:{name}"), examples) for name in ("share", "bounded"))
    assert (free.metric.limits, held.metric.limits) == ((-math.inf, math.inf), (0.0, 1.0))
    assert free.score == held.score
    assert 0 <= held.estimate.low < held.estimate.high <= 1
    assert "limits" not in str(free.signature)
    assert from_signature(str(held.signature)).limits == (0.0, 1.0)  # so that a run compares as it was run
    large = evaluate(custom_metric("mine.py:large"), examples)
    assert (large.values[1], large.metric.limits) == (1234564, (-0.123456789, 1234564))
    assert "|limits=0:1|" in str(held.signature)
    with pytest.raises(DialevalError, match=r"gave 3 for item '0', but declares limits = \(0, 1\)"):
        evaluate(custom_metric("mine.py:beyond"), examples)
    with pytest.raises(DialevalError, match="expected the least and the greatest value"):
        custom_metric("mine.py:upside_down")


def test_values_within_0_and_1_are_pointed_out_and_nothing_is_assumed():
    examples = [Example(str(n), "a", (), Response("a " * (n % 5)), ()) for n in range(6)]
    notes = {
        name: undeclared_limits([evaluate(custom_metric(f"mine.py:{name}"), examples)]) for name in NAMES
    }
    assert [name for name, note in notes.items() if note] == ["share"]
    assert "declare it (share.limits = (0, 1))" in notes["share"]
