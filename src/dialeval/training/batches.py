"""The order of examples in training: random, yet with texts of similar length side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np


def shuffled_batches(
    count: int, pool: int, cut: Callable[[list[int]], list[list[int]]], *, seed: int, epoch: int
) -> list[list[int]]:
    """An epoch's batches of ``count`` examples: a function of seed and epoch, so that a resumed run meets the same.

    The examples are shuffled and taken in pools of ``pool``, which ``cut`` makes into batches, as it likes by length:
    large enough to pad little, small enough to stay random. The batches of a pool are shuffled again.
    """
    draw = np.random.default_rng([seed, epoch])
    order = draw.permutation(count).tolist()
    batches: list[list[int]] = []
    for start in range(0, count, pool):
        chunks = cut(order[start : start + pool])
        batches += [chunks[index] for index in draw.permutation(len(chunks)).tolist()]
    return batches


def cut_by_length(rows: Sequence[int], lengths: Sequence[int], size: int) -> list[list[int]]:
    """Batches of ``size`` examples, the last one smaller, in order of length."""
    ordered = sorted(rows, key=lambda row: lengths[row])
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]
