from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import torch

from dialeval.errors import BadInput, ResourceUnavailable
from dialeval.training.folder import FORMAT, Card, Layout

LAYOUT = Layout("toy", "toy.json", "words.txt", "toy model", "dialeval train toy")
CARD = Card(
    "Toy model",
    "Adds.",
    "Data: 3 sums, sha256 `abc`.",
    {"seed": 0, "size": 2},
    ("epoch", "loss"),
    [("1", "0.5"), ("2", "0.25")],
)


def write(folder: Path) -> torch.nn.Module:
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    LAYOUT.write(folder, {"model": "toy", "format": FORMAT, "train": {"size": 2}}, model, b"one\n", CARD)
    return model


def test_a_model_is_written_found_and_read_again(tmp_path: Path) -> None:
    model = write(tmp_path)
    assert LAYOUT.missing(tmp_path) == []
    files = LAYOUT.find(tmp_path)
    assert dict(files.hashes)["words.txt"] == hashlib.sha256(b"one\n").hexdigest()
    assert set(files.resources) == {f"{tmp_path.name}/{name}" for name in LAYOUT.names}
    assert LAYOUT.read(tmp_path, lambda about: about["train"]["size"]) == 2
    other = LAYOUT.load_weights(tmp_path, lambda: torch.nn.Linear(2, 1))
    assert torch.equal(model.weight, other.weight)


def test_a_folder_without_a_whole_model_says_what_it_lacks(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "toy.json").unlink()
    with pytest.raises(ResourceUnavailable, match=r"lacks toy.json, so it holds no toy model.*train toy"):
        LAYOUT.find(tmp_path)
    (tmp_path / "checkpoint.safetensors").touch()
    with pytest.raises(ResourceUnavailable, match="training has not ended"):
        LAYOUT.find(tmp_path)


@pytest.mark.parametrize(
    "content", ["{", "[" * 100_000, "[]", '{"model": "other", "format": 1}', '{"model": "toy", "format": 1}']
)
def test_a_marker_of_something_else_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "toy.json").write_text(content)
    with pytest.raises(BadInput, match="expected the settings of a toy model"):
        LAYOUT.read(tmp_path, lambda about: about["train"])


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(BadInput, match=r"expected the weights that toy\.json describes"):
        LAYOUT.load_weights(tmp_path, lambda: torch.nn.Linear(3, 1))
    (tmp_path / "model.safetensors").write_bytes(b"torn")
    with pytest.raises(BadInput, match=r"expected the weights that toy\.json describes"):
        LAYOUT.load_weights(tmp_path, lambda: torch.nn.Linear(2, 1))


def test_settings_that_ask_for_more_than_the_weights_take_no_memory(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(BadInput, match=r"\(1, 2\) for weight of shape \(10000000000, 1000\)"):
        LAYOUT.load_weights(tmp_path, lambda: torch.nn.Linear(1000, 10**10))


def test_the_card_says_data_settings_and_numbers(tmp_path: Path) -> None:
    write(tmp_path)
    assert (
        (tmp_path / "README.md").read_text()
        == """\
# Toy model

Adds.

Data: 3 sums, sha256 `abc`.
The licence of the data governs what you may do with the weights.

| setting | value |
|---|---|
| seed | 0 |
| size | 2 |

| epoch | loss |
|---|---|
| 1 | 0.5 |
| 2 | 0.25 |
"""
    )
