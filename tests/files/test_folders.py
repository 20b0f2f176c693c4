from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.data.codec.sources import file_of
from dialeval.errors import BadInput, DialevalError
from dialeval.files.folders import check_target, is_plain_name, is_there, with_home


def test_new_empty_finished_and_interrupted_folders_may_be_written_into(tmp_path: Path) -> None:
    check_target(tmp_path / "new", kind="run")
    check_target(tmp_path, kind="run")
    (tmp_path / ".summary.json.x.part").touch()
    check_target(tmp_path, kind="run")
    (tmp_path / "points.parquet").touch()
    check_target(tmp_path, kind="meta", parts={"points.parquet"})
    (tmp_path / "notes.txt").touch()
    (tmp_path / "study.yaml").touch()
    check_target(tmp_path, "asked.json", "study.yaml", kind="run")


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(
        BadInput, match="found a folder with other files, expected a new, empty or run folder"
    ):
        check_target(tmp_path, "study.yaml", kind="run")
    with pytest.raises(BadInput, match="found a file, expected a new, empty or run folder"):
        check_target(tmp_path / "thesis.tex", "study.yaml", kind="run")


def test_a_home_folder_takes_the_place_of_its_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert with_home("~/a.jsonl") == Path("/home/ada/a.jsonl")
    assert with_home(Path("b/~.jsonl")) == Path("b/~.jsonl")


@pytest.mark.parametrize("use", [with_home, lambda path: file_of(f"fed:{path}")])
def test_the_home_of_nobody_is_an_error_with_the_path(use) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DialevalError, match="~nobody-of-that-name/a: there is no home folder"):
        use("~nobody-of-that-name/a")


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("convai2", True),
        (".hidden", True),
        ("é" * 127, True),
        ("é" * 128, False),  # 256 bytes, which no file system takes
        ("x" * 300, False),
        ("\ud800", False),
        ("", False),
        ("..", False),
        ("a/b", False),
        ("a\\b", False),
        ("a\x00", False),
    ],
)
def test_plain_names_can_name_a_folder_and_lead_nowhere_else(name: str, plain: bool) -> None:
    assert is_plain_name(name) is plain


def test_a_path_that_is_too_long_names_nothing(tmp_path: Path) -> None:
    assert is_there(tmp_path)
    assert not is_there(tmp_path / "nothing")
    assert not is_there(tmp_path / ("x" * 300))
