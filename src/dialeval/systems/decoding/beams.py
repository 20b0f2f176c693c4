"""Beam search, and diverse beam search in groups that see what the groups before them took.

A response's score is its log-probability over its length to the power of the length penalty, the end token counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.systems.decoding.model import Hypothesis, State, StepModel
from dialeval.systems.decoding.settings import Decoding

if TYPE_CHECKING:
    from torch import Tensor


class _Beginning(NamedTuple):
    """A response under way, and the row of the batch that holds its state."""

    tokens: tuple[int, ...]
    logprob: float
    row: int


class _Continuation(NamedTuple):
    """A beginning with one more token."""

    value: float
    """What it is chosen by: its log-probability less what it pays for tokens that other groups took."""
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
        _number(items)
    return [_best(groups, decoding.length_penalty)[:n] for groups in items]


def _following(logprobs: Tensor, decoding: Decoding, ends: int) -> _Next:
    """As many likeliest tokens per row as could matter: a group's beams, all ends, all tokens other groups can take."""
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


def _number(items: Sequence[Sequence[_Group]]) -> None:
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
