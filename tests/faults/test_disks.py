"""Full disks, folders that cannot be written, damaged caches, and two runs at once."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from dialeval.annotation.invitations import invite
from dialeval.annotation.kinds.asking import asked
from dialeval.annotation.simulation import Client
from support.disks import FILLER, enlarge, fill, read_only, small_disk
from support.fault_studies import contents, make_corpus, make_study
from support.faults import Ledger
from support.forked import Forks
from support.rating_studies import made_project, served

pytestmark = pytest.mark.slow

SEED = 20261117
KEPT = ("results.parquet", "summary.json", "examples.jsonl", "study.yaml")
RUN = ("run", "study.yaml", "--jobs", "1")
TRAIN = ("train", "skip-thought", "talk.jsonl", "--scale", "tiny", "--epochs", "3")


@pytest.fixture(scope="module")
def calm(commands: Forks, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What an undisturbed run writes."""
    here = make_study(tmp_path_factory.mktemp("calm"))
    assert commands.run(here, *RUN, "-o", "out", "--cache", "cache").code == 0
    return {name: raw for name, raw in contents(here / "out").items() if name in KEPT}


def differing(folder: Path, calm: dict[str, bytes]) -> list[str]:
    found = contents(folder)
    return [name for name, raw in calm.items() if found.get(name) != raw]


def test_a_disk_that_is_full_while_results_are_written_loses_nothing(
    commands: Forks, calm: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    sizes = ("8k", "16k")
    lost = 0
    for size in sizes:
        here = make_study(tmp_path / size)
        with small_disk(here / "disk", size) as disk:
            command = (*RUN, "-o", "disk/out", "--cache", "cache")
            ended = commands.run(here, *command)
            assert ended.code == 1, ended.said
            assert "error: " in ended.said
            assert "No space left on device" in ended.said
            assert "Traceback" not in ended.said
            assert not (disk / "out" / "manifest.json").exists(), "a folder with a manifest is complete"
            enlarge(disk, "64m")
            again = commands.run(here, *command)
            assert again.code == 0, again.said
            lost += bool(differing(disk / "out", calm))
            assert not list((disk / "out").glob(".*")), "a scratch file was left behind"
    ledger("full disk, results", tried=len(sizes), lost=lost, seed=f"disks of {', '.join(sizes)}")


def test_a_disk_that_is_full_while_the_cache_is_written_costs_only_the_resuming(
    commands: Forks, calm: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    here = make_study(tmp_path / "study")
    with small_disk(here / "cache", "4k"):
        ended = commands.run(here, *RUN, "-o", "out", "--cache", "cache")
    assert ended.code == 0, ended.said
    assert "so this run could not be resumed" in " ".join(ended.said.split())
    ledger("full disk, cache", tried=1, lost=len(differing(here / "out", calm)), seed="a disk of 4k")


def test_a_shard_whose_disk_is_full_is_not_finished_and_resumes(
    commands: Forks, calm: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    here = make_study(tmp_path / "study")
    with small_disk(here / "disk", "12k") as disk:
        command = (*RUN, "--shard", "1/1", "-o", "disk/shard", "--cache", "cache")
        ended = commands.run(here, *command)
        assert ended.code == 1, ended.said
        assert "No space left on device" in ended.said
        assert "Shard 1/1" not in ended.said, "it is not finished"
        enlarge(disk, "64m")
        assert commands.run(here, *command).code == 0
        assert commands.run(here, "merge", "disk/shard", "-o", "out", "--cache", "other").code == 0
    lost = len(differing(here / "out", calm))
    ledger("full disk, shard", tried=1, lost=lost, seed="a disk of 12k")


def test_a_disk_that_is_full_while_a_checkpoint_is_written_loses_nothing(
    commands: Forks, tmp_path: Path, ledger: Ledger
) -> None:
    whole = make_corpus(tmp_path / "whole")
    assert commands.run(whole, *TRAIN, "-o", "model").code == 0
    expected = contents(whole / "model")["model.safetensors"]
    sizes = [f"{max(8, share * len(expected) // 4096)}k" for share in (1, 5)]
    lost = 0
    for size in sizes:
        here = make_corpus(tmp_path / size)
        with small_disk(here / "disk", size) as disk:
            ended = commands.run(here, *TRAIN, "-o", "disk/model")
            assert ended.code == 1, ended.said[-2000:]
            assert "Traceback" not in ended.said
            assert "No space left on device" in ended.said
            assert "give the same command again" in " ".join(ended.said.split())
            enlarge(disk, "256m")
            again = commands.run(here, *TRAIN, "-o", "disk/model")
            assert again.code == 0, again.said[-2000:]
            lost += contents(disk / "model")["model.safetensors"] != expected
    ledger("full disk, checkpoint", tried=len(sizes), lost=lost, seed=f"disks of {', '.join(sizes)}")


def test_a_folder_that_cannot_be_written_is_refused_by_name(
    commands: Forks, calm: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    here = make_study(tmp_path / "study")
    (here / "locked").mkdir()
    with read_only(here / "locked"):
        ended = commands.run(here, *RUN, "-o", "locked/out", "--cache", "cache")
        assert ended.code == 1, ended.said
        assert "locked/out: Read-only file system" in ended.said
        assert "Traceback" not in ended.said
    assert commands.run(here, *RUN, "-o", "locked/out", "--cache", "cache").code == 0
    ledger("read-only folder", tried=1, lost=len(differing(here / "locked" / "out", calm)))


def test_a_cache_that_cannot_be_written_costs_only_the_resuming(
    commands: Forks, calm: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    here = make_study(tmp_path / "study")
    (here / "cache").mkdir()
    with read_only(here / "cache"):
        ended = commands.run(here, *RUN, "-o", "out", "--cache", "cache")
    assert ended.code == 0, ended.said
    assert "Read-only file system" in ended.said
    ledger("read-only cache", tried=1, lost=len(differing(here / "out", calm)))


def test_a_damaged_cache_entry_is_computed_again(
    commands: Forks, calm: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    here = make_study(tmp_path / "study")
    assert commands.run(here, *RUN, "-o", "out", "--cache", "cache").code == 0
    entries = sorted(path for path in (here / "cache").rglob("*") if len(path.name) == 64)
    chance, tried, lost = random.Random(SEED), 0, 0
    for kind in ("truncated", "flipped", "foreign") * 2:
        entry, other = chance.sample(entries, 2)
        whole = entry.read_bytes()
        flipped = bytearray(whole)
        flipped[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        spoilt = {"truncated": whole[: chance.randrange(len(whole))], "flipped": bytes(flipped)}
        entry.write_bytes(spoilt.get(kind, other.read_bytes()))
        shutil.rmtree(here / "out")
        ended = commands.run(here, *RUN, "-o", "out", "--cache", "cache")
        assert ended.code == 0, ended.said
        assert "is damaged" in " ".join(ended.said.split()), kind
        assert entry.read_bytes() == whole, "it is kept again as it was"
        tried, lost = tried + 1, lost + bool(differing(here / "out", calm))
    ledger("damaged cache", tried=tried, lost=lost, seed=SEED)


def test_two_runs_at_once_in_one_folder_and_one_cache_write_the_same(
    commands: Forks, calm: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    pairs, lost = 3, 0
    for pair in range(pairs):
        here = make_study(tmp_path / f"study-{pair}")
        logs = [commands.start(here, *RUN, "-o", "out", "--cache", "cache") for _ in range(2)]
        for ended in map(commands.wait, logs):
            assert ended.code == 0, ended.said
        lost += bool(differing(here / "out", calm))
        assert (here / "out" / "manifest.json").exists()
        assert (here / "out" / "report.html").exists()
        assert not list((here / "out").glob(".*")), "a scratch file was left behind"
    ledger("two runs", tried=pairs, lost=lost)


def test_a_disk_that_is_full_while_raters_answer_loses_no_acknowledged_answer(
    tmp_path: Path, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    names = ("ann", "bob", "cy")
    with small_disk(tmp_path / "disk", "64m") as disk:
        project = made_project(disk / "study", items=60, asks=[asked("comment", "comment")], raters=names)
        acknowledged: list[tuple[str, str]] = []
        with served(project) as (address, store):
            invited = [invite(project, store, name) for name in names]
            raters = [(each.rater, Client(address, each.path)) for each in invited]
            for _, client in raters:
                client.enter()
            for full in (False, True, False):
                if full:
                    fill(disk)
                else:
                    (disk / FILLER).unlink(missing_ok=True)
                refused = 0
                for turn in range(len(names) * 15):
                    rater, client = raters[turn % len(names)]
                    page = client.task()
                    if page.status == 200:
                        item = page.content["item"]["id"]
                        page = client.answer(item, 0, {"comment": {"text": "x" * 4000}})
                    if page.status == 200:
                        acknowledged.append((rater, item))
                    else:
                        assert page.status == 503
                        refused += 1
                assert bool(refused) == full
            kept = {(given.rater, given.item) for given in store.latest_answers()}
            for _, client in raters:
                client.close()
    assert "Traceback" not in caplog.text
    lost = len(set(acknowledged) - kept)
    ledger(
        "full disk, rating server",
        tried=len(acknowledged),
        lost=lost,
        seed="acknowledged answers of three raters",
    )
