"""``--shard`` and ``dialeval merge`` from the outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dialeval.cli.scoring import Scoring
from support.processes import environment
from support.sharded_study import SAME_BYTES, asked_of, write_sharded_study


@pytest.fixture
def shards(dialeval, tmp_path):
    """Two finished shards of a study in p1 and p2, and a cache that is not theirs."""
    write_sharded_study(tmp_path, prompts=70)
    for number in (1, 2):
        done = dialeval(
            "run", "study.yaml", "-o", f"p{number}", "--shard", f"{number}/2", "--cache", f"c{number}"
        )
        assert (done.code, done.out) == (0, f"Shard {number}/2: p{number}\n")
    return tmp_path


def test_merged_shards_are_the_run_without_them(dialeval, shards):
    assert dialeval("run", "study.yaml", "-o", "whole", "--cache", "cache").code == 0
    before = asked_of(shards)
    done = dialeval("merge", "p2", "p1", "-o", "merged", "--cache", "other")
    assert done.code == 0
    assert "Report: merged/report.html" in done.out
    assert asked_of(shards) == before
    for name in SAME_BYTES:
        if Path("whole", name).exists():
            assert Path("merged", name).read_bytes() == Path("whole", name).read_bytes(), name
    manifests = [json.loads(Path(run, "manifest.json").read_text()) for run in ("whole", "merged")]
    differing = {key for key in manifests[0] if manifests[0][key] != manifests[1][key]}
    assert differing <= {"started", "finished", "command", "usage", "answers"}


def test_merging_into_the_run_of_another_study_warns(dialeval, shards):
    study = Path("study.yaml").read_text()
    Path("other.yaml").write_text(study.replace("name: sharded", "name: other"))
    assert dialeval("run", "other.yaml", "-o", "merged").code == 0
    done = dialeval("merge", "p1", "p2", "-o", "merged")
    assert done.code == 0
    assert "warning: merged has the run of another study, 'other'" in done.err


def test_the_shard_of_another_command_is_not_replaced_without_a_warning(dialeval, shards):
    again = ("run", "study.yaml", "-o", "p1", "--shard", "1/2")
    with Path("prompts.jsonl").open("a") as handle:
        handle.write("\n")
    assert "warning" not in dialeval(*again).err, "it is the same command"
    Path("other.yaml").write_text(Path("study.yaml").read_text())
    changes = {
        "the option study differs (study.yaml and other.yaml)": ("other.yaml", "--shard", "1/2"),
        "the option seed differs (none and 8)": ("other.yaml", "--shard", "1/2", "--seed", "8"),
        "the option limit differs (none and 9)": (
            "other.yaml",
            "--shard",
            "1/2",
            "--seed",
            "8",
            "--limit",
            "9",
        ),
        "it is shard 1/2": ("study.yaml", "--shard", "1/3"),
        "it is shard 1/3": ("study.yaml", "--shard", "2/3"),
    }
    for difference, options in changes.items():
        done = dialeval("run", *options, "-o", "p1")
        assert done.code == 0
        assert (
            f"warning: p1 has the shard of another command ({difference}), which will be replaced" in done.err
        )
    Path("p1/shard.json").write_text("{")
    assert "warning" not in dialeval(*again).err, "a damaged shard is replaced as ever"


def test_merging_from_another_folder_finds_the_study(dialeval, shards, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    own = ("--allow-code", f"{shards}/own.py:answer")
    done = dialeval("merge", shards / "p1", shards / "p2", "-o", "merged", "--cache", "other", *own)
    assert done.code == 0, done.err
    assert Path("merged/summary.json").is_file()


def test_shards_are_merged_after_everything_was_moved(dialeval, shards, monkeypatch, tmp_path_factory):
    moved = tmp_path_factory.mktemp("moved") / "study"
    shards.rename(moved)
    monkeypatch.chdir(moved)
    before = asked_of(moved)
    done = dialeval("merge", "p1", "p2", "-o", "merged", "--cache", "other")
    assert done.code == 0, done.err
    assert asked_of(moved) == before
    assert Path("merged/summary.json").is_file()


@pytest.mark.parametrize(
    ("folders", "words"),
    [
        (["p1"], ["p1: found shards 1/2, without 2/2", "--shard 2/2"]),
        (["p1", "p2", "p1"], ["p1: found shard 1/2, which p1 is too", "Give it once."]),
        (["p1", "nowhere"], ["nowhere: found no such folder"]),
        (["p1", "empty"], ["empty: found a folder without shard.json"]),
        (
            ["p1", "foreign"],
            ["foreign: found a shard of another command than p1", "the option seed differs (none and 8)"],
        ),
        (["p1", "third"], ["third: found a shard of another command than p1", "it is shard 3/3"]),
        (["p1", "cut"], ["cut: found shard 2/2, which was interrupted", "Run it again ('dialeval run"]),
        (["p1", "failed"], ["failed: found shard 2/2, in which own failed: no electricity", "Run it again"]),
        (["p1", "old"], ["old: found a shard of another command than p1", "dialeval 0.1.0 and 0.0.9"]),
        (["p1", "torn"], ["torn/shard.json: found broken JSON"]),
    ],
)
def test_a_shard_that_does_not_belong_is_refused_by_name(dialeval, shards, folders, words):
    Path("empty").mkdir()
    document = json.loads(Path("p2/shard.json").read_text())
    failure = {"system": "own", "measure": None, "message": "no electricity", "partial": True}
    task = document["task"]
    made = {
        "foreign": {**document, "task": {**task, "arguments": {**task["arguments"], "seed": 8}}},
        "third": {**document, "shard": 3, "shards": 3},
        "cut": {**document, "finished": False},
        "failed": {**document, "failures": [failure]},
        "old": {**document, "task": {**task, "dialeval": "0.0.9"}},
    }
    for name, content in made.items():
        Path(name).mkdir()
        Path(name, "shard.json").write_text(json.dumps(content))
    Path("torn").mkdir()
    Path("torn/shard.json").write_text(Path("p2/shard.json").read_text()[:100])
    done = dialeval("merge", *folders, "-o", "merged")
    assert done.code == 1
    for word in words:
        assert word in done.err
    assert not Path("merged").exists()


@pytest.mark.parametrize(
    ("file", "named"),
    [("prompts.jsonl", "the file prompts.jsonl differs"), ("own.py", "system or measure own")],
)
def test_what_changed_since_the_shards_were_run_is_refused(dialeval, shards, file, named):
    with Path(file).open("a") as handle:
        handle.write("\n")
    done = dialeval("merge", "p2", "p1", "-o", "merged")
    assert done.code == 1
    assert "p1: found a shard of another state" in done.err
    assert named in done.err
    assert "run every shard again" in done.err


def test_a_whole_run_is_neither_a_shard_nor_overwritten_by_one(dialeval, shards):
    assert dialeval("run", "study.yaml", "-o", "whole").code == 0
    done = dialeval("merge", "p1", "whole", "-o", "merged")
    assert (done.code, "whole: found a whole run" in done.err) == (1, True)
    done = dialeval("run", "study.yaml", "-o", "whole", "--shard", "1/2")
    assert (done.code, "expected a new, empty or shard folder" in done.err) == (1, True)
    assert dialeval("run", "study.yaml", "-o", "p1").code == 1


@pytest.mark.parametrize("verb", [("run", "study.yaml"), ("score", "one.jsonl")])
@pytest.mark.parametrize("shard", ["3/2", "0/2", "x"])
def test_a_shard_that_cannot_be_is_a_usage_error(dialeval, tmp_path, verb, shard):
    write_sharded_study(tmp_path, prompts=4)
    done = dialeval(*verb, "--shard", shard)
    assert done.code == 2
    assert "expected a shard" in " ".join(done.err.replace("│", " ").split())


@pytest.fixture
def responses(tmp_path) -> Path:
    """2,500 responses of two systems, so that the first has three batches and the second one."""
    lines = []
    for place in range(2500):
        system = "b" if place % 5 == 0 else "a"
        words = [f"w{(place * step) % 7}" for step in range(1, 6)]
        line = {
            "id": f"d{place // 3}/{place % 3}",
            "system": system,
            "context": [{"role": "user", "content": "hello"}],
            "response": " ".join(words),
            "references": [" ".join(reversed(words)), "w1 w2"],
        }
        lines.append(json.dumps(line) + "\n")
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(lines))
    return path


SCORE = ("score", "answers.jsonl", "-m", "bleu(order=2)", "-m", "length", "-m", "cider", "-m", "distinct")


@pytest.mark.parametrize("of", [2, 3])
def test_merged_scores_are_those_without_shards(dialeval, responses, of):
    whole = dialeval(*SCORE, "--json", "--per-item", "items.jsonl", "--no-resume")
    folders = [f"s{number}" for number in range(1, of + 1)]
    for number, folder in enumerate(folders, 1):
        done = dialeval(*SCORE, "--shard", f"{number}/{of}", "-o", folder, "--jobs", "1")
        assert (done.code, done.out) == (0, f"Shard {number}/{of}: {folder}\n")
        assert list(Path(folder, "kept").glob("??/*")), "every shard has work"
    done = dialeval("merge", *folders, "-o", "merged", "--json")
    assert (done.code, done.out) == (0, whole.out)
    assert Path("merged/scores.json").read_text() == whole.out
    assert Path("merged/judgements.jsonl").read_bytes() == Path("items.jsonl").read_bytes()


def test_options_that_belong_to_the_whole_are_refused_with_a_shard(dialeval, responses):
    for more in (["--json"], ["--per-item", "x.jsonl"], ["--per-turn", "x.jsonl"]):
        assert dialeval(*SCORE, "--shard", "1/2", *more).code == 2
    assert dialeval("score", "-", "-m", "length", "--shard", "1/2").code == 2


def test_the_shard_of_another_scoring_is_not_replaced_without_a_warning(dialeval, responses):
    first = ("score", "answers.jsonl", "-m", "length", "--shard", "1/2", "-o", "s1")
    assert [dialeval(*first).err for _ in range(2)] == ["", ""]
    done = dialeval("score", "answers.jsonl", "-m", "distinct", "--shard", "1/2", "-o", "s1")
    assert "warning: s1 has the shard of another command (the option metric differs" in done.err
    assert "to keep both" in done.err.lower()


def test_gates_are_judged_when_shards_are_merged(dialeval, responses):
    for number in (1, 2):
        command = ("--fail-under", "length=100", "--shard", f"{number}/2", "-o", f"s{number}")
        assert dialeval("score", "answers.jsonl", "-m", "length", *command).code == 0
    assert dialeval("merge", "s1", "s2", "-o", "merged").code == 100


def test_merging_builds_metrics_once(dialeval, responses, monkeypatch):
    for number in (1, 2):
        command = ("score", "answers.jsonl", "-m", "length", "--shard", f"{number}/2", "-o", f"s{number}")
        assert dialeval(*command).code == 0
    built, metrics = [], Scoring.metrics
    monkeypatch.setattr(Scoring, "metrics", lambda self: built.append(self) or metrics(self))
    assert dialeval("merge", "s1", "s2", "-o", "merged").code == 0
    assert len(built) == 1


@pytest.mark.slow
def test_a_killed_shard_resumes_and_nothing_is_asked_twice(tmp_path):
    write_sharded_study(tmp_path, prompts=320)
    command = [
        sys.executable,
        "-m",
        "dialeval",
        "run",
        "study.yaml",
        "-o",
        "p1",
        "--shard",
        "1/2",
        "--cache",
        "c",
    ]
    slow = environment() | {"SECONDS_PER_ANSWER": "0.02"}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=slow, stdout=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while len(asked_of(tmp_path)) < 70:
        assert time.monotonic() < deadline, "the shard asked nothing"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not json.loads((tmp_path / "p1/shard.json").read_text())["finished"]
    before = len(asked_of(tmp_path))
    assert 64 <= before < 160
    subprocess.run(command, cwd=tmp_path, env=environment(), check=True, stdout=subprocess.DEVNULL)
    assert json.loads((tmp_path / "p1/shard.json").read_text())["finished"]
    asked = asked_of(tmp_path)
    assert len(set(asked)) == 160
    assert len(asked) - 160 < 32, "more was asked twice than the batch that was under way"
