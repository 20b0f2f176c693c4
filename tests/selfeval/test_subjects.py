import pytest

from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.selfeval.subjects import (
    Exchange,
    exchanges_of,
    judged_speakers,
    turns_of,
    unscorable,
)

HI = Turn("user", "Hi.")
HELLO = Turn("assistant", "Hello.")
BYE = Turn("user", "Bye.")
SO_LONG = Turn("assistant", "So long.")


def test_an_example_has_one_exchange_without_its_instructions() -> None:
    example = Example("1", "s", (Turn("system", "Be kind."), HI), Response("Hello."))
    assert exchanges_of(example) == [Exchange((HI,), "Hello.")]


def test_an_example_is_answered_by_the_other_speaker() -> None:
    context = alternating(["Hi.", "Hello."], last="assistant")
    assert turns_of(Example("1", "s", context, Response("Bye.")))[-1] == Turn("user", "Bye.")


def test_a_dialogue_is_judged_by_the_turns_of_its_assistant() -> None:
    dialogue = Dialogue("1", (HI, HELLO, BYE, SO_LONG), "s")
    assert exchanges_of(dialogue) == [Exchange((HI,), "Hello."), Exchange((HI, HELLO, BYE), "So long.")]


def test_an_assistants_greeting_answers_nothing() -> None:
    assert exchanges_of(Dialogue("1", (HELLO, BYE, SO_LONG), "s")) == [Exchange((HELLO, BYE), "So long.")]


def test_every_turn_but_the_first_is_judged_where_nobody_is_called_assistant() -> None:
    dialogue = Dialogue("1", (Turn("A", "Hi."), Turn("B", "Hello."), Turn("A", "Bye.")), "s")
    assert [exchange.response for exchange in exchanges_of(dialogue)] == ["Hello.", "Bye."]


def test_what_cannot_be_judged_has_a_reason() -> None:
    assert unscorable(Example("1", "s", (HI,), Response("  "))) == "blank response"
    assert unscorable(Example("1", "s", (Turn("system", "Be kind."),), Response("Hello."))) == "no context"
    assert unscorable(Dialogue("1", (HELLO,), "s")) == "no response to an earlier turn"
    assert unscorable(Dialogue("1", (), "s")) == "no response to an earlier turn"
    assert unscorable(Dialogue("1", (HI, HELLO), "s")) is None


def test_a_user_who_talks_alone_got_no_response() -> None:
    assert (
        unscorable(Dialogue("1", (HI, BYE, Turn("User", "Anyone?")), "s")) == "no response to an earlier turn"
    )
    assert unscorable(Dialogue("1", (HI, Turn("human", "Hello.")), "s")) is None


def test_a_system_that_talks_is_not_an_instruction() -> None:
    talk = (Turn("User", "Hi."), Turn("System", "Hello."), Turn("User", "Bye."), Turn("System", "So long."))
    assert [exchange.response for exchange in exchanges_of(Dialogue("1", talk, "s"))] == [
        "Hello.",
        "So long.",
    ]
    asked = Dialogue("1", (Turn("system", "Be kind."), HI, HELLO, Turn("system", "Stop."), BYE, SO_LONG), "s")
    assert turns_of(asked) == (HI, HELLO, BYE, SO_LONG)
    both = Dialogue("1", (Turn("system", "Be kind."), Turn("A", "Hi."), Turn("B", "Hello.")), "s")
    assert len(turns_of(both)) == 2


def said(*speakers: str, system: str = "s") -> Dialogue:
    return Dialogue("1", tuple(Turn(speaker, f"{n}.") for n, speaker in enumerate(speakers)), system)


@pytest.mark.parametrize(
    ("dialogue", "judged"),
    [
        (said("Human", "Bot", "Human", "Bot"), {"Bot"}),
        (said("Human", "Mitsuku", "Human"), {"Mitsuku"}),
        (said("participant1", "participant2"), set()),
        (said("Blender", "Plato", "Blender", system="plato"), {"Plato"}),
        (said("user", "user"), set()),
        (said("tourist", "guide", "Assistant"), {"Assistant"}),
        (said("", ""), set()),
        (said("USER", "Assistant", "User", "ASSISTANT"), {"Assistant", "ASSISTANT"}),
    ],
)
def test_whose_turns_are_judged(dialogue: Dialogue, judged: set[str]) -> None:
    assert judged_speakers(dialogue) == judged


def test_the_system_may_be_named_beside_its_role() -> None:
    turns = (Turn("speaker 1", "Hi.", "Ann"), Turn("speaker 2", "Hello.", "Meena"))
    assert judged_speakers(Dialogue("1", turns, "meena")) == {"speaker 2"}


def test_a_response_is_spoken_by_who_did_not_speak_last() -> None:
    context = (Turn("Ann", "Hi."), Turn("Ben", "Hello."), Turn("Ann", "Tea?"), Turn("Ben", " "))
    assert turns_of(Example("1", "s", context, Response("Yes.")))[-1].speaker == "Ben"


def test_an_answer_to_blank_turns_alone_is_not_judged() -> None:
    assert exchanges_of(Dialogue("1", (Turn("user", " "), HELLO, BYE, SO_LONG), "s")) == [
        Exchange((Turn("user", " "), HELLO, BYE), "So long.")
    ]
