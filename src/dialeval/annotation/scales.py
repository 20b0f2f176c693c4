"""Scales that the project of exported judgements declared, from the provenance beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from dialeval.annotation.kinds import KINDS, Ask
from dialeval.annotation.kinds.options import OneOption
from dialeval.annotation.kinds.slider import Slider
from dialeval.annotation.pace import beside
from dialeval.ratings.scale import RatingScale

PROVENANCE: Final = "provenance.json"
"""End of the name of the file in which an export says what was asked."""


def read_scales(judgements: Path) -> dict[str, RatingScale]:
    """The scale of each criterion whose raters chose a value; none if nothing that we exported is beside the file."""
    from pydantic import TypeAdapter, ValidationError

    path = beside(judgements, PROVENANCE)
    if not path.is_file():
        return {}
    try:
        asks = TypeAdapter(dict[str, object]).validate_json(path.read_bytes()).get("asks")
        known = TypeAdapter(tuple[Ask, ...]).validate_python(asks)
    except ValidationError:  # provenance of something else
        return {}
    scales = {ask.criterion: _scale(ask) for ask in known}
    return {criterion: scale for criterion, scale in scales.items() if scale is not None}


def _scale(ask: Ask) -> RatingScale | None:
    kind: object = KINDS.get(ask.kind)
    values = [option.value for option in ask.options]
    if isinstance(kind, Slider):
        return RatingScale(ask.lowest, ask.highest)
    if isinstance(kind, OneOption) and len(set(values)) > 1:
        return RatingScale(min(values), max(values))
    return None
