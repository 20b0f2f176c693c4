"""The interface between search and a model: start from prefixes, take a step, keep some rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from random import Random as Dice
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from dialeval.data.types import Context

if TYPE_CHECKING:
    from torch import Tensor


State = TypeVar("State")
"""What a model remembers of its rows; search never looks inside."""


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
        """How many tokens there are."""

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
    """Natural log of the model's own probability of the tokens, the end token's included where there is one."""
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
    """Where the numbers of one sample come from; only ``random()`` stays the same from one Python to the next."""
    return Dice(_number([seed, sample]))


def _number(content: object) -> int:
    return int.from_bytes(hashlib.sha256(json.dumps(content).encode()).digest(), "big")
