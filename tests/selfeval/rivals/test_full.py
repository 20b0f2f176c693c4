from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from dialeval.data.types import Example, Response, alternating
from dialeval.selfeval.rivals.full import UTTERANCES, Full, Profile
from dialeval.selfeval.subjects import Judged
from selfeval.rivals.conftest import Logprob

TEA = Example("1", "s", alternating(["Hello.", "Tea or coffee?"]), Response("I like milk."))
LONG = Example("1", "s", alternating(["coffee tea " * 60, "Hello."]), Response("I like milk."))


def value(metric: Full, subject: Judged) -> float:
    return float(metric.aggregate(metric.statistics([subject]))[0])


def released(folder: Path, turns: list[str]) -> float:
    """The mean perplexity as the authors' code has it, one pass per follow-up."""
    words = transformers.AutoTokenizer.from_pretrained(folder, truncation_side="right")
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    text = "\t" + "\t".join(turns)
    ids = words(text, truncation=True, max_length=128, return_tensors="pt")["input_ids"]

    def perplexity(said: str) -> float:
        target = words(said, return_tensors="pt")["input_ids"][:, 1:]
        # BART's decoder starts with </s> <s>, of which BlenderBot's has none; both before what is scored.
        begin = torch.tensor([[2, 1, *target[0, :-1].tolist()]])
        with torch.inference_mode():
            logits = model(input_ids=ids, decoder_input_ids=begin).logits[0, 1:]
        return float(torch.nn.functional.cross_entropy(logits, target[0]).exp())

    return float(np.mean([perplexity(said) for said in UTTERANCES["released"]]))


@pytest.mark.parametrize("profile", ["intended", "released"])
def test_the_mean_perplexity_of_complaints(causal: Path, after: Logprob, profile: Profile) -> None:
    lines = "B: Hello.\nA: Tea or coffee?\nB: I like milk.\nA:"
    expected = np.mean([np.exp(-after(lines, f" {said}")) for said in UTTERANCES[profile]])
    assert value(Full(profile, str(causal)), TEA) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("example", [TEA, LONG], ids=["short", "cut"])
def test_an_encoder_decoder_reads_and_cuts_as_the_released_code(seq2seq: Path, example: Example) -> None:
    turns = [turn.text for turn in example.context] + [example.response.text]
    assert value(Full("released", str(seq2seq)), example) == pytest.approx(released(seq2seq, turns), rel=1e-3)


def test_the_profiles_keep_different_ends_of_a_long_dialogue(seq2seq: Path) -> None:
    """The response is beyond the released window, so it cannot matter there."""
    other = Example("1", "s", LONG.context, Response("No, thank you."))
    same = Full("released", str(seq2seq))
    assert value(same, LONG) == pytest.approx(value(same, other), rel=1e-6)
    intended = Full("intended", str(seq2seq))
    assert abs(value(intended, LONG) - value(intended, other)) > 1e-3


def test_the_released_list_lacks_a_comma() -> None:
    assert "".join(UTTERANCES["intended"]) == "".join(UTTERANCES["released"])
    assert (len(UTTERANCES["intended"]), len(UTTERANCES["released"])) == (5, 4)
