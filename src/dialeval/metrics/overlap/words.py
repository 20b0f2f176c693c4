"""Word overlap of examples, measured once however many metrics ask: BLEU of every order and ROUGE-L share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dialeval.core import Floats
from dialeval.core.batches import coming_with, once, stretch_of
from dialeval.data.types import Example
from dialeval.metrics.rows import flat_texts, item_texts
from dialeval.text.overlap import Overlap, overlap
from dialeval.text.tokenisers import Tokens


def measure(examples: Sequence[Example], *, tokens: Tokens, lowercase: bool = False) -> Overlap:
    """Return what each example's response shares with its references, of which it has at least one."""

    def compute() -> Overlap:
        whole, place = stretch_of(examples)
        if whole is not examples:
            return Overlap(measure(whole, tokens=tokens, lowercase=lowercase).table[place])
        return overlap(
            *item_texts(examples), tokens=tokens, lowercase=lowercase, coming=coming_with(examples)
        )

    # The runner gives the same batch to one metric after the other.
    return once(examples, ("overlap", tokens, lowercase), compute)


def measure_strings(
    responses: Sequence[str], references: Sequence[Sequence[str]], *, tokens: Tokens, lowercase: bool = False
) -> Overlap:
    """Return what plain strings share, ``references`` holding at least one reference of each response."""
    return overlap(*flat_texts(zip(responses, references, strict=True)), tokens=tokens, lowercase=lowercase)


class OverlapScores(NamedTuple):
    """BLEU-1 to BLEU-4 and ROUGE-L as nlg-eval computes them, of each response and of all together."""

    bleu: Floats
    """Shape (responses, 4)."""
    rouge_l: Floats
    """Shape (responses,)."""
    corpus_bleu: Floats
    """Shape (4,), from pooled counts."""
    corpus_rouge_l: float
    """The mean."""


def score_strings(responses: Sequence[str], references: Sequence[Sequence[str]]) -> OverlapScores:
    """The scores of plain strings, ``references`` holding the references of each response."""
    from dialeval.metrics.overlap.bleu import Bleu
    from dialeval.metrics.overlap.rouge_l import RougeL

    shared = measure_strings(responses, references, tokens="whitespace")
    rows = [(metric, metric.rows(shared)) for metric in (Bleu(1), Bleu(2), Bleu(3), Bleu(4))]
    sequences = RougeL().rows(shared)[:, 0]
    return OverlapScores(
        np.column_stack([metric.aggregate(statistics) for metric, statistics in rows]),
        sequences,
        np.array([metric.aggregate(statistics.sum(axis=0)) for metric, statistics in rows]),
        float(sequences.mean()),
    )
