"""Small run folders written by hand, file by file as docs/files.md describes them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Value = float | str
"""A number, or the reason there is none."""


@dataclass
class Sketch:
    """What a made-up run holds; ``value`` gives each item's value by measure, system and position."""

    systems: Sequence[str] = ("old", "new")
    measures: Mapping[str, bool | None] = field(
        default_factory=lambda: {"bleu(order=4)": True, "rouge_l": True, "length": None}
    )
    items: Sequence[str] = tuple(f"item-{n}" for n in range(12))
    value: Callable[[str, str, int], Value] = lambda measure, system, at: round(0.1 + 0.05 * at, 4)
    response: Callable[[str, int], str | None] = lambda system, at: f"{system} says hello {at}"
    context: Sequence[str] = ("Hi there", "Hello, how can I help?", "Where is my parcel?")
    references: Sequence[str] = ("It is on its way.",)
    significant: Callable[[str, str, str], bool] = lambda measure, a, b: False
    verdict: Callable[[str, str, str], str | None] = lambda measure, a, b: None
    """Another verdict than follows from a significant difference or none."""
    gates: Sequence[Mapping[str, Any]] = ()
    failures: Sequence[Mapping[str, Any]] = ()
    more_items: int = 240
    study: str = "support-bots"
    compared: bool = True


@pytest.fixture(scope="session")
def make_run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Writes a new run folder from a sketch and returns its path."""

    def make(**sketch: Any) -> Path:
        return write_folder(tmp_path_factory.mktemp("runs") / "run", Sketch(**sketch))

    return make


def write_folder(folder: Path, sketch: Sketch) -> Path:
    folder.mkdir(parents=True)
    cells = list(itertools.product(sketch.measures, sketch.systems))
    values = {(m, s): [sketch.value(m, s, at) for at in range(len(sketch.items))] for m, s in cells}
    (folder / "study.yaml").write_text(f"name: {json.dumps(sketch.study)}\n", encoding="utf-8")
    _write_examples(folder, sketch)
    _write_results(folder, sketch, values)
    _write_json(folder / "summary.json", _summary(sketch, values))
    _write_json(folder / "manifest.json", _manifest(sketch, cells))
    return folder


def _write_examples(folder: Path, sketch: Sketch) -> None:
    roles = ["user", "assistant"]
    context = [{"role": roles[at % 2], "content": text} for at, text in enumerate(sketch.context)]
    with (folder / "examples.jsonl").open("w", encoding="utf-8") as out:
        for system in sketch.systems:
            for at, item in enumerate(sketch.items):
                text = sketch.response(system, at)
                if text is not None:
                    record = {"id": item, "system": system, "context": context, "response": text}
                    out.write(json.dumps({**record, "references": list(sketch.references)}) + "\n")


def _write_results(folder: Path, sketch: Sketch, values: Mapping[tuple[str, str], list[Value]]) -> None:
    rows: dict[str, list[Any]] = {
        name: []
        for name in ("item", "system", "measure", "rater", "criterion", "value", "reason", "statistics")
    }
    for (measure, system), found in values.items():
        for item, value in zip(sketch.items, found, strict=True):
            number = None if isinstance(value, str) else value
            row = (item, system, measure, f"{measure}|version=1", measure.split("(")[0], number)
            reason = value if isinstance(value, str) else None
            for column, cell in zip(
                rows, (*row, reason, [] if number is None else [number, 1.0]), strict=True
            ):
                rows[column].append(cell)
    text = pa.string()
    types = [text, text, text, text, text, pa.float64(), text, pa.list_(pa.float64())]
    pq.write_table(
        pa.table(rows, schema=pa.schema(list(zip(rows, types, strict=True)))), folder / "results.parquet"
    )


def _mean(values: Sequence[Value]) -> float | None:
    numbers = [v for v in values if not isinstance(v, str)]
    return sum(numbers) / len(numbers) if numbers else None


def _summary(sketch: Sketch, values: Mapping[tuple[str, str], list[Value]]) -> dict[str, Any]:
    results = []
    for (measure, system), found in values.items():
        score, unscored = _mean(found), sum(isinstance(v, str) for v in found)
        low, high = (None, None) if score is None else (score - 0.03, score + 0.04)
        named = {"system": system, "measure": measure, "signature": f"{measure}|version=1"}
        estimate = {"value": score, "low": low, "high": high, "n": len(found) - unscored, "reason": None}
        numbers = {"estimate": estimate, "unscored": unscored, "own": estimate}
        spread = {"absence": None, "units": len(found) - unscored, "design_effect": None}
        results.append({**named, **numbers, **spread})
    pairs = itertools.combinations(sketch.systems, 2)
    compared = (
        [_pair(sketch, m, a, b, values) for a, b in pairs for m in sketch.measures] if sketch.compared else []
    )
    return {
        "format": 1,
        **{
            "study": sketch.study,
            "seed": 7,
            "items": len(sketch.items),
            "trials": 1000,
            "level": 0.95,
            "cluster": None,
        },
        "systems": [
            {"name": s, "kind": "transcript", "signature": "transcript|version=1"} for s in sketch.systems
        ],
        "measures": [
            {"measure": m, "name": m.split("(")[0], "signature": f"{m}|version=1", "higher_is_better": better}
            | {"per_item": True, "summary": "Overlap of 1- to 4-grams with the references"}
            for m, better in sketch.measures.items()
        ],
        "results": results,
        "comparisons": [c for c in compared if c is not None],
        "gates": list(sketch.gates),
        "failures": list(sketch.failures),
    }


def _pair(
    sketch: Sketch, measure: str, a: str, b: str, values: Mapping[tuple[str, str], list[Value]]
) -> dict[str, Any] | None:
    x, y = _mean(values[measure, a]), _mean(values[measure, b])
    if x is None or y is None:
        return None
    sure, up = sketch.significant(measure, a, b), sketch.measures[measure]
    word = "undecided" if not sure else "different" if up is None else "better" if (x > y) == up else "worse"
    pairs = len(sketch.systems) * (len(sketch.systems) - 1) // 2
    family = pairs * len(sketch.measures)
    better = (a if (x > y) == up else b) if sure and up is not None else None
    bounds = {"low": x - y - 0.05, "high": x - y + 0.05}
    return {
        **{
            "measure": measure,
            "a": a,
            "b": b,
            "difference": {"value": x - y, **bounds, "n": len(sketch.items), "reason": None},
        },
        **{
            "p_bootstrap": 0.01,
            "p_permutation": 0.012,
            "p_mcnemar": None,
            "p_adjusted": 0.0004 if sure else 0.24,
        },
        **{"significant": sure, "better": better, "effect_size": -0.31, "wins": 4, "ties": 1, "losses": 7},
        **{"unpaired": 0, "more_items": 0 if sure else sketch.more_items},
        **{"verdict": sketch.verdict(measure, a, b) or word, "margin": None, "largest": abs(x - y) + 0.05},
        **{"more_items_low": 0 if sure else sketch.more_items // 4, "more_items_high": 0 if sure else None},
        **{"units": len(sketch.items), "role": None, "family": family, "correction": "holm", "absence": None},
        **{"p_equivalence": None, "design_effect": None},
    }


def _manifest(sketch: Sketch, cells: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {
        **{"format": 1, "dialeval": "0.1.0", "python": "3.11.7", "platform": "Linux-x86_64"},
        **{"started": "2026-11-15T20:40:00+00:00", "finished": "2026-11-15T20:41:00+00:00"},
        **{"command": "dialeval run study.yaml", "study": {"path": "study.yaml", "sha256": "ab" * 32}},
        "files": [{"path": "dialogues.jsonl", "sha256": "cd" * 32}],
        "provenance": [
            {"system": s, "measure": m, "signature": f"{m}|version=1", "data": "ef" * 32, "package": "0.1.0"}
            | {"seed": 7, "trials": 1000, "resources": {}}
            for m, s in cells
        ],
        "packages": {"numpy": "2.4.6"},
        "plan": {"missing": "shared", "primary": None, "correction": "holm", "margins": {}},
        "unmatched": [],
    }


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=True, indent=1), encoding="utf-8")
