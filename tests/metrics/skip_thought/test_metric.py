"""Scoring with a model of our own, and with files in the authors' layout against a GRU written out in numpy."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dialeval.data.types import Example, Response
from dialeval.errors import BadInput, ResourceUnavailable, UnknownName
from dialeval.metrics.skip_thought import SkipThought
from dialeval.metrics.skip_thought.model import train
from support.made_dialogues import TINY, made_triples

WORDS = ["the", "cat", "sat", "The", "UNK", "."]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    train(made_triples(), replace(TINY, epochs=6), folder)
    return folder


def write_published(folder: Path, *, words: int = 3, size: int = 4) -> dict[str, np.ndarray]:
    """Files as the authors' release has them, with small random arrays; returns all arrays by file and name."""
    draw = np.random.default_rng(3)
    (folder / "dictionary.txt").write_text("".join(word + "\n" for word in WORDS))
    arrays: dict[str, np.ndarray] = {}
    for letter, file, prefixes, own in (
        ("u", "uni_skip.npz", ["encoder"], size),
        ("b", "bi_skip.npz", ["encoder", "encoder_r"], size // 2),
    ):
        table = draw.normal(size=(len(WORDS), words)).astype(np.float32)
        np.save(folder / f"{letter}table.npy", table)
        shapes = {
            "W": (words, 2 * own),
            "U": (own, 2 * own),
            "b": (2 * own,),
            "Wx": (words, own),
            "Ux": (own, own),
        }
        shapes["bx"] = (own,)
        held = {
            f"{prefix}_{name}": draw.normal(size=shape).astype(np.float32)
            for prefix in prefixes
            for name, shape in shapes.items()
        }
        np.savez(folder / file, Wemb=table, **held)
        arrays |= {f"{letter}/{name}": array for name, array in held.items()} | {f"{letter}/table": table}
    return arrays


def theano_gru(arrays: dict[str, np.ndarray], prefix: str, words: np.ndarray) -> np.ndarray:
    """The last state by the authors' equations: gates reset and update side by side in W, U and b."""
    gates, recurrent, bias, new, recurrent_new, bias_new = (
        arrays[f"{prefix}_{name}"].astype(np.float64) for name in ("W", "U", "b", "Wx", "Ux", "bx")
    )
    size = recurrent_new.shape[0]
    state = np.zeros(size)
    for word in words:
        both = 1 / (1 + np.exp(-(word @ gates + state @ recurrent + bias)))
        reset, update = both[:size], both[size:]
        fresh = np.tanh((state @ recurrent_new) * reset + word @ new + bias_new)
        state = update * state + (1 - update) * fresh
    return state


def test_the_authors_files_give_the_authors_vectors(tmp_path: Path) -> None:
    arrays = write_published(tmp_path)
    metric = SkipThought(model=str(tmp_path))
    texts = ["The cat sat.", "the dog", "."]
    rows = [[3, 1, 2, 5], [0, 4], [5]]  # case matters; a word that is not there is UNK
    for found, row in zip(metric.encode(texts), rows, strict=True):
        uni = theano_gru(arrays, "u/encoder", arrays["u/table"][row])
        words = arrays["b/table"][row]
        forth, back = theano_gru(arrays, "b/encoder", words), theano_gru(arrays, "b/encoder_r", words[::-1])
        bi = np.concatenate([forth, back])
        # Each part has length 1 before they are joined, as in the authors' encode().
        expected = np.concatenate([uni / np.linalg.norm(uni), bi / np.linalg.norm(bi)])
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_one_part_alone_will_do(tmp_path: Path) -> None:
    write_published(tmp_path)
    whole = SkipThought(model=str(tmp_path)).encode(["the cat"])[0]
    (tmp_path / "utable.npy").unlink()
    np.testing.assert_allclose(SkipThought(model=str(tmp_path)).encode(["the cat"])[0], whole[4:], atol=1e-7)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    write_published(tmp_path)
    (tmp_path / "uni_skip.npz.pkl").write_bytes(b"never read")
    np.save(tmp_path / "utable.npy", np.array([{"a": 1}] * len(WORDS), dtype=object), allow_pickle=True)
    with pytest.raises(BadInput, match=r"utable.npy.*an array of numbers"):
        SkipThought(model=str(tmp_path)).encode(["the"])


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda f: (f / "dictionary.txt").write_text("a\nb\n"), "no word UNK"),
        (lambda f: (f / "dictionary.txt").write_text("UNK\n"), "1 rows, one for each word of dictionary.txt"),
        (lambda f: np.savez(f / "bi_skip.npz", encoder_W=np.ones(3)), "the arrays of a GRU encoder"),
    ],
)
def test_files_that_do_not_fit_together_are_explained(tmp_path: Path, spoil: object, complaint: str) -> None:
    write_published(tmp_path)
    spoil(tmp_path)  # type: ignore[operator]
    with pytest.raises(BadInput, match=complaint):
        SkipThought(model=str(tmp_path)).encode(["the"])


def test_arrays_of_the_wrong_shape_are_explained(tmp_path: Path) -> None:
    write_published(tmp_path)
    np.save(tmp_path / "utable.npy", np.ones((len(WORDS), 2), np.float32))
    with pytest.raises(BadInput, match=r"uni_skip.npz: found arrays of shapes .* expected shapes \[\(2, 8\)"):
        SkipThought(model=str(tmp_path)).encode(["the"])


def test_a_model_of_our_own_scores(trained: Path) -> None:
    metric = SkipThought(model=str(trained))
    examples = [
        Example("1", "s", (), Response("yes , tea please"), ("yes , tea please",)),
        Example("2", "s", (), Response("yes , tea please"), ("yes , soup please", "in town you are")),
        Example("3", "s", (), Response("yes , tea please"), ("in town you are",)),
        Example("4", "s", (), Response(""), ("tea",)),
    ]
    values = metric.statistics(examples)[:, 0]
    assert values[0] == pytest.approx(1, abs=1e-9)
    assert 1 > values[1] > values[2]
    assert values[3] == 0
    np.testing.assert_allclose(metric.statistics(examples[1:2])[0], metric.statistics(examples)[1], atol=1e-6)


def test_saved_and_loaded_vectors_are_those_of_the_network(trained: Path) -> None:
    import torch
    from safetensors.torch import load_file

    from dialeval.metrics.skip_thought.folder import read_model
    from dialeval.metrics.skip_thought.model import run_encoder

    tensors = load_file(trained / "model.safetensors")
    encoders, vocabulary = read_model(trained)
    expected = []
    for part, network in encoders.items():
        for name, weight in network.named_parameters():
            assert torch.equal(weight, tensors[f"{part}.{name}"])
        ids = torch.tensor(vocabulary.number(["YES , unheard please"], longest=9)[0])
        assert ids.tolist().count(1) == 1
        expected.append(torch.nn.functional.normalize(run_encoder(network.encoder, [network.words(ids)])))
    found = SkipThought(model=str(trained)).encode(["YES , unheard please"])
    np.testing.assert_allclose(found, torch.cat(expected, dim=1).detach().numpy(), atol=1e-6)


def test_other_word_vectors_expand_the_vocabulary(trained: Path, tmp_path: Path) -> None:
    words = [*(trained / "vocabulary.txt").read_text().split(), "cocoa"]
    draw = np.random.default_rng(0)
    vectors = draw.normal(size=(len(words), 4)).astype(np.float32)
    vectors[-1] = vectors[words.index("tea")]  # cocoa is as tea
    path = tmp_path / "words.npy"
    np.save(path, vectors)
    (tmp_path / "words.vocab.txt").write_text("".join(word + "\n" for word in words))
    plain = SkipThought(model=str(trained))
    wide = SkipThought(model=str(trained), vectors=str(path))
    assert np.array_equal(wide.encode(["yes , tea please"]), plain.encode(["yes , tea please"]))
    cocoa, nonsense = wide.encode(["cocoa"])[0], wide.encode(["qwertz"])[0]
    assert not np.allclose(cocoa, nonsense, atol=1e-3)
    np.testing.assert_array_equal(nonsense, plain.encode(["cocoa"])[0])
    assert "expansion=file:" in str(wide.signature)
    assert len(wide.resources) == 2


def test_the_signature_follows_the_weights(trained: Path, tmp_path: Path) -> None:
    shown = str(SkipThought(model=str(trained)).signature)
    digest = SkipThought(model=str(trained)).resources["skip-thought"]
    assert shown == (
        f"skip_thought(model={str(trained)!r},vectors=None)|weights={digest[:12]}|tokens=treebank|references=best|"
        "version=1"
    )
    train(made_triples(), replace(TINY, epochs=1, seed=4), tmp_path)
    assert SkipThought(model=str(tmp_path)).resources["skip-thought"] != digest


def test_without_weights_it_says_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(ResourceUnavailable, match="dialeval train skip-thought CORPUS -o DIR"):
        SkipThought()
    with pytest.raises(ResourceUnavailable, match=r"no Skip-Thought model in .*authors' published files"):
        SkipThought(model=str(tmp_path))


def test_word_vectors_that_are_not_there_are_refused(trained: Path) -> None:
    with pytest.raises(UnknownName, match="no-such-file"):
        SkipThought(model=str(trained), vectors="no-such-file.txt")


def test_another_models_folder_is_refused(trained: Path, tmp_path: Path) -> None:
    for name in ("model.safetensors", "vocabulary.txt"):
        (tmp_path / name).write_bytes((trained / name).read_bytes())
    (tmp_path / "config.json").write_text(json.dumps({"model": "bert", "format": 1}))
    with pytest.raises(BadInput, match="expected the settings of a Skip-Thought model"):
        SkipThought(model=str(tmp_path)).encode(["a"])
    about = json.loads((trained / "config.json").read_text())
    about["train"]["sentence_size"] = 32
    (tmp_path / "config.json").write_text(json.dumps(about))
    with pytest.raises(BadInput, match=r"the weights that config.json describes"):
        SkipThought(model=str(tmp_path)).encode(["a"])
