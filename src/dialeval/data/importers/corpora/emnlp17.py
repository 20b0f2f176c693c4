"""Novikova et al. (2017): BAGEL and SFRES sentences with people's median scores and the scores of many metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad
from dialeval.data.codec.fields import name, text
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.codec.tables import read_cells
from dialeval.data.importers.conversation import SharedItems
from dialeval.data.importers.ratings import rating_in_cell, score_in_cell
from dialeval.data.types import Judgement, Kind, Record

KINDS: Final[tuple[Kind, ...]] = ("judgement",)

QUALITIES: Final = ("informativeness", "naturalness", "quality")
_WORDS: Final = "TER Bleu_1 Bleu_2 Bleu_3 Bleu_4 ROUGE_L NIST LEPOR CIDEr METEOR sim.mr.sys lev.dist"
_GRAMMAR: Final = (
    "sys.read.flesch sys.cpw sys.ref.len sys.wps sys.sps sys.spw sys.n.poly sys.pspw n.misspel"
    " parser.sc.mean parser.sc.max"
)
METRICS: Final = (*_WORDS.split(), *_GRAMMAR.split())
"""The metrics' columns: those that compare words, then those that look at the sentence alone."""


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """The median of people's scores (rater ``median``) on three qualities, and each metric's score.

    Items are ``bagel-1`` ... and ``sfres-1`` ..., one for each meaning representation, so systems share them; a system
    that meets one again answers another item. A metric is a rater under its own name, on a criterion of that name.
    """
    items = SharedItems()

    def parse(row: Row) -> Sequence[Record]:
        cells: Mapping[str, object] = row.fields  # type: ignore[assignment]  # the cells of a table
        where = row.where
        dataset, system = name(cells, "dataset", where, ""), name(cells, "system", where, "")
        item = items.item(dataset.lower(), system, text(cells, "mr", where, ""))
        judgements: list[Record] = []
        for quality in QUALITIES:
            value, reason = rating_in_cell(text(cells, quality, where, ""), where, quality)
            judgements.append(Judgement(item, system, "median", quality, value, reason))
        for metric in METRICS:
            value = score_in_cell(text(cells, metric, where, ""), where, metric)
            judgements.append(Judgement(item, system, metric, metric, value))
        return judgements

    cells = read_cells(source, on_bad, delimiter=",")
    return records((Row(row.where, row.number, row.cells, row.text) for row in cells), parse, on_bad)
