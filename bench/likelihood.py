"""Scoring the candidates of real contexts with the embedded model: ours, one pass per pair, and lm-eval, in turns.

Seconds are of the processor, in one thread, so that other work on the machine disturbs them least.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.result import BenchResult
from dialeval.core import Floats
from dialeval.data import Context, read
from dialeval.systems.huggingface import HuggingFace

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
CONTEXTS: Final = {4: 8, 20: 2}
"""How many contexts of three or more turns, by candidates of each."""
PEER_BATCH: Final = 16
Scorer = Callable[[Sequence[Context], Sequence[str]], Floats]


def run() -> Iterator[BenchResult]:
    """Four candidates per context, then twenty; each against one pass per pair and against lm-eval."""
    import torch

    path = DATA / "dailydialog-plusplus" / "dev.json"
    if not path.is_file():
        print(f"likelihood: skipped, no such file: {path}; set DIALEVAL_DATA", file=sys.stderr)
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    system = HuggingFace("small", device="cpu")
    peers = {"one pass per pair": _one_by_one(system), "lm-eval 0.4": _lm_eval(system)}
    for candidates, contexts in CONTEXTS.items():
        yield from _against(system, peers, candidates, *_pairs(path, candidates, contexts))
    torch.set_num_threads(threads)


def _against(
    system: HuggingFace,
    peers: dict[str, Scorer],
    candidates: int,
    contexts: Sequence[Context],
    responses: Sequence[str],
) -> Iterator[BenchResult]:
    scorers: dict[str, Scorer] = {"ours": system.logprob, **peers}
    times: dict[str, float] = {}
    scores: dict[str, Floats] = {}
    for name, scorer in scorers.items():
        scorer(contexts[:1], responses[:1])
        start = time.process_time()
        scores[name] = scorer(contexts, responses)
        times[name] = time.process_time() - start
    ours = times["ours"]
    for name in peers:
        theirs = times[name]
        apart = float(np.abs(scores["ours"] - scores[name]).max())
        note = (
            f"{name}; ours {len(responses) / ours:.1f} candidates/s, peer {len(responses) / theirs:.1f}; "
            f"{len(responses)} pairs, scores at most {apart:.0e} apart"
        )
        yield BenchResult(f"likelihood, {candidates} candidates", ours, theirs, note)


def _pairs(path: Path, candidates: int, contexts: int) -> tuple[list[Context], list[str]]:
    """Contexts of three turns or more, each with its own candidates, filled up with those of the next."""
    questions = [one for one in read(path, "question", format="dailydialog++") if len(one.context) >= 3]
    asked: list[Context] = []
    offered: list[str] = []
    for at, question in islice(enumerate(questions), contexts):
        own = [one.text for one in (*question.candidates, *questions[at + 1].candidates)]
        step = 4 if candidates == 4 else 1  # of four, some good and some false
        offered += own[::step][:candidates]
        asked += [question.context] * candidates
    return asked, offered


def _tokens(system: HuggingFace, context: Context, response: str) -> tuple[list[int], list[int]]:
    loaded = system._load()
    prefix = loaded.prompt_format.prompt(context, sys.maxsize).tokens
    return list(prefix), [*loaded.prompt_format.response(response), loaded.end]


def _one_by_one(system: HuggingFace) -> Scorer:
    import torch

    model: Any = system._load().model.model

    def score(contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        found = []
        for context, response in zip(contexts, responses, strict=True):
            prefix, said = _tokens(system, context, response)
            with torch.inference_mode():
                logits = model(input_ids=torch.tensor([prefix + said]), use_cache=False).logits[0]
                steps = logits[len(prefix) - 1 : -1].log_softmax(-1)
            found.append(float(steps.gather(-1, torch.tensor(said)[:, None]).sum()))
        return np.array(found)

    return score


def _lm_eval(system: HuggingFace) -> Scorer:
    from lm_eval.models.huggingface import HFLM

    loaded = system._load()
    peer: Any = HFLM(
        pretrained=loaded.model.model,
        tokenizer=loaded.prompt_format.tokenizer,
        batch_size=PEER_BATCH,
        max_length=2048,
    )

    def score(contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        pairs = [_tokens(system, *pair) for pair in zip(contexts, responses, strict=True)]
        # Each under a name of its own, or requests that look alike would be answered from a cache.
        asked = [((str(at), "x"), *tokens) for at, tokens in enumerate(pairs)]
        found = peer._loglikelihood_tokens(asked, disable_tqdm=True)
        return np.array([logprob for logprob, _greedy in found])

    return score
