"""RANDOM as boxes and CHOSEN as a dot, as in Figure 2 of Sato et al. (2020)."""

from __future__ import annotations

from dialeval.display.boxes import Box, boxes
from dialeval.display.pages import Picture
from dialeval.display.wording import COEFFICIENTS, count, interval, number
from dialeval.selection.document import Five, Trials


def trial_plots(found: Trials) -> list[Picture]:
    """Accuracies of each system, and the rankings' correlation with people's where there is one."""
    return [*_rankings(found), _accuracies(found)]


def _accuracies(found: Trials) -> Picture:
    shown = [Box(row.system, row.five, row.chosen) for row in found.systems]
    words = [f"{row.system}: random {_five(row.five)}, chosen {number(row.chosen)}" for row in found.systems]
    caption = f"{count(found.trials, 'trial')} with random false candidates; the dot is the chosen ones."
    alt = f"Box plots of accuracy over trials. {'; '.join(words)}."
    return Picture("Accuracy, RANDOM and CHOSEN", caption, boxes(shown, across="accuracy"), alt)


def _rankings(found: Trials) -> list[Picture]:
    people = found.human
    if people is None:
        return []
    shown = [Box("RANDOM", people.five, people.chosen)]
    name = COEFFICIENTS[people.coefficient]
    caption = (
        f"{name} of {count(people.systems, 'system')} with people's {people.criterion}, one value a trial; the dot is "
        "the ranking by chosen candidates."
    )
    spread = "undefined" if people.five is None else _five(people.five)
    alt = (
        f"Box plot of correlations with people's ranking: random {spread}, chosen {number(people.chosen, 2)}."
    )
    across = f"{name} with people"
    return [Picture("Rankings and people", caption, boxes(shown, across=across), alt)]


def _five(five: Five) -> str:
    least, first, median, third, greatest = five
    return f"median {number(median)}, quartiles {interval(first, third)}, range {interval(least, greatest)}"
