"""Records in temporary files are the records, in a few bytes of memory each."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import pytest

from dialeval.data import Prompt, Turn
from dialeval.data.spooled import PROMPTS, Shape, Shelf, Spool, holding, ids_of, of_items, spooled
from dialeval.errors import RunFailed

CALL = {"tool_calls": [{"function": {"name": "seek", "arguments": '{"n": 1.5}'}}], "content": None}
PAIRS: Shape[tuple[str, int]] = Shape(lambda pair: pair, lambda parts: (parts[0], parts[1]))


def prompts(count: int) -> Iterator[Prompt]:
    for place in range(count):
        turns = (Turn("user", f"où? {place}", name="Zoë"), Turn("assistant", "", extra=CALL))
        yield Prompt(f"item-{place}", turns[: place % 3], ("there",) * (place % 2))


def test_few_stay_a_list_and_many_go_to_a_file_which_holds_them_as_they_were():
    with holding(700):
        few, many = spooled(prompts(700), PROMPTS), spooled(prompts(701), PROMPTS)
    assert isinstance(few, list)
    assert isinstance(many, Spool)
    assert few == list(prompts(700))
    assert list(many) == list(prompts(701))
    assert list(many) == list(many), "a second look finds the same"


@pytest.mark.parametrize(
    "part", [slice(None), slice(10), slice(250, 520), slice(-3, None), slice(5, 5), slice(None, None, -7)]
)
def test_slices_and_places_are_those_of_a_list(part):
    known, spool = list(prompts(600)), Spool(PROMPTS, prompts(600))
    assert list(spool[part]) == known[part]
    assert len(spool[part]) == len(known[part])
    assert list(spool[20:][part]) == known[20:][part]
    assert [spool[place] for place in (0, 255, 256, -1)] == [known[place] for place in (0, 255, 256, -1)]
    with pytest.raises(IndexError):
        spool[600]


def test_records_can_be_added_after_some_were_read():
    spool = Spool(PROMPTS, prompts(3))
    assert spool[2].item == "item-2"
    spool.extend(prompts(5))
    assert [prompt.item[-1] for prompt in spool] == list("01201234")


@pytest.mark.parametrize("make", [list, lambda records: Spool(PROMPTS, records)])
def test_ids_and_the_records_of_some_items_come_without_the_others(make):
    records = make(prompts(600))
    assert list(ids_of(records)) == [f"item-{place}" for place in range(600)]
    wanted = {"item-3", "item-400", "elsewhere"}
    items = [prompt.item for prompt in of_items(records, wanted) if prompt.item in wanted]
    assert items == ["item-3", "item-400"]


@pytest.mark.parametrize("held", [1000, 4, 0])
def test_a_shelf_finds_records_by_id_and_refuses_a_second_of_one_id(held):
    shelf = Shelf(PAIRS)
    with holding(held):
        assert all(shelf.add(f"i{place}", (f"i{place}", place)) for place in range(20))
        assert not shelf.add("i7", ("i7", 70))
    assert (len(shelf), list(shelf)) == (20, [f"i{place}" for place in range(20)])
    assert shelf["i7"] == ("i7", 7)
    assert shelf.get("j") is None
    assert "i19" in shelf
    assert "i20" not in shelf
    assert [place for _, place in shelf.in_order()] == list(range(20))


def test_a_full_disk_is_told_with_what_to_do():
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limits[1]))
    try:
        with pytest.raises(RunFailed, match="TMPDIR"):
            Spool(PROMPTS, prompts(10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
