"""One self-contained HTML page from the content of a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final, NamedTuple

from dialeval.display.pages import Picture, Section, asset, policy, template
from dialeval.display.plots import Dot
from dialeval.display.table import pieces
from dialeval.display.wording import count, listing, score_with_interval
from dialeval.study.document import Content, MeasureInfo, Summary, ranked, standings
from dialeval.study.report import plots, tables
from dialeval.study.report.breakdowns import part_pictures, part_tables
from dialeval.study.report.notes import MARKS, family_notes
from dialeval.study.report.ranks import rank_picture, rank_table
from dialeval.study.report.verdict import verdict

ASSETS: Final = "dialeval.study.report"
PAPER_COLUMNS: Final = 7
"""Number of columns that a sheet of paper has room for."""
STATIC_ITEMS: Final = 10
"""Number of items that a page shows if scripts do not run."""


class Link(NamedTuple):
    """A page beside this one."""

    address: str
    """Relative to the page."""
    title: str


def page_of(run: Content, sections: Sequence[Section] = (), beside: Sequence[Link] = ()) -> str:
    """The page as HTML, with the sections of capabilities and people, and links to pages ``beside`` it."""
    from markupsafe import Markup

    folded = [note for note in run.notes if note not in run.judges]
    board = tables.leaderboard(run.summary, run.values, folded)
    script, style = asset("report.js", ASSETS), asset("page.css")
    return template(ASSETS, "report.html").render(
        run=run,
        summary=run.summary,
        manifest=run.manifest,
        verdict=verdict(run.summary),
        ranks=rank_table(run.summary),
        rank_picture=rank_picture(run.summary),
        leaderboard=board,
        leaderboard_on_paper=pieces(board, most=PAPER_COLUMNS),
        comparisons=[tables.comparisons(run.summary, measure) for measure in run.summary.measures],
        families=list(family_notes(run.summary)),
        own_items=tables.own_items(run.summary),
        gates=tables.gates(run.summary),
        failures=tables.failures(run.summary),
        usage=tables.usage(run.manifest.usage),
        unscored=tables.unscored(run.values),
        intervals=[_intervals(run.summary, measure) for measure in run.summary.measures],
        distributions=[_distributions(run, m) for m in run.summary.measures if m.per_item],
        without_values=_without_values(run.summary),
        parts=part_tables(run.summary.breakdowns, ranked(run.summary)),
        part_plots=part_pictures(run.summary.breakdowns, ranked(run.summary)),
        part_curves=part_tables(run.summary.breakdowns, ranked(run.summary), curves=True),
        sections=sections,
        beside=beside,
        citations=_citations(run),
        items=run.items,
        static=run.items[:STATIC_ITEMS],
        data=Markup(_data(run)),
        # Our own two files are the only text on the page that is not escaped; the policy admits them by their hash.
        script=Markup(script),
        style=Markup(style),
        policy=policy(style=style, script=script),
    )


def _data(run: Content) -> str:
    """Data of the item browser, as JSON that cannot end its script element or be anything but JSON."""
    better = {m.measure: m.higher_is_better for m in run.summary.measures}
    content = {
        "systems": run.values.systems,
        "measures": [
            {
                "name": name,
                "places": 0 if run.values.whole(name) else tables.measure_decimals(run.summary, name),
                "higher": better.get(name),
            }
            for name in run.values.measures
        ],
        "items": [_without_nothing(asdict(item)) for item in run.items],
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _without_nothing(item: dict[str, object]) -> dict[str, object]:
    """The item as it is, without evidence if it has none, as nearly all have."""
    return {key: value for key, value in item.items() if key != "evidence" or value}


def _intervals(summary: Summary, measure: MeasureInfo) -> Picture:
    places = tables.measure_decimals(summary, measure.measure)
    stands = standings(summary, measure)
    dots, words = [], []
    for system in ranked(summary):
        result = summary.score(system, measure.measure)
        label = f"{system} {MARKS[stands[system]]}".strip()
        if result is None or result.estimate.value is None:
            dots.append(Dot(label, None))
            words.append(f"{system} has no score")
            continue
        dots.append(Dot(label, result.estimate.value, result.estimate.bounds))
        words.append(f"{system} {score_with_interval(*result.estimate[:3], places)}")
    alt = f"Scores under {measure.measure} with intervals: {'; '.join(words)}."
    return Picture(measure.measure, _caption(measure), plots.intervals(dots, _span(summary, measure)), alt)


def _span(summary: Summary, measure: MeasureInfo) -> tuple[float, float] | None:
    """The axis that all measures of that name share, from 0 where that does not press the scores together."""
    family = {other.measure for other in summary.measures if other.name == measure.name}
    results = [r for r in summary.results if r.measure in family]
    known = [x for r in results for x in r.estimate[:3] if x is not None]
    if not known or min(known) == max(known):
        return None
    low, high = min(known), max(known)
    return (0.0 if 0 <= low <= high / 2 else low), high


def _distributions(run: Content, measure: MeasureInfo) -> Picture:
    spreads, words = [], []
    for system in ranked(run.summary):
        values = run.values.of(measure.measure, system)
        result = run.summary.score(system, measure.measure)
        missing = result.unscored if result else 0
        spreads.append(plots.Spread(system, values, missing))
        span = f"from {values.min():.3g} to {values.max():.3g}" if values.size else "no values"
        words.append(f"{system}: {count(len(values), 'item')}, {span}, {missing} unscored")
    alt = f"Histograms of per-item {measure.measure} values, one per system. {'; '.join(words)}."
    return Picture(measure.measure, "", plots.distributions(spreads), alt)


def _without_values(summary: Summary) -> str:
    """A sentence on the measures that have no distribution; empty where all have one."""
    whole = [m.measure for m in summary.measures if not m.per_item]
    verb = "measures" if len(whole) == 1 else "measure"
    return (
        f"{listing(whole)} {verb} all responses together, so there are no per-item values to show here."
        if whole
        else ""
    )


def _caption(measure: MeasureInfo) -> str:
    direction = {True: "higher is better", False: "lower is better", None: "neither direction is better"}
    return f"{measure.summary.rstrip('.')}; {direction[measure.higher_is_better]}."


def _citations(run: Content) -> list[str]:
    """One line per score, with all one needs to quote it."""
    lines = []
    for result in run.summary.results:
        places = tables.measure_decimals(run.summary, result.measure)
        shown = score_with_interval(*result.estimate[:3], places)
        version = f"dialeval {run.manifest.dialeval}"
        lines.append(f"{result.system}: {shown}, n={result.estimate.n}, {result.signature}, {version}")
    return lines
