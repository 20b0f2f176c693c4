from __future__ import annotations

from dialeval.training.task import batches_by_length, cut_by_length, numbered_on, shuffled_batches

LENGTHS = [row * 7 % 11 for row in range(20)]


def batches(seed: int, epoch: int) -> list[list[int]]:
    return shuffled_batches(20, 10, lambda rows: cut_by_length(rows, LENGTHS, 4), seed=seed, epoch=epoch)


def test_every_example_comes_once_an_epoch_and_the_order_follows_from_seed_and_epoch() -> None:
    assert sorted(row for batch in batches(0, 0) for row in batch) == list(range(20))
    assert batches(3, 1) == batches(3, 1)
    assert batches(3, 1) != batches(3, 2)
    assert batches(3, 1) != batches(4, 1)


def test_batches_hold_texts_of_similar_length() -> None:
    assert cut_by_length([0, 1, 2, 3, 4], [5, 1, 4, 1, 3], 2) == [[1, 3], [4, 2], [0]]


def test_batches_by_length_are_the_shuffled_ones_of_any_epoch() -> None:
    assert batches_by_length(LENGTHS, 4, pool=10, seed=3)(1) == batches(3, 1)


def test_rows_that_are_numbered_on_tell_epochs_apart_and_keep_their_example() -> None:
    numbered = numbered_on(batches_by_length(LENGTHS, 4, pool=10, seed=3), 20)
    assert numbered(0) == batches(3, 0)
    assert [[row % 20 for row in batch] for batch in numbered(2)] == batches(3, 2)
    assert {row // 20 for batch in numbered(2) for row in batch} == {2}


def test_no_examples_no_batches() -> None:
    assert shuffled_batches(0, 10, lambda rows: [rows], seed=0, epoch=0) == []
