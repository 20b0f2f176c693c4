"""Subjects, options and results of ``dialeval score``, of the whole work or of a shard."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeVar, cast

from dialeval.catalogue.metrics import DEFAULT_METRICS, EVERY_METRIC, build_any
from dialeval.cli.options import (
    AllowUnanswered,
    AllowUnmatched,
    ColumnsOption,
    DataFile,
    FailUnder,
    Limit,
    MetricNames,
    Sacrebleu,
    SkipBad,
    as_sacrebleu,
    of_sacrebleu,
    with_sacrebleu,
)
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.core import Missing, Resampling
from dialeval.core.resampling import Clustering
from dialeval.core.results import absence
from dialeval.data import SideFile, read, read_texts, refuse
from dialeval.data.codec.column_names import Columns
from dialeval.data.codec.sources import split_format
from dialeval.data.reader import place_of, read_guessing
from dialeval.evaluation.leaks import CopyCount
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.options import Argument, Option

if TYPE_CHECKING:
    from dialeval.core import Metric, Result
    from dialeval.data import Dialogue, Example
    from dialeval.data.codec.bad import BadLine, OnBad
    from dialeval.evaluation.leaks import Leak
    from dialeval.evaluation.shards import Shard
    from dialeval.judge.costs import CostEstimate
    from dialeval.judge.document import JudgeRecord
    from dialeval.study import Workshop


class ScoreResults(NamedTuple):
    """Results by metric and system, in the order of the metrics, and the metrics that judged whole dialogues."""

    results: dict[tuple[str, str], Result]
    whole: dict[str, Metric[Dialogue]]
    evidence: Mapping[tuple[str, str, str], str]
    """Evidence by metric, system and item, of metrics that explain themselves."""
    leaks: tuple[Leak, ...] = ()
    judges: tuple[JudgeRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """Options of ``dialeval score`` that can move a result."""

    file: Annotated[str | None, Argument()] = None
    """Examples or dialogues (JSONL, CSV, TSV, Parquet, .gz), or - for stdin."""
    metric: MetricNames = None
    sacrebleu: Sacrebleu = False
    every: Annotated[bool, Option("--all")] = False
    """Every metric that can run here; says which cannot."""
    hyp: Annotated[Path | None, Option()] = None
    """Responses as plain text, one a line."""
    ref: Annotated[list[Path] | None, Option()] = None
    """References to --hyp, line by line. Repeatable."""
    format: Annotated[str | None, Option("--from")] = None
    """The file's format (see 'dialeval data ls')."""
    columns: ColumnsOption = None
    data: DataFile = None
    limit: Limit = None
    skip_bad: SkipBad = False
    allow_unmatched: AllowUnmatched = False
    fail_under: FailUnder = None
    allow_unanswered: AllowUnanswered = None
    cluster: Clustering = "auto"
    seed: int = 0
    trials: int = 1000

    @classmethod
    def of_arguments(cls, arguments: Mapping[str, Any]) -> Scoring:
        """Return the options in ``shard.json``."""
        hyp, ref = arguments["hyp"], arguments["ref"]
        paths = {"hyp": hyp and Path(hyp), "ref": ref and [Path(path) for path in ref]}
        return cls(**{**arguments, **paths})

    def arguments(self) -> dict[str, Any]:
        """Return the options by name, as JSON has them."""
        ref = None if self.ref is None else [str(path) for path in self.ref]
        return {**asdict(self), "hyp": self.hyp and str(self.hyp), "ref": ref}

    def resampled(self, by: Resampling) -> Scoring:
        """Return the same with these settings of resampling."""
        return replace(self, cluster=by.cluster, seed=by.seed, trials=by.resamples)

    @property
    def gates(self) -> list[str] | None:
        """Thresholds, each BLEU among their metrics as ``sacrebleu`` says."""
        return of_sacrebleu(self.fail_under, self.sacrebleu)

    @property
    def resampling(self) -> Resampling:
        """Settings of intervals."""
        return Resampling(resamples=self.trials, seed=self.seed, cluster=self.cluster)

    @property
    def layout(self) -> Layout:
        """The format and the columns of the file."""
        return Layout(self.format, self.columns)

    def files(self) -> list[str]:
        """Return the files that are read; a usage error if standard input is one, which other shards cannot read."""
        given = [self.file, self.hyp, *(self.ref or ()), self.data]
        if self.file is None and self.hyp is None:
            raise BadUsage("give either FILE or --hyp with its --ref files", where="FILE")
        paths = [str(path) for path in given if path is not None]
        if "-" in paths:
            raise BadUsage("it needs a file, and not standard input", where="--shard")
        return paths

    def metrics(self) -> dict[str, Metric[Example]]:
        """The metrics by name; with ``--all`` every one that can run here."""
        given = with_sacrebleu(self.metric, self.sacrebleu)
        if not self.every:
            return {name: build_any(name) for name in dict.fromkeys(given or DEFAULT_METRICS)}
        from dialeval.catalogue.scores import available

        others = map(as_sacrebleu, EVERY_METRIC) if self.sacrebleu else EVERY_METRIC
        usable = available(dict.fromkeys([*(given or ()), *others]))
        tell_left_out(usable.obstacles)
        return dict(usable.metrics)

    def results(
        self,
        metrics: Mapping[str, Metric[Example]],
        shop: Workshop,
        shard: Shard | None = None,
        *,
        explained: bool = False,
    ) -> ScoreResults:
        """Every metric's result for every system; of a shard, only the statistics of its batches, into the cache.

        ``explained``, with what metrics that explain themselves found in each response.
        """
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

    def costs(self, metrics: Mapping[str, Metric[Example]]) -> list[CostEstimate]:
        """Requests that each judge has yet to be sent; nothing is sent here."""
        from dialeval.judge.costs import judge_cost
        from dialeval.judge.record import inquiries

        whole = {} if self.data else judging_dialogues(metrics, self.file, self.layout)
        found: list[CostEstimate] = []
        for name, metric in metrics.items():
            if metric.asks:
                dialogues = name in whole
                subjects: Iterable[Any] = (
                    read_dialogues(str(self.file), self.layout, refuse)
                    if dialogues
                    else self._responses(refuse)
                )
                listed = list(first_items(subjects, self.limit))
                found += [judge_cost(*inquiry) for inquiry in inquiries(name, [metric], listed)]
        return found

    def _evaluated(
        self,
        metrics: Mapping[str, Metric[Example]],
        plan: Plan,
        on_bad: OnBad,
        shard: Shard | None,
        *,
        explained: bool,
    ) -> ScoreResults:
        evidence: dict[tuple[str, str, str], str] = {}
        copies = CopyCount()
        whole = {} if self.data else judging_dialogues(metrics, self.file, self.layout)
        single = {name: metric for name, metric in metrics.items() if name not in whole}
        results: dict[tuple[str, str], Result] = {}
        judged = _JudgedSubjects()
        if whole:
            dialogues: Iterable[Dialogue] = read_dialogues(str(self.file), self.layout, on_bad)
            dialogues = judged.watch(first_items(dialogues, self.limit), whole)
            results |= _each(whole, dialogues, self._by_scenario(plan), shard)
        if whole and single:
            print(f"{', '.join(single)}: judged by the last turn of each dialogue", file=sys.stderr)
        if single:
            examples: Iterable[Example | Missing] = first_items(self._responses(on_bad), self.limit)
            if explained:
                examples = _explaining(examples, single, evidence)
            examples = judged.watch(examples, single)
            if shard is None:
                examples = copies.watch(telling(examples, self._holding(single)))
            if shard is None and any(metric.has("fit") for metric in single.values()):
                examples = list(examples)  # such a metric sees all of them before it scores the first
            results |= _each(single, examples, plan, shard)
        order = list(metrics)
        if explained and shard is None:
            evidence |= judged.evidence()
        return ScoreResults(
            {key: results[key] for key in sorted(results, key=lambda key: order.index(key[0]))},
            whole,
            evidence,
            copies.leaks(),
            judged.records() if shard is None else (),
        )

    def _by_scenario(self, plan: Plan) -> Plan:
        """The plan with talks about one scenario resampled together, if their metadata name scenarios."""
        from dialeval.talks.outcome import by_scenario

        talks = read_dialogues(str(self.file), self.layout, _pass_over if self.skip_bad else refuse)
        return replace(plan, resampling=by_scenario(plan.resampling, talks))

    def _holding(self, metrics: Mapping[str, Metric[Example]]) -> list[str]:
        """Return the names of what needs all responses in memory."""
        names = [name for name, metric in metrics.items() if metric.needs_all]
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
        return read_examples(self.file, self.hyp, self.ref, self.layout, on_bad)


def study_of(scoring: Scoring, metrics: Mapping[str, Metric[Example]]) -> dict[str, Any]:
    """Return the keys of a study that scores the same responses under the same metrics."""
    from dialeval.systems.transcript import recorded_systems

    whole = {} if scoring.data else judging_dialogues(metrics, scoring.file, scoring.layout)
    single = [name for name in metrics if name not in whole]
    if whole and single:
        raise BadUsage(
            f"{', '.join(whole)} judge whole dialogues, and {', '.join(single)} the last turn of each; a run folder "
            "holds one of both, so give two commands",
            where="--out",
        )
    file = str(scoring.file)
    source = f"{scoring.format}:{place_of(Path(file), scoring.format).source}" if scoring.format else file
    columns = {"columns": scoring.columns} if scoring.columns else {}
    if whole:
        named = dict.fromkeys(each.system for each in read_dialogues(file, scoring.layout, refuse))
        keys = {"kind": "dialogues", "path": source, **columns}
        return {
            "data": source,
            "systems": [{"name": name, "system": name, **keys} for name in named],
            "measures": list(metrics),
        }
    systems = recorded_systems(Path(source), Columns.of(scoring.columns))
    return {
        "data": {"path": source, **columns} if scoring.data is None else scoring.data,
        "systems": [
            {"name": name, "kind": "transcript", "path": source, "system": name, **columns}
            for name in systems
        ],
        "measures": list(metrics),
    }


def _explaining(
    examples: Iterable[Example | Missing],
    metrics: Mapping[str, Metric[Example]],
    evidence: dict[tuple[str, str, str], str],
) -> Iterator[Example | Missing]:
    """Yield the examples, and add the evidence of each metric that explains itself."""
    able = {name: metric for name, metric in metrics.items() if metric.has("explain") and not metric.asks}
    for example in examples:
        for name, metric in able.items():
            if isinstance(example, Missing) or absence(example) or metric.unscorable(example):
                continue
            if found := metric.explain(example):
                evidence[name, example.system, example.item] = found
        yield example


class _JudgedSubjects:
    """Subjects of judges, kept until they have answered: then they can tell why, and what it took."""

    def __init__(self) -> None:
        self._subjects: dict[str, tuple[Metric[Any], list[Any]]] = {}

    def watch(self, subjects: Iterable[S], metrics: Mapping[str, Metric[Any]]) -> Iterable[S]:
        """The subjects, of which those are kept that a metric asks a model about."""
        asking = {name: metric for name, metric in metrics.items() if metric.asks}
        return self._kept(subjects, asking) if asking else subjects

    def _kept(self, subjects: Iterable[S], asking: Mapping[str, Metric[Any]]) -> Iterator[S]:
        held: list[S] = []
        self._subjects |= {name: (metric, held) for name, metric in asking.items()}
        for subject in subjects:
            held.append(subject)
            yield subject

    def evidence(self) -> dict[tuple[str, str, str], str]:
        """Evidence of each metric on each subject, by metric, system and item."""
        return {
            (name, subject.system, subject.item): found
            for name, (metric, subjects) in self._subjects.items()
            for subject in subjects
            if not isinstance(subject, Missing) and absence(subject) is None
            if (found := metric.explain(subject))
        }

    def records(self) -> tuple[JudgeRecord, ...]:
        """Record of each judge."""
        if not self._subjects:
            return ()
        from dialeval.judge.record import inquiries, record_of

        return tuple(
            record_of(*inquiry)
            for name, (metric, subjects) in self._subjects.items()
            for inquiry in inquiries(name, [metric], subjects)
        )


def _pass_over(_bad: BadLine) -> None:
    """Continue with the next line."""


def _each(
    metrics: Mapping[str, Any], subjects: Iterable[Any], plan: Plan, shard: Shard | None
) -> dict[tuple[str, str], Result]:
    """Return the results; of a shard none, but the statistics of its batches are kept."""
    if shard is None:
        return evaluate(metrics, subjects, plan)
    # The others see all subjects together, which merging does.
    able = {name: m for name, m in metrics.items() if not m.needs_all and not m.asks}
    plan = replace(plan, resampling=Resampling(resamples=0))
    evaluate(able, shard.part_of_stream(subjects, plan.batch_size), plan)
    return {}


def tell_left_out(obstacles: Mapping[str, str]) -> None:
    """Print to stderr what is left out, and why; names with one reason are printed together."""
    for obstacle in dict.fromkeys(obstacles.values()):
        names = [name for name, own in obstacles.items() if own == obstacle]
        many = f" ({len(names)})" if len(names) > 1 else ""
        print(f"left out: {', '.join(names)}{many}: {obstacle}", file=sys.stderr)


MANY: Final = 1_000_000
"""Number of responses from which a note tells that all are held in memory."""
S = TypeVar("S", bound="Example | Dialogue | Missing")


class Layout(NamedTuple):
    """Format and columns of a file, as the command line names them."""

    format: str | None = None
    columns: str | None = None


def read_examples(
    file: str | None, hyp: Path | None, refs: Sequence[Path] | None, layout: Layout, on_bad: OnBad
) -> Iterator[Example]:
    """The responses of a file, or of lines of text with their references."""
    if (file is None) == (hyp is None):
        raise BadUsage("give either FILE or --hyp with its --ref files", where="FILE")
    if hyp is not None:
        return read_texts(hyp, refs or [], on_bad=on_bad)
    return read(str(file), "example", format=layout.format, columns=layout.columns, on_bad=on_bad)


def read_beside(
    file: str | None, data: str, layout: Layout, *, allow_unmatched: bool, skip_bad: bool
) -> list[Example | Missing]:
    """The file's responses, beside the contexts and references that the data has for their ids."""
    from dialeval.data import read_prompts
    from dialeval.study.answers import recorded_examples

    if file is None or file == "-" or skip_bad:
        raise BadUsage("it goes with a FILE, and without --hyp and --skip-bad", where="--data")
    prompts = list(read_prompts(data))
    return recorded_examples(
        Path(file),
        prompts,
        format=layout.format,
        columns=Columns.of(layout.columns),
        allow_unmatched=allow_unmatched,
    )


def judging_dialogues(
    metrics: Mapping[str, Metric[Example]], file: str | None, layout: Layout
) -> dict[str, Metric[Dialogue]]:
    """Return the metrics that judge whole dialogues, if the file holds any; the others judge the last turn of each."""
    able: dict[str, Metric[Dialogue]] = {
        name: cast("Metric[Dialogue]", metric) for name, metric in metrics.items() if metric.whole_dialogues
    }
    if not able or file is None:
        return {}

    return (
        able if read_guessing(file, format=layout.format, columns=layout.columns).kind == "dialogue" else {}
    )


def read_dialogues(file: str, layout: Layout, on_bad: OnBad) -> Iterator[Dialogue]:
    """The dialogues of a file; one that names no system is of a system called so, as its last turn would be."""
    for dialogue in read(file, "dialogue", format=layout.format, columns=layout.columns, on_bad=on_bad):
        yield dialogue if dialogue.system else replace(dialogue, system="system")


@contextmanager
def kept_input(file: str | None, metrics: Mapping[str, Metric[Example]]) -> Iterator[str | None]:
    """Yield the file; if metrics may read it more than once, standard input is copied to a file for as long."""
    if file != "-" or not any(metric.whole_dialogues for metric in metrics.values()):
        yield file
        return
    from shutil import copyfileobj
    from tempfile import NamedTemporaryFile

    with NamedTemporaryFile(prefix="stdin-", suffix=".jsonl") as copy:
        copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        yield copy.name


def first_items(subjects: Iterable[S], limit: int | None) -> Iterator[S]:
    """The first ``limit`` items, with every system's response to each wherever it stands in the file."""
    kept: set[str] = set()
    for subject in subjects:
        if limit is None or subject.item in kept or len(kept) < limit:
            if limit is not None:
                kept.add(subject.item)
            yield subject


def telling(subjects: Iterable[S], holding: Sequence[str]) -> Iterator[S]:
    """Yield the subjects; if there are many, print which measures hold all of them in memory."""
    for number, subject in enumerate(subjects, start=1):
        if number == MANY and holding:
            print(
                f"note: {', '.join(holding)}: all responses are held in memory, {MANY:,} so far; other metrics need no "
                "more than their ids and statistics ('dialeval docs scale')",
                file=sys.stderr,
            )
        yield subject


def side_file(file: str) -> Path:
    """Return the path of the file for lines that cannot be read."""
    bare = str(split_format(file).source)
    return Path(f"{'stdin' if bare == '-' else bare}.bad.jsonl")
