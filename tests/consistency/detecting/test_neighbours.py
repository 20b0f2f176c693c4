"""The sieve of slow detectors: which passages of a turn are read."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dialeval.consistency.detecting.detector import PairDetector, nearest_of
from dialeval.consistency.detecting.dialogues import EVERYTHING, Case, find_contradictions, passages
from dialeval.consistency.detecting.neighbours import NEAREST, nearest_passages
from dialeval.consistency.pairs.types import Pair
from dialeval.data.types import alternating
from dialeval.encoder import Weights

pytestmark = pytest.mark.usefixtures("minilm")

TALK = alternating(
    [
        "Hello!",
        "My sister works in a bakery. The weather is fine.",
        "And the car?",
        "Our old car is red. I had soup for lunch.",
        "Any music?",
        "I play the violin in an orchestra.",
        "Nice.",
        "I have never learnt to play an instrument.",
    ]
)
OTHER = alternating(["Hi.", "The car is blue.", "Blue?", "My car is red, and I have never had another."])


def reads(pair: Pair) -> bool:
    return "?" not in pair.earlier + pair.response


class Reader:
    """Remembers what it reads; long pairs are more probable, so that the order of scores is not that of meaning."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def probabilities(self, pairs):
        self.seen += pairs
        return np.array([min(len(pair.earlier) + len(pair.response), 999) / 1000 for pair in pairs])


def test_of_each_turn_the_passages_about_the_same_thing_are_kept() -> None:
    [kept] = nearest_passages([list(passages(TALK))], 1, reads)
    assert [(each.second, each.pair.earlier) for each in kept if each.second == 7] == [
        (7, "I play the violin in an orchestra.")
    ]


def test_no_more_than_so_many_passages_of_a_turn_are_read() -> None:
    listed = list(passages(TALK))
    [kept] = nearest_passages([listed], 2, reads)
    counts = Counter(each.second for each in listed if reads(each.pair))
    read = Counter(each.second for each in kept if reads(each.pair))
    assert read == {turn: min(2, count) for turn, count in counts.items()}
    assert max(counts.values()) > 2
    assert [each for each in kept if not reads(each.pair)] == [
        each for each in listed if not reads(each.pair)
    ]
    assert kept == [each for each in listed if each in kept], "in the order of the dialogue"


def test_with_room_for_all_passages_nothing_changes() -> None:
    cases = [Case(TALK, EVERYTHING), Case(OTHER, EVERYTHING)]
    assert find_contradictions(cases, Reader(), nearest=1000) == find_contradictions(cases, Reader())


def test_a_dialogue_is_read_alike_alone_and_beside_others() -> None:
    cases = [Case(TALK, EVERYTHING), Case(OTHER, EVERYTHING), Case(TALK[:6], EVERYTHING)]
    together = find_contradictions(cases, Reader(), nearest=1)
    assert together == [find_contradictions([case], Reader(), nearest=1)[0] for case in cases]
    assert together != find_contradictions(cases, Reader())


def test_reading_grows_with_the_turns_and_not_with_their_pairs() -> None:
    def read(turns: int) -> int:
        talk = alternating([f"I have {turn} dogs in the yard." for turn in range(turns)])
        reader = Reader()
        find_contradictions([Case(talk, EVERYTHING)], reader, nearest=NEAREST)
        return len(reader.seen)

    assert read(80) - read(60) == 20 * NEAREST


def test_equal_words_are_not_read() -> None:
    reader = Reader()
    talk = alternating(["Hm.", "I know.", "hm", "I know."])
    [found] = find_contradictions([Case(talk, EVERYTHING)], reader, nearest=2)
    assert [tuple(pair)[:2] for pair in reader.seen] == [("Hm.", "hm")]
    assert found is not None
    assert found.quoted.pair.earlier == "Hm."


def test_only_detectors_on_the_embedded_encoder_read_everything(minilm: Weights) -> None:
    assert nearest_of(minilm) is None
    assert PairDetector("shipped-minilm").nearest is None
    assert nearest_of(Weights("another", minilm.folder, "0" * 64)) == NEAREST
