"""Certainty and Variety of every system and kind of stimulus, at one list size or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from dialeval.core import DEFAULT_RESAMPLING, Resampling, Result
from dialeval.evaluation.runner import evaluate
from dialeval.files.documents import finite
from dialeval.nbest.document import ListKind, NBestResult
from dialeval.nbest.measuring.judged import JudgedList
from dialeval.nbest.measuring.metrics import Certainty, Variety

KINDS: Final[tuple[ListKind, ...]] = ("ENTQ", "CNTQ", "open")


def results_of(
    lists: Sequence[JudgedList],
    reader: str,
    *,
    n: int | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> tuple[NBestResult, ...]:
    """One result per system and kind, over the first ``n`` responses of each list."""
    systems = dict.fromkeys(judged.system for judged in lists)
    return tuple(
        _result(group, reader, n, resampling)
        for system in systems
        for kind in KINDS
        if (group := [judged for judged in lists if judged.system == system and judged.kind == kind])
    )


def curves_of(
    lists: Sequence[JudgedList],
    reader: str,
    sizes: Iterable[int],
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> tuple[NBestResult, ...]:
    """The results at each list size (Figure 5.2), lists being cut to their first responses."""
    return tuple(
        result for size in sizes for result in results_of(lists, reader, n=size, resampling=resampling)
    )


def default_sizes(longest: int) -> tuple[int, ...]:
    """List sizes for a curve: 1, 2, 5, 10, 20, 40 ... up to the longest list, and that one.

    >>> default_sizes(10), default_sizes(3)
    ((1, 2, 5, 10), (1, 2, 3))
    """
    steps = [size for size in (1, 2, 5, 10, 20, 40, 80, 100) if size < longest]
    return (*steps, longest) if longest else ()


def size_notes(lists: Sequence[JudgedList], n: int | None) -> tuple[str, ...]:
    """A note where results without a common list size would be compared; none where ``n`` sets one."""
    sizes = {
        system: [len(judged.verdicts) for judged in lists if judged.system == system and judged.verdicts]
        for system in dict.fromkeys(judged.system for judged in lists)
    }
    ranges = {system: (min(own), max(own)) for system, own in sizes.items() if own}
    if n is not None or len(set(ranges.values())) < 2:
        return ()
    told = ", ".join(
        f"{system or '(no system)'} {low}" if low == high else f"{system or '(no system)'} {low} to {high}"
        for system, (low, high) in ranges.items()
    )
    common = min(high for _, high in ranges.values())
    return (f"Lists differ in size ({told}), and Certainty rises with it: compare systems with -n {common}.",)


def _result(lists: Sequence[JudgedList], reader: str, n: int | None, resampling: Resampling) -> NBestResult:
    certainty = evaluate(Certainty(reader, n), lists, resampling=resampling)
    variety = evaluate(Variety(reader, n), lists, resampling=resampling)
    cut = [judged.first(n) for judged in lists]
    reasons = Counter(certainty.reasons.values())
    counted = [judged for place, judged in enumerate(cut) if place not in certainty.reasons]
    return NBestResult(
        system=lists[0].system,
        kind=lists[0].kind,
        size=n if n is not None else max(len(judged.verdicts) for judged in lists),
        certainty=finite(certainty.score),
        certainty_interval=_interval(certainty),
        variety=finite(variety.score),
        variety_interval=_interval(variety),
        n=certainty.scored,
        with_consistent=variety.scored,
        excluded=len(lists) - certainty.scored,
        reasons=dict(sorted(reasons.items())),
        shorter=sum(n is not None and len(judged.verdicts) < n for judged in counted),
    )


def _interval(result: Result) -> tuple[float, float] | None:
    limits = result.interval
    return None if limits is None else (limits.low, limits.high)
