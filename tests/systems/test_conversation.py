from __future__ import annotations

from dataclasses import dataclass

import pytest

from dialeval.core import Signature
from dialeval.data import Prompt, Response, Turn
from dialeval.errors import Unsuitable
from dialeval.systems import Echo
from dialeval.systems.conversation import Script, converse


@dataclass(frozen=True)
class Counter:
    """Says how many turns it heard, and as whom it heard the last one."""

    name: str

    @property
    def signature(self):
        return Signature("counter")

    def generate(self, contexts, *, n=1, seed=0):
        return [(Response(f"{len(c)} {c[-1].speaker if c else 'nobody'} {seed}"),) for c in contexts]


def texts(dialogue):
    return [turn.text for turn in dialogue.turns]


def test_a_scripted_user_says_its_lines_in_order_whatever_is_answered():
    [talk] = converse(Echo("parrot"), Script("ann", ("Hi.", "Tea?")), turns=4)
    assert [(t.speaker, t.name, t.text) for t in talk.turns] == [
        ("user", "ann", "Hi."),
        ("assistant", "parrot", "Hi."),
        ("user", "ann", "Tea?"),
        ("assistant", "parrot", "Tea?"),
    ]
    assert talk.system == "parrot"


def test_a_conversation_ends_where_somebody_has_no_answer_and_says_who():
    [talk] = converse(Echo("parrot"), Script("ann", ("Hi.",)), turns=6)
    assert texts(talk) == ["Hi.", "Hi."]
    assert talk.metadata["stopped"] == "ann had no answer after 2 turns"


def test_each_hears_the_other_as_the_user():
    [talk] = converse(Counter("a"), Counter("b"), turns=3, seed=0)
    # b begins; then a hears b's one turn as the user's, then b hears a's turn as the user's.
    assert [text.rsplit(" ", 1)[0] for text in texts(talk)] == ["0 nobody", "1 user", "2 user"]
    assert [turn.speaker for turn in talk.turns] == ["user", "assistant", "user"]


def test_instructions_in_the_opening_are_for_the_system_alone():
    opening = Prompt("p", (Turn("system", "Be kind."), Turn("user", "Hi.")))
    [talk] = converse(Counter("a"), Counter("b"), openings=[opening], turns=2)
    # a hears both turns; b hears what was said, its own "Hi." and a's answer.
    assert [text.rsplit(" ", 1)[0] for text in texts(talk)[2:]] == ["2 user", "2 user"]
    assert talk.turns[0] == Turn("system", "Be kind.")


def test_turns_of_one_conversation_draw_from_different_seeds():
    [talk] = converse(Counter("a"), Counter("a"), turns=3, seed=5)
    assert len({text.rsplit(" ", 1)[1] for text in texts(talk)}) == 3


@pytest.mark.parametrize(
    ("last", "begins"), [("user", "assistant"), ("assistant", "user"), ("narrator", "user")]
)
def test_whoever_did_not_speak_last_in_the_opening_begins(last, begins):
    [talk] = converse(Counter("a"), Counter("b"), openings=[Prompt("so", (Turn(last, "So."),))], turns=1)
    assert talk.turns[1].speaker == begins
    assert talk.metadata["opening"] == 1


def test_conversations_go_forward_together_and_do_not_mix():
    first = Prompt("p1", (Turn("user", "One."),))
    second = Prompt("p2", (Turn("user", "Two."), Turn("assistant", "Three.")))
    talks = converse(Echo("parrot"), Echo("other"), openings=[first, second], turns=2)
    assert [texts(talk) for talk in talks] == [["One."] * 3, ["Two.", "Three.", "Three.", "Three."]]
    # The opening's own ids, so that talks of several systems from the same openings can be held side by side.
    assert [talk.item for talk in talks] == ["p1", "p2"]


def test_a_script_begins_with_its_first_line_whatever_was_said_in_the_opening():
    said = (Turn("user", "One."), Turn("assistant", "Two."), Turn("user", "Three."))
    [talk] = converse(Echo("parrot"), Script("ann", ("Hi.", "Tea?")), openings=[Prompt("p", said)])
    assert texts(talk)[3:] == ["Three.", "Hi.", "Hi.", "Tea?", "Tea?"]
    assert "stopped" not in talk.metadata


def test_talks_of_unlike_length_each_end_where_their_script_is_answered():
    openings = [Prompt("empty", ()), Prompt("asked", (Turn("user", "One."),))]
    talks = converse(Echo("parrot"), Script("ann", ("Hi.",)), openings=openings)
    assert [texts(talk) for talk in talks] == [["Hi.", "Hi."], ["One.", "One.", "Hi.", "Hi."]]
    assert [talk.metadata["opening"] for talk in talks] == [0, 1]


def test_systems_talk_for_eight_turns_unless_told():
    [talk] = converse(Counter("a"), Counter("b"))
    assert len(talk.turns) == 8


def test_no_turns_are_no_conversation():
    with pytest.raises(Unsuitable, match="at least 1 turn"):
        converse(Echo("a"), Echo("b"), turns=0)
