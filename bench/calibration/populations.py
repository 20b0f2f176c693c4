"""Populations with a known score: real text, measured once, and made designs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from bench.calibration.public import Kind
from bench.real_text import DATA, SOURCE
from dialeval import Bleu, RougeL
from dialeval.core import Metric
from dialeval.data import read
from dialeval.data.types import Example, Response
from dialeval.stats.resampling.bootstrap import Floats, Integers


class Population(NamedTuple):
    """Rows of all items there are, from which samples are drawn."""

    name: str
    rows: Floats
    kind: Kind
    clusters: Integers | None = None
    """The dialogue of each item; None where there are no dialogues."""

    @property
    def truth(self) -> float:
        """The score of all items."""
        return float(self.kind.aggregate(self.rows.sum(axis=0)))

    def sample(self, rng: np.random.Generator, units: int) -> Floats:
        """Rows of so many items, drawn with replacement."""
        return self.rows[rng.integers(len(self.rows), size=units)]

    def clustered_sample(self, rng: np.random.Generator, units: int) -> tuple[Floats, Integers]:
        """Rows of all items of so many dialogues, drawn with replacement, and which dialogue each is of."""
        members = _members(self.clusters) if self.clusters is not None else []
        drawn = [members[place] for place in rng.integers(len(members), size=units).tolist()]
        return self.rows[np.concatenate(drawn)], np.repeat(np.arange(units), [len(each) for each in drawn])


def real_text() -> list[Population]:
    """DailyDialog and E2E under BLEU-2, BLEU-4 and ROUGE-L; none where the data are missing."""
    if not SOURCE.is_file() or not (DATA / "e2e-nlg").is_dir():
        print(f"no real text in {DATA}; set DIALEVAL_DATA to the folder that holds multirefeval and e2e-nlg")
        return []
    populations = []
    for references in (1, 4):
        examples, dialogues = daily_dialogues(references)
        for metric in (Bleu(2), Bleu(4), RougeL()):
            name = f"DailyDialog {_short(metric)}, {references} ref"
            populations.append(_measured(name, metric, examples, dialogues))
    for metric in (Bleu(2), Bleu(4), RougeL()):
        populations.append(_measured(f"E2E {_short(metric)}", metric, e2e_outputs("tgen")))
    return populations


def sparse_text() -> list[Population]:
    """Two measures with skewed values, many of them 0: ROUGE-L of three words that were said elsewhere, and its square.

    None where the data are missing.
    """
    if not SOURCE.is_file():
        return []
    people, _ = daily_dialogues(1)
    order = np.random.default_rng(0).permutation(len(people)).tolist()
    words = [" ".join(people[place].response.text.split()[:3]) for place in order]
    strangers = [
        Example(e.item, "s", (), Response(text), e.references) for e, text in zip(people, words, strict=True)
    ]
    metric = RougeL()
    elsewhere, own = (metric.statistics(examples)[:, 0] for examples in (strangers, people))
    kind = Kind(mean_of, limits=(0.0, 1.0))
    return [
        Population("DailyDialog ROUGE-L, three words of others", as_rows(elsewhere), kind),
        Population("DailyDialog ROUGE-L squared, 1 ref", as_rows(own**2), kind),
    ]


@cache
def daily_dialogues(references: int) -> tuple[list[Example], Integers]:
    """One person's response to each turn beside what others said there, and the dialogue of each."""
    prompts = list(read(SOURCE, "prompt", format="multirefeval"))
    examples = [
        Example(p.item, "s", (), Response(p.references[0]), p.references[1 : 1 + references]) for p in prompts
    ]
    dialogues = [p.item.rpartition("/")[0] for p in prompts]
    return examples, np.unique(dialogues, return_inverse=True)[1].astype(np.int64)


@cache
def e2e_outputs(system: str) -> list[Example]:
    """What a system of the E2E challenge said, with all references."""
    references: dict[str, list[str]] = {}
    with (DATA / "e2e-nlg" / "testset_w_refs.csv").open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines):
            references.setdefault(row["mr"], []).append(row["ref"])
    path = DATA / "e2e-nlg" / "system_outputs" / "primary" / f"{system}.tsv"
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = [[field.strip('"') for field in row] for row in csv.reader(lines, delimiter="\t", quoting=3)]
    return [
        Example(str(place), system, (), Response(text), tuple(references[meaning]))
        for place, (meaning, text, *_) in enumerate(rows[1:])
        if meaning in references
    ]


def _measured(
    name: str, metric: Metric[Example], examples: Sequence[Example], clusters: Integers | None = None
) -> Population:
    return Population(name, metric.statistics(examples), kind_of(metric), clusters)


def kind_of(metric: Metric[Example]) -> Kind:
    """What is known of a metric of ours."""
    return Kind(metric.aggregate, limits=metric.limits)


def mean_of(totals: Floats) -> Floats:
    """The mean, from rows of a value and 1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(totals[..., 0] / totals[..., 1])


def as_rows(values: Floats) -> Floats:
    """Rows of which ``mean_of`` is the mean."""
    return np.column_stack([values, np.ones(len(values))])


def _members(clusters: Integers) -> list[Integers]:
    order = np.argsort(clusters, kind="stable")
    return np.split(order, np.cumsum(np.bincount(clusters))[:-1])


def _short(metric: Any) -> str:
    return f"BLEU-{metric.order}" if isinstance(metric, Bleu) else "ROUGE-L"
