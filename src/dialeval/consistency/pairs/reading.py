"""Readers of labelled pairs: NLI rows, published sets of contradictions, and our own lines, known by their fields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from dialeval.consistency.pairs.published import (
    RgmResponses,
    ci_tod,
    decode,
    decode_dialogue,
    prosecco,
)
from dialeval.consistency.pairs.types import LABELS, Label, LabelledPair, Pair
from dialeval.data.codec.bad import BadLine, OnBad, Where, refuse
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.fields import text, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.sources import Source, check, file_of
from dialeval.data.codec.tables import read_cells
from dialeval.errors import BadInput

Fields: TypeAlias = Mapping[str, object]
Reader: TypeAlias = Callable[[Fields, Where], list[LabelledPair]]


AMBIGUOUS: Final = "ambiguous"
"""Label of answers on which raters differ, which no detector learns or is held to."""


class Shape(NamedTuple):
    """A kind of row, known by fields that it has."""

    name: str
    fields: frozenset[str]
    read: Reader


def _ours(fields: Fields, where: Where) -> list[LabelledPair]:
    between = text(fields, "between", where, "") if fields.get("between") else ""
    pair = Pair(text(fields, "earlier", where, ""), text(fields, "response", where, ""), between)
    group = str(fields.get("group") or fields.get("system") or "")
    votes = fields.get("votes") if fields.get("by") != "detector" else None
    return [
        LabelledPair(
            pair,
            _label(fields, where),
            str(fields.get("source", "")),
            group,
            votes if type(votes) is int else None,
            _others(fields),
        )
    ]


def _others(fields: Fields) -> tuple[str, ...]:
    """What the speaker of the referent says elsewhere in the context, if the line has it."""
    context, referent = fields.get("context"), fields.get("referent")
    if not isinstance(context, list) or type(referent) is not int or not 0 <= referent < len(context):
        return ()
    if not all(isinstance(turn, Mapping) and isinstance(turn.get("content"), str) for turn in context):
        return ()
    speakers = [(turn.get("role"), turn.get("name")) for turn in context]
    return tuple(
        turn["content"]
        for place, turn in enumerate(context)
        if place != referent and speakers[place] == speakers[referent]
    )


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
    Shape(
        "decode",
        frozenset({"turns", "is_contradiction", "aggregated_contradiction_indices"}),
        decode_dialogue,
    ),
    Shape("ci-tod", frozenset({"turns", "hi", "qi"}), ci_tod),
)
_RGM: Final = frozenset({"utterances", "annotation_target_pair", "contradictory_label_count"})


def read_pairs(source: Source, *, on_bad: OnBad = refuse) -> Iterator[LabelledPair]:
    """The labelled pairs of a file, whatever set it is from; ProSeCCo and predictions for DECODE are tables.

    Pairs that ``dialeval consistency label`` calls ambiguous are left out, which a note says. A file of
    rgm-contradiction needs the folder ``responses`` that is published with it, in one of its parents.
    """
    check(source)
    reader: Reader | None = None
    ambiguous = 0
    for fields, where, raw in _rows(source, on_bad):
        try:
            if not isinstance(fields, Mapping):
                raise wrong(where, "", fields, "an object", "Give labelled pairs.")
            reader = reader or _reader(fields, where, source)
            if reader is _ours and fields.get("label") == AMBIGUOUS:
                ambiguous += 1
                continue
            yield from reader(fields, where)
        except BadInput as error:
            on_bad(BadLine(error, raw))
    if ambiguous:
        what = "pairs that raters did not settle" if ambiguous > 1 else "pair that raters did not settle"
        tell(str(file_of(source)), f"left out {ambiguous:,} ambiguous {what}")


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
    """The pairs of all files, in order, each once; not those of these groups, nor those of more words than so many.

    What two systems say alike is judged, and kept, for each of them.
    """
    kept: dict[tuple[Pair, str], LabelledPair] = {}
    for source in sources:
        for labelled in read_pairs(source, on_bad=on_bad):
            short = words is None or sum(len(part.split()) for part in labelled.pair[:2]) <= words
            if short and labelled.group not in leave_out:
                system = labelled.group if labelled.votes is not None else ""
                kept.setdefault((labelled.pair, system), labelled)
    return list(kept.values())
