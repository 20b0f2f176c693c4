"""Word overlap of examples, measured once however many metrics ask: BLEU of every order and ROUGE-L share it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from operator import is_
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats
from dialeval.data.types import Example
from dialeval.text.ngrams.overlap import Overlap, overlap
from dialeval.text.tokenisers.table import Tokens

_MOST_REMEMBERED: Final = 32768


class _Measured(NamedTuple):
    examples: tuple[Example, ...]
    overlap: Overlap


# The runner gives the same examples to one metric after the other. They are known again by being the very same
# objects, which are kept alive here, so that no other example can come to their place in memory.
_memory: OrderedDict[tuple[object, ...], _Measured] = OrderedDict()


def measure(examples: Sequence[Example], *, tokens: Tokens, lowercase: bool = False) -> Overlap:
    """What each example's response shares with its references, of which it has at least one."""
    key = (tokens, lowercase, len(examples), id(examples[0]) if examples else None)
    known = _memory.get(key)
    if known is not None and all(map(is_, known.examples, examples)):
        _memory.move_to_end(key)
        return known.overlap
    texts = [text for example in examples for text in (example.response.text, *example.references)]
    first = _places([len(example.references) for example in examples])
    measured = overlap(texts, first, tokens=tokens, lowercase=lowercase)
    _memory[key] = _Measured(tuple(examples), measured)
    while (
        len(_memory) > 1
        and sum(len(remembered.examples) for remembered in _memory.values()) > _MOST_REMEMBERED
    ):
        _memory.popitem(last=False)
    return measured


def _places(references: Sequence[int]) -> NDArray[np.int64]:
    """Where each response is among the texts, by the number of references after it, and where all end."""
    first = np.zeros(len(references) + 1, np.int64)
    np.cumsum(np.array(references, np.int64) + 1, out=first[1:])
    return first


def measure_strings(
    responses: Sequence[str], references: Sequence[Sequence[str]], *, tokens: Tokens, lowercase: bool = False
) -> Overlap:
    """The same of plain strings, ``references`` holding at least one reference of each response."""
    texts = [
        text for response, others in zip(responses, references, strict=True) for text in (response, *others)
    ]
    first = _places([len(others) for others in references])
    return overlap(texts, first, tokens=tokens, lowercase=lowercase)


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


class ItemTexts(NamedTuple):
    """The texts of many examples in one list, each example's response before its references."""

    texts: list[str]
    first: NDArray[np.int64]
    """Where each example's response is; one more place than examples, the last where all end."""


def item_texts(examples: Sequence[Example]) -> ItemTexts:
    """The responses and references of ``examples``."""
    texts = [text for e in examples for text in (e.response.text, *e.references)]
    first = np.cumsum([0, *(1 + len(e.references) for e in examples)])
    return ItemTexts(texts, first.astype(np.int64))
