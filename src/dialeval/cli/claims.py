"""Options and sentences about claims: margins, the primary measure, two looks, and the unit of resampling."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dialeval.cli.parsing.parameters import BadUsage
from dialeval.display.wording import count
from dialeval.errors import BadInput, UnknownName

if TYPE_CHECKING:
    from dialeval.core import Resampling
    from dialeval.evaluation.compare import Comparison

FEW: Final = 5
"""So few dialogues cannot show a difference at alpha .05, and are perhaps none: see what their ids begin with."""


def parse_margins(given: Sequence[str] | None, measures: Sequence[str]) -> dict[str, float]:
    """Margins from ``MEASURE=VALUE`` pairs, or from a bare value if there is one measure."""
    margins = {}
    for text in given or ():
        name, _, value = text.rpartition("=")
        if not name and len(measures) > 1:
            message = f"found {text!r}, but no metric; expected METRIC=VALUE, such as '{measures[0]}={value}'"
            raise BadUsage(message, where="--margin")
        try:
            margin = float(value)
        except ValueError:
            margin = math.nan
        if not 0 < margin < math.inf:
            message = f"found {text!r}, expected METRIC=VALUE with a value above 0, such as 'rouge_l=0.02'"
            raise BadUsage(message, where="--margin")
        margins[named_measure(name or measures[0], measures, "--margin")] = margin
    return margins


def named_measure(name: str, measures: Sequence[str], option: str) -> str:
    """That one of the measures; any other is a usage error."""
    if name not in measures:
        raise BadUsage(str(UnknownName("metric here", name, measures)), where=option)
    return name


def read_first_look(path: Path) -> tuple[Comparison, ...]:
    """The comparisons that ``compare --first-look --json`` printed."""
    from pydantic import TypeAdapter, ValidationError

    from dialeval.evaluation.compare import Comparison

    needed = "what 'dialeval compare A B --first-look --json' printed"
    todo = "Plan two looks before the first: one that spent all of its alpha leaves nothing for a second."
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["settings"]["look"] != "1/2":
            raise BadInput(str(path), "a comparison that is not a first look", needed, todo)
        return TypeAdapter(tuple[Comparison, ...]).validate_python(content["comparisons"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError, ValidationError) as error:
        found = "no such file" if isinstance(error, FileNotFoundError) else "something else"
        raise BadInput(str(path), found, needed, todo) from None


def design_notes(
    designs: Sequence[tuple[int, int, float | None]], items: Iterable[str], resampling: Resampling
) -> Iterator[str]:
    """Yield notes on what was resampled together, from units, items and design effect of each result."""
    groups: dict[tuple[int, int], list[float]] = {}
    for units, n, effect in designs:
        if units < n:
            groups.setdefault((units, n), []).extend([] if effect is None else [effect])
    for (units, n), effects in groups.items():
        ends = dict.fromkeys(f"{end(effects):.1f}" for end in (min, max)) if effects else ()
        told = f", design effect {' to '.join(ends)}" if ends else ""
        few = "" if units > FEW else "; if ids do not begin with dialogues, say --cluster none"
        yield f"Resampled by dialogue: {count(units, 'dialogue')} of {count(n, 'item')}{told}{few}."
    if resampling.cluster == "none" and resampling.shows_clusters(items):
        yield "Resampled as independent items, although ids show several turns of a dialogue (--cluster none)."
