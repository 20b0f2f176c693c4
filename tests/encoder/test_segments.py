from __future__ import annotations

from hypothesis import given, strategies as st

from dialeval.encoder.files import Weights
from dialeval.encoder.model import load_encoder
from dialeval.encoder.segments import _keep_last, _trim_longest, segment_ids, special_ids


def test_each_segment_is_followed_by_the_separator(minilm: Weights) -> None:
    encoder = load_encoder(minilm)
    first, end = special_ids(encoder)
    [ids] = segment_ids(encoder, [["tea", "no"]], longest=64, fit="longest")
    assert ids == [first, encoder.tokens(["tea"])[0][1], end, encoder.tokens(["no"])[0][1], end]
    assert segment_ids(encoder, [["tea"]], longest=64, fit="last") == encoder.tokens(["tea"])


def test_the_last_segments_are_kept_whole() -> None:
    assert _keep_last([[1, 2], [3], [4, 5]], 6) == [[3], [4, 5]]
    assert _keep_last([[1, 2], [3], [4, 5]], 8) == [[1, 2], [3], [4, 5]]
    assert _keep_last([[1], [2, 3, 4, 5]], 3) == [[2, 3]]


def test_the_longest_segment_is_trimmed_first() -> None:
    assert _trim_longest([[1, 2, 3, 4], [5, 6]], 6) == [[1, 2], [5, 6]]
    assert _trim_longest([[1, 2, 3, 4], [5, 6]], 4) == [[1], [5]]
    assert _trim_longest([[1], [5, 6]], 5) == [[1], [5, 6]]


@given(
    segments=st.lists(st.lists(st.integers(0, 9), max_size=12), min_size=1, max_size=5),
    room=st.integers(10, 40),
)
def test_what_is_cut_fits_and_nothing_else_is_cut(segments: list[list[int]], room: int) -> None:
    for cut in (_keep_last, _trim_longest):
        kept = cut(segments, room)
        assert sum(map(len, kept)) + len(kept) <= room
        if sum(map(len, segments)) + len(segments) <= room:
            assert kept == segments
