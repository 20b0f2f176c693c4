"""Dropping raters who do not agree with the others: who goes, why, what changes, and a file that says so."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Resampling
from dialeval.data.codec.bad import Where, refuse
from dialeval.data.codec.fields import name, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.display.notes import Note
from dialeval.display.wording import count, listing
from dialeval.errors import BadInput
from dialeval.files.atomic import write_atomically
from dialeval.ratings.agreement import CriterionAgreement, agreement_of
from dialeval.ratings.raters import KappaTable, pairwise_kappas
from dialeval.ratings.table import Ratings

DropRule: TypeAlias = Literal["mean", "worst-first", "every-pair"]
"""``mean``: all whose mean kappa is below the threshold, at once. ``worst-first``: the one with the lowest mean, then
again among the others. ``every-pair``: one by one until no pair is below it, as Sharma et al. (2017, section 5.3) left
their raters."""


class Gone(NamedTuple):
    """A rater who is dropped."""

    rater: str
    kappa: float
    """The mean kappa with the others who were there when it was dropped."""
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Dropped:
    """Agreement on one criterion before and after raters are dropped."""

    criterion: str
    threshold: float
    rule: DropRule
    who: tuple[Gone, ...]
    """In the order in which they were dropped."""
    kept: Ratings
    """The ratings of the others, on this criterion."""
    before: CriterionAgreement
    after: CriterionAgreement | None
    """None if nobody is left."""


def drop_raters(
    ratings: Ratings,
    criterion: str,
    threshold: float,
    *,
    rule: DropRule = "mean",
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Dropped:
    """Drop the raters of a criterion whose Cohen's kappa with the others is below ``threshold``.

    A rater who has no kappa, because no items are shared, is kept. Two raters are the fewest
    that can be compared, so one at a time nobody goes once two are left.
    """
    chosen = ratings.criterion_named(criterion)
    table = pairwise_kappas(chosen, criterion)
    who = _below(table, threshold) if rule == "mean" else _one_by_one(table, threshold, rule)
    gone = {drop.rater for drop in who}
    kept = chosen.by(raters=[rater for rater in chosen.raters if rater not in gone])
    (before,) = agreement_of(chosen, resampling=resampling)
    after = agreement_of(kept, resampling=resampling)
    return Dropped(criterion, threshold, rule, tuple(who), kept, before, after[0] if after else None)


_TODO: Final = "Write it with 'dialeval annotate agreement --drop-below KAPPA --drop-file FILE'."


class LeftOutRater(NamedTuple):
    """A rater whose judgements are left out."""

    rater: str
    criterion: str | None
    """On this criterion; None is all."""


def write_dropped(path: str | Path, dropped: Sequence[Dropped]) -> None:
    """Write who was dropped on which criterion, and why, a line each; an empty file if nobody was."""
    lines = [
        {
            "rater": gone.rater,
            "criterion": one.criterion,
            "rule": one.rule,
            "below": one.threshold,
            "kappa": gone.kappa,
            "why": gone.why,
        }
        for one in dropped
        for gone in one.who
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_atomically(Path(path), text.encode())


def read_dropped(path: str | Path) -> tuple[LeftOutRater, ...]:
    """The raters of such a file; ``rater`` is required, and without ``criterion`` all criteria are meant."""
    path = Path(path)
    if not path.is_file():
        raise BadInput(str(path), "no such file", "a list of raters to leave out", _TODO)
    if not path.stat().st_size:
        return ()
    return tuple(_left_out(row.fields, row.where) for row in read_rows(path, refuse))


def _left_out(fields: object, where: Where) -> LeftOutRater:
    if not isinstance(fields, dict):
        raise wrong(where, "", fields, "an object with 'rater'", _TODO)
    criterion = name(fields, "criterion", where, "") if fields.get("criterion") is not None else None
    return LeftOutRater(name(fields, "rater", where, ""), criterion)


def without_raters(ratings: Ratings, dropped: Iterable[LeftOutRater]) -> tuple[Ratings, tuple[Note, ...]]:
    """The ratings without those of these raters, and notes on whom they lack and on names that nobody has."""
    kept = np.ones(len(ratings), dtype=bool)
    gone: list[str] = []
    unknown: list[str] = []
    for rater, criterion in dropped:
        mine = np.zeros(len(ratings), dtype=bool)
        if rater in ratings.raters and (criterion is None or criterion in ratings.criteria):
            mine = ratings.rater == ratings.raters.index(rater)
            if criterion is not None:
                mine &= ratings.criterion == ratings.criteria.index(criterion)
        (gone if mine.any() else unknown).append(rater)
        kept &= ~mine
    gone, unknown = (
        list(dict.fromkeys(gone)),
        [rater for rater in dict.fromkeys(unknown) if rater not in gone],
    )
    notes = []
    if gone:
        left = f"{count(len(gone), 'rater')} left out: {listing(gone)} ({count(int((~kept).sum()), 'judgement')})"
        notes.append(Note("raters_left_out", left))
    if unknown:
        text = f"{listing(unknown)}: to be left out, but {'has' if len(unknown) == 1 else 'have'} no judgement here"
        notes.append(Note("raters_not_there", text))
    return ratings.where(kept), tuple(notes)


def _below(table: KappaTable, threshold: float) -> list[Gone]:
    return [
        Gone(rater, float(mean), f"mean kappa {mean:.3f} with {others} others is below {threshold:g}")
        for rater, mean, others in zip(table.raters, table.means, _compared(table), strict=True)
        if mean < threshold
    ]


def _compared(table: KappaTable) -> list[int]:
    """With how many others each rater has a kappa: two who chose one category alike have none."""
    counts: list[int] = (~np.isnan(table.kappa)).sum(axis=1).tolist()
    return counts


def _one_by_one(table: KappaTable, threshold: float, rule: DropRule) -> list[Gone]:
    who: list[Gone] = []
    while len(table.raters) > 2:
        means = np.where(np.isnan(table.means), np.inf, table.means)
        if rule == "worst-first":
            index = int(means.argmin())
            if means[index] >= threshold:
                break
            why = f"lowest mean kappa of {len(means)} raters, {means[index]:.3f}, is below {threshold:g}"
        else:
            low = np.nan_to_num(table.kappa, nan=np.inf) < threshold
            if not low.any():
                break
            # The rater in most of the low pairs is dropped; ties are broken by the mean.
            index = int(np.lexsort((means, -low.sum(axis=1)))[0])
            why = f"kappa is below {threshold:g} with {int(low[index].sum())} of {_compared(table)[index]} others"
        who.append(Gone(table.raters[index], float(means[index]), why))
        table = table.without(table.raters[index])
    return who
