from __future__ import annotations

from math import log

import numpy as np
import pytest

from dialeval.metrics.bertscore import NO_MATCH, Idf, Match, Tokens, best, learn_idf, match


def tokens(*rows: tuple[float, float], weights: list[float] | None = None) -> Tokens:
    units = np.array(rows, np.float32)
    return Tokens(units, np.array(weights if weights is not None else [1.0] * len(rows)))


EAST, NORTH, WEST = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)
SLANT = (0.6, 0.8)


def test_each_token_takes_its_best_partner() -> None:
    # Response: east finds slant (0.6), north finds slant (0.8). Reference: slant finds north (0.8).
    found = match(tokens(EAST, NORTH), tokens(SLANT))
    assert found == pytest.approx(Match(0.7, 0.8, 2 * 0.7 * 0.8 / 1.5), abs=1e-7)


def test_tokens_count_by_their_weight() -> None:
    found = match(tokens(EAST, NORTH, weights=[3, 1]), tokens(SLANT, EAST, weights=[1, 0]))
    # A token without weight is a partner all the same: east finds east.
    assert found.precision == pytest.approx((3 * 1 + 0.8) / 4, abs=1e-7)
    assert found.recall == pytest.approx(0.8, abs=1e-7)


def test_opposites_are_negative_and_not_cut_off_at_0() -> None:
    assert match(tokens(EAST), tokens(WEST)) == Match(-1.0, -1.0, -1.0)


def test_a_text_without_weight_matches_nothing() -> None:
    bare = tokens(EAST, NORTH, weights=[0, 0])
    assert match(bare, tokens(EAST)) == match(tokens(EAST), bare) == NO_MATCH


def test_precision_and_recall_that_cancel_out_give_0() -> None:
    response, reference = tokens(EAST), tokens(EAST, WEST, weights=[0, 1])
    assert match(response, reference) == Match(1.0, -1.0, 0.0)


def test_the_best_of_each_comes_from_any_reference() -> None:
    assert best([Match(0.9, 0.1, 0.3), Match(0.2, 0.8, 0.4)]) == Match(0.9, 0.8, 0.4)


def test_a_token_counts_once_a_document_and_weighs_less_the_more_have_it() -> None:
    idf = learn_idf([[1, 7, 7], [1, 8], [1]])
    assert idf == Idf(3, {1: 3, 7: 1, 8: 1})
    assert idf.weight(1) == 0
    assert idf.weight(7) == log(4 / 2)
    assert idf.weight(99) == log(4)


def test_the_digest_follows_all_that_moves_a_weight() -> None:
    assert learn_idf([[1, 2], [3]]).digest == learn_idf([[3], [2, 1]]).digest
    assert len({learn_idf(docs).digest for docs in ([[1]], [[1], []], [[1], [1]], [[1], [2]])}) == 4
