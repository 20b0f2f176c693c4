"""Words and content words of utterances."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.selection.repository.content_words import FUNCTION_WORDS, content_words, words


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
