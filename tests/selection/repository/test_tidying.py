"""One spelling for all corpora."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.selection.repository.tidying import tidy
from dialeval.selection.repository.utterances import same_key


@pytest.mark.parametrize(
    ("found", "tidied"),
    [
        ("Good morning , sir . Is there a bank near here ?", "Good morning, sir. Is there a bank near here?"),
        ("This isn 't fair ! You can 't stop me !", "This isn't fair! You can't stop me!"),
        ("i have and i 'm so in love with it", "I have and I'm so in love with it"),
        ("do n't you think so ?", "Don't you think so?"),
        ("But I didn't see it , Ma ' am .", "But I didn't see it, Ma'am."),
        ("I'Ve marked them .", "I've marked them."),
        ("That ’ s fine.And you ?", "That's fine. And you?"),
        ("wait ... what is it ?", "Wait... what is it?"),
        ("I saw mr. smith . he waved .", "I saw mr. smith. He waved."),
        ("The boys' dinner", "The boys' dinner"),
        ("It costs $ 5 ( or 6 ) .", "It costs $5 (or 6)."),
        ("  two\n lines\t", "Two lines"),
        ("", ""),
    ],
)
def test_utterances_are_spelled_as_one_would_write_them(found, tidied):
    assert tidy(found) == tidied


@given(st.text(alphabet="aiAIst nm'.,!?’()", max_size=40))
def test_tidying_changes_neither_letters_nor_digits(text):
    assert same_key(tidy(text)) == same_key(text)


PIECES = (
    "i",
    "'m",
    "isn",
    "'t",
    "well",
    ",",
    ".",
    "?",
    "!",
    "John",
    "...",
    "do",
    "n't",
    "Ma",
    "'",
    "am",
    "the",
)


@given(st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_what_is_tidy_stays_as_it_is(text):
    once = tidy(text)
    assert tidy(once) == once
