"""Which turn hurts: the worst subjects, their turns and effects, and the section of a page, which escapes all text."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.core import Missing
from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.selfeval.report import turns_section
from dialeval.selfeval.scorer import removal_effects, weighed, worst_dialogues


class ByLength:
    """The score is minus the mean length of the turns."""

    def turn_effects(self, subject: Example | Dialogue) -> list[float]:
        return removal_effects(
            subject,
            lambda dialogues: [-float(np.mean([len(turn.text) for turn in d.turns])) for d in dialogues],
        )


def example(item: str, *texts: str) -> Example:
    return Example(item, "s", alternating(texts[:-1]), Response(texts[-1]))


SUBJECTS = [
    example("short", "a", "b", "c"),
    example("long", "bbbbbbbbb", "aaa", "ccc"),
    Missing("gone", "s", "no answer"),
    example("middle", "aa", "bbbbb", "cc"),
]


def test_effects_by_hand() -> None:
    # The mean length of 9, 3 and 3 is 5; without the first it is 3, without the second 6.
    assert ByLength().turn_effects(SUBJECTS[1]) == [2, -1, -1]  # type: ignore[arg-type]
    assert np.isnan(ByLength().turn_effects(example("two", "a", "b"))).all()


def test_a_dialogue_without_a_score_has_no_turn_that_hurts() -> None:
    alone = Dialogue("alone", tuple(Turn("user", text) for text in ("Hi.", "Hello?", "Anyone?")), "s")
    assert np.isnan(ByLength().turn_effects(alone)).all()


def test_the_lowest_come_first_and_their_worst_turn_is_marked() -> None:
    values = np.array([-1.0, -5.0, np.nan, -3.0])
    first, second = worst_dialogues("length", ByLength(), SUBJECTS, values, most=2)
    assert (first.item, second.item) == ("long", "middle")
    assert [turn.worst for turn in first.turns] == [True, False, False]
    assert [turn.role for turn in first.turns] == ["assistant", "user", "assistant"]
    assert [turn.turn for turn in first.turns] == [1, 2, 3]
    assert first.score == -5


def test_a_user_has_never_the_worst_turn() -> None:
    talk = weighed("m", SUBJECTS[1], 0.5, [0.1, 0.9, 0.2])  # type: ignore[arg-type]
    assert [(turn.role, turn.worst) for turn in talk.turns] == [
        ("assistant", False),
        ("user", False),
        ("assistant", True),
    ]


def test_instructions_are_counted_and_not_shown() -> None:
    turns = [("system", "Be brief."), ("user", "Hi."), ("tool", "{}"), ("assistant", "Hello.")]
    talk = weighed("m", Dialogue("d", tuple(Turn(*each) for each in turns), "s"), 0.5, [0.0, 0.1])
    assert [(turn.turn, turn.text, turn.worst) for turn in talk.turns] == [
        (2, "Hi.", False),
        (4, "Hello.", True),
    ]


def test_no_turn_is_marked_where_none_lowers_the_score() -> None:
    talk = weighed("m", SUBJECTS[0], 0.5, [-0.1, float("nan"), -0.2])  # type: ignore[arg-type]
    assert not any(turn.worst for turn in talk.turns)
    assert talk.turns[1].effect is None


def test_long_dialogues_show_their_end() -> None:
    talk = Dialogue("1", tuple(Turn("AB"[n % 2], f"{n}") for n in range(30)), "s")
    shown = weighed("m", talk, 0.5, [0.0] * 30)
    assert (shown.earlier, len(shown.turns), shown.turns[-1].text) == (10, 20, "29")
    assert len(weighed("m", example("1", "x" * 5000, "b", "c"), 0.5, [0.0] * 3).turns[0].text) < 1100


def test_the_section_escapes_what_people_and_systems_wrote() -> None:
    hostile = Example("<i>", "<b>sys", alternating(["<script>alert(1)</script>", "b"]), Response("c"))
    section = turns_section([weighed("m<", hostile, 0.25, [0.3, -0.1, 0.0])])
    assert "<script>" not in section.html
    assert "&lt;script&gt;" in section.html
    assert section.html.count("hurts most") == 1
    for text in ("&lt;b&gt;sys", "&lt;i&gt;", "user", "&lt;script&gt;alert(1)&lt;/script&gt;"):
        assert f"<bdi>{text}</bdi>" in section.html
    assert "+0.300" in section.html


@pytest.mark.parametrize("name", ["selfeval", "quality", "dynaeval"])
def test_metrics_of_dialogues_weigh_turns(name: str) -> None:
    from dialeval.catalogue import build
    from dialeval.errors import ResourceUnavailable

    try:
        metric = build(name)
    except ResourceUnavailable as absence:
        pytest.skip(str(absence))
    assert metric.has("turn_effects")
    speakers = ("user", "assistant", "user", "assistant")
    texts = (
        "Do you like dogs?",
        "Yes, I have two dogs.",
        "What are they called?",
        "The train leaves at nine.",
    )
    talk = Dialogue("1", tuple(Turn(*pair) for pair in zip(speakers, texts, strict=True)), "s")
    effects = metric.turn_effects(talk)
    assert len(effects) == 4
    assert np.isfinite(effects).any()
