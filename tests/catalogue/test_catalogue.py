"""Names are known at once; what they stand for is imported when it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dialeval.lazy import Table

LISTING = """
import sys
from dialeval.catalogue.metrics import CORPUS_MEASURES, EVERY_METRIC, METRICS
from dialeval.catalogue.systems import SYSTEMS
from dialeval.catalogue.tasks import MEASURES, TASKS

print(len([*METRICS, *CORPUS_MEASURES, *SYSTEMS, *TASKS]), "fed" in METRICS, METRICS.traits["fed"].costly)
print(METRICS.traits["facts"].explains, "bleu(order=2)" in EVERY_METRIC, MEASURES["nbest"])
ours = {name for name in sys.modules if name.count(".") > 1 and name.startswith("dialeval.")}
print(sorted(ours - {"dialeval.text.calls"}), {"numpy", "torch", "pyarrow"} & sys.modules.keys())
"""


def test_listing_names_imports_none_of_what_they_stand_for() -> None:
    done = subprocess.run([sys.executable, "-c", LISTING], check=True, capture_output=True, text=True)
    first, second, third = done.stdout.splitlines()
    assert int(first.split()[0]) > 45
    assert first.split()[1:] == ["True", "True"]
    assert second == "True True nbest"
    assert third == f"{[f'dialeval.catalogue.{name}' for name in ('metrics', 'systems', 'tasks')]} set()"


def test_an_entry_is_imported_once_and_only_if_it_is_asked_for() -> None:
    loaded = []
    table: Table[str, int] = Table(0)

    @table.entry("a", 1)
    def _a() -> str:
        loaded.append("a")
        return "A"

    @table.family("b", "c")
    def _b() -> tuple[str, ...]:
        loaded.append("b, c")
        return "B", "C"

    assert (list(table), "c" in table, len(table), loaded) == (["a", "b", "c"], True, 3, [])
    assert table.traits == {"a": 1, "b": 0, "c": 0}
    assert (table["a"], table["a"], table["c"]) == ("A", "A", "C")
    assert loaded == ["a", "b, c"]
    with pytest.raises(KeyError, match="d"):
        table["d"]
