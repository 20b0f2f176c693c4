"""What every corpus measure in the table promises, asked of each by name."""

from __future__ import annotations

import pickle
from dataclasses import fields

import numpy as np
import pytest

from dialeval.catalogue import CORPUS_MEASURES, METRICS, build_any, summary
from dialeval.core import Metric, Signature
from dialeval.data.types import Dialogue, Example, Response
from dialeval.errors import UnknownName
from support.paths import DOCS

every_measure = pytest.mark.parametrize("name", CORPUS_MEASURES)


def subjects(name: str, texts: list[str]) -> list[Example] | list[Dialogue]:
    """Responses of a system; talks, of which those about "a b" succeed, for a measure of talks."""
    if measured(name).whole_dialogues:
        return [Dialogue(f"{t}/{at}", (), "s", {"success": t == "a b"}) for at, t in enumerate(texts)]
    return [Example(str(at), "s", (), Response(t)) for at, t in enumerate(texts)]


def measured(name: str) -> Metric[Example]:
    found = build_any(name)
    assert not found.per_item
    return found


@every_measure
def test_scores_are_within_bounds_and_one_is_left_out_at_a_time(name: str) -> None:
    measure = measured(name)
    examples = subjects(name, ["a b", "b a c", "", "a b"])
    found = measure.without(examples, np.array([0, 1, 2, 1]))
    assert measure.limits[0] <= found.score <= measure.limits[1]
    assert found.without.shape == (3,)


@every_measure
def test_the_order_of_responses_and_groups_changes_nothing(name: str) -> None:
    texts = ["a b c", "a b", "", "c c c d", "a b c"]
    examples = subjects(name, texts)
    groups = np.array([0, 1, 0, 2, 1])
    found, turned = (
        measured(name).without(examples, groups),
        measured(name).without(examples[::-1], 2 - groups[::-1]),
    )
    assert turned.score == pytest.approx(found.score)
    assert turned.without.tolist() == pytest.approx(found.without[::-1].tolist())


@every_measure
def test_the_signature_says_how_to_build_the_measure_again(name: str) -> None:
    measure = measured(name)
    assert Signature.parse(str(measure.signature)) == measure.signature
    assert build_any(measure.signature.call) == measure
    shown = {field.name: getattr(measure, field.name) for field in fields(measure)}  # type: ignore[arg-type]
    assert dict(measure.signature.parameters) == shown
    assert pickle.loads(pickle.dumps(measure)) == measure


@every_measure
def test_every_corpus_measure_is_documented(name: str) -> None:
    docs = DOCS
    assert f"`{name}`" in (docs / "metrics.md").read_text(encoding="utf-8")
    assert str(measured(name).signature) in (docs / "corpus-measures.md").read_text(encoding="utf-8")
    assert 20 < len(summary(name)) < 110


def test_the_table_is_sorted_and_shares_no_name_with_metrics() -> None:
    assert list(CORPUS_MEASURES) == sorted(CORPUS_MEASURES)
    assert not set(CORPUS_MEASURES) & set(METRICS)


def test_a_metric_is_no_corpus_measure() -> None:
    assert build_any("length").per_item


def test_a_wrong_name_suggests_close_ones_of_both_kinds() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'distinct'"):
        build_any("distnct")
