from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from dialeval.catalogue import build
from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.errors import DialevalError
from dialeval.selfeval.rivals.fed import DIALOGUE_QUALITIES, TURN_QUALITIES, UTTERANCES, Fed
from dialeval.selfeval.subjects import Subject
from selfeval.rivals.conftest import Logprob

TEA = Example("1", "s", alternating(["Hello.", "Hi.", "Tea or coffee?"]), Response("I like milk."))
TALK = Dialogue("2", (Turn("user", "Hello."), Turn("assistant", "I am fine.")), "s")


def value(metric: Fed, subject: Subject) -> float:
    return float(metric.aggregate(metric.statistics([subject]))[0])


def published(folder: Path, turns: list[str], quality: str) -> float:
    """The score as the authors' code has it: the loss of each whole text, one pass each."""
    words = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    end = words.eos_token

    def loss(said: str) -> float:
        text = f"{end} " + f" {end} ".join([*turns, said])
        ids = torch.tensor([words(text, add_special_tokens=False)["input_ids"]])
        with torch.inference_mode():
            return float(model(ids, labels=ids).loss)

    high, low = (sum(map(loss, side)) / max(len(side), 1) for side in UTTERANCES[quality])  # type: ignore[index]
    return low - high


@pytest.mark.parametrize("quality", ["engaging", "relevant", "understandable", "inquisitive"])
def test_the_published_profile_is_what_the_authors_code_computes(causal: Path, quality: str) -> None:
    metric = build(f"fed(quality={quality!r},profile='published',model={str(causal)!r})")
    expected = published(causal, ["Hello.", "Hi.", "Tea or coffee?", "I like milk."], quality)
    assert float(metric.aggregate(metric.statistics([TEA]))[0]) == pytest.approx(expected, abs=1e-4)


def test_the_conditional_profile_scores_the_remarks_alone(causal: Path, after: Logprob) -> None:
    lines = "A: Hello.\nB: Hi.\nA: Tea or coffee?\nB: I like milk.\nA:"
    positive, negative = (
        np.mean([after(lines, f" {text}") for text in side]) for side in UTTERANCES["specific"]
    )
    assert value(Fed("specific", model=str(causal)), TEA) == pytest.approx(positive - negative, abs=1e-4)


def test_a_quality_without_good_remarks_is_how_unlikely_the_bad_ones_are(
    causal: Path, after: Logprob
) -> None:
    lines = "A: Hello.\nB: I am fine.\nA:"
    negative = np.mean([after(lines, f" {text}") for text in UTTERANCES["coherent"].negative])
    assert value(Fed("coherent", model=str(causal)), TALK) == pytest.approx(-negative, abs=1e-4)


@pytest.mark.parametrize(("subject", "qualities"), [(TEA, TURN_QUALITIES), (TALK, DIALOGUE_QUALITIES)])
@pytest.mark.parametrize("profile", ["conditional", "published"])
def test_without_a_quality_it_is_the_mean_over_those_of_the_level(
    causal: Path, subject: Subject, qualities: tuple[str, ...], profile: str
) -> None:
    each = [
        value(Fed(quality, profile, model=str(causal)), subject)  # type: ignore[arg-type]
        for quality in qualities
    ]
    whole = Fed(profile=profile, model=str(causal))  # type: ignore[arg-type]
    assert value(whole, subject) == pytest.approx(np.mean(each), abs=1e-4)
    assert list(whole.by_quality([subject])) == list(qualities)


def test_examples_and_dialogues_in_one_batch_keep_their_own_qualities(causal: Path) -> None:
    metric = Fed(model=str(causal))
    together = metric.aggregate(metric.statistics([TALK, TEA, TALK]))
    assert together == pytest.approx([value(metric, TALK), value(metric, TEA), value(metric, TALK)], abs=1e-4)


def test_there_are_eight_qualities_of_turns_and_ten_of_dialogues() -> None:
    assert (*TURN_QUALITIES, *DIALOGUE_QUALITIES) == tuple(UTTERANCES)
    assert (len(TURN_QUALITIES), len(DIALOGUE_QUALITIES)) == (8, 10)
    assert [
        sum(len(side) for quality in level for side in UTTERANCES[quality])
        for level in (TURN_QUALITIES, DIALOGUE_QUALITIES)
    ] == [38, 35]


def test_an_unknown_quality_is_explained() -> None:
    with pytest.raises(DialevalError, match="'engaging'"):
        build("fed(quality='Engaging')")


def test_a_dialogue_longer_than_the_window_keeps_its_end(causal: Path) -> None:
    long = Example("1", "s", alternating(["coffee " * 300, "Hello."]), Response("I like milk."))
    assert np.isfinite(value(Fed("relevant", "published", model=str(causal)), long))
