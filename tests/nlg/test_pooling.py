"""Whose references count for an act."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.nlg.acts.forms import parse_act
from dialeval.nlg.acts.reading import ActItem, read_splits
from dialeval.nlg.pooling import pooled

ITEMS = [
    ActItem("1", parse_act("inform(name=aa;food=thai)"), ("aa serves thai",)),
    ActItem("2", parse_act("inform(food=thai;name=aa)"), ("thai at aa",)),
    ActItem("3", parse_act("inform(name=bb;food=greek)"), ("bb , greek",)),
    ActItem("4", parse_act("inform(name=cc;food=dontcare)"), ("cc",)),
    ActItem("5", parse_act("inform(name=dd;food=greek)"), ("dd has no food",)),
]


def test_none_keeps_each_items_own() -> None:
    assert pooled(ITEMS, "none") == [item.references for item in ITEMS]


def test_act_joins_identical_acts_in_any_order_of_slots() -> None:
    assert pooled(ITEMS, "act")[:3] == [("aa serves thai", "thai at aa")] * 2 + [("bb , greek",)]


def test_slots_refills_sentences_of_acts_with_the_same_slots() -> None:
    references = pooled(ITEMS, "slots")
    assert references[2] == ("bb , greek", "bb serves greek", "greek at bb")
    assert references[3] == ("cc",)  # a special value is a class of its own
    # What does not hold all values of its act cannot be refilled, so it stays with its own item.
    assert references[4] == ("dd has no food", "dd serves greek", "greek at dd", "dd , greek")


@pytest.mark.slow
def test_rnnlg_pools_about_thirteen_references_per_item(shared_data: Path) -> None:
    items = read_splits(f"rnnlg:{shared_data / 'rnnlg' / 'restaurant'}")["test"]
    sizes = {pool: sum(map(len, pooled(items, pool))) / len(items) for pool in ("none", "act", "slots")}  # type: ignore[arg-type]
    assert sizes["none"] == 1
    assert 6 < sizes["act"] < 8
    assert 12 < sizes["slots"] < 14  # facts.md: about 13
