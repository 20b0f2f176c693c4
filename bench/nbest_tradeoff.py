"""Certainty against Variety on live models (Sato, 2024, Figure 5.2 and Table 5.3), one cell at a time.

``python -m bench.nbest_tradeoff OUT`` needs the data of shared/data (DIALEVAL_DATA) and torch. A cell is a system and a
decoding; its lists are written to OUT when they are whole, so a killed run resumes with the next cell. ``--only small``
or ``--only trained`` runs some of them; with ``--report`` what is there is judged and printed, and nothing is run.

Systems are the embedded model, and generators of ours: a GRU that learns to talk from DailyDialog and to answer from
Circa, then trained further on PositiveQ and NegativeQ questions (Table 5.7) with unlikelihood weighted by 0, 1 and 10.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from dialeval.data import NBest, read
from dialeval.data.writer import write
from dialeval.evaluation.runner import PartScore, Plan, break_down
from dialeval.nbest.document import Stimulus
from dialeval.nbest.folder import read_stimuli, write_stimuli
from dialeval.stats.estimate import Estimate

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
TESTED: Final = "mnli/dev_matched.part.jsonl"
PAIRED: Final = ("snli/dev.jsonl", "mnli/train10k_nogenre.jsonl", "snli-counterfactual/all_combined.jsonl")
"""Pairs whose premises have an entailed and a contradicted hypothesis, for unlikelihood training."""
BEAMS: Final = (2, 5, 10, 20)
TECHNIQUES: Final = ("diverse_beam(beams=10,groups=5,{})", "nucleus(top_p=0.9,{})")
ALPHAS: Final = (0, 1, 10)
TALK, CHAT = "talk.jsonl", 4000
"""The corpus of the generator, and how many dialogues of DailyDialog it has."""


class Cell(NamedTuple):
    """A system, a decoding and a list size."""

    system: str
    """``small`` for the embedded model, else the name of a generator's folder."""
    technique: str
    decoding: str
    n: int

    @property
    def file(self) -> str:
        """Where its lists are written."""
        return f"{self.system}-{self.technique.replace(' ', '-')}-{self.n}.jsonl"


def cells(system: str, tokens: int) -> list[Cell]:
    """Beam search at each size, then the other techniques at ten responses."""
    limit = f"max_tokens={tokens}"
    beams = [Cell(system, "beam", f"beam(beams={n},{limit})", n) for n in BEAMS]
    others = [Cell(system, form.partition("(")[0], form.format(limit), 10) for form in TECHNIQUES]
    return [beams[2], *others, beams[1], beams[0], beams[3]]


def prepare(out: Path) -> None:
    """Stimuli of MultiNLI dev, training questions of other premises, and the generator's corpus; made once."""
    from dialeval.nbest.stimuli.building import build_stimuli
    from dialeval.nbest.stimuli.pairs import read_pairs
    from dialeval.nbest.stimuli.sentence import default_tagger

    if (out / TALK).is_file():
        return
    tagger = default_tagger()
    tested = build_stimuli(list(read_pairs(DATA / TESTED)), tagger, hold_back=False)
    premises = {stimulus.context[0].text for stimulus in tested.stimuli}
    # Ids without the name of the file would repeat.
    pairs = [
        pair._replace(item=f"{name.partition('/')[0]}-{pair.item}")
        for name in PAIRED
        for pair in read_pairs(DATA / name)
    ]
    training = build_stimuli(pairs, tagger, hold_back=True).training
    write(out / "training.jsonl", [each for each in training if each.context[0].text not in premises])
    write_stimuli(out / "stimuli.jsonl", tested.stimuli)
    with (out / TALK).with_suffix(".part").open("w", encoding="utf-8") as file:
        for number, turns in enumerate(_talk()):
            messages = [
                {"role": ("user", "assistant")[place % 2], "content": text}
                for place, text in enumerate(turns)
            ]
            file.write(json.dumps({"id": str(number), "messages": messages}) + "\n")
    (out / TALK).with_suffix(".part").rename(out / TALK)


def _talk() -> Iterator[list[str]]:
    with gzip.open(DATA / "dailydialog" / "train.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in islice(file, CHAT):
            yield [_text(turn) for turn in json.loads(line)["dialogue"]]
    for number in range(8):
        rows = (DATA / "circa" / f"scenario{number}.tsv").read_text(encoding="utf-8").splitlines()
        names = rows[0].split("\t")
        question, answer = names.index("question-X"), names.index("answer-Y")
        yield from ([cells[question], cells[answer]] for cells in (row.split("\t") for row in rows[1:]))


def _text(turn: Any) -> str:
    return str(turn["text"] if isinstance(turn, dict) else turn)


def some(stimuli: Sequence[Stimulus], each: int) -> list[Stimulus]:
    """The first so many of either kind."""
    return [
        stimulus
        for kind in ("ENTQ", "CNTQ")
        for stimulus in islice((s for s in stimuli if s.kind == kind), each)
    ]


def trained(out: Path, alpha: int | None, minutes: float) -> Path:
    """The folder of a generator: the one that learnt to talk, or that one trained further with this weight."""
    from dialeval.systems.trained.config import LAYOUT, PAPER, scaled
    from dialeval.systems.trained.lessons import contrasts, lessons, split
    from dialeval.systems.trained.trainer import further, train
    from dialeval.training.loop import Session

    base = out / "talker"
    folder = base if alpha is None else out / f"alpha-{alpha}"
    if not LAYOUT.missing(folder):
        return folder
    if alpha is None:
        config = scaled(PAPER["gru"], "tiny")
        shape = replace(config.shape, embedding=128, hidden=128)
        data = split(lessons(read(out / TALK, "dialogue")), 0.02, 0)
        train(data, replace(config, shape=shape), folder, session=Session(minutes=minutes, device="cpu"))
        return folder
    config = replace(further(base), alpha=float(alpha))
    data = split(contrasts(read(out / "training.jsonl", "question")), 0.05, 0)
    train(data, config, folder, start=base, session=Session(minutes=minutes, device="cpu"))
    return folder


def run(cell: Cell, out: Path, stimuli: Sequence[Stimulus]) -> None:
    """Write the cell's lists, unless they are there."""
    from dialeval.nbest.measuring.lists import decoded_by, generate_lists

    if (out / cell.file).is_file():
        return
    system = decoded_by(_system(cell.system, out), cell.decoding, cell.n)
    made = generate_lists(system, stimuli, cell.n)
    lists = [
        replace(each, system=f"{cell.system} {cell.technique}")
        for each in made.lists
        if isinstance(each, NBest)
    ]
    write(out / cell.file, lists)
    print(f"{cell.file}: {len(lists)} lists", flush=True)


def _system(name: str, out: Path) -> Any:
    from dialeval.systems.huggingface import HuggingFace
    from dialeval.systems.trained.system import Trained

    return HuggingFace("small", device="cpu") if name == "small" else Trained(name, out / name, device="cpu")


def report(out: Path) -> list[PartScore]:
    """Print Certainty and Variety of every cell that is there as a table, and draw a picture for each system."""
    from dialeval.nbest.answers.classifier import load_classifier
    from dialeval.nbest.measure import nbest, nbest_variety
    from dialeval.nbest.measuring.judged import judge_lists
    from dialeval.study.report.breakdowns import part_pictures

    reader = load_classifier()
    scores: list[PartScore] = []
    for path in sorted(out.glob("*-*[0-9].jsonl"), key=lambda each: (each.name.split("-")[:2], _size(each))):
        judged, size = judge_lists(list(read(path, "nbest")), reader), _size(path)
        for name, measure in (("Certainty", nbest(n=size)), ("Variety", nbest_variety(n=size))):
            parts = [each for each in measure.breakdowns(judged) if dict(each.keys).get("n") == size]
            scores += break_down(name, judged[0].system, parts, Plan())
    print("| lists | stimuli | responses | measure | score | n | left out |\n|---|---|---|---|---|---|---|")
    for each in scores:
        left_out = sum(each.unscored.values())
        keys = f"{each.part['stimuli']} | {each.part['n']} | {each.measure}"
        print(f"| {each.system} | {keys} | {_told(each.estimate)} | {each.estimate.n} | {left_out} |")
    beams = [each for each in scores if each.system.endswith(" beam")]
    for picture in part_pictures(beams, sorted({each.system for each in beams})):
        name = picture.title.lower().replace(", ", "-")
        (out / f"{name}.svg").write_bytes(picture.svg)
    return scores


def _size(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def _told(estimate: Estimate) -> str:
    if estimate.value is None:
        return "–"
    ends = f" [{estimate.low:.2f}, {estimate.high:.2f}]" if estimate.bounds else ""
    return f"{estimate.value:.3f}{ends}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", choices=("small", "trained"), default=None)
    parser.add_argument("--small", type=int, default=30, help="stimuli of either kind for the embedded model")
    parser.add_argument("--each", type=int, default=200, help="the same for our generators")
    parser.add_argument("--minutes", type=float, default=4.0, help="of training for each generator")
    parser.add_argument("--report", action="store_true", help="run nothing, judge what is there")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    prepare(given.out)
    stimuli = read_stimuli(given.out / "stimuli.jsonl")
    if given.only != "trained" and not given.report:
        for cell in cells("small", tokens=16):
            run(cell, given.out, some(stimuli, given.small))
    if given.only != "small" and not given.report:
        for alpha in (None, *ALPHAS):
            folder = trained(given.out, alpha, 2 * given.minutes if alpha is None else given.minutes)
            for cell in cells(folder.name, tokens=20):
                run(cell, given.out, some(stimuli, given.each))
    report(given.out)


if __name__ == "__main__":
    main()
