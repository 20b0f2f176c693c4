"""One self-contained HTML file from a run folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from dialeval.data.types import Example, Response, Turn
from dialeval.display.pages import Picture, Section, asset, policy, template
from dialeval.display.table import pieces
from dialeval.display.wording import count, interval, listing, score
from dialeval.files.atomic import write_atomically
from dialeval.meta.report.section import people_section
from dialeval.selection.report.section import choices_section
from dialeval.study.document import MeasureInfo, Summary
from dialeval.study.report import browse, plots, tables
from dialeval.study.report.folder import Folder, read_folder
from dialeval.study.report.standing import MARKS, standings
from dialeval.study.report.verdict import verdict

ASSETS = "dialeval.study.report"
PAPER_COLUMNS = 7
"""How many columns a sheet of paper has room for."""
STATIC_ITEMS = 10
"""How many items a page shows where scripts do not run."""


def render(folder: str | Path) -> Path:
    """Write ``report.html`` into the run folder and return its path; the same run gives the same bytes."""
    folder = Path(folder)
    run = read_folder(folder)
    path = folder / "report.html"
    write_atomically(path, _page(run).encode())
    return path


def _page(run: Folder) -> str:
    from markupsafe import Markup

    board = tables.leaderboard(run.summary, run.values)
    chosen = browse.choose(run.values)
    items = browse.shown(run.values, chosen, chain(_examples(run.path / "examples.jsonl"), _chosen(run)))
    script, style = asset("report.js", ASSETS), asset("page.css")
    return template(ASSETS, "report.html").render(
        run=run,
        summary=run.summary,
        manifest=run.manifest,
        verdict=verdict(run.summary),
        leaderboard=board,
        leaderboard_on_paper=pieces(board, most=PAPER_COLUMNS),
        comparisons=[tables.comparisons(run.summary, measure) for measure in run.summary.measures],
        gates=tables.gates(run.summary),
        failures=tables.failures(run.summary),
        unscored=tables.unscored(run.values),
        intervals=[_intervals(run.summary, measure) for measure in run.summary.measures],
        distributions=[_distributions(run, m) for m in run.summary.measures if m.per_item],
        without_values=_without_values(run.summary),
        sections=_sections(run),
        citations=_citations(run),
        items=items,
        static=items[:STATIC_ITEMS],
        data=Markup(_data(run, items)),
        # Our own two files are the only text on the page that is not escaped; the policy admits them by their hash.
        script=Markup(script),
        style=Markup(style),
        policy=policy(style=style, script=script),
    )


def _sections(run: Folder) -> list[Section]:
    """What capabilities and people add to the page."""
    chosen = [choices_section(run.summary.selection)] if run.summary.selection else []
    return chosen + ([people_section(run.summary.human, run.points)] if run.summary.human else [])


def _examples(path: Path) -> Iterable[Example]:
    from dialeval.data import read

    # A run in which no system answered has an empty file, which elsewhere would be a mistake.
    return read(path, "example") if path.stat().st_size else ()


def _chosen(run: Folder) -> Iterator[Example]:
    """What systems chose in questions of their own, as the responses to them."""
    path = run.path / "choices.jsonl"
    if not run.summary.selection or not path.is_file():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            turns = tuple(Turn(one["role"], one["content"], one.get("name")) for one in row["context"])
            right = tuple(one["text"] for one in row["candidates"] if one["correct"])
            said = Response(row["candidates"][row["chosen"]]["text"])
            yield Example(row["id"], row["system"], turns, said, right)


def _data(run: Folder, items: tuple[browse.Shown, ...]) -> str:
    """What the item browser needs, as JSON that cannot end its script element or be anything but JSON."""
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
        "items": [asdict(item) for item in items],
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _intervals(summary: Summary, measure: MeasureInfo) -> Picture:
    places = tables.measure_decimals(summary, measure.measure)
    stands = standings(summary, measure)
    dots, words = [], []
    for system in tables.ranked(summary):
        found = summary.score(system, measure.measure)
        label = f"{system} {MARKS[stands[system]]}".strip()
        if found is None or found.score is None:
            dots.append(plots.Dot(label, None))
            words.append(f"{system} has no score")
            continue
        dots.append(plots.Dot(label, found.score, found.low, found.high))
        words.append(
            f"{system} {score(found.score, places)} {interval(found.low, found.high, places)}".strip()
        )
    alt = f"Scores under {measure.measure} with intervals: {'; '.join(words)}."
    return Picture(measure.measure, _caption(measure), plots.intervals(dots), alt)


def _distributions(run: Folder, measure: MeasureInfo) -> Picture:
    spreads, words = [], []
    for system in tables.ranked(run.summary):
        values = run.values.of(measure.measure, system)
        found = run.summary.score(system, measure.measure)
        missing = found.unscored if found else 0
        spreads.append(plots.Spread(system, values, missing))
        span = f"from {values.min():.3g} to {values.max():.3g}" if values.size else "no values"
        words.append(f"{system}: {count(len(values), 'item')}, {span}, {missing} unscored")
    alt = f"Histograms of the items' own {measure.measure} values, one per system. {'; '.join(words)}."
    return Picture(measure.measure, "", plots.distributions(spreads), alt)


def _without_values(summary: Summary) -> str:
    """A sentence on the measures that have no distribution; empty where all have one."""
    whole = [m.measure for m in summary.measures if not m.per_item]
    verb = "measures" if len(whole) == 1 else "measure"
    return (
        f"{listing(whole)} {verb} all responses together, so no item has a value to show here."
        if whole
        else ""
    )


def _caption(measure: MeasureInfo) -> str:
    direction = {True: "higher is better", False: "lower is better", None: "neither direction is better"}
    return f"{measure.summary.rstrip('.')}; {direction[measure.higher_is_better]}."


def _citations(run: Folder) -> list[str]:
    """One line per score, with all one needs to quote it."""
    lines = []
    for result in run.summary.results:
        places = tables.measure_decimals(run.summary, result.measure)
        shown = f"{score(result.score, places)} {interval(result.low, result.high, places)}".strip()
        version = f"dialeval {run.manifest.dialeval}"
        lines.append(f"{result.system}: {shown}, n={result.n}, {result.signature}, {version}")
    return lines
