"""Names from other people's files that look like paths, and code that comes with their results."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dialeval.errors import BadInput
from dialeval.systems.trained.roster import load_roster
from support.command import Command
from support.fault_studies import make_study, put

OUTSIDE = ("../up", "/{tmp}/root", "..", "deep/er", "deep\\er")
CODE = """\
from pathlib import Path

import numpy as np

from dialeval.core import Signature

Path(__file__).with_name("ran").touch()


class Length:
    higher_is_better = True
    signature = Signature("length_of_own", ())

    def unscorable(self, example):
        return None

    def statistics(self, examples):
        return np.array([(len(example.response.text), 1.0) for example in examples])

    def aggregate(self, totals):
        return totals[..., 0] / totals[..., 1]
"""


def below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize("name", OUTSIDE)
def test_the_name_of_a_study_does_not_choose_a_folder_elsewhere(
    dialeval: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    here = make_study(tmp_path / "a" / "b")
    name = name.format(tmp=str(tmp_path).strip("/"))
    study = (here / "study.yaml").read_text()
    (here / "study.yaml").write_text(study.replace("name: faults", f"name: {json.dumps(name)}"))
    monkeypatch.chdir(here)
    before = below(tmp_path)
    for options in ((), ("--shard", "1/2")):
        ended = dialeval("run", "study.yaml", *options)
        assert ended.code == 1
        assert "expected one that can name a folder in runs/" in ended.err
        assert below(tmp_path) == before


@pytest.mark.parametrize("name", ["..", "."])
def test_a_generator_of_a_roster_is_trained_in_a_folder_of_its_own(tmp_path: Path, name: str) -> None:
    (tmp_path / "roster.yaml").write_text(f"systems: [{{name: '{name}', architecture: transformer}}]")
    with pytest.raises(BadInput, match="cannot name a folder"):
        load_roster(str(tmp_path / "roster.yaml"))


HOSTILE = {"one": "../../one", "two": "/two", "overall": "../../overall"}


def renamed(path: Path) -> None:
    """Give the rows of a file names that look like paths."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        row |= {key: f"../{row[key]}" for key in ("id", "item") if key in row}
        row |= {key: HOSTILE[row[key]] for key in ("system", "criterion") if key in row}
    put(path, rows)


def test_names_of_systems_items_and_criteria_stay_within_the_folders_of_results(
    dialeval: Command, tmp_path: Path
) -> None:
    make_study(tmp_path)
    for file in ("prompts", "one", "two", "ratings"):
        renamed(tmp_path / f"{file}.jsonl")
    study = (tmp_path / "study.yaml").read_text()
    for name, hostile in HOSTILE.items():
        study = study.replace(f"name: {name},", f"name: '{hostile}',")
    (tmp_path / "study.yaml").write_text(study)
    before = below(tmp_path)
    for command in (
        ("run", "study.yaml", "-o", "out", "--cache", "cache"),
        ("meta", "out", "ratings.jsonl", "-o", "met", "--trials", "20", "--plots"),
    ):
        ended = dialeval(*command)
        assert ended.code == 0, ended.err
    new = below(tmp_path) - before
    assert {path.split("/")[0] for path in new} <= {"out", "cache", "met", ".cache"}
    assert any(path.startswith("met/plots/") for path in new)


@pytest.fixture
def own_metric(tmp_path: Path) -> Path:
    """A study with a custom metric, whose code leaves a file ``ran`` behind."""
    make_study(tmp_path)
    (tmp_path / "own.py").write_text(CODE)
    study = (tmp_path / "study.yaml").read_text()
    (tmp_path / "study.yaml").write_text(study.replace("[rouge_l, length]", "[rouge_l, 'own.py:Length']"))
    return tmp_path


def test_reading_a_run_folder_runs_no_code_that_comes_with_it(dialeval: Command, own_metric: Path) -> None:
    tmp_path = own_metric
    assert dialeval("run", "study.yaml", "-o", "out").code == 0
    (tmp_path / "ran").unlink()
    (tmp_path / "out" / "own.py").write_text(CODE)
    for command in (
        ("report", "out"),
        ("meta", "out", "ratings.jsonl", "-o", "met", "--trials", "20"),
        ("data", "validate", "out/examples.jsonl"),
    ):
        ended = dialeval(*command)
        assert ended.code == 0, (command, ended.err)
    assert list(tmp_path.rglob("ran")) == []
    for command in (("compare", "out:one", "out:two"), ("compare", "out:one", "two.jsonl")):
        ended = dialeval(*command)
        assert ended.code == 1
        assert f"--allow-code {tmp_path / 'own.py'}:Length" in ended.err
    assert list(tmp_path.rglob("ran")) == []


@pytest.mark.parametrize(
    "named",
    [("--allow-code", "own.py:Length"), ("-m", "own.py:Length"), ("--allow-code", "away/own.py:Length")],
)
def test_a_custom_metric_is_compared_where_the_user_names_it(
    dialeval: Command, own_metric: Path, named: tuple[str, str]
) -> None:
    assert dialeval("run", "study.yaml", "-o", "out").code == 0
    if "away" in named[1]:
        (own_metric / "away").mkdir()
        (own_metric / "own.py").rename(own_metric / "away" / "own.py")
    ended = dialeval("compare", "out:one", "out:two", *named)
    assert ended.code == 0, ended.err
    assert "Length" in ended.out


def test_a_label_of_a_run_names_no_code_either(dialeval: Command, own_metric: Path) -> None:
    assert dialeval("run", "study.yaml", "-o", "out").code == 0
    (own_metric / "ran").unlink()
    for file in ("summary.json", "manifest.json"):
        path = own_metric / "out" / file
        path.write_text(path.read_text().replace('"rouge_l"', '"own.py:Length"'))
    results = own_metric / "out" / "results.parquet"
    table = pq.read_table(results)
    labels = [{"rouge_l": "own.py:Length"}.get(label, label) for label in table["measure"].to_pylist()]
    place = table.column_names.index("measure")
    pq.write_table(table.set_column(place, "measure", pa.array(labels)), results)
    ended = dialeval("compare", "out:one", "two.jsonl")
    assert ended.code == 1
    assert f"--allow-code {own_metric / 'own.py'}:Length" in ended.err
    assert not (own_metric / "ran").exists()


def test_merging_runs_no_code_from_elsewhere_that_the_shards_name_unless_the_user_does(
    dialeval: Command, own_metric: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in ("1", "2"):
        assert dialeval("run", "study.yaml", "-o", number, "--shard", f"{number}/2").code == 0
    (own_metric / "ran").unlink()
    (own_metric / "elsewhere").mkdir()
    monkeypatch.chdir(own_metric / "elsewhere")
    refused = dialeval("merge", "../1", "../2", "-o", "out")
    assert refused.code == 1
    hint = " ".join(refused.err.split()).rpartition("add ")[2].rstrip(".").split()
    assert hint == ["--allow-code", f"{own_metric / 'own.py'}:Length"]
    assert not (own_metric / "ran").exists()
    merged = dialeval("merge", "../1", "../2", "-o", "out", *hint)
    assert merged.code == 0, merged.err
    monkeypatch.chdir(own_metric)
    assert dialeval("merge", "1", "2", "-o", "here").code == 0, (
        "files below the folder where one is are one's own"
    )


def test_code_beside_shards_that_were_received_together_is_not_the_users_own(
    dialeval: Command, own_metric: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = own_metric / "home"
    (home / "parcel").mkdir(parents=True)
    for file in ("study.yaml", "own.py", "prompts.jsonl", "one.jsonl", "two.jsonl", "ratings.jsonl"):
        (own_metric / file).rename(home / "parcel" / file)
    monkeypatch.chdir(home / "parcel")
    for number in ("1", "2"):
        ended = dialeval("run", "study.yaml", "-o", f"parts/{number}", "--shard", f"{number}/2")
        assert ended.code == 0, ended.err
    (home / "parcel" / "ran").unlink()
    monkeypatch.chdir(home)
    refused = dialeval("merge", "parcel/parts/1", "parcel/parts/2", "-o", "out")
    assert refused.code == 1
    assert "--allow-code" in refused.err
    assert not (home / "parcel" / "ran").exists()
    monkeypatch.chdir(home / "parcel")
    assert dialeval("merge", "parts/1", "parts/2", "-o", "out").code == 0, (
        "beside one's own shards it is one's own"
    )


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the user's, outside of every folder of results."""
    file = tmp_path / "home" / "authorized_keys"
    file.parent.mkdir()
    file.write_text("mine\n")
    return file


RECEIVED = {
    "run": (("run", "study.yaml", "-o", "got"), ("report", "got")),
    "meta": (("meta", "one.scores.jsonl", "ratings.jsonl", "-o", "got", "--trials", "20"), ("report", "got")),
    "detect": (("consistency", "detect", "talks.jsonl", "-o", "got"), ("report", "got")),
    "score": (("score", "one.jsonl", "-m", "length", "-o", "got", "--shard", "1/1"), None),
    "select": (("select", "ask", "questions.jsonl", "--system", "tfidf", "-o", "got"), ("report", "got")),
}


def _inputs(folder: Path) -> None:
    make_study(folder)
    rated = [json.loads(line) for line in (folder / "ratings.jsonl").read_text().splitlines()]
    scores = {(row["item"], row["system"]): {**row, "rater": "m", "criterion": "m"} for row in rated}
    put(folder / "one.scores.jsonl", list(scores.values()))
    said = [{"role": "user", "content": "Do you like tea?"}, {"role": "assistant", "content": "I love tea."}]
    put(folder / "talks.jsonl", [{"id": "t", "messages": [*said, *said]}])
    candidates = [{"text": "I love tea.", "correct": True}, {"text": "It rains.", "correct": False}]
    put(folder / "questions.jsonl", [{"id": "q", "context": said[:1], "candidates": candidates}])


@pytest.mark.parametrize("kind", RECEIVED)
def test_no_link_in_a_received_folder_leads_a_command_outside(
    dialeval: Command, tmp_path: Path, secret: Path, kind: str
) -> None:
    _inputs(tmp_path)
    write, render = RECEIVED[kind]
    ended = dialeval(*write)
    assert ended.code == 0, ended.err
    names = sorted(path.name for path in (tmp_path / "got").iterdir() if path.is_file())
    assert names
    for name in names:
        file = tmp_path / "got" / name
        kept = file.read_bytes()
        file.unlink()
        file.symlink_to(secret)
        for command in filter(None, (write, render)):
            refused = dialeval(*command)
            assert refused.code == 1, (name, command, refused)
            assert f"got/{name}: found a link to {secret}" in " ".join(refused.err.split())
        assert secret.read_text() == "mine\n"
        file.unlink()
        file.write_bytes(kept)
    for command in filter(None, (write, render)):
        assert dialeval(*command).code == 0


def test_no_linked_folder_in_a_received_folder_is_written_into(
    dialeval: Command, tmp_path: Path, secret: Path
) -> None:
    _inputs(tmp_path)
    assert dialeval(*RECEIVED["meta"][0]).code == 0
    (tmp_path / "got" / "plots").symlink_to(secret.parent)
    refused = dialeval(*RECEIVED["meta"][0], "--plots")
    assert refused.code == 1
    assert "got/plots: found a link" in " ".join(refused.err.split())
    assert below(secret.parent) == {"authorized_keys"}


@pytest.mark.parametrize("kind", RECEIVED)
def test_no_pipe_in_a_received_folder_stops_a_command_for_ever(
    dialeval: Command, tmp_path: Path, kind: str
) -> None:
    _inputs(tmp_path)
    write, render = RECEIVED[kind]
    assert dialeval(*write).code == 0
    for name in sorted(path.name for path in (tmp_path / "got").iterdir() if path.is_file()):
        file = tmp_path / "got" / name
        kept = file.read_bytes()
        file.unlink()
        os.mkfifo(file)
        for command in filter(None, (write, render)):
            refused = dialeval(*command)
            assert refused.code == 1, (name, command, refused)
            assert f"got/{name}: found a pipe, socket or device" in " ".join(refused.err.split())
        file.unlink()
        file.write_bytes(kept)


def test_a_link_that_the_user_names_is_followed(dialeval: Command, tmp_path: Path, secret: Path) -> None:
    _inputs(tmp_path)
    (tmp_path / "linked.jsonl").symlink_to(secret)
    (secret.parent / "results").mkdir()
    (tmp_path / "got").symlink_to(secret.parent / "results")
    assert dialeval("data", "convert", "one.jsonl", "linked.jsonl").code == 0
    assert (tmp_path / "linked.jsonl").is_symlink()
    assert "response" in secret.read_text()
    assert dialeval(*RECEIVED["run"][0]).code == 0
    assert dialeval("report", "got").code == 0
    assert (secret.parent / "results" / "report.html").is_file()
