"""The two kinds of SelF-Eval that can be trained: turn by turn on a frozen encoder, or whole dialogues."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from dialeval.selfeval.config import SelfEvalConfig
from dialeval.selfeval.spoiling import Material
from dialeval.selfeval.training import train_selfeval
from dialeval.selfeval.turnwise.training import TurnwiseConfig, train_turnwise
from dialeval.training.finetuning import Finetuning
from dialeval.training.loop import Fitted, Session


@dataclass(frozen=True, slots=True)
class Turnwise:
    """A small network on vectors of single turns; minutes on a laptop."""

    config: TurnwiseConfig

    def train(
        self, material: Material, held_out: Material, folder: Path, digest: str, session: Session
    ) -> Fitted:
        """Train and write to ``folder``."""
        return train_turnwise(material, held_out, self.config, folder, digest=digest, session=session)


@dataclass(frozen=True, slots=True)
class WholeDialogues:
    """An encoder that reads whole dialogues, as in the paper; hours without a GPU."""

    config: SelfEvalConfig
    tuned: Finetuning

    def train(
        self, material: Material, held_out: Material, folder: Path, digest: str, session: Session
    ) -> Fitted:
        """Train and write to ``folder``."""
        return train_selfeval(
            material, held_out, self.config, self.tuned, folder, digest=digest, session=session
        )


Learner: TypeAlias = Turnwise | WholeDialogues
