from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.encoder.adapters import find_adapter, load_adapter
from dialeval.encoder.files import Weights, find_encoder, runs_on_onnx
from dialeval.encoder.graphs import deberta_buckets, mpnet_buckets
from dialeval.encoder.model import Change, load_torch
from dialeval.encoder.onnx_model import load_onnx, load_tokenizer
from dialeval.resources.huggingface import quiet_transformers
from support.encoders import make_small

torch = pytest.importorskip("torch")

KINDS = ("deberta-v2", "mpnet")
TEXTS = ["", "the cat", "where can I park? behind the house, I'd say", "the mat " * 40]


@pytest.fixture(scope="module", params=KINDS)
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Weights:
    return find_encoder(str(make_small(tmp_path_factory.mktemp("models") / request.param, request.param)))


def padded(weights: Weights) -> tuple[np.ndarray, np.ndarray]:
    tokenizer = load_tokenizer(weights)
    rows = tokenizer.ids(TEXTS, 64)
    assert max(map(len, rows)) == 64
    ids = np.full((len(rows), 64), tokenizer.pad_token_id, np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(rows):
        ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
    return ids, mask


@pytest.mark.parametrize("layer", [0, 1, None])
def test_every_layer_equals_that_of_torch(small: Weights, layer: int | None) -> None:
    assert runs_on_onnx(small)
    ids, mask = padded(small)
    ours = load_onnx(small).states(ids, mask, layer)
    theirs = load_torch(small)[1].states(ids, mask, layer)
    assert ours.shape == theirs.shape == (*ids.shape, 24)
    np.testing.assert_allclose(ours[mask == 1], theirs[mask == 1], atol=1e-5)


def test_texts_of_any_length_run_alone(small: Weights) -> None:
    ours, theirs = load_onnx(small), load_torch(small)[1]
    for length in (1, 2, 3, 17, 64):
        ids = np.arange(4, 4 + length)[None] % 100
        mask = np.ones_like(ids)
        np.testing.assert_allclose(ours.states(ids, mask, None), theirs.states(ids, mask, None), atol=1e-5)


def test_changes_of_an_adapter_reach_what_follows_from_weights(small: Weights) -> None:
    ids, mask = padded(small)
    theirs = load_torch(small)[1].model
    names = [
        name for name, _ in theirs.named_parameters() if name.startswith("encoder") and "bias" not in name
    ]
    draw = np.random.default_rng(0)
    changes = {
        name: Change(
            (0.3 * draw.standard_normal(theirs.get_parameter(name).shape)).astype(np.float32), whole=False
        )
        for name in names
    }
    ours = load_onnx(small, changes).states(ids, mask, None)
    changed = load_torch(small, changes)[1].states(ids, mask, None)
    np.testing.assert_allclose(ours[mask == 1], changed[mask == 1], rtol=1e-5, atol=1e-5)


def test_distances_fall_into_the_buckets_of_transformers() -> None:
    with quiet_transformers():
        from transformers.models.deberta_v2.modeling_deberta_v2 import build_relative_position
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

    distances = np.arange(-513, 514)
    theirs = MPNetEncoder.relative_position_bucket(torch.from_numpy(distances))
    np.testing.assert_array_equal(mpnet_buckets(distances, 32), theirs)
    text = torch.zeros(1, 512, 1)
    places = build_relative_position(text, text, bucket_size=256, max_position=512)[0]
    from_last, to_last = places[-1].flip(0), places[:, -1].flip(0)
    np.testing.assert_array_equal(deberta_buckets(np.arange(512), 256, 512), from_last + 256)
    np.testing.assert_array_equal(deberta_buckets(-np.arange(512), 256, 512), to_last + 256)


@pytest.mark.parametrize(
    "setting",
    [{"share_att_key": False}, {"pos_att_type": ["c2p"]}, {"position_buckets": -1}, {"type_vocab_size": 2}],
)
def test_other_debertas_run_on_torch(setting: dict[str, object], tmp_path: Path) -> None:
    folder = make_small(tmp_path / "other", "deberta-v2", **setting)
    assert not runs_on_onnx(find_encoder(str(folder)))


@pytest.mark.parametrize("rank", [2, None])
def test_an_adapter_of_any_base_gives_without_torch_what_the_trained_model_gave(
    small: Weights, rank: int | None, tmp_path: Path
) -> None:
    from dialeval.training.finetuning import FinetunedEncoder, Finetuning, predict, write_adapter

    pairs = [("where can I park?", "behind the house"), ("the cat", ""), ("the mat " * 30, "sat")]
    model = FinetunedEncoder(Finetuning(encoder=str(small.folder), rank=rank, longest=48), ("yes", "no"))
    with torch.no_grad():
        for weight in model.parameters():
            if weight.requires_grad:
                weight += 0.05 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(1))
    write_adapter(tmp_path / "adapter.safetensors", model, "test", {})
    file = find_adapter(tmp_path / "adapter.safetensors")
    expected = predict(model, model.tokens(pairs)).numpy()
    np.testing.assert_allclose(load_adapter(file).logits(pairs), expected, atol=5e-3)
    assert [name for name, _ in file.facts] == ["adapter", "base"]
