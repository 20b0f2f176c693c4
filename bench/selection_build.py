"""A thousand selection questions from dialogues and files of utterances, end to end: repository, indexes, draft.

``DIALEVAL_UTTERANCES`` says how many real turns the repository is made of, by default 200,000, and
``DIALEVAL_QUESTIONS`` how many questions.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.fresh import fresh
from bench.result import BenchResult
from bench.selection_corpora import absent, dailydialog, write_turns
from dialeval.selection.drafting.drafts import build_draft
from dialeval.selection.repository.repository import Repository, build_repository

SIZE: Final = int(os.environ.get("DIALEVAL_UTTERANCES", 200_000))
QUESTIONS: Final = int(os.environ.get("DIALEVAL_QUESTIONS", 1_000))
FOLDER: Final = Path(tempfile.gettempdir()) / f"dialeval-selection-{SIZE}"


def run() -> Iterator[BenchResult]:
    """The repository, then the draft, each in a process of its own."""
    if absent("selection_build"):
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    write_turns(FOLDER / "turns", most=SIZE)
    built = fresh("bench.selection_build", "build")
    name = f"repository of {SIZE:,} turns"
    yield BenchResult(name, built.seconds, float("nan"), "words, static vectors; no peer", built.peak_mb)
    drafted = fresh("bench.selection_build", "draft")
    minutes = (built.seconds + drafted.seconds) / 60
    note = f"best 50 by static vectors encoded in context; {minutes:.1f} minutes with the repository; no peer"
    yield BenchResult(
        f"draft of {QUESTIONS:,} questions", drafted.seconds, float("nan"), note, drafted.peak_mb
    )


def build() -> None:
    build_repository(sorted((FOLDER / "turns").glob("*.txt")), FOLDER / "repository")


def draft() -> None:
    made = build_draft(
        dailydialog("valid") + dailydialog("test"), Repository.open(FOLDER / "repository"), limit=QUESTIONS
    )
    assert len(made.questions) == QUESTIONS
