"""Statements with their persons exchanged."""

from __future__ import annotations

import pytest

from dialeval.consistency.probing.persons import as_heard


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("I love my dog.", "You love your dog."),
        ("I am tired and I was ill.", "You are tired and you were ill."),
        ("I'm here.", "You're here."),
        ("I’ve seen it.", "You've seen it."),
        ("You told me.", "I told you."),
        ("I told you.", "You told me."),
        ("We like our house, it is mine.", "You like your house, it is yours."),
        ("Your cat bit me.", "My cat bit you."),
        ("It rains.", "It rains."),
    ],
)
def test_persons_by_hand(said, heard):
    assert as_heard(said) == heard
