"""Words and content words of utterances."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.selection.repository.utterances import same_key
from dialeval.selection.repository.words import FUNCTION_WORDS, content_words, tidy, words


@pytest.mark.parametrize("spelled", ["isn't", "isn 't", "is n't", "isn ' t", "isn’t", "ISN'T", "isnt"])
def test_a_negated_verb_is_one_word_however_it_is_spelled(spelled):
    assert words(f"It {spelled} far") == ["it", "isnt", "far"]


@pytest.mark.parametrize("spelled", ["John's car", "John 's car", "John ' s car", "John’s car"])
def test_what_an_apostrophe_sticks_to_a_word_is_cut_off(spelled):
    assert words(spelled) == ["john", "car"]


def test_the_papers_example_shares_its_one_content_word():
    """Sato et al. (2020), Table 2."""
    false = ["Could he not focus on that?", "But I do have ninja focus .", "Do not lose your focus !"]
    assert content_words("Do I have to focus it?") == ["focus"]
    assert all("focus" in content_words(text) for text in false)


def test_a_word_said_twice_counts_once():
    assert content_words("Tennis, tennis and tennis courts") == ["tennis", "courts"]


def test_an_answer_of_function_words_has_no_content():
    assert content_words("Yes, I will. I'm sure I can, isn't it?") == []


def test_other_scripts_are_cut_as_for_any_search():
    assert content_words("東京 is great") == ["東", "京", "great"]


@given(st.text())
def test_content_words_are_some_of_the_words_in_their_order(text):
    found = content_words(text)
    assert found == [word for word in dict.fromkeys(words(text)) if word in found]
    assert not FUNCTION_WORDS.intersection(found)


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
