"""Commands killed before a random change of a file: the same command then ends with the same bytes."""

from __future__ import annotations

import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from support.fault_studies import contents, make_corpus, make_dialogues, make_study
from support.faults import Ledger
from support.forked import Forks

pytestmark = pytest.mark.slow

SEED = 20261117
MOMENTS = 20
"""How many of a command's changes of files are struck; all of them where there are fewer."""


class Case(NamedTuple):
    """A command, what it needs, and the files that it must write."""

    fault: str
    make: Callable[[Path], Path]
    line: str
    out: str
    wanted: tuple[str, ...]
    before: str = ""
    """A command that must have run."""
    timed: tuple[str, ...] = ()
    """Files that tell when and how long it ran, which may be the same twice by chance."""


RUN = "run study.yaml -o out --cache cache --jobs 1"
CASES = [
    Case(
        "kill run",
        make_study,
        RUN,
        "out",
        ("results.parquet", "summary.json", "examples.jsonl"),
        timed=("manifest.json", "report.html"),
    ),
    Case("kill meta", make_study, "meta out ratings.jsonl -o meta --trials 20", "meta", ("meta.json",), RUN),
    Case(
        "kill select ask",
        make_study,
        "select ask questions.jsonl --system tfidf --system tfidf(name='other') -o asked --trials 20 --cache cache",
        "asked",
        ("results.parquet", "summary.json", "choices.jsonl"),
        timed=("manifest.json", "report.html"),
    ),
    Case(
        "kill select build",
        make_dialogues,
        "select build dialogues.jsonl --repository lines.txt --m 2 --vectors static --words words.npy -o draft",
        "draft",
        ("draft.jsonl",),
    ),
    Case(
        "kill train",
        make_corpus,
        "train skip-thought talk.jsonl -o model --scale tiny --epochs 3",
        "model",
        ("model.safetensors",),
        timed=("README.md", "checkpoint.safetensors"),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.fault.replace(" ", "_") for case in CASES])
def test_a_command_killed_before_any_change_of_a_file_resumes_to_the_same_bytes(
    case: Case, commands: Forks, tmp_path: Path, ledger: Ledger
) -> None:
    if case.fault == "kill select build":
        pytest.importorskip("tantivy")
        pytest.importorskip("faiss")
    start = case.make(tmp_path / "start")
    if case.before:
        assert commands.run(start, *case.before.split()).code == 0
    first, steady, changes = _calm(case, commands, start, tmp_path)
    assert set(case.wanted) <= steady, "what users keep must not differ from run to run"
    chance = random.Random(f"{SEED}/{case.fault}")
    moments = sorted(chance.sample(range(1, changes + 1), min(MOMENTS, changes)))
    kills, lost = 0, 0
    for moment in moments:
        here = shutil.copytree(start, tmp_path / f"at-{moment}")
        struck = commands.run(here, *case.line.split(), strike=moment)
        kills += struck.code == -signal.SIGKILL
        ended = commands.run(here, *case.line.split())
        assert ended.code == 0, f"after a kill at change {moment}: {ended.said[-2000:]}"
        found = contents(here / case.out)
        lost += any(found.get(name) != first[name] for name in steady)
        left = {name for name in found if name not in first and not _harmless(name)}
        assert left == set(), f"left behind by a kill at change {moment}"
        shutil.rmtree(here)
    # Training saves by the clock, too: on another load it may end before the moment comes.
    assert kills > len(moments) / 2 if case.timed else kills == len(moments)
    ledger(case.fault, tried=kills, lost=lost, seed=SEED)


def _harmless(name: str) -> bool:
    """Scratch files of a killed write, which nothing reads; and segments of the search index, with random names."""
    return name.endswith(".part") or name.startswith("repository/lexical/")


def _calm(case: Case, commands: Forks, start: Path, folder: Path) -> tuple[dict[str, bytes], set[str], int]:
    """The files of an undisturbed command, those that are the same in any other one, and how many changes it made."""
    found = []
    for name in ("calm", "calmer"):
        here = shutil.copytree(start, folder / name)
        ended = commands.run(here, *case.line.split())
        assert ended.code == 0, ended.said[-2000:]
        found.append(contents(here / case.out))
        changes = ended.changes
    same = {name for name, raw in found[0].items() if found[1].get(name) == raw}
    return found[0], same - set(case.timed), changes


@pytest.mark.parametrize(("fault", "by"), [("terminate", signal.SIGTERM), ("interrupt", signal.SIGINT)])
def test_a_run_that_is_stopped_resumes_to_the_same_bytes(
    fault: str, by: signal.Signals, commands: Forks, tmp_path: Path, ledger: Ledger
) -> None:
    start = make_study(tmp_path / "start")
    first, steady, changes = _calm(CASES[0], commands, start, tmp_path)
    moments = sorted(random.Random(f"{SEED}/{fault}").sample(range(2, changes + 1), 4))
    lost = 0
    for moment in moments:
        here = shutil.copytree(start, tmp_path / f"at-{moment}")
        struck = commands.run(here, *RUN.split(), strike=moment, by=by)
        assert struck.code == (130 if by == signal.SIGINT else -signal.SIGTERM), struck.said[-500:]
        assert "Traceback" not in struck.said
        if by == signal.SIGINT:
            assert "Interrupted." in struck.said
        assert commands.run(here, *RUN.split()).code == 0
        lost += any(contents(here / "out").get(name) != first[name] for name in steady)
    ledger(fault, tried=len(moments), lost=lost, seed=SEED)
