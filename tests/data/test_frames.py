"""Data frames go in and come out."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import dialeval
from dialeval.data.framed import html_table
from dialeval.data.frames import examples_of, is_frame
from dialeval.errors import BadInput, ResourceUnavailable, Unsuitable

COLUMNS = {
    "id": ["a", "b", "c"],
    "prediction": ["the cat sat", "a dog", "no"],
    "reference": ["the cat sat", "a dog ran", None],
}


def frames():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    datasets = pytest.importorskip("datasets")
    table = pa.table(COLUMNS)
    records = np.array(list(zip(*COLUMNS.values(), strict=True)), dtype=[(name, object) for name in COLUMNS])
    return {
        "pandas": pd.DataFrame(COLUMNS),
        "polars": pl.DataFrame(COLUMNS),
        "arrow": table,
        "datasets": datasets.Dataset(table),
        "numpy": records,
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "datasets", "numpy"])
def test_every_kind_of_table_is_scored_alike(kind):
    frame = frames()[kind]
    assert is_frame(frame)
    result = dialeval.score(frame, metrics=["rouge_l"])["rouge_l"]
    assert result.items == ("a", "b", "c")
    assert result.values[:2].tolist() == pytest.approx([1.0, 0.7721518987341772])
    assert dict(result.reasons) == {2: "no references"}


def test_columns_are_guessed_or_given():
    table = pa.table({"Output": ["x"], "gold": [["x", "y"]], "model": ["m"], "note": [1]})
    (example,) = examples_of(table, columns={"response": "Output"})
    assert (example.item, example.system, example.references) == ("0", "m", ("x", "y"))
    sheet = pa.table({"question": ["q"], "gold": ["x"], "old_bot": ["y"], "new_bot": ["x"]})
    with pytest.raises(Unsuitable, match=r"columns=\{'response': 'new_bot'\}"):  # it was the question
        list(examples_of(sheet))
    with pytest.raises(Unsuitable, match="found 'response=new_bot', expected a dict"):
        list(examples_of(sheet, columns="response=new_bot"))  # type: ignore[arg-type]
    with pytest.raises(Unsuitable, match=r"no column of responses; it has a\. Name it"):
        list(examples_of(pa.table({"a": [1]})))
    with pytest.raises(Unsuitable, match="no column 'b'; it has a"):
        list(examples_of(pa.table({"a": ["x"]}), columns={"response": "b"}))
    with pytest.raises(Unsuitable, match="'answer' is not a field"):
        list(examples_of(pa.table({"a": ["x"]}), columns={"answer": "a"}))


def test_what_is_missing_or_wrong_names_its_row():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"response": ["x", None, float("nan")], "references": [["x"], ["y"], ["z"]]})
    result = dialeval.score(frame, metrics=["rouge_l"])["rouge_l"]
    assert (result.unanswered, result.values.tolist()) == (2, [1.0, 0.0, 0.0])
    (_, second, third) = examples_of(frame)
    assert second.response.missing == "no response (no value in row 1)"
    assert third.response.missing == "no response (no value in row 2)"
    mixed = pd.DataFrame({"output": ["x", 4]})
    with pytest.raises(BadInput, match="row 1 of the data frame, field 'output': found the number 4"):
        dialeval.score(mixed, metrics=["length"])
    lists = dialeval.score(["x", None], [["x"], ["y"]], ["rouge_l"])["rouge_l"]
    assert (lists.unanswered, lists.values.tolist()) == (1, [1.0, 0.0])


def test_one_system_at_a_time():
    table = pa.table({"response": ["x", "y"], "system": ["new", "old"], "reference": ["x", "x"]})
    with pytest.raises(Unsuitable, match=r"2 systems \(new, old\).*score\(frame, system='new'\)"):
        dialeval.score(table, metrics=["rouge_l"])
    assert dialeval.score(table, metrics=["rouge_l"], system="old")["rouge_l"].score == 0
    with pytest.raises(Unsuitable, match=r"no row of the system 'older'\. It has new, old"):
        dialeval.score(table, metrics=["rouge_l"], system="older")


def test_series_and_arrays_are_lists():
    pd = pytest.importorskip("pandas")
    for make in (pd.Series, np.array):
        assert dialeval.score(make(["x"]), make(["x"]), ["rouge_l"])["rouge_l"].score == 1


def test_results_come_out_as_tables():
    result = dialeval.score(["x", "y"], [["x"], []], ["rouge_l"], system="new")["rouge_l"]
    table = result.to_arrow()
    assert table.column_names == ["item", "system", "measure", "value", "reason"]
    assert table.to_pylist()[1] == {
        "item": "2",
        "system": "new",
        "measure": str(result.signature),
        "value": None,
        "reason": "no references",
    }
    assert result.to_pandas()["value"].tolist()[0] == 1
    assert result.to_polars()["system"].to_list() == ["new", "new"]
    corpus = dialeval.score(["a b", "b c"], metrics=["distinct"])["distinct"]
    assert corpus.to_pandas()["n"].tolist() == [2]


def test_notebooks_show_escaped_tables():
    bad = "<script>alert(1)</script>"
    result = dialeval.score([bad], [[bad]], ["rouge_l"], system=bad)["rouge_l"]
    page = result._repr_html_()
    assert "<table>" in page
    assert bad not in page
    assert "&lt;script&gt;" in page
    assert "3 more rows" in html_table("many", {"n": list(range(23))})
    other = dialeval.score(["x"], [[bad]], ["rouge_l"], system="<b>")["rouge_l"]
    compared = dialeval.compare(result, other)._repr_html_()
    assert bad not in compared
    assert "<b>" not in compared


def test_a_package_that_is_absent_is_named(monkeypatch):
    result = dialeval.score(["x"], [["x"]], ["rouge_l"])["rouge_l"]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ResourceUnavailable, match="pip install polars"):
        result.to_polars()


def test_nothing_heavy_is_imported_before_it_is_used():
    heavy = "{'pandas', 'polars', 'datasets'}"
    script = f"import sys, dialeval, dialeval.data.frames; dialeval.score; print({heavy} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_dicts_are_tables_too():
    rows = [{"Prediction": "the cat sat", "gold": "the cat sat"}, {"Prediction": None, "gold": "no"}]
    columns = {"Prediction": ["the cat sat", None], "gold": ["the cat sat", "no"]}
    for table in (rows, columns):
        result = dialeval.score(table, metrics="rouge_l")["rouge_l"]
        assert result.values[0] == pytest.approx(1.0)
        assert (result.unanswered, result.values[1]) == (1, 0.0)


def test_several_tables_and_ragged_columns_are_refused():
    datasets = pytest.importorskip("datasets")
    splits = datasets.DatasetDict({"test": datasets.Dataset(pa.table(COLUMNS))})
    with pytest.raises(Unsuitable, match=r"several tables \(test\).*score\(tables\['test'\]\)"):
        dialeval.score(splits)
    with pytest.raises(Unsuitable, match="response 2, references 1"):
        dialeval.score({"response": ["a", "b"], "references": ["a"]})


def test_series_of_responses_and_of_lists_are_scored_and_other_things_named():
    pl = pytest.importorskip("polars")
    pd = pytest.importorskip("pandas")
    nested = dialeval.score(
        pl.Series(["a b", "c d"]), pl.Series([["a b", "x"], ["c d"]]), metrics=["rouge_l"]
    )
    assert nested["rouge_l"].values.tolist() == [1.0, 1.0]
    absent = dialeval.score(pd.Series(["a", pd.NA]), [["a"], ["b"]], metrics=["rouge_l"])["rouge_l"]
    assert (absent.unanswered, absent.values.tolist()) == (1, [1.0, 0.0])
    with pytest.raises(Unsuitable, match="found int as the response in row 2"):
        dialeval.score(["a", 3], [["a"], ["b"]])
