from __future__ import annotations

import pytest

from dialeval.data.types import Turn
from dialeval.errors import Unsuitable
from dialeval.systems.openai.prompts import Layout, messages, shortened

TALK = (
    Turn("system", "Be kind."),
    Turn("user", "Hi {text}"),
    Turn("assistant", "{role}"),
    Turn("user", "Bye"),
)


def test_turns_are_filled_in_once_whatever_they_say() -> None:
    assert (
        Layout().write(TALK) == "system: Be kind.\nuser: Hi {text}\nassistant: {role}\nuser: Bye\nassistant:"
    )
    assert Layout().write(()) == "assistant:"


def test_messages_keep_roles_and_texts() -> None:
    assert messages(TALK[:2]) == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hi {text}"},
    ]
    with pytest.raises(Unsuitable, match="'Speaker 1'"):
        messages((Turn("Speaker 1", "Hi"),))


def test_the_oldest_spoken_turn_goes_first_and_instructions_stay() -> None:
    once = shortened(TALK)
    assert once == (TALK[0], TALK[2], TALK[3])
    assert once is not None
    twice = shortened(once)
    assert twice == (TALK[0], TALK[3])
    assert twice is not None
    assert shortened(twice) is None
    assert shortened(()) is None
