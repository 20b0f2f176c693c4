from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dialeval.data.results import read_results
from dialeval.errors import BadInput
from dialeval.study.document import Place, Unscored, Values

Make = Callable[..., Path]


def test_values_stand_where_they_belong(make_run: Make) -> None:
    systems, measures = ("a", "b", "c"), {"bleu": True, "length": None}
    place = {("bleu", "a"): 0, ("bleu", "b"): 10, ("bleu", "c"): 20, ("length", "a"): 30}
    folder = make_run(
        systems=systems,
        measures=measures,
        items=["z", "y", "x"],
        value=lambda m, s, at: "no words" if (m, s) not in place else float(place[m, s] + at),
    )
    values = Values.of_blocks(read_results(folder / "results.parquet"))
    assert (values.measures, values.systems, values.items) == (("bleu", "length"), systems, ("z", "y", "x"))
    assert values.numbers[0].tolist() == [[0, 1, 2], [10, 11, 12], [20, 21, 22]]
    assert values.of("length", "a").tolist() == [30, 31, 32]
    assert values.of("length", "b").size == values.of("rouge", "a").size == 0
    assert values.reasons[Place(1, 2, 0)] == "no words"
    assert values.unscored() == (
        Unscored("length", "b", "no words", 3),
        Unscored("length", "c", "no words", 3),
    )


def test_an_item_that_a_measure_never_saw_is_neither_scored_nor_unscored(tmp_path: Path) -> None:
    rows = {
        "item": ["i", "j"],
        "system": ["s", "s"],
        "measure": ["bleu", "accuracy"],
        "rater": ["bleu", "accuracy"],
        "criterion": ["bleu", "accuracy"],
        "value": [1.0, 0.0],
        "reason": [None, None],
        "statistics": [[1.0, 1.0], [0.0, 1.0]],
    }
    pq.write_table(pa.table(rows), tmp_path / "results.parquet")
    values = Values.of_blocks(read_results(tmp_path / "results.parquet"))
    assert np.isnan(values.numbers[0, 0, 1])
    assert not values.reasons


def test_a_file_without_a_column_names_it(tmp_path: Path) -> None:
    pq.write_table(pa.table({"item": ["i"], "system": ["s"]}), tmp_path / "results.parquet")
    with pytest.raises(BadInput, match="field 'measure': found no column 'measure'"):
        Values.of_blocks(read_results(tmp_path / "results.parquet"))


def test_whole_numbers_are_recognised(make_run: Make) -> None:
    folder = make_run(value=lambda m, s, at: float(at) if m == "length" else at + 0.5)
    values = Values.of_blocks(read_results(folder / "results.parquet"))
    assert values.whole("length")
    assert not values.whole("rouge_l")
