"""Two sides to compare: runs or files of examples, brought to results that pair item by item."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dialeval.compare import Comparison, compare_pairs
from dialeval.core import Result
from dialeval.data import Example, Prompt, canonical, read
from dialeval.errors import UnknownName, Unsuitable
from dialeval.evaluate import Plan, evaluate_each
from dialeval.study.folder import load_run
from dialeval.study.measures import build_measure

DEFAULT_MEASURES = ("bleu(order=4)", "rouge_l")


class Key(NamedTuple):
    """Which result: a measure's and a system's."""

    measure: str
    system: str


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison."""

    source: str
    """As the user named it."""
    results: Mapping[Key, Result]
    prompts: Mapping[str, bytes]
    """What each item asked, in canonical form: one id must mean one thing on both sides."""

    @property
    def systems(self) -> list[str]:
        """The systems on this side, in order."""
        return list(dict.fromkeys(key.system for key in self.results))


def open_side(source: str, measures: Sequence[str] | None = None) -> Side:
    """A side from a run folder or an example file; ``SOURCE:SYSTEM`` keeps one system of several."""
    path, system = Path(source), None
    if not path.exists() and ":" in source:
        name, _, system = source.rpartition(":")
        path = Path(name)
    side = _from_run(source, path, measures) if path.is_dir() else _from_file(source, path, measures)
    if system is None:
        return side
    if system not in side.systems:
        raise UnknownName(
            f"system in {path}", system, side.systems, todo=f"It has: {', '.join(side.systems)}."
        )
    return dataclasses.replace(side, results={k: r for k, r in side.results.items() if k.system == system})


def compare_sides(
    a: Side, b: Side, *, trials: int = 1000, seed: int = 0, clusters: Callable[[str], str] | None = None
) -> list[tuple[str, Comparison]]:
    """Every measure both sides have, for every pair of systems, with p-values Holm-corrected within a measure."""
    _same_prompts(a, b)
    labels = [
        m
        for m in dict.fromkeys(key.measure for key in a.results)
        if any(key.measure == m for key in b.results)
    ]
    if not labels:
        raise Unsuitable(f"{a.source} and {b.source} share no measure. Run both with the same measures.")
    compared = []
    for label in labels:
        pairs = [
            (
                _named(a.results[Key(label, x)], x if x != y else f"{a.source}:{x}"),
                _named(b.results[Key(label, y)], y if x != y else f"{b.source}:{y}"),
            )
            for x, y in _pairs(a, b)
        ]
        found = compare_pairs(pairs, trials=trials, seed=seed, clusters=clusters)
        compared += [(label, comparison) for comparison in found]
    return compared


def _from_run(source: str, folder: Path, measures: Sequence[str] | None) -> Side:
    run = load_run(folder)
    found = {Key(one.measure.label, one.system): one.result for one in run.scored}
    known = list(dict.fromkeys(key.measure for key in found))
    wanted = [build_measure(name).label for name in measures or known]
    for name in wanted:
        if name not in known:
            raise UnknownName(f"measure in {folder}", name, known, todo=f"It has: {', '.join(known)}.")
    return Side(source, {k: r for k, r in found.items() if k.measure in wanted}, _prompts(run.examples))


def _from_file(source: str, path: Path, measures: Sequence[str] | None) -> Side:
    built = [build_measure(name) for name in measures or DEFAULT_MEASURES]
    metrics = {measure.label: measure.metric for measure in built}
    examples = list(read(path, "example"))
    results = evaluate_each(metrics, examples, Plan(trials=0))
    return Side(source, {Key(*key): result for key, result in results.items()}, _prompts(examples))


def _prompts(examples: Iterable[Example]) -> dict[str, bytes]:
    return {e.item: canonical(Prompt(e.item, e.context, e.references)) for e in examples}


def _same_prompts(a: Side, b: Side) -> None:
    differ = [item for item, asked in a.prompts.items() if b.prompts.get(item, asked) != asked]
    if differ:
        raise Unsuitable(
            f"{len(differ)} item(s) have other contexts or references in {b.source} than in {a.source} (first: "
            f"{differ[0]!r}), so they cannot be paired. Run both on the same data, or give items distinct ids."
        )


def _pairs(a: Side, b: Side) -> list[tuple[str, str]]:
    if len(a.systems) == len(b.systems) == 1:
        return [(a.systems[0], b.systems[0])]
    common = [(name, name) for name in a.systems if name in b.systems]
    if not common or a.source == b.source:
        raise Unsuitable(
            f"{a.source} has {', '.join(a.systems)}; {b.source} has {', '.join(b.systems)}. "
            f"Say which to compare, as in {a.source}:{a.systems[0]} {b.source}:{b.systems[-1]}."
        )
    return common


def _named(result: Result, name: str) -> Result:
    return dataclasses.replace(result, systems=(name,) * len(result))
