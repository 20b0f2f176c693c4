"""The tables a report shows, from a summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import (
    NOTHING,
    about,
    count,
    decimals,
    interval,
    number,
    p_value,
    percent,
    score,
    signed,
)
from dialeval.study.document import (
    Comparison,
    GateOutcome,
    MeasureInfo,
    Score,
    Standing,
    Summary,
    SystemUsage,
    Values,
    ranked,
    standings,
)
from dialeval.study.report.notes import MARKS, leaderboard_notes

MOST_REASONS: Final = 30
SLOW: Final = 0.1
"""Seconds for an answer from which on times are worth a table."""


def leaderboard(summary: Summary, values: Values | None = None, notes: Sequence[str] = ()) -> Table:
    """Systems by measures, each score with its interval, best first by the first measure that ranks them.

    With the items' ``values`` the notes also say why items are unscored; ``notes`` are those of capabilities.
    """
    places = {m.measure: measure_decimals(summary, m.measure) for m in summary.measures}
    stands = {m.measure: standings(summary, m) for m in summary.measures}
    partial = any(r.coverage is not None and r.coverage < 1 for r in summary.results)
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
    title = f"{summary.study}: {count(len(summary.systems), 'system')} on {count(summary.items, 'item')}"
    return Table(title, tuple(columns), tuple(rows), tuple(leaderboard_notes(summary, values, notes)))


def own_items(summary: Summary) -> Table:
    """Each system on all of its own items, where some of them are not those that systems are ranked on."""
    measures = [
        m
        for m in summary.measures
        if any(r.measure == m.measure and r.estimate.n != r.own.n for r in summary.results)
    ]
    rows = []
    for system in ranked(summary):
        results = [summary.score(system, m.measure) for m in measures]
        if any(result is not None and result.estimate.n != result.own.n for result in results):
            rows.append(
                (Cell(system), *map(_own, results, (measure_decimals(summary, m.measure) for m in measures)))
            )
    columns = (Column("system"), *(Column(m.measure + _arrow(m), numeric=True) for m in measures))
    note = "these scores rest on different items, so they cannot be compared with each other"
    return Table("Each system on its own items", columns, tuple(rows), (note,) if rows else ())


def _own(result: Score | None, places: int) -> Cell:
    if result is None or result.own.value is None:
        return Cell(NOTHING)
    own = result.own
    return Cell(score(own.value, places), f"{interval(own.low, own.high, places)} on {own.n:,}".strip())


def measure_decimals(summary: Summary, measure: str) -> int:
    """Return the number of decimals that the measure's scores are shown with."""
    return decimals(x for r in summary.results if r.measure == measure for x in r.estimate[:3])


def comparisons(summary: Summary, measure: MeasureInfo) -> Table:
    """Every pair of systems under one measure: difference, interval, tests, effect, items still needed."""
    pairs = [c for c in summary.comparisons if c.measure == measure.measure]
    places = decimals(x for c in pairs for x in c.difference[:3])
    columns = (
        *(Column("pair"), Column("difference", numeric=True), Column("verdict")),
        *(Column("at most", numeric=True), Column("p", numeric=True), Column("d_z", numeric=True)),
        *(Column("wins / ties / losses", numeric=True), Column("paired items", numeric=True)),
        Column("more items needed", numeric=True),
    )
    return Table(measure.measure, columns, tuple(_pair(c, places, measure) for c in pairs))


def gates(summary: Summary) -> Table:
    """Each gate and whether it was passed."""
    columns = (
        *(Column("gate"), Column("system"), Column("score", numeric=True)),
        *(Column("judged by"), Column("outcome")),
    )
    rows = tuple(
        (
            Cell(g.gate),
            Cell(g.system if g.other is None else f"{g.system} − {g.other}"),
            Cell(score(g.score, measure_decimals(summary, g.measure))),
            Cell(_judged(g, measure_decimals(summary, g.measure))),
            Cell("passed" if g.passed else "FAILED", strong=not g.passed),
        )
        for g in summary.gates
    )
    return Table("Gates", columns, rows)


def _judged(gate: GateOutcome, places: int) -> str:
    """Return the number that decided at the gate."""
    if gate.reason is not None:
        return gate.reason
    shown = number(gate.number, places)
    words = {"low": f"lower end {shown}", "high": f"upper end {shown}", "point": "score"}
    return words.get(gate.judged_by, f"at most {shown} apart" if gate.number is not None else "equivalence")


def failures(summary: Summary) -> Table:
    """Each part of the run that failed."""
    columns = (Column("system"), Column("measure"), Column("error"))
    rows = tuple(
        (Cell(f.system or "all"), Cell(f.measure or "all"), Cell(f.message)) for f in summary.failures
    )
    return Table("Failures", columns, rows)


def usage(used: Sequence[SystemUsage]) -> Table:
    """Time, tokens and cost of answers; no rows if all systems are quick and count no tokens."""
    names = ["answers", "median", "95 %", "tokens in", "tokens out"]
    names += ["cost"] if any(system.cost is not None for system in used) else []
    columns = (Column("system"), *(Column(name, numeric=True) for name in names))
    told = any(system.prompt_tokens is not None or (system.seconds_median or 0) >= SLOW for system in used)
    rows = tuple(_used(system)[: len(columns)] for system in used) if told else ()
    notes = ("median and 95th percentile of the seconds for an answer, cached ones as they were made",)
    return Table("Time and tokens", columns, rows, notes if rows else ())


def _used(system: SystemUsage) -> tuple[Cell, ...]:
    times = (system.seconds_median, system.seconds_p95)
    tokens = (system.prompt_tokens, system.completion_tokens)
    return (
        Cell(system.system),
        Cell(f"{system.answers:,}"),
        *(Cell(_seconds(time)) for time in times),
        *(Cell(NOTHING if number is None else f"{number:,}") for number in tokens),
        Cell(NOTHING if system.cost is None else f"{system.cost:.4g}"),
    )


def _seconds(time: float | None) -> str:
    if time is None:
        return NOTHING
    if time < 0.001:
        return "< 1 ms"
    return f"{time:.2g} s" if time < 10 else f"{time:,.0f} s"


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
    value, low, high, n, _ = result.estimate
    if value is None:
        return Cell("unscored" if not result.own.n else "undefined" if n else "no shared item")
    shown = interval(low, high, places)
    return Cell(score(value, places), shown, MARKS[standing], strong=standing == "best")


def _arrow(measure: MeasureInfo) -> str:
    return {True: " ↑", False: " ↓", None: ""}[measure.higher_is_better]


def _lowest_coverage(summary: Summary, system: str) -> float | None:
    shares = [r.coverage for r in summary.results if r.system == system]
    return min((share for share in shares if share is not None), default=None)


def _pair(c: Comparison, places: int, measure: MeasureInfo) -> tuple[Cell, ...]:
    wins = f"{c.wins:,} / {c.ties:,} / {c.losses:,}" if c.wins is not None and measure.per_item else NOTHING
    return (
        Cell(f"{c.a} − {c.b}"),
        Cell(signed(c.difference.value, places), interval(c.difference.low, c.difference.high, places)),
        Cell(_verdict(c), strong=c.verdict != "undecided"),
        Cell(number(c.largest, places), "" if c.margin is None else f"margin {c.margin:g}"),
        Cell(p_value(c.p_adjusted)),
        Cell(signed(c.effect_size, 2)),
        Cell(wins),
        Cell(f"{c.n:,}" + (f" ({c.unpaired:,} unpaired)" if c.unpaired else "")),
        Cell(_more_items(c)),
    )


def _verdict(c: Comparison) -> str:
    if c.verdict in ("better", "worse"):
        return f"{c.a if c.verdict == 'better' else c.b} is better"
    return c.verdict


def _more_items(c: Comparison) -> str:
    """Range of the number of items that would still settle it, from the ends of the interval."""
    if c.verdict != "undecided":
        return "none, settled"
    if c.more_items_low is None:
        return "no estimate" if c.more_items is None else f"about {about(c.more_items)}"
    if c.more_items_high is None:
        return f"{about(c.more_items_low)} or more, perhaps never"
    return f"{about(c.more_items_low)} to {about(c.more_items_high)}"
