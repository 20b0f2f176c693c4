"""Metric `quality` of responses and dialogues, its heads of weighted features, and explanations of its scores."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Final, Literal, NamedTuple

import numpy as np

from dialeval.core import Floats
from dialeval.data.speakers import folded
from dialeval.data.types import Dialogue, Example, Response
from dialeval.encoder import files as encoders
from dialeval.encoder.bases import is_installed
from dialeval.encoder.model import unit_vectors
from dialeval.errors import ResourceUnavailable
from dialeval.files.digests import hash_file
from dialeval.files.foreign import as_bad_input, safetensors_errors, weights_path
from dialeval.resources.huggingface import require_torch
from dialeval.selfeval.crossencoder.reading import BASE, shipped_file
from dialeval.selfeval.metric import EMBEDDED, SHIPPED
from dialeval.selfeval.quality.faults import blame
from dialeval.selfeval.quality.features import (
    FITS,
    Kind,
    Moment,
    Utterance,
    embedded_adapter,
    feature_rows,
    judged_places,
    kind_of,
    recipe_name,
)
from dialeval.selfeval.quality.misfits import misfits
from dialeval.selfeval.scorer import Scorer, removal_effects
from dialeval.selfeval.subjects import Subject, are_judged, exchanges_of, spoken_turns, turns_of, unscorable

FORMAT: Final = "1"
FILE: Final = "quality.safetensors"
_PARTS: Final = ("centre", "scale", "weight")


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """A weighted sum of standardised features, in standard deviations of the ratings that it was fitted to."""

    names: tuple[str, ...]
    centre: Floats
    scale: Floats
    weight: Floats

    def contributions(self, rows: Floats) -> Floats:
        """Contribution of each feature, shape (n, features); 0 if it is undefined, as if it were average."""
        return np.nan_to_num((rows - self.centre) / self.scale) * self.weight

    def scores(self, rows: Floats) -> Floats:
        """The sum of the contributions, shape (n,)."""
        total: Floats = self.contributions(rows).sum(axis=1)
        return total


@dataclass(frozen=True, slots=True)
class HeadFile:
    """A file of heads and its hash."""

    path: Path
    sha256: str

    @property
    def recipes(self) -> frozenset[str]:
        """What the file has heads for."""
        return frozenset(_load(self.path, self.sha256))

    def head(self, recipe: str) -> Head:
        """The head of that recipe, such as ``turn``; ResourceUnavailable if the file has none."""
        heads = _load(self.path, self.sha256)
        if recipe not in heads:
            raise ResourceUnavailable(
                f"{self.path} has no weights for {recipe!r}, only for {', '.join(sorted(heads))}. Train with "
                "ratings of that kind: 'dialeval train quality RATED -o DIR'."
            )
        return heads[recipe]


def find_head(path: Path) -> HeadFile:
    """The file of heads; ResourceUnavailable if there is none."""
    if not path.is_file():
        raise ResourceUnavailable(
            f"{path.parent} lacks {path.name}. Give the folder that 'dialeval train quality RATED -o DIR' wrote."
        )
    return HeadFile(path, hash_file(path))


def write_heads(path: Path, heads: Mapping[str, Head]) -> None:
    """Write the heads by their recipe, as a whole or not at all."""
    from safetensors.numpy import save_file

    tensors = {
        f"{recipe}.{part}": np.asarray(getattr(head, part), np.float64)
        for recipe, head in heads.items()
        for part in _PARTS
    }
    names = {recipe: head.names for recipe, head in heads.items()}
    with weights_path(path) as scratch:
        save_file(tensors, scratch, {"format": FORMAT, "names": json.dumps(names, sort_keys=True)})


@lru_cache(maxsize=8)
def _load(path: Path, sha256: str) -> Mapping[str, Head]:
    """The heads in a file whose hash is known."""
    from safetensors import safe_open

    expected = f"weights of quality in format {FORMAT}"
    damage = as_bad_input(safetensors_errors(), str(path), "weights", expected, "Train the heads again.")
    with damage, safe_open(path, "numpy") as file:
        about = file.metadata() or {}
        if about.get("format") != FORMAT:
            raise ValueError(f"format {about.get('format')!r}")
        names: Mapping[str, Sequence[str]] = json.loads(about["names"])
        return {recipe: _head(file, recipe, tuple(own)) for recipe, own in names.items()}


def _head(file: object, recipe: str, names: tuple[str, ...]) -> Head:
    centre, scale, weight = (
        np.asarray(file.get_tensor(f"{recipe}.{part}"), np.float64)  # type: ignore[attr-defined]
        for part in _PARTS
    )
    if not centre.shape == scale.shape == weight.shape == (len(names),):
        raise ValueError(f"{recipe}: {len(names)} names, but {weight.shape} weights")
    return Head(names, centre, scale, weight)


@dataclass(frozen=True, slots=True)
class Quality(Scorer):
    """Quality of a response or a dialogue, by features that were weighed on people's ratings of other systems.

    A weighted sum of standardised features: the score of `selfeval`, likeness in meaning to what was said before,
    repetition of oneself and within the response, information, questions, and where its base is installed how well a
    cross-encoder finds that the response fits; of a dialogue the means of these over the
    judged turns, and also variety of words, the other side's reactions, and information. 0 is the average of the rated
    sets that it was fitted to, 1 a standard deviation of their ratings. Responses and dialogues have weights of their
    own, so compare only values of the same kind. The corpus score is the mean.

    Supervised by ratings of other systems than yours. Spearman with people, within systems / pooled, with the base
    ``deberta`` installed: FED dialogues .307 / .542 (``lm=True`` .378 / .664), FED turns .261 / .269 (.325 / .424),
    GRADE ConvAI2 .531 / .574, GRADE DailyDialog .393 / .394, USR TopicalChat .301 / .375. Without: .264 / .513
    (.353 / .653), .245 / .274 (.309 / .425), .480 / .545, .317 / .311, .285 / .392. docs/which-scorer.md has intervals.
    Enough to compare systems on many items, not to judge a single one.
    """

    name: ClassVar[str] = "quality"
    silence: ClassVar[float] = -3.0
    """Value of an unanswered item, three standard deviations of people's ratings below their average: the scale
    has no end."""
    lm: bool = False
    """Whether to ask the embedded language model too what it expects the other side to say next; about 0.7 s more."""
    model: str = EMBEDDED
    """``embedded``, or the folder that ``dialeval train quality`` wrote."""
    base: Literal["best", "minilm", "deberta"] = "best"
    """``deberta`` to ask the cross-encoder too how well a response fits, ``minilm`` not to; ``best`` asks it if its
    base is installed and the weights know of it."""

    def __post_init__(self) -> None:
        if self.asks_fits:
            shipped_file()
        if self.lm:
            require_torch("quality(lm=True)", "transformers")
        self._file()

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The weights, and the models behind the features, each with its hash."""
        adapter = embedded_adapter()
        weights = ("weights", self._file().sha256[:12])
        facts = [weights, ("adapter", adapter.fact), ("encoder", adapter.weights.fact)]
        if self.asks_fits:
            file = shipped_file()
            facts += [("fits", file.fact), ("base", file.weights.fact)]
        return (*facts, ("lm", _follow_ups_fact())) if self.lm else tuple(facts)

    @property
    def resources(self) -> Mapping[str, str]:
        """The weights, the adapter of `selfeval` and the encoder, and what else is asked, each with its sha256."""
        fits = shipped_file().resources if self.asks_fits else {}
        return {FILE: self._file().sha256, **embedded_adapter().resources, **fits}

    @property
    def asks_fits(self) -> bool:
        """Whether the cross-encoder is asked."""
        if self.base != "best":
            return self.base == BASE
        known = any(FITS in recipe for recipe in self._file().recipes)
        return known and is_installed(BASE)

    def unscorable(self, subject: Subject) -> str | None:
        """Reason why nothing can be judged here, or None."""
        return why_unscorable(subject)

    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The score of each subject."""
        scores = np.empty(len(subjects))
        for kind, places in _by_kind(subjects).items():
            head = self.head(kind)
            rows = feature_rows([subjects[place] for place in places], head.names)
            scores[places] = head.scores(rows)
        return scores

    def turn_effects(self, subject: Subject) -> list[float]:
        """Rise of the score without each turn, and up to 1 more for each plain fault of a judged turn.

        The highest belongs to the turn that hurts most. One value for each of the subject's turns, as a dialogue; NaN
        if nothing could be judged without it and it has no fault. `dialeval.selfeval.quality.faults` lists the faults,
        such as an echo, words in disorder or an insult, in answers to other turns. They count here alone: the scores
        know only what was weighed on ratings. With the cross-encoder, up to a quarter is added for a turn that fits
        neither what was said before it nor what was said next.
        """

        def values(dialogues: Sequence[Dialogue]) -> list[float]:
            scorable = [dialogue for dialogue in dialogues if self.unscorable(dialogue) is None]
            known = iter(self.values(scorable).tolist())
            return [
                next(known) if self.unscorable(dialogue) is None else float("nan") for dialogue in dialogues
            ]

        removed = removal_effects(subject, values)
        blamed = _blamed(subject, with_misfits=self.asks_fits)
        return [
            faults if faults and math.isnan(effect) else effect + faults
            for effect, faults in zip(removed, blamed, strict=True)
        ]

    def head(self, kind: Kind) -> Head:
        """The weights for responses or for dialogues."""
        return self._file().head(recipe_name(kind, lm=self.lm, fits=self.asks_fits))

    def _file(self) -> HeadFile:
        return find_head((SHIPPED / "quality" if self.model == EMBEDDED else Path(self.model)) / FILE)


def why_unscorable(subject: Subject) -> str | None:
    """Reason why nothing can be judged of the subject, or None."""
    reason = unscorable(subject)
    if reason is None and not judged_places(subject, spoken_turns(subject)):
        return "no response to an earlier turn"
    return reason


def _blamed(subject: Subject, *, with_misfits: bool) -> list[float]:
    """The faults of each turn of `turns_of`; 0 for turns that nobody judges or that answer nothing."""
    turns, judged = turns_of(subject), are_judged(subject)
    units = unit_vectors({turn.text.strip() for turn in turns}, encoders.EMBEDDED)
    said = [Utterance(folded(turn.speaker), turn.text, units[turn.text.strip()]) for turn in turns]
    earlier = [tuple(one for one in said[:place] if one.text.strip()) for place in range(len(said))]
    faults = [
        blame(Moment(turn, before)) if answers and before else 0.0
        for turn, before, answers in zip(said, earlier, judged, strict=True)
    ]
    if with_misfits:
        spoken = [place for place, turn in enumerate(said) if turn.text.strip()]
        asked = [number for number, place in enumerate(spoken) if number and judged[place]]
        texts = [said[place].text.strip() for place in spoken]
        for number, misfit in zip(asked, misfits(texts, asked).tolist(), strict=True):
            faults[spoken[number]] += misfit
    return faults


def _by_kind(subjects: Sequence[Subject]) -> dict[Kind, list[int]]:
    kinds: dict[Kind, list[int]] = {}
    for place, subject in enumerate(subjects):
        kinds.setdefault(kind_of(subject), []).append(place)
    return kinds


def _follow_ups_fact() -> str:
    from dialeval.selfeval.rivals.likelihood import FollowUps

    return dict(FollowUps().signature.facts)["lm"]


class Contribution(NamedTuple):
    """Contribution of one feature to a score, beside an average subject; all of them add up to the score."""

    feature: str
    value: float
    """The feature itself, NaN if it is undefined."""
    adds: float


class TurnQuality(NamedTuple):
    """The score of one judged turn as a response of its own."""

    text: str
    score: float
    contributions: tuple[Contribution, ...]


def explain(subject: Subject, metric: Quality | None = None) -> list[Contribution]:
    """Contribution of each feature to the subject's score, the largest effect first."""
    head = (metric or Quality()).head(kind_of(subject))
    rows = feature_rows([subject], head.names)
    added = head.contributions(rows)[0]
    found = [
        Contribution(name, float(value), float(adds))
        for name, value, adds in zip(head.names, rows[0], added, strict=True)
    ]
    return sorted(found, key=lambda contribution: -abs(contribution.adds))


def explain_turns(dialogue: Dialogue, metric: Quality | None = None) -> list[TurnQuality]:
    """Each judged turn of a dialogue, scored and explained as a response to what was said before it."""
    turns = []
    for exchange in exchanges_of(dialogue):
        if any(turn.text.strip() for turn in exchange.context):
            example = Example(dialogue.item, dialogue.system, exchange.context, Response(exchange.response))
            contributions = explain(example, metric)
            score = sum(contribution.adds for contribution in contributions)
            turns.append(TurnQuality(exchange.response, score, tuple(contributions)))
    return turns
