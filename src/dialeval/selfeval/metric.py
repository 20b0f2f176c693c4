"""SelF-Eval as a metric: how well the turns of a dialogue belong together (Ma et al., 2022); loads no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import ClassVar, Final

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Dialogue
from dialeval.encoder.adapters import ADAPTER, Adapted, AdapterFile, find_adapter, load_adapter
from dialeval.encoder.files import Vectors
from dialeval.encoder.model import special_ids
from dialeval.errors import ResourceUnavailable
from dialeval.selfeval.scorer import Scorer, removal_effects
from dialeval.selfeval.subjects import Subject, turns_of
from dialeval.selfeval.turnwise import judged_scores, replace_speakers

SPEAKERS: Final = ("A: ", "B: ")


def marked(turns: Sequence[str]) -> list[str]:
    """Each turn after the mark of its speaker, who alternate; the last one is always B, as a response is."""
    last = len(turns) - 1
    return [f"{SPEAKERS[1 - (last - place) % 2]}{turn}" for place, turn in enumerate(turns)]


def windows(turns: Sequence[str], size: int | None) -> list[tuple[str, ...]]:
    """All of a dialogue in windows of at most ``size`` turns that overlap by half; the last one ends the dialogue.

    A dialogue of n turns has one window for n <= size or if size is None, else 1 + ceil((n - size) / (size // 2)).
    """
    if size is None or len(turns) <= size:
        return [tuple(turns)]
    starts = list(range(len(turns) - size, 0, -(size // 2)))[::-1]
    return [tuple(turns[start : start + size]) for start in (0, *starts)]


def turn_spans(ids: Sequence[int], end: int) -> list[tuple[int, int]]:
    """Begin and end of each turn's tokens, the separator left out; an empty turn keeps its separator."""
    spans, start = [], 1
    for place, token in enumerate(ids):
        if place and token == end:
            spans.append((start, max(place, start + 1)))
            start = place + 1
    return spans


def logits_of(adapted: Adapted, tokens: Sequence[Sequence[int]]) -> Floats:
    """The logits of dialogues given as token ids, shape (dialogues, outputs)."""
    if adapted.about.facts["profile"] != "released":
        return adapted.logits_of(tokens)
    end = special_ids(adapted.encoder)[1]
    states = adapted.encoder.states(list(tokens))
    rows = [_released(adapted, own, turn_spans(ids, end)) for own, ids in zip(states, tokens, strict=True)]
    return np.array(rows, dtype=np.float64).reshape(-1, 1)


def _released(adapted: Adapted, states: Vectors, spans: Sequence[tuple[int, int]]) -> float:
    def linear(name: str, vectors: Floats) -> Floats:
        weight, bias = adapted.head[f"{name}.weight"], adapted.head[f"{name}.bias"]
        out: Floats = vectors @ weight.astype(np.float64).T + bias.astype(np.float64)
        return out

    wide = states.astype(np.float64)
    turns = np.stack([np.concatenate([wide[a:b].mean(0), wide[a:b].max(0)]) for a, b in spans])
    everything = np.concatenate([wide[:1], _elu(linear("turn", turns))])
    pooled = np.concatenate([everything.mean(0), everything.max(0)])
    return float(linear("last", _elu(linear("second", _elu(linear("first", pooled)))))[0])


def _elu(values: Floats) -> Floats:
    bent: Floats = np.where(values > 0, values, np.expm1(np.minimum(values, 0)))
    return bent


SHIPPED: Final = Path(__file__).parent / "shipped"
"""Adapters that come with dialeval, each with a model card."""
EMBEDDED: Final = "embedded"
"""The name of the adapter that comes with dialeval."""


@dataclass(frozen=True, slots=True)
class SelfEval(Scorer):
    """Coherence of the turns of a dialogue, learnt without labels, in [0, 1].

    The embedded model judges each response by the turns before it; an example has one, a dialogue's score is the mean
    over the turns of the judged speaker, or over all if it is not known who that is. A model that reads whole
    dialogues (the paper's) takes an example as a dialogue that ends with the response, and a long dialogue in windows
    of turns that overlap by half. The corpus score is the mean. Trained on dialogues some of whose turns were
    replaced or spoilt; docs/which-scorer.md says how far it agrees with people.
    """

    name: ClassVar[str] = "selfeval"
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    model: str = EMBEDDED
    """``embedded``, or the folder that ``dialeval train selfeval`` wrote."""

    def __post_init__(self) -> None:
        adapter_file(self.model, "selfeval")

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The adapter and the encoder, each with its hash."""
        file = adapter_file(self.model, "selfeval")
        return (("adapter", file.fact), ("encoder", file.weights.fact))

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and the encoder, each with its sha256."""
        return adapter_file(self.model, "selfeval").resources

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The score of each subject."""
        adapted = load_adapter(adapter_file(self.model, "selfeval"))
        if adapted.about.facts["profile"] == "turnwise":
            return np.array([fmean(own) for own in judged_scores(adapted, subjects)])
        parts = [_parts(subject, adapted.about.facts["window"]) for subject in subjects]
        return np.array(_means(adapted, parts))

    def turn_effects(self, subject: Subject) -> list[float]:
        """Rise of the score without each turn: the highest belongs to the turn that hurts most.

        One value for each of the subject's turns; NaN if fewer than two others would be left.
        """
        adapted = load_adapter(adapter_file(self.model, "selfeval"))

        def values(dialogues: Sequence[Dialogue]) -> list[float]:
            if adapted.about.facts["profile"] != "turnwise":
                size = adapted.about.facts["window"]
                return _means(adapted, [_parts(dialogue, size) for dialogue in dialogues])
            # The turns of both sides count here, or the effect of a question would be nothing.
            anyone = [replace_speakers(dialogue) for dialogue in dialogues]
            return [fmean(own) if own else float("nan") for own in judged_scores(adapted, anyone)]

        return removal_effects(subject, values)


def _means(adapted: Adapted, parts: Sequence[Sequence[Sequence[str]]]) -> list[float]:
    """The mean score of each list of windows, all of which are scored in one call."""
    scores = iter(window_scores(adapted, [part for own in parts for part in own]).tolist())
    return [fmean([next(scores) for _ in own]) for own in parts]


def _parts(subject: Subject, size: int | None) -> list[tuple[str, ...]]:
    turns = [turn.text for turn in turns_of(subject)]
    return windows(turns, size) if isinstance(subject, Dialogue) else [tuple(turns[-(size or 0) :])]


def window_scores(adapted: Adapted, texts: Sequence[Sequence[str]]) -> Floats:
    """The score of each window of turns, the mean over the heads."""
    tokens = adapted.tokens([marked(turns) for turns in texts])
    logits = logits_of(adapted, tokens)
    scores: Floats = (1 / (1 + np.exp(-logits))).mean(axis=1)
    return scores


def adapter_file(model: str, kind: str) -> AdapterFile:
    """The adapter of that kind that comes with dialeval, or the one in a folder that training wrote."""
    path = SHIPPED / f"{kind}.safetensors" if model == EMBEDDED else Path(model) / ADAPTER
    file = find_adapter(path)
    if file.about.kind != kind:
        raise ResourceUnavailable(
            f"{path} holds a {file.about.kind} adapter; expected one of kind {kind}. Give the folder that "
            f"'dialeval train {kind}' wrote."
        )
    return file
