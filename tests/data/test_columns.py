"""Fields of examples side by side."""

from __future__ import annotations

from dialeval.core.batches import SharedBatch, example_columns
from dialeval.data import Example, Response, Turn
from dialeval.data.columns import columns_of

TURN = Turn("user", "hello")
BOTH = (
    Example("1", "s", (TURN,), Response("a"), ("b", "c")),
    Example("2", "t", (), Response("", missing="no answer")),
)


def test_each_field_is_a_list_in_the_order_of_the_examples():
    columns = columns_of(BOTH)
    assert (columns.items, columns.systems, columns.contexts) == (["1", "2"], ["s", "t"], [(TURN,), ()])
    assert (columns.texts, columns.references) == (["a", ""], [("b", "c"), ()])
    assert columns.responses == [example.response for example in BOTH]


def test_they_are_complete_where_no_response_is_missing():
    assert columns_of(BOTH[:1]).complete
    assert columns_of([]).complete
    assert not columns_of(BOTH).complete


def test_a_shared_batch_is_read_once():
    batch = SharedBatch(BOTH)
    assert example_columns(batch) is example_columns(batch)
    assert example_columns(BOTH) == example_columns(batch)
