"""Every way of decoding behind one function; greedy search and sampling, which walk token by token."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random as Dice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from dialeval.systems.decoding.beams import search_beams
from dialeval.systems.decoding.model import Hypothesis, State, StepModel, sample_stream
from dialeval.systems.decoding.settings import Decoding

if TYPE_CHECKING:
    from torch import Tensor

_ROUNDING: Final = 1e-6
"""Models compute in 32-bit floats or less, so masses this close are the same."""
_LIKELIEST: Final = (256, 4096)
"""How many tokens a nucleus is looked for in, before all are sorted."""


def decode(
    model: StepModel[State],
    prefixes: Sequence[Sequence[int]],
    decoding: Decoding,
    *,
    n: int = 1,
    seeds: Sequence[int] = (),
) -> list[list[Hypothesis]]:
    """At most ``n`` responses to each prefix, best first: likeliest, or by score where beams are ranked by length.

    Sampling needs one seed per prefix, as ``context_seed`` gives it; each sample then draws from a stream of its own,
    so that it is the same in any company. Greedy search has one response, beams as many as there are beams. All
    prefixes run in one batch; callers split what does not fit.
    """
    import torch

    if not prefixes or n < 1:
        return [[] for _ in prefixes]
    with torch.inference_mode():
        if decoding.method == "greedy":
            return take_likeliest(model, prefixes, decoding)
        if decoding.method in ("beam", "diverse_beam"):
            return search_beams(model, prefixes, decoding, n)
        if len(seeds) != len(prefixes):
            raise ValueError(f"{len(prefixes)} prefixes need as many seeds to sample, found {len(seeds)}")
        return sample(model, prefixes, decoding, n, seeds)


class _Walk(NamedTuple):
    """A response under way."""

    item: int
    dice: Dice
    tokens: tuple[int, ...] = ()
    logprob: float = 0.0


_Choose: TypeAlias = "Callable[[Tensor, Sequence[_Walk]], Tensor]"


def take_likeliest(
    model: StepModel[State], prefixes: Sequence[Sequence[int]], decoding: Decoding
) -> list[list[Hypothesis]]:
    """One response to each prefix, of the likeliest token each time."""
    walks = [_Walk(item, Dice(0)) for item in range(len(prefixes))]
    return _walk(model, prefixes, walks, decoding, lambda logprobs, _walks: logprobs.argmax(-1))


def sample(
    model: StepModel[State],
    prefixes: Sequence[Sequence[int]],
    decoding: Decoding,
    n: int,
    seeds: Sequence[int],
) -> list[list[Hypothesis]]:
    """``n`` responses to each prefix, drawn independently, the same text perhaps more than once; likeliest first."""
    walks = [
        _Walk(item, sample_stream(seed, number)) for item, seed in enumerate(seeds) for number in range(n)
    ]

    def draw(logprobs: Tensor, walks: Sequence[_Walk]) -> Tensor:
        return draw_tokens(token_weights(logprobs, decoding), [walk.dice.random() for walk in walks])

    return _walk(model, prefixes, walks, decoding, draw)


def token_weights(logprobs: Tensor, decoding: Decoding) -> Tensor:
    """What each token weighs in the draw, shape (rows, vocabulary), in 64-bit floats; 0 for those left out."""
    import torch

    weights = torch.softmax(logprobs.double() / decoding.temperature, -1)
    if decoding.method == "sample":
        return weights
    if decoding.method == "top_k":
        best = weights.topk(min(decoding.top_k, weights.shape[-1]))
        return torch.zeros_like(weights).scatter(-1, best.indices, best.values)
    values, tokens = _likeliest(weights, decoding.top_p)
    # A token is in if those likelier than it do not reach the mass: the smallest set that has it.
    inside = values.cumsum(-1) - values < decoding.top_p - _ROUNDING
    inside[:, 0] = True
    return torch.zeros_like(weights).scatter(-1, tokens, values * inside)


def _likeliest(weights: Tensor, mass: float) -> tuple[Tensor, Tensor]:
    """Weights and tokens, heaviest first, at least as many as have the mass in every row."""
    for count in _LIKELIEST:
        if count < weights.shape[-1]:
            best = weights.topk(count)
            if bool((best.values.sum(-1) >= mass).all()):
                return best.values, best.indices
    ordered = weights.sort(stable=True, descending=True)
    return ordered.values, ordered.indices


def draw_tokens(weights: Tensor, numbers: Sequence[float]) -> Tensor:
    """The token of each row in which the number, from 0 up to 1, falls when tokens lie side by side by weight."""
    import torch

    # In the order of the vocabulary: in that of weight, rounding could swap neighbours and so change what is drawn.
    edges = weights.cumsum(-1)
    places = torch.tensor(numbers, dtype=edges.dtype, device=edges.device)[:, None] * edges[:, -1:]
    columns = torch.searchsorted(edges, places, right=True)[:, 0]
    # The last place can round up to the last edge.
    return torch.minimum(columns, torch.searchsorted(edges, edges[:, -1:].contiguous())[:, 0])


def _walk(
    model: StepModel[State],
    prefixes: Sequence[Sequence[int]],
    walks: Sequence[_Walk],
    decoding: Decoding,
    choose: _Choose,
) -> list[list[Hypothesis]]:
    """What each walk comes to, by item, likeliest first; a walk that has ended leaves the batch."""
    import torch

    done: list[list[Hypothesis]] = [[] for _ in prefixes]
    logprobs, state = model.start(prefixes)
    if len(walks) > len(prefixes):
        items = torch.tensor([walk.item for walk in walks], device=logprobs.device)
        logprobs, state = logprobs[items], model.select(state, items)
    for length in range(1, decoding.longest + 1):
        if length <= decoding.min_tokens:
            logprobs[:, sorted(model.end)] = -math.inf
        tokens = choose(logprobs, walks)
        gained = logprobs.gather(-1, tokens[:, None])[:, 0]
        walks = [_extended(*step) for step in zip(walks, tokens.tolist(), gained.tolist(), strict=True)]
        going = []
        for row, walk in enumerate(walks):
            ended = walk.tokens[-1] in model.end
            if ended or length == decoding.longest:
                said = walk.tokens[:-1] if ended else walk.tokens
                done[walk.item].append(Hypothesis(said, walk.logprob, ended))
            else:
                going.append(row)
        if not going:
            break
        if len(going) < len(walks):
            kept = torch.tensor(going, device=tokens.device)
            walks, tokens, state = [walks[row] for row in going], tokens[kept], model.select(state, kept)
        logprobs, state = model.step(tokens, state)
    return [sorted(hypotheses, key=lambda hypothesis: -hypothesis.logprob) for hypotheses in done]


def _extended(walk: _Walk, token: int, gained: float) -> _Walk:
    return walk._replace(tokens=(*walk.tokens, token), logprob=walk.logprob + gained)
