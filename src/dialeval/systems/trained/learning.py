"""The loss of a batch of lessons, for networks of ours and for pretrained ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from dialeval.systems.trained.lessons import Bundle, Lesson, Width, bundles, cut_batches, training_batches
from dialeval.systems.trained.network import Network, pick
from dialeval.systems.trained.subwords import START, Subwords, Tokens
from dialeval.training.task import Loss, Numbers, Sum, Sums, Task, add_sums, means, unigram_nats


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

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""

    def read(self, lesson: Lesson) -> TokenLesson:
        """The lesson as the model reads it, cut where it is too long."""

    def width(self, lesson: TokenLesson) -> Width:
        """How wide the lesson makes a batch."""

    def logits(self, contexts: Sequence[Tokens], responses: Sequence[Tokens]) -> Tensor:
        """Logits for each token of each response, one response after the other, shape (tokens, vocabulary)."""


@dataclass(frozen=True, slots=True)
class Objective:
    """Likelihood of the right responses, and ``alpha`` times the unlikelihood of the negative ones.

    Each part is a mean over its own tokens, ends counted, as in the code of Li et al. (2020).
    """

    learner: Learner
    smoothing: float = 0.0
    alpha: float = 0.0

    def loss(self, batch: Sequence[TokenLesson]) -> Loss:
        """The loss of these lessons, with its nats and unlikelihood over the tokens of right and negative responses."""
        against = [lesson for lesson in batch if lesson.negative]
        contexts = [lesson.context for lesson in (*batch, *against)]
        golds, negatives = [lesson.gold for lesson in batch], [lesson.negative for lesson in against]
        logits = self.learner.logits(contexts, [*golds, *negatives])
        wanted = torch.tensor([token for text in golds for token in text], device=logits.device)
        right = likelihood(logits[: len(wanted)], wanted, self.smoothing)
        loss = right.loss / len(wanted)
        sums = {"nats": Sum(float(right.nats.detach()), len(wanted))}
        if against:
            unwanted = torch.tensor([token for text in negatives for token in text], device=logits.device)
            wrong = unlikelihood(logits[len(wanted) :], unwanted)
            loss = loss + self.alpha * wrong / len(unwanted)
            sums["unlikelihood"] = Sum(float(wrong.detach()), len(unwanted))
        return Loss(loss, sums)

    def mean(self, numbers: Numbers) -> float:
        """What training makes small, but for smoothed labels."""
        return numbers["nats"] + self.alpha * numbers.get("unlikelihood", 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class OwnLearner:
    """A network of ours under training."""

    module: Network
    subwords: Subwords
    turns: int
    longest_context: int
    longest_response: int

    @property
    def vocabulary(self) -> int:
        """How many subwords there are."""
        return self.module.vocabulary

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
    row = {context: index for index, context in enumerate(dict.fromkeys(contexts))}
    memory = network.encode(network.pad(list(row)))
    if len(row) < len(contexts):
        memory = pick(memory, torch.tensor([row[context] for context in contexts], device=network.device))
    read = network.pad([(START, *response[:-1]) for response in responses])
    return network.decode(memory, read.ids)[read.mask]


def make_task(
    objective: Objective,
    train: Sequence[TokenLesson],
    held_out: Sequence[TokenLesson],
    tokens: int,
    seed: int,
) -> Task:
    """What the training loop needs, in batches of this many tokens."""
    measured = held_out or train
    golds, out = ([token for lesson in lessons for token in lesson.gold] for lessons in (train, measured))
    bundled, bundled_out = _bundle(objective.learner, train), _bundle(objective.learner, held_out)

    def validate() -> Numbers:
        total: Sums = {}
        for rows in cut_batches(bundled_out, tokens):
            total = add_sums(total, objective.loss([held_out[row] for row in rows]).sums)
        return means(total)

    return Task(
        objective.learner.module,
        lambda epoch: training_batches(bundled, tokens, seed, epoch),
        lambda rows: [objective.loss([train[row] for row in rows])],
        validate if held_out else None,
        objective.mean,
        {"nats": unigram_nats(golds, out, objective.learner.vocabulary)},
    )


def _bundle(learner: Learner, lessons: Sequence[TokenLesson]) -> list[Bundle]:
    """The lessons by context, as batches are made of them."""
    return bundles([lesson.context for lesson in lessons], [learner.width(lesson) for lesson in lessons])


class Likelihood(NamedTuple):
    """Of the right tokens of a batch, summed."""

    loss: Tensor
    """What is trained on: with smoothed labels where that is asked for."""
    nats: Tensor
    """Negative log-probability."""


def likelihood(logits: Tensor, tokens: Tensor, smoothing: float = 0.0) -> Likelihood:
    """Cross entropy of logits (n, vocabulary) with tokens (n,).

    With smoothing e the wanted distribution has 1 - e on the token and e spread over the whole vocabulary (Szegedy et
    al., 2016, section 7).
    """
    logprobs = logits.float().log_softmax(-1) if logits.dtype != torch.float64 else logits.log_softmax(-1)
    nats = -logprobs.gather(-1, tokens[:, None]).sum()
    if not smoothing:
        return Likelihood(nats, nats)
    return Likelihood((1 - smoothing) * nats - smoothing * logprobs.mean(-1).sum(), nats)


def unlikelihood(logits: Tensor, tokens: Tensor) -> Tensor:
    """The sum over tokens of -log(1 - p(token)), for logits (n, vocabulary) and tokens (n,).

    The loss of Welleck et al. (2020), which Li et al. (2020) put on contradictions. The mass of all other tokens is
    summed in logarithms, so value and gradient are right also where p rounds to 1.
    """
    if logits.dtype != torch.float64:
        logits = logits.float()
    others = logits.scatter(-1, tokens[:, None], -math.inf)
    return (logits.logsumexp(-1) - others.logsumexp(-1)).sum()
