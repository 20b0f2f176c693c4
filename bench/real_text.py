"""Real responses with several references, for benches of reference metrics."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from bench.result import BenchResult
from dialeval.data import read
from dialeval.data.types import Example, Response

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
SOURCE: Final = DATA / "multirefeval" / "multireftest.json"
T = TypeVar("T")


def absent(bench: str) -> bool:
    """Whether the real text is missing, which is said on the way."""
    if not SOURCE.is_file():
        print(f"{bench}: no real text at {SOURCE}; set DIALEVAL_DATA to the folder that holds multirefeval")
    return not SOURCE.is_file()


def responses(references: int) -> list[Example]:
    """One person's response to each turn of DailyDialog's test set; a third of them answer another turn."""
    prompts = list(read(SOURCE, "prompt", format="multirefeval"))
    rng = random.Random(0)
    said = [prompt.references[0] for prompt in prompts]
    strangers = rng.sample(said, len(said))
    return [
        Example(
            p.item, "s", (), Response(rng.choice((own, p.references[1], other))), p.references[-references:]
        )
        for p, own, other in zip(prompts, said, strangers, strict=True)
    ]


def many(count: int) -> Iterator[Example]:
    """Real pairs again and again, a third of their words changed in every round so that new ones keep coming."""
    pairs = responses(1)
    for at in range(count):
        round_, place = divmod(at, len(pairs))
        e = pairs[place]
        texts = [_changed(text, round_) for text in (e.response.text, *e.references)]
        yield Example(f"item-{at}", "s", (), Response(texts[0]), tuple(texts[1:]))


def _changed(text: str, round_: int) -> str:
    if not round_:
        return text
    return " ".join(f"{word}{round_}" if at % 3 == 0 else word for at, word in enumerate(text.split()))


def growth(
    name: str, work: Callable[[Iterable[Example]], object], sizes: Sequence[int]
) -> Iterator[BenchResult]:
    """How long each size takes, beside what the one before it would lead one to expect of a linear cost."""
    work(list(many(10)))  # compiled, or loaded, before it counts
    seconds = expected = 0.0
    before = sizes[0]
    for size in sizes:
        examples = list(many(size))
        expected, (seconds, _) = seconds * size / before, timed(partial(work, examples), repeats=1)
        before = size
        if expected:
            note = f"as many times the size before; {size / seconds:,.0f} a second"
            yield BenchResult(f"{name}, {size:,} pairs", seconds, expected, note)


def timed(work: Callable[[], T], *, repeats: int) -> tuple[float, T]:
    """The least processor time of several runs, which other work on the machine disturbs least, and the outcome."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        done = work()
        times.append(time.process_time() - start)
    return min(times), done
