"""Findings about measures and people in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dialeval.display.wording import COEFFICIENTS, count, interval, listing, p_value
from dialeval.meta.document import Document, Level, Rivalry, Row
from dialeval.meta.report.levels import correlation, ordered, scope

WHERE: dict[Level, str] = {
    "item": "Item by item",
    "system": "System by system",
    "item_within_system": "Within a system",
    "system_within_item": "Between the answers to one item",
}

TOO_WIDE: Final = 1.5
"""An interval of a correlation that is wider than this says too little for a sentence."""


def verdict(document: Document) -> str:
    """Who was asked, which measure agrees best with people, how well people agree themselves, and what is missing."""
    return " ".join((*_setting(document), *_findings(document), *_reservations(document)))


def headline(document: Document) -> str:
    """One line: the measure that agrees best with people."""
    level = document.main_level
    rows = ordered(document, level)
    if not rows or rows[0].value is None:
        return f"No measure has a correlation with people's {document.human.criterion!r}."
    return f"People's {document.human.criterion!r}: {_best(document, level, rows)}"


def _setting(document: Document) -> Iterator[str]:
    human = document.human
    measures = len({row.measure for row in document.rows})
    yield (
        f"{count(measures, 'measure')} against people's {human.criterion!r}: {count(human.ratings, 'rating')} by "
        f"{count(human.raters, 'rater')} of {count(human.cells, 'answer')} by {count(human.systems, 'system')}."
    )


def _findings(document: Document) -> Iterator[str]:
    main = document.main_level
    rows = ordered(document, main)
    if rows and rows[0].value is not None:
        yield f"{WHERE[main]}, {_best(document, main, rows)}"
    else:
        yield f"{WHERE[main]}, no measure has a correlation."
    yield from _ceiling(document)
    systems = ordered(document, "system")
    if main != "system" and systems and systems[0].value is not None:
        yield f"{WHERE['system']}, {_best(document, 'system', systems)}"


def _best(document: Document, level: Level, rows: list[Row]) -> str:
    best = rows[0]
    name = COEFFICIENTS[best.coefficient]
    shown = (
        f"{name} {correlation(best.value)} {interval(best.estimate.low, best.estimate.high)}".rstrip()
        + _of_true_means(best)
    )
    if level == "system" and best.systems < 4:
        few = f"{best.systems} systems are too few to conclude anything"
        return f"{best.measure} has the highest correlation ({shown}), but {few}."
    falls = best.measure in document.settings.lower_is_better
    if best.value is not None and (best.value > 0) is falls:
        return (
            f"no measure agrees with people {scope(document)}: {best.measure} comes nearest ({shown})."
            + _without(rows)
        )
    lower = ", lower being better" if falls else ""
    said = f"{best.measure} agrees best with people {scope(document)} ({shown}{lower})"
    others = [row.measure for row in rows[1:] if row.value is not None]
    return _beside(document, level, best.measure, others, said) + _without(rows)


def _of_true_means(row: Row) -> str:
    means = row.true_means
    bounds = None if means is None else means.pearson.bounds
    if means is None or bounds is None or bounds[1] - bounds[0] > TOO_WIDE:
        return ""
    return f"; Pearson {correlation(means.pearson.value)} {interval(*bounds)} of true means"


def _without(rows: list[Row]) -> str:
    """A sentence on the measures that have no correlation; empty if all have one."""
    silent = [row.measure for row in rows if row.value is None]
    if not silent:
        return ""
    return f" {listing(silent, most=3)} {'has' if len(silent) == 1 else 'have'} no correlation here."


def _beside(document: Document, level: Level, best: str, others: list[str], said: str) -> str:
    """Sentence on the best measure, and how sure that is beside the others that have a correlation."""
    if not others:
        return f"{said}."
    against = {other: _against(document, level, best, other) for other in others}
    ahead = [measure for measure, rival in against.items() if rival and rival.better == measure]
    level_with = [measure for measure, rival in against.items() if rival is None or rival.better is None]
    if ahead:
        they = f"{listing(ahead, most=3)} {'agrees' if len(ahead) == 1 else 'agree'}"
        return (
            f"{said}, but {they} significantly better on the answers that both scored: their order depends on "
            "coverage."
        )
    if not level_with:
        worst = max((rival.p_adjusted or 0.0) for rival in against.values() if rival)
        return f"{said}, significantly better than every other measure (p = {p_value(worst)})."
    are = "is" if len(level_with) == 1 else "are"
    return f"{said}; {listing(level_with, most=3)} {are} not significantly different."


def _against(document: Document, level: Level, first: str, second: str) -> Rivalry | None:
    matching = (r for r in document.rivals if r.level == level and {r.a, r.b} == {first, second})
    return next(matching, None)


def _ceiling(document: Document) -> Iterator[str]:
    level = document.main_level
    for ceiling in document.ceiling:
        if ceiling.level == level and ceiling.mean.value is not None:
            whole = (
                ""
                if ceiling.corrected is None
                else f", two groups of full size would at {correlation(ceiling.corrected)}"
            )
            bound = (
                ""
                if ceiling.bound is None
                else f"; a perfect measure would reach {correlation(ceiling.bound)} with all raters"
            )
            mean, span = correlation(ceiling.mean.value), interval(ceiling.mean.low, ceiling.mean.high)
            yield f"Two halves of the raters correlate at {mean} {span}{whole}{bound}."


def _reservations(document: Document) -> Iterator[str]:
    lacking = document.unjoined.human
    if lacking:
        yield f"{count(lacking, 'rated answer')} {'has' if lacking == 1 else 'have'} no score under any measure."
    unrated = max((coverage.only_measure for coverage in document.unjoined.measures), default=0)
    if unrated:
        yield f"{count(unrated, 'scored answer')} {'was' if unrated == 1 else 'were'} not rated."
