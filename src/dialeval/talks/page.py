"""The section of a study's page about talks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dialeval.display.pages import Section, template
from dialeval.display.table import Cell, Column, Table, estimate_cell
from dialeval.display.wording import count, number, percent
from dialeval.talks.document import ScenarioTalks, TalksInfo

PACKAGE: Final = "dialeval.talks"
_MOST: Final = 200
"""Scenarios in a table at most."""


def talks_section(infos: Sequence[TalksInfo]) -> Section:
    """Success by every convention and by scenario, faults, costs, and the talks of systems side by side."""
    shown = [(info, [_systems(info), _usage(info), _faults(info), _by_scenario(info)]) for info in infos]
    html = template(PACKAGE, "talks.html").render(shown=shown)
    return Section("talks", "Talks", "Talks with a simulated user", html)


def _systems(info: TalksInfo) -> Table:
    columns = ("system", "success", "failures as none", "without faulty talks", "least", "most", "user turns")
    rows = tuple(
        (
            Cell(each.system),
            estimate_cell(*each.success[:3]),
            Cell(percent(each.failures_as_zero.value)),
            estimate_cell(*each.faultless[:3]),
            Cell(percent(each.worst)),
            Cell(percent(each.best)),
            Cell(number(each.turns, 1)),
        )
        for each in info.systems
    )
    notes = (
        "least and most: success if every fault of the user that may have mattered is counted against or for it",
    )
    return Table("Success", _columns(columns), rows, notes)


def _usage(info: TalksInfo) -> Table:
    columns = ("system", "its requests", "its tokens", "user's requests", "user's tokens", "uncounted")
    rows = []
    for each in info.systems:
        sides = [each.usage.get(side, {}) for side in ("system", "user")]
        tokens = [own.get("prompt_tokens", 0) + own.get("completion_tokens", 0) for own in sides]
        requests = [own.get("requests", 0) for own in sides]
        uncounted = sum(own.get("uncounted", 0) for own in sides)
        cells = (requests[0], tokens[0], requests[1], tokens[1], uncounted)
        rows.append((Cell(each.system), *(Cell(f"{value:,}") for value in cells)))
    notes = ("answers whose tokens nobody counted are uncounted: the sums are then lower bounds",)
    return Table("Cost", _columns(columns), tuple(rows), notes)


def _faults(info: TalksInfo) -> Table:
    kinds = list(dict.fromkeys(kind for each in info.systems for kind in each.faults))
    ends = list(dict.fromkeys(end for each in info.systems for end in each.ends))
    columns = ("system", "talks", *(f"ended: {end}" for end in ends), *(f"user: {kind}" for kind in kinds))
    rows = tuple(
        (
            Cell(each.system),
            Cell(f"{each.talks:,}"),
            *(Cell(f"{each.ends.get(end, 0):,}") for end in ends),
            *(Cell(f"{each.faults.get(kind, 0):,}") for kind in kinds),
        )
        for each in info.systems
    )
    looked = any(each.worst is not None for each in info.systems)
    none = "no fault of the user was found" if looked else "nobody looked for faults of the user"
    notes = () if kinds else (none,)
    return Table("Ends of talks, and faults of the user", _columns(columns), rows, notes)


def _by_scenario(info: TalksInfo) -> Table:
    systems = [each.system for each in info.systems]
    rows = tuple(
        (Cell(one.scenario), *(_rate(one, system) for system in systems)) for one in info.by_scenario[:_MOST]
    )
    beyond = len(info.by_scenario) - len(rows)
    notes = (f"{count(beyond, 'scenario')} more in talks.jsonl",) if beyond else ()
    return Table("Success by scenario", _columns(("scenario", *systems)), rows, notes)


def _rate(scenario: ScenarioTalks, system: str) -> Cell:
    value, talks = scenario.rates.get(system, (0.0, 0))
    return Cell(percent(value), f"of {talks}") if talks else Cell("–")


def _columns(titles: Sequence[str]) -> tuple[Column, ...]:
    return tuple(Column(title, numeric=index > 0) for index, title in enumerate(titles))
