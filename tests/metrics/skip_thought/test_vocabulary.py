from __future__ import annotations

from dialeval.metrics.skip_thought.data import count_words


def test_frequent_words_come_first_and_ties_go_by_the_alphabet() -> None:
    vocabulary = count_words(["b a b", "c A", "<end> x"], size=3, lowercase=True)
    assert vocabulary.words == ("<end>", "<unknown>", "a", "b", "<")
    assert count_words(["b a b", "A"], size=9, lowercase=False).words[2:] == ("b", "A", "a")


def test_unknown_words_share_a_number_and_long_texts_are_cut() -> None:
    vocabulary = count_words(["I can't go"], size=9, lowercase=True)
    assert vocabulary.words[2:] == ("ca", "go", "i", "n't")
    assert vocabulary.number(["I can't stay here", ""], longest=4) == [[4, 2, 5, 1], []]
