"""Answering real contexts with the embedded model by beam search: all in one batch against one after the other.

Seconds are of the processor, in one thread, so that other work on the machine disturbs them least.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from bench.result import BenchResult
from dialeval.data import Context, read
from dialeval.systems.decoding import Decoding
from dialeval.systems.huggingface import HuggingFace

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
CONTEXTS: Final = 6
BEAMS: Final = 4
TOKENS: Final = 12


def run() -> Iterator[BenchResult]:
    """Ours in one batch, ours one by one, and transformers' own beam search one by one."""
    import torch

    path = DATA / "dailydialog-plusplus" / "dev.json"
    if not path.is_file():
        print(f"generation: skipped, no such file: {path}; set DIALEVAL_DATA", file=sys.stderr)
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    contexts = [one.context for one in islice(read(path, "question", format="dailydialog++"), CONTEXTS)]
    decoding = Decoding("beam", beams=BEAMS, max_tokens=TOKENS)
    system = HuggingFace("small", device="cpu", decoding=decoding, batch_size=CONTEXTS * BEAMS)
    system.generate(contexts[:1])
    start = time.process_time()
    together = [found[0].text for found in system.generate(contexts)]
    ours = time.process_time() - start
    start = time.process_time()
    alone = [system.generate([context])[0][0].text for context in contexts]
    single = time.process_time() - start
    start = time.process_time()
    theirs = [_transformers(system, context) for context in contexts]
    peer = time.process_time() - start
    note = f"beams of {BEAMS}, at most {TOKENS} tokens; "
    same = f"{_alike(together, alone)} of {CONTEXTS} texts the same"
    yield BenchResult(f"generation, {CONTEXTS} contexts", ours, single, f"{note}ours one by one; {same}")
    same = f"{_alike(together, theirs)} of {CONTEXTS} texts the same"
    yield BenchResult(f"generation, {CONTEXTS} contexts", ours, peer, f"{note}transformers.generate; {same}")
    torch.set_num_threads(threads)


def _transformers(system: HuggingFace, context: Context) -> str:
    import torch

    loaded = system._load()
    prefix = torch.tensor([loaded.prompt_format.prompt(context, sys.maxsize).tokens])
    model: Any = loaded.model.model
    with torch.inference_mode():
        found = model.generate(
            prefix,
            attention_mask=torch.ones_like(prefix),
            num_beams=BEAMS,
            do_sample=False,
            max_new_tokens=TOKENS,
            min_new_tokens=1,
        )
    return loaded.prompt_format.text(found[0, prefix.shape[1] :].tolist())


def _alike(ours: Sequence[str], theirs: Sequence[str]) -> int:
    return sum(a == b for a, b in zip(ours, theirs, strict=True))
