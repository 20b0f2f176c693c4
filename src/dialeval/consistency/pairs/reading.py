"""Readers of labelled pairs: NLI rows, published sets of contradictions, and our own lines, known by their fields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from dialeval.consistency.pairs.published import RgmResponses, ci_tod, decode, prosecco
from dialeval.consistency.pairs.types import LABELS, Label, LabelledPair, Pair
from dialeval.data.codec.bad import BadLine, OnBad, Where, refuse
from dialeval.data.codec.fields import text, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.sources import Source, check, file_of
from dialeval.data.codec.tables import read_cells
from dialeval.errors import BadInput

Fields: TypeAlias = Mapping[str, object]
Reader: TypeAlias = Callable[[Fields, Where], list[LabelledPair]]


class Shape(NamedTuple):
    """A kind of row, known by fields that it has."""

    name: str
    fields: frozenset[str]
    read: Reader


def _ours(fields: Fields, where: Where) -> list[LabelledPair]:
    between = text(fields, "between", where, "") if fields.get("between") else ""
    pair = Pair(text(fields, "earlier", where, ""), text(fields, "response", where, ""), between)
    return [
        LabelledPair(pair, _label(fields, where), str(fields.get("source", "")), str(fields.get("group", "")))
    ]


def _nli(fields: Fields, where: Where) -> list[LabelledPair]:
    pair = Pair(text(fields, "premise", where, ""), text(fields, "hypothesis", where, ""))
    return [LabelledPair(pair, _label(fields, where), "nli", str(fields.get("split", "")))]


def _label(fields: Fields, where: Where) -> Label:
    given = text(fields, "label", where, "")
    for label in LABELS:
        if given == label:
            return label
    raise wrong(where, "label", given, f"one of {', '.join(LABELS)}", "Fix the label.")


SHAPES: Final = (
    Shape("pairs", frozenset({"earlier", "response", "label"}), _ours),
    Shape("nli", frozenset({"premise", "hypothesis", "label"}), _nli),
    Shape("decode", frozenset({"seg1", "seg2", "label"}), decode),
    Shape("prosecco", frozenset({"locution_1", "locution_2", "label"}), prosecco),
    Shape("ci-tod", frozenset({"turns", "hi", "qi"}), ci_tod),
)
_RGM: Final = frozenset({"utterances", "annotation_target_pair", "contradictory_label_count"})


def read_pairs(source: Source, *, on_bad: OnBad = refuse) -> Iterator[LabelledPair]:
    """The labelled pairs of a file, whatever set it is from; DECODE and ProSeCCo are tables, the rest JSON Lines.

    A file of rgm-contradiction needs the folder ``responses`` that is published with it, in one of its parents.
    """
    check(source)
    reader: Reader | None = None
    for fields, where, raw in _rows(source, on_bad):
        try:
            if not isinstance(fields, Mapping):
                raise wrong(where, "", fields, "an object", "Give labelled pairs.")
            reader = reader or _reader(fields, where, source)
            yield from reader(fields, where)
        except BadInput as error:
            on_bad(BadLine(error, raw))


def _rows(source: Source, on_bad: OnBad) -> Iterator[tuple[object, Where, str]]:
    name = file_of(source).name.removesuffix(".gz")
    if name.endswith((".csv", ".tsv")):
        for row in read_cells(source, on_bad, delimiter="\t" if name.endswith(".tsv") else ","):
            yield row.cells, row.where, row.text
    else:
        for line in read_rows(source, on_bad):
            yield line.fields, line.where, line.raw


def _reader(fields: Fields, where: Where, source: Source) -> Reader:
    if fields.keys() >= _RGM:
        return RgmResponses(Path(source)).read
    for shape in SHAPES:
        if fields.keys() >= shape.fields:
            return shape.read
    raise BadInput(
        where.path,
        f"the fields {', '.join(sorted(map(str, fields)))}",
        "premise, hypothesis, label; or earlier, response, label; or a published set of contradictions",
        "See 'dialeval docs consistency' for the files that are read.",
        where.line,
    )


def read_all(
    sources: Iterable[Source],
    *,
    leave_out: Collection[str] = (),
    words: int | None = None,
    on_bad: OnBad = refuse,
) -> list[LabelledPair]:
    """The pairs of all files, in order, each once; not those of these groups, nor those of more words than so many."""
    kept: dict[Pair, LabelledPair] = {}
    for source in sources:
        for labelled in read_pairs(source, on_bad=on_bad):
            short = words is None or sum(len(part.split()) for part in labelled.pair[:2]) <= words
            if short and labelled.group not in leave_out:
                kept.setdefault(labelled.pair, labelled)
    return list(kept.values())
