from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.selfeval.rivals.follow_ups import NEGATIVE, POSITIVE, FollowUps
from dialeval.selfeval.subjects import Judged
from selfeval.rivals.conftest import Logprob

TEA = Example("1", "s", alternating(["Hello.", "Hi.", "Tea or coffee?"]), Response("I like milk."))


def values(metric: FollowUps, *subjects: Judged) -> list[float]:
    return [float(value) for value in metric.aggregate(metric.statistics(subjects))]


def test_praise_minus_blame_after_the_last_turn(causal: Path, after: Logprob) -> None:
    lines = "A: Hello.\nB: Hi.\nA: Tea or coffee?\nB: I like milk.\nA:"
    pleased, displeased = (
        np.mean([after(lines, f" {text}") for text in texts]) for texts in (POSITIVE, NEGATIVE)
    )
    assert values(FollowUps(str(causal)), TEA) == pytest.approx([pleased - displeased], abs=1e-4)


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
