"""Which turns are judged, and who said them."""

from __future__ import annotations

import numpy as np

from dialeval.data.types import Dialogue, Example, Response, Turn
from dialeval.selfeval.quality.moments import talk_of
from dialeval.selfeval.subjects import spoken_turns


class Zeros(dict[str, np.ndarray]):
    """A vector for whatever is asked."""

    def __missing__(self, text: str) -> np.ndarray:
        return np.zeros(2)


def test_an_example_is_answered_by_the_latest_speaker_who_is_not_the_last() -> None:
    context = (Turn("C", "Hm."), Turn("B", "Hi."), Turn("A", "Hello."), Turn("A", "You?"))
    talk = talk_of(Example("1", "s", context, Response("Me.")), Zeros())
    assert [moment.response.speaker for moment in talk.moments] == ["b"]
    assert [said.text for said in talk.moments[0].own] == ["Hi."]


def test_a_lone_speaker_is_answered_by_the_assistant() -> None:
    assert spoken_turns(Example("1", "s", (Turn("A", "Hi."),), Response("Me.")))[-1].speaker == "assistant"


def test_blank_turns_and_instructions_are_left_out() -> None:
    turns = (Turn("system", "Be kind."), Turn("user", "Hi."), Turn("user", " "), Turn("assistant", "Hello."))
    talk = talk_of(Dialogue("1", turns, "s"), Zeros())
    assert [said.text for said in talk.moments[0].earlier] == ["Hi."]


def test_a_dialogue_is_judged_by_its_assistants_turns_but_not_by_a_greeting() -> None:
    turns = (Turn("assistant", "Hi."), Turn("user", "Hello."), Turn("assistant", "Tea?"))
    talk = talk_of(Dialogue("1", turns, "s"), Zeros())
    assert [moment.response.text for moment in talk.moments] == ["Tea?"]
    assert talk.moments[0].last.text == "Hello."


def test_the_case_of_a_name_does_not_make_another_speaker() -> None:
    turns = tuple(Turn(role, "Hm.") for role in ("user", "ASSISTANT", "User", "Assistant"))
    last = talk_of(Dialogue("1", turns, "s"), Zeros()).moments[-1]
    assert (len(last.own), len(last.others)) == (1, 2)
