"""Leave-one-system-out cross-validation: a detector trained further on all systems but one, tested on that one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from dialeval.consistency.detecting.detector import Calibration, PairDetector, margins_of
from dialeval.consistency.detecting.pairs import segments_of
from dialeval.consistency.document import Measured, Target
from dialeval.consistency.learning.calibrating import calibrate, measure
from dialeval.consistency.learning.config import DetectorConfig
from dialeval.consistency.pairs.types import LabelledPair, divide
from dialeval.errors import Unsuitable


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
        contexts = {labelled.pair.between for labelled in test}
        others = [each for each in pairs if each.group != system and each.pair.between not in contexts]
        targets.append(_target(system, test, others, start, config))
    return targets


def _target(
    system: str,
    test: Sequence[LabelledPair],
    others: Sequence[LabelledPair],
    start: PairDetector,
    config: DetectorConfig,
) -> Target:
    from dialeval.consistency.learning.training import train_detector
    from dialeval.training.finetuning import predict

    chosen = balanced(with_random_earlier(others, seed=config.schedule.seed), seed=config.schedule.seed)
    parts = divide(chosen, validation=0.1)
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
    after = measure(
        calibration.probability(margins(test)), [labelled.contradicts for labelled in test], calibration
    )
    return Target(system, measured_by(start, test), after, len(parts.train))


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
