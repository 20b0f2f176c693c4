from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, strategies as st
from torch import nn
from transformers.pytorch_utils import Conv1D

from dialeval.core import LikelihoodModel
from dialeval.data.types import alternating
from dialeval.errors import Unsuitable
from dialeval.systems.huggingface import HuggingFace
from dialeval.systems.huggingface.loader import Pace
from dialeval.systems.huggingface.models import Causal, Int8Linear, Pair, Tree, quantise

# One of either sort always, and one that takes no trees; the others in full runs.
KINDS = [
    "chat",
    "t5",
    "bloom",
    *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("llama", "gpt2", "mistral", "bart")),
]
CONTEXTS = [
    alternating(["Hello, how are you today?"]),
    alternating(["Would you like some tea?", "No, I like milk.", "And some coffee?"]),
    alternating(["Hello, how are you today?", "I am fine.", "Would you like some tea or some coffee?"]),
]
ANSWERS = ["I am fine, thank you.", "No.", "I am fine, and you? I like some milk today.", "", "Ärger 中 🙂"]
PAIRS = [(context, answer) for context in CONTEXTS for answer in ANSWERS]


def system(folder, **more):
    return HuggingFace("tiny", model=str(folder), **more)


def scored(one, pairs):
    return one.logprob([context for context, _ in pairs], [answer for _, answer in pairs])


class TwoWords(torch.nn.Module):
    """A language of two words: after word w comes the same word again with probability STAY[w]."""

    STAY = (0.9, 0.25)

    def __init__(self):
        super().__init__()
        self.config = transformers.LlamaConfig(vocab_size=2)
        self.config._attn_implementation = "sdpa"
        self.device, self.dtype = torch.device("cpu"), torch.float32

    def forward(self, input_ids, position_ids=None, attention_mask=None, use_cache=False, **_):
        stay = torch.tensor(self.STAY)[input_ids]
        same = torch.nn.functional.one_hot(input_ids, 2).bool()
        logits = torch.where(same, stay[..., None], 1 - stay[..., None]).log() + 3.0
        return transformers.modeling_outputs.CausalLMOutput(logits=logits)


@pytest.mark.parametrize("reach", [0, 99])
def test_log_probabilities_of_two_words_by_hand(reach):
    model = Causal(TwoWords(), frozenset({1}), fill=0, reach=reach)
    pairs = [Pair((0,), (0, 0, 1)), Pair((1,), (1, 0, 0)), Pair((0, 1), (0,)), Pair((0,), (0, 0, 1))]
    probabilities = [0.9 * 0.9 * 0.1, 0.25 * 0.75 * 0.9, 0.75, 0.9 * 0.9 * 0.1]
    assert model.logprobs(pairs, Pace(8)) == pytest.approx([math.log(p) for p in probabilities], abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score_end", [True, False])
def test_scores_are_those_of_transformers_own_loss(folders, kind, score_end):
    tiny = system(folders[kind], score_end=score_end)
    loaded = tiny._load()
    model = loaded.model.model
    pairs = [pair for pair in PAIRS if pair[1] or score_end]
    for (context, answer), found in zip(pairs, scored(tiny, pairs), strict=True):
        prefix = loaded.prompt_format.prompt(context, 999).tokens
        response = loaded.prompt_format.response(answer) + ((loaded.end,) if score_end else ())
        if loaded.seq2seq:
            opening = loaded.model.opening
            labels = torch.tensor([[-100] * (len(opening) - 1) + list(response)])
            inputs = torch.tensor([[*opening, *response[:-1]]])
            out = model(input_ids=torch.tensor([prefix]), decoder_input_ids=inputs, labels=labels)
        else:
            labels = torch.tensor([[-100] * len(prefix) + list(response)])
            out = model(input_ids=torch.tensor([prefix + response]), labels=labels)
        assert found == pytest.approx(-out.loss.item() * len(response), abs=1e-4)
        assert tiny.tokens([answer]).tolist() == [len(response)]


@pytest.mark.parametrize("kind", KINDS)
def test_company_changes_no_score(folders, kind):
    tiny = system(folders[kind])
    together = scored(tiny, PAIRS)
    alone = np.concatenate([scored(tiny, [pair]) for pair in PAIRS])
    assert np.abs(together - alone).max() < 1e-4
    assert np.abs(scored(tiny, PAIRS[::-1])[::-1] - together).max() < 1e-4
    few = scored(system(folders[kind], batch_size=2), PAIRS)
    assert np.abs(few - together).max() < 1e-4


@pytest.mark.parametrize(
    ("kind", "reach"), [("chat", True), ("gpt2", True), ("mistral", True), ("bloom", False)]
)
def test_trees_are_used_where_the_model_takes_them(folders, kind, reach):
    assert (system(folders[kind])._load().model.reach > 0) == reach


def test_a_sliding_window_scores_long_sequences_in_rows(folders):
    # 16 tokens: the contexts are longer, and a tree would let a token see all of them.
    tiny = system(folders["mistral"])
    assert tiny._load().model.reach == 16
    assert len(tiny._load().prompt_format.prompt(CONTEXTS[2], 999).tokens) > 16


def test_trees_and_rows_give_the_same_scores(folders):
    model = system(folders["chat"])._load().model
    pairs = [
        Pair((5, 6, 7), (8, 9, 2)),
        Pair((5, 6, 7), (8, 10, 11, 2)),
        Pair((5, 9), (2,)),
        Pair((5, 6), (7, 2)),
    ]
    rows = Causal(model.model, model.end, model.fill, reach=0)
    assert rows.logprobs(pairs, Pace(8)) == pytest.approx(model.logprobs(pairs, Pace(8)), abs=1e-5)


def test_contexts_are_read_once_for_all_their_candidates(folders):
    tiny = system(folders["chat"])
    seen: list[int] = []
    model = tiny._load().model.model
    hook = model.register_forward_pre_hook(
        lambda _model, _given, named: seen.append(named["input_ids"].numel()), with_kwargs=True
    )
    try:
        scored(tiny, [(context, f"I like {at}") for context in CONTEXTS for at in range(8)])
    finally:
        hook.remove()
    prefixes = [len(tiny._load().prompt_format.prompt(context, 999).tokens) for context in CONTEXTS]
    # "I like" is shared too: beyond the contexts there is little more than a token or two per candidate.
    assert sum(seen) < sum(prefixes) + 24 * 4


def test_an_encoder_reads_each_context_once(folders):
    tiny = system(folders["t5"], batch_size=2)
    seen: list[int] = []
    hook = (
        tiny._load()
        .model.model.get_encoder()
        .register_forward_pre_hook(
            lambda _model, _given, named: seen.append(len(named["input_ids"])), with_kwargs=True
        )
    )
    try:
        scored(tiny, PAIRS)
    finally:
        hook.remove()
    assert sum(seen) == len(CONTEXTS)


def test_probabilities_of_all_short_responses_sum_to_one(folders):
    # Every response of at most one token that ends, and every one of two tokens that goes on, is everything.
    loaded = system(folders["chat"])._load()
    model, prefix = loaded.model, (5, 6, 7)
    pairs = [Pair(prefix, (2,))] + [Pair(prefix, (at,)) for at in range(model.vocabulary) if at != 2]
    assert np.exp(model.logprobs(pairs, Pace(64))).sum() == pytest.approx(1, abs=1e-5)


def test_memory_that_runs_out_halves_what_is_done_at_once(folders, caplog):
    tiny = system(folders["chat"], batch_size=64)
    expected = scored(system(folders["chat"]), PAIRS)
    model = tiny._load().model.model

    def full(_model, _given, named):
        if named["input_ids"].numel() > 100:
            raise torch.OutOfMemoryError("out of memory")

    hook = model.register_forward_pre_hook(full, with_kwargs=True)
    try:
        assert scored(tiny, PAIRS) == pytest.approx(expected, abs=1e-4)
    finally:
        hook.remove()
    assert tiny._load().pace.size < 64
    assert "Out of memory" in caplog.text


def test_an_empty_response_is_the_chance_of_ending_at_once(folders):
    tiny = system(folders["chat"])
    loaded = tiny._load()
    logprobs, _ = loaded.model.start([loaded.prompt_format.prompt(CONTEXTS[0], 999).tokens])
    assert tiny.logprob([CONTEXTS[0]], [""])[0] == pytest.approx(logprobs[0, loaded.end].item(), abs=1e-5)
    assert tiny.tokens([""]).tolist() == [1]
    with pytest.raises(Unsuitable, match="empty response has no probability without its end"):
        system(folders["chat"], score_end=False).logprob([CONTEXTS[0]], [""])


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_context_works(folders, kind):
    assert np.isfinite(system(folders[kind]).logprob([(), ()], ["Hello.", ""])).all()


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int8"])
@pytest.mark.parametrize("kind", ["chat", pytest.param("gpt2", marks=pytest.mark.slow), "bart"])
def test_fewer_bits_move_scores_a_little(folders, kind, dtype):
    exact, rough = scored(system(folders[kind]), PAIRS), scored(system(folders[kind], dtype=dtype), PAIRS)
    assert 0 < np.abs(rough / exact - 1).max() < 0.1


def test_nothing_asked_is_nothing_scored(folders):
    tiny = system(folders["chat"])
    assert tiny.logprob([], []).shape == (0,)
    assert tiny.tokens([]).shape == (0,)
    with pytest.raises(Unsuitable, match="1 contexts and 2 responses"):
        tiny.logprob([()], ["a", "b"])


def test_it_is_a_likelihood_model_with_resources(folders):
    tiny = system(folders["chat"])
    assert isinstance(tiny, LikelihoodModel)
    assert list(tiny.resources) == ["chat"]
    assert len(tiny.resources["chat"]) == 64


PATHS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=8)


def test_a_shared_beginning_is_there_once():
    tree = Tree()
    assert tree.add([7, 8, 9]) == [0, 1, 2]
    assert tree.shared([7, 8, 5]) == 2
    assert tree.add([7, 8, 5]) == [0, 1, 3]
    assert (tree.tokens, tree.depths, tree.parents) == ([7, 8, 9, 5], [0, 1, 2, 2], [-1, 0, 1, 1])
    assert tree.ancestors().tolist() == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, True, False, True],
    ]


@given(paths=PATHS)
def test_every_path_sees_itself_and_nothing_else(paths):
    tree = Tree()
    places = [tree.add(path) for path in paths]
    seen = tree.ancestors()
    for path, nodes in zip(paths, places, strict=True):
        assert [tree.tokens[node] for node in nodes] == path
        assert [tree.depths[node] for node in nodes] == list(range(len(path)))
        for at, node in enumerate(nodes):
            assert sorted(seen[node].nonzero()[0].tolist()) == sorted(nodes[: at + 1])
        assert tree.shared(path) == len(path)


@given(paths=PATHS)
def test_there_are_as_many_nodes_as_different_beginnings(paths):
    tree = Tree()
    for path in paths:
        tree.add(path)
    assert len(tree) == len({tuple(path[: end + 1]) for path in paths for end in range(len(path))})


def test_rows_are_stored_by_their_largest_value():
    layer = Int8Linear(torch.tensor([[1.27, -0.5, 0.004], [0.0, 0.0, 0.0]]), torch.tensor([0.0, 2.0]))
    assert layer.weight.tolist() == [[127, -50, 0], [0, 0, 0]]
    assert layer(torch.tensor([[1.0, 2.0, 100.0]])).allclose(torch.tensor([[0.27, 2.0]]), atol=1e-6)


def test_no_weight_moves_by_more_than_half_a_step():
    torch.manual_seed(1)
    weight = torch.randn(40, 30)
    layer = Int8Linear(weight, None)
    steps = weight.abs().amax(1, keepdim=True) / 127
    assert ((layer(torch.eye(30)).T - weight).abs() <= steps * 0.5001).all()


def test_every_linear_layer_but_the_head_is_replaced():
    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), Conv1D(5, 4))
            self.head = nn.Linear(5, 7)

        def get_output_embeddings(self):
            return self.head

    torch.manual_seed(1)
    small = Small()
    given = torch.randn(6, 3)
    expected = small.inner(given)
    quantise(small)
    assert [type(layer).__name__ for layer in small.inner] == ["Int8Linear", "ReLU", "Int8Linear"]
    assert type(small.head) is nn.Linear
    assert small.inner(given).allclose(expected, atol=0.05)


def test_a_row_does_not_depend_on_its_company():
    torch.manual_seed(1)
    layer = Int8Linear(torch.randn(8, 8), torch.randn(8))
    rows = torch.cat([torch.randn(1, 8), 1000 * torch.randn(3, 8)])
    assert layer(rows)[:1].allclose(layer(rows[:1]), atol=1e-5)
