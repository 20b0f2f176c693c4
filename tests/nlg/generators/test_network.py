from __future__ import annotations

import pytest
import torch

from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.generators.config import Shape
from dialeval.nlg.generators.network import Network
from dialeval.nlg.generators.vocabulary import END, START, learn_vocabulary
from support.small_nlg import MODELS, made_split

LESSONS = made_split().train
WORDS = learn_vocabulary([lesson.meaning for lesson in LESSONS], [lesson.words for lesson in LESSONS])


def network(model) -> Network:
    torch.manual_seed(1)
    shape = Shape(model, embedding=6, hidden=5, dropout=0.0)
    return Network(shape, len(WORDS.features), len(WORDS.words), len(WORDS.values)).eval()


@pytest.mark.parametrize("model", MODELS)
@torch.inference_mode()
def test_costs_are_those_of_single_steps_whatever_the_batch(model) -> None:
    net, some = network(model), LESSONS[:9]
    acts = [WORDS.act(lesson.meaning) for lesson in some]
    sentences = [WORDS.sentence(lesson.words) for lesson in some]
    together = net.costs(acts, sentences).nats
    for row, (act, sentence) in enumerate(zip(acts, sentences, strict=True)):
        memory, nats, before = net.begin([act]), 0.0, START
        for token in sentence:
            logits, memory = net.step(torch.tensor([before]), memory)
            nats -= float(logits.log_softmax(-1)[0, token])
            before = token
        assert float(together[row]) == pytest.approx(nats, abs=1e-4)


@torch.inference_mode()
def test_only_the_encoder_reads_values() -> None:
    acts = [
        WORDS.act(parse_act(f"inform(name='{name}';area=north)")) for name in ("piperade", "kiss seafood")
    ]
    for model in MODELS:
        first, second = network(model).costs(acts, [(4, END), (4, END)]).nats.tolist()
        assert (first == second) == (model in ("lstm", "d-sclstm"))


@pytest.mark.parametrize("model", ["ld-sclstm", "hld-sclstm"])
@torch.inference_mode()
def test_the_encoder_reads_parts_in_their_order(model) -> None:
    orders = ("inform(name=piperade;food=thai)", "inform(food=thai;name=piperade)")
    encoder = network(model).encoder
    assert encoder is not None
    first, second = encoder([WORDS.act(parse_act(order)) for order in orders])
    assert not torch.allclose(first, second)
    alone = encoder([WORDS.act(parse_act(orders[0]))])
    assert torch.allclose(alone[0], first, atol=1e-6)


@torch.inference_mode()
def test_an_act_without_known_parts_has_an_empty_memory() -> None:
    nothing = WORDS.act(parse_act("unheard(of=x)"))
    assert nothing.parts == ()
    for model in ("ld-sclstm", "hld-sclstm"):
        memory = network(model).begin([nothing])
        assert not memory.state.unsaid.any()
        assert not memory.given.any()


@torch.inference_mode()
def test_ld_sclstm_reads_means_of_word_vectors_and_of_states() -> None:
    encoder = network("ld-sclstm").encoder
    assert encoder is not None
    act = WORDS.act(parse_act("inform(name='kiss seafood';area=north)"))
    state, states = encoder.upper.begin(torch.zeros(1, 0)), []
    for part in act.parts:
        mean = encoder.words(torch.tensor(part.value)).mean(0, keepdim=True)
        feature = encoder.of_feature(torch.tensor([part.feature]))
        state = encoder.upper.step(encoder.upper.project(mean) + feature, state)
        states.append(state.hidden)
    alone = encoder([act])
    assert torch.allclose(alone, torch.stack(states).mean(0), atol=1e-6)
    longer = WORDS.act(parse_act("offer(name='red door cafe') inform(food=thai)"))
    assert torch.allclose(encoder([act, longer])[:1], alone, atol=1e-6)
