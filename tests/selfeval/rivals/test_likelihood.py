from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.core import Metric
from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.errors import ResourceUnavailable
from dialeval.metrics import build
from dialeval.selfeval.rivals.likelihood import LmLikelihood, Pmi
from dialeval.selfeval.subjects import Judged
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


def value(metric: Metric[Judged], subject: Judged) -> float:
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
