"""``quality`` as a metric of responses in their context and of whole dialogues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data.types import Dialogue
from dialeval.resources.huggingface import require_torch
from dialeval.selfeval.effects import removal_effects
from dialeval.selfeval.metric import EMBEDDED, SHIPPED
from dialeval.selfeval.quality.head import FILE, Head, HeadFile, find_head
from dialeval.selfeval.quality.moments import judged_places
from dialeval.selfeval.quality.rows import Kind, feature_rows, kind_of, recipe_name
from dialeval.selfeval.quality.turn_features import embedded_adapter
from dialeval.selfeval.scorer import Scorer
from dialeval.selfeval.subjects import Judged, spoken_turns, unscorable


@dataclass(frozen=True, slots=True)
class Quality(Scorer):
    """How good a response or a dialogue is, by features that were weighed on people's ratings of other systems.

    A weighted sum of standardised features: the score of `selfeval`, likeness in meaning to what was said before,
    repetition of oneself and within the response, information, questions; of a dialogue the means of these over the
    judged turns, and also variety of words, the other side's reactions, and information. 0 is the average of the rated
    sets that it was fitted to, 1 a standard deviation of their ratings. Responses and dialogues have weights of their
    own, so compare only values of the same kind. The corpus score is the mean.

    Supervised by ratings of other systems than yours. Spearman with people, within systems / pooled: FED dialogues
    .264 / .513 (``lm=True`` .353 / .653), FED turns .245 / .274 (``lm=True`` .309 / .425), GRADE ConvAI2 .480 / .545,
    GRADE DailyDialog .317 / .311, USR TopicalChat .285 / .392; docs/which-scorer.md has intervals and more sets.
    Enough to compare systems on many items, not to judge a single one.
    """

    silence: ClassVar[float] = -3.0
    """What an unanswered item counts as, three standard deviations of people's ratings below their average: the scale
    has no end."""
    lm: bool = False
    """Whether to ask the embedded language model too what it expects the other side to say next; about 0.7 s more."""
    model: str = EMBEDDED
    """``embedded``, or the folder that ``dialeval train quality`` wrote."""

    def __post_init__(self) -> None:
        if self.lm:
            require_torch("quality(lm=True)", "transformers")
        self._file()

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        adapter = embedded_adapter()
        weights = ("weights", self._file().sha256[:12])
        facts = [weights, ("adapter", adapter.fact), ("encoder", adapter.weights.fact)]
        if self.lm:
            facts.append(("lm", _follow_ups_fact()))
        return Signature("quality", (("lm", self.lm), ("model", self.model)), tuple(facts), version=3)

    @property
    def resources(self) -> Mapping[str, str]:
        """The weights, the adapter of `selfeval` and the encoder, each with its sha256."""
        return {FILE: self._file().sha256, **embedded_adapter().resources}

    def unscorable(self, subject: Judged) -> str | None:
        """Why nothing can be judged here, or None."""
        return why_unscorable(subject)

    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The score of each subject."""
        scores = np.empty(len(subjects))
        for kind, places in _by_kind(subjects).items():
            head = self.head(kind)
            rows = feature_rows([subjects[place] for place in places], head.names)
            scores[places] = head.scores(rows)
        return scores

    def turn_effects(self, subject: Judged) -> list[float]:
        """How much the score would rise without each turn: the highest belongs to the turn that hurts most.

        One value for each of the subject's turns, as a dialogue; NaN where nothing could be judged without it.
        """

        def values(dialogues: Sequence[Dialogue]) -> list[float]:
            scorable = [dialogue for dialogue in dialogues if self.unscorable(dialogue) is None]
            known = iter(self.values(scorable).tolist())
            return [
                next(known) if self.unscorable(dialogue) is None else float("nan") for dialogue in dialogues
            ]

        return removal_effects(subject, values)

    def head(self, kind: Kind) -> Head:
        """The weights for responses or for dialogues."""
        return self._file().head(recipe_name(kind, self.lm))

    def _file(self) -> HeadFile:
        return find_head((SHIPPED / "quality" if self.model == EMBEDDED else Path(self.model)) / FILE)


def why_unscorable(subject: Judged) -> str | None:
    """Why nothing can be judged of the subject, or None."""
    reason = unscorable(subject)
    if reason is None and not judged_places(subject, spoken_turns(subject)):
        return "no response to an earlier turn"
    return reason


def _by_kind(subjects: Sequence[Judged]) -> dict[Kind, list[int]]:
    kinds: dict[Kind, list[int]] = {}
    for place, subject in enumerate(subjects):
        kinds.setdefault(kind_of(subject), []).append(place)
    return kinds


def _follow_ups_fact() -> str:
    from dialeval.selfeval.rivals.follow_ups import FollowUps

    return dict(FollowUps().signature.facts)["lm"]
