"""Analyses of labelled answers (Sato, 2024, section 4.5): contexts, features of the question, detector misses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Protocol

import numpy as np

from dialeval.consistency.detecting.detector import PairDetector, without_gaps
from dialeval.consistency.detecting.dialogues import LAST_TURN, Case, find_contradictions, obstacle
from dialeval.consistency.document import (
    AnalysisDocument,
    AnswerRates,
    Compared,
    Drawn,
    Feature,
    LabelledAnswer,
)
from dialeval.consistency.pairs.types import Pair
from dialeval.core import Floats
from dialeval.data.types import Turn
from dialeval.errors import Unsuitable
from dialeval.stats import proportion
from dialeval.stats.agreement.kappa import fleiss_kappa
from dialeval.stats.estimate import Estimate, Statistic
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


def feature_of(written: str) -> tuple[str, Callable[[str], bool]]:
    """Return the name and the test of a feature: whole words, or a regular expression between slashes."""
    inner = written[1:-1]
    if not written.strip() or (written[0] == written[-1] == "/" and not inner):
        raise Unsuitable(
            "Found a feature without words. Write words, or a regular expression as in '/^(so|and) /'."
        )
    if len(written) > 2 and written[0] == written[-1] == "/":
        try:
            pattern = re.compile(inner, re.IGNORECASE)
        except re.error as error:
            raise Unsuitable(
                f"Found the feature {written}, which is no regular expression: {error}."
            ) from None
        return written, lambda text: pattern.search(text) is not None
    return f'"{written}"', _has(written)


def _has(words: str) -> Callable[[str], bool]:
    pattern = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE)
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
    against: PairDetector | None = None,
    labeller: Labeller | None = None,
    features: Sequence[str] = (),
) -> AnalysisDocument:
    """All analyses of the answers; ambiguous ones count as not contradictory, as in the thesis's counts."""
    contexts: dict[str, dict[str, bool]] = {}
    questions: dict[str, str] = {}
    for answer in answers:
        contexts.setdefault(answer.id, {})[answer.system] = answer.label == "contradiction"
        questions[answer.id] = answer.between
    kappa = _over_systems(contexts)
    different = _different(answers)
    by_people = [answer for answer in different if answer.by == "people"]
    tests = {**LEXICAL, **dict(map(feature_of, features))}
    misses, p, reason = _misses(by_people, detector) if detector is not None else (None, None, None)
    return AnalysisDocument(
        answers=len(answers),
        contexts=len(contexts),
        systems=tuple(rates_of_answers(different, detector)),
        unanimity=_unanimity(by_people),
        kappa=kappa.value if kappa.defined else None,
        kappa_contexts=kappa.n,
        kappa_reason=kappa.reason,
        features=tuple(_features(contexts, questions, labeller, tests)),
        misses=misses,
        misses_p=p,
        misses_reason=reason,
        draws=tuple(_draws(answers)),
        compared=None if detector is None or against is None else _compared(by_people, detector, against),
        by_detector=sum(answer.by == "detector" for answer in answers),
        alpha=ALPHA,
    )


def _different(answers: Sequence[LabelledAnswer]) -> list[LabelledAnswer]:
    """The answers, each once that is in two draws; those without a text are all different."""
    known = {(each.id, each.system, each.response or place): each for place, each in enumerate(answers)}
    return list(known.values())


def _over_systems(contexts: Mapping[str, Mapping[str, bool]]) -> Statistic:
    """Fleiss' kappa with systems as raters of contexts; those that one system alone answered are left out."""
    rows = [list(systems.values()) for systems in contexts.values()]
    return fleiss_kappa(np.array([[row.count(False), row.count(True)] for row in rows]).reshape(-1, 2))


def _features(
    contexts: Mapping[str, Mapping[str, bool]],
    questions: Mapping[str, str],
    labeller: Labeller | None,
    tests: Mapping[str, Callable[[str], bool]],
) -> list[Feature]:
    rates = {item: float(np.mean(list(systems.values()))) for item, systems in contexts.items()}
    found = {name: {item for item in rates if has(questions[item])} for name, has in tests.items()}
    if labeller is not None:
        items = list(rates)
        for item, act in zip(items, labeller.acts([questions[item] for item in items]), strict=True):
            found.setdefault(f"act {act}", set()).add(item)
    return [_feature(name, having, rates) for name, having in found.items() if having or name not in LEXICAL]


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


def rates_of_answers(
    answers: Sequence[LabelledAnswer], detector: PairDetector | None = None
) -> Iterator[AnswerRates]:
    """Yield the contradictory answers of each system, from those that any rater sees to those that all see."""
    within = None if detector is None else _contradict_themselves(answers, detector)
    for system in dict.fromkeys(answer.system for answer in answers):
        own = [answer for answer in answers if answer.system == system]
        voted = [answer for answer in own if answer.by == "people"]
        any_vote, every = (
            proportion(number, len(voted))
            if voted
            else Estimate.undefined("the detector labelled the answers")
            for number in (sum(each.votes > 0 for each in voted), sum(each.unanimous for each in voted))
        )
        yield AnswerRates(
            system,
            len(own),
            proportion(sum(each.label == "contradiction" for each in own), len(own)),
            any_vote,
            every,
            sum(id(each) in within for each in own)
            if within is not None and any(each.response for each in own)
            else None,
        )


def _contradict_themselves(answers: Sequence[LabelledAnswer], detector: PairDetector) -> set[int]:
    """Which contradictory answers also contradict themselves, by the detector."""
    turns = {
        id(each): (Turn("assistant", each.response),) for each in answers if each.label == "contradiction"
    }
    cases = {name: Case(turn, LAST_TURN) for name, turn in turns.items() if obstacle(turn, LAST_TURN) is None}
    if not cases:
        return set()
    calibration = detector.calibration
    found = find_contradictions(list(cases.values()), detector, nearest=detector.nearest)
    without_gaps(np.array([each.probability for each in found if each is not None]))
    return {
        name
        for name, each in zip(cases, found, strict=True)
        if each is not None
        and calibration.verdict(calibration.worst(each.probability, each.pairs)) == "contradiction"
    }


def _unanimity(answers: Sequence[LabelledAnswer]) -> Estimate:
    any_vote = sum(answer.votes > 0 for answer in answers)
    if not any_vote:
        return Estimate.undefined("no rater calls an answer contradictory")
    return proportion(sum(answer.unanimous for answer in answers), any_vote)


def _found_by(detector: PairDetector, contradictions: Sequence[LabelledAnswer]) -> list[bool]:
    """Which of the contradictions the detector finds."""
    pairs = [Pair(answer.earlier, answer.response, answer.between) for answer in contradictions]
    found: Floats = without_gaps(detector.probabilities(pairs))
    return [bool(each) for each in found >= detector.calibration.threshold]


def _contradictions(answers: Sequence[LabelledAnswer]) -> list[LabelledAnswer]:
    return [answer for answer in answers if answer.label == "contradiction" and answer.response]


def _misses(
    answers: Sequence[LabelledAnswer], detector: PairDetector
) -> tuple[tuple[tuple[int, int], tuple[int, int]] | None, float | None, str | None]:
    """Contested and unanimous contradictions that the detector misses and finds; the test's p-value, or why none."""
    own = _contradictions(answers)
    if not own:
        return None, None, None
    seen = _found_by(detector, own)
    contested, unanimous = _counted(own, [not hit for hit in seen]), _counted(own, seen)
    table = ((contested[0], unanimous[0]), (contested[1], unanimous[1]))
    if len(set(seen)) == 1:
        return table, None, f"the detector finds {'all' if seen[0] else 'none'} of them"
    return table, *_chi_square(*table)


def _compared(answers: Sequence[LabelledAnswer], detector: PairDetector, against: PairDetector) -> Compared:
    """Contradictions by which of the two detectors find them."""
    own = _contradictions(answers)
    ours, theirs = _found_by(detector, own), _found_by(against, own)
    places = list(zip(ours, theirs, strict=True))
    gained, both, lost, neither = (
        _counted(own, [place == wanted for place in places])
        for wanted in ((True, False), (True, True), (False, True), (False, False))
    )
    p, reason = _chi_square(gained, both)
    return Compared(detector.model, against.model, gained, both, lost, neither, p, reason)


def _counted(contradictions: Sequence[LabelledAnswer], chosen: Sequence[bool]) -> tuple[int, int]:
    """Of the chosen contradictions, those that not all raters voted for, and those that all did."""
    kept = [each.unanimous for each, is_chosen in zip(contradictions, chosen, strict=True) if is_chosen]
    return kept.count(False), kept.count(True)


def _chi_square(first: tuple[int, int], second: tuple[int, int]) -> tuple[float | None, str | None]:
    """Pearson's chi-square test of two rows of counts, without a correction for continuity; or why there is none."""
    from scipy.stats import chi2_contingency

    counts = np.array([first, second])
    if (counts.sum(axis=1) == 0).any():
        return None, "no contradiction of one kind"
    if (counts.sum(axis=0) == 0).any():
        return None, "no contradiction, or every one, has the votes of all raters"
    return float(chi2_contingency(counts, correction=False).pvalue), None


def _draws(answers: Sequence[LabelledAnswer]) -> Iterator[Drawn]:
    """Contradictions by draw: over all distances and at each, by label and by at least so many votes."""
    distances = sorted({answer.distance for answer in answers if answer.distance is not None})
    by_people = [answer for answer in answers if answer.by == "people"]
    most = max((answer.raters for answer in by_people), default=0)
    for distance in (None, *(distances if len(distances) > 1 else ())):
        own = [answer for answer in answers if distance in (None, answer.distance)]
        yield _drawn(own, distance, None)
        voted = [answer for answer in own if answer.by == "people"]
        for votes in range(1, most + 1) if voted else ():
            yield _drawn(voted, distance, votes)


def _drawn(answers: Sequence[LabelledAnswer], distance: int | None, votes: int | None) -> Drawn:
    """Counts of each draw, and Student's test that contexts of TOP provoke more than those of RANDOM."""

    def contradicts(answer: LabelledAnswer) -> bool:
        return answer.label == "contradiction" if votes is None else answer.votes >= votes

    draws = {
        draw: [answer for answer in answers if answer.draw == draw]
        for draw in dict.fromkeys(answer.draw for answer in answers)
    }
    counts = {draw: (sum(map(contradicts, own)), len(own)) for draw, own in draws.items()}
    if not {"top", "random"} <= draws.keys():
        return Drawn(distance, votes, counts, None, "all probes were drawn in one way")
    groups = []
    for draw in ("top", "random"):
        rates: dict[str, list[bool]] = {}
        for answer in draws[draw]:
            rates.setdefault(answer.id, []).append(contradicts(answer))
        groups.append(np.array([np.mean(values) for values in rates.values()]))
    test = student_t(groups[0], groups[1], alternative="greater")
    return Drawn(distance, votes, counts, test.p if test.reason is None else None, test.reason)
