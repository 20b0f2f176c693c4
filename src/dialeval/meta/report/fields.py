"""What the values of a document have in common."""

from __future__ import annotations

from typing import Final, TypeAlias

Five: TypeAlias = tuple[float, float, float, float, float]
"""Least value, first quartile, median, third quartile, greatest value."""

FINITE: Final = {"allow_inf_nan": False}
"""For pydantic, which reads these values: no number is written null, never NaN."""
