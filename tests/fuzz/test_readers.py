"""Every reader under mutated files: a clear error or a complete result, never another exception, never a silent drop.

``make fuzz MINUTES=30`` does the same with other seeds for as long as one likes.
"""

from __future__ import annotations

import gc
import warnings

import pytest

from dialeval.data import read
from dialeval.errors import BadInput
from support.fuzzing import mutations, seeds
from support.fuzzing.campaign import run_cases
from support.fuzzing.groups import GROUPS, cases_of
from support.fuzzing.targets import Given, Target, counted, lines_in

CASES = 128
"""How many cases a target of share 1 gets; all targets together get 10,000 or more."""


@pytest.mark.parametrize("group", GROUPS)
def test_mutated_files_give_a_clear_error_or_a_complete_result(group, tmp_path):
    findings = [
        finding
        for target in GROUPS[group](tmp_path)
        for finding in run_cases(target, tmp_path, range(cases_of(target, CASES)))
    ]
    assert [str(finding) for finding in findings] == []
    # A reader that an error ends may leave its file to the collector, which would blame whatever test runs then.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def test_there_are_ten_thousand_cases(tmp_path):
    assert sum(cases_of(target, CASES) for make in GROUPS.values() for target in make(tmp_path)) >= 10_000


def _dropping(path, on_bad):
    """A reader that skips what it cannot read and says nothing."""
    return read(path, "example", on_bad=lambda bad: None)


def _careless(path, on_bad):
    return [record["id"] for record in map(eval, path.read_text().splitlines())]


@pytest.mark.parametrize(("reader", "what"), [(_dropping, "bad lines of 4"), (_careless, "Error")])
def test_the_rule_finds_readers_that_drop_lines_or_let_errors_through(reader, what, tmp_path):
    raw = seeds.jsonl(seeds.EXAMPLES)
    target = Target("bad reader", {"f.jsonl": raw}, counted(reader), mutations.JSON, lines_in)
    assert any(what in finding.what for finding in run_cases(target, tmp_path, range(60)))


def test_a_case_is_the_same_each_time(tmp_path):
    met = []

    def remember(path):
        met.append(path.read_bytes())
        return Given(0, 0)

    target = Target("same", {"f.jsonl": seeds.jsonl(seeds.EXAMPLES)}, remember, mutations.JSON)
    for _ in range(2):
        list(run_cases(target, tmp_path, range(20)))
    assert met[:20] == met[20:]
    assert len(set(met)) > 15


def test_a_parquet_file_whose_schema_is_not_utf8_is_refused(tmp_path):
    raw = seeds.parquet(seeds.EXAMPLES, compression="none")
    spoilt = raw.replace(b"response", b"\xff\xfesponse")
    assert spoilt != raw
    path = tmp_path / "f.parquet"
    path.write_bytes(spoilt)
    with pytest.raises(BadInput, match="no readable Parquet"):
        list(read(path, "example"))
