"""Training of generators: the loss of a batch of lessons, and the way from lessons to a model in a folder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from dialeval.files.atomic import write_atomically
from dialeval.systems.trained.config import LAYOUT, TrainConfig, read_config
from dialeval.systems.trained.generator import (
    Origin,
    build,
    read_generator,
    write_generator,
)
from dialeval.systems.trained.lessons import (
    Bundle,
    Lesson,
    Split,
    Width,
    bundles,
    cut_batches,
    digest,
    training_batches,
)
from dialeval.systems.trained.networks import Network, pick
from dialeval.systems.trained.subwords import START, Subwords, Tokens, learn, load_subwords
from dialeval.training.checkpoint import Checkpoints, Evaluation
from dialeval.training.folder import CHECKPOINT, count_weights, perplexity
from dialeval.training.loop import DEFAULT, Ending, Fitted, Session, Shortfall, fit
from dialeval.training.task import Loss, Numbers, Sum, Sums, Task, add_sums, means, unigram_nats


class TokenLesson(NamedTuple):
    """A lesson as tokens; if there is no negative response it is empty."""

    context: Tokens
    gold: Tokens
    negative: Tokens = ()


class Learner(Protocol):
    """A model under training."""

    @property
    def module(self) -> nn.Module:
        """Return whose weights move."""

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""

    def read(self, lesson: Lesson) -> TokenLesson:
        """The lesson as the model reads it, cut if it is too long."""

    def width(self, lesson: TokenLesson) -> Width:
        """Return how wide the lesson makes a batch."""

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
        """Return what training makes small, but for smoothed labels."""
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
        """Number of subwords."""
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
    """Return what the training loop needs, in batches of this many tokens."""
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
    """The loss that is trained on: with smoothed labels if that is asked for."""
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of training."""

    folder: Path
    lessons: int
    held_out: int
    parameters: int
    vocabulary: int
    history: tuple[Evaluation, ...]
    best: Evaluation
    """Whose weights were kept."""
    ending: Ending
    shortfall: Shortfall | None
    """Sign that the model has learnt nothing; None if it has learnt something."""

    @property
    def perplexity(self) -> float | None:
        """On the held-out responses, of the weights that were kept; None if none are held out."""
        return perplexity(self.best)


def train(
    data: Split,
    config: TrainConfig,
    folder: Path,
    *,
    start: Path | None = None,
    session: Session = DEFAULT,
) -> Outcome:
    """Learn from ``data`` and write the generator to ``folder``; a run that was killed resumes from its checkpoint.

    With ``start``, another generator's folder, its weights are where learning begins; its shape, subwords and
    lengths are then kept, whatever ``config`` says of them.
    """
    network, subwords, config = (
        _start(start, config) if start else _new(data, config, folder, resume=session.resume)
    )
    learner = OwnLearner(
        network,
        subwords,
        config.turns,
        config.longest_context,
        config.longest_response,
    )
    origin = make_origin(data, LAYOUT.find(start).sha256 if start else None)
    fitted = fit_lessons(learner, data, config, origin, folder, session)
    write_generator(folder, network, subwords, config, origin, fitted)
    return outcome(folder, data, count_weights(network), len(subwords), fitted)


def fit_lessons(
    learner: Learner, data: Split, config: TrainConfig, origin: Origin, folder: Path, session: Session
) -> Fitted:
    """Train the learner's model, with checkpoints in ``folder``."""
    task = make_task(
        Objective(learner, config.label_smoothing, config.alpha),
        [learner.read(lesson) for lesson in data.train],
        [learner.read(lesson) for lesson in data.held_out],
        config.batch_tokens,
        config.schedule.seed,
    )
    return fit(task, config.schedule, Checkpoints(folder, _identity(config, origin)), session)


def outcome(folder: Path, data: Split, parameters: int, vocabulary: int, fitted: Fitted) -> Outcome:
    """The outcome of a run that has ended."""
    return Outcome(
        folder,
        len(data.train),
        len(data.held_out),
        parameters,
        vocabulary,
        fitted.history,
        fitted.best,
        fitted.ending,
        fitted.shortfall,
    )


def make_origin(data: Split, start: str | None) -> Origin:
    """The origin of a model; ``start`` is the sha256 of the model that it starts from."""
    return Origin(digest(data.train), len(data.train), digest(data.held_out), len(data.held_out), start)


def further(folder: Path) -> TrainConfig:
    """Return how a generator of ours is trained further: as before, at a tenth of the learning rate."""
    before = read_config(folder)
    schedule = replace(before.schedule, learning_rate=before.schedule.learning_rate / 10, warm_up=50)
    return replace(before, schedule=schedule)


def _identity(config: TrainConfig, origin: Origin) -> dict[str, Any]:
    """Return what must be equal for a run to be resumed, one level deep; epochs and patience may grow."""
    settings = config.as_json()
    flat = {**settings.pop("shape"), **settings.pop("schedule"), **settings}
    kept = {key: value for key, value in flat.items() if key not in config.schedule.resumable}
    return {**asdict(origin), **kept}


def _new(
    data: Split, config: TrainConfig, folder: Path, *, resume: bool
) -> tuple[Network, Subwords, TrainConfig]:
    known = folder / LAYOUT.vocabulary
    if resume and known.is_file() and (folder / CHECKPOINT).is_file():
        subwords = load_subwords(known)
    else:
        subwords = learn(_texts(data.train), config.vocabulary)
        write_atomically(known, subwords.save())
    return build(config.shape, len(subwords), config.schedule.seed), subwords, config


def _start(start: Path, config: TrainConfig) -> tuple[Network, Subwords, TrainConfig]:
    network, subwords, before = read_generator(start)
    kept = replace(
        before, schedule=config.schedule, label_smoothing=config.label_smoothing, alpha=config.alpha
    )
    return network, subwords, kept


def _texts(lessons: list[Lesson]) -> list[str]:
    """Every turn and every response once for each time it is met as one."""
    contexts = {lesson.context for lesson in lessons}
    turns = [turn.text for context in sorted(contexts, key=repr) for turn in context]
    return turns + [lesson.gold for lesson in lessons]
