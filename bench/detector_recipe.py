"""The recipe of the shipped contradiction detector: its data, its two steps, its calibration and its measurements.

``python -m bench.detector_recipe OUT`` needs the data of shared/data (DIALEVAL_DATA) and torch; ``--nli``, ``--made``
and ``--minutes`` give more or less training. It calls what ``dialeval train contradiction`` calls. No row is trained on
of rgm-contradiction, of MultiNLI dev, or of the halves of DECODE, ProSeCCo and CI-ToD that ``divide`` holds out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from dialeval.consistency.learning.config import SCHEDULE, DetectorConfig
from dialeval.consistency.pairs.lookalikes import look_alikes
from dialeval.consistency.pairs.making import made_pairs
from dialeval.consistency.pairs.reading import read_all
from dialeval.consistency.pairs.types import Divided, LabelledPair, Pair, divide
from dialeval.data.types import Dialogue, Turn, alternating
from dialeval.encoder.files import EMBEDDED

if TYPE_CHECKING:
    from dialeval.consistency.learning.finishing import Talk

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
DIALOGUE_NLI: Final = "dialogue-nli/part.jsonl.gz"
NLI: Final = (
    "mnli/train20k_genre.jsonl.gz",
    "mnli/train10k_nogenre.jsonl",
    "mnli/taxinli.jsonl",
    "lingnli/train.jsonl.gz",
    "lingnli/val.jsonl.gz",
    "snli/dev.jsonl",
    "snli-counterfactual/all_combined.jsonl",
    "sick/sick.jsonl",
    DIALOGUE_NLI,
)
CONTRADICTIONS: Final = (
    "decode/pair_predictions/predict_decode_FacebookAI_roberta-large-mnli.tsv",
    "prosecco/ProSeCCo_final.csv",
    "ci-tod/dialogues.jsonl.gz",
)
WORDS: Final = 44
"""Longer NLI pairs are left out: they cost most, and chat is short."""
LONGEST: Final = 72
REPEATED: Final = 3
"""How often step 2 meets each contradiction that people wrote or marked: there are few."""
HELD_OUT_SPLITS: Final = ("valid", "test")


def nli_pairs() -> list[LabelledPair]:
    """Step 1: short NLI rows, splits for validation and test left out."""
    return read_all([DATA / name for name in NLI], leave_out=HELD_OUT_SPLITS, words=WORDS)


def contradictions() -> Divided:
    """Half of DECODE's pairs, of ProSeCCo and of CI-ToD for a test, a tenth for validation, the rest to train on."""
    return divide(read_all([DATA / name for name in CONTRADICTIONS]), validation=0.1, test=0.5)


def step_two(nli: int, made: int, alike: int = 0) -> tuple[list[LabelledPair], list[LabelledPair]]:
    """Training and validation pairs of step 2: contradictions, NLI rows to keep what was learnt, and made ones.

    With ``alike``, as many pairs by templates, half of them look-alikes, as many of real turns, and made ones from
    three corpora.
    """
    rows = nli_pairs()
    chats = set(read_all([DATA / DIALOGUE_NLI], leave_out=HELD_OUT_SPLITS, words=WORDS))
    Random(1).shuffle(rows)
    first = [row for row in rows if row in chats][: nli // 2]
    kept = first + [row for row in rows if row not in chats][: nli - len(first)]
    parts = contradictions()
    sources = [personachat()]
    if alike:
        sources += [chats_of("dailydialog/train.jsonl.gz"), chats_of("sgd/train.part.jsonl.gz")]
    by_rules = [shuffled(made_pairs(dialogues), 2)[: made // len(sources)] for dialogues in sources]
    train = [*kept, *parts.train * REPEATED, *chain(*by_rules)]
    train += [*look_alikes(alike), *islice(real_pairs(), alike)]
    return train, [*parts.validation, *divide(kept, validation=0.02).validation]


def step_three() -> list[LabelledPair]:
    """Training pairs of step 3: contradictions of people, with few others to keep what was learnt."""
    rows = nli_pairs()
    Random(9).shuffle(rows)
    people = contradictions().train * REPEATED
    return [*rows[:1000], *people, *islice(real_pairs(), 600), *look_alikes(400)]


def real_pairs() -> Iterator[LabelledPair]:
    """Two turns of one speaker from dialogues of three corpora in turn: real people hardly ever contradict themselves.

    Between them, as in DECODE, is the other speaker's last turn.
    """
    names = ("dailydialog/train.jsonl.gz", "sgd/train.part.jsonl.gz", "empathetic-dialogues/train.jsonl.gz")
    draw = Random(6)
    for each in chain(*zip(*map(chats_of, names), strict=False)):
        places = [place for place, turn in enumerate(each.turns) if len(turn.text.split()) > 3]
        twos = [(one, two) for one in places for two in places if two > one and (two - one) % 2 == 0]
        if twos:
            one, two = draw.choice(twos)
            pair = Pair(each.turns[one].text, each.turns[two].text, each.turns[two - 1].text)
            yield LabelledPair(pair, "consistent", f"real:{each.item.split('/')[0]}")


def shuffled(pairs: Iterable[LabelledPair], seed: int) -> list[LabelledPair]:
    rows = list(pairs)
    Random(seed).shuffle(rows)
    return rows


def talks(pairs: Sequence[LabelledPair], *, held_out: bool) -> list[Talk]:
    """DECODE's pairs put into dialogues in place of an earlier turn and of the last one.

    The dialogues are those of DECODE whose contradicted turns were removed, every second for a test.
    """
    from dialeval.consistency.learning.finishing import Talk

    rows = [json.loads(line) for line in (DATA / "decode" / "rct.jsonl").read_text("utf-8").splitlines()]
    draw = Random(3)
    built = []
    for labelled in pairs:
        turns = draw.choice(rows[held_out::2])["turns"]
        speaker = turns[-1]["agent_id"]
        earlier = [place for place, turn in enumerate(turns[:-1]) if turn["agent_id"] == speaker]
        if labelled.source.startswith("decode") and earlier:
            said = [Turn(str(turn["agent_id"]), turn["text"]) for turn in turns]
            said[draw.choice(earlier)] = Turn(str(speaker), labelled.pair.earlier)
            said[-1] = Turn(str(speaker), labelled.pair.response)
            built.append(Talk(tuple(said), labelled.contradicts))
    return built


def whole_talks(pairs: Sequence[LabelledPair], *, plain: str = "valid") -> list[Talk]:
    """Plain dialogues of people, DailyDialog's and PersonaChat's, and the same with a contradiction of DECODE's put in.

    The contradiction takes the place of the assistant's last turn and of an earlier one.
    """
    from dialeval.consistency.learning.finishing import Talk

    clashes = [each.pair for each in pairs if each.source.startswith("decode") and each.contradicts]
    draw, built = Random(4), []
    for texts in plain_dialogues(plain):
        turns = alternating(texts, last="assistant")
        earlier = [place for place, turn in enumerate(turns[:-1]) if turn.speaker == "assistant"]
        if not earlier:
            continue
        pair, changed = draw.choice(clashes), list(turns)
        changed[draw.choice(earlier)] = Turn("assistant", pair.earlier)
        changed[-1] = Turn("assistant", pair.response)
        built += [Talk(turns, contradicts=False), Talk(tuple(changed), contradicts=True)]
    return built


def plain_dialogues(part: str) -> list[list[str]]:
    """The first 100 dialogues of DailyDialog's validation or test set, and in validation 40 of PersonaChat's."""
    with (DATA / "dailydialog" / f"{part}.json").open(encoding="utf-8") as file:
        daily = [[turn["text"] for turn in json.loads(line)["dialogue"]] for line in islice(file, 100)]
    if part != "valid":
        return daily
    with (DATA / "personachat" / "valid.jsonl").open(encoding="utf-8") as file:
        return daily + [
            [text for text in json.loads(line)["turns"] if text.strip()] for line in islice(file, 40)
        ]


def recalibrate(out: Path, adapter: str) -> None:
    """Write the adapter again with turns and whole dialogues calibrated anew; say how often plain dialogues alarm."""
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

    from dialeval.consistency.detecting.detector import PairDetector
    from dialeval.consistency.detecting.dialogues import EVERYTHING
    from dialeval.consistency.learning.calibrating import calibrate_whole, calibrate_worst
    from dialeval.consistency.learning.finishing import compared_in
    from dialeval.encoder.adapters import ABOUT

    detector = PairDetector(adapter)
    parts, path = contradictions(), detector.file.path
    turns = compared_in(talks(parts.validation * 3, held_out=False), detector)
    calibration = calibrate_worst(detector.calibration, turns)
    calibration = calibrate_whole(
        calibration, compared_in(whole_talks(parts.validation), detector, EVERYTHING)
    )
    with safe_open(path, "np") as file:
        about = json.loads(file.metadata()[ABOUT])
    about["facts"] |= calibration.facts
    save_file(load_file(path), out, {ABOUT: json.dumps(about, sort_keys=True)})
    for name, part, pairs in (("validation", "valid", parts.validation), ("test", "test", parts.test)):
        seen = compared_in(whole_talks(pairs, plain=part), detector, EVERYTHING)
        for label, wanted in (("plain", False), ("with a contradiction", True)):
            verdicts = Counter(
                calibration.verdict(calibration.worst(each.probability, each.pairs, whole=True))
                for each in seen
                if each.contradicts == wanted
            )
            print(f"{name}, {label}: {dict(verdicts)}", flush=True)
    print(calibration)


def personachat() -> Iterator[Dialogue]:
    """The dialogues that rules turn into contradictions."""
    with gzip.open(DATA / "personachat" / "train.part.jsonl.gz") as file:
        for number, line in enumerate(file):
            texts = [text for text in json.loads(line)["turns"] if text.strip()]
            yield Dialogue(
                f"pc{number}", tuple(Turn("AB"[place % 2], text) for place, text in enumerate(texts))
            )


def chats_of(name: str) -> Iterator[Dialogue]:
    """The dialogues of a training file, without those whose turns also stand in a set that is measured on."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if row.get("flags"):
                continue
            texts = [turn["text"] for turn in row.get("dialogue") or row["turns"]]
            turns = tuple(Turn("AB"[place % 2], text) for place, text in enumerate(texts))
            yield Dialogue(f"{name.split('/')[0]}/{row['id']}", turns)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", default=EMBEDDED, help="the encoder that is trained")
    parser.add_argument("--rank", type=int, default=16, help="of its changes")
    parser.add_argument("--rate", type=float, default=SCHEDULE.learning_rate, help="learning rate of step 1")
    parser.add_argument("--first", type=int, default=None, help="NLI rows of step 1; all unless given")
    parser.add_argument("--epochs", type=int, default=3, help="of step 1")
    parser.add_argument("--nli", type=int, default=22000, help="NLI rows of step 2")
    parser.add_argument("--made", type=int, default=4000, help="pairs by rules of step 2")
    parser.add_argument(
        "--alike", type=int, default=0, help="pairs by templates of step 2, and of real turns"
    )
    parser.add_argument("--third", action="store_true", help="train on people's contradictions once more")
    parser.add_argument("--minutes", type=float, default=None, help="for each step")
    parser.add_argument(
        "--recalibrate", metavar="ADAPTER", help="train nothing; write this one to OUT, recalibrated"
    )
    given = parser.parse_args(arguments)
    if given.recalibrate:
        recalibrate(given.out, given.recalibrate)
        return
    from dialeval.consistency.learning.finishing import finish
    from dialeval.consistency.learning.training import ADAPTER, train_detector
    from dialeval.training.finetuning import write_adapter
    from dialeval.training.loop import Session

    session = Session(minutes=given.minutes)
    one, two = given.out / "step1", given.out / "step2"
    for folder in (one, two):
        folder.mkdir(parents=True, exist_ok=True)
    rows = nli_pairs()
    if given.first is not None:
        Random(5).shuffle(rows)
    parts = divide(rows[: given.first], validation=0.02)
    # The rate falls through all epochs: step 1 ends at the rate that step 2 begins with and takes down to 0.
    decay = (given.epochs + 1) * -(-len(parts.train) // DetectorConfig().batch)
    schedule = replace(
        SCHEDULE,
        epochs=given.epochs,
        learning_rate=given.rate,
        decay=decay,
        evaluate_every=500,
        patience=99,
        save_seconds=120,
    )
    config = DetectorConfig(
        encoder=given.base, rank=given.rank, precision="bfloat16", longest=LONGEST, schedule=schedule
    )
    first = train_detector(parts.train, parts.validation, config, one, session=session)
    write_adapter(one / ADAPTER, first.model, "contradiction", {})
    rate = given.rate / (given.epochs + 1)
    schedule = replace(schedule, epochs=1, learning_rate=rate, warm_up=30, decay=0, evaluate_every=200)
    config = replace(config, schedule=schedule)
    train, validation = step_two(given.nli, given.made, given.alike)
    second = train_detector(train, validation, config, two, start_from=one / ADAPTER, session=session)
    held, folder, before = contradictions().validation, two, "step 1"
    if given.third:
        # Step 2 ends at a rate of 0 for NLI and chats; people's contradictions are learnt at its first rate again.
        folder, before, train = given.out / "step3", "step 2", step_three()
        folder.mkdir(parents=True, exist_ok=True)
        schedule = replace(schedule, warm_up=20, evaluate_every=100)
        config = replace(config, schedule=schedule)
        write_adapter(two / ADAPTER, second.model, "contradiction", {})
        second = train_detector(train, held, config, folder, start_from=two / ADAPTER, session=session)
    measured = finish(
        folder,
        second,
        train,
        held,
        config,
        started_from=before,
        talks=talks(held * 3, held_out=False),
        whole=whole_talks(held),
    )
    print(
        f"validation: accuracy {measured.accuracy.value:.3f}, AUC {measured.auc.value:.3f}; {folder / ADAPTER}"
    )


if __name__ == "__main__":
    main()
