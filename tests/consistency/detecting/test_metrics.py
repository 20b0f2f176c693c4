"""How far back the measures of contradictions look."""

from __future__ import annotations

import pytest

from dialeval.consistency.detecting.dialogues import OUT_OF_REACH
from dialeval.consistency.detecting.metrics import ContradictionFree, ContradictionRate
from dialeval.data.types import Dialogue, Example, Response, alternating
from dialeval.errors import DialevalError

TEXTS = ["I have two dogs.", "Oh.", "I have never had a dog. They are too loud for me."]
TALK = Dialogue("1", alternating(TEXTS, last="assistant"), "s")


def test_turns_of_dialogues_beyond_the_reach_are_not_compared():
    near, far = ContradictionRate(reach=1), ContradictionRate(reach=0)
    assert far.statistics([TALK]).tolist() == [[1, 1]]
    assert near.statistics([TALK]).tolist() == [[0, 1]]
    assert ContradictionFree(reach=1).statistics([TALK]).tolist() == [[1, 1]]
    texts = ["I have two dogs.", "Oh.", "I have never had a dog."]
    short = Dialogue("2", alternating(texts, last="assistant"), "s")
    assert (near.unscorable(short), far.unscorable(short)) == (OUT_OF_REACH, None)


def test_a_system_is_not_charged_with_what_its_user_says():
    asked = Dialogue("3", alternating([*TEXTS, "Oh, I see. They are."], last="assistant"), "s")
    assert ContradictionRate().statistics([asked, TALK]).tolist() == [[0, 1], [1, 1]]


def test_a_response_is_compared_with_all_that_its_speaker_said():
    example = Example("1", "s", alternating(TEXTS[:2]), Response(TEXTS[2]))
    assert ContradictionRate(reach=1).statistics([example, TALK]).tolist() == [[1, 1], [0, 1]]


def test_the_reach_is_that_of_the_command_and_part_of_the_signature():
    assert ContradictionRate().signature.call == "contradiction_rate(model='shipped',reach=60)"
    with pytest.raises(DialevalError, match="'reach' of contradiction_free: found -1"):
        ContradictionFree(reach=-1)
