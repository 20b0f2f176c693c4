"""What no value looks like in each format: one meaning, counted and named."""

from __future__ import annotations

import json
import logging

import pytest

import dialeval
from dialeval.catalogue import build_any
from dialeval.data import Example, Response, read, survey, write
from dialeval.data.codec import dialects

WORDS = ["", "nan", "NaN", "NULL", "null", "None", "N/A", "NA", "<NA>", "#N/A", " nan "]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_cell_without_a_reference_or_response(put, word, ending):
    rows = [
        ["id", "system", "context", "response", "references", "reference_2"],
        ["a", "s", word, word, word, word],
    ]
    mark = "," if ending == "csv" else "\t"
    (example,) = read(put(f"x.{ending}", "".join(mark.join(row) + "\n" for row in rows)), "example")
    assert (example.context, example.references, example.response.text) == ((), (), "")
    said = f"the cell holds {word.strip()!r}" if word else "empty cell"
    assert example.response.missing == f"no response ({said})"


@pytest.mark.parametrize("references", ['[""]', '["  "]', "[null]", "[]", "null", '["", null]', "[NaN]"])
def test_blank_references_in_json_are_none(put, references):
    line = f'{{"id": "a", "system": "s", "context": [], "response": "Hi.", "references": {references}}}'
    (example,) = read(put("x.jsonl", line), "example")
    assert example.references == ()


@pytest.mark.parametrize("response", ["null", "NaN"])
def test_null_is_no_response_and_words_are_what_was_said(put, response):
    line = '{"id": "%s", "system": "s", "context": [], "response": %s, "references": [%s]}\n'
    content = line % ("a", response, '"None"') + line % ("b", '"None"', '"N/A"') + line % ("c", '""', '"x"')
    first, *others = read(put("x.jsonl", content), "example")
    assert first.response == Response("", missing="no response (null)")
    assert first.references == ("None",)
    assert [example.response for example in others] == [Response("None"), Response("")]


def test_parquet_has_null_so_words_are_words(put):
    import pyarrow as pa
    import pyarrow.parquet as pq

    put("empty", "")
    columns = {"id": ["a", "b"], "system": ["s", "s"], "context": [[], []], "response": ["None", None]}
    pq.write_table(pa.table({**columns, "reference": ["nan", ""]}), "x.parquet")
    first, second = read("x.parquet", "example")
    assert (first.response.text, first.references) == ("None", ("nan",))
    assert (second.response.missing, second.references) == ("no response (null)", ())


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("text", ["", " ", "None", "nan", '{"missing": 1'])
def test_what_was_said_survives_every_format(tmp_path, ending, text):
    said = [
        Example("a", "s", (), Response(text), ("x",)),
        Example("b", "s", (), Response("", missing="no response (null)")),
    ]
    write(tmp_path / f"x.{ending}", said)
    assert list(read(tmp_path / f"x.{ending}", "example")) == said


@pytest.mark.parametrize("value", ["nan", "NULL", "N/A", ""])
def test_judgements_without_a_value(put, value):
    (judgement,) = read(
        put("x.csv", f"item,system,rater,criterion,value,reason\n1,s,me,tact,{value},\n"), "judgement"
    )
    assert (judgement.value, judgement.reason) == (None, None)


def test_they_are_counted_and_named(put, caplog, monkeypatch):
    monkeypatch.setattr(dialects, "_told", set())
    caplog.set_level(logging.INFO, "dialeval.data")
    name = put("x.csv", "id,system,context,response,references\na,s,,Hi,nan\nb,s,,NULL,x\nc,s,,,x\n")
    found = survey(name)
    assert caplog.messages == [
        "x.csv: cells without a value: references nan (1), response empty (1), response NULL (1)"
    ]
    assert found.missing_responses == {
        "no response (the cell holds 'NULL')": 1,
        "no response (empty cell)": 1,
    }
    assert (found.without_references, found.empty_responses) == (1, 0)


def test_such_items_have_a_reason_and_no_value(put):
    examples = list(
        read(put("x.csv", "id,system,context,response,reference\na,s,,Hi,Hi\nb,s,,nan,x\n"), "example")
    )
    for name in ("rouge_l", "cider", "length"):
        result = dialeval.evaluate(build_any(name), examples)
        assert (result.unanswered, result.values[1]) == (1, 0.0)  # silence counts as the worst
    corpus = dialeval.evaluate(build_any("distinct"), examples)
    assert dict(corpus.reasons) == {1: "no response (the cell holds 'nan')"}


def test_validate_says_so(put, tmp_path):
    line = {"id": "a", "system": "s", "context": [], "response": None}
    found = survey(put("x.jsonl", json.dumps(line)))
    assert found.missing_responses == {"no response (null)": 1}
