from __future__ import annotations

from hypothesis import given, strategies as st

from dialeval.selfeval.metric import marked, windows


def test_the_last_turn_is_marked_as_a_response() -> None:
    assert marked(["Hi.", "Hello.", "Tea?"]) == ["B: Hi.", "A: Hello.", "B: Tea?"]
    assert marked([]) == []


def test_windows_overlap_by_half_and_end_with_the_dialogue() -> None:
    assert windows("abcdefg", 4) == [tuple("abcd"), tuple("bcde"), tuple("defg")]
    assert windows("abcd", 4) == [tuple("abcd")]


@given(count=st.integers(1, 60), size=st.integers(2, 12))
def test_every_turn_is_in_a_window(count: int, size: int) -> None:
    turns = [str(number) for number in range(count)]
    cut = windows(turns, size)
    assert [turn for turn in turns if not any(turn in window for window in cut)] == []
    assert cut[-1][-1] == turns[-1]
    assert all(len(window) == min(size, count) for window in cut)
