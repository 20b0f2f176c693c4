from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.selfeval.subjects import Exchange, exchanges_of, turns_of, unscorable

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
