"""A search in which values are said once."""

from __future__ import annotations

import pytest
import torch

from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.acts.placeholders import JOINED, PREFIX, fillers
from dialeval.nlg.generators.config import LAYOUT
from dialeval.nlg.generators.search import LoadedNetwork, NetworkSearch, bounded_search, load
from dialeval.nlg.generators.trainer import train
from dialeval.systems.decoding import Decoding, decode
from support.small_nlg import by_heart, made_split

MEANING = parse_act("inform(name='udupi palace';food=thai)")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> LoadedNetwork:
    folder = tmp_path_factory.mktemp("models") / "lstm"
    train(made_split(), by_heart("lstm"), folder)
    return load(LAYOUT.find(folder), "cpu")


def search(loaded: LoadedNetwork) -> NetworkSearch:
    return NetworkSearch(loaded.network, [loaded.vocabulary.act(MEANING)])


def placeholders(loaded: LoadedNetwork, tokens: tuple[int, ...]) -> list[str]:
    words = [loaded.vocabulary.words[token].removeprefix(JOINED) for token in tokens]
    return [word for word in words if PREFIX in word]


def test_sampled_sentences_say_no_value_twice_and_none_that_the_act_lacks(loaded: LoadedNetwork) -> None:
    wild = Decoding("sample", temperature=5.0, max_tokens=30)
    own = {filler.placeholder for filler in fillers(MEANING)}
    free, bound = (
        [placeholders(loaded, each.tokens) for each in decode(steps, [(0,)], wild, n=40, seeds=[1])[0]]
        for steps in (search(loaded), bounded_search(search(loaded), loaded.vocabulary.words, [own]))
    )
    assert any(not set(said) <= own for said in free), "too tame to show anything"
    assert all(set(said) <= own and len(said) == len(set(said)) for said in bound)
    assert any(bound)


def test_the_log_probability_stays_that_of_the_network(loaded: LoadedNetwork) -> None:
    steps = search(loaded)
    narrow = Decoding("beam", beams=3, max_tokens=12)
    free = decode(steps, [(0,)], narrow, n=3, seeds=[0])
    for (plain,), (weighed,) in zip([free[0][:1]], steps.weigh([free[0][:1]]), strict=True):
        assert weighed.logprob == pytest.approx(plain.logprob, abs=1e-4)
    bound = decode(bounded_search(steps, loaded.vocabulary.words, [()]), [(0,)], narrow, n=3, seeds=[0])
    weighed = steps.weigh(bound)[0]
    assert all(own.logprob < shared.logprob for own, shared in zip(weighed, bound[0], strict=True))


def test_next_words_are_probabilities(loaded: LoadedNetwork) -> None:
    steps = bounded_search(search(loaded), loaded.vocabulary.words, [{"SLOT_FOOD"}])
    logprobs, state = steps.start([(0,)])
    food = loaded.vocabulary.words.index("SLOT_FOOD")
    assert torch.isfinite(logprobs[0, food])
    after, _ = steps.step(torch.tensor([food]), state)
    assert torch.isneginf(after[0, food])
    assert logprobs.exp().sum() == pytest.approx(1.0)
    assert after.exp().sum() == pytest.approx(1.0)
