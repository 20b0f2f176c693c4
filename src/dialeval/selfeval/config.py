"""Settings of SelF-Eval, and the profiles of the paper, of the authors' script and of ours."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from dialeval.selfeval.construction.replacing import SIMPLE, Replacing
from dialeval.training.schedule import Schedule, require, require_at_least_one

Profile: TypeAlias = Literal["paper", "simple", "released", "two_heads"]
Relevance: TypeAlias = Literal["mlr", "bce", "ranking"]


@dataclass(frozen=True, slots=True)
class SelfEvalConfig:
    """Everything that moves the weights, beside the data and what is trained of the encoder."""

    profile: Profile = "two_heads"
    replacing: Replacing = field(default_factory=Replacing)
    loss: Relevance = "mlr"
    """How replaced turns are learnt from: ``mlr`` (separation and compactness), ``bce`` (the ablation -mlr), or
    ``ranking`` of all pairs of levels."""
    margin: float | None = None
    """Between neighbouring levels; None for 1 / (levels - 1)."""
    drop: bool = True
    """Whether the second half of the epochs, at least one of two, adds R-drop; False is the ablation -drop."""
    clusters: int = 6
    """Dialogues in a batch, each with all of its spoilt versions."""
    window: int = 8
    """Turns that are read at once; longer dialogues are scored window by window."""
    schedule: Schedule = field(
        default_factory=lambda: Schedule(
            epochs=2, learning_rate=5e-4, warm_up=100, evaluate_every=250, patience=8, save_every=50
        )
    )

    def __post_init__(self) -> None:
        require_at_least_one(self, "clusters")
        require("window", self.window, self.window >= 2, "2 or more")

    @property
    def outputs(self) -> tuple[str, ...]:
        """What the heads judge: everything in one, or relevance and form apart, since in one head they fight."""
        return ("relevance", "form") if self.profile == "two_heads" else ("quality",)

    def fine(self, epoch: int) -> bool:
        """Whether an epoch, counted from 0, belongs to the fine-grained stage."""
        return self.drop and epoch >= (self.schedule.epochs + 1) // 2


PROFILES: Final[dict[Profile, SelfEvalConfig]] = {
    "paper": SelfEvalConfig(profile="paper", replacing=Replacing(per_level=5)),
    "simple": SelfEvalConfig(profile="simple", replacing=replace(SIMPLE, per_level=5)),
    "released": SelfEvalConfig(
        profile="released",
        # Levels 0 to 2, two replaced turns by one speaker; five dialogues of each level.
        replacing=Replacing(levels=(0, 1, 2), per_level=5),
        margin=0.3,
        drop=False,
        clusters=1,
        schedule=Schedule(epochs=5, learning_rate=2e-5, warm_up=100, evaluate_every=250, save_every=50),
    ),
    "two_heads": SelfEvalConfig(replacing=Replacing(last_turn=0.5)),
}
