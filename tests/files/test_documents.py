from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from dialeval.errors import BadInput
from dialeval.files.documents import (
    Origin,
    as_json,
    read_document,
    require_file,
    write_document,
    write_json_lines,
)

ORIGIN = Origin("a folder of weather", "Measure again.")


class Wind(NamedTuple):
    speed: float
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rain:
    amount: float

    def json_value(self) -> Mapping[str, object]:
        return {"amount@mm": self.amount, "wet": self.amount > 0}


@dataclass(frozen=True)
class Weather:
    day: str
    warmth: float | None
    wind: Wind
    later: tuple[Wind, ...] = ()


def test_values_are_objects_by_their_fields_and_undefined_numbers_null() -> None:
    found = as_json(Weather("Monday", math.nan, Wind(math.inf, ("föhn",)), (Wind(1.5),)))
    wind = {"speed": None, "names": ["föhn"]}
    assert found == {
        "day": "Monday",
        "warmth": None,
        "wind": wind,
        "later": [{"speed": 1.5, "names": []}],
    }
    assert list(found) == ["day", "warmth", "wind", "later"]


def test_a_value_may_lay_out_its_own_object() -> None:
    assert as_json({"today": [Rain(2.0)]}) == {"today": [{"amount@mm": 2.0, "wet": True}]}


def test_a_document_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    written = Weather("Monday", None, Wind(2.0, ("föhn",)), (Wind(1.5),))
    write_document(tmp_path / "weather.json", written)
    assert read_document(Weather, tmp_path / "weather.json", ORIGIN) == written
    assert "föhn" in (tmp_path / "weather.json").read_text(encoding="utf-8")


def test_lines_of_json_are_one_value_each(tmp_path: Path) -> None:
    write_json_lines(tmp_path / "winds.jsonl", [Wind(1.0), {"speed": math.nan}])
    lines = (tmp_path / "winds.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, lines)) == [{"speed": 1.0, "names": []}, {"speed": None}]


@pytest.mark.parametrize(
    ("content", "field", "found"),
    [
        ('{"day": "Monday"', None, "broken JSON"),
        ('{"day": "Monday", "warmth": 1.0}', "wind", "no such field"),
        ('{"day": "Monday", "warmth": 1.0, "wind": {"speed": "high"}}', "wind.speed", "'high'"),
    ],
)
def test_damage_is_named_with_its_file_and_field(
    tmp_path: Path, content: str, field: str | None, found: str
) -> None:
    file = tmp_path / "weather.json"
    file.write_text(content)
    with pytest.raises(BadInput) as error:
        read_document(Weather, file, ORIGIN)
    assert (error.value.path, error.value.field) == (str(file), field)
    assert error.value.found.startswith(found)
    assert error.value.expected == "weather.json of a folder of weather"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"a folder without weather\.json"):
        require_file(tmp_path, "weather.json", ORIGIN)
