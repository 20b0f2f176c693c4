from __future__ import annotations

import pytest

from dialeval.data.types import Dialogue, Prompt, Turn
from dialeval.errors import Unsuitable
from dialeval.metrics.skip_thought.folder import Triple, count_words, digest, triples


def turns(*texts: str) -> tuple[Turn, ...]:
    return tuple(Turn("user", text) for text in texts)


def test_every_turn_has_the_turns_beside_it() -> None:
    found = triples([Dialogue("1", turns("a", "b ", "c"))])
    assert found == [Triple("", "a", "b"), Triple("a", "b", "c"), Triple("b", "c", "")]


def test_references_are_ways_to_go_on_and_the_context_counts_once() -> None:
    found = triples([Prompt("1", turns("a", "b"), ("c", "d"))])
    assert found == [
        Triple("", "a", "b"),
        Triple("a", "b", "c"),
        Triple("b", "c", ""),
        Triple("a", "b", "d"),
        Triple("b", "d", ""),
    ]
    assert triples([Prompt("1", turns("a", "b"))]) == [Triple("", "a", "b"), Triple("a", "b", "")]


def test_blank_turns_are_left_out() -> None:
    assert triples([Dialogue("1", turns("a", " ", "b"))]) == [Triple("", "a", "b"), Triple("a", "b", "")]


def test_a_corpus_without_neighbours_is_refused() -> None:
    with pytest.raises(Unsuitable, match="no two turns in a row"):
        triples([Dialogue("1", turns("a")), Prompt("2", turns("b"))])


def test_the_digest_follows_content_and_order() -> None:
    one, other = Triple("a", "b", "c"), Triple("", "a", "b c")
    assert digest([one, other]) == digest([one, other])
    assert len({digest(data) for data in ([one], [other], [one, other], [other, one])}) == 4


def test_frequent_words_come_first_and_ties_go_by_the_alphabet() -> None:
    vocabulary = count_words(["b a b", "c A", "<end> x"], size=3, lowercase=True)
    assert vocabulary.words == ("<end>", "<unknown>", "a", "b", "<")
    assert count_words(["b a b", "A"], size=9, lowercase=False).words[2:] == ("b", "A", "a")


def test_unknown_words_share_a_number_and_long_texts_are_cut() -> None:
    vocabulary = count_words(["I can't go"], size=9, lowercase=True)
    assert vocabulary.words[2:] == ("ca", "go", "i", "n't")
    assert vocabulary.number(["I can't stay here", ""], longest=4) == [[4, 2, 5, 1], []]
