"""ParlAI conversation logs: ``{"dialog": [[{"id": "human", "text": "..."}, {"id": "model", "text": "..."}], ...]}``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import missing, text, wrong
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source
from dialeval.data.importers.conversation import KINDS, read_conversations
from dialeval.data.types import Dialogue, Kind, Record, Turn

__all__ = ["KINDS", "read"]


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """One record per conversation, numbered by position.

    The first speaker is the user, everyone else the assistant; their ids become the turns' names. Acts whose id is
    ``context`` are turns of the system.
    """
    return read_conversations(source, kind, on_bad, _dialogue)


def _dialogue(row: Row) -> Dialogue:
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'dialog'", "Write one conversation a line.")
    if "dialog" not in fields:
        raise missing(fields, "dialog", where, "", "a list of exchanges")
    acts = list(_acts(fields["dialog"], where))
    first = next((name for name, _ in acts if name != "context"), "")
    turns = tuple(Turn(_role(name, first), said, name) for name, said in acts)
    return Dialogue(str(row.number), turns, metadata={})


def _acts(exchanges: object, where: Where) -> Iterator[tuple[str, str]]:
    if not isinstance(exchanges, list):
        raise wrong(
            where, "dialog", exchanges, "a list of exchanges", 'Write [[{"id": "...", "text": "..."}]].'
        )
    for index, exchange in enumerate(exchanges):
        # Some logs leave out the inner lists.
        for beside, act in enumerate(exchange if isinstance(exchange, list) else [exchange]):
            field = f"dialog[{index}][{beside}]"
            if not isinstance(act, Mapping):
                raise wrong(where, field, act, "an act", 'Write {"id": "...", "text": "..."}.')
            yield text(act, "id", where, field), text(act, "text", where, field)


def _role(name: str, first: str) -> str:
    if name == "context":
        return "system"
    return "user" if name == first else "assistant"
