from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_retrieval import corpus, texts

from dialeval.core import UsesResources
from dialeval.encoder import Weights
from dialeval.metrics import SentenceCosine
from dialeval.systems import Retrieval
from dialeval.systems.turn_vectors import turn_vectors

TURNS = ["Would you like some tea?", "My car broke down.", "Would you like some tea?", "The film was dull."]


def test_it_finds_what_says_the_same_in_other_words(minilm: Weights, tmp_path: Path) -> None:
    path = corpus(
        tmp_path / "c.jsonl",
        ["My automobile will not start.", "Have you called a garage?"],
        ["This movie bored me.", "Then watch another one."],
    )
    system = Retrieval("r", path, "encoder")
    assert texts(system, "The film was dull") == ["Then watch another one."]
    assert texts(system, "the car is broken") == ["Have you called a garage?"]
    assert texts(Retrieval("r", path, "bm25"), "the car is broken") == []
    assert texts(system, "xyzzy", n=5) != []
    assert system.generate([()]) == [()]


def test_every_turn_is_ranked_by_cosine_and_ties_go_to_the_earlier_one(minilm: Weights) -> None:
    hits = list(turn_vectors(TURNS).nearest("Tea?"))
    assert [hit.document for hit in hits[:2]] == [0, 2]
    assert hits[0].score == hits[1].score
    assert sorted(hit.document for hit in hits) == [0, 1, 2, 3]
    vectors = SentenceCosine().encode(["Tea?", TURNS[1]]).astype(float)
    cosine = vectors[0] @ vectors[1] / np.linalg.norm(vectors[0]) / np.linalg.norm(vectors[1])
    assert next(hit.score for hit in hits if hit.document == 1) == pytest.approx(cosine, abs=1e-5)


def test_the_encoder_is_in_the_signature_and_among_the_resources(minilm: Weights, tmp_path: Path) -> None:
    path = corpus(tmp_path / "c.jsonl", ["Hi.", "Hello."])
    system = Retrieval("r", path, "encoder")
    assert f"encoder={minilm.fact}" in str(system.signature)
    assert isinstance(system, UsesResources)
    assert dict(system.resources) == {minilm.name: minilm.sha256}
    assert dict(Retrieval("r", path).resources) == {}
