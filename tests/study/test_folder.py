from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dialeval.errors import BadInput
from dialeval.study.folder import FILES, read_run, read_summary

Make = Callable[..., Path]


def test_a_folder_is_read_back_as_it_was_written(make_run: Make) -> None:
    run = read_run(make_run(value=lambda m, s, at: "no references" if at == 2 and s == "old" else at / 4))
    assert [system.name for system in run.summary.systems] == ["old", "new"]
    assert [m.higher_is_better for m in run.summary.measures] == [True, True, None]
    found = run.summary.score("old", "rouge_l")
    assert found is not None
    assert (found.estimate.n, found.unscored) == (11, 1)
    assert found.coverage == pytest.approx(11 / 12)
    assert run.summary.comparison("rouge_l", "new", "old") == run.summary.comparison("rouge_l", "old", "new")
    assert run.manifest.files[0].sha256 == "cd" * 32
    assert run.study == 'name: "support-bots"\n'


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(make_run: Make, name: str) -> None:
    folder = make_run()
    (folder / name).unlink()
    with pytest.raises(
        BadInput, match=f"found a folder without {name}, expected a run folder as written by 'dialeval"
    ):
        read_run(folder)


def test_the_folder_of_a_shard_is_not_a_run_yet(tmp_path: Path) -> None:
    (tmp_path / "shard.json").write_text("{}")
    with pytest.raises(BadInput, match=r"found the folder of a shard, .*dialeval merge"):
        read_run(tmp_path)


def test_no_folder_and_a_file_in_its_place_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"found no such folder, expected a run folder .* Check the path\.$"):
        read_run(tmp_path / "gone")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="found a file, expected a run folder"):
        read_run(tmp_path / "file")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("results", [{"system": "old"}], r"summary.json, field 'results\[0\].measure': found no such field"),
        ("seed", "seven", r"field 'seed': found 'seven'"),
        ("items", 3.5, r"field 'items': found 3.5"),
        ("format", 2, r"field 'format': found format 2, expected format 1"),
        ("measures", None, r"field 'measures': found None"),
    ],
)
def test_a_damaged_summary_names_the_field(make_run: Make, key: str, value: object, message: str) -> None:
    folder = make_run()
    content = json.loads((folder / "summary.json").read_text())
    (folder / "summary.json").write_text(json.dumps({**content, key: value}))
    with pytest.raises(BadInput, match=message):
        read_summary(folder)


def test_broken_json_and_broken_parquet_are_said_to_be_so(make_run: Make) -> None:
    folder = make_run()
    (folder / "manifest.json").write_text('{"format": 1, ')
    with pytest.raises(BadInput, match=r"manifest.json: found broken JSON .* Run the study again"):
        read_run(folder)
    other = make_run()
    whole = (other / "results.parquet").read_bytes()
    (other / "results.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match=r"results.parquet: found no readable results"):
        read_run(other)


def test_a_number_that_is_none_is_refused(make_run: Make) -> None:
    folder = make_run()
    text = (folder / "summary.json").read_text()
    (folder / "summary.json").write_text(text.replace('"level": 0.95', '"level": NaN'))
    with pytest.raises(BadInput, match="field 'level'"):
        read_summary(folder)


def test_fields_of_later_versions_are_left_alone(make_run: Make) -> None:
    folder = make_run()
    content = json.loads((folder / "summary.json").read_text())
    (folder / "summary.json").write_text(json.dumps({**content, "weather": {"alpha": 0.7}}))
    assert read_summary(folder).study == "support-bots"
