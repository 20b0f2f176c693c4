"""Problems of what people wrote, in plain words and at the place where they wrote it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from dialeval.files.problems import places

Positive = Annotated[float, Field(gt=0)]


class Shape(BaseModel):
    margin: Positive | dict[str, Positive] | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    engine: Literal["processes", "ray"] = "ray"
    systems: list[dict[str, int]] = []
    name: Annotated[str, Field(min_length=1)] = "x"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"margin": {"rouge_l": -1}}, [("margin.rouge_l", "a number above 0")]),
        ({"margin": {"rouge_l": "x", "bleu": 1}}, [("margin.rouge_l", "a number")]),
        ({"margin": "x"}, [("margin", "a number or keys with values")]),
        ({"seed": "x"}, [("seed", "a whole number")]),
        ({"seed": -1, "name": ""}, [("seed", "0 or more"), ("name", "text that is not empty")]),
        ({"engine": "dask"}, [("engine", "one of 'processes' or 'ray'")]),
        ({"systems": [{"a": 1}, {"a": "x"}]}, [("systems[1].a", "a whole number")]),
    ],
)
def test_places(content: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    with pytest.raises(ValidationError) as error:
        Shape.model_validate(content)
    found = places(error.value.errors(), content)
    assert [(place.path, place.expected) for place in found] == expected
