from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.encoder.adapters import find_adapter, load_adapter
from dialeval.errors import BadInput, ResourceUnavailable

pytest.importorskip("torch")
import torch

from dialeval.training.finetuning import FinetunedEncoder, Finetuning, predict, write_adapter

PAIRS = [("Do you smoke?", "I quit last year."), ("Tea?", ""), ("word " * 200, "東京 is far away.")]


def trained(rank: int | None, path: Path) -> FinetunedEncoder:
    """A model whose weights have moved, as after training, and its file."""
    model = FinetunedEncoder(Finetuning(rank=rank, longest=48), ("yes", "no"), seed=3)
    draw = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.requires_grad:
                weight += 0.05 * torch.randn(weight.shape, generator=draw)
    write_adapter(path, model, "test", {"threshold": 0.5})
    return model


@pytest.mark.parametrize("rank", [4, None])
def test_an_adapter_gives_without_torch_what_the_trained_model_gave(rank: int | None, tmp_path: Path) -> None:
    model = trained(rank, tmp_path / "adapter.safetensors")
    adapted = load_adapter(find_adapter(tmp_path / "adapter.safetensors"))
    expected = predict(model, model.tokens(PAIRS)).numpy()
    assert np.abs(expected).max() > 0.1
    # The file has 16 bits for each number.
    np.testing.assert_allclose(adapted.logits(PAIRS), expected, atol=5e-3)
    assert adapted.about.facts == {"threshold": 0.5}


def test_an_adapter_that_changes_nothing_leaves_the_encoder_as_it_is(tmp_path: Path) -> None:
    model = FinetunedEncoder(Finetuning(rank=4), ("score",), seed=3)
    write_adapter(tmp_path / "a.safetensors", model, "test", {})
    file = find_adapter(tmp_path / "a.safetensors")
    adapted, plain = load_adapter(file), model.reader
    tokens = adapted.tokens(PAIRS)
    for changed, states in zip(adapted.encoder.states(tokens), plain.states(tokens), strict=True):
        np.testing.assert_allclose(changed, states, atol=1e-6)


def test_company_and_order_change_no_logit(tmp_path: Path) -> None:
    trained(4, tmp_path / "a.safetensors")
    adapted = load_adapter(find_adapter(tmp_path / "a.safetensors"))
    together = adapted.logits([*PAIRS, PAIRS[0]])
    np.testing.assert_array_equal(together[0], together[3])
    for pair, row in zip(PAIRS, together, strict=False):
        np.testing.assert_allclose(adapted.logits([pair])[0], row, atol=1e-5)
    assert adapted.logits([]).shape == (0, 2)


def test_the_low_rank_change_follows_its_formula() -> None:
    from dialeval.training.finetuning import LowRank

    linear = torch.nn.Linear(2, 2, bias=False)
    with torch.no_grad():
        linear.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
    layer = LowRank(linear, rank=1, scale=2.0)
    with torch.no_grad():
        layer.down.copy_(torch.tensor([[1.0, 2.0]]))
        layer.up.copy_(torch.tensor([[3.0], [-1.0]]))
    # x = (1, 1): x A' = 3, times B' = (9, -3), times 2 = (18, -6), plus x.
    assert layer(torch.tensor([1.0, 1.0])).tolist() == [19.0, -5.0]


def test_a_file_that_is_not_an_adapter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceUnavailable, match="no adapter at"):
        find_adapter(tmp_path / "none.safetensors")
    (tmp_path / "bad.safetensors").write_bytes(b"not tensors")
    with pytest.raises(BadInput, match=r"bad\.safetensors"):
        find_adapter(tmp_path / "bad.safetensors")


def test_an_adapter_of_another_encoder_is_refused(tmp_path: Path) -> None:
    from dataclasses import replace

    model = FinetunedEncoder(Finetuning(rank=2), ("score",))
    model.weights = replace(model.weights, sha256="0" * 64)
    write_adapter(tmp_path / "a.safetensors", model, "test", {})
    with pytest.raises(ResourceUnavailable, match="trained on"):
        find_adapter(tmp_path / "a.safetensors")
