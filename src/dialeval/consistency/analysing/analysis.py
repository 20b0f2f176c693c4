"""Analyses of labelled answers (Sato, 2024, section 4.5): contexts, features of the question, detector misses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from scipy.stats import chi2_contingency

from dialeval.consistency.detecting.detector import PairDetector
from dialeval.consistency.document import AnalysisDocument, Feature, LabelledAnswer
from dialeval.consistency.pairs.types import Pair
from dialeval.stats.agreement.kappa import fleiss_kappa
from dialeval.stats.estimate import Statistic
from dialeval.stats.tests.groups import student_t

ALPHA: Final = 0.01
_WORDS: Final = (
    "how",
    "what",
    "why",
    "when",
    "where",
    "who",
    "which",
    "do you",
    "have you",
    "are you",
    "you",
)


def _has(word: str) -> Callable[[str], bool]:
    pattern = re.compile(rf"\b{word}\b", re.IGNORECASE)
    return lambda text: pattern.search(text) is not None


LEXICAL: Final[Mapping[str, Callable[[str], bool]]] = {
    **{f'"{word}"': _has(word) for word in _WORDS},
    "two or more questions": lambda text: text.count("?") > 1,
    "more than 20 words": lambda text: len(text.split()) > 20,
}
"""Features of the question's turn by name."""


class Labeller(Protocol):
    """What gives utterances their dialogue acts."""

    def acts(self, texts: Sequence[str]) -> list[str]:
        """One per text."""
        ...


def analyse(
    answers: Sequence[LabelledAnswer],
    *,
    detector: PairDetector | None = None,
    labeller: Labeller | None = None,
) -> AnalysisDocument:
    """All analyses of the answers; ambiguous ones count as not contradictory, as in the thesis's counts."""
    contexts: dict[str, dict[str, bool]] = {}
    questions: dict[str, str] = {}
    for answer in answers:
        contexts.setdefault(answer.id, {})[answer.system] = answer.label == "contradiction"
        questions[answer.id] = answer.between
    kappa = _over_systems(contexts)
    by_people = [answer for answer in answers if answer.by == "people"]
    misses, p = _misses(by_people, detector) if detector is not None else (None, None)
    return AnalysisDocument(
        answers=len(answers),
        contexts=len(contexts),
        systems=tuple(dict.fromkeys(answer.system for answer in answers)),
        kappa=kappa.value if kappa.defined else None,
        kappa_contexts=kappa.n,
        kappa_reason=kappa.reason,
        features=tuple(_features(contexts, questions, labeller)),
        misses=misses,
        misses_p=p,
        draws=_draws(answers),
        by_detector=len(answers) - len(by_people),
        alpha=ALPHA,
    )


def _over_systems(contexts: Mapping[str, Mapping[str, bool]]) -> Statistic:
    """Fleiss' kappa with systems as raters of contexts; those that one system alone answered are left out."""
    rows = [list(systems.values()) for systems in contexts.values()]
    return fleiss_kappa(np.array([[row.count(False), row.count(True)] for row in rows]).reshape(-1, 2))


def _features(
    contexts: Mapping[str, Mapping[str, bool]], questions: Mapping[str, str], labeller: Labeller | None
) -> list[Feature]:
    rates = {item: float(np.mean(list(systems.values()))) for item, systems in contexts.items()}
    found = {name: {item for item in rates if has(questions[item])} for name, has in LEXICAL.items()}
    if labeller is not None:
        items = list(rates)
        for item, act in zip(items, labeller.acts([questions[item] for item in items]), strict=True):
            found.setdefault(f"act {act}", set()).add(item)
    return [_feature(name, having, rates) for name, having in found.items() if having]


def _feature(name: str, having: set[str], rates: Mapping[str, float]) -> Feature:
    own = np.array([rate for item, rate in rates.items() if item in having])
    others = np.array([rate for item, rate in rates.items() if item not in having])
    test = student_t(own, others, alternative="greater")
    p = test.p if test.reason is None else None
    return Feature(
        name,
        len(own),
        len(others),
        float(own.mean()) if len(own) else None,
        float(others.mean()) if len(others) else None,
        p,
        p is not None and p < ALPHA,
        test.reason,
    )


def _misses(
    answers: Sequence[LabelledAnswer], detector: PairDetector
) -> tuple[tuple[tuple[int, int], tuple[int, int]] | None, float | None]:
    """How many contradictions of two and of three votes the detector misses and finds, and the test's p-value."""
    own = [answer for answer in answers if answer.label == "contradiction" and answer.response]
    if not own:
        return None, None
    pairs = [Pair(answer.earlier, answer.response, answer.between) for answer in own]
    seen = detector.probabilities(pairs) >= detector.calibration.threshold
    cells = Counter((min(answer.votes, 3), bool(hit)) for answer, hit in zip(own, seen, strict=True))
    table = ((cells[2, False], cells[2, True]), (cells[3, False], cells[3, True]))
    counts = np.array(table)
    if (counts.sum(axis=0) == 0).any() or (counts.sum(axis=1) == 0).any():
        return table, None
    return table, float(chi2_contingency(counts, correction=False).pvalue)


def _draws(answers: Sequence[LabelledAnswer]) -> dict[str, tuple[int, int]]:
    return {
        draw: (
            sum(answer.label == "contradiction" for answer in answers if answer.draw == draw),
            sum(answer.draw == draw for answer in answers),
        )
        for draw in dict.fromkeys(answer.draw for answer in answers)
    }
