"""BLEU (Papineni et al., 2002) as nlg-eval (Sharma et al., 2017), sacrebleu (Post, 2018) and NLTK compute it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.metrics.overlap.words import measure
from dialeval.metrics.rows import NeedsReferences, require_references
from dialeval.text.overlap import CLOSEST, ITEM, LENGTH, ORDERS, Overlap
from dialeval.text.tokenisers import Tokens, token_facts

_COLUMNS: Final = {
    order: np.array([*range(order), *range(LENGTH, LENGTH + order), CLOSEST, ITEM])
    for order in range(1, ORDERS + 1)
}
"""Matches and n-grams of 1 to so many words, the closest length, and 1."""
_TOKENS: Final[Mapping[Profile, Tokens]] = {"nlgeval": "whitespace", "sacrebleu": "13a", "nltk": "whitespace"}


@dataclass(frozen=True, slots=True)
class Bleu(NeedsReferences):
    """Overlap of a response's word n-grams with its references, in [0, 1].

    The geometric mean of the clipped precisions of 1- to ``order``-grams, times a brevity penalty. Counts are clipped
    by the most generous reference; the penalty takes the reference closest in length, the shorter one of two. The
    corpus score pools counts and lengths, so it is not the mean of the examples' scores. Profiles differ in words and
    in what they do if no n-gram of a length matches; sacrebleu's own numbers are 100 times these. With
    ``nlgeval``, a length without a match does not make the score 0 but tiny (about 1e-4 for one of four), and a
    response shorter than ``order`` words scores little (0.03 at most for three words of order 4). NLTK's methods 5
    and 7 can pass 1, and method 6 is undefined (NaN) without a 3-gram match. An empty response scores 0 throughout.
    """

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    order: int = 4
    profile: Profile = "nlgeval"
    tokens: Literal["whitespace", "13a", "none", "intl", "char", "zh", "ja-mecab", "treebank"] | None = None
    """None for the profile's own: ``13a`` of sacrebleu, ``whitespace`` of the others."""
    smoothing: Smoothing | None = None
    """None for the profile's own: ``exp`` of sacrebleu, ``method0`` (none at all) of NLTK."""
    lowercase: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.order <= 4:
            raise DialevalError(
                f"The parameter 'order' of bleu: found {self.order!r}, expected 1, 2, 3 or 4."
            )
        allowed = SMOOTHINGS[self.profile]
        if self.smoothing is not None and self.smoothing not in allowed:
            expected = (
                " or ".join(map(repr, allowed)) or "none, because nlg-eval has its own constants instead"
            )
            found = f"found {self.smoothing!r}, expected {expected}"
            raise DialevalError(f"The parameter 'smoothing' of bleu with profile {self.profile!r}: {found}.")
        if self.smoothing == "method6" and self.order < 3:
            raise DialevalError(f"Smoothing 'method6' of bleu needs order 3 or 4, found order {self.order}.")
        token_facts(self._tokens)  # a tokeniser that is not installed is refused here

    @property
    def signature(self) -> Signature:
        """All that could move the number; parameters at their defaults show as facts only, but for ``order``."""
        smoothing = self._smoothing
        facts = (
            ("profile", self.profile),
            ("tokens", self._tokens),
            *token_facts(self._tokens),
            *((("smoothing", smoothing),) if smoothing else ()),
            *((("effective_order", "of-one-example"),) if self.profile == "sacrebleu" else ()),
            ("case", "lower" if self.lowercase else "mixed"),
        )
        given = (
            *((("profile", self.profile),) if self.profile != "nlgeval" else ()),
            *((("tokens", self.tokens),) if self.tokens else ()),
            *((("smoothing", self.smoothing),) if self.smoothing else ()),
            *((("lowercase", True),) if self.lowercase else ()),
        )
        return Signature("bleu", (("order", self.order), *given), facts)

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of clipped matches by n, n-grams by n, closest reference length, and 1 for the example.

        With profile ``nltk`` n is up to 5 whatever the order, and n-grams come twice: as they are, and at least 1.
        """
        require_references("bleu", examples)
        return self.rows(measure(examples, tokens=self._tokens, lowercase=self.lowercase))

    def rows(self, shared: Overlap) -> Floats:
        """The statistics of examples whose overlap is known."""
        if self.profile != "nltk":
            return shared.table.take(_COLUMNS[self.order], axis=1)
        counts = shared.table.take(_COLUMNS[ORDERS], axis=1)
        at_least_one = np.maximum(counts[:, ORDERS : 2 * ORDERS], 1)
        return np.hstack([counts[:, : 2 * ORDERS], at_least_one, counts[:, 2 * ORDERS :]])

    def aggregate(self, totals: Floats) -> Floats:
        """BLEU of summed rows; NaN of no example."""
        counts = self._counts(totals)
        if self.profile == "nlgeval":
            scores = _nlgeval(counts, self.order)
        elif self.profile == "sacrebleu":
            scores = _sacrebleu(counts, self.order, self._smoothing or "exp")
        else:
            scores = _nltk(counts, self.order, self._smoothing or "method0")
        return np.where(counts.examples > 0, scores, np.nan)

    @property
    def _tokens(self) -> Tokens:
        return self.tokens or _TOKENS[self.profile]

    @property
    def _smoothing(self) -> Smoothing | None:
        return self.smoothing or next(iter(SMOOTHINGS[self.profile]), None)

    def _counts(self, totals: Floats) -> Counts:
        orders = ORDERS if self.profile == "nltk" else self.order
        ngrams = totals[..., orders : 2 * orders]
        return Counts(
            matches=totals[..., :orders],
            ngrams=ngrams,
            at_least_one=totals[..., 2 * orders : 3 * orders] if self.profile == "nltk" else ngrams,
            closest=totals[..., -2],
            examples=totals[..., -1],
        )


Profile: TypeAlias = Literal["nlgeval", "sacrebleu", "nltk"]
Smoothing: TypeAlias = Literal[
    "exp",
    "floor",
    "add-k",
    "none",
    "method0",
    "method1",
    "method2",
    "method3",
    "method4",
    "method5",
    "method6",
    "method7",
]

# nlg-eval adds these to every numerator and denominator in place of any other smoothing.
_TINY: Final = 1e-15
_SMALL: Final = 1e-9
# The constants of Chen and Cherry (2014) that NLTK takes for methods 1, 4 and 6, and sacrebleu for `floor`.
_EPSILON: Final = 0.1
_K: Final = 5
_ALPHA: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Sums over any number of examples, in arrays of one shape with n-gram lengths on a last axis."""

    matches: Floats
    """Clipped matches of 1- to 5-grams."""
    ngrams: Floats
    """N-grams of the responses."""
    at_least_one: Floats
    """N-grams with each response without one of a length counted as having one, as NLTK has it."""
    closest: Floats
    """Lengths of the closest references."""
    examples: Floats
    """Number of examples."""


def _nlgeval(counts: Counts, order: int) -> Floats:
    """The score of nlg-eval."""
    # Length by length, because numpy is slow at the short rows of the last axis.
    product: Floats = (counts.matches[..., 0] + _TINY) / (counts.ngrams[..., 0] + _SMALL)
    for n in range(1, order):
        product = product * ((counts.matches[..., n] + _TINY) / (counts.ngrams[..., n] + _SMALL))
    ratio = (counts.ngrams[..., 0] + _TINY) / (counts.closest + _SMALL)
    penalty = np.exp(np.minimum(1 - 1 / ratio, 0))
    score: Floats = product ** (1 / order) * penalty
    return score


def _sacrebleu(counts: Counts, order: int, smoothing: Smoothing) -> Floats:
    """The score of sacrebleu over 100; of one example with effective order, as its sentence score has it."""
    added = (np.arange(order) > 0) & (smoothing == "add-k")
    matches, ngrams = counts.matches[..., :order] + added, counts.ngrams[..., :order] + added
    present = ngrams > 0
    halvings = 2.0 ** np.cumsum(present & (matches == 0), axis=-1)
    substitute: Mapping[str, Floats] = {"exp": 1 / halvings, "floor": np.full_like(halvings, _EPSILON)}
    numerators = np.where(matches > 0, matches, substitute.get(smoothing, np.zeros_like(halvings)))
    precisions = np.divide(numerators, ngrams, out=np.zeros_like(numerators), where=present)
    logs = np.log(precisions, out=np.full_like(precisions, -np.inf), where=precisions > 0)
    alone = (counts.examples == 1)[..., None]
    used = np.where(alone, present, True)
    mean = np.where(used, logs, 0).sum(axis=-1) / np.maximum(used.sum(axis=-1), 1)
    score: Floats = _brevity(counts) * np.exp(mean)
    return np.where((counts.matches[..., :order] > 0).any(axis=-1), score, 0.0)


def _nltk(counts: Counts, order: int, smoothing: Smoothing) -> Floats:
    """The score of NLTK with equal weights; 0 if no word matches, NaN if a smoothing is undefined."""
    smooth = _NLTK[smoothing]
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = smooth(counts, order)
        # Precisions of 0 that a method leaves are left out, not the whole score 0.
        logs = np.where(precisions > 0, np.log(precisions), 0) / order
        score: Floats = _brevity(counts) * np.exp(logs.sum(axis=-1))
    undefined = np.isnan(precisions).any(axis=-1)
    return np.where(counts.matches[..., 0] > 0, np.where(undefined, np.nan, score), 0.0)


def _brevity(counts: Counts) -> Floats:
    length = counts.ngrams[..., 0]
    shorter = np.divide(counts.closest, length, out=np.full(np.shape(length), np.inf), where=length > 0)
    penalty: Floats = np.exp(np.minimum(1 - shorter, 0))
    return penalty


def _raw(counts: Counts, order: int) -> Floats:
    raw: Floats = counts.matches[..., :order] / counts.at_least_one[..., :order]
    return raw


def _method0(counts: Counts, order: int) -> Floats:
    return np.where(counts.matches[..., :order] > 0, _raw(counts, order), sys.float_info.min)


def _method1(counts: Counts, order: int) -> Floats:
    matches = counts.matches[..., :order]
    return np.where(matches > 0, matches, _EPSILON) / counts.at_least_one[..., :order]


def _method2(counts: Counts, order: int) -> Floats:
    added = np.arange(order) > 0
    smoothed: Floats = (counts.matches[..., :order] + added) / (counts.at_least_one[..., :order] + added)
    return smoothed


def _method3(counts: Counts, order: int) -> Floats:
    matches = counts.matches[..., :order]
    halvings = 2.0 ** np.cumsum(matches == 0, axis=-1)
    return np.where(matches > 0, matches, 1 / halvings) / counts.at_least_one[..., :order]


def _method4(counts: Counts, order: int) -> Floats:
    matches, length = counts.matches[..., :order], counts.ngrams[..., :1]
    halvings = 2.0 ** np.cumsum(matches == 0, axis=-1)
    shrunk = np.where(length > 1, np.log(np.maximum(length, 1)) / (halvings * _K), 0)
    return np.where(matches > 0, matches, shrunk) / counts.at_least_one[..., :order]


def _method5(counts: Counts, order: int) -> Floats:
    return _average_neighbours(counts, _raw(counts, order))


def _method6(counts: Counts, order: int) -> Floats:
    """Precision of 3- and 4-grams drawn to the trend of the shorter ones; undefined without a 3-gram match."""
    smoothed = _raw(counts, order).copy()
    for n in range(2, order):
        before, two_before = smoothed[..., n - 1], smoothed[..., n - 2]
        prior = np.where(two_before > 0, before**2 / two_before, 0)
        smoothed[..., n] = (counts.matches[..., n] + _ALPHA * prior) / (counts.ngrams[..., n] + _ALPHA)
    return np.where(counts.matches[..., 2:3] > 0, smoothed, np.nan)


def _method7(counts: Counts, order: int) -> Floats:
    return _average_neighbours(counts, _method4(counts, order))


def _average_neighbours(counts: Counts, precisions: Floats) -> Floats:
    """Each precision averaged with its neighbours; the last one's is always that of 5-grams, as in NLTK."""
    fives = counts.matches[..., 4:] / counts.at_least_one[..., 4:]
    following = np.concatenate([precisions[..., 1:], fives], axis=-1)
    smoothed = np.empty_like(precisions)
    before = precisions[..., 0] + 1
    for n in range(precisions.shape[-1]):
        before = (before + precisions[..., n] + following[..., n]) / 3
        smoothed[..., n] = before
    return smoothed


_NLTK: Final[Mapping[str, Callable[[Counts, int], Floats]]] = {
    "method0": _method0,
    "method1": _method1,
    "method2": _method2,
    "method3": _method3,
    "method4": _method4,
    "method5": _method5,
    "method6": _method6,
    "method7": _method7,
}

SMOOTHINGS: Final[Mapping[Profile, tuple[Smoothing, ...]]] = {
    "nlgeval": (),
    "sacrebleu": ("exp", "floor", "add-k", "none"),
    "nltk": ("method0", "method1", "method2", "method3", "method4", "method5", "method6", "method7"),
}
"""The ways to smooth of each profile, its own default first."""
