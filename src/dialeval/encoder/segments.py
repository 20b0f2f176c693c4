"""Token ids of texts in several segments, such as a question and its answer, or the turns of a dialogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from dialeval.encoder.model import Encoder

Fit: TypeAlias = Literal["last", "longest"]
"""What is cut where segments exceed the window: ``last`` keeps the last segments, ``longest`` trims the longest."""


def segment_ids(
    encoder: Encoder, texts: Sequence[Sequence[str]], *, longest: int, fit: Fit
) -> list[list[int]]:
    """The ids of each text: its segments, each followed by the separator, after the token that begins a text.

    At most ``longest`` tokens, special ones included. With ``last`` whole oldest segments are dropped, and the
    beginning of a last one that is too long by itself is kept; with ``longest`` tokens are taken from the end of the
    segment that is longest, so that of a pair neither side vanishes.
    """
    window = min(longest, encoder.longest)
    known = dict.fromkeys(segment for segments in texts for segment in segments)
    # The separator is a text of its own to some tokenizers, so special tokens are cut off and put back.
    bare = {text: ids[1:-1] for text, ids in zip(known, encoder.tokens(list(known)), strict=True)}
    first, end = special_ids(encoder)
    choose = _keep_last if fit == "last" else _trim_longest
    rows = []
    for segments in texts:
        kept = choose([bare[segment] for segment in segments], window - 1)
        rows.append([first, *(token for ids in kept for token in (*ids, end))])
    return rows


def special_ids(encoder: Encoder) -> tuple[int, int]:
    """The token that begins a text, and the one that ends a segment."""
    empty = encoder.tokens([""])[0]
    return empty[0], empty[-1]


def _keep_last(segments: Sequence[list[int]], room: int) -> list[list[int]]:
    kept: list[list[int]] = []
    for ids in reversed(segments):
        if kept and len(ids) + 1 > room:
            break
        kept.append(ids[: room - 1])
        room -= len(kept[-1]) + 1
    return kept[::-1]


def _trim_longest(segments: Sequence[list[int]], room: int) -> list[list[int]]:
    lengths = [len(ids) for ids in segments]
    while sum(lengths) + len(lengths) > room and max(lengths, default=0) > 0:
        excess = sum(lengths) + len(lengths) - room
        place = lengths.index(max(lengths))
        others = [length for other, length in enumerate(lengths) if other != place]
        lengths[place] -= max(1, min(excess, lengths[place] - max(others, default=0)))
    return [ids[:length] for ids, length in zip(segments, lengths, strict=True)]
