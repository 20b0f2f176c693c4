"""Tables of verdicts on pairs: systems, what moves the verdicts, strengths, and agreement of raters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dialeval.display.table import Cell, Column, Table, estimate_cell
from dialeval.display.wording import count, interval, listing, signed
from dialeval.ratings.pairwise import PEOPLE

if TYPE_CHECKING:
    from dialeval.ratings.pairwise import PairAgreement, PairwiseRater, PairwiseResults
    from dialeval.ratings.preferences import PreferenceStrengths
    from dialeval.stats.estimate import Estimate


def pairwise_tables(found: PairwiseResults, *, people_alone: bool = False) -> Iterator[Table]:
    """For each rater the verdicts, the systems and what moves the verdicts; then the agreement of raters."""
    for one in found.raters:
        yield _systems(one, found.level)
        if (
            not people_alone
            and len({head.a for head in one.head_to_head} | {head.b for head in one.head_to_head}) > 2
        ):
            yield strengths_table(one.strengths, one)
        moved = _movers(one)
        if moved.rows:
            yield moved
    if found.agreements:
        yield _agreements(found.agreements, found.level)


def _about(one: PairwiseRater) -> str:
    return f"{one.rater or 'all'}, {one.criterion}" if one.criterion else one.rater or "all"


def _systems(one: PairwiseRater, level: float) -> Table:
    columns = (
        *(Column("a"), Column("b"), Column("a won", numeric=True), Column("tied", numeric=True)),
        *(
            Column("flipped", numeric=True),
            Column("lost", numeric=True),
            Column("win rate of a", numeric=True),
        ),
        Column("at equal lengths", numeric=True),
    )
    rows = tuple(
        (
            *(Cell(head.a), Cell(head.b), Cell(f"{head.wins:,}"), Cell(f"{head.ties - head.flips:,}")),
            *(Cell(f"{head.flips:,}"), Cell(f"{head.losses:,}"), _cell(head.win_rate)),
            _cell(head.length_controlled),
        )
        for head in one.head_to_head
    )
    notes = [f"brackets hold {level:.0%} intervals for other items; ties and flips count half"]
    for reason in dict.fromkeys(
        head.length_controlled.reason for head in one.head_to_head if head.length_controlled.value is None
    ):
        notes.append(f"nothing at equal lengths: {reason}")
    if one.unscored:
        why = [f"{times:,} {reason}" for reason, times in list(one.unscored.items())[:4]]
        notes.append(f"without a verdict: {listing(why)}")
    return Table(f"{_about(one)}: {count(one.pairs, 'pair')}", columns, rows, tuple(notes))


def _cell(estimate: Estimate) -> Cell:
    return estimate_cell(*estimate[:3])


def _movers(one: PairwiseRater) -> Table:
    rows = [
        ("longer answers, of those preferred", one.longer),
        ("slope on length (log odds)", one.slope),
    ]
    if one.rater != PEOPLE:
        rows = [
            ("answers shown first, of those preferred", one.first),
            ("verdicts that do not survive the swap", one.flips),
            *rows,
            ("own family preferred more than by others", one.own_family),
        ]
    if one.people is not None:
        rows += [
            ("single verdicts as people's", one.people.right),
            ("pairs with every order as people's", one.people.right_both),
            ("settled verdicts as people's", one.people.equal),
            ("Cohen's kappa with people", one.people.kappa),
            ("longer answers, more often than people", one.people.longer),
        ]
    columns = (Column(""), Column("value", numeric=True), Column("over", numeric=True))
    cells = tuple(
        (Cell(name), _cell(found), Cell(f"{found.n:,}")) for name, found in rows if found.value is not None
    )
    reasons: dict[str, list[str]] = {}
    for name, found in rows:
        if found.value is None:
            reasons.setdefault(found.reason or "", []).append(name)
    notes = [f"{listing(names)}: {reason}" for reason, names in reasons.items()]
    if one.first.value is not None and one.both_orders < one.pairs:
        notes.append(
            f"{one.both_orders:,} of {one.pairs:,} pairs were shown in both orders: elsewhere the answer shown first "
            "may be preferred because it is better"
        )
    return Table(f"{_about(one)}: what moves the verdicts", columns, cells, tuple(notes))


def _agreements(found: Sequence[PairAgreement], level: float) -> Table:
    columns = (
        *(Column("criterion"), Column("rater"), Column("other"), Column("pairs", numeric=True)),
        *(Column("equal", numeric=True), Column("Cohen's kappa", numeric=True)),
    )
    rows = tuple(
        (
            *(Cell(one.criterion), Cell(one.a), Cell(one.b), Cell(f"{one.equal.n:,}")),
            *(_cell(one.equal), _cell(one.kappa)),
        )
        for one in found
    )
    note = f"of settled verdicts, ties being a class of their own; brackets hold {level:.0%} intervals for other items"
    return Table("agreement of raters", columns, rows, (note,))


def strengths_table(found: PreferenceStrengths, one: PairwiseRater | None = None) -> Table:
    """Systems by strength; of one rater, or of all preferences together."""
    columns = (
        *(
            Column("system"),
            Column("strength", numeric=True),
            Column("rank"),
            Column("preferred", numeric=True),
        ),
        *(Column("won", numeric=True), Column("tied", numeric=True), Column("lost", numeric=True)),
    )
    rows = []
    for system in found.systems:
        total = system.wins + system.ties + system.losses
        share = f"{100 * (system.wins + system.ties / 2) / total:.0f} %"
        value, low, high, _, _ = system.strength
        strength = Cell(signed(value, 2), interval(low, high, 2))
        counts = (Cell(f"{times:,}") for times in (system.wins, system.ties, system.losses))
        rows.append(
            (
                Cell(system.system),
                strength,
                Cell(_rank(system.best_rank, system.worst_rank)),
                Cell(share),
                *counts,
            )
        )
    whose = "other raters like these" if found.interval_raters == "sampled" else "these raters"
    notes = [
        "strength: log odds of being preferred to an average system; a difference of 0.7 is two to one",
        f"brackets hold {found.level:.0%} intervals for other items and {whose}",
    ]
    if any(system.best_rank is not None for system in found.systems):
        notes.append("rank: those it may have, all differences being tested at once")
    if found.tie:
        notes.append(
            f"two equal systems would tie in {100 * found.tie / (2 + found.tie):.0f} % of judgements"
        )
    if found.reason:
        notes = [f"no strengths or intervals: {found.reason}"]
    model = f"Bradley-Terry{', with ties' if found.tie else ''}"
    if one is not None:
        return Table(f"{_about(one)}: {model}", columns, tuple(rows), tuple(notes))
    title = (
        f"{model}: {count(found.judgements, 'preference')}, {count(found.items, 'item')}, "
        f"{count(found.raters, 'rater')}"
    )
    return Table(title, columns, tuple(rows), tuple(notes))


def _rank(best: int | None, worst: int | None) -> str:
    if best is None or worst is None:
        return "–"
    return str(best) if best == worst else f"{best}–{worst}"
