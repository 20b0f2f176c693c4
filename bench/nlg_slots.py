"""Slot matching over many sentences, against a loop over all known values with regular expressions.

``python -m bench.nlg_slots`` by itself matches a million sentences of the E2E systems, each made distinct.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.real_text import DATA
from bench.result import HEADING, BenchResult, line
from dialeval.nlg.acts.files import read_acts
from dialeval.nlg.acts.types import Meaning, slots_of
from dialeval.nlg.slots.lexicon import Lexicon, build_lexicon
from dialeval.nlg.slots.matcher import match

FEW: Final = 5_000
MANY: Final = 1_000_000
OUTPUTS: Final = Path("e2e-nlg") / "system_outputs" / "primary"


def run() -> Iterator[BenchResult]:
    """Both ways over the same sentences."""
    if not (DATA / OUTPUTS).is_dir():
        print("nlg_slots: no E2E outputs here", file=sys.stderr)
        return
    yield both_ways("E2E", sentences(FEW))
    items = list(read_acts(f"rnnlg:{DATA / 'rnnlg' / 'restaurant'}"))
    yield both_ways("restaurant", [(item.meaning, item.references[0]) for item in items][:FEW])


def both_ways(name: str, pairs: Sequence[tuple[Meaning, str]]) -> BenchResult:
    """The time of ours, and of a loop over the values that the acts have."""
    lexicon = build_lexicon({meaning for meaning, _ in pairs})
    ours, said = timed(lambda: matched(lexicon, pairs))
    peer, hits = timed(lambda: looped(pairs))
    known = len({slot for meaning, _ in pairs for slot in slots_of(meaning)})
    speed = f"{len(pairs) / ours:,.0f} sentences a second"
    note = f"re.search of all {known} known values; {speed}; said {said:,}, loop {hits:,}"
    return BenchResult(f"slots of {name}, {len(pairs):,} sentences", ours, peer, note)


def full() -> Iterator[BenchResult]:
    """A million sentences."""
    yield from run()
    pairs = sentences(MANY)
    lexicon = build_lexicon({meaning for meaning, _ in pairs})
    ours, said = timed(lambda: matched(lexicon, pairs))
    note = f"{MANY / ours:,.0f} sentences a second; said {said:,}"
    yield BenchResult(f"slot matching, {MANY:,} sentences", ours, float("nan"), note)


def sentences(count: int) -> list[tuple[Meaning, str]]:
    """So many outputs of the systems beside their acts, each with a number of its own, so that no cache helps."""
    paths = sorted((DATA / OUTPUTS).glob("*.tsv"))
    held = [(item.meaning, item.response or "") for path in paths for item in read_acts(f"e2e:{path}")]
    return [(held[n % len(held)][0], f"{held[n % len(held)][1]} Offer {n}.") for n in range(count)]


def matched(lexicon: Lexicon, pairs: Sequence[tuple[Meaning, str]]) -> int:
    """How many slots are said."""
    return sum(
        finding.outcome == "said" for meaning, text in pairs for finding in match(lexicon, meaning, text)
    )


def looped(pairs: Sequence[tuple[Meaning, str]]) -> int:
    """The straightforward way: every known value of every slot is looked for, then compared with the act."""
    known = sorted({(slot.name, slot.value or "") for meaning, _ in pairs for slot in slots_of(meaning)})
    said = 0
    for meaning, text in pairs:
        needed = {(slot.name, slot.value) for slot in slots_of(meaning)}
        found = {pair for pair in known if re.search(rf"\b{re.escape(pair[1])}\b", text, re.IGNORECASE)}
        said += len(needed & found)
    return said


def timed(work: Callable[[], int]) -> tuple[float, int]:
    """CPU seconds, since other programs may run beside this one, and what the work gave."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


if __name__ == "__main__":
    print(HEADING)
    for result in full():
        print(line(result), flush=True)
