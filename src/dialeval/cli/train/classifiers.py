"""``dialeval train acts`` and ``yesno``: classifiers of utterances and of answers."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dialeval.cli.options import SkipBad
from dialeval.cli.train.settings import Encoder, Hub, Rank, Tokens, Training, check_target, warn_of_shortfall
from dialeval.consistency.learning.acts import read_utterances
from dialeval.data import SideFile, refuse
from dialeval.files.documents import as_json
from dialeval.nbest.answers.corpus import read_exchanges, split_exchanges
from dialeval.options import Argument, Option, Options
from dialeval.resources.huggingface import require_torch

if TYPE_CHECKING:
    from dialeval.nbest.answers.evaluation import Measured
    from dialeval.nbest.answers.training import Trained


def acts(
    corpus: Annotated[str, Argument(metavar="CORPUS", help="Lines conversation|speaker|text|act.")],
    out: Annotated[Path, Option("--out", "-o", help="The labeller's folder.")],
    test: Annotated[str | None, Option("--test", help="Lines to measure its accuracy on.")] = None,
    encoder: Encoder = "minilm",
    most: Annotated[
        int | None, Option("--most", min=1, help="Learn from N utterances, drawn at random.")
    ] = None,
    training: Annotated[
        Training,
        Options(
            *("learning_rate", "device", "precision", "minutes", "epochs", "seed", "limit", "resume", "json"),
            learning_rate=Option(show_default="0.001"),
        ),
    ] = Training(),
) -> None:
    """Train a labeller of dialogue acts, which reads an utterance and, if known, the one before.

    Using it needs no torch. Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train acts swda/train.txt.gz --test swda/test.txt -o acts --most 60000
    """
    require_torch("Labellers", "safetensors")
    from dialeval.consistency.learning.acts_training import ActsConfig, train_acts

    check_target(out)
    given = list(islice(read_utterances(corpus), training.limit))
    usual = ActsConfig()
    schedule = training.schedule(usual.schedule)
    finetuning = replace(usual.finetuning, encoder=encoder, precision=training.precision)
    config = replace(usual, schedule=schedule, finetuning=finetuning, most=most)
    tested = list(read_utterances(test)) if test is not None else []
    print(f"{len(given):,} utterances to learn from, {len(tested):,} to test on", file=sys.stderr)
    expected = min(most or len(given), len(given)) * schedule.epochs
    with training.session("training", expected) as started:
        done = train_acts(given, tested, config, out, session=started)
    measured = {name: each._asdict() for name, each in done.measured.items()}
    if training.json:
        facts = {"folder": str(out), "acts": len(done.names), "utterances": done.learnt}
        print(jsonlib.dumps({**facts, "measured": measured}))
        return
    print(f"{done.learnt:,} utterances, {len(done.names)} dialogue acts: {out}")
    for name, each in done.measured.items():
        print(f"{name}: accuracy {each.value:.3f} [{each.low:.3f}, {each.high:.3f}] of {each.n:,}")


def yesno(
    corpus: Annotated[
        list[str],
        Argument(metavar="CORPUS...", help="Circa's files, or lines with question, answer and label."),
    ],
    out: Annotated[Path, Option("--out", "-o", help="The classifier's folder.")],
    split: Annotated[
        Literal["scenario", "random"],
        Option("--split", help="What is held out: whole scenarios, or a fifth of the exchanges at random."),
    ] = "scenario",
    encoder: Encoder = "minilm",
    hub: Hub = False,
    rank: Rank = 16,
    tokens: Tokens = None,
    most: Annotated[
        int | None, Option("--most", min=1, help="Learn from N exchanges, drawn at random.")
    ] = None,
    start_from: Annotated[
        Path | None,
        Option("--start-from", metavar="ADAPTER", help="Start from the weights of this adapter."),
    ] = None,
    skip_bad: SkipBad = False,
    training: Annotated[
        Training,
        Options(
            *("weight_decay", "warm_up", "shape", "learning_rate", "device", "precision"),
            *("minutes", "epochs", "seed", "limit", "resume", "json"),
            learning_rate=Option(show_default="0.001"),
        ),
    ] = Training(),
) -> None:
    """Train a classifier of answers: yes, no or ambiguous. Using it needs no torch.

    Killed or interrupted? The same command resumes from the last checkpoint.

    Example: dialeval train yesno circa/*.tsv -o yesno --split scenario
    """
    require_torch("Classifiers", "safetensors")
    from dialeval.nbest.answers.training import YesNoConfig, train_yesno

    check_target(out)
    side = SideFile(out / "corpus.bad.jsonl") if skip_bad else None
    read = read_exchanges(corpus, side or refuse)
    parts = split_exchanges(read.exchanges[: training.limit], split, training.seed)
    default = YesNoConfig()
    config = replace(
        default,
        finetuning=replace(
            default.finetuning,
            encoder=encoder,
            hub=hub,
            rank=rank or None,
            alpha=2.0 * rank,
            longest=tokens or default.finetuning.longest,
            precision=training.precision,
        ),
        schedule=training.shaped(default.schedule),
        most=most,
    )
    print(
        f"{len(parts.train):,} exchanges to learn from, {len(parts.valid):,} to stop by, {len(parts.test):,} to test "
        f"on; {sum(read.excluded.values()):,} left out",
        file=sys.stderr,
    )
    learnt = (most or len(parts.train)) * config.schedule.epochs
    with training.session("training", learnt) as started:
        done = train_yesno(parts, config, out, start=start_from, session=started)
    warn_of_shortfall(done.fitted.shortfall)
    _print(done, split, out, json=training.json)


def _print(done: Trained, split: str, out: Path, *, json: bool) -> None:
    if json:
        thresholds = {"threshold": done.thresholds.ambiguous, "related": done.thresholds.related}
        facts = {"folder": str(out), **thresholds, "valid": as_json(done.valid)}
        print(
            jsonlib.dumps(
                {**facts, "split": split, "test": as_json(done.test), "first_word": as_json(done.rule)}
            )
        )
        return
    print(f"{split} split: {_line(done.test)}\nby the first word: {_line(done.rule)}")
    print(f"Classifier: {done.adapter}\nUse it: dialeval nbest answers FILE --model {out}")


def _line(measured: Measured) -> str:
    found = measured.accuracy
    recall = ", ".join(f"{label} {share:.2f}" for label, share in measured.recall.items())
    return (
        f"accuracy {found.value:.3f} [{found.low:.3f}, {found.high:.3f}] on {found.n:,}, macro F1 "
        f"{measured.macro_f1:.3f}, recall {recall}; {measured.abstained:.1%} called ambiguous, accuracy of the others "
        f"{measured.accuracy_read:.3f}"
    )
