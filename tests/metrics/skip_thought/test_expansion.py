from __future__ import annotations

import numpy as np
import pytest

from dialeval.errors import Unsuitable
from dialeval.metrics.embedding.vectors import table
from dialeval.metrics.skip_thought.encoding import expand, fit_linear_map


def test_a_known_linear_map_is_found() -> None:
    draw = np.random.default_rng(0)
    source, wanted = draw.normal(size=(50, 4)), draw.normal(size=(4, 6))
    np.testing.assert_allclose(fit_linear_map(source, source @ wanted), wanted, atol=1e-10)


def test_words_the_model_never_met_are_carried_over() -> None:
    draw = np.random.default_rng(1)
    words = [f"w{at}" for at in range(12)]
    outside = draw.normal(size=(12, 3)).astype(np.float32)
    turn = draw.normal(size=(3, 5)).astype(np.float32)
    vectors = table("made", "0", words, outside)
    # The model knows ten of the twelve words, in another order, and one that the vectors lack.
    known = [*words[9::-1], "elsewhere"]
    own = np.vstack([outside[9::-1] @ turn, np.ones((1, 5), np.float32)])
    found, knows = expand(vectors, known, own)(["w11", "nowhere", "w10"])
    assert knows == [True, False, True]
    np.testing.assert_allclose(found[[0, 2]], (outside @ turn)[[11, 10]], atol=1e-5)


def test_too_few_shared_words_are_refused() -> None:
    vectors = table("made", "0", ["a", "b"], np.eye(2, 3, dtype=np.float32))
    with pytest.raises(Unsuitable, match="share 2 words; at least 3 are needed"):
        expand(vectors, ["a", "b"], np.ones((2, 4), np.float32))
