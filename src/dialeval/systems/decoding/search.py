"""Search for responses in next-token probabilities: greedy, by sampling, by beams and by diverse beams.

A model gives next tokens through the interface ``StepModel``: start from prefixes, take a step, keep some rows. A
response's score among beams is its log-probability over its length to the power of the length penalty, the end token
counted. Diverse beams search in groups that see what the groups before them took.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random as Dice
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.data.types import Context
from dialeval.resources.device import wide
from dialeval.systems.decoding.settings import Decoding

if TYPE_CHECKING:
    from torch import Tensor


State = TypeVar("State")
"""Memory of a model about its rows; search never looks inside."""


class StepModel(Protocol[State]):
    """A model that gives the log-probability of each next token.

    Log-probabilities are natural, in 32-bit floats, sum to one over the vocabulary, and belong to the caller, who may
    write into them. A row's log-probabilities depend on its own tokens alone, never on the rows beside it.
    """

    @property
    def end(self) -> frozenset[int]:
        """The tokens that end a response, at least one."""

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""

    def start(self, prefixes: Sequence[Sequence[int]], /) -> tuple[Tensor, State]:
        """Log-probabilities of the first token after each prefix, shape (rows, vocabulary), and the state there."""

    def step(self, tokens: Tensor, state: State, /) -> tuple[Tensor, State]:
        """Log-probabilities after one more token per row, shape (rows, vocabulary); ``state`` is not used again."""

    def select(self, state: State, rows: Tensor, /) -> State:
        """The state of these rows, in this order, some often and some not at all; ``state`` is not used again."""


class Hypothesis(NamedTuple):
    """A response as tokens."""

    tokens: tuple[int, ...]
    """Without the end token."""
    logprob: float
    """Natural log of the model's own probability of the tokens, the end token's included if there is one."""
    finished: bool
    """Whether it ended; else it was cut at ``max_tokens``."""

    @property
    def length(self) -> int:
        """Tokens, the end token counted."""
        return len(self.tokens) + self.finished


def context_seed(seed: int, context: Context) -> int:
    """The seed of all samples of one context."""
    return _number([seed, [(turn.speaker, turn.text, turn.name) for turn in context]])


def sample_stream(seed: int, sample: int) -> Dice:
    """Return the random numbers of one sample; only ``random()`` stays the same from one Python to the next."""
    return Dice(_number([seed, sample]))


def _number(content: object) -> int:
    return int.from_bytes(hashlib.sha256(json.dumps(content).encode()).digest(), "big")


class _Beginning(NamedTuple):
    """A response under way, and the row of the batch that holds its state."""

    tokens: tuple[int, ...]
    logprob: float
    row: int


class _Continuation(NamedTuple):
    """A beginning with one more token."""

    value: float
    """Value by which it is chosen: its log-probability less what it pays for tokens that other groups took."""
    logprob: float
    token: int
    before: _Beginning

    @property
    def tokens(self) -> tuple[int, ...]:
        return (*self.before.tokens, self.token)


class _Next(NamedTuple):
    """The likeliest next tokens of every row, shape (rows, tokens), with their log-probabilities."""

    tokens: Integers
    logprobs: Floats


@dataclass(slots=True)
class _Group:
    """Beams of one item that compete with each other alone."""

    running: list[_Beginning]
    ended: list[Hypothesis] = field(default_factory=list)
    """The best so far, best first, at most as many as there are beams in the group."""


def search_beams(
    model: StepModel[State], prefixes: Sequence[Sequence[int]], decoding: Decoding, n: int
) -> list[list[Hypothesis]]:
    """At most ``n`` different responses to each prefix, best score first.

    As in transformers, a response that ends counts if it is among the ``beams`` best continuations of its step, and an
    item is done when no running beginning would beat the worst of as many ended ones if it ended where it stands.
    """
    import torch

    items = [
        [_Group([_Beginning((), 0.0, item)]) for _ in range(decoding.groups)] for item in range(len(prefixes))
    ]
    logprobs, state = model.start(prefixes)
    for length in range(1, decoding.longest + 1):
        if length <= decoding.min_tokens:
            logprobs[:, sorted(model.end)] = -math.inf
        following = _following(logprobs, decoding, len(model.end))
        for groups in items:
            taken: Counter[int] = Counter()
            for group in groups:
                _advance(group, following, taken, length, model.end, decoding)
                taken.update(beginning.tokens[-1] for beginning in group.running)
        running = [beginning for groups in items for group in groups for beginning in group.running]
        if not running:
            break
        rows = torch.tensor([beginning.row for beginning in running], device=logprobs.device)
        tokens = torch.tensor([beginning.tokens[-1] for beginning in running], device=logprobs.device)
        logprobs, state = model.step(tokens, model.select(state, rows))
        _number_rows(items)
    return [_best(groups, decoding.length_penalty)[:n] for groups in items]


def _following(logprobs: Tensor, decoding: Decoding, ends: int) -> _Next:
    """Return the likeliest tokens per row that could matter: its beams, all ends, all that other groups can take."""
    others = decoding.beams - decoding.beams // decoding.groups
    best = logprobs.topk(min(decoding.beams // decoding.groups + ends + others, logprobs.shape[-1]))
    return _Next(
        best.indices.cpu().numpy(), best.values.cpu().double().numpy()
    )  # some devices have no float64


def _advance(
    group: _Group,
    following: _Next,
    taken: Mapping[int, int],
    length: int,
    end: frozenset[int],
    decoding: Decoding,
) -> None:
    width, penalty = decoding.beams // decoding.groups, decoding.length_penalty
    most = width + len(group.running) * len(end)
    pool = _continuations(group.running, following, taken, decoding.diversity, most) if group.running else []
    for candidate in pool[:width]:
        if candidate.token in end:
            group.ended.append(Hypothesis(candidate.before.tokens, candidate.logprob, finished=True))
        elif length == decoding.longest:
            group.ended.append(Hypothesis(candidate.tokens, candidate.logprob, finished=False))
    group.ended = sorted(
        group.ended, key=lambda candidate: -_score(candidate.logprob, candidate.length, penalty)
    )[:width]
    going = (
        [candidate for candidate in pool if candidate.token not in end] if length < decoding.longest else []
    )
    group.running = [
        _Beginning(candidate.tokens, candidate.logprob, candidate.before.row) for candidate in going[:width]
    ]
    if group.running and len(group.ended) == width:
        worst = group.ended[-1]
        hope = _score(max(candidate.logprob for candidate in group.running), length, penalty)
        if hope <= _score(worst.logprob, worst.length, penalty):
            group.running = []


def _continuations(
    running: Sequence[_Beginning], following: _Next, taken: Mapping[int, int], diversity: float, most: int
) -> list[_Continuation]:
    """At least the ``most`` best ways to go on, best first; of equal ones the earlier row, then the lower token."""
    rows = np.array([beginning.row for beginning in running])
    tokens = following.tokens[rows]
    logprobs = np.array([beginning.logprob for beginning in running])[:, None] + following.logprobs[rows]
    values = logprobs
    if taken:
        values = logprobs - diversity * np.array(
            [[taken.get(token, 0) for token in row] for row in tokens.tolist()]
        )
    flat = np.nan_to_num(values.ravel(), nan=-math.inf, posinf=math.inf, neginf=-math.inf)
    worst = np.partition(flat, -most)[-most] if most < len(flat) else -math.inf
    kept = np.flatnonzero((flat >= worst) & (flat > -math.inf))
    before, token = kept // tokens.shape[1], tokens.ravel()[kept]
    order = np.lexsort((token, rows[before], -flat[kept]))
    return [
        _Continuation(value, logprob, next_token, running[beginning])
        for value, logprob, next_token, beginning in zip(
            flat[kept][order].tolist(),
            logprobs.ravel()[kept][order].tolist(),
            token[order].tolist(),
            before[order].tolist(),
            strict=True,
        )
    ]


def _number_rows(items: Sequence[Sequence[_Group]]) -> None:
    """Rows as they stand after the step: all that runs, item by item, group by group."""
    row = 0
    for groups in items:
        for group in groups:
            group.running = [
                candidate._replace(row=row + index) for index, candidate in enumerate(group.running)
            ]
            row += len(group.running)


def _best(groups: Sequence[_Group], penalty: float) -> list[Hypothesis]:
    """All groups' responses, best score first, each text once: groups can meet, and so can ends."""
    ended = [candidate for group in groups for candidate in group.ended]
    different: dict[tuple[tuple[int, ...], bool], Hypothesis] = {}
    for candidate in sorted(
        ended, key=lambda candidate: -_score(candidate.logprob, candidate.length, penalty)
    ):
        different.setdefault((candidate.tokens, candidate.finished), candidate)
    return list(different.values())


def _score(logprob: float, length: int, penalty: float) -> float:
    return float(logprob / length**penalty)


_ROUNDING: Final = 1e-6
"""Models compute in 32-bit floats or less, so masses this close are the same."""
_LIKELIEST: Final = (256, 4096)
"""Numbers of tokens in which a nucleus is looked for, before all are sorted."""


def decode(
    model: StepModel[State],
    prefixes: Sequence[Sequence[int]],
    decoding: Decoding,
    *,
    n: int = 1,
    seeds: Sequence[int] = (),
) -> list[list[Hypothesis]]:
    """At most ``n`` responses to each prefix, best first: likeliest, or by score if beams are ranked by length.

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
        drawn = draw_tokens(token_weights(logprobs, decoding), [walk.dice.random() for walk in walks])
        return drawn.to(logprobs.device)

    return _walk(model, prefixes, walks, decoding, draw)


def token_weights(logprobs: Tensor, decoding: Decoding) -> Tensor:
    """Return what each token weighs in the draw, shape (rows, vocabulary), in 64-bit floats; 0 for those left out."""
    import torch

    weights = torch.softmax(wide(logprobs) / decoding.temperature, -1)
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
    """Return what each walk comes to, by item, likeliest first; a walk that has ended leaves the batch."""
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
