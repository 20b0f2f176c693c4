from __future__ import annotations

import pytest

from dialeval.core import Resampling
from dialeval.data.types import Example, Response
from dialeval.encoder.files import Weights
from dialeval.engine import ProcessPool
from dialeval.evaluation.runner import evaluate
from dialeval.metrics.sentence_cosine import SentenceCosine

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
    here = evaluate(SentenceCosine(), examples(), resampling=Resampling(resamples=0))
    with ProcessPool(1) as pool:
        there = evaluate(SentenceCosine(), examples(), resampling=Resampling(resamples=0), executor=pool)
    assert there.values.tolist() == pytest.approx(here.values.tolist(), abs=1e-6)
