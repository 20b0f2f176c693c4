"""Contradiction detectors by name: the shipped one, a trained one, or custom code."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from dialeval.consistency.detecting.metrics import ContradictionDetector
from dialeval.core import Detector
from dialeval.errors import Unsuitable
from dialeval.files.custom_code import load_code

SHIPPED: Final = "shipped"
THRESHOLD: Final = 0.5
"""The probability from which a response is contradictory, for detectors that name none."""


@runtime_checkable
class Thresholded(Protocol):
    """A detector that says from which probability on it sees a contradiction."""

    @property
    def threshold(self) -> float:
        """That probability."""


def detector_named(place: str) -> Detector:
    """Return the shipped contradiction detector, a trained one, or one that custom code makes."""
    if ".py:" not in place:
        return ContradictionDetector(place)
    made = load_code(place, Path.cwd()).thing
    detector = made() if isinstance(made, type) or not isinstance(made, Detector) else made
    if not isinstance(detector, Detector):
        raise Unsuitable(
            f"{place} is not a Detector: it needs a signature and contradiction(contexts, responses)."
        )
    return detector


def threshold_of(detector: Detector) -> float:
    """The probability from which on the detector sees a contradiction."""
    return detector.threshold if isinstance(detector, Thresholded) else THRESHOLD
