"""The model card: the README.md of a trained model's folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """What a reader should know of a model before using it."""

    title: str
    about: str
    """What the model is and how to use it, in Markdown."""
    data: str
    """What it was trained on, with digests."""
    settings: Mapping[str, object]
    """Everything that moved the weights, beside the data."""
    columns: Sequence[str]
    measured: Sequence[Sequence[str]]
    """A row for each evaluation, as wide as the columns."""

    def __str__(self) -> str:
        settings = [(key, str(value)) for key, value in self.settings.items()]
        return "\n".join(
            (
                f"# {self.title}",
                "",
                self.about,
                "",
                self.data,
                "The licence of the data governs what you may do with the weights.",
                "",
                *_table(("setting", "value"), settings),
                "",
                *_table(self.columns, self.measured),
                "",
            )
        )


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        f"| {' | '.join(columns)} |",
        "|" + "---|" * len(columns),
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
