"""The shipped detectors: each by a name of its own, and the best of those whose base is installed."""

from __future__ import annotations

import pytest

from dialeval.consistency.detecting.detector import SHIPPED_OF, PairDetector, adapter_path, is_shipped
from dialeval.consistency.pairs.types import Pair
from dialeval.encoder import bases
from dialeval.encoder.bases import is_installed
from dialeval.errors import ResourceUnavailable


def test_every_shipped_adapter_is_there_and_small() -> None:
    for name in SHIPPED_OF:
        assert is_shipped(name)
        assert adapter_path(name).stat().st_size < 2_000_000


def test_the_best_installed_base_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bases, "is_installed", lambda base: True)
    assert adapter_path("shipped").name == "contradiction-deberta.safetensors"
    monkeypatch.setattr(bases, "is_installed", lambda base: base == "minilm")
    assert adapter_path("shipped") == adapter_path("shipped-minilm")


def test_two_bases_share_neither_key_nor_signature(minilm, monkeypatch, tmp_path) -> None:
    known = [PairDetector(name) for name in SHIPPED_OF if is_installed(name.removeprefix("shipped-"))]
    assert known
    for read in (lambda each: each.key, lambda each: each.fact):
        assert len({read(each) for each in known}) == len(known)
    absent = [name for name in SHIPPED_OF if not is_installed(name.removeprefix("shipped-"))]
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in absent:
        with pytest.raises(ResourceUnavailable, match="pip install"):
            assert PairDetector(name).key


CLASHES = [
    ("I have two cats.", "I never had a pet."),
    ("We are open on Sundays.", "We are closed on Sundays."),
    ("I grew up in Norway.", "I was born and raised in Spain."),
    ("The parcel arrives tomorrow.", "Your parcel was lost, it will not arrive."),
]
PLAIN = [
    ("I have two cats.", "I feed them twice a day."),
    ("We are open on Saturdays.", "We are closed on Sundays."),
    ("The small plan costs five euros.", "The large plan costs nine euros."),
    ("I have a cat.", "I do not have a dog."),
]


def test_the_detector_on_the_larger_base_tells_contradictions_from_look_alikes(deberta) -> None:
    found = PairDetector("shipped-deberta").probabilities([Pair(*pair) for pair in CLASHES + PLAIN])
    assert (found[: len(CLASHES)] >= 0.5).sum() >= 3
    assert (found[len(CLASHES) :] < 0.5).sum() >= 3
    assert adapter_path("shipped").name == "contradiction-deberta.safetensors"
