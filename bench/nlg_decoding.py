"""Beam search against sampling, with the slot-error penalty and without (Sharma et al., 2017, sections 5.1 and 6).

    python -m bench.nlg_decoding OUT --data restaurant --model lstm --model hld-sclstm --seeds 5

takes the models that ``python -m bench.nlg_tables OUT`` has trained, generates the test sentences in each way, and
prints the mean over seeds with the half width of its 95 % t interval. Sentences are kept in OUT.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, get_args

import torch

from bench.nlg_tables import CORPORA, POOLS, Cell, interval_over_seeds, measured, plain, read_corpus
from dialeval.files.atomic import write_atomically
from dialeval.nlg.acts.files import ActItem
from dialeval.nlg.generators.config import LAYOUT, Model
from dialeval.nlg.generators.system import Nlg
from dialeval.systems.decoding import Decoding


class Way(NamedTuple):
    """How sentences are generated."""

    decoding: Decoding
    penalty: float
    retry: int
    samples: int = 10


_BEAM: Final = Decoding("beam", beams=10, max_tokens=80)
_NUCLEUS: Final = Decoding("nucleus", top_p=0.9, max_tokens=80)
WAYS: Final[Mapping[str, Way]] = {
    "10 beams, penalty, second search": Way(_BEAM, 100, 5),
    "10 beams, penalty": Way(_BEAM, 100, 1),
    "10 beams, no penalty": Way(_BEAM, 0, 1),
    "10 drawn (nucleus .9), penalty": Way(_NUCLEUS, 100, 1),
    "10 drawn, the likeliest per word": Way(_NUCLEUS, 0, 1),
    "1 drawn": Way(_NUCLEUS, 0, 1, samples=1),
}
COLUMNS: Final = {
    "bleu(order=4)": "BLEU-4",
    "meteor": "METEOR",
    "rouge_l": "ROUGE-L",
    "slot_error_rate": "slot errors %",
}


def sentences(cell: Cell, way: str, items: Sequence[ActItem], out: Path) -> list[str]:
    """The best sentence for every act, generated unless it is kept."""
    path = out / "ways" / f"{cell.stem}-{list(WAYS).index(way)}.json"
    if path.is_file():
        return list(json.loads(path.read_text(encoding="utf-8")))
    decoding, penalty, retry, samples = WAYS[way]
    folder = out / "models" / cell.stem
    system = Nlg(cell.model, folder, decoding, penalty, retry, samples=samples, device="cpu")
    seeds = [cell.seed * 1_000_003 + index for index in range(len(items))]
    written = system.write([item.meaning for item in items], n=1, seeds=seeds)
    texts = [plain(said[0].text) if said else "" for said in written]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(texts).encode())
    return texts


def main() -> None:
    """Print a row for each model and way."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", choices=sorted(CORPORA), default="restaurant")
    parser.add_argument("--model", action="append", choices=get_args(Model))
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    items = read_corpus(options.data)["test"]
    print("| model | sentences | seeds | " + " | ".join(COLUMNS.values()) + " |")
    print("|" + "---|" * (len(COLUMNS) + 3))
    for model in options.model or ["lstm", "hld-sclstm"]:
        cells = [Cell(options.data, model, seed) for seed in range(options.seeds)]
        trained = [cell for cell in cells if not LAYOUT.missing(options.out / "models" / cell.stem)]
        for way in WAYS:
            rows = [
                measured(cell, items, sentences(cell, way, items, options.out), POOLS[options.data], COLUMNS)
                for cell in trained
            ]
            shown = [
                interval_over_seeds([row[name] for row in rows], percent="slot" in name) for name in COLUMNS
            ]
            print(f"| {model} | {way} | {len(rows)} | " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    main()
