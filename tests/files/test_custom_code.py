"""Code of one's own is found by file or module, and keyed by its source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dialeval.errors import DialevalError, UnknownName, Unsuitable
from dialeval.files.custom_code import is_place, load_code, only_named


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(
        "from dataclasses import dataclass\n\n@dataclass(frozen=True, slots=True)\n"
        "class Scale:\n    factor: float = 2.0\n\ndef double(x):\n    return 2 * x\n\nSIZE = 3\n"
    )
    return path


@pytest.mark.parametrize(
    "text", ["mine.py:double", "a/b c/mine.py:double", "pkg.mod:Class", "C:/x/mine.py:f"]
)
def test_files_and_modules_are_places(text):
    assert is_place(text)


@pytest.mark.parametrize(
    "text", ["bleu", "mine.py", "mine.py:", "answers.jsonl:new system", "mine.py:2x", ":f"]
)
def test_other_names_are_not(text):
    assert not is_place(text)


def test_the_digest_follows_the_source_and_the_folder_does_not_matter(file, tmp_path):
    before = load_code("mine.py:double", tmp_path)
    elsewhere = tmp_path / "sub"
    elsewhere.mkdir()
    (elsewhere / "mine.py").write_text(file.read_text())
    assert load_code("mine.py:double", elsewhere)[:1] == before[:1] == ("mine.py:double",)
    assert load_code("mine.py:double", elsewhere).source == before.source
    file.write_text(file.read_text().replace("2 * x", "3 * x"))
    after = load_code("mine.py:double", tmp_path)
    assert after.source != before.source
    assert (before.thing(5), after.thing(5)) == (10, 15)


@pytest.mark.parametrize(
    ("place", "error", "said"),
    [
        ("mine.py:doubel", UnknownName, "Did you mean 'double'"),
        ("mine.py:SIZE", DialevalError, "expected a function or a class"),
        ("other.py:f", DialevalError, "no such file"),
        ("no_such_module_here:f", DialevalError, "Install the package"),
    ],
)
def test_what_cannot_be_loaded_is_named(file, tmp_path, place, error, said):
    with pytest.raises(error, match=said):
        load_code(place, tmp_path)


def test_a_file_that_fails_says_how(tmp_path):
    (tmp_path / "bad.py").write_text("1 / 0\n")
    with pytest.raises(DialevalError, match=r"bad\.py: ZeroDivisionError: division by zero"):
        load_code("bad.py:f", tmp_path)


def test_a_file_can_import_its_neighbours(tmp_path):
    (tmp_path / "neighbour_of_mine.py").write_text("SIZE = 7\n")
    (tmp_path / "uses.py").write_text(
        "def f():\n    import neighbour_of_mine\n    return neighbour_of_mine.SIZE\n"
    )
    assert load_code("uses.py:f", tmp_path).thing() == 7


def test_only_code_that_was_named_is_loaded(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with only_named(["mine.py:double", "json:loads"]):
        assert load_code("mine.py:Scale", tmp_path).thing().factor == 2.0, "a file runs as a whole"
        assert load_code(f"{file}:double", Path("/")).thing(2) == 4, "however its path is written"
        assert load_code("json:loads", tmp_path).thing("1") == 1
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / "mine.py").write_text(file.read_text())
        for place, folder, named in (
            ("mine.py:double", tmp_path / "sub", f"{tmp_path}/sub/mine.py:double"),
            ("csv:reader", tmp_path, "csv:reader"),
            ("other.py:f", tmp_path, f"{tmp_path}/other.py:f"),
        ):
            with pytest.raises(Unsuitable, match=re.escape(f"--allow-code {named}.")):
                load_code(place, folder)
        with only_named([]), pytest.raises(Unsuitable):
            load_code("json:loads", tmp_path)
    assert load_code("csv:reader", tmp_path).place == "csv:reader"


def test_files_below_a_folder_of_the_user_may_be_loaded_but_for_foreign_ones(file, tmp_path):
    (tmp_path / "shard").mkdir()
    (tmp_path / "shard" / "mine.py").write_text(file.read_text())
    with only_named([], folder=tmp_path, foreign=[tmp_path / "shard"]):
        assert load_code("mine.py:double", tmp_path).thing(2) == 4
        for place, folder in (("mine.py:double", tmp_path / "shard"), ("csv:reader", tmp_path)):
            with pytest.raises(Unsuitable, match="--allow-code"):
                load_code(place, folder)
    with only_named([], folder=tmp_path / "shard"), pytest.raises(Unsuitable):
        load_code("../mine.py:double", tmp_path / "shard")


def test_the_home_of_nobody_is_an_error_that_says_so(tmp_path):
    with pytest.raises(DialevalError, match="Write the whole path"):
        load_code("~nobody-of-that-name/mine.py:double", tmp_path)
    with (
        pytest.raises(DialevalError, match="Write the whole path"),
        only_named(["~nobody-of-that-name/a.py:f"]),
    ):
        pass
