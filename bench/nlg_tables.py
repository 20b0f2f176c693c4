"""Tables 1 and 2 of Sharma et al. (2017) on RNNLG and DSTC2: four models, several seeds, every metric of the paper.

    python -m bench.nlg_tables OUT --data restaurant --data dstc2 --seeds 5

trains what OUT does not hold yet, one model after the other; generates the test sentences; scores them; prints the
tables. Each step keeps its result in OUT, so the same command resumes after a kill. ``--minutes`` ends training early.
Sentences and references are in lower case with marks apart. References are pooled as ``--pool`` says.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev
from typing import Final, NamedTuple, get_args

import torch

from dialeval.catalogue import build
from dialeval.core import Resampling
from dialeval.data.types import Example, Response
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.files.atomic import write_atomically
from dialeval.nlg.acts.files import ActItem, Pool, pooled, read_splits
from dialeval.nlg.acts.notations import print_act
from dialeval.nlg.acts.placeholders import JOINED, split_words
from dialeval.nlg.acts.types import Act, Meaning, Slot
from dialeval.nlg.generators.config import LAYOUT, Model, Shape, TrainConfig
from dialeval.nlg.generators.lessons import lowered, split_lessons
from dialeval.nlg.generators.system import Nlg
from dialeval.nlg.generators.trainer import train
from dialeval.nlg.subjects import act_turn
from dialeval.training.loop import Session

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
CORPORA: Final = {
    "restaurant": ("rnnlg", "rnnlg/restaurant"),
    "tv": ("rnnlg", "rnnlg/tv"),
    "laptop": ("rnnlg", "rnnlg/laptop"),
    "dstc2": ("dstc2", "dstc2-nlg"),
}
POOLS: Final[dict[str, Pool]] = {"restaurant": "slots", "tv": "slots", "laptop": "slots", "dstc2": "none"}
"""Closest to the paper: many references for the acts of RNNLG, one for those of DSTC2."""
EPOCHS: Final = {"restaurant": 12, "tv": 8, "laptop": 5, "dstc2": 3}
"""So that every corpus has 500 to 650 updates of 64 sentences, unless held-out loss ends training earlier."""
MODELS: Final[tuple[Model, ...]] = ("random", "lstm", "d-sclstm", "hld-sclstm")
"""Those of the paper's tables; ``--model ld-sclstm`` adds the one that it names in words (section 4.4)."""
SHORT: Final = {
    **{f"bleu(order={order})": f"B-{order}" for order in range(1, 5)},
    "meteor": "M",
    "rouge_l": "R_L",
    "embedding_average(vectors='glove-6b-50d')": "EA",
    "vector_extrema(vectors='glove-6b-50d')": "VE",
    "greedy_matching(vectors='glove-6b-50d')": "GM",
    "slot_error_rate": "slot errors %",
    "slot_error_rate(profile='rnnlg')": "as RNNLG %",
    "slot_error_rate(of='references')": "references' %",
}
"""The columns of Tables 1 and 2, then slot errors; ``--skip-thought DIR`` adds Skip-Thought, whose published weights
are not at hand."""
_RESTAURANT: Final = {
    "random": (0.872, 0.813, 0.765, 0.721, 0.504, 0.796, 0.957, 0.905, 0.930, 0, 0, 0),
    "lstm": (0.982, 0.966, 0.949, 0.932, 0.652, 0.944, 0.997, 0.986, 0.991, 0, 0, 0),
    "d-sclstm": (0.980, 0.964, 0.948, 0.931, 0.654, 0.945, 0.997, 0.986, 0.991, 0, 0, 0),
    "hld-sclstm": (0.985, 0.978, 0.970, 0.962, 0.704, 0.965, 0.997, 0.989, 0.993, 0, 0, 0),
}
_DSTC2: Final = {
    "random": (0.875, 0.843, 0.822, 0.807, 0.564, 0.852, 0.981, 0.910, 0.947, 0, 0, 0),
    "lstm": (0.900, 0.879, 0.863, 0.851, 0.610, 0.888, 0.985, 0.935, 0.962, 0, 0, 0),
    "d-sclstm": (0.880, 0.850, 0.828, 0.812, 0.578, 0.874, 0.984, 0.926, 0.957, 0, 0, 0),
    "hld-sclstm": (0.909, 0.890, 0.878, 0.870, 0.624, 0.899, 0.987, 0.942, 0.964, 0, 0, 0),
}
PAPER: Final = {
    (data, model): numbers
    for data, rows in (("restaurant", _RESTAURANT), ("dstc2", _DSTC2))
    for model, numbers in rows.items()
}
"""Tables 1 and 2 of the paper, in the order of the columns; 0 where it has none."""
SKIP_THOUGHT: Final = {
    **dict(zip((("restaurant", model) for model in MODELS), (0.843, 0.945, 0.948, 0.968), strict=True)),
    **dict(zip((("dstc2", model) for model in MODELS), (0.906, 0.946, 0.925, 0.932), strict=True)),
}
"""The paper's column of Skip-Thought (Table 2)."""


class Cell(NamedTuple):
    """One model on one corpus with one seed."""

    data: str
    model: Model
    seed: int

    @property
    def stem(self) -> str:
        """The name of its files."""
        return f"{self.data}-{self.model}-{self.seed}"


def read_corpus(data: str) -> dict[str, list[ActItem]]:
    """The splits, in lower case with marks apart."""
    form, path = CORPORA[data]
    return {
        split: [
            replace(item, meaning=_spaced(item.meaning), references=tuple(map(plain, item.references)))
            for item in items
        ]
        for split, items in read_splits(f"{form}:{DATA / path}").items()
    }


def _spaced(meaning: Meaning) -> Meaning:
    """The values as the sentences have them, or nothing would be found of a postcode such as ``C.B 5``."""
    return tuple(
        Act(act.act, tuple(Slot(slot.name, slot.value and plain(slot.value)) for slot in act.slots))
        for act in lowered(meaning)
    )


def plain(text: str) -> str:
    """The text in lower case, with marks apart."""
    return " ".join(word.removeprefix(JOINED) for word in split_words(text.lower()))


def train_cell(cell: Cell, splits: dict[str, list[ActItem]], out: Path, minutes: float | None) -> None:
    """Train the cell's model, unless its folder holds it."""
    folder = out / "models" / cell.stem
    if not LAYOUT.missing(folder):
        return
    folder.mkdir(parents=True, exist_ok=True)
    base, lessons = TrainConfig(shape=Shape(cell.model)), split_lessons(splits)
    schedule = replace(base.schedule, seed=cell.seed, epochs=EPOCHS[cell.data])
    config = replace(base, schedule=schedule)
    start = time.process_time()
    done = train(lessons, config, folder, lowercase=True, session=Session(minutes))
    took = time.process_time() - start
    updates = done.best.updates if done.best else 0
    print(f"{cell.stem}: {updates} updates, perplexity {done.perplexity}, {took:.0f} s", flush=True)


def generate_cell(cell: Cell, items: Sequence[ActItem], out: Path) -> None:
    """Write the cell's five best sentences for every act of the test split, unless they are written."""
    path = out / "sentences" / f"{cell.stem}.jsonl"
    if path.is_file():
        return
    start = time.process_time()
    system = Nlg(cell.model, out / "models" / cell.stem, device="cpu")
    seeds = [cell.seed * 1_000_003 + index for index in range(len(items))]
    written = system.write([item.meaning for item in items], n=5, seeds=seeds)
    lines = [
        {"id": item.item, "act": print_act(item.meaning), "texts": [sentence.text for sentence in sentences]}
        for item, sentences in zip(items, written, strict=True)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(json.dumps(line) + "\n" for line in lines).encode())
    print(f"{cell.stem}: {len(lines)} acts, {time.process_time() - start:.1f} s", flush=True)


def score_cell(
    cell: Cell, items: Sequence[ActItem], pool: Pool, out: Path, columns: Mapping[str, str] = SHORT
) -> dict[str, float]:
    """The cell's scores under the columns' metrics; those that are kept are not computed again."""
    path = out / "scores" / f"{cell.stem}-{pool}.json"
    kept: dict[str, float] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    missing = [name for name in columns if name not in kept]
    if not missing:
        return kept
    lines = (out / "sentences" / f"{cell.stem}.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [plain(json.loads(line)["texts"][0]) for line in lines]
    scores = {**kept, **measured(cell, items, texts, pool, missing)}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(scores) + "\n").encode())
    print(f"{cell.stem}: " + ", ".join(f"{name} {score:.3f}" for name, score in scores.items()), flush=True)
    return scores


def measured(
    cell: Cell, items: Sequence[ActItem], texts: Sequence[str], pool: Pool, metrics: Iterable[str]
) -> dict[str, float]:
    """Scores of a sentence for each act: references are pooled, but for slot errors."""
    of_slots = [name for name in metrics if "slot" in name]
    of_words = [name for name in metrics if "slot" not in name]
    return {
        **_scores(of_words, _examples(cell, items, texts, pooled(items, pool))),
        **_scores(of_slots, _examples(cell, items, texts, [item.references for item in items])),
    }


def _examples(
    cell: Cell, items: Sequence[ActItem], texts: Sequence[str], references: Sequence[tuple[str, ...]]
) -> list[Example]:
    return [
        Example(item.item, cell.model, (act_turn(print_act(item.meaning)),), Response(text), known)
        for item, text, known in zip(items, texts, references, strict=True)
    ]


def _scores(names: Sequence[str], examples: Sequence[Example]) -> dict[str, float]:
    return {
        name: evaluate(build(name), examples, Plan(resampling=Resampling(resamples=0))).score
        for name in names
    }


def table(
    data: str, scores: dict[Model, list[dict[str, float]]], columns: Mapping[str, str] = SHORT
) -> Iterator[str]:
    """The means over seeds, with the half width of their 95 % interval (Student's t), beside the paper's numbers."""
    yield f"\n## {data}\n"
    yield "| model | seeds | " + " | ".join(columns.values()) + " |"
    yield "|" + "---|" * (len(columns) + 2)
    for model, rows in scores.items():
        shown = [interval_over_seeds([row[name] for row in rows], percent="slot" in name) for name in columns]
        yield f"| {model} | {len(rows)} | " + " | ".join(shown) + " |"
        if (data, model) in PAPER:
            printed = dict(zip(SHORT, PAPER[data, model], strict=True))
            printed |= {name: SKIP_THOUGHT[data, model] for name in columns if name not in SHORT}
            numbers = [f"{printed[name]:.3f}" if printed[name] else "–" for name in columns]
            yield f"| *{model}, paper* | 1 | " + " | ".join(f"*{number}*" for number in numbers) + " |"


def interval_over_seeds(values: Sequence[float], *, percent: bool) -> str:
    """The mean, with the half width of its 95 % interval (Student's t) if there are several."""
    from scipy.stats import t

    scale, digits = (100, 2) if percent else (1, 3)
    shown = f"{scale * mean(values):.{digits}f}"
    if len(values) < 2:
        return shown
    half = scale * stdev(values) / len(values) ** 0.5 * float(t.ppf(0.975, len(values) - 1))
    return f"{shown} ± {half:.{digits}f}"


def contrasts(
    scores: dict[Model, list[dict[str, float]]], columns: Mapping[str, str] = SHORT
) -> Iterator[str]:
    """Each pair of neighbours in the paper's order: the mean difference of every metric, and whether it excludes 0."""
    for worse, better in pairwise(scores):
        pairs = list(zip(scores[worse], scores[better], strict=False))
        differences = {name: [b[name] - a[name] for a, b in pairs] for name in columns}
        shown = ", ".join(
            f"{columns[name]} {interval_over_seeds(values, percent='slot' in name)}"
            for name, values in differences.items()
        )
        yield f"- {better} less {worse} ({len(pairs)} seeds): {shown}"


def cells(data: str, seeds: Sequence[int], models: Sequence[Model] = MODELS) -> Iterator[Cell]:
    """All cells of a corpus, one seed of every model before the next."""
    for seed in seeds:
        yield from (Cell(data, model, seed) for model in models)


def main() -> None:
    """Do what is not done yet, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", action="append", choices=sorted(CORPORA))
    parser.add_argument("--seeds", type=int, default=5, help="how many, counted from 0")
    parser.add_argument("--seed", type=int, action="append", help="only this one; repeatable")
    parser.add_argument("--model", action="append", choices=get_args(Model), help="instead of the paper's")
    parser.add_argument("--skip-thought", metavar="DIR", help="a trained model, for one more column")
    parser.add_argument("--pool", choices=("none", "act", "slots"), help="as close to the paper as is known")
    parser.add_argument("--minutes", type=float, help="of training one model")
    parser.add_argument("--only", choices=("train", "generate", "score"), action="append")
    options = parser.parse_args()
    torch.set_num_threads(1)
    steps = options.only or ("train", "generate", "score")
    trained = {f"skip_thought(model={options.skip_thought!r})": "ST"} if options.skip_thought else {}
    columns = {**SHORT, **trained}
    for data in options.data or list(CORPORA):
        splits = read_corpus(data)
        scores: dict[Model, list[dict[str, float]]] = {}
        for cell in cells(data, options.seed or range(options.seeds), options.model or MODELS):
            if "train" in steps:
                train_cell(cell, splits, options.out, options.minutes)
            if LAYOUT.missing(options.out / "models" / cell.stem):
                continue
            if "generate" in steps:
                generate_cell(cell, splits["test"], options.out)
            if "score" in steps:
                row = score_cell(cell, splits["test"], options.pool or POOLS[data], options.out, columns)
                scores.setdefault(cell.model, []).append(row)
        print("\n".join((*table(data, scores, columns), "", *contrasts(scores, columns))), flush=True)


if __name__ == "__main__":
    main()
