"""The folder of a trained detector: calibrated adapter, model card and measurements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np

from dialeval.consistency.detecting.detector import (
    Calibration,
    PairDetector,
    joined,
    margins_of,
    nearest_of,
)
from dialeval.consistency.detecting.dialogues import (
    EVERYTHING,
    LAST_TURN,
    Case,
    Reading,
    find_contradictions,
    may_differ,
    passages,
)
from dialeval.consistency.detecting.pairs import segments_of
from dialeval.consistency.document import Measured
from dialeval.consistency.learning.calibrating import (
    Compared,
    calibrate,
    calibrate_whole,
    calibrate_worst,
    measure,
)
from dialeval.consistency.learning.config import KIND, DetectorConfig
from dialeval.consistency.learning.training import ADAPTER, Trained, digest_of
from dialeval.consistency.pairs.types import LabelledPair, Pair
from dialeval.core import Floats
from dialeval.data.types import Context, Dialogue, Turn
from dialeval.errors import Unsuitable
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import write_document
from dialeval.training.finetuning import FinetunedEncoder, predict, write_adapter
from dialeval.training.folder import CARD, Card

MEASURED: Final = "measured.json"
COMPANY: Final = (0, 1, 2, 3, 5, 8)
"""How many other utterances of a speaker a response is compared with, drawn for each pair."""
_COLUMNS: Final = ("updates", "loss in training", "loss held out", "accuracy held out")


def finish(
    folder: Path,
    trained: Trained,
    train: Sequence[LabelledPair],
    calibrated_on: Sequence[LabelledPair],
    config: DetectorConfig,
    *,
    started_from: str = "",
    talks: Sequence[Talk] = (),
    whole: Sequence[Talk] = (),
) -> Measured:
    """Calibrate the model, write adapter, card and measurements, and say how it does on the calibration set.

    Last turns are calibrated on ``talks``; without them on the pairs, each in the company of other utterances. Whole
    dialogues are calibrated on ``whole``; without it as last turns are.
    """
    margins = pair_margins(trained.model, calibrated_on)
    truth = [labelled.contradicts for labelled in calibrated_on]
    calibration = calibrate(margins, truth)
    nearest = nearest_of(trained.model.weights)
    compared = compared_in(talks or in_company(calibrated_on), Scorer(trained.model, calibration, nearest))
    calibration = calibrate_worst(calibration, compared)
    if whole:
        seen = compared_in(whole, Scorer(trained.model, calibration, nearest), EVERYTHING)
        calibration = calibrate_whole(calibration, seen)
    measured = measure(calibration.probability(margins), truth, calibration)
    facts = {**calibration.facts, **_sources(train, calibrated_on), "started_from": started_from}
    if nearest is not None:
        facts["nearest"] = nearest
    write_adapter(folder / ADAPTER, trained.model, KIND, facts)
    write_document(folder / MEASURED, {"validation": measured, "calibration": calibration})
    write_atomically(folder / CARD, str(_card(trained, train, calibration, config, facts)).encode())
    return measured


def check_calibrating(pairs: Sequence[LabelledPair]) -> None:
    """Raise Unsuitable unless some pairs contradict and some do not, of those in which a turn states something."""
    talks = in_company(pairs)
    stated = [any(may_differ(quoted.pair) for quoted in passages(talk.turns, LAST_TURN)) for talk in talks]
    usable = [talk.contradicts for talk, states in zip(talks, stated, strict=True) if states]
    if len(set(usable)) < 2:
        unread = len(pairs) - len(usable)
        mute = f" ({unread:,} more only ask, or repeat the turn before)" if unread else ""
        raise Unsuitable(
            f"Found {usable.count(True):,} contradictions and {usable.count(False):,} other pairs to calibrate the "
            f"detector on{mute}, and both are required. Give more pairs, a larger --validation, or --calibrate PAIRS."
        )


def pair_margins(model: FinetunedEncoder, pairs: Sequence[LabelledPair]) -> Floats:
    """Log-odds of a contradiction in each pair, by the model as it was trained."""
    tokens = model.tokens([segments_of(labelled.pair) for labelled in pairs])
    return margins_of(predict(model, tokens).numpy().astype(np.float64))


class Talk(NamedTuple):
    """A dialogue, and whether its last turn contradicts an earlier one of its speaker, or any turn of the assistant."""

    turns: Context
    contradicts: bool


class Scorer(NamedTuple):
    """A model that is still in training form, as dialogues are compared with."""

    model: FinetunedEncoder
    calibration: Calibration
    nearest: int | None = None

    def probabilities(self, pairs: Sequence[Pair]) -> Floats:
        """Calibrated probability of a contradiction in each pair."""
        tokens = self.model.tokens([segments_of(pair) for pair in pairs])
        return self.calibration.probability(
            margins_of(predict(self.model, tokens).numpy().astype(np.float64))
        )


def compared_in(
    talks: Sequence[Talk], scorer: Scorer | PairDetector, reading: Reading = LAST_TURN
) -> list[Compared]:
    """Scores of each dialogue: of its last turn, or the joined odds of all turns of its assistant."""
    read = [reading.of(Dialogue("", talk.turns), "system") for talk in talks]
    cases = [Case(talk.turns, each) for talk, each in zip(talks, read, strict=True)]
    found = find_contradictions(cases, scorer, nearest=scorer.nearest)
    return [
        Compared(joined(each.by_turn), each.pairs, talk.contradicts)
        for each, talk in zip(found, talks, strict=True)
        if each is not None
    ]


def in_company(pairs: Sequence[LabelledPair]) -> list[Talk]:
    """Each pair as a dialogue in which the speaker said other things too.

    Other things are those of the same dialogue where the pair knows them, else utterances of other pairs.
    """
    draw = Random(0)
    earlier = [labelled.pair.earlier for labelled in pairs]
    return [Talk(_talk(labelled, earlier, draw), labelled.contradicts) for labelled in pairs]


def _talk(labelled: LabelledPair, earlier: Sequence[str], draw: Random) -> Context:
    """The utterances of the speaker in any order, then the turn between, then the response."""
    others = labelled.others or tuple(draw.sample(earlier, min(draw.choice(COMPANY), len(earlier))))
    said = [labelled.pair.earlier, *(text for text in others if text != labelled.pair.earlier)]
    draw.shuffle(said)
    between = [Turn("user", labelled.pair.between)] if labelled.pair.between.strip() else []
    return (*(Turn("assistant", text) for text in said), *between, Turn("assistant", labelled.pair.response))


def _sources(train: Sequence[LabelledPair], calibrated_on: Sequence[LabelledPair]) -> Mapping[str, Any]:
    return {
        "pairs": dict(Counter(_source(labelled) for labelled in train).most_common()),
        "digest": digest_of(train),
        "calibrated_on": dict(Counter(_source(labelled) for labelled in calibrated_on).most_common()),
    }


def _source(labelled: LabelledPair) -> str:
    return labelled.source.partition(":")[0] or "pairs"


def _card(
    trained: Trained,
    train: Sequence[LabelledPair],
    calibration: Calibration,
    config: DetectorConfig,
    facts: Mapping[str, Any],
) -> Card:
    sources = ", ".join(f"{number:,} of {name}" for name, number in facts["pairs"].items())
    schedule = config.schedule
    settings = {
        "encoder": config.encoder,
        "rank": config.rank or "all weights",
        "tokens": config.longest,
        "batch": config.batch,
        "learning rate": schedule.learning_rate,
        "weight decay": schedule.weight_decay,
        "epochs": schedule.epochs,
        "seed": schedule.seed,
        "started from": facts["started_from"] or "the encoder",
        "threshold": calibration.threshold,
        "ambiguous band": f"{calibration.band[0]:g} to {calibration.band[1]:g}",
        "ended by": trained.fitted.ending,
    }
    rows = [
        (
            str(each.updates),
            f"{each.train.get('loss', float('nan')):.4f}",
            f"{(each.held_out or {}).get('loss', float('nan')):.4f}",
            f"{(each.held_out or {}).get('accuracy', float('nan')):.4f}",
        )
        for each in trained.fitted.history
    ]
    about = (
        "Says how probably an utterance contradicts an earlier one by the same speaker. Use it with\n"
        "`dialeval consistency detect DIALOGUES --model FOLDER`."
    )
    data = f"Trained on {len(train):,} pairs ({sources}), sha256 {facts['digest'][:12]}."
    return Card("A contradiction detector", about, data, settings, _COLUMNS, rows)
