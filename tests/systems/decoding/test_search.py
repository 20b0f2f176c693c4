from __future__ import annotations

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
