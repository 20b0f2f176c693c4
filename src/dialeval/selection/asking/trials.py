"""RANDOM against CHOSEN: the same questions with random false candidates, many times (Sato et al., 2020, Figure 2).

Every question gets a pool of random false candidates, which a system scores once; each trial draws from the pool, so
that a hundred trials cost little more than one. Trials that share a pool spread less than fresh draws would: how much
less follows from the pool itself.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol

import numpy as np

from dialeval.core import Floats, Integers, Missing, System
from dialeval.data.choices import Choice
from dialeval.data.types import Candidate, Context, Question
from dialeval.engine import SILENT, Cache, Executor, Progress
from dialeval.errors import Unsuitable
from dialeval.selection.asking.choices import Normalise, choose, fitted_chooser
from dialeval.selection.asking.choosers import Chooser
from dialeval.selection.repository.repository import built_repository
from dialeval.selection.repository.utterances import Sieve, corpus_of, filters_beside, same_key, texts_of

_MOST_TRIED: Final = 10_000
_READ_AT_ONCE: Final = 64


class Utterances(Protocol):
    """Where random candidates come from: a repository, or what `listed` makes of texts."""

    def __len__(self) -> int: ...

    def texts(self, ids: Iterable[int], /) -> list[str]:
        """The utterances of these numbers."""


@dataclass(frozen=True, slots=True)
class UtteranceList:
    """Utterances in memory."""

    all: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.all)

    def texts(self, ids: Iterable[int], /) -> list[str]:
        """The utterances of these numbers."""
        return [self.all[number] for number in ids]


@dataclass(frozen=True, slots=True, eq=False)
class RandomTrials:
    """Accuracies over the same questions with the candidates they have, and with random false ones."""

    systems: tuple[str, ...]
    chosen: Floats
    """Accuracy of each system with the questions' own false candidates, shape (systems,)."""
    random: Floats
    """Accuracy with random ones, shape (trials, systems)."""
    widening: Floats
    """How much further fresh draws would spread than these, shape (systems,); NaN where a pool is too small to say."""
    questions: int
    """How many all systems have a choice in, with own and with random candidates."""
    left_out: int
    pool: int
    """Random candidates per question that were scored, the most of any question."""
    seed: int

    @property
    def fresh(self) -> Floats:
        """The accuracies of trials, spread about their means as those of fresh draws would be; shape of ``random``."""
        means, wider = self.random.mean(axis=0), np.where(np.isnan(self.widening), 1.0, self.widening)
        accuracies: Floats = np.clip(means + (self.random - means) * wider, 0.0, 1.0)
        return accuracies


def listed(texts: Iterable[str]) -> UtteranceList:
    """These utterances, each once however it is spelled."""
    return UtteranceList(tuple({same_key(text): text for text in texts if text.strip()}.values()))


def candidates_of(questions: Iterable[Question]) -> UtteranceList:
    """All candidates of the questions, which can stand in for a repository."""
    return listed(candidate.text for question in questions for candidate in question.candidates)


@dataclass(frozen=True, slots=True)
class RandomChoice:
    """Choice of a system for a question with its own candidates, and with a pool of random false ones."""

    own: Choice
    among: Choice

    @property
    def item(self) -> str:
        """The question's id."""
        return self.own.item

    @property
    def system(self) -> str:
        """The system that was asked."""
        return self.own.system


def utterances_of(sources: Sequence[str], questions: Sequence[Question]) -> tuple[Utterances, str]:
    """Return the source of random candidates and its name: a repository, files, or the questions themselves.

    What files hold is filtered and tidied as a repository is, if the questions' own candidates look like that.
    """
    if not sources:
        return candidates_of(questions), "the candidates of all questions"
    named, repository = ", ".join(sources), built_repository(sources)
    if repository is not None:
        return repository, named
    own = (candidate.text for question in questions for candidate in question.candidates)
    sieve = Sieve(filters_beside(own))
    found = listed(sieve.pass_through(text for source in sources for text in texts_of(corpus_of(source))))
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sieve.dropped.most_common()) or "none"
    if not len(found):
        raise Unsuitable(
            f"No utterance of {named} can be used as a random candidate (left out: {reasons}). Give other files."
        )
    return found, f"{len(found):,} utterances of {named} (left out: {reasons})"


def run_trials(
    systems: Sequence[System | Chooser],
    questions: Sequence[Question],
    utterances: Utterances,
    *,
    trials: int = 100,
    pool: int | None = None,
    seed: int = 0,
    normalise: Normalise = "sum",
    cache: Cache | None = None,
) -> RandomTrials:
    """Return each system's accuracy on the questions as they are, and in trials with random false candidates.

    A trial replaces the false candidates of each question by equally many, drawn without replacement from the
    question's pool. ``pool`` is its size; by default one more than three times what a trial draws, which keeps the cost
    of any number of trials below three times that of one. ``dialeval.stats.over_scores`` correlates the result with
    people.
    """
    pools = random_pools(questions, utterances, size=pool, seed=seed)
    choosers = [fitted_chooser(system, questions) for system in systems]
    choices = {
        chooser.name: choose_at_random(chooser, questions, pools, normalise=normalise, cache=cache)
        for chooser in choosers
    }
    return trials_of(choices, trials=trials, seed=seed)


def choose_at_random(
    chooser: Chooser,
    questions: Sequence[Question],
    pools: Sequence[Question],
    *,
    normalise: Normalise = "sum",
    cache: Cache | None = None,
    progress: Progress = SILENT,
    executor: Executor | None = None,
) -> list[RandomChoice | Missing]:
    """Return a chooser's choices with the questions' own candidates, and with their pools; or why there is none."""

    def chosen(asked: Sequence[Question]) -> list[Choice | Missing]:
        return choose(chooser, asked, normalise=normalise, cache=cache, progress=progress, executor=executor)

    return [_both(own, among) for own, among in zip(chosen(questions), chosen(pools), strict=True)]


def _both(own: Choice | Missing, among: Choice | Missing) -> RandomChoice | Missing:
    """The two choices, or why there is none; that a file does not record random candidates is no system's silence."""
    if isinstance(own, Missing):
        return own
    return replace(among, cause=None) if isinstance(among, Missing) else RandomChoice(own, among)


def trials_of(
    choices: Mapping[str, Sequence[RandomChoice | Missing]], *, trials: int = 100, seed: int = 0
) -> RandomTrials:
    """Return the trials over the questions in which every system has a choice, from the choices of each system."""
    if not choices:
        raise Unsuitable("Trials with random candidates need at least one system that can choose.")
    each = [[_tried(one, trials, seed) for one in made] for made in choices.values()]
    right = np.array([[tried.right for tried in made] for made in each])
    variances = np.array([[tried.variances for tried in made] for made in each])
    kept = ~np.isnan(right).any(axis=(0, 2))
    if not kept.any():
        raise Unsuitable(
            f"No question of {len(kept)} has a choice of every system. Ask the systems one by one to see why."
        )
    means = right[:, kept].mean(axis=1)
    pools = [one.among for made in choices.values() for one in made if isinstance(one, RandomChoice)]
    return RandomTrials(
        systems=tuple(choices),
        chosen=means[:, 0],
        random=means[:, 1:].T,
        widening=_widening(variances[:, kept].sum(axis=1)),
        questions=int(kept.sum()),
        left_out=int((~kept).sum()),
        pool=max(map(_false, pools)),
        seed=seed,
    )


class _Tried(NamedTuple):
    """Outcome of the trials of one question."""

    right: Floats
    """1 or 0 with the question's own candidates, then in each trial; NaN if there is no choice."""
    variances: Floats
    """Of being right in a trial: as trials draw from the pool, and with fresh candidates in each."""


def random_pools(
    questions: Sequence[Question], utterances: Utterances, *, size: int | None = None, seed: int = 0
) -> list[Question]:
    """Return each question with a pool of random false candidates in place of its own."""
    right_in = _right_answers(questions)
    return [
        random_pool(question, utterances, size=size, seed=seed, right=right_in[question.context])
        for question in questions
    ]


def random_pool(
    question: Question,
    utterances: Utterances,
    *,
    size: int | None = None,
    seed: int = 0,
    right: Collection[str] = (),
) -> Question:
    """The question with a pool of random false candidates in place of its own.

    None of them is, however spelled, one of the question's own candidates or turns, or one of ``right``: what other
    questions say is right in this context. The order of the draw hangs on the seed and the question's id alone.
    """
    false = sum(not candidate.correct for candidate in question.candidates)
    wanted = 3 * false + 1 if size is None else size
    if wanted < false:
        raise Unsuitable(
            f"A pool of {wanted} random candidates is too small for {question.item!r}, which has {false} false ones. "
            f"Ask for a pool of {false} or more."
        )
    taken = {same_key(candidate.text) for candidate in question.candidates}
    taken |= {same_key(turn.text) for turn in question.context}
    taken |= set(map(same_key, right))
    drawn: list[Candidate] = []
    for text in _in_random_order(utterances, _rng(seed, question.item, "pool")):
        if len(drawn) == wanted:
            break
        if same_key(text) not in taken:
            taken.add(same_key(text))
            drawn.append(Candidate(text, correct=False))
    if len(drawn) < wanted:
        raise Unsuitable(
            f"Only {len(drawn)} of {len(utterances)} utterances can be used as random candidates of {question.item!r}; "
            f"expected {wanted}. Give a larger repository, or ask for a smaller pool."
        )
    own_right = tuple(candidate for candidate in question.candidates if candidate.correct)
    return replace(question, candidates=(*own_right, *drawn))


def _right_answers(questions: Iterable[Question]) -> Mapping[Context, list[str]]:
    """What the questions say is right, by context: where two share one, the answer of either is right in both."""
    result: dict[Context, list[str]] = {}
    for question in questions:
        right = [candidate.text for candidate in question.candidates if candidate.correct]
        result.setdefault(question.context, []).extend(right)
    return result


def _in_random_order(utterances: Utterances, rng: np.random.Generator) -> Iterator[str]:
    """Utterances in random order, none twice: all of a few, some of many."""
    order = rng.choice(len(utterances), min(len(utterances), _MOST_TRIED), replace=False).tolist()
    for start in range(0, len(order), _READ_AT_ONCE):
        yield from utterances.texts(order[start : start + _READ_AT_ONCE])


def rights_of(tried: RandomChoice, trials: int, seed: int) -> Floats:
    """Return 1 or 0 for the choice with the question's own candidates, then for each trial."""
    best, false = _scores(tried.among)
    drawn = _draws(len(false), _false(tried.own), trials, seed, tried.item)
    rights = np.concatenate([[tried.own.right], best > false[drawn].max(axis=1)])
    return rights.astype(np.float64)


def _scores(choice: Choice) -> tuple[float, Floats]:
    """The score of the best correct candidate, and those of the false ones."""
    right = np.array([candidate.correct for candidate in choice.question.candidates])
    scores = np.array(choice.scores)
    return float(scores[right].max()), scores[~right]


def _false(choice: Choice) -> int:
    return sum(not candidate.correct for candidate in choice.question.candidates)


def _tried(one: RandomChoice | Missing, trials: int, seed: int) -> _Tried:
    if isinstance(one, Missing):
        return _Tried(np.full(1 + trials, np.nan), np.full(2, np.nan))
    best, false = _scores(one.among)
    variances = pool_variances(int((false >= best).sum()), len(false), _false(one.own))
    return _Tried(rights_of(one, trials, seed), np.array(variances))


def pool_variances(better: int, pool: int, drawn: int) -> tuple[float, float]:
    """The variance of being right in a trial: given this pool, and with fresh candidates in every trial.

    Of the pool's candidates ``better`` score at least as high as the right one, and a trial draws ``drawn`` of them. A
    trial is right with r = C(pool - better, drawn) / C(pool, drawn), an unbiased estimate of the share p of fresh
    draws that are; the same with twice as many drawn is one of p squared. So r - r squared is what trials from this
    pool vary by, and r less the latter is unbiased for p - p squared; NaN where the pool is smaller than two draws.
    """
    right = math.comb(pool - better, drawn) / math.comb(pool, drawn)
    if pool < 2 * drawn:
        return right - right**2, math.nan
    return right - right**2, right - math.comb(pool - better, 2 * drawn) / math.comb(pool, 2 * drawn)


def _widening(variances: Floats) -> Floats:
    """By how much to stretch deviations, from sums over questions, shape (systems, 2); 1 where nothing varies."""
    of_pool, fresh = variances.T
    ratio: Floats = np.divide(fresh, of_pool, out=np.ones(len(fresh)), where=(of_pool > 0) | np.isnan(fresh))
    return np.sqrt(ratio)


def _draws(pool: int, size: int, trials: int, seed: int, item: str) -> Integers:
    """For each trial, ``size`` different places of the pool, shape (trials, size)."""
    keys = _rng(seed, item, "trials").random((trials, pool))
    return np.argsort(keys, axis=1)[:, :size].astype(np.int64)


def _rng(seed: int, item: str, what: str) -> np.random.Generator:
    return np.random.default_rng(list(hashlib.sha256(f"{seed}\0{item}\0{what}".encode()).digest()))
