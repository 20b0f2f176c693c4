"""Agreement of answer labels with people's: accuracy, F1, calibration, and the thresholds of ambiguity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.nbest.answers.labels import LABELS
from dialeval.nbest.document import Label
from dialeval.stats import Estimate, proportion

_AMBIGUOUS: Final = LABELS.index("ambiguous")
_BINS: Final = 10
RECALL: Final = 0.5
"""Share of ambiguous answers, and of answers to other questions, that thresholds are to find."""


class Thresholds(NamedTuple):
    """From where on an answer is neither yes nor no."""

    ambiguous: float
    """Probability that it is ambiguous."""
    related: float = -1.0
    """Cosine with its question, below which it is about something else; -1 if that is not looked at."""


class Readable(NamedTuple):
    """What labels are decided by: one row for each answer."""

    probabilities: Floats
    """Of yes, no and ambiguous, shape (n, 3)."""
    related: Floats
    """Cosine with the question, 1 where it is not compared."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Labels compared with people's."""

    accuracy: Estimate
    macro_f1: float
    """Mean over the labels that people gave."""
    recall: Mapping[str, float]
    """Of each label that people gave."""
    precision: Mapping[str, float]
    calibration_error: float
    """Mean distance of confidence from accuracy over ten bins of confidence."""
    abstained: float = 0.0
    """Share of answers that are called ambiguous."""
    accuracy_read: float = float("nan")
    """Of the others; NaN if there are none."""


def softmax(logits: Floats) -> Floats:
    """Probabilities from logits, row by row."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    out: Floats = shifted / shifted.sum(axis=1, keepdims=True)
    return out


def decide(answers: Readable, thresholds: Thresholds) -> Integers:
    """The label of each answer: ambiguous by either threshold, else the likelier of yes and no."""
    probabilities, related = answers
    sides = probabilities[:, :_AMBIGUOUS].argmax(axis=1)
    unclear = (probabilities[:, _AMBIGUOUS] >= thresholds.ambiguous) | (related < thresholds.related)
    return np.where(unclear, _AMBIGUOUS, sides)


def best_thresholds(answers: Readable, labels: Sequence[Label], unrelated: Readable) -> Thresholds:
    """The mildest thresholds that find half of the ambiguous answers, and half of the ``unrelated`` ones.

    With each cosine goes the highest probability that finds half of the ambiguous answers; the cosine is the lowest
    with which half of the unrelated ones are found. Without unrelated answers none is compared; without ambiguous
    ones, or where no probability finds as many, the probability is the one with the best macro F1.
    """
    wanted = codes(labels)
    for related in _COSINES if len(unrelated.related) else _COSINES[:1]:
        thresholds = Thresholds(_best_probability(answers, wanted, related), related)
        if not len(unrelated.related) or (decide(unrelated, thresholds) == _AMBIGUOUS).mean() >= RECALL:
            break
    return thresholds


def _best_probability(answers: Readable, wanted: Integers, related: float) -> float:
    given = {p: decide(answers, Thresholds(p, related)) for p in _PROBABILITIES}
    ambiguous = wanted == _AMBIGUOUS
    found = [p for p in given if ambiguous.any() and (given[p][ambiguous] == _AMBIGUOUS).mean() >= RECALL]
    return max(found) if found else max(given, key=lambda p: (_macro_f1(given[p], wanted), p))


_PROBABILITIES: Final[tuple[float, ...]] = tuple(np.round(np.arange(0.05, 0.96, 0.01), 2).tolist())
_COSINES: Final = (-1.0, *np.round(np.arange(0.01, 0.31, 0.01), 2).tolist())


def codes(labels: Sequence[Label]) -> Integers:
    """The place of each label in ``LABELS``."""
    return np.array([LABELS.index(label) for label in labels], dtype=np.int64)


def measure(answers: Readable, labels: Sequence[Label], thresholds: Thresholds) -> Measured:
    """The classifier's labels compared with people's."""
    given = decide(answers, thresholds)
    return measure_labels(given, codes(labels), answers.probabilities[np.arange(len(given)), given])


def measure_labels(given: Integers, wanted: Integers, confidence: Floats | None = None) -> Measured:
    """Labels compared with people's; calibration is NaN where there is no confidence."""
    right = int((given == wanted).sum())
    read = given != _AMBIGUOUS
    present = [code for code in range(len(LABELS)) if (wanted == code).any()]
    return Measured(
        accuracy=proportion(right, len(wanted)),
        macro_f1=_macro_f1(given, wanted),
        recall={LABELS[code]: float((given[wanted == code] == code).mean()) for code in present},
        precision={
            LABELS[code]: float((wanted[given == code] == code).mean())
            for code in range(len(LABELS))
            if (given == code).any()
        },
        calibration_error=float("nan") if confidence is None else _calibration(confidence, given == wanted),
        abstained=float(1 - read.mean()),
        accuracy_read=float((given == wanted)[read].mean()) if read.any() else float("nan"),
    )


def _macro_f1(given: Integers, wanted: Integers) -> float:
    scores = []
    for code in range(len(LABELS)):
        if (wanted == code).any():
            both = int(((given == code) & (wanted == code)).sum())
            scores.append(2 * both / (int((given == code).sum()) + int((wanted == code).sum())))
    return float(np.mean(scores))


def _calibration(confidence: Floats, right: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    gaps = [
        abs(float(confidence[bins == number].mean()) - float(right[bins == number].mean()))
        * (bins == number).sum()
        for number in range(_BINS)
        if (bins == number).any()
    ]
    return float(sum(gaps) / len(confidence))
