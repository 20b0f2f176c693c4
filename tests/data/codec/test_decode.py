"""Lines like nearly all are decoded by a shorter way, which reads nothing differently."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.data.codec.bad import Where
from dialeval.data.codec.decode import decode
from dialeval.errors import BadInput

WHERE = Where("answers.jsonl", 3)
ODD = st.sampled_from(
    [None, 7, "", " ", "word", [], {}, [{"role": "user"}], {"missing": "crashed"}, "inform()"]
)
TURN = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": st.text(max_size=3) | ODD},
    optional={"name": st.sampled_from([None, "Ann"])},
)
LINE = st.fixed_dictionaries(
    {},
    optional={
        "id": st.just("1") | ODD,
        "system": st.just("bot") | ODD,
        "context": st.lists(TURN, max_size=2) | ODD,
        "response": st.text(max_size=3) | ODD,
        "act": ODD,
    },
)
REFERENCES = st.lists(st.text(" a", max_size=2), max_size=3)


def said_of(fields: dict[str, object]) -> object:
    try:
        return decode(fields, "example", WHERE)
    except BadInput as error:
        return str(error)


@given(LINE, REFERENCES)
def test_a_line_says_the_same_by_the_way_that_explains(line, references):
    # A null among the references means nothing, but is not what nearly all lines have.
    longer = {**line, "references": [*references, None]}
    assert said_of({**line, "references": references}) == said_of(longer)


@given(LINE)
def test_so_does_one_without_references(line):
    longer = said_of({**line, "references": None})
    assert said_of({**line, "references": []}) == longer
    assert isinstance(longer, str) or said_of(line) == longer  # an error lists the fields that there are


@pytest.mark.parametrize("field", ["id", "system", "context", "response"])
def test_what_is_missing_is_named(field):
    line = {"id": "1", "system": "bot", "context": [], "response": "yes", "references": ["no"]}
    del line[field]
    with pytest.raises(BadInput, match=f"answers.jsonl.*3.*{field}"):
        decode(line, "example", WHERE)
