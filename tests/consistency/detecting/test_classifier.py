"""Sequence classifiers of Hugging Face as detectors, on tiny models saved to a temporary folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
import torch

from dialeval.consistency.detecting.detector import PairDetector
from dialeval.consistency.detecting.metrics import ContradictionRate
from dialeval.consistency.pairs.types import Pair
from dialeval.data.types import Dialogue, Turn
from dialeval.errors import BadInput, Unsuitable
from support.encoders import NLI, make_classifier

PAIRS = [
    Pair("the cat sat on the mat", "a rat ate the oat"),
    Pair("where is it?", "it is on the hat", "the tea is hot"),
    Pair("the cat sat on the mat", "a rat ate the oat"),
]


@pytest.mark.parametrize("labels", [NLI, {0: "contradiction", 1: "not_contradiction"}, {0: "Contradictory"}])
def test_margins_are_the_log_odds_of_the_label_for_contradictions(
    roberta: Path, tmp_path: Path, labels: dict[int, str]
) -> None:
    from transformers import AutoTokenizer, RobertaForSequenceClassification

    folder = make_classifier(roberta, tmp_path / "nli", labels)
    detector = PairDetector(str(folder))
    model = RobertaForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found = detector.probabilities(PAIRS)
    place = [place for place, label in labels.items() if "not" not in label and "ontradict" in label.lower()]
    for pair, probability in zip(PAIRS, found, strict=True):
        with torch.inference_mode():
            logits = model(**tokenizer(pair.earlier, pair.response, return_tensors="pt")).logits[0]
        shares = logits.softmax(0) if len(labels) > 1 else logits.sigmoid()
        own = labels.keys() if len(labels) > 1 else [0]
        wanted = [n for n in own if labels[n].lower().startswith("contradict")]
        assert probability == pytest.approx(float(shares[wanted[0]]), abs=1e-5)
    assert len(place) == 1
    assert found[0] == found[2]
    assert (detector.calibration.threshold, detector.calibration.band) == (0.5, (0.5, 0.5))


def test_a_classifier_is_a_measure_and_its_signature_names_it(roberta: Path, tmp_path: Path) -> None:
    folder = make_classifier(roberta, tmp_path / "nli", NLI)
    metric = ContradictionRate(model=str(folder))
    assert "nli" in str(metric.signature)
    assert ":CONTRADICTION" in str(metric.signature)
    talk = Dialogue(
        "1", tuple(Turn("AB"[place % 2], text) for place, text in enumerate(["the", "cat", "sat", "on"]))
    )
    rows = metric.statistics([talk])
    assert rows.shape == (1, 2)
    assert np.isfinite(rows).all()


def test_a_classifier_without_such_a_label_is_refused(roberta: Path, tmp_path: Path) -> None:
    folder = make_classifier(roberta, tmp_path / "plain", {0: "yes", 1: "non-contradiction"})
    with pytest.raises(Unsuitable, match=r"labels yes, non-contradiction; expected exactly one.*id2label"):
        _ = PairDetector(str(folder)).calibration
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["RobertaModel"]}))
    with pytest.raises(Unsuitable, match=r"RobertaModel.*expected a classifier"):
        _ = PairDetector(str(folder)).calibration


def test_what_needs_an_adapter_says_so(roberta: Path, tmp_path: Path) -> None:
    folder = make_classifier(roberta, tmp_path / "nli", NLI)
    with pytest.raises(BadInput, match="a classifier of Hugging Face"):
        _ = PairDetector(str(folder)).file
