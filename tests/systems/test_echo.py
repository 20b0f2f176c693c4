from __future__ import annotations

from dialeval.data.types import Response, Turn
from dialeval.systems import Echo


def test_it_repeats_the_last_turn_word_for_word() -> None:
    context = (Turn("user", "Hello"), Turn("assistant", "Hi"), Turn("user", " How  are you?"))
    assert Echo("e").generate([context, (), context[:1]], n=5) == [
        (Response(" How  are you?"),),
        (),
        (Response("Hello"),),
    ]
