"""The tables a report shows, from a summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import (
    NOTHING,
    about,
    count,
    decimals,
    interval,
    listing,
    one_line,
    p_value,
    percent,
    score,
    signed,
)
from dialeval.study.document import (
    Comparison,
    MeasureInfo,
    Score,
    Standing,
    Summary,
    Values,
    out_of_reach,
    ranked,
    standings,
)

MOST_NOTES: Final = 6
MOST_REASONS: Final = 30
MOST_CHARACTERS: Final = 80
MARKS: Final[dict[Standing, str]] = {"best": "★", "level": "≈", "untested": "?", "behind": "", "unranked": ""}
MEANINGS: Final[dict[Standing, str]] = {
    "best": "best score",
    "level": "not significantly different from the best",
    "untested": "not tested against the best",
}


def leaderboard(summary: Summary, values: Values | None = None, notes: Sequence[str] = ()) -> Table:
    """Systems by measures, each score with its interval, best first by the first measure that ranks them.

    With the items' ``values`` the notes also say why items are unscored; ``notes`` are those of capabilities.
    """
    places = {m.measure: measure_decimals(summary, m.measure) for m in summary.measures}
    stands = {m.measure: standings(summary, m) for m in summary.measures}
    partial = any(r.unscored for r in summary.results)
    rows = []
    for system in ranked(summary):
        row = [Cell(system)]
        for measure in places:
            result = summary.score(system, measure)
            absent = "failed" if summary.failed(system, measure) else NOTHING
            row.append(
                Cell(absent) if result is None else _score(result, places[measure], stands[measure][system])
            )
        if partial:
            row.append(Cell(percent(_lowest_coverage(summary, system))))
        rows.append(tuple(row))
    columns = [Column("system"), *(Column(m.measure + _arrow(m), numeric=True) for m in summary.measures)]
    columns += [Column("coverage", numeric=True)] if partial else []
    seen = {standing for by_system in stands.values() for standing in by_system.values()}
    title = f"{summary.study}: {count(len(summary.systems), 'system')} on {count(summary.items, 'item')}"
    below = (
        *_legend(summary, seen),
        *notes,
        *_reach_notes(summary),
        *_coverage_notes(summary, values),
    )
    return Table(title, tuple(columns), tuple(rows), below)


def measure_decimals(summary: Summary, measure: str) -> int:
    """How many decimals that measure's scores are shown with."""
    return decimals(x for r in summary.results if r.measure == measure for x in (r.score, r.low, r.high))


def comparisons(summary: Summary, measure: MeasureInfo) -> Table:
    """Every pair of systems under one measure: difference, interval, tests, effect, items still needed."""
    pairs = [c for c in summary.comparisons if c.measure == measure.measure]
    places = decimals(x for c in pairs for x in (c.difference, c.low, c.high))
    columns = (
        *(Column("pair"), Column("difference", numeric=True), Column("p (Holm)", numeric=True)),
        *(Column("effect size", numeric=True), Column("wins / ties / losses", numeric=True)),
        *(Column("paired items", numeric=True), Column("verdict"), Column("more items needed", numeric=True)),
    )
    return Table(measure.measure, columns, tuple(_pair(c, places, measure) for c in pairs))


def gates(summary: Summary) -> Table:
    """Each gate and whether it was passed."""
    columns = (Column("gate"), Column("system"), Column("score", numeric=True), Column("outcome"))
    rows = tuple(
        (
            Cell(g.gate),
            Cell(g.system),
            Cell(score(g.score, measure_decimals(summary, g.measure))),
            Cell("passed" if g.passed else "FAILED", strong=not g.passed),
        )
        for g in summary.gates
    )
    return Table("Gates", columns, rows)


def failures(summary: Summary) -> Table:
    """Each part of the run that failed."""
    columns = (Column("system"), Column("measure"), Column("error"))
    rows = tuple(
        (Cell(f.system or "all"), Cell(f.measure or "all"), Cell(f.message)) for f in summary.failures
    )
    return Table("Failures", columns, rows)


def unscored(values: Values) -> Table:
    """Why items have no value, and how many of them."""
    groups = values.unscored()
    columns = (Column("measure"), Column("system"), Column("reason"), Column("items", numeric=True))
    rows = tuple(
        (Cell(u.measure), Cell(u.system), Cell(u.reason), Cell(f"{u.items:,}")) for u in groups[:MOST_REASONS]
    )
    left = len(groups) - len(rows)
    return Table("Unscored items", columns, rows, (f"and {count(left, 'rarer reason')}",) if left else ())


def _score(result: Score, places: int, standing: Standing) -> Cell:
    if result.score is None:
        return Cell("unscored" if not result.n else "undefined")
    shown = interval(result.low, result.high, places)
    return Cell(score(result.score, places), shown, MARKS[standing], strong=standing == "best")


def _arrow(measure: MeasureInfo) -> str:
    return {True: " ↑", False: " ↓", None: ""}[measure.higher_is_better]


def _legend(summary: Summary, seen: Iterable[Standing]) -> Iterable[str]:
    marks = [f"{MARKS[s]} {MEANINGS[s]}" for s in MEANINGS if s in set(seen)]
    if marks:
        yield "; ".join(marks)
    if any(r.low is not None for r in summary.results):
        yield (
            f"brackets hold {summary.level:.0%} {_kinds_of_interval(summary)}; "
            f"differences count as significant when Holm's p < {1 - summary.level:.2g}"
        )
    if any(m.higher_is_better is None for m in summary.measures):
        yield "a measure without an arrow describes: neither direction is better"
    whole = [m.measure for m in summary.measures if not m.per_item]
    if whole:
        verb = "measures" if len(whole) == 1 else "measure"
        yield f"{listing(whole)} {verb} all responses together, so there are no per-item values"


def _reach_notes(summary: Summary) -> Iterable[str]:
    """Under which measures there are too few items for any difference to be significant."""
    per_item = sum(measure.per_item for measure in summary.measures)
    for few in out_of_reach(summary):
        under = "" if len(few.measures) == per_item else f" under {listing(few.measures)}"
        after = f" after Holm's correction for {few.pairs} pairs" if few.pairs > 1 else ""
        yield (
            f"{count(few.items, 'item')} cannot make a difference significant{under}: "
            f"p is at least {p_value(few.least_p)}{after}; {count(few.needed, 'item')} could"
        )


def _kinds_of_interval(summary: Summary) -> str:
    whole = [m.measure for m in summary.measures if not m.per_item]
    if len(whole) == len(summary.measures):
        return "jackknife intervals"
    return "bootstrap intervals" + (f", jackknife intervals for {listing(whole)}" if whole else "")


def _coverage_notes(summary: Summary, values: Values | None) -> list[str]:
    why = _reasons(values) if values else {}
    groups: dict[tuple[str, int, int, str], list[str]] = {}
    for r in summary.results:
        if r.unscored:
            key = (r.system, r.unscored, r.n + r.unscored, why.get((r.measure, r.system), ""))
            groups.setdefault(key, []).append(r.measure)
    notes = [
        f"{system}: {unscored:,} of {count(total, 'item')} unscored under {listing(measures)}{reason}"
        for (system, unscored, total, reason), measures in list(groups.items())[:MOST_NOTES]
    ]
    left = len(groups) - len(notes)
    lowest = ["coverage is the lowest over the measures"] if groups and len(summary.measures) > 1 else []
    return lowest + notes + ([f"and {count(left, 'more such line')}"] if left else [])


def _reasons(values: Values) -> dict[tuple[str, str], str]:
    """Why items of a system are unscored under a measure, the most frequent reason standing for the rest."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for group in values.unscored():
        reasons.setdefault((group.measure, group.system), []).append(group.reason)
    return {
        place: f": {one_line(first, limit=MOST_CHARACTERS)}"
        + (f", and {count(len(rest), 'other reason')}" if rest else "")
        for place, (first, *rest) in reasons.items()
    }


def _lowest_coverage(summary: Summary, system: str) -> float | None:
    shares = [r.coverage for r in summary.results if r.system == system]
    return min((share for share in shares if share is not None), default=None)


def _pair(c: Comparison, places: int, measure: MeasureInfo) -> tuple[Cell, ...]:
    verdict = "no significant difference"
    if c.significant:
        verdict = "significantly different" if measure.higher_is_better is None else f"{c.better} is better"
    needed = "no estimate" if c.more_items is None else f"about {about(c.more_items)}"
    return (
        Cell(f"{c.a} − {c.b}"),
        Cell(signed(c.difference, places), interval(c.low, c.high, places)),
        Cell(p_value(c.p_adjusted)),
        Cell(signed(c.effect_size, 2)),
        Cell(
            f"{c.wins:,} / {c.ties:,} / {c.losses:,}" if c.wins is not None and measure.per_item else NOTHING
        ),
        Cell(f"{c.n:,}" + (f" ({c.unpaired:,} unpaired)" if c.unpaired else "")),
        Cell(verdict, strong=c.significant),
        Cell("none, settled" if c.significant or c.more_items == 0 else needed),
    )
