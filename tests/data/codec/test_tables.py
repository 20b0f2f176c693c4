"""Tables as people type them."""

from __future__ import annotations

from dialeval.data import Turn, read


def test_a_context_cell_holds_a_turn_a_line_and_the_user_speaks_last(put):
    name = put("x.csv", 'id,system,context,response\n7,s,"Hi.\r\nHello.\nTea?",Yes.\n')
    (example,) = read(name, "example")
    assert example.context == (Turn("user", "Hi."), Turn("assistant", "Hello."), Turn("user", "Tea?"))
    assert example.item == "7"


def test_references_may_be_spread_over_columns_and_be_fewer(put):
    name = put("x.tsv", "id\tcontext\treference\treference_2\treference_10\tnote\na\tHi\tone\t\tthree\tx\n")
    assert next(read(name, "prompt")).references == ("one", "three")


def test_spread_references_follow_listed_ones(put):
    name = put(
        "x.tsv", 'id\tcontext\treferences\treference_2\na\tHi\t"[""one""]"\ttwo\nb\tHi\tonly [one]\t\n'
    )
    assert [prompt.references for prompt in read(name, "prompt")] == [("one", "two"), ("only [one]",)]


def test_responses_may_begin_with_brackets(put):
    name = put("x.tsv", "id\tsystem\tcontext\tresponse\na\ts\t\t[laughs] no\nb\ts\t\t{oh}\n")
    assert [(one.response.text, one.context) for one in read(name, "example")] == [
        ("[laughs] no", ()),
        ("{oh}", ()),
    ]


def test_parquet_cells_may_hold_json_text_and_numbers_as_ids(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "id": [1, 2],
        "system": ["s", "s"],
        "context": ['[{"role": "user", "content": "Hi."}]', "One\nTwo"],
        "response": ["Hello", '{"text": "Hey", "logprob": -1.5}'],
        "references": [["a", "b"], None],
    }
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    first, second = read(tmp_path / "x.parquet", "example")
    assert (first.item, first.context, first.references) == ("1", (Turn("user", "Hi."),), ("a", "b"))
    assert second.context == (Turn("assistant", "One"), Turn("user", "Two"))
    assert (second.response.text, second.response.logprob, second.references) == ("Hey", -1.5, ())
