"""The table of faults in docs/reliability.md is of this suite."""

from __future__ import annotations

import ast
import re
import runpy

from support.faults import FAULTS, NOT_MEASURED
from support.paths import DOCS, TESTS

PAGE = DOCS / "reliability.md"
COUNTED = {"clock", "hanging server", "faulty server", "changed model", "killed while served"}
"""Faults while systems are asked, where answers that are asked for again are counted."""


def test_every_fault_of_the_suite_is_in_the_table_with_nothing_lost_or_doubled() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (\d+|not measured) \| (\d*) \| (\d*|–) \|", text, re.MULTILINE)
    assert [fault for fault, *_ in rows] == list(FAULTS.values())
    for (fault, said), (_, tried, lost, doubled) in zip(FAULTS.items(), rows, strict=True):
        if tried == "not measured":
            assert fault in NOT_MEASURED
            assert (lost, doubled) == ("", "")
        else:
            assert int(tried) > 0
            assert (lost, doubled) == ("0", "0" if fault in COUNTED else "–"), said


def test_every_fault_is_recorded_by_a_test() -> None:
    texts = {
        node.value
        for path in (*(TESTS / "faults").glob("test_*.py"), TESTS / "engine" / "test_cluster.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(FAULTS) <= texts


def test_the_table_is_written_from_what_was_recorded() -> None:
    table = runpy.run_path(str(DOCS / "write_reliability.py"))["table"]
    row = {"fault": "two runs", "tried": 3, "lost": 0, "doubled": None, "seed": "7"}
    served = {"fault": "hanging server", "tried": 1, "lost": 0, "doubled": 0, "seed": ""}
    lines = table([row, served], FAULTS).splitlines()
    assert f"| {FAULTS['two runs']} | 3 | 0 | – | 7 |" in lines
    assert f"| {FAULTS['hanging server']} | 1 | 0 | 0 |  |" in lines
    assert f"| {FAULTS['terminate']} | not measured |  |  |  |" in lines
