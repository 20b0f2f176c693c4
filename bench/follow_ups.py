"""Follow-ups of real dialogues by the embedded model: with their dialogue read once, against one pass for each.

Seconds are of the processor, in one thread, so that other work on the machine disturbs them least.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from bench.result import BenchResult
from bench.scorers.sets import DATA, Judged, read_set
from dialeval.core import Floats
from dialeval.selfeval.rivals.fed import DIALOGUE_QUALITIES, UTTERANCES
from dialeval.selfeval.rivals.likelihood import NEGATIVE, POSITIVE, beginnings, line_logprobs, lines_judged
from dialeval.stats.correlation.coefficients import spearman
from dialeval.systems.huggingface.system import TextModel

DIALOGUES: Final = 3
Scorer: TypeAlias = Callable[[Sequence[Judged], Sequence[str], TextModel], Floats]
"""Mean log-probabilities per token, (subjects, utterances)."""
ASKED: Final = {
    "follow_ups": (*POSITIVE, *NEGATIVE),
    "fed": tuple(
        dict.fromkeys(text for quality in DIALOGUE_QUALITIES for side in UTTERANCES[quality] for text in side)
    ),
}


def run() -> Iterator[BenchResult]:
    """The utterances of ``follow_ups`` and of ``fed``, each against one pass per utterance; then 16-bit floats."""
    import torch

    if not (DATA / "fed").is_dir():
        print(f"follow_ups: skipped, no such folder: {DATA / 'fed'}; set DIALEVAL_DATA", file=sys.stderr)
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    subjects = read_set("fed-dialogue").first(DIALOGUES).subjects
    model = TextModel()
    for name, utterances in ASKED.items():
        ours, seconds = _timed(line_logprobs, subjects, utterances, model)
        theirs, peer = _timed(_one_by_one, subjects, utterances, model)
        apart = float(np.abs(ours - theirs).max())
        note = (
            f"one pass per utterance; {len(utterances)} utterances, {seconds / len(subjects):.2f} s a dialogue, "
            f"values at most {apart:.0e} apart"
        )
        yield BenchResult(f"{name}, {len(subjects)} dialogues", seconds, peer, note)
    yield _half(subjects, model)
    torch.set_num_threads(threads)


def _half(subjects: Sequence[Judged], model: TextModel) -> BenchResult:
    utterances = ASKED["follow_ups"]
    whole, peer = _timed(line_logprobs, subjects, utterances, model)
    half, seconds = _timed(line_logprobs, subjects, utterances, TextModel(dtype="bfloat16"))
    apart = float(np.abs(half - whole).max())
    alike = spearman(half.ravel(), whole.ravel()).value
    note = f"float32; values at most {apart:.2f} apart, Spearman {alike:.4f} over all utterances"
    return BenchResult("follow_ups in bfloat16", seconds, peer, note)


def _timed(
    score: Scorer, subjects: Sequence[Judged], utterances: Sequence[str], model: TextModel
) -> tuple[Floats, float]:
    score(subjects[:1], utterances, model)
    start = time.process_time()
    values = score(subjects, utterances, model)
    return values, time.process_time() - start


def _one_by_one(subjects: Sequence[Judged], utterances: Sequence[str], model: TextModel) -> Floats:
    import torch

    network: Any = model._load().model.model
    before = beginnings([lines_judged(subject) for subject in subjects], "A", model)
    after = model.tokens([f" {utterance}" for utterance in utterances])
    values = np.zeros((len(before), len(after)))
    for row, prefix in enumerate(before):
        for column, said in enumerate(after):
            with torch.inference_mode():
                logits = network(input_ids=torch.tensor([[*prefix, *said]]), use_cache=False).logits[0]
                steps = logits[len(prefix) - 1 : -1].log_softmax(-1)
            values[row, column] = float(steps.gather(-1, torch.tensor(said)[:, None]).mean())
    return values
