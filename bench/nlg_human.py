"""How metrics of task-oriented generation agree with people: the layout of Table 4 of Sharma et al. (2017).

``python -m bench.nlg_human DATA`` prints one table per data set: Spearman and Pearson over single sentences, with 95 %
intervals that leave out whole meaning representations, and the agreement of two halves of the raters where raw ratings
exist. BAGEL and SFRES are from gptscore-d2t (references and mean ratings) and emnlp17-nlg (published scores of metrics
and median ratings of the same sentences), E2E from its quality ratings, ranked within each rater's row.
``--skip-thought DIR`` names a model of ``dialeval train skip-thought``, whose weights do not come with dialeval.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from scipy.stats import rankdata

from dialeval.catalogue import build_any
from dialeval.core import Resampling, Result
from dialeval.data.types import Example, Judgement, Response
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.meta import correlate, split_half
from dialeval.meta.document import Coefficient
from dialeval.meta.judgements import join
from dialeval.nlg.acts.files import read_acts
from dialeval.nlg.subjects import act_turn
from dialeval.ratings.table import Ratings

METRICS: Final = (
    *(f"bleu(order={order})" for order in (1, 2, 3, 4)),
    "meteor",
    "rouge_l",
    "skip_thought",
    "embedding_average",
    "vector_extrema",
    "greedy_matching",
    "slot_error_rate",
)
"""Those of the paper, in its order, and the slot error rate, for which lower is better."""
PUBLISHED: Final = ("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr", "TER", "NIST")
KINDS: Final[tuple[Coefficient, ...]] = ("spearman", "pearson")
RESAMPLING: Final = Resampling(cluster="dialogue")


class Rated(NamedTuple):
    """A data set: sentences with references, and what people said of them."""

    name: str
    criterion: str
    examples: list[Example]
    people: list[Judgement]
    raw: bool
    """Whether raters are single people, so that there is a human ceiling."""


def d2t(folder: Path, name: str) -> Iterator[Rated]:
    """A set of gptscore-d2t, once for each quality; items are ``MR/ROW``, so that a representation is one cluster."""
    rows = json.loads((folder / "gptscore-d2t" / name / "data.json").read_text(encoding="utf-8"))
    acts = {row["src"]: index for index, row in enumerate(rows.values())}
    examples = [
        Example(
            f"{acts[row['src']]}/{key}", "all", (act_turn(row["src"]),), _lower(row["sys_summ"]), _refs(row)
        )
        for key, row in rows.items()
    ]
    for quality in ("informativeness", "naturalness", "quality"):
        people = [
            Judgement(example.item, "all", "median", quality, float(row["scores"][quality]))
            for example, row in zip(examples, rows.values(), strict=True)
        ]
        yield Rated(name, quality, examples, people, raw=False)


def _lower(text: str) -> Response:
    return Response(text.lower())


def _refs(row: dict[str, list[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.lower() for text in row["ref_summs"]))


def e2e(folder: Path) -> Rated:
    """The E2E quality ratings: free magnitudes for five systems at once, so each row counts by its ranks (0 to 1)."""
    data = folder / "e2e-nlg"
    references = {item.written: item.references for item in read_acts(f"e2e:{data / 'testset_w_refs.csv'}")}
    examples: dict[tuple[str, str], Example] = {}
    people: list[Judgement] = []
    for row in csv.DictReader((data / "human_ratings" / "quality.anon.csv").open(encoding="utf-8")):
        values = np.array([float(row[f"quality{k}"]) for k in range(1, 6)])
        shares = (rankdata(values) - 1) / 4
        for k, share in enumerate(shares, start=1):
            system, item = row[f"sys{k}"], f"mr{row['mr_id']}"
            text = row[f"ref{k}"]
            said = Response(text.lower())
            refs = tuple(reference.lower() for reference in references.get(row["mr"], ()))
            examples[item, system] = Example(item, system, (act_turn(row["mr"]),), said, refs)
            people.append(Judgement(item, system, row["_worker_id"], "quality", float(share)))
    return Rated("E2E", "quality (rank in row)", list(examples.values()), _each_once(people), raw=True)


def _each_once(people: Iterable[Judgement]) -> list[Judgement]:
    """One judgement per rater, item and system: the mean where a rater met a sentence again."""
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for judgement in people:
        values[judgement.item, judgement.system, judgement.rater].append(judgement.value or 0.0)
    return [Judgement(i, s, r, "quality", float(np.mean(held))) for (i, s, r), held in values.items()]


def scores(examples: Sequence[Example], names: Sequence[str] = METRICS) -> dict[str, Result]:
    """Every metric over the sentences; a metric that cannot run here is left out, and said so."""
    results: dict[tuple[str, str], Result] = {}
    for name in names:
        try:
            results |= evaluate(
                {name: build_any(name)}, list(examples), Plan(resampling=Resampling(resamples=0))
            )
        except Exception as error:
            print(f"left out: {name}: {str(error).splitlines()[0]}", file=sys.stderr)
    return {f"{name} {system}": result for (name, system), result in results.items()}


def table(rated: Rated, results: dict[str, Result]) -> list[str]:
    """The rows of one data set, as Markdown."""
    measured = [
        Judgement(j.item, j.system, f"measure {label.rpartition(' ')[0]}", label.rpartition(" ")[0], j.value)
        for label, result in results.items()
        for j in result.judgements
    ]
    return rows_of([*rated.people, *measured], rated.people[0].criterion, rated.raw)


def rows_of(judgements: Sequence[Judgement], criterion: str, raw: bool) -> list[str]:
    """Both coefficients of every measure, with intervals; then those of people with people."""
    joined = join(Ratings.of(judgements), criterion, measures=["measure *"])
    found = {
        kind: correlate(joined, levels=["item"], coefficient=kind, resampling=RESAMPLING) for kind in KINDS
    }
    lines = []
    for spearman, pearson in zip(found["spearman"], found["pearson"], strict=True):
        estimates = (spearman.estimate, pearson.estimate)
        cells = [f"{e.value:.3f} [{e.low:.3f}, {e.high:.3f}]" if e.bounds else "–" for e in estimates]
        lines.append(f"| {spearman.criterion} | {cells[0]} | {cells[1]} | {spearman.estimate.n} |")
    if raw:
        halves = [split_half(joined, level="item", coefficient=kind) for kind in KINDS]
        cells = ["–" if half.mean.value is None else f"{half.mean.value:.3f}" for half in halves]
        lines.append(f"| two halves of the raters | {cells[0]} | {cells[1]} | |")
    return lines


def published(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The metrics whose scores Novikova et al. (2017) published, beside the medians of three people."""
    path = folder / "emnlp17-nlg" / "emnlp_data_medians.bagel_sfrest.csv"
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    for dataset in ("BAGEL", "SFRES"):
        kept = [row for row in rows if row["dataset"].upper().startswith(dataset[:4])]
        clusters = {row["mr"]: index for index, row in enumerate(kept)}
        for quality in ("informativeness", "naturalness", "quality"):
            judgements = []
            for number, row in enumerate(kept):
                item = f"{clusters[row['mr']]}/{number}"
                judgements.append(Judgement(item, "all", "median", quality, float(row[quality])))
                judgements += [
                    Judgement(item, "all", f"measure {name}", name, float(row[name])) for name in PUBLISHED
                ]
            yield f"{dataset}, {quality} (published scores)", rows_of(judgements, quality, raw=False)


def slot_checks(folder: Path, results: dict[str, Result]) -> list[str]:
    """How far missing and added slots agree with what the E2E raters ticked, by majority."""
    ticks: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in csv.DictReader((folder / "e2e-nlg/human_ratings/quality.anon.csv").open(encoding="utf-8")):
        for k in range(1, 6):
            ticks[f"mr{row['mr_id']}", row[f"sys{k}"]].append(row[f"check{k}"])
    lines = []
    for part, counted in (("missing", ("missing",)), ("added", ("added",)), ("added", ("added", "wrong"))):
        ours: dict[tuple[str, str], float] = defaultdict(float)
        for name in (f"slot_error_rate(part={each!r})" for each in counted):
            for result in (result for label, result in results.items() if label.startswith(name)):
                for judgement in result.judgements:
                    ours[judgement.item, judgement.system] += judgement.value or 0.0
        both = [
            (2 * sum(part in tick for tick in held) > len(held), ours[key] > 0)
            for key, held in ticks.items()
            if key in ours
        ]
        people, matcher = (np.array(side) for side in zip(*both, strict=True))
        agree = float((people == matcher).mean())
        expected = people.mean() * matcher.mean() + (1 - people.mean()) * (1 - matcher.mean())
        kappa = (agree - expected) / (1 - expected)
        shares = " | ".join(f"{share:.3f}" for share in (people.mean(), matcher.mean(), agree, kappa))
        lines.append(f"| {part} | {' or '.join(counted)} | {shares} | {len(both)} |")
    return lines


HEAD: Final = "| metric | Spearman | Pearson | n |\n|---|---|---|---|"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.nlg_human", description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--skip-thought", metavar="DIR", help="the folder of a trained model")
    given = parser.parse_args(arguments)
    trained = {"skip_thought": f"skip_thought(model={given.skip_thought!r})"} if given.skip_thought else {}
    report(given.data, [trained.get(name, name) for name in METRICS])


def report(folder: Path, metrics: Sequence[str] = METRICS) -> None:
    """Print all tables."""
    for name in ("BAGEL", "SFRES"):
        results: dict[str, Result] = {}
        for rated in d2t(folder, name):
            results = results or scores(rated.examples, metrics)
            print(
                f"\n### {rated.name}, {rated.criterion}\n\n{HEAD}",
                *table(rated, results),
                sep="\n",
                flush=True,
            )
    for title, lines in published(folder):
        print(f"\n### {title}\n\n{HEAD}", *lines, sep="\n", flush=True)
    rated = e2e(folder)
    results = scores(rated.examples, metrics)
    print(f"\n### {rated.name}, {rated.criterion}\n\n{HEAD}", *table(rated, results), sep="\n", flush=True)
    parts = scores(
        rated.examples, [f"slot_error_rate(part={part!r})" for part in ("missing", "added", "wrong")]
    )
    head = "| people tick | matcher finds | people | matcher | agreement | kappa | n |\n|---|---|---|---|---|---|---|"
    print(
        f"\n### E2E, slots that raters ticked\n\n{head}",
        *slot_checks(folder, parts),
        sep="\n",
    )


if __name__ == "__main__":
    main()
