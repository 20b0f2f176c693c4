"""Readers of answers: the trained classifier, run without torch, and the rule of the first word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.encoder.adapters import AdapterFile, find_adapter, load_adapter
from dialeval.encoder.bases import best_installed
from dialeval.encoder.files import EMBEDDED, find_encoder
from dialeval.nbest.answers.evaluation import Readable, Thresholds, decide, softmax
from dialeval.nbest.answers.labels import LABELS, first_word_label
from dialeval.nbest.answers.topics import relatedness
from dialeval.nbest.document import Label

SHIPPED: Final[Mapping[str, str]] = {
    "shipped-deberta": "yesno-deberta.safetensors",
    "shipped-minilm": "yesno.safetensors",
}
"""Classifiers that come with the package, trained on Circa, by name, the best first; their card is beside them."""


class Reading(NamedTuple):
    """What an answer was taken for."""

    label: Label
    probability: float
    """Of the label; of an ambiguous answer, that it is ambiguous. NaN if there is no reading."""
    lacking: str | None = None
    """Why a judge gave no reading."""


class AnswerReader(Protocol):
    """Says what answers to polar questions mean."""

    @property
    def signature(self) -> Signature:
        """All that could move a label."""

    @property
    def resources(self) -> Mapping[str, str]:
        """Name and sha256 of each file that it rests on."""

    def read(self, questions: Sequence[str], answers: Sequence[str]) -> list[Reading]:
        """What each answer to its question means."""


@dataclass(frozen=True, slots=True)
class FirstWord:
    """Yes or no by the first word; every other answer is ambiguous."""

    @property
    def signature(self) -> Signature:
        """Its name: there is nothing to set."""
        return Signature("first_word", ())

    @property
    def resources(self) -> Mapping[str, str]:
        """None."""
        return {}

    def read(self, questions: Sequence[str], answers: Sequence[str]) -> list[Reading]:
        """What each answer's first word says, as if it were certain."""
        return [Reading(first_word_label(answer), 1.0) for answer in answers]


@dataclass(frozen=True, slots=True)
class YesNoClassifier:
    """An encoder with an adapter that `dialeval train yesno` wrote."""

    file: AdapterFile
    thresholds: Thresholds

    @property
    def signature(self) -> Signature:
        """The adapter and its thresholds."""
        probability, related = self.thresholds
        settings: tuple[tuple[str, float], ...] = (("threshold", probability), ("related", related))
        return Signature("yesno", settings if related > -1 else settings[:1], self.file.facts, version=2)

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and its encoder, and the one that compares answers with questions."""
        own = self.file.resources
        return {**find_encoder(EMBEDDED).resources, **own} if self.thresholds.related > -1 else own

    def probabilities(self, questions: Sequence[str], answers: Sequence[str]) -> Floats:
        """Of yes, no and ambiguous, shape (n, 3)."""
        adapted = load_adapter(self.file)
        return softmax(adapted.logits(list(zip(questions, answers, strict=True))))

    def read(self, questions: Sequence[str], answers: Sequence[str]) -> list[Reading]:
        """What each answer to its question means; an answer without a word is ambiguous."""
        if not answers:
            return []
        probabilities = self.probabilities(questions, answers)
        probabilities[[not answer.strip() for answer in answers]] = (0.0, 0.0, 1.0)
        compared = self.thresholds.related > -1
        related = relatedness(questions, answers) if compared else np.ones(len(answers))
        codes = decide(Readable(probabilities, related), self.thresholds)
        confidence = probabilities[np.arange(len(codes)), codes]
        return [Reading(LABELS[code], p) for code, p in zip(codes.tolist(), confidence.tolist(), strict=True)]


def load_classifier(model: Path | None = None, *, threshold: float | None = None) -> YesNoClassifier:
    """The classifier in a folder or file of ``dialeval train yesno``, or a shipped one by name.

    If none is named, it is the shipped one of the best base that is installed.
    ``threshold`` is the probability from which an answer is ambiguous; by default the one found in training, as is
    the cosine with the question below which it is.
    """
    file = find_adapter(_path_of(model))
    known = float(file.about.facts.get("threshold", 0.5))
    related = float(file.about.facts.get("related", -1))
    return YesNoClassifier(file, Thresholds(known if threshold is None else threshold, related))


def _path_of(model: Path | None) -> Path:
    name = best_installed(SHIPPED) if model is None else str(model)
    if name in SHIPPED:
        return Path(__file__).parent / "assets" / SHIPPED[name]
    path = Path(name)
    return path / "adapter.safetensors" if path.is_dir() else path
