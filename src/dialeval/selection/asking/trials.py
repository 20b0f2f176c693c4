"""RANDOM against CHOSEN: the same questions with random false candidates, many times (Sato et al., 2020, Figure 2).

Every question gets a pool of random false candidates, which a system scores once; each trial draws from the pool, so
that a hundred trials cost little more than one. Trials that share a pool spread less than fresh draws would: how much
less follows from the pool itself.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol

import numpy as np

from dialeval.core import Floats, Integers, Missing, System
from dialeval.data.choices import Choice
from dialeval.data.types import Candidate, Context, Question
from dialeval.engine import Cache, Watch, unwatched
from dialeval.errors import Unsuitable
from dialeval.selection.asking.asking import refusal
from dialeval.selection.asking.choosers import Chooser
from dialeval.selection.asking.choosing import Normalise, choose, fitted_chooser
from dialeval.selection.document import Refusal
from dialeval.selection.repository.utterances import same_key

_MOST_TRIED: Final = 10_000
_READ_AT_ONCE: Final = 64


class Utterances(Protocol):
    """Where random candidates come from: a repository, or what `listed` makes of texts."""

    def __len__(self) -> int: ...

    def texts(self, ids: Iterable[int], /) -> list[str]:
        """The utterances of these numbers."""


@dataclass(frozen=True, slots=True)
class Listed:
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
    refused: tuple[Refusal, ...] = ()
    """Systems that could not score random candidates, and that count nowhere else here."""

    @property
    def fresh(self) -> Floats:
        """The accuracies of trials, spread about their means as those of fresh draws would be; shape of ``random``."""
        means, wider = self.random.mean(axis=0), np.where(np.isnan(self.widening), 1.0, self.widening)
        accuracies: Floats = np.clip(means + (self.random - means) * wider, 0.0, 1.0)
        return accuracies


def listed(texts: Iterable[str]) -> Listed:
    """These utterances, each once however it is spelled."""
    return Listed(tuple({same_key(text): text for text in texts if text.strip()}.values()))


def candidates_of(questions: Iterable[Question]) -> Listed:
    """All candidates of the questions, which can stand in for a repository."""
    return listed(candidate.text for question in questions for candidate in question.candidates)


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
    caches: Mapping[str, Cache] | None = None,
    watch: Watch = unwatched,
) -> RandomTrials:
    """Each system's accuracy on the questions as they are, and in ``trials`` trials with random false candidates.

    A trial replaces the false candidates of each question by equally many, drawn without replacement from the
    question's pool. ``pool`` is its size; by default one more than three times what a trial draws, which keeps the cost
    of any number of trials below three times that of one. A system that cannot score random candidates is recorded with
    the reason; Unsuitable where none can. ``dialeval.stats.over_scores`` correlates the result with people.
    """
    if not systems:
        raise Unsuitable("Trials with random candidates need at least one system that can choose.")
    right_in = _right_answers(questions)
    pools = [
        random_pool(question, utterances, size=pool, seed=seed, right=right_in[question.context])
        for question in questions
    ]

    def tried(system: System | Chooser) -> _Tried:
        chooser = fitted_chooser(system, questions)
        with watch(f"{chooser.name} chooses at random", 2 * len(questions)) as progress:
            own = (caches or {}).get(system.name, cache)
            chosen = choose(chooser, questions, normalise=normalise, cache=own, progress=progress)
            among = choose(chooser, pools, normalise=normalise, cache=own, progress=progress)
        each = [_right(*pair, trials=trials, seed=seed) for pair in zip(chosen, among, strict=True)]
        return _Tried(*map(np.array, zip(*each, strict=True)))

    tried_by, refused = _of_each(systems, tried)
    right, variances = (np.array(part) for part in zip(*tried_by.values(), strict=True))
    kept = ~np.isnan(right).any(axis=(0, 2))
    if not kept.any():
        raise Unsuitable(
            f"No question of {len(questions)} has a choice of every system. Ask the systems one by one to see why."
        )
    means = right[:, kept].mean(axis=1)
    return RandomTrials(
        systems=tuple(tried_by),
        chosen=means[:, 0],
        random=means[:, 1:].T,
        widening=_widening(variances[:, kept].sum(axis=1)),
        questions=int(kept.sum()),
        left_out=int((~kept).sum()),
        pool=max(sum(not candidate.correct for candidate in wide.candidates) for wide in pools),
        seed=seed,
        refused=refused,
    )


class _Tried(NamedTuple):
    """What came of one system's questions, or of one of them."""

    right: Floats
    """1 or 0 with the question's own candidates, then in each trial; NaN where there is no choice."""
    variances: Floats
    """Of being right in a trial: as trials draw from the pool, and with fresh candidates in each."""


def _of_each(
    systems: Sequence[System | Chooser], tried: Callable[[System | Chooser], _Tried]
) -> tuple[dict[str, _Tried], tuple[Refusal, ...]]:
    """What was tried with each system, by name, and who refused; Unsuitable where everyone did."""
    result: dict[str, _Tried] = {}
    refused: list[Refusal] = []
    for system in systems:
        try:
            result[system.name] = tried(system)
        except Exception as error:  # as in asking: foreign code must not take the others down
            refused.append(refusal(system, error))
    if not result:
        raise Unsuitable(f"No system can score random candidates. {refused[0].system}: {refused[0].message}")
    return result, tuple(refused)


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


def _right(chosen: Choice | Missing, among: Choice | Missing, *, trials: int, seed: int) -> _Tried:
    if isinstance(chosen, Missing) or isinstance(among, Missing):
        return _Tried(np.full(1 + trials, np.nan), np.full(2, np.nan))
    right = np.array([candidate.correct for candidate in among.question.candidates])
    scores = np.array(among.scores)
    false = scores[~right]
    size, best = sum(not candidate.correct for candidate in chosen.question.candidates), scores[right].max()
    drawn = _draws(len(false), size, trials, seed, chosen.item)
    rights = np.concatenate([[chosen.right], best > false[drawn].max(axis=1)]).astype(np.float64)
    return _Tried(rights, np.array(pool_variances(int((false >= best).sum()), len(false), size)))


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
