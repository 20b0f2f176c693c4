"""Leave-one-system-out cross-validation: a detector trained further on all systems but one, tested on that one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

import numpy as np

from dialeval.consistency.detecting.detector import Calibration, PairDetector, margins_of
from dialeval.consistency.detecting.pairs import segments_of
from dialeval.consistency.document import Measured, Target
from dialeval.consistency.learning.calibrating import calibrate, measure
from dialeval.consistency.learning.config import DetectorConfig
from dialeval.consistency.pairs.types import LabelledPair, divide
from dialeval.errors import Unsuitable

FOLDS: Final = 3
"""Parts into which contexts are divided that the other systems answered, too."""


def measured_by(
    detector: PairDetector, pairs: Sequence[LabelledPair], calibration: Calibration | None = None
) -> Measured:
    """How the detector does on these pairs."""
    used = calibration or detector.calibration
    truth = [labelled.contradicts for labelled in pairs]
    margins = detector.margins([labelled.pair for labelled in pairs])
    return measure(used.probability(margins), truth, used)


def leave_one_out(
    pairs: Sequence[LabelledPair],
    start: PairDetector,
    config: DetectorConfig,
    *,
    on_target: Callable[[str], None] = lambda system: None,
) -> list[Target]:
    """For each group of the pairs, a detector trained on all others, pairs of the same contexts left out.

    If that leaves less than half of the others, as of systems that answered the same probes, the contexts are divided
    into three folds, each tested by a detector trained on the other two.

    Training pairs follow the thesis: contradictions beside the utterance they contradict, others beside a random
    earlier one, classes balanced, one in ten held out to stop early and to calibrate.
    """
    systems = list(dict.fromkeys(labelled.group for labelled in pairs))
    if len(systems) < 2:
        raise Unsuitable(
            f"Pairs of {len(systems)} system(s); two or more are required to leave one out. Give pairs of more systems."
        )
    targets = []
    for system in systems:
        on_target(system)
        test = [labelled for labelled in pairs if labelled.group == system]
        rest = [labelled for labelled in pairs if labelled.group != system]
        targets.append(_target(system, test, rest, start, config))
    return targets


def _target(
    system: str,
    test: Sequence[LabelledPair],
    rest: Sequence[LabelledPair],
    start: PairDetector,
    config: DetectorConfig,
) -> Target:
    """What the detector does on one system before and after, its contexts in folds if others answered most of them."""
    truth = [labelled.contradicts for labelled in test]
    probabilities = np.zeros(len(test))
    trained_on: list[int] = []
    calibration = start.calibration
    for contexts in _folds(test, rest, seed=config.schedule.seed):
        others = [each for each in rest if each.pair.between not in contexts]
        trained = _trained(others, start, config)
        if trained is None:
            return Target(system, measured_by(start, test), None, 0)
        places = [place for place, each in enumerate(test) if each.pair.between in contexts]
        probabilities[places] = trained.probability([test[place] for place in places])
        trained_on.append(trained.pairs)
        calibration = trained.calibration
    # Each fold's calibration has the same threshold and band: only slope and offset are fitted.
    after = measure(probabilities, truth, calibration)
    return Target(system, measured_by(start, test), after, min(trained_on))


def _folds(test: Sequence[LabelledPair], rest: Sequence[LabelledPair], *, seed: int) -> list[set[str]]:
    """The contexts of the test at once, or in folds if too little to train on is left without them.

    Systems that answered the same probes share all contexts.
    """
    contexts = sorted({labelled.pair.between for labelled in test})
    left = sum(each.pair.between not in set(contexts) for each in rest)
    if 2 * left >= len(rest):
        return [set(contexts)]
    Random(seed).shuffle(contexts)
    return [fold for place in range(FOLDS) if (fold := set(contexts[place::FOLDS]))]


@dataclass(frozen=True, slots=True)
class _Further:
    """A detector that was trained further."""

    margins: Callable[[Sequence[LabelledPair]], np.ndarray[tuple[int], np.dtype[np.float64]]]
    calibration: Calibration
    pairs: int

    def probability(self, given: Sequence[LabelledPair]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Calibrated probability of a contradiction in each pair."""
        return self.calibration.probability(self.margins(given))


def _trained(others: Sequence[LabelledPair], start: PairDetector, config: DetectorConfig) -> _Further | None:
    """The detector trained further on these pairs; None if there are not both classes to train and to stop on."""
    from dialeval.consistency.learning.training import train_detector
    from dialeval.training.finetuning import predict

    chosen = balanced(with_random_earlier(others, seed=config.schedule.seed), seed=config.schedule.seed)
    # Pairs fall into parts by their hash, so of few pairs none may fall into a tenth.
    tried = (divide(chosen, validation=share) for share in (0.1, 0.3, 0.5))
    parts = next((each for each in tried if each.train and each.validation), None)
    if parts is None:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        trained = train_detector(
            parts.train, parts.validation, config, Path(scratch), start_from=start.file.path
        )

    def margins(given: Sequence[LabelledPair]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        model = trained.model
        tokens = model.tokens([segments_of(labelled.pair) for labelled in given])
        return margins_of(predict(model, tokens).numpy().astype(np.float64))

    held = parts.validation if len({each.contradicts for each in parts.validation}) == 2 else chosen
    calibration = calibrate(margins(held), [labelled.contradicts for labelled in held])
    return _Further(margins, calibration, len(parts.train))


def with_random_earlier(pairs: Iterable[LabelledPair], *, seed: int = 0) -> list[LabelledPair]:
    """Contradictions as they are; a consistent response beside a random earlier utterance of its speaker.

    So that a detector learns that unrelated utterances are consistent. Pairs from sets without whole dialogues stay.
    """
    draw = Random(seed)
    chosen = []
    for labelled in pairs:
        if labelled.contradicts or not labelled.others:
            chosen.append(labelled)
            continue
        earlier = draw.choice((labelled.pair.earlier, *labelled.others))
        chosen.append(replace(labelled, pair=labelled.pair._replace(earlier=earlier)))
    return chosen


def balanced(pairs: Sequence[LabelledPair], *, seed: int = 0) -> list[LabelledPair]:
    """As many contradictions as other pairs, by leaving out some of the more frequent; the order stays."""
    yes = [place for place, labelled in enumerate(pairs) if labelled.contradicts]
    no = [place for place, labelled in enumerate(pairs) if not labelled.contradicts]
    fewer = min(len(yes), len(no))
    draw = Random(seed)
    kept = {*draw.sample(yes, fewer), *draw.sample(no, fewer)}
    return [pairs[place] for place in sorted(kept)]
