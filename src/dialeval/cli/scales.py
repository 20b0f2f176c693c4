"""The scale that people were to use, as verbs are told it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from dialeval.ratings import RatingScale


def scale_given(text: str | None) -> RatingScale | None:
    """The scale that ``--scale`` writes; a usage error where it is none."""
    from dialeval.errors import Unsuitable
    from dialeval.ratings import RatingScale

    try:
        return None if text is None else RatingScale.parse(text)
    except Unsuitable as error:
        raise typer.BadParameter(str(error), param_hint="--scale") from None
