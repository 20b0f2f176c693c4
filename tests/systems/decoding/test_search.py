from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest
import torch
from hypothesis import given, strategies as st
from scipy.special import chdtrc

from dialeval.data.types import Turn
from dialeval.systems.decoding import Decoding, context_seed, decode
from dialeval.systems.decoding.search import draw_tokens, token_weights


def kept(probabilities, decoding):
    """The tokens that can be drawn."""
    weights = token_weights(torch.tensor([probabilities], dtype=torch.float64).log(), decoding)
    return weights[0].nonzero()[:, 0].tolist()


def test_greedy_by_hand(grown):
    # Two words and an end: 1, then 2, then the end, with probability .6 * .5 * .7.
    model = grown(3, given={(): [0.1, 0.6, 0.3], (1,): [0.3, 0.2, 0.5], (1, 2): [0.7, 0.2, 0.1]})
    ((found,),) = decode(model, [()], Decoding())
    assert found.tokens == (1, 2)
    assert found.finished
    assert found.length == 3
    assert found.logprob == pytest.approx(math.log(0.6 * 0.5 * 0.7), abs=1e-6)


def test_a_response_is_cut_at_the_most_tokens_and_says_so(grown):
    model = grown(2, given={(1,) * length: [0.25, 0.75] for length in range(4)})
    ((found,),) = decode(model, [()], Decoding(max_tokens=3))
    assert found == ((1, 1, 1), pytest.approx(3 * math.log(0.75), abs=1e-6), False)


def test_a_response_does_not_end_before_the_least_tokens_yet_keeps_the_models_probability(grown):
    model = grown(2, given={(1,) * length: [0.75, 0.25] for length in range(9)})
    for least in (0, 1, 3):
        ((found,),) = decode(model, [()], Decoding(min_tokens=least))
        assert found.tokens == (1,) * least
        assert found.logprob == pytest.approx(least * math.log(0.25) + math.log(0.75), abs=1e-6)


@pytest.mark.parametrize(
    ("mass", "tokens"),
    [
        (0.05, [2]),
        (0.4, [2]),
        (0.41, [2, 4]),
        (0.7, [2, 4]),
        (0.71, [1, 2, 4]),
        (0.9, [1, 2, 4]),
        (1.0, [0, 1, 2, 4]),
    ],
)
def test_the_nucleus_by_hand(mass, tokens):
    assert kept([0.1, 0.2, 0.4, 0.0, 0.3], Decoding("nucleus", top_p=mass)) == tokens


@given(
    weights=st.lists(st.integers(1, 10**6), min_size=1, max_size=30, unique=True),
    mass=st.floats(0.01, 1.0),
)
def test_the_nucleus_is_the_smallest_set_of_its_mass(weights, mass):
    probabilities = [weight / sum(weights) for weight in weights]
    inside = kept(probabilities, Decoding("nucleus", top_p=mass))
    masses = sorted((probabilities[token] for token in inside), reverse=True)
    # Enough mass, to rounding; too little without its least likely token; and nothing outside is likelier.
    assert sum(masses) >= mass - 2e-6
    assert len(masses) == 1 or sum(masses[:-1]) < mass
    outside = [p for token, p in enumerate(probabilities) if token not in inside]
    assert not outside or max(outside) < masses[-1]


def test_a_nucleus_wider_than_the_first_look_is_found():
    probabilities = torch.rand(10_000, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    probabilities /= probabilities.sum()
    ordered = probabilities.sort(descending=True).values.cumsum(0)
    for mass in (0.01, 0.3, 0.9, 0.999):
        count = int((ordered < mass - 1e-6).sum()) + 1
        assert len(kept(probabilities.tolist(), Decoding("nucleus", top_p=mass))) == count


def test_top_k_keeps_the_k_likeliest_in_proportion():
    logprobs = torch.tensor([[0.1, 0.2, 0.4, 0.3]]).log()
    weights = token_weights(logprobs, Decoding("top_k", top_k=2))[0]
    assert weights.tolist() == pytest.approx([0, 0, 0.4, 0.3], abs=1e-6)
    assert kept([0.1, 0.2, 0.4, 0.3], Decoding("top_k", top_k=99)) == [0, 1, 2, 3]


def test_temperature_is_a_power_of_the_probabilities():
    logprobs = torch.tensor([[0.2, 0.8]]).log()
    cold = token_weights(logprobs, Decoding("sample", temperature=0.5))[0].tolist()
    assert cold == pytest.approx([0.04 / 0.68, 0.64 / 0.68], abs=1e-6)
    # The nucleus is cut after the temperature: at .5 the likelier word alone has more than .9.
    assert kept([0.2, 0.8], Decoding("nucleus", top_p=0.9)) == [0, 1]
    assert kept([0.2, 0.8], Decoding("nucleus", top_p=0.9, temperature=0.5)) == [1]


@pytest.mark.parametrize(("number", "token"), [(0.0, 1), (0.19, 1), (0.21, 2), (0.99, 2), (1.0, 2)])
def test_tokens_lie_side_by_side_by_weight(number, token):
    assert draw_tokens(torch.tensor([[0.0, 0.2, 0.8, 0.0]], dtype=torch.float64), [number]).tolist() == [
        token
    ]


@pytest.mark.parametrize(
    "decoding",
    [
        Decoding("sample", max_tokens=2),
        Decoding("sample", temperature=0.7, max_tokens=2),
        Decoding("top_k", top_k=2, max_tokens=2),
        Decoding("nucleus", top_p=0.9, max_tokens=2),
    ],
    ids=str,
)
def test_samples_come_as_often_as_they_should(grown, decoding):
    model, draws = grown(4), 4000
    found = decode(model, [(1,)], decoding, n=draws, seeds=[11])[0]
    counts = Counter((one.tokens, one.finished) for one in found)
    expected = {}
    for first, p in enumerate(_drawn(model, (1,), decoding, ends=False)):
        for second, q in enumerate(_drawn(model, (1, first), decoding, ends=True)):
            text = ((first,), True) if second == 0 else ((first, second), False)
            expected[text] = expected.get(text, 0) + p * q * draws
    expected = {text: count for text, count in expected.items() if count}
    assert set(counts) <= set(expected)
    statistic = sum((counts[text] - count) ** 2 / count for text, count in expected.items())
    assert chdtrc(len(expected) - 1, statistic) > 0.001


def _drawn(model, tokens, decoding, *, ends):
    """The probabilities with which a token should be drawn, by plain arithmetic."""
    weights = [p ** (1 / decoding.temperature) for p in model.probabilities(tokens)]
    weights[0] *= ends
    order = sorted(range(len(weights)), key=lambda token: -weights[token])
    if decoding.method == "top_k":
        order = order[: decoding.top_k]
    if decoding.method == "nucleus":
        total, mass = sum(weights), 0.0
        for at, token in enumerate(order):
            mass += weights[token] / total
            if mass >= decoding.top_p:
                order = order[: at + 1]
                break
    inside = sum(weights[token] for token in order)
    return [weights[token] / inside if token in order else 0.0 for token in range(len(weights))]


def test_samples_carry_the_models_probability_and_not_that_of_the_draw(grown):
    model = grown(4)
    decoding = Decoding("top_k", top_k=2, temperature=0.5, max_tokens=3)
    for one in decode(model, [(1,)], decoding, n=20, seeds=[3])[0]:
        tokens = [*one.tokens, 0] if one.finished else list(one.tokens)
        steps = (model.probabilities([1, *tokens[:at]])[token] for at, token in enumerate(tokens))
        assert one.logprob == pytest.approx(sum(map(math.log, steps)), abs=1e-5)


@pytest.mark.parametrize("method", ["sample", "nucleus", "top_k"])
def test_company_order_and_number_of_samples_change_nothing(grown, method):
    model, decoding = grown(6), Decoding(method, max_tokens=8)
    prefixes, seeds = [(at,) for at in range(9)], list(range(100, 109))
    together = decode(model, prefixes, decoding, n=3, seeds=seeds)
    alone = [decode(model, [p], decoding, n=3, seeds=[s])[0] for p, s in zip(prefixes, seeds, strict=True)]
    assert alone == together
    assert decode(model, prefixes[::-1], decoding, n=3, seeds=seeds[::-1]) == together[::-1]
    # The first sample is the same however many follow.
    first = decode(model, prefixes, decoding, n=1, seeds=seeds)
    assert all(one[0] in three for one, three in zip(first, together, strict=True))


def test_the_seed_changes_samples_and_the_best_come_first(grown):
    model, decoding = grown(8), Decoding("sample")
    found = {seed: tuple(decode(model, [(1,)], decoding, n=5, seeds=[seed])[0]) for seed in range(5)}
    assert len(set(found.values())) == 5
    for responses in found.values():
        assert [one.logprob for one in responses] == sorted((one.logprob for one in responses), reverse=True)


def test_a_stream_follows_from_seed_and_context_alone():
    context = (Turn("user", "Hi."),)
    assert context_seed(1, context) == context_seed(1, (Turn("user", "Hi."),))
    others = [context_seed(2, context), context_seed(1, ()), context_seed(1, (Turn("assistant", "Hi."),))]
    assert len({context_seed(1, context), *others}) == 4


def test_sampling_without_seeds_is_refused(grown):
    with pytest.raises(ValueError, match="2 prefixes need as many seeds"):
        decode(grown(3), [(1,), (2,)], Decoding("sample"), seeds=[1])


def test_rows_that_have_ended_leave_the_batch(grown):
    model = grown(2, given={(1,) * length: [0.5, 0.5] for length in range(50)})
    found = decode(model, [()], Decoding("sample", min_tokens=0), n=64, seeds=[5])[0]
    lengths = Counter(one.length for one in found)
    assert model.rows == [
        sum(count for length, count in lengths.items() if length > at) for at in range(1, max(lengths))
    ]


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
