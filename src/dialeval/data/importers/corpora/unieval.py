"""UniEval's published results (Zhong et al., 2022): people's scores of each response, and the metric's beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad
from dialeval.data.codec.fields import missing, name, text, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.importers.conversation import item_of
from dialeval.data.importers.ratings import rating
from dialeval.data.types import Judgement, Kind, Record

KINDS: Final[tuple[Kind, ...]] = ("judgement",)

_TODO: Final = "Name the file sfres_result.json or topical_chat_result.json."


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """People's mean scores, whose rater is ``mean``, and UniEval's.

    UniEval is one rater a quality, ``unieval(quality='naturalness')``, on the criterion ``unieval``.
    ``topical_chat_result.json`` has the items and systems of the ``usr`` format. ``sfres_result.json`` does not say
    which system gave a response, so its system is empty; its items are ``unieval-0`` onwards, by ``doc_id``.
    """
    chats = _Chats()

    def parse(row: Row) -> Sequence[Record]:
        fields = row.fields
        if not isinstance(fields, Mapping):
            raise wrong(row.where, "", fields, "an object", _TODO)
        if "system_id" in fields:
            item, system = chats.item(fields, row), name(fields, "system_id", row.where, "")
        else:
            item, system = f"unieval-{item_of(fields, row, 'doc_id')}", ""
        return [*_people(fields, row, item, system), *_metric(fields, row, item, system)]

    return records(read_rows(source, on_bad), parse, on_bad)


class _Chats:
    """Numbers the contexts of TopicalChat, whose responses are neighbours, as the ``usr`` format does."""

    def __init__(self) -> None:
        self._number = 0
        self._last: str | None = None

    def item(self, fields: Mapping[str, object], row: Row) -> str:
        """The item of this response, new if its context is not that of the row before."""
        context = text(fields, "source", row.where, "")
        self._number += context != self._last
        self._last = context
        return f"usr-{self._number}"


def _people(fields: Mapping[str, object], row: Row, item: str, system: str) -> Iterator[Judgement]:
    for quality, value in _scores(fields, "scores", row):
        yield Judgement(item, system, "mean", quality, value)


def _metric(fields: Mapping[str, object], row: Row, item: str, system: str) -> Iterator[Judgement]:
    for quality, value in _scores(fields, "predict_scores", row):
        yield Judgement(item, system, f"unieval(quality={quality!r})", "unieval", value)


def _scores(fields: Mapping[str, object], field: str, row: Row) -> Iterator[tuple[str, float | None]]:
    if field not in fields:
        raise missing(fields, field, row.where, "", "an object of scores")
    scores = fields[field]
    if not isinstance(scores, Mapping):
        raise wrong(row.where, field, scores, "an object of scores", _TODO)
    for quality, score in scores.items():
        yield quality, rating(score, row.where, f"{field}.{quality}").value
