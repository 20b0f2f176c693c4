"""SelF-Eval as a metric: how well the turns of a dialogue belong together (Ma et al., 2022)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import ClassVar, Final

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data.types import Dialogue
from dialeval.encoder.adapters import Adapted, AdapterFile, find_adapter, load_adapter
from dialeval.errors import ResourceUnavailable
from dialeval.metrics.rows import rows_of_values
from dialeval.selfeval.heads import logits_of
from dialeval.selfeval.reading import marked, windows
from dialeval.selfeval.subjects import Judged, ReferenceFree, turns_of

SHIPPED: Final = Path(__file__).parent / "shipped"
"""Adapters that come with dialeval, each with a model card."""
EMBEDDED: Final = "embedded"
"""The name of the adapter that comes with dialeval."""


@dataclass(frozen=True, slots=True)
class SelfEval(ReferenceFree):
    """How well the turns of a dialogue belong together, learnt without labels, in [0, 1].

    An example is read as a dialogue whose last turn is the response, the last turns of its context before it. A
    dialogue that is longer than the model's window of turns is read in windows that overlap by half, and its score is
    their mean.
    The corpus score is the mean. Trained on dialogues some of whose turns were replaced or spoilt; see
    docs/which-scorer.md for how far it agrees with people.
    """

    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    model: str = EMBEDDED
    """``embedded``, or the folder that ``dialeval train selfeval`` wrote."""

    def __post_init__(self) -> None:
        adapter_file(self.model, "selfeval")

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        file = adapter_file(self.model, "selfeval")
        facts = (("adapter", file.fact), ("encoder", file.weights.fact))
        return Signature("selfeval", (("model", self.model),), facts)

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and the encoder, each with its sha256."""
        return adapter_file(self.model, "selfeval").resources

    def statistics(self, subjects: Sequence[Judged]) -> Floats:
        """Rows of the subject's score and 1."""
        adapted = load_adapter(adapter_file(self.model, "selfeval"))
        size = int(adapted.about.facts["window"])
        parts = [_parts(subject, size) for subject in subjects]
        scores = iter(window_scores(adapted, [part for own in parts for part in own]).tolist())
        return rows_of_values([fmean([next(scores) for _ in own]) for own in parts])

    def turn_effects(self, subject: Judged) -> list[float]:
        """How much the score would rise without each turn: the highest belongs to the turn that hurts most.

        One value for each of the subject's turns; NaN where fewer than two others would be left.
        """
        turns = [turn.text for turn in turns_of(subject)]
        if len(turns) < 3:
            return [float("nan")] * len(turns)
        adapted = load_adapter(adapter_file(self.model, "selfeval"))
        size = int(adapted.about.facts["window"])
        without = [turns[:place] + turns[place + 1 :] for place in range(len(turns))]
        parts = [windows(each, size) for each in (turns, *without)]
        scores = iter(window_scores(adapted, [part for own in parts for part in own]).tolist())
        whole, *rest = [fmean([next(scores) for _ in own]) for own in parts]
        return [score - whole for score in rest]


def _parts(subject: Judged, size: int) -> list[tuple[str, ...]]:
    turns = [turn.text for turn in turns_of(subject)]
    return windows(turns, size) if isinstance(subject, Dialogue) else [tuple(turns[-size:])]


def window_scores(adapted: Adapted, texts: Sequence[Sequence[str]]) -> Floats:
    """The score of each window of turns, the mean over the heads."""
    tokens = adapted.tokens([marked(turns) for turns in texts])
    logits = logits_of(adapted, tokens)
    scores: Floats = (1 / (1 + np.exp(-logits))).mean(axis=1)
    return scores


def adapter_file(model: str, kind: str) -> AdapterFile:
    """The adapter of that kind that comes with dialeval, or the one in a folder that training wrote."""
    path = SHIPPED / f"{kind}.safetensors" if model == EMBEDDED else Path(model) / "adapter.safetensors"
    file = find_adapter(path)
    if file.about.kind != kind:
        raise ResourceUnavailable(
            f"{path} holds a {file.about.kind} adapter; expected one of kind {kind}. Give the folder that "
            f"'dialeval train {kind}' wrote."
        )
    return file
