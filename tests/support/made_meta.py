"""A document about measures and people, made by hand from the layout in docs/files.md."""

from __future__ import annotations

from typing import Any


def interval(value: float | None, reach: float, n: int, reason: str | None = None) -> dict[str, Any]:
    """An estimate as documents hold it."""
    low, high = (None, None) if value is None else (value - reach, value + reach)
    return {"value": value, "low": low, "high": high, "n": n, "reason": reason}


def row(
    measure: str, level: str, value: float | None, *, cluster: int | None = None, **changes: Any
) -> dict[str, Any]:
    return {
        **{"measure": measure, "rater": f"{measure}|version=1", "criterion": measure, "level": level},
        **{
            "pearson": value,
            "spearman": value,
            "kendall": value,
            "p": {"pearson": 0.01, "spearman": 0.02, "kendall": None},
        },
        **{"coefficient": "spearman", "estimate": interval(value, 0.1, 3 if level == "system" else 40)},
        **{"systems": 3, "items": 20},
        **{
            "groups": None if level in ("system", "item") else 3,
            "undefined": 0,
            "cluster": cluster,
            "warnings": [],
        },
        **changes,
    }


def rival(a: str, b: str, level: str, difference: float | None, *, p: float | None = 0.5) -> dict[str, Any]:
    sure = p is not None and p < 0.05
    return {
        **{
            "a": a,
            "b": b,
            "level": level,
            "coefficient": "spearman",
            "value_a": 0.3,
            "value_b": 0.1,
            "difference": interval(difference, 0.1, 40),
        },
        **{"p_williams": p, "p_permutation": p, "p_adjusted": p, "significant": sure},
    }


def ceiling(level: str, mean: float | None, reason: str | None = None) -> dict[str, Any]:
    found = {
        "mean": interval(mean, 0.05, 38 if mean else 0, reason),
        "corrected": mean and 0.62,
        "bound": mean and 0.787,
    }
    five = None if mean is None else [mean - 0.1, mean - 0.05, mean, mean + 0.05, mean + 0.1]
    fixed = {"level": level, "coefficient": "spearman", "repeats": 100, "raters": 5, "split": "raters"}
    return {**fixed, **found, "five": five}


def document() -> dict[str, Any]:
    names = ["human", "rouge_l", "length"]
    return {
        "format": 1,
        "rows": [
            row("rouge_l", "system", 0.5, warnings=["3 systems: p can never fall below .33"]),
            row("length", "system", -0.5, warnings=["3 systems: p can never fall below .33"]),
            row("rouge_l", "item", 0.1, cluster=2),
            row("length", "item", 0.4, cluster=1, warnings=["60% of the scores are 3"]),
        ],
        "human": {
            **{"criterion": "overall", "raters": 5, "ratings": 200, "could_not_say": 3, "repeated": 0},
            **{"cells": 40, "items": 20, "systems": 3, "set_aside": {"fluent": 120}},
            **{"system_identity": None, "system_identity_reason": "no system has two rated answers"},
        },
        "ceiling": [ceiling("system", 1.0), ceiling("item", 0.45)],
        "raters": [
            {
                "rater": name,
                "level": "item",
                "coefficient": "spearman",
                "value": value,
                "n": 40,
                "reason": None,
            }
            for name, value in (("ann", 0.5), ("ben", 0.2))
        ],
        "rivals": [
            rival("rouge_l", "length", "item", -0.3, p=0.004),
            rival("rouge_l", "length", "system", 1.0),
        ],
        "correlations": [
            {"level": level, "coefficient": "spearman", "names": names}
            | {"values": [[1, 0.1, 0.4], [0.1, 1, None], [0.4, None, 1]]}
            for level in ("system", "item")
        ],
        "instability": [
            {
                "measure": m,
                "coefficient": "spearman",
                "size": 10,
                "trials": 100,
                "undefined": 1,
                "five": five,
                "whole": 0.5,
            }
            for m, five in (("rouge_l", [-1, 0.2, 0.5, 0.5, 1]), ("length", None))
        ],
        "means": [
            {"measure": m, "system": s, "human": 2.0 + at, "value": 0.1 * at, "n": 13}
            for m in ("rouge_l", "length")
            for at, s in enumerate(("old", "new", "bold"))
        ],
        "combined": [],
        "estimates": [],
        "instances": [],
        "planning": [],
        "unjoined": {
            **{"human": 1, "unknown": 2, "not_rated": 0, "not_scored": 0},
            "measures": [
                {"measure": m, "both": 40, "only_human": 1, "only_measure": 7} for m in ("rouge_l", "length")
            ],
            "first": [
                {"side": "human", "item": "d7", "system": "new"},
                {"side": "rouge_l", "item": "d8", "system": "old"},
            ],
        },
        "notes": [],
        "settings": {
            **{"coefficient": "spearman", "levels": ["system", "item"], "resample": "items", "trials": 1000},
            **{"repeats": 100, "seed": 0, "level": 0.95, "package": "0.1.0"},
            **{"cluster": None, "lower_is_better": []},
            "sources": [{"path": "ratings.jsonl", "sha256": "ab" * 32}],
        },
    }


def estimates() -> dict[str, Any]:
    classical = {"estimate": interval(3.9, 0.3, 60), "error": 0.14}
    numbers = {"error": 0.1, "tuning": 0.7, "n_unrated": 400, "effective_n": 95.2, "classical": classical}
    mean = {"value": 3.8, "low": 3.7, "high": 4.0, "n": 60, "reason": None}
    system = {"system": "new", "estimate": mean, **numbers}
    gap = {
        "a": "old",
        "b": "new",
        "estimate": {"value": -0.4, "low": -0.7, "high": -0.1, "n": 60, "reason": None},
        **numbers,
    }
    return {
        **{"measure": "rouge_l", "rater": "rouge_l|version=1", "criterion": "overall", "level": 0.95},
        "note": "Intervals hold if the rated items are a random part.",
        "systems": [{**system, "p_shift": None, "warnings": ["only 12 rated items: the interval is rough"]}],
        "differences": [
            {**gap, "paired": True, "p": 0.01, "p_adjusted": 0.02, "higher": "new", "warnings": []},
            {**gap, "b": "bold", "paired": True, "p": 0.4, "p_adjusted": 0.8, "higher": None, "warnings": []},
        ],
    }
