from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval.encoder import EMBEDDED
from dialeval.encoder.files import Weights, find_encoder
from dialeval.encoder.model import (
    Encoder,
    _keep_last,
    _trim_longest,
    encoder_of,
    index_sentences,
    load_encoder,
    segment_ids,
    sentence_vectors,
    special_ids,
    to_units,
    unit_vectors,
)
from dialeval.errors import BadInput, ResourceUnavailable, Unsuitable
from dialeval.resources import CATALOGUE

TEXTS = ["Where can I park?", "Behind the house.", "", "東京", "word " * 400, "a"]


def test_the_embedded_encoder_is_the_one_the_catalogue_knows(minilm: Weights) -> None:
    assert minilm.sha256 == CATALOGUE["all-minilm-l6-v2"].sha256
    assert minilm.fact == "all-minilm-l6-v2:44ed2cabcf7e"
    assert (minilm.layers, minilm.sentence_length, minilm.pooling) == (6, 256, "mean")


def test_company_and_padding_change_nothing_but_rounding(encoder: Encoder) -> None:
    tokens = encoder.tokens(TEXTS)
    together = encoder.states(tokens)
    for ids, states in zip(tokens, together, strict=True):
        alone = encoder.states([ids])[0]
        assert states.shape == alone.shape == (len(ids), 384)
        np.testing.assert_allclose(states, alone, atol=2e-5)


def test_texts_come_back_in_the_order_they_went(encoder: Encoder) -> None:
    tokens = encoder.tokens(TEXTS)
    forth, back = encoder.states(tokens), encoder.states(tokens[::-1])[::-1]
    for one, other in zip(forth, back, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-5)


def test_long_texts_are_cut_and_empty_ones_keep_their_special_tokens(encoder: Encoder) -> None:
    long, short, empty = encoder.tokens(["word " * 900, "word", ""])
    assert (len(long), len(short), len(empty)) == (512, 3, 2)
    assert empty == [encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id]
    assert len(encoder.tokens(["word " * 900], longest=20)[0]) == 20
    assert encoder.tokens([]) == encoder.states([]) == []


def test_layers_run_from_the_input_to_the_last(encoder: Encoder) -> None:
    tokens = encoder.tokens(TEXTS[:2])
    last = encoder.states(tokens)
    for one, other in zip(last, encoder.states(tokens, layer=6), strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.allclose(last[0], encoder.states(tokens, layer=5)[0], atol=0.1)


def test_one_process_loads_an_encoder_once(minilm: Weights, encoder: Encoder) -> None:
    assert load_encoder(minilm) is load_encoder(find_encoder("minilm")) is encoder


def test_any_encoder_can_come_from_a_folder(roberta: Path) -> None:
    weights = find_encoder(str(roberta))
    assert weights.name == "tiny-roberta"
    assert (weights.layers, weights.sentence_length, weights.pooling) == (2, None, "mean")
    encoder = load_encoder(weights)
    # RoBERTa's 42 positions begin after the padding's: 40 can be used. A blank goes before the first word.
    assert encoder.longest == 40
    assert encoder.tokens(["the"]) == encoder.tokens([" the"])
    assert encoder.states(encoder.tokens(["the cat"]))[0].shape[1] == 16


def test_another_byte_is_another_encoder(roberta: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(roberta, tmp_path / "tiny-roberta"))
    assert find_encoder(str(copy)).sha256 == find_encoder(str(roberta)).sha256
    (copy / "config.json").write_text((copy / "config.json").read_text() + " ")
    assert find_encoder(str(copy)).sha256 != find_encoder(str(roberta)).sha256


def test_what_is_not_there_is_explained() -> None:
    with pytest.raises(ResourceUnavailable, match=r"no folder 'roberta-large'.* hub=True"):
        find_encoder("roberta-large")


def test_the_hub_is_asked_only_when_allowed_and_heeds_offline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(
        ResourceUnavailable, match=r"no-such/model could not be downloaded from the hub: .*a local copy"
    ):
        find_encoder("no-such/model", hub=True)


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({}, "holds no config.json"),
        (
            {"config.json": "{}", "pytorch_model.bin": "x"},
            "expected .safetensors, found only pytorch_model.bin, and we unpickle nothing",
        ),
    ],
)
def test_folders_that_hold_no_usable_model_are_refused(
    tmp_path: Path, files: dict[str, str], complaint: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ResourceUnavailable, match=complaint):
        find_encoder(str(tmp_path))


def test_broken_weights_are_explained(roberta: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(roberta, tmp_path / "broken"))
    (copy / "model.safetensors").write_bytes(b"not tensors")
    with pytest.raises(ResourceUnavailable, match=r"No encoder could be loaded from .*broken"):
        load_encoder(find_encoder(str(copy)))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True, "include_prompt": True}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
    ],
)
def test_pooling_is_as_the_model_says(tmp_path: Path, settings: dict[str, object], expected: str) -> None:
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(settings))
    assert Weights("m", tmp_path, "0").pooling == expected


def test_other_pooling_is_refused(tmp_path: Path) -> None:
    (tmp_path / "1_Pooling").mkdir()
    path = tmp_path / "1_Pooling" / "config.json"
    path.write_text(json.dumps({"pooling_mode_max_tokens": True}))
    with pytest.raises(Unsuitable, match="m pools its tokens by max_tokens; expected mean or cls"):
        _ = Weights("m", tmp_path, "0").pooling
    path.write_text("{")
    with pytest.raises(BadInput, match="found invalid JSON"):
        _ = Weights("m", tmp_path, "0").pooling


def test_loading_is_silent_and_leaves_the_library_as_it_was(
    minilm: Weights, capfd: pytest.CaptureFixture[str]
) -> None:
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder_of(minilm)
    assert capfd.readouterr() == ("", "")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == (level, bars)


def test_each_segment_is_followed_by_the_separator(minilm: Weights) -> None:
    encoder = load_encoder(minilm)
    first, end = special_ids(encoder)
    [ids] = segment_ids(encoder, [["tea", "no"]], longest=64, fit="longest")
    assert ids == [first, encoder.tokens(["tea"])[0][1], end, encoder.tokens(["no"])[0][1], end]
    assert segment_ids(encoder, [["tea"]], longest=64, fit="last") == encoder.tokens(["tea"])


def test_the_last_segments_are_kept_whole() -> None:
    assert _keep_last([[1, 2], [3], [4, 5]], 6) == [[3], [4, 5]]
    assert _keep_last([[1, 2], [3], [4, 5]], 8) == [[1, 2], [3], [4, 5]]
    assert _keep_last([[1], [2, 3, 4, 5]], 3) == [[2, 3]]


def test_the_longest_segment_is_trimmed_first() -> None:
    assert _trim_longest([[1, 2, 3, 4], [5, 6]], 6) == [[1, 2], [5, 6]]
    assert _trim_longest([[1, 2, 3, 4], [5, 6]], 4) == [[1], [5]]
    assert _trim_longest([[1], [5, 6]], 5) == [[1], [5, 6]]


@given(
    segments=st.lists(st.lists(st.integers(0, 9), max_size=12), min_size=1, max_size=5),
    room=st.integers(10, 40),
)
def test_what_is_cut_fits_and_nothing_else_is_cut(segments: list[list[int]], room: int) -> None:
    for cut in (_keep_last, _trim_longest):
        kept = cut(segments, room)
        assert sum(map(len, kept)) + len(kept) <= room
        if sum(map(len, segments)) + len(segments) <= room:
            assert kept == segments


TURNS = ["Would you like some tea?", "My car broke down.", "Would you like some tea?", "The film was dull."]


def test_every_sentence_is_ranked_by_cosine_and_ties_go_to_the_earlier_one(minilm: Weights) -> None:
    hits = list(index_sentences(TURNS).nearest("Tea?"))
    assert [hit.document for hit in hits[:2]] == [0, 2]
    assert hits[0].score == hits[1].score
    assert sorted(hit.document for hit in hits) == [0, 1, 2, 3]
    vectors = sentence_vectors(["Tea?", TURNS[1]], minilm).astype(float)
    cosine = vectors[0] @ vectors[1] / np.linalg.norm(vectors[0]) / np.linalg.norm(vectors[1])
    assert next(hit.score for hit in hits if hit.document == 1) == pytest.approx(cosine, abs=1e-5)


def test_units_have_length_1_and_a_vector_without_length_is_undefined() -> None:
    vectors = np.array([[3, 4], [0, 0]], np.float32)
    np.testing.assert_allclose(to_units(vectors), [[0.6, 0.8], [0, 0]])
    np.testing.assert_allclose(to_units(vectors, undefined=np.nan)[1], [np.nan, np.nan])


def test_blank_texts_have_no_direction(minilm: Weights) -> None:
    units = unit_vectors(["Tea?", " ", ""], EMBEDDED)
    assert np.linalg.norm(units["Tea?"]) == pytest.approx(1)
    assert np.isnan(units[" "]).all()
    assert units[""].shape == units["Tea?"].shape
    assert np.isnan(unit_vectors([""], EMBEDDED)[""]).all()
