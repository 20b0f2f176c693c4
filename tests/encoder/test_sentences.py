from __future__ import annotations

import numpy as np
import pytest

from dialeval.encoder import EMBEDDED, Weights
from dialeval.encoder.sentences import index_sentences, sentence_vectors, to_units, unit_vectors

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
