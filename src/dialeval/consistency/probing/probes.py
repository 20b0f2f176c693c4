"""Probes: contexts that end in a question which may provoke a contradiction, as lines of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast, get_args

from dialeval.data import Prompt, decode, encode
from dialeval.data.codec.bad import BadLine, OnBad, Where, refuse
from dialeval.data.codec.fields import number, text, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.sources import Source, check
from dialeval.data.types import Context, Dialogue
from dialeval.errors import BadInput, Unsuitable
from dialeval.files.documents import write_json_lines

Kind: TypeAlias = Literal[
    "follow-up", "user-entity-modified", "user-entity", "own-entity", "antonym", "paraphrase", "filler"
]
"""``follow-up`` comes from a corpus; the rest are asked by rules, in the order of how often they succeed."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
Draw: TypeAlias = Literal["top", "random"]


@dataclass(frozen=True, slots=True)
class Probe:
    """A context that ends in a question, and the turn that an answer may contradict."""

    id: str
    context: Context
    """The question's turn is the last."""
    question: str
    referent: int
    """The place of that turn in the context, counted from 0; its speaker is the one who answers."""
    distance: int
    """How many turns before the question it is, counting those that somebody says."""
    kind: Kind = "follow-up"
    fqness: float | None = None
    log_fqness: float | None = None
    passage: str = ""
    """What the question refers to in that turn."""
    draw: Draw = "top"
    """Whether it was chosen for its FQness or at random."""

    def json_value(self) -> dict[str, object]:
        """As a line of a file; probes by rules have no FQness."""
        fields: dict[str, object] = {
            "id": self.id,
            "context": encode(Prompt(self.id, self.context))["context"],
            "fqness": self.fqness,
            "question": self.question,
            "referent": self.referent,
            "distance": self.distance,
            "kind": self.kind,
            "passage": self.passage,
            "draw": self.draw,
        }
        return fields if self.log_fqness is None else {**fields, "log_fqness": self.log_fqness}


def named(dialogues: Iterable[Dialogue]) -> list[tuple[str, Dialogue]]:
    """Each dialogue with a name that no other has: its id, and its system where several systems have that id."""
    listed = list(dialogues)
    times = Counter(dialogue.item for dialogue in listed)
    return [
        (dialogue.item if times[dialogue.item] == 1 else f"{dialogue.item}@{dialogue.system}", dialogue)
        for dialogue in listed
    ]


def write_probes(path: Path, probes: Iterable[Probe]) -> None:
    """Write each probe as a line, all of them or no file."""
    write_json_lines(path, probes, follow=True)


def read_probes(source: Source, *, on_bad: OnBad = refuse) -> list[Probe]:
    """The probes of a file; Unsuitable where it has none."""
    check(source)
    probes = list(_probes(source, on_bad))
    if not probes:
        raise Unsuitable(
            f"{source} holds no probe. Make some with 'dialeval consistency probe DIALOGUES -o {source}'."
        )
    return probes


def _probes(source: Source, on_bad: OnBad) -> Iterator[Probe]:
    for row in read_rows(source, on_bad):
        try:
            yield _probe(row.fields, row.where)
        except BadInput as error:
            on_bad(BadLine(error, row.raw))


def _probe(fields: object, where: Where) -> Probe:
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object", "Give a file that 'dialeval consistency probe' wrote.")
    prompt = decode({key: fields[key] for key in ("id", "context") if key in fields}, "prompt", where)
    referent, distance = (_place(fields, key, where) for key in ("referent", "distance"))
    if not 0 <= referent < len(prompt.context) - 1:
        raise wrong(where, "referent", referent, "the place of a turn before the last", "Fix the place.")
    kind, draw = fields.get("kind", "follow-up"), fields.get("draw", "top")
    if kind not in KINDS or draw not in get_args(Draw):
        raise wrong(where, "kind", kind, f"one of {', '.join(KINDS)}", "Fix the kind, or leave it out.")
    return Probe(
        prompt.item,
        prompt.context,
        text(fields, "question", where, ""),
        referent,
        distance,
        cast(Kind, kind),
        number(fields, "fqness", where, ""),
        number(fields, "log_fqness", where, ""),
        str(fields.get("passage", "")),
        cast(Draw, draw),
    )


def _place(fields: Mapping[str, object], key: str, where: Where) -> int:
    value = fields.get(key)
    if type(value) is not int:
        raise wrong(
            where, key, value, "a whole number", "Give a file that 'dialeval consistency probe' wrote."
        )
    return value
