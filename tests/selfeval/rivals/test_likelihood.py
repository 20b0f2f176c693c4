from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from dialeval.catalogue import build
from dialeval.core import Metric
from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.errors import ResourceUnavailable
from dialeval.selfeval.rivals.likelihood import (
    NEGATIVE,
    POSITIVE,
    UTTERANCES,
    FollowUps,
    Full,
    LmLikelihood,
    Pmi,
    Profile,
)
from dialeval.selfeval.subjects import Subject
from selfeval.rivals.conftest import Logprob

TEA = Example("1", "s", alternating(["Hello.", "Tea or\n coffee?"]), Response("I like  milk."))
TALK = Dialogue(
    "2",
    (
        Turn("assistant", "Hello, how are you?"),
        Turn("user", "I am fine."),
        Turn("assistant", "Would you like tea?"),
        Turn("user", "No, thank you."),
        Turn("assistant", "I do not drink tea."),
    ),
    "s",
)


def value(metric: Metric[Subject], subject: Subject) -> float:
    return float(metric.aggregate(metric.statistics([subject]))[0])


def test_a_response_is_the_next_line_of_who_did_not_speak_last(causal: Path, after: Logprob) -> None:
    expected = after("B: Hello.\nA: Tea or coffee?\nB:", " I like milk.")
    assert value(LmLikelihood(str(causal)), TEA) == pytest.approx(expected, abs=1e-4)


def test_pmi_is_what_the_context_adds(causal: Path, after: Logprob) -> None:
    expected = after("B: Hello.\nA: Tea or coffee?\nB:", " I like milk.") - after("B:", " I like milk.")
    assert value(Pmi(str(causal)), TEA) == pytest.approx(expected, abs=1e-4)


def test_a_dialogue_is_the_mean_over_what_its_assistant_answered(causal: Path, after: Logprob) -> None:
    first = "B: Hello, how are you?\nA: I am fine.\nB:"
    second = f"{first} Would you like tea?\nA: No, thank you.\nB:"
    expected = (after(first, " Would you like tea?") + after(second, " I do not drink tea.")) / 2
    assert value(LmLikelihood(str(causal)), TALK) == pytest.approx(expected, abs=1e-4)


def test_the_last_twelve_turns_count_and_no_more(causal: Path) -> None:
    turns = alternating([f"turn {number}" for number in range(14)])
    metric = LmLikelihood(str(causal))
    whole, last, fewer = (
        value(metric, Example("1", "s", turns[start:], Response("I like milk."))) for start in (0, 2, 3)
    )
    assert whole == pytest.approx(last, abs=1e-5)
    assert abs(whole - fewer) > 1e-3


def test_a_context_longer_than_the_window_keeps_its_end(causal: Path) -> None:
    metric, end = LmLikelihood(str(causal)), alternating(["and milk? " * 60])
    assert value(metric, Example("1", "s", end, Response("No."))) < 0


def test_company_and_order_change_nothing(causal: Path) -> None:
    metric = Pmi(str(causal))
    together = metric.aggregate(metric.statistics([TEA, TALK, TEA]))
    assert together == pytest.approx([value(metric, TEA), value(metric, TALK), value(metric, TEA)], abs=1e-4)


def test_what_cannot_be_judged_is_left_without_a_value(causal: Path) -> None:
    metric = Pmi(str(causal))
    blank = Example("1", "s", TEA.context, Response(" "))
    assert metric.unscorable(blank) == "blank response"
    rows = metric.statistics([blank, TEA])
    assert rows[0].tolist() == [0, 0]
    assert rows[1, 1] == 1


def test_a_model_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(ResourceUnavailable, match="no folder"):
        build(f"pmi(model={str(tmp_path / 'none')!r})")


def test_the_precision_is_part_of_the_signature(causal: Path) -> None:
    half = LmLikelihood(str(causal), dtype="bfloat16")
    assert half.signature != LmLikelihood(str(causal)).signature
    assert value(half, TEA) == pytest.approx(value(LmLikelihood(str(causal)), TEA), abs=0.2)


TEA_TALK = Example("1", "s", alternating(["Hello.", "Hi.", "Tea or coffee?"]), Response("I like milk."))


def values(metric: FollowUps, *subjects: Subject) -> list[float]:
    return [float(follow_up_value) for follow_up_value in metric.aggregate(metric.statistics(subjects))]


def test_praise_minus_blame_after_the_last_turn(causal: Path, after: Logprob) -> None:
    lines = "A: Hello.\nB: Hi.\nA: Tea or coffee?\nB: I like milk.\nA:"
    pleased, displeased = (
        np.mean([after(lines, f" {text}") for text in texts]) for texts in (POSITIVE, NEGATIVE)
    )
    assert values(FollowUps(str(causal)), TEA_TALK) == pytest.approx([pleased - displeased], abs=1e-4)


def test_the_user_remarks_on_the_assistant_even_after_the_last_word(causal: Path, after: Logprob) -> None:
    turns = (Turn("user", "Hello."), Turn("assistant", "Hi."), Turn("user", "Tea or coffee?"))
    lines = "A: Hello.\nB: Hi.\nA: Tea or coffee?\nA:"
    pleased, displeased = (
        np.mean([after(lines, f" {text}") for text in texts]) for texts in (POSITIVE, NEGATIVE)
    )
    found = values(FollowUps(str(causal)), Dialogue("1", turns, "s"))
    assert found == pytest.approx([pleased - displeased], abs=1e-4)


def test_the_two_sides_of_a_talk_are_judged_apart(causal: Path) -> None:
    texts = ("Hello.", "Hi.", "Tea or coffee?", "Milk.")
    sides = [
        Dialogue(str(side), tuple(Turn(roles[n % 2], text) for n, text in enumerate(texts)), "s")
        for side, roles in enumerate((("user", "assistant"), ("assistant", "user")))
    ]
    first, second = values(FollowUps(str(causal)), *sides)
    assert first != pytest.approx(second, abs=1e-6)


def test_a_dialogue_is_judged_after_its_last_turn_where_nobody_knows_who_is_judged(causal: Path) -> None:
    turns = (Turn("A", "Hello."), Turn("B", "Hi."), Turn("A", "Tea or coffee?"))
    example = Example("1", "s", turns[:2], Response("Tea or coffee?"))
    of_example, of_dialogue = values(FollowUps(str(causal)), example, Dialogue("1", turns, "s"))
    assert of_example == pytest.approx(of_dialogue, abs=1e-5)


def test_the_case_of_a_speakers_name_changes_nothing(causal: Path) -> None:
    first, second = (
        Dialogue(
            str(n),
            (Turn("user", "Hello."), Turn(role, "Hi."), Turn("user", "Tea?"), Turn("assistant", "No.")),
        )
        for n, role in enumerate(("assistant", "ASSISTANT"))
    )
    one, other = values(FollowUps(str(causal)), first, second)
    assert one == pytest.approx(other, abs=1e-6)


@pytest.mark.slow
def test_the_embedded_model_tells_a_good_answer_from_a_bad_one() -> None:
    """Values of this metric itself when it was written: they guard against change, and prove nothing else."""
    context = (Turn("user", "I just got back from Japan."),)
    good = Example("1", "s", context, Response("Oh nice! Which cities did you visit?"))
    bad = Example("2", "s", context, Response("I am a banana banana."))
    assert values(FollowUps(), good, bad) == pytest.approx([0.245099, -0.285800], abs=1e-4)


SHORT = Example("1", "s", alternating(["Hello.", "Tea or coffee?"]), Response("I like milk."))
LONG = Example("1", "s", alternating(["coffee tea " * 60, "Hello."]), Response("I like milk."))


def follow_up_value(metric: Full, subject: Subject) -> float:
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
    assert follow_up_value(Full(profile, str(causal)), SHORT) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("example", [SHORT, LONG], ids=["short", "cut"])
def test_an_encoder_decoder_reads_and_cuts_as_the_released_code(seq2seq: Path, example: Example) -> None:
    turns = [turn.text for turn in example.context] + [example.response.text]
    assert follow_up_value(Full("released", str(seq2seq)), example) == pytest.approx(
        released(seq2seq, turns), rel=1e-3
    )


def test_the_profiles_keep_different_ends_of_a_long_dialogue(seq2seq: Path) -> None:
    """The response is beyond the released window, so it cannot matter there."""
    other = Example("1", "s", LONG.context, Response("No, thank you."))
    same = Full("released", str(seq2seq))
    assert follow_up_value(same, LONG) == pytest.approx(follow_up_value(same, other), rel=1e-6)
    intended = Full("intended", str(seq2seq))
    assert abs(follow_up_value(intended, LONG) - follow_up_value(intended, other)) > 1e-3


def test_the_released_list_lacks_a_comma() -> None:
    assert "".join(UTTERANCES["intended"]) == "".join(UTTERANCES["released"])
    assert (len(UTTERANCES["intended"]), len(UTTERANCES["released"])) == (5, 4)
