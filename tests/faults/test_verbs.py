"""Every verb on a full disk, in a read-only folder and without memory: a sentence, and nothing half-written."""

from __future__ import annotations

import re
import shutil
import signal
from pathlib import Path

import pytest

from support.disks import FILLER, fill, read_only, small_disk
from support.every_verb import USES, Use, make_everything
from support.fault_studies import contents
from support.faults import Ledger
from support.forked import Ended, Forks
from support.paths import DOCS

MORE = 1 << 20
"""Bytes that a verb may take beyond what the warm process has: enough to say what is wrong, not to load a library."""
SERVED = 120.0
"""Seconds after which a server that should have refused to start is ended."""
ABORTED = re.compile(r"allocat|bad_?alloc|memory|malloc", re.IGNORECASE)
"""Last words of libraries in C, C++ and Rust that end the process themselves."""


def test_every_verb_is_in_the_table() -> None:
    headings = re.findall(r"^## dialeval (.+)$", (DOCS / "cli.md").read_text(encoding="utf-8"), re.MULTILINE)
    groups = {heading.rpartition(" ")[0] for heading in headings}
    assert set(USES) == set(headings) - groups


@pytest.fixture(scope="module")
def here(commands: Forks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what every verb reads."""
    folder = tmp_path_factory.mktemp("verbs") / "here"

    def run(words: list[str]) -> None:
        ended = commands.run(folder, *words)
        assert ended.code == 0, f"{words}: {ended.said[-2000:]}"

    return make_everything(folder, run)


def empty(here: Path, disk: Path, use: Use) -> dict[str, bytes]:
    """Leave on the disk what the verb is given there, and nothing else."""
    for path in disk.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if use.given:
        shutil.copytree(here / use.given, disk / Path(use.given).name)
    return found(disk)


def found(disk: Path) -> dict[str, bytes]:
    """Files on the disk, but for SQLite's logs, and scratch files and stores that are still empty."""
    files = contents(disk)
    return {
        name: raw
        for name, raw in files.items()
        if name != FILLER
        and not name.endswith(("-wal", "-shm"))
        and (raw or not name.endswith((".part", ".sqlite")))
    }


def unexplained(ended: Ended, *words: str) -> list[str]:
    """What is wrong with how a command failed: an error must have all of these words, and exit with 1."""
    told = re.split("^error: ", ended.said, flags=re.MULTILINE)[-1] if "error: " in ended.said else ""
    if "Traceback" in ended.said or ended.code != 1 or not all(word in told for word in words):
        return [f"exit code {ended.code}: {ended.said[-1000:]}"]
    return []


@pytest.mark.slow
def test_every_verb_explains_a_full_disk_and_leaves_earlier_results_as_they_were(
    commands: Forks, here: Path, ledger: Ledger
) -> None:
    wrong: dict[str, list[str]] = {}
    tried = lost = 0
    for verb, use in USES.items():
        tried += 1
        if not use.writes:
            ended = commands.run(here, *use.words(""), out="/dev/full")
            wrong[verb] = unexplained(ended, "No space left on device")
            continue
        with small_disk(here / "disk", "64m") as disk:
            given = empty(here, disk, use)
            fill(disk)
            ended = commands.run(here, *use.words("disk"), seconds=SERVED if use.serves else None)
            wrong[verb] = unexplained(ended, "disk/", use.full)
            lost += found(disk) != given
            if use.serves:
                continue
            empty(here, disk, use)
            calm = commands.run(here, *use.words("disk"))
            assert calm.code == 0, f"{verb}: {calm.said[-2000:]}"
            before = found(disk)
            fill(disk)
            again, tried = commands.run(here, *use.words("disk")), tried + 1
            if again.code:
                wrong[verb] += unexplained(again, "disk/")
                lost += found(disk) != before
    assert {verb: said for verb, said in wrong.items() if said} == {}
    ledger("full disk, every verb", tried=tried, lost=lost, seed=f"{len(USES)} verbs")


@pytest.mark.slow
def test_every_verb_explains_a_read_only_folder_and_those_that_only_print_need_no_other(
    commands: Forks, here: Path, ledger: Ledger
) -> None:
    wrong: dict[str, list[str]] = {}
    lost = 0
    disk = here / "disk"
    disk.mkdir(exist_ok=True)
    for verb, use in USES.items():
        if not use.writes:
            with read_only(here):
                ended = commands.run(here, *use.words(""))
            wrong[verb] = [] if ended.code == 0 else [ended.said[-1000:]]
            continue
        given = empty(here, disk, use)
        with read_only(disk):
            ended = commands.run(here, *use.words("disk"), seconds=SERVED if use.serves else None)
            wrong[verb] = unexplained(ended, "disk/", use.locked)
        lost += found(disk) != given
    assert {verb: said for verb, said in wrong.items() if said} == {}
    ledger("read-only folder, every verb", tried=len(USES), lost=lost, seed=f"{len(USES)} verbs")


@pytest.mark.slow
def test_every_verb_explains_a_lack_of_memory(commands: Forks, here: Path, ledger: Ledger) -> None:
    wrong: dict[str, list[str]] = {}
    refused = lost = 0
    disk = here / "disk"
    disk.mkdir(exist_ok=True)
    for verb, use in USES.items():
        if use.serves:
            continue  # loads what the other verbs of the store load
        given = empty(here, disk, use)
        ended = commands.run(here, *use.words("disk"), memory=MORE)
        if ended.code == 0:
            continue
        refused += 1
        if ended.code == 1:
            wrong[verb] = unexplained(ended, "emory")
        elif ended.code in (-signal.SIGSEGV, -signal.SIGXCPU):
            pass  # Arrow, if no thread can be started or no dictionary can grow: nobody can catch either
        elif not ABORTED.search(ended.said[-300:]) or ended.code not in (127, -signal.SIGABRT):
            wrong[verb] = unexplained(ended)
        lost += not given.items() <= found(disk).items()
    assert {verb: said for verb, said in wrong.items() if said} == {}
    assert refused > 12, "this limit refuses too little"
    ledger("memory, every verb", tried=refused, lost=lost, seed=f"{len(USES)} verbs, 1 MiB more than Python")
