from __future__ import annotations

from pathlib import Path

from dialeval.core import UsesResources
from dialeval.encoder import Weights
from dialeval.systems import Retrieval
from support.small_corpora import corpus, texts


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


def test_the_encoder_is_in_the_signature_and_among_the_resources(minilm: Weights, tmp_path: Path) -> None:
    path = corpus(tmp_path / "c.jsonl", ["Hi.", "Hello."])
    system = Retrieval("r", path, "encoder")
    assert f"encoder={minilm.fact}" in str(system.signature)
    assert isinstance(system, UsesResources)
    assert dict(system.resources) == {minilm.name: minilm.sha256}
    assert dict(Retrieval("r", path).resources) == {}
