"""The folder of a trained detector: calibrated adapter, model card and measurements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from dialeval.consistency.detecting.detector import Calibration, margins_of
from dialeval.consistency.detecting.pairs import segments_of
from dialeval.consistency.document import Measured
from dialeval.consistency.learning.calibrating import calibrate, measure
from dialeval.consistency.learning.config import KIND, DetectorConfig
from dialeval.consistency.learning.training import ADAPTER, Trained, digest_of
from dialeval.consistency.pairs.types import LabelledPair
from dialeval.core import Floats
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import write_document
from dialeval.training.finetuning import FinetunedEncoder, predict, write_adapter
from dialeval.training.folder import CARD, Card

MEASURED: Final = "measured.json"
_COLUMNS: Final = ("updates", "loss in training", "loss held out", "accuracy held out")


def finish(
    folder: Path,
    trained: Trained,
    train: Sequence[LabelledPair],
    calibrated_on: Sequence[LabelledPair],
    config: DetectorConfig,
    *,
    started_from: str = "",
) -> Measured:
    """Calibrate the model, write adapter, card and measurements, and say how it does on the calibration set."""
    margins = pair_margins(trained.model, calibrated_on)
    truth = [labelled.contradicts for labelled in calibrated_on]
    calibration = calibrate(margins, truth)
    measured = measure(calibration.probability(margins), truth, calibration)
    facts = {**calibration._asdict(), **_sources(train, calibrated_on), "started_from": started_from}
    write_adapter(folder / ADAPTER, trained.model, KIND, facts)
    write_document(folder / MEASURED, {"validation": measured, "calibration": calibration})
    write_atomically(folder / CARD, str(_card(trained, train, calibration, config, facts)).encode())
    return measured


def pair_margins(model: FinetunedEncoder, pairs: Sequence[LabelledPair]) -> Floats:
    """Log-odds of a contradiction in each pair, by the model as it was trained."""
    tokens = model.tokens([segments_of(labelled.pair) for labelled in pairs])
    return margins_of(predict(model, tokens).numpy().astype(np.float64))


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
        "rank": config.rank,
        "tokens": config.longest,
        "batch": config.batch,
        "learning rate": schedule.learning_rate,
        "epochs": schedule.epochs,
        "seed": schedule.seed,
        "started from": facts["started_from"] or "the encoder",
        "threshold": calibration.threshold,
        "ambiguous band": f"{calibration.low:g} to {calibration.high:g}",
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
