"""Utterances as weighted means of word vectors."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.encoder.files import find_encoder
from dialeval.encoder.model import load_encoder
from dialeval.resources import check
from dialeval.selection.repository.sentence_vectors import ContextualVectors, StaticVectors, weight
from support.repositories import save_vectors

SMALL = {"focus": (1.0, 0.0), "camera": (0.0, 2.0), "the": (4.0, 4.0)}


def test_a_static_vector_by_hand(tmp_path):
    vectors = StaticVectors(save_vectors(tmp_path, SMALL))
    found = vectors.encode(["The camera! Focus the thing.", "unknown words", ""])
    # Four known words; the unknown one counts neither above nor below the line.
    the, camera, focus = (weight(word) for word in ("the", "camera", "focus"))
    by_hand = [(2 * the * 4 + focus) / 4, (2 * the * 4 + camera * 2) / 4]
    assert found == pytest.approx(np.array([by_hand, [0, 0], [0, 0]]), rel=1e-6)
    assert vectors.dimensions == 2


def test_no_texts_have_no_vectors(tmp_path):
    assert StaticVectors(save_vectors(tmp_path, SMALL)).encode([]).shape == (0, 2)


@pytest.fixture(scope="module")
def contextual() -> ContextualVectors:
    status = check("all-minilm-l6-v2", verify=False)
    if status.path is None:
        pytest.skip(status.detail)
    return ContextualVectors()


def test_a_vector_in_context_by_its_tokens(contextual):
    """By the encoder's own pieces, written down by hand: [CLS] the camera isn ' t unfocus ##ed . [SEP]."""
    text = "The camera isn't unfocused."
    encoder = load_encoder(find_encoder("minilm"))
    [ids] = encoder.tokens([text])
    [states] = encoder.states([ids])
    pieces = [encoder.tokenizer.tokenizer.id_to_token(token) for token in ids]  # type: ignore[attr-defined]
    groups: dict[str, list[int]] = {"the": [1], "camera": [2], "isnt": [3, 4, 5]}
    groups["unfocused"] = list(range(6, pieces.index(".")))
    assert len(groups["unfocused"]) > 1
    means = {word: states[places].mean(axis=0) for word, places in groups.items()}
    expected = sum(weight(word) * mean for word, mean in means.items()) / 4
    assert contextual.encode([text])[0] == pytest.approx(expected, abs=1e-5)


def test_a_word_has_another_vector_in_another_context(contextual):
    river, money = contextual.encode(["A bank of the river.", "The bank lends money."])
    assert np.linalg.norm(river - money) > 0.01


def test_text_without_words_has_no_vector_in_context(contextual):
    found = contextual.encode(["...", "Fine."])
    assert not found[0].any()
    assert found[1].any()
