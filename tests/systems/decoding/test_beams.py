from __future__ import annotations

import itertools
import math

import pytest

from dialeval.systems.decoding import Decoding, decode

WORDS = 3
LONGEST = 4


def all_responses(model, prefix, *, longest, least=1):
    """Every response there is, with its log-probability: those that end, and those that are cut."""
    others = [token for token in range(model.vocabulary) if token not in model.end]
    for length in range(longest + 1):
        for tokens in itertools.product(others, repeat=length):
            logprob = sum(
                math.log(model.probabilities([*prefix, *tokens[:at]])[token])
                for at, token in enumerate(tokens)
            )
            if length == longest:
                yield tokens, logprob, False
            elif length >= least:
                for end in model.end:
                    yield tokens, logprob + math.log(model.probabilities([*prefix, *tokens])[end]), True


def exhaustive(model, prefix, *, longest, penalty, n, least=1):
    def score(response):
        tokens, logprob, finished = response
        return logprob / (len(tokens) + finished) ** penalty

    return sorted(all_responses(model, prefix, longest=longest, least=least), key=score, reverse=True)[:n]


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0, 2.0, -0.5])
@pytest.mark.parametrize("prefix", [(1,), (2, 1), ()])
def test_enough_beams_find_what_exhaustive_search_finds(grown, penalty, prefix):
    model = grown(WORDS)
    decoding = Decoding("beam", beams=WORDS**LONGEST, length_penalty=penalty, max_tokens=LONGEST)
    (found,) = decode(model, [prefix], decoding, n=12)
    expected = exhaustive(model, prefix, longest=LONGEST, penalty=penalty, n=12)
    assert [(one.tokens, one.finished) for one in found] == [(tokens, done) for tokens, _, done in expected]
    assert [one.logprob for one in found] == pytest.approx([logprob for _, logprob, _ in expected], abs=1e-5)


def test_two_end_tokens_and_a_least_length_are_searched_too(grown):
    model = grown(4, end=frozenset({0, 3}))
    decoding = Decoding("beam", beams=256, length_penalty=0.0, max_tokens=4, min_tokens=2)
    (found,) = decode(model, [(1,)], decoding, n=5)
    expected = exhaustive(model, (1,), longest=4, penalty=0.0, n=99, least=2)
    # A response may end in either token: it is one text, of which the likelier end is kept.
    texts = dict.fromkeys((tokens, done) for tokens, _, done in expected)
    assert [(one.tokens, one.finished) for one in found] == list(texts)[:5]
    assert all(len(one.tokens) >= 2 for one in found)


def test_a_narrow_beam_by_hand(grown):
    # Two words and an end. One beam takes word 1 (.6) and ends at .6 * .5; two beams find word 2, whose end is sure.
    model = grown(
        3, given={(9,): [0.0, 0.6, 0.4], (9, 1): [0.5, 0.25, 0.25], (9, 2): [0.98, 0.01, 0.01]}, sharpness=0.1
    )
    (narrow,) = decode(model, [(9,)], Decoding("beam", beams=1, length_penalty=0.0, max_tokens=2))
    (wide,) = decode(model, [(9,)], Decoding("beam", beams=2, length_penalty=0.0, max_tokens=2), n=2)
    assert [(one.tokens, one.finished) for one in narrow] == [((1,), True)]
    assert [(one.tokens, one.finished) for one in wide] == [((2,), True), ((1,), True)]
    assert wide[0].logprob == pytest.approx(math.log(0.4 * 0.98), abs=1e-6)
    assert wide[1].logprob == pytest.approx(math.log(0.6 * 0.5), abs=1e-6)


def test_the_length_penalty_decides_between_short_and_long(grown):
    # "1 end" has probability .25, "2 2 end" has .36 * .5 = .18: per token, the longer one is better.
    given = {(): [0.0, 0.4, 0.6], (1,): [0.625, 0.375, 0.0], (2,): [0.0, 0.4, 0.6]}
    given |= {(2, 2): [0.5, 0.25, 0.25], (2, 1): [0.4, 0.3, 0.3], (1, 1): [0.4, 0.3, 0.3]}
    model = grown(3, given=given)
    best = {
        penalty: decode(model, [()], Decoding("beam", beams=9, length_penalty=penalty, max_tokens=3))[0][0]
        for penalty in (0.0, 1.0)
    }
    assert best[0.0].tokens == (1,)
    assert best[0.0].logprob == pytest.approx(math.log(0.25), abs=1e-6)
    assert best[1.0].tokens == (2, 2)
    assert best[1.0].logprob == pytest.approx(math.log(0.18), abs=1e-6)


def test_one_beam_is_greedy_search(grown):
    model = grown(6)
    prefixes = [(at,) for at in range(12)]
    greedy = decode(model, prefixes, Decoding(max_tokens=12))
    assert decode(model, prefixes, Decoding("beam", beams=1, max_tokens=12)) == greedy


@pytest.mark.parametrize("diversity", [0.0, 0.5, 5.0])
def test_diverse_beams_in_one_group_are_plain_beams(grown, diversity):
    model, prefixes = grown(5), [(at,) for at in range(8)]
    plain = decode(model, prefixes, Decoding("beam", beams=4, max_tokens=6), n=4)
    diverse = Decoding("diverse_beam", beams=4, groups=1, diversity=diversity, max_tokens=6)
    assert decode(model, prefixes, diverse, n=4) == plain


def test_groups_pay_for_what_earlier_groups_took_at_the_same_place(grown):
    # One beam per group. At the first place word 1 leads by log(.5/.3) = .51: the second group takes word 2 if the
    # same word costs more than that, and word 1 if it costs less.
    given = {(): [0.2, 0.5, 0.3], (1,): [0.9, 0.05, 0.05], (2,): [0.9, 0.05, 0.05]}
    model = grown(3, given=given)

    def words(diversity):
        decoding = Decoding("diverse_beam", beams=2, groups=2, diversity=diversity, max_tokens=2)
        return [
            (one.tokens, round(math.exp(one.logprob), 4)) for one in decode(model, [()], decoding, n=2)[0]
        ]

    assert words(0.52) == [((1,), 0.45), ((2,), 0.27)]
    assert words(0.50) == [((1,), 0.45)]


def test_the_price_grows_with_each_group_that_took_the_token(grown):
    # Three groups of one beam: word 1 costs the third group twice the diversity.
    given = {(): [0.0, 0.5, 0.1, 0.4], (1,): [1.0, 0, 0, 0], (2,): [1.0, 0, 0, 0], (3,): [1.0, 0, 0, 0]}
    model = grown(4, given=given)
    decoding = Decoding("diverse_beam", beams=3, groups=3, diversity=0.2, max_tokens=2)
    # log(.5/.4) = .223: one payment of .2 is not enough to leave word 1, two are.
    assert [one.tokens for one in decode(model, [()], decoding, n=3)[0]] == [(1,), (3,)]


def test_scores_of_diverse_beams_are_the_models_own(grown):
    model = grown(5)
    decoding = Decoding("diverse_beam", beams=6, groups=3, diversity=0.7, max_tokens=5)
    (found,) = decode(model, [(1,)], decoding, n=6)
    known = {(tokens, done): logprob for tokens, logprob, done in all_responses(model, (1,), longest=5)}
    assert len(found) > 1
    for one in found:
        assert one.logprob == pytest.approx(known[one.tokens, one.finished], abs=1e-5)


@pytest.mark.parametrize("method", ["beam", "diverse_beam"])
def test_company_changes_nothing(grown, method):
    groups = {"groups": 2} if method == "diverse_beam" else {}
    model, decoding = grown(6), Decoding(method, beams=4, max_tokens=8, **groups)
    prefixes = [(at, at + 1) for at in range(9)]
    together = decode(model, prefixes, decoding, n=4)
    assert [decode(model, [prefix], decoding, n=4)[0] for prefix in prefixes] == together
    assert decode(model, prefixes[::-1], decoding, n=4) == together[::-1]


def test_items_that_are_done_leave_the_batch(grown):
    # The first item ends at once whatever it says; the second never does.
    sure = {(8, word): [1.0, 0.0, 0.0] for word in (1, 2)} | {(8,): [0.0, 0.5, 0.5]}
    never = {
        (9, *words): [0.0, 0.5, 0.5]
        for length in range(5)
        for words in itertools.product((1, 2), repeat=length)
    }
    model = grown(3, given=sure | never)
    first, second = decode(model, [(8,), (9,)], Decoding("beam", beams=2, max_tokens=5), n=2)
    assert model.rows == [4, 2, 2, 2]
    assert all(one.finished for one in first)
    assert [one.finished for one in second] == [False, False]
    assert all(len(one.tokens) == 5 for one in second)


def test_nothing_asked_is_nothing_found(grown):
    assert decode(grown(3), [], Decoding("beam")) == []
    assert decode(grown(3), [(1,)], Decoding("beam"), n=0) == [[]]
