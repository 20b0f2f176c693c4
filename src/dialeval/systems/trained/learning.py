"""What a batch of lessons costs a model, whatever the model is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from dialeval.systems.trained.batches import Bundle, Width, bundles
from dialeval.systems.trained.lessons import Lesson
from dialeval.systems.trained.losses import likelihood, unlikelihood
from dialeval.systems.trained.network import Network, grid, pick
from dialeval.systems.trained.subwords import START, Subwords, Tokens


class TokenLesson(NamedTuple):
    """A lesson as tokens; where there is no negative response it is empty."""

    context: Tokens
    gold: Tokens
    negative: Tokens = ()


class Learner(Protocol):
    """A model under training."""

    @property
    def module(self) -> nn.Module:
        """Whose weights move."""

    def read(self, lesson: Lesson) -> TokenLesson:
        """The lesson as the model reads it, cut where it is too long."""

    def width(self, lesson: TokenLesson) -> Width:
        """How wide the lesson makes a batch."""

    def logits(self, contexts: Sequence[Tokens], responses: Sequence[Tokens]) -> Tensor:
        """Logits for each token of each response, one response after the other, shape (tokens, vocabulary)."""


class Sums(NamedTuple):
    """What lessons cost in total."""

    nats: float = 0.0
    tokens: int = 0
    unlikely: float = 0.0
    """The sum of -log(1 - p) over the tokens of negative responses."""
    negatives: int = 0
    """How many tokens these have."""

    def plus(self, other: Sums) -> Sums:
        """Both together."""
        return Sums(
            self.nats + other.nats,
            self.tokens + other.tokens,
            self.unlikely + other.unlikely,
            self.negatives + other.negatives,
        )

    @property
    def nats_per_token(self) -> float:
        """Of the right responses."""
        return self.nats / self.tokens

    @property
    def unlikelihood(self) -> float | None:
        """Per token of the negative responses; None where there are none."""
        return self.unlikely / self.negatives if self.negatives else None

    def mean(self, alpha: float) -> float:
        """What training makes small, but for smoothed labels."""
        return self.nats_per_token + alpha * (self.unlikelihood or 0.0)


class Cost(NamedTuple):
    """A batch's loss, to be trained on, and what it is made of."""

    loss: Tensor
    sums: Sums


@dataclass(frozen=True, slots=True)
class Objective:
    """Likelihood of the right responses, and ``alpha`` times the unlikelihood of the negative ones.

    Each part is a mean over its own tokens, ends counted, as in the code of Li et al. (2020).
    """

    learner: Learner
    smoothing: float = 0.0
    alpha: float = 0.0

    def cost(self, batch: Sequence[TokenLesson]) -> Cost:
        """What these lessons cost."""
        against = [lesson for lesson in batch if lesson.negative]
        contexts = [lesson.context for lesson in (*batch, *against)]
        golds, negatives = [lesson.gold for lesson in batch], [lesson.negative for lesson in against]
        logits = self.learner.logits(contexts, [*golds, *negatives])
        wanted = torch.tensor([token for text in golds for token in text], device=logits.device)
        right = likelihood(logits[: len(wanted)], wanted, self.smoothing)
        loss = right.loss / len(wanted)
        sums = Sums(float(right.nats.detach()), len(wanted))
        if against:
            unwanted = torch.tensor([token for text in negatives for token in text], device=logits.device)
            wrong = unlikelihood(logits[len(wanted) :], unwanted)
            loss = loss + self.alpha * wrong / len(unwanted)
            sums = sums._replace(unlikely=float(wrong.detach()), negatives=len(unwanted))
        return Cost(loss, sums)


@dataclass(frozen=True, slots=True, eq=False)
class OwnLearner:
    """A network of ours under training."""

    module: Network
    subwords: Subwords
    turns: int
    longest_context: int
    longest_response: int

    def read(self, lesson: Lesson) -> TokenLesson:
        """The lesson's tokens; a response that is too long ends without its end."""
        context = self.subwords.context(lesson.context, turns=self.turns, longest=self.longest_context).tokens
        gold = self.subwords.response(lesson.gold)[: self.longest_response]
        negative = () if lesson.negative is None else self.subwords.response(lesson.negative)
        return TokenLesson(context, gold, negative[: self.longest_response])

    def width(self, lesson: TokenLesson) -> Width:
        """Of its context, which is encoded once for all responses, and of the longer response."""
        return Width(len(lesson.context), max(len(lesson.gold), len(lesson.negative)))

    def logits(self, contexts: Sequence[Tokens], responses: Sequence[Tokens]) -> Tensor:
        """Logits for each token of each response; a context that occurs again is not encoded again."""
        return self.module.logits(token_states(self.module, contexts, responses))


def token_states(network: Network, contexts: Sequence[Tokens], responses: Sequence[Tokens]) -> Tensor:
    """The states from which each token of each response is predicted, shape (tokens, embedding)."""
    row = {context: at for at, context in enumerate(dict.fromkeys(contexts))}
    memory = network.encode(grid(list(row), network.device))
    if len(row) < len(contexts):
        memory = pick(memory, torch.tensor([row[context] for context in contexts], device=network.device))
    read = grid([(START, *response[:-1]) for response in responses], network.device)
    return network.decode(memory, read.ids)[read.mask]


def bundle(learner: Learner, lessons: Sequence[TokenLesson]) -> list[Bundle]:
    """The lessons by context, as batches are made of them."""
    return bundles([lesson.context for lesson in lessons], [learner.width(lesson) for lesson in lessons])
