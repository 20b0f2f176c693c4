"""Rules of what counts as right, as one writes them."""

from __future__ import annotations

import pytest

from dialeval.errors import DialevalError
from dialeval.meta.instances.instances import validate_instances
from dialeval.meta.instances.rules import InstanceRule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("rouge_l>=0.2", InstanceRule("rouge_l", 0.2)),
        (" bleu(order=4) >= -1e-3 ", InstanceRule("bleu(order=4)", -0.001)),
        ("ter<=median", InstanceRule("ter", "median", lower_is_right=True)),
        ("chosen", InstanceRule("chosen")),
        ("a>=b>=3", InstanceRule("a>=b", 3.0)),
    ],
)
def test_a_rule_is_a_measure_and_a_bound(text: str, rule: InstanceRule) -> None:
    assert InstanceRule.parse(text) == rule


@pytest.mark.parametrize("text", ["", " ", ">=3", "m>=", "m>3", "m>=much", "m>=nan", "m>=inf"])
def test_what_is_no_rule_says_how_one_is_written(text: str) -> None:
    with pytest.raises(DialevalError, match=r"'rouge_l>=0\.2', 'ter<=0\.5' or 'length>=median'"):
        InstanceRule.parse(text)


def test_a_rule_asks_what_it_says(make_joined) -> None:
    joined = make_joined([[[1, 2, 3, 5, 4, 5]]], {"m": [[1, 1, 2, 3, 3, 4]]})
    found = InstanceRule.parse("m<=2").validate(joined, alpha=0.1)
    assert found == validate_instances(joined, "m", threshold=2.0, lower_is_right=True, alpha=0.1)
    assert found.systems[0].right == 3
