"""One task of ``dialeval score`` and its results: here and now, or of one shard."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dialeval.cli.parsing.declaring import bad_usage
from dialeval.cli.subjects import (
    Layout,
    first_items,
    judging_dialogues,
    read_beside,
    read_dialogues,
    read_examples,
    side_file,
    telling,
)
from dialeval.metrics import DEFAULT_METRICS, EVERY_METRIC, build_any

if TYPE_CHECKING:
    from dialeval.core import CorpusMeasure, Metric, Missing, Outcome, Resampling
    from dialeval.core.resampling import Clustering
    from dialeval.data import Dialogue, Example
    from dialeval.data.codec.bad import BadLine, OnBad
    from dialeval.evaluation.leaks import Leak
    from dialeval.evaluation.runner import Plan
    from dialeval.evaluation.shards import Shard
    from dialeval.study import Workshop

    AnyMetric = Metric[Example] | CorpusMeasure[Example]


class Scored(NamedTuple):
    """Results by metric and system, in the order of the metrics, and the metrics that judged whole dialogues."""

    results: dict[tuple[str, str], Outcome]
    whole: dict[str, Metric[Dialogue]]
    evidence: Mapping[tuple[str, str, str], str]
    """What metrics that explain themselves found, by metric, system and item."""
    leaks: tuple[Leak, ...] = ()


class Scoring(NamedTuple):
    """The options of ``dialeval score`` that can move a result."""

    file: str | None
    metric: list[str] | None
    every: bool
    hyp: str | None
    ref: list[str] | None
    format: str | None
    data: str | None
    cluster: Clustering
    seed: int
    trials: int
    limit: int | None
    skip_bad: bool
    allow_unmatched: bool
    fail_under: list[str] | None
    columns: str | None = None
    allow_unanswered: float = 0.0

    @classmethod
    def of_arguments(cls, arguments: Mapping[str, Any]) -> Scoring:
        """The options as ``shard.json`` holds them."""
        return cls(**arguments)

    def arguments(self) -> dict[str, Any]:
        """The options by name."""
        return self._asdict()

    def on(self, file: str | None) -> Scoring:
        """The same of another file, such as a copy of standard input."""
        return self._replace(file=file)

    @property
    def resampling(self) -> Resampling:
        """Of intervals."""
        from dialeval.core import Resampling

        return Resampling(resamples=self.trials, seed=self.seed, cluster=self.cluster)

    @property
    def layout(self) -> Layout:
        """The format and the columns of the file."""
        return Layout(self.format, self.columns)

    def files(self) -> list[str]:
        """The files that are read; a usage error where that is standard input, which other shards cannot read."""
        given = [self.file, self.hyp, *(self.ref or ()), self.data]
        if "-" in given:
            raise bad_usage("it needs a file, and not standard input", where="--shard")
        if self.file is None and self.hyp is None:
            raise bad_usage("give either FILE or --hyp with its --ref files", where="FILE")
        return [path for path in given if path is not None]

    def metrics(self) -> dict[str, AnyMetric]:
        """The metrics by name; with ``--all`` every one that can run here."""
        given = self.metric
        if not self.every:
            return {name: build_any(name) for name in dict.fromkeys(given or DEFAULT_METRICS)}
        from dialeval.metrics.scoring import available

        usable = available(dict.fromkeys([*(given or ()), *EVERY_METRIC]))
        for obstacle in dict.fromkeys(usable.obstacles.values()):
            names = [name for name, own in usable.obstacles.items() if own == obstacle]
            many = f" ({len(names)})" if len(names) > 1 else ""
            print(f"left out: {', '.join(names)}{many}: {obstacle}", file=sys.stderr)
        return dict(usable.metrics)

    def results(
        self,
        metrics: Mapping[str, AnyMetric],
        shop: Workshop,
        shard: Shard | None = None,
        *,
        explained: bool = False,
    ) -> Scored:
        """Every metric's result for every system; of a shard, only the statistics of its batches, into the cache.

        ``explained``, with what metrics that explain themselves found in each response.
        """
        from dialeval.data import SideFile, refuse
        from dialeval.evaluation.runner import Plan

        on_bad: OnBad = refuse
        if self.skip_bad:  # merging sets bad lines aside, so that shards do not all write one file
            on_bad = SideFile(side_file(self.file or str(self.hyp))) if shard is None else _pass_over
        with shop.watch("scoring", 0) as progress:
            plan = Plan(
                resampling=self.resampling,
                executor=shop.executor,
                cache=shop.cache,
                progress=progress,
                packed=True,
            )
            scored = self._evaluated(metrics, plan, on_bad, shard, explained=explained)
        if isinstance(on_bad, SideFile) and (left_out := on_bad.message()):
            print(left_out, file=sys.stderr)
        return scored

    def _evaluated(
        self,
        metrics: Mapping[str, AnyMetric],
        plan: Plan,
        on_bad: OnBad,
        shard: Shard | None,
        *,
        explained: bool,
    ) -> Scored:
        from dialeval.core import Fittable
        from dialeval.evaluation.leaks import CopyCount

        evidence: dict[tuple[str, str, str], str] = {}
        copies = CopyCount()
        whole = {} if self.data else judging_dialogues(metrics, self.file, self.layout)
        single = {name: metric for name, metric in metrics.items() if name not in whole}
        results: dict[tuple[str, str], Outcome] = {}
        if whole:
            dialogues = read_dialogues(str(self.file), self.layout, on_bad)
            results |= _each(whole, first_items(dialogues, self.limit), plan, shard)
        if whole and single:
            print(f"{', '.join(single)}: judged by the last turn of each dialogue", file=sys.stderr)
        if single:
            examples: Iterable[Example | Missing] = first_items(self._responses(on_bad), self.limit)
            if explained:
                examples = _explaining(examples, single, evidence)
            if shard is None:
                examples = copies.watch(telling(examples, self._holding(single)))
            if shard is None and any(isinstance(metric, Fittable) for metric in single.values()):
                examples = list(examples)  # such a metric sees all of them before it scores the first
            results |= _each(single, examples, plan, shard)
        order = list(metrics)
        return Scored(
            {key: results[key] for key in sorted(results, key=lambda key: order.index(key[0]))},
            whole,
            evidence,
            copies.leaks(),
        )

    def _holding(self, metrics: Mapping[str, AnyMetric]) -> list[str]:
        """What needs all responses in memory."""
        from dialeval.core import CorpusMeasure, Fittable

        names = [name for name, metric in metrics.items() if isinstance(metric, CorpusMeasure | Fittable)]
        return [*names, "--data"] if self.data else names

    def _responses(self, on_bad: OnBad) -> Iterable[Example | Missing]:
        if self.data is not None:
            return read_beside(
                self.file,
                self.data,
                self.layout,
                allow_unmatched=self.allow_unmatched,
                skip_bad=self.skip_bad,
            )
        refs: Sequence[Path] | None = None if self.ref is None else [Path(path) for path in self.ref]
        return read_examples(self.file, Path(self.hyp) if self.hyp else None, refs, self.layout, on_bad)


def _explaining(
    examples: Iterable[Example | Missing],
    metrics: Mapping[str, AnyMetric],
    evidence: dict[tuple[str, str, str], str],
) -> Iterator[Example | Missing]:
    """The examples; on the way, what each metric that explains itself found joins the evidence."""
    from dialeval.core import Explains, Missing
    from dialeval.core.results import absence

    able = {name: metric for name, metric in metrics.items() if isinstance(metric, Explains)}
    for example in examples:
        for name, metric in able.items():
            if isinstance(example, Missing) or absence(example) or metric.unscorable(example):
                continue
            if found := metric.explain(example):
                evidence[name, example.system, example.item] = found
        yield example


def _pass_over(_bad: BadLine) -> None:
    """Continue with the next line."""


def _each(
    metrics: Mapping[str, Any], subjects: Iterable[Any], plan: Plan, shard: Shard | None
) -> dict[tuple[str, str], Outcome]:
    """The results; of a shard none, but the statistics of its batches are kept."""
    from dialeval.core import CorpusMeasure, Fittable, Resampling
    from dialeval.evaluation.runner import evaluate_each

    if shard is None:
        return evaluate_each(metrics, subjects, plan)
    # The others see all subjects together, which merging does.
    able = {name: m for name, m in metrics.items() if not isinstance(m, CorpusMeasure | Fittable)}
    plan = replace(plan, resampling=Resampling(resamples=0))
    evaluate_each(able, shard.part_of_stream(subjects, plan.batch_size), plan)
    return {}
