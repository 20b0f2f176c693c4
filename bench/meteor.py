"""METEOR without Java against the jar behind pycocoevalcap's wrapper, on the same real text, start-up excluded.

The jar is warm: it has scored 32,000 pairs before, so Java has compiled what it runs often, and the best of three
counts. Ours has loaded its tables and kernels and is timed once, meeting the text for the first time, as users do; the
note tells its speed on the same text again. Both in processor time, the jar's that of Java and of its wrapper.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, Protocol, TypeVar

from bench.fresh import fresh
from bench.result import BenchResult
from dialeval.core import Resampling
from dialeval.data import read
from dialeval.data.types import Example, Response
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.metrics.meteor import Meteor
from dialeval.metrics.meteor.lexicon import Lexicon
from dialeval.metrics.meteor.metric import lexicon, load_tables

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
TURNS: Final = "self-dialogue/dialogues.jsonl.gz"
WARM_UP: Final = 100
JAR_WARM_UP: Final = 4
T = TypeVar("T")


class Wrapper(Protocol):
    """pycocoevalcap's METEOR."""

    meteor_p: subprocess.Popen[bytes]
    """Java."""

    def compute_score(
        self, gts: dict[int, list[str]], res: dict[int, list[str]]
    ) -> tuple[float, list[float]]:
        """The corpus's score and each item's."""


def run() -> Iterator[BenchResult]:
    """One reference, then four; the tables; then ours alone at growing sizes."""
    if not (DATA / "multirefeval").is_dir():
        print(f"meteor: no real text at {DATA}/multirefeval; set DIALEVAL_DATA")
        return
    if shutil.which("java") is None:
        print("meteor: java is required to run the jar")
        return
    from pycocoevalcap.meteor.meteor import Meteor as Jar

    jar = Jar()
    four = list(islice(_examples(4), 2_000))
    for _ in range(JAR_WARM_UP):
        _score_with(jar, four)
    if (DATA / TURNS).is_file():
        yield _against(jar, "meteor, self-dialogue", list(islice(_turns(), 5_000)))
    yield _against(jar, "meteor, one reference", list(islice(_examples(1), 5_000)))
    yield _against(jar, "meteor, four references", four)
    tables = fresh("bench.meteor", "load")
    yield BenchResult(
        "meteor, tables", tables.seconds, float("nan"), "promised 3 s and 700 MB; no peer", tables.peak_mb
    )
    for count in (10_000, 100_000, 1_000_000):
        done = fresh("bench.meteor", f"score_{count}")
        note = (
            f"{count / done.seconds:,.0f} pairs/s of text that repeats every 6,740, loading included; no peer"
        )
        yield BenchResult(f"meteor, {count:,} pairs", done.seconds, float("nan"), note, done.peak_mb)


def load() -> None:
    Lexicon(load_tables())


def score_10000() -> None:
    evaluate(Meteor(), _repeated(10_000), Plan(resampling=Resampling(resamples=0)))


def score_100000() -> None:
    evaluate(Meteor(), _repeated(100_000), Plan(resampling=Resampling(resamples=0)))


def score_1000000() -> None:
    evaluate(Meteor(), _repeated(1_000_000), Plan(resampling=Resampling(resamples=0)))


def _against(jar: Wrapper, name: str, examples: Sequence[Example]) -> BenchResult:
    metric = Meteor()
    lexicon.cache_clear()  # no word of another row is known
    metric.statistics(examples[-WARM_UP:])
    # One pass counts: ours remembers words and pieces of text, so a second pass is quicker than users' work is.
    ours, rows = _timed(lambda: metric.statistics(examples), repeats=1)
    again, _ = _timed(lambda: metric.statistics(examples), repeats=2)
    peer, (theirs, scores) = _timed(lambda: _score_with(jar, examples), repeats=3, helper=jar.meteor_p.pid)
    score = float(metric.aggregate(rows.sum(axis=0)))
    same = int((abs(metric.aggregate(rows) - scores) <= 1e-6).sum())
    pairs = sum(len(example.references) for example in examples)
    note = (
        f"jar through its wrapper, {pairs / peer:,.0f} pairs/s; ours {pairs / ours:,.0f} in one pass, "
        f"{pairs / again:,.0f} on the same text again; {same:,} of {len(examples):,} items equal to 1e-6, "
        f"corpus {abs(score - theirs):.0e} apart"
    )
    return BenchResult(f"{name}, {pairs:,} pairs", ours, peer, note)


def _timed(work: Callable[[], T], *, repeats: int, helper: int | None = None) -> tuple[float, T]:
    """The least processor time of several, that of another process included, and what came of it."""
    times = []
    for _ in range(repeats):
        start = time.process_time() + _seconds_of(helper)
        done = work()
        times.append(time.process_time() + _seconds_of(helper) - start)
    return min(times), done


def _seconds_of(process: int | None) -> float:
    if process is None:
        return 0.0
    after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def _score_with(jar: Wrapper, examples: Sequence[Example]) -> tuple[float, list[float]]:
    references = {at: list(example.references) for at, example in enumerate(examples)}
    responses = {at: [example.response.text] for at, example in enumerate(examples)}
    return jar.compute_score(references, responses)


def _examples(references: int) -> Iterator[Example]:
    """The first of several people's responses to each turn of DailyDialog's test set, against the others'."""
    for prompt in read(DATA / "multirefeval" / "multireftest.json", "prompt", format="multirefeval"):
        first, *others = prompt.references
        yield Example(prompt.item, "", (), Response(first), tuple(others[:references]))


def _turns() -> Iterator[Example]:
    """Each second turn of dialogues about films, music and sports against the one before it: many names and slips."""
    dialogues = read(DATA / TURNS, "dialogue")
    texts = (turn.text for dialogue in dialogues for turn in dialogue.turns)
    for index, (text, other) in enumerate(zip(texts, texts, strict=False)):
        yield Example(str(index), "", (), Response(text), (other,))


def _repeated(count: int) -> Iterator[Example]:
    """Real pairs again and again, each made when it is asked for."""
    examples = list(_examples(1))
    for at in range(count):
        yield examples[at % len(examples)]
