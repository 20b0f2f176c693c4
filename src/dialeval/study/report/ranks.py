"""The ranks of a run's systems: a compact table over all measures, and one picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from dialeval.display.pages import Picture
from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING, count, listing, percent
from dialeval.study.document import Ranking, Summary, SystemRank, headline_measure, ranked, standings
from dialeval.study.report import plots
from dialeval.study.report.notes import MARKS


def rank_table(summary: Summary) -> Table:
    """Each system's rank over all measures and under each, as far as the comparisons decide it.

    Measures that rank alike share a row.
    """
    leading = _leading(summary)
    if leading is None:
        return Table("Ranks", (), ())
    systems = _by_rank(summary, leading)
    rows = [
        (Cell(_title(summary, leading)), *(_cell(leading.of(system), "") for system in systems)),
        (Cell("P(best)"), *(_chance(leading.of(system)) for system in systems)),
        *((Cell(listing(names, most=3)), *cells) for names, cells in _alike(summary, leading)),
    ]
    columns = (Column("rank"), *(Column(system, numeric=True) for system in systems))
    return Table("Ranks", columns, tuple(rows), tuple(_notes(summary, leading)))


def _leading(summary: Summary) -> Ranking | None:
    """The ranking that the picture shows: the primary measure's, else that over all, else that of the only one."""
    first = headline_measure(summary)
    if first is not None and first.measure == summary.primary:
        return summary.ranking(first.measure)
    return next(iter(summary.ranks), None)


def _by_rank(summary: Summary, leading: Ranking) -> list[str]:
    """The systems, first ranks first; of equal ones in the order of the leaderboard, those without a rank last."""
    ranks = {each.system: each.rank for each in leading.systems}
    return sorted(ranked(summary), key=lambda system: ranks.get(system) or math.inf)


def _title(summary: Summary, ranking: Ranking) -> str:
    if ranking.measure is None:
        return "overall"
    return f"{ranking.measure} (primary)" if ranking.measure == summary.primary else ranking.measure


def _alike(summary: Summary, leading: Ranking) -> Iterator[tuple[list[str], tuple[Cell, ...]]]:
    """Ranks under the other measures, those that are equal together."""
    groups: dict[tuple[Cell, ...], list[str]] = {}
    for measure in summary.measures:
        ranking = summary.ranking(measure.measure)
        if ranking is None or ranking is leading:
            continue
        where = standings(summary, measure)
        cells = tuple(
            _cell(ranking.of(s), MARKS[where[s]] if where[s] == "best" else "")
            for s in _by_rank(summary, leading)
        )
        groups.setdefault(cells, []).append(measure.measure)
    yield from ((names, cells) for cells, names in groups.items())


def _cell(rank: SystemRank | None, mark: str) -> Cell:
    if rank is None:
        return Cell(NOTHING)
    return Cell(_span(rank), mark=mark, strong=rank.worst == 1)


def _span(rank: SystemRank) -> str:
    return f"{rank.best}" if rank.best == rank.worst else f"{rank.best}–{rank.worst}"


def _chance(rank: SystemRank | None) -> Cell:
    return Cell(percent(None if rank is None else rank.p_best))


def compact_ranks(summary: Summary) -> Table:
    """The same in a few columns, for a terminal: under how many measures a system ranks first, may, or does not."""
    leading = _leading(summary)
    if leading is None:
        return Table("Ranks", (), ())
    single = [ranking for ranking in summary.ranks if ranking.measure is not None]
    titles = (_title(summary, leading), "P(best)", "first", "perhaps first", "not first")
    columns = (Column("system"), *(Column(title, numeric=True) for title in titles))
    rows = []
    for system in _by_rank(summary, leading):
        found = [rank for ranking in single if (rank := ranking.of(system)) is not None]
        counts = (
            sum(rank.worst == 1 for rank in found),
            sum(rank.best == 1 < rank.worst for rank in found),
            sum(rank.best > 1 for rank in found),
        )
        first = leading.of(system)
        rows.append((Cell(system), _cell(first, ""), _chance(first), *(Cell(str(n)) for n in counts)))
    note = (
        f"first, perhaps first, not first: number of {count(len(single), 'measure')} on which the system ranks first, "
        "may rank first, does not"
    )
    return Table("Ranks", columns, tuple(rows), (note, *list(_notes(summary, leading))[1:]))


def _notes(summary: Summary, leading: Ranking) -> Iterator[str]:
    yield "a range holds every rank that the comparisons leave open"
    by = "over all measures" if leading.measure is None else f"under {leading.measure}"
    chance = f"P(best): the share of {summary.trials:,} resamples in which the system ranks first {by}"
    if leading.measure is None:
        chance = f"overall: {counted(leading)}, each counting the same; {chance}"
    yield chance


def counted(ranking: Ranking) -> str:
    """``3 families of measures (bleu (4 measures), rouge_l and distinct(n=1))``; measures, where each is a family."""
    if len(ranking.families) in (0, len(ranking.measures)):
        return count(len(ranking.measures), "measure")
    families = "1 family" if len(ranking.families) == 1 else f"{len(ranking.families)} families"
    return f"{families} of measures ({listing([str(family) for family in ranking.families])})"


def rank_picture(summary: Summary) -> Picture | None:
    """Ranks as bars, from the best one that is possible to the worst; None where nobody is ranked."""
    leading = _leading(summary)
    if leading is None:
        return None
    others = [ranking for ranking in summary.ranks if ranking.measure is not None and ranking is not leading]
    bars, words = [], []
    for system in _by_rank(summary, leading):
        rank = leading.of(system)
        if rank is None or rank.rank is None:
            continue
        dots = [found.rank for ranking in others if (found := ranking.of(system)) and found.rank is not None]
        bars.append(
            plots.RankBar(system, rank.rank, rank.best, rank.worst, percent(rank.p_best), tuple(dots))
        )
        words.append(f"{system} rank {_span(rank)}, P(best) {percent(rank.p_best)}")
    what = "Overall rank" if leading.measure is None else f"Rank under {_title(summary, leading)}"
    caption = _caption(summary, leading, others)
    return Picture(what, caption, plots.ranks(bars), f"{what}: {'; '.join(words)}.") if bars else None


def _caption(summary: Summary, leading: Ranking, others: Sequence[Ranking]) -> str:
    over = f"Over {counted(leading)} together. " if leading.measure is None else ""
    bars = (
        f"A bar holds every rank that {summary.level:.0%} confidence leaves open, a dot is the rank by score."
    )
    kind = "single" if leading.measure is None else "other"
    return f"{over}{bars}" + (f" Small dots: ranks under the {kind} measures." if others else "")
