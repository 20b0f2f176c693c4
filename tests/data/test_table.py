"""Records of tables are the records, wherever they are kept."""

from __future__ import annotations

import resource
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.core import Missing
from dialeval.data import Example, Prompt, Response, Turn
from dialeval.data.table import Table, holding, ids_of, of_items
from dialeval.data.types import Assertion, Usage
from dialeval.errors import RunFailed

CALL = {"tool_calls": [{"function": {"name": "seek", "arguments": '{"n": 1.5}'}}], "content": None}


class Pair(NamedTuple):
    item: str
    number: int | None


def prompts(count: int) -> Iterator[Prompt]:
    for place in range(count):
        turns = (Turn("user", f"où? {place}", name="Zoë"), Turn("assistant", "", extra=CALL))
        rule = Assertion("json", {"type": "object", "required": ["a"]}, negated=place % 2 == 1)
        yield Prompt(
            f"item-{place}",
            turns[: place % 3],
            ("there",) * (place % 2),
            ("a fact",) * (place % 5),
            (rule,) * (place % 4),
        )


def answers(count: int) -> Iterator[Example | Missing]:
    for place, prompt in enumerate(prompts(count)):
        if place % 7 == 3:
            yield Missing(prompt.item, "bot", "lost", "failed" if place % 2 else None)
        else:
            usage = Usage(0.5 * place, place, cut=place % 2 == 0) if place % 3 else None
            said = (
                Response("", missing="silent", cause="silent")
                if place % 5 == 2
                else Response(f"so {place}", -1.25, usage=usage)
            )
            yield Example(
                prompt.item,
                "bot",
                prompt.context,
                said,
                prompt.references,
                prompt.knowledge,
                prompt.assertions,
            )


def fields(record: object) -> str:
    """All fields, those among them that do not count when records are compared."""
    return repr(record)


def test_few_stay_in_memory_and_many_go_to_a_file_which_holds_them_as_they_were():
    with holding(700):
        few, many = Table(Prompt, prompts(700)), Table(Prompt, prompts(701))
    assert (few.in_file, many.in_file) == (False, True)
    assert list(few) == list(prompts(700))
    assert list(many) == list(prompts(701))
    assert list(many) == list(many), "a second look finds the same"
    assert many == list(prompts(701)) != few
    assert many[:700] == few


@pytest.mark.parametrize("held", [100, 5, 1, 0])
def test_no_field_is_lost_of_records_of_several_types(held):
    with holding(held):
        table = Table(Example | Missing, answers(120))
    known = list(answers(120))
    assert table.in_file
    assert list(map(fields, table)) == list(map(fields, known))
    assert [fields(table[place]) for place in range(120)] == list(map(fields, known))
    assert [fields(table[place]) for place in range(119, -1, -17)] == list(map(fields, known[::-17]))
    assert list(table[3:90].ids()) == [record.item for record in known[3:90]]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.builds(Pair, st.text(), st.none() | st.integers(-(2**63), 2**63 - 1)), max_size=20))
def test_any_text_and_number_comes_back(pairs):
    with holding(3):
        assert list(Table(Pair, pairs)) == pairs


@pytest.mark.parametrize(
    "part", [slice(None), slice(10), slice(250, 520), slice(-3, None), slice(5, 5), slice(None, None, -7)]
)
@pytest.mark.parametrize("held", [1000, 512, 20])
def test_slices_and_places_are_those_of_a_list(part, held):
    with holding(held):
        known, table = list(prompts(600)), Table(Prompt, prompts(600))
    assert list(table[part]) == known[part]
    assert list(table[part].ids()) == [prompt.item for prompt in known[part]]
    assert len(table[part]) == len(known[part])
    assert list(table[20:][part]) == known[20:][part]
    assert [table[place] for place in (0, 255, 256, -1)] == [known[place] for place in (0, 255, 256, -1)]
    with pytest.raises(IndexError):
        table[600]


def test_records_can_be_added_after_some_were_read_but_not_to_a_slice():
    with holding(2):
        table = Table(Prompt, prompts(3))
    assert table[2].item == "item-2"
    table.extend(prompts(5))
    assert [prompt.item[-1] for prompt in table] == list("01201234")
    with pytest.raises(TypeError, match="slice"):
        table[:2].append(table[0])


@pytest.mark.parametrize("held", [1000, 512, 20, None])
def test_ids_and_the_records_of_some_items_come_without_the_others(held):
    records: Sequence[Prompt] = list(prompts(600))
    if held is not None:
        with holding(held):
            records = Table(Prompt, records)
    assert list(ids_of(records)) == [f"item-{place}" for place in range(600)]
    wanted = {"item-3", "item-400", "elsewhere"}
    items = [prompt.item for prompt in of_items(records, wanted) if prompt.item in wanted]
    assert items == ["item-3", "item-400"]


def test_a_full_disk_is_told_with_what_to_do():
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limits[1]))
    try:
        with pytest.raises(RunFailed, match="TMPDIR"):
            Table(Prompt, prompts(40_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
