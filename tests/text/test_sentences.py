"""Sentences of chat."""

from __future__ import annotations

import pytest

from dialeval.text.sentences import is_question, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("   \n ", []),
        ("Hello", ["Hello"]),
        ("I like tea. Do you?", ["I like tea.", "Do you?"]),
        ("Wow!! Really?! Yes...", ["Wow!!", "Really?!", "Yes..."]),
        ("I met Mr. Lee at 5 p.m. today.", ["I met Mr. Lee at 5 p.m. today."]),
        ("line one\nline two", ["line one", "line two"]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("That was me and I. She left.", ["That was me and I.", "She left."]),
        ("Great! :) See you.", ["Great! :)", "See you."]),
        ("犬がいます。名前は？「ポチ」です！", ["犬がいます。", "名前は？", "「ポチ」です！"]),
        ("「元気？」と聞いた。", ["「元気？」", "と聞いた。"]),
        ("كيف حالك؟ أنا بخير.", ["كيف حالك؟", "أنا بخير."]),
        ("i like dogs . i hate cats .", ["i like dogs .", "i hate cats ."]),
    ],
)
def test_sentences_by_hand(text, sentences):
    assert split_sentences(text) == sentences


def test_questions_end_in_a_question_mark():
    assert is_question('Did he say "why?"')
    assert is_question("お元気ですか？")
    assert is_question("كيف حالك؟")
    assert not is_question("Why not.")
