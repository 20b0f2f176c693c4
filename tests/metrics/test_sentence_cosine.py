from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.data.types import Example, Response
from dialeval.encoder.files import Weights
from dialeval.encoder.model import Vectors
from dialeval.engine import ProcessPool
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.metrics.sentence_cosine import SentenceCosine, best_cosines

PAIRS = [
    ("I would like a cup of coffee.", "Could I have some coffee, please?"),
    ("I would like a cup of coffee.", "The train leaves at nine."),
    ("It's behind the station", "It's behind the station"),
]


def examples() -> list[Example]:
    return [Example(str(at), "s", (), Response(one), (other,)) for at, (one, other) in enumerate(PAIRS)]


def test_cosines_are_those_of_the_model_card(minilm: Weights) -> None:
    # Mean over the tokens that are not padding, then length 1, computed straight with transformers.
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(minilm.folder), AutoModel.from_pretrained(minilm.folder)
    texts = [text for pair in PAIRS for text in pair]
    inputs = tokenizer(texts, padding=True, truncation=True, max_length=256, return_tensors="pt")
    with torch.no_grad():
        states = model(**inputs).last_hidden_state
    mask = inputs["attention_mask"].unsqueeze(-1)
    vectors = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1))
    expected = (vectors[::2] * vectors[1::2]).sum(1).tolist()
    found = SentenceCosine().statistics(examples())
    assert found[:, 0].tolist() == pytest.approx(expected, abs=1e-5)
    assert found[2, 0] == pytest.approx(1, abs=1e-12)
    assert found[0, 0] > 0.6 > 0.2 > found[1, 0]


def test_the_signature_names_the_encoder_by_its_hash(minilm: Weights) -> None:
    assert str(SentenceCosine().signature) == (
        "sentence_cosine(model='minilm',hub=False)|encoder=all-minilm-l6-v2:44ed2cabcf7e|pooling=mean|"
        "references=best|version=1"
    )
    assert SentenceCosine().resources == {"all-minilm-l6-v2": minilm.sha256}


@pytest.mark.slow
def test_other_processes_load_their_own_and_find_the_same(minilm: Weights) -> None:
    here = evaluate(SentenceCosine(), examples(), Plan(resampling=Resampling(resamples=0)))
    with ProcessPool(1) as pool:
        there = evaluate(
            SentenceCosine(), examples(), Plan(resampling=Resampling(resamples=0), executor=pool)
        )
    assert there.values.tolist() == pytest.approx(here.values.tolist(), abs=1e-6)


TABLE = {
    "east": (2.0, 0.0),
    "north": (0.0, 3.0),
    "slant": (0.6, 0.8),
    "west": (-1.0, 0.0),
    "nowhere": (0.0, 0.0),
}


def look_up(texts: Sequence[str]) -> Vectors:
    return np.array([TABLE[text] for text in texts], np.float32)


@pytest.mark.parametrize(
    ("text", "references", "expected"),
    [
        ("east", ["slant"], 0.6),
        ("east", ["west"], -1.0),
        ("east", ["north", "slant", "west"], 0.6),  # the nearest reference counts
        (" east\n", ["east"], 1.0),
        ("", ["east"], 0.0),
        ("east", ["", "west"], 0.0),
        ("", [" "], 1.0),
        ("nowhere", ["east"], 0.0),  # a vector without direction is like nothing
    ],
)
def test_cosines_by_hand(text: str, references: list[str], expected: float) -> None:
    example = Example("i", "s", (), Response(text), tuple(references))
    assert best_cosines([example], look_up) == pytest.approx([expected], abs=1e-7)


def test_each_text_is_encoded_once_and_in_order() -> None:
    asked: list[Sequence[str]] = []

    def note(texts: Sequence[str]) -> Vectors:
        asked.append(texts)
        return look_up(texts)

    pairs = [("north", "east"), ("east", "north"), ("east ", "slant")]
    best_cosines([Example("i", "s", (), Response(a), (b,)) for a, b in pairs], note)
    assert asked == [["east", "north", "slant"]]


def test_blank_texts_alone_ask_for_no_vectors() -> None:
    assert best_cosines([Example("i", "s", (), Response(""), ("",))], look_up) == [1.0]
    assert best_cosines([], look_up) == []
