"""Who speaks, and what are only instructions."""

from __future__ import annotations

import pytest

from dialeval.data.speakers import as_chat, has_said, speaks, who, with_response
from dialeval.data.types import Turn


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ("system user assistant", [False, True, True]),
        ("system system user", [False, False, True]),
        ("user system user system", [True, True, True, True]),  # the corpus calls the dialogue system so
        ("USER SYSTEM", [True, True]),
        ("user assistant system user", [True, True, False, True]),  # instructions in the middle
        ("system user system", [True, True, True]),  # the system greets
        ("user assistant tool function developer", [True, True, False, False, False]),
        ("ann bob cleo", [True, True, True]),
        ("system", [False]),
        ("", []),
    ],
)
def test_who_speaks(roles, said):
    assert speaks([Turn(role, "Hello.") for role in roles.split()]) == said


@pytest.mark.parametrize(
    ("roles", "answering", "said"),
    [
        ("user", "assistant", False),
        ("system user", "assistant", False),
        ("assistant user", "assistant", True),
        ("user system user", "system", True),  # the corpus calls the dialogue system so
        ("user assistant system", "user", True),  # instructions at the end
        ("ann bob cleo", "bob", True),
        ("user tool", "assistant", False),
        ("", "assistant", False),
    ],
)
def test_who_answers_and_whether_they_have_said_something(roles, answering, said):
    context = tuple(Turn(role, "Hello.") for role in roles.split())
    assert who(with_response(context, "Hi.")[-1]) == (answering, None)
    assert has_said(context) is said


def test_blank_turns_say_nothing():
    assert not has_said((Turn("assistant", " "), Turn("user", "Hello.")))


@pytest.mark.parametrize(
    ("roles", "answering", "chat"),
    [
        ("a b a", 1, "user assistant user"),
        ("ann bob cleo ann", 1, "user assistant user user"),
        ("user assistant user", 1, "user assistant user"),
        ("user assistant", 0, "assistant user"),  # the assistant asks, the user is to answer
        ("user system user", 1, "user assistant user"),  # the corpus calls the dialogue system so
        ("system a b tool a", 2, "system user assistant tool user"),
    ],
)
def test_any_two_speakers_become_a_user_and_an_assistant(roles, answering, chat):
    context = tuple(Turn(role, f"Turn {place}.") for place, role in enumerate(roles.split()))
    changed = as_chat(context, context[answering])
    assert [turn.speaker for turn in changed] == chat.split()
    assert [turn.text for turn in changed] == [turn.text for turn in context]
