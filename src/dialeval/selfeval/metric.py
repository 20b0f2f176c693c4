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
from dialeval.selfeval.effects import removal_effects
from dialeval.selfeval.heads import logits_of
from dialeval.selfeval.reading import marked, windows
from dialeval.selfeval.scorer import Scorer
from dialeval.selfeval.subjects import Judged, turns_of
from dialeval.selfeval.turnwise.scoring import judged_scores, replace_speakers

SHIPPED: Final = Path(__file__).parent / "shipped"
"""Adapters that come with dialeval, each with a model card."""
EMBEDDED: Final = "embedded"
"""The name of the adapter that comes with dialeval."""


@dataclass(frozen=True, slots=True)
class SelfEval(Scorer):
    """How well the turns of a dialogue belong together, learnt without labels, in [0, 1].

    The embedded model judges each response by the turns before it; an example has one, a dialogue's score is the mean
    over the turns of the judged speaker, or over all where it is not known who that is. A model that reads whole
    dialogues (the paper's) takes an example as a dialogue that ends with the response, and a long dialogue in windows
    of turns that overlap by half. The corpus score is the mean. Trained on dialogues some of whose turns were
    replaced or spoilt; docs/which-scorer.md says how far it agrees with people.
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
        return Signature("selfeval", (("model", self.model),), facts, version=3)

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and the encoder, each with its sha256."""
        return adapter_file(self.model, "selfeval").resources

    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The score of each subject."""
        adapted = load_adapter(adapter_file(self.model, "selfeval"))
        if adapted.about.facts["profile"] == "turnwise":
            return np.array([fmean(own) for own in judged_scores(adapted, subjects)])
        parts = [_parts(subject, int(adapted.about.facts["window"])) for subject in subjects]
        return np.array(_means(adapted, parts))

    def turn_effects(self, subject: Judged) -> list[float]:
        """How much the score would rise without each turn: the highest belongs to the turn that hurts most.

        One value for each of the subject's turns; NaN where fewer than two others would be left.
        """
        adapted = load_adapter(adapter_file(self.model, "selfeval"))

        def values(dialogues: Sequence[Dialogue]) -> list[float]:
            if adapted.about.facts["profile"] != "turnwise":
                size = int(adapted.about.facts["window"])
                return _means(adapted, [_parts(dialogue, size) for dialogue in dialogues])
            # The turns of both sides count here, or the effect of a question would be nothing.
            anyone = [replace_speakers(dialogue) for dialogue in dialogues]
            return [fmean(own) if own else float("nan") for own in judged_scores(adapted, anyone)]

        return removal_effects(subject, values)


def _means(adapted: Adapted, parts: Sequence[Sequence[Sequence[str]]]) -> list[float]:
    """The mean score of each list of windows, all of which are scored in one call."""
    scores = iter(window_scores(adapted, [part for own in parts for part in own]).tolist())
    return [fmean([next(scores) for _ in own]) for own in parts]


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
