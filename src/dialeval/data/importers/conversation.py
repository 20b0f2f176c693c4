"""Dialogues, prompts and examples from whole conversations; ids for items of formats that often have none.

``SHAPES`` are the JSON objects that hold a conversation: chat messages, ShareGPT, ParlAI logs, lists of turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import missing, name, text, wrong
from dialeval.data.codec.jsonl import rows_of
from dialeval.data.codec.parts import turns as messages
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, conversion
from dialeval.data.types import UNNAMED, Dialogue, Example, Kind, Prompt, Record, Response, Turn
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("dialogue", "prompt", "example")


def read_conversations(
    source: Source, kind: Kind, on_bad: OnBad, dialogue_of: Callable[[Row], Dialogue]
) -> Iterator[Record]:
    """A record of that kind for each conversation in a file, in the order of the file."""

    def parse(row: Row) -> Sequence[Record]:
        return as_kind(dialogue_of(row), kind, row.where)

    return records(rows_of(source)(source, on_bad), parse, on_bad)


def as_kind(dialogue: Dialogue, kind: Kind, where: Where) -> Sequence[Record]:
    """The dialogue itself, or its last turn as a reference or as a system's response."""
    if kind == "dialogue":
        return (dialogue,)
    ends = bool(dialogue.turns) and dialogue.turns[-1].speaker == "assistant"
    if kind == "prompt":
        return (_prompt(dialogue, ends=ends),)
    if not ends:
        last = repr(dialogue.turns[-1].speaker) if dialogue.turns else "no one"
        todo = f"Leave it out, or make prompts of the file: {conversion(where.path, kind='prompt')}."
        raise BadInput(where.path, f"a last turn by {last}", "a last turn by 'assistant'", todo, where.line)
    response = Response(dialogue.turns[-1].text)
    return (Example(dialogue.item, dialogue.system or UNNAMED, dialogue.turns[:-1], response),)


def _prompt(dialogue: Dialogue, *, ends: bool) -> Prompt:
    if ends:
        said = dialogue.turns[-1].text
        return Prompt(dialogue.item, dialogue.turns[:-1], (said,) if said.strip() else ())
    return Prompt(dialogue.item, dialogue.turns)


def item_of(fields: Mapping[str, object], row: Row, *names: str) -> str:
    """The row's own id, under ``id`` or one of ``names``; else its position in the file."""
    for field in names or ("id",):
        value = fields.get(field)
        if type(value) is int:
            return str(value)
        if isinstance(value, str):
            return name(fields, field, row.where, "", "text (the item's id), or no such field")
    return str(row.number)


class SharedItems:
    """Items for responses whose corpus names what they answer, not the item: systems that answer the same share one."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str, int], str] = {}
        self._per_dataset: Counter[str] = Counter()
        self._met: Counter[tuple[str, str, str]] = Counter()

    def item(self, dataset: str, system: str, answered: str) -> str:
        """The item of this response, ``convai2-17``; a system that meets the same again answers another item."""
        self._met[dataset, system, answered] += 1
        key = (dataset, answered, self._met[dataset, system, answered])
        if key not in self._items:
            self._per_dataset[dataset] += 1
            self._items[key] = f"{dataset}-{self._per_dataset[dataset]}"
        return self._items[key]


Shape: TypeAlias = Callable[[Row], Dialogue]

_ROLES: Final[Mapping[str, str]] = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "assistant": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "system": "system",
    "function_call": "assistant",
    "observation": "tool",
}
"""Speakers as ShareGPT's files name them; others keep their name."""


def _openai(row: Row) -> Dialogue:
    """``{"messages": [{"role", "content"}]}``, as in fine-tuning files and request logs; or the bare list."""
    fields, where = row.fields, row.where
    if isinstance(fields, list):
        return Dialogue(str(row.number), messages(fields, where, "messages"))
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'messages'", "Write one conversation a line.")
    if "messages" not in fields:
        raise missing(fields, "messages", where, "", "a list of messages")
    named = [fields.get(name) for name in ("system", "model")]
    system = next((name for name in named if isinstance(name, str)), "")
    metadata = fields.get("metadata")
    kept = metadata if isinstance(metadata, dict) else {}
    return Dialogue(item_of(fields, row), messages(fields["messages"], where, "messages"), system, kept)


def _sharegpt(row: Row) -> Dialogue:
    """``{"conversations": [{"from", "value"}]}``; a ``system`` text beside the turns becomes the first turn."""
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'conversations'", "Write one conversation per object.")
    if "conversations" not in fields:
        raise missing(fields, "conversations", where, "", "a list of turns")
    said = fields["conversations"]
    if not isinstance(said, list):
        todo = 'Write [{"from": "human", "value": "..."}].'
        raise wrong(where, "conversations", said, "a list of turns", todo)
    turns = tuple(_sharegpt_turn(turn, where, f"conversations[{index}]") for index, turn in enumerate(said))
    instruction = fields.get("system")
    if isinstance(instruction, str) and instruction:
        turns = (Turn("system", instruction), *turns)
    model = fields.get("model")
    return Dialogue(item_of(fields, row), turns, model if isinstance(model, str) else "")


def _sharegpt_turn(turn: object, where: Where, field: str) -> Turn:
    if not isinstance(turn, Mapping):
        raise wrong(where, field, turn, "a turn", 'Write {"from": "human", "value": "..."}.')
    speaker = text(turn, "from", where, field)
    return Turn(_ROLES.get(speaker.lower(), speaker), text(turn, "value", where, field))


def _parlai(row: Row) -> Dialogue:
    """``{"dialog": [[{"id": "human", "text": "..."}, {"id": "model", "text": "..."}]]}``, numbered by position.

    The first speaker is the user, everyone else the assistant; their ids become the turns' names. Acts whose id is
    ``context`` are turns of the system.
    """
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'dialog'", "Write one conversation a line.")
    if "dialog" not in fields:
        raise missing(fields, "dialog", where, "", "a list of exchanges")
    acts = list(_acts(fields["dialog"], where))
    first = next((name for name, _ in acts if name != "context"), "")
    return Dialogue(str(row.number), tuple(Turn(_role(name, first), said, name) for name, said in acts))


def _acts(exchanges: object, where: Where) -> Iterator[tuple[str, str]]:
    if not isinstance(exchanges, list):
        todo = 'Write [[{"id": "...", "text": "..."}]].'
        raise wrong(where, "dialog", exchanges, "a list of exchanges", todo)
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


_LISTS: Final = ("turns", "dialogue", "dialog", "utterances", "log")
_TEXTS: Final = ("text", "utterance", "content")
_SPEAKERS: Final = ("speaker", "name", "id")
_SPEAKER_ROLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("user", "human", "customer"), "user"),
    **dict.fromkeys(("assistant", "system", "bot", "agent", "model", "wizard"), "assistant"),
}
_TODO: Final = (
    'Write {"id": "d1", "turns": ["Hi.", "Hello!"]}, or {"speaker": "A", "text": "Hi."} for each turn.'
)


class _Utterance(NamedTuple):
    text: str
    speaker: str | None
    role: str | None = None


def _turns_dialogue(row: Row) -> Dialogue:
    """The dialogue of a row.

    A turn's ``role`` is its role. A speaker called user, human or customer is the user, one called assistant, system,
    bot, agent, model or wizard the assistant. Of others, the first to speak is the user and everyone else the
    assistant, each with their name; if no speaker is named, they take turns.
    """
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'turns'", _TODO)
    field = next((name for name in _LISTS if name in fields), None)
    if field is None:
        raise missing(fields, "turns", where, "", "a list of turns")
    listed = fields[field]
    if not isinstance(listed, list):
        raise wrong(where, field, listed, "a list of turns", _TODO)
    said = [_said(turn, where, f"{field}[{index}]") for index, turn in enumerate(listed)]
    speakers = fields.get("speakers")
    if isinstance(speakers, list) and len(speakers) == len(said):
        said = [turn._replace(speaker=str(name)) for turn, name in zip(said, speakers, strict=True)]
    return Dialogue(item_of(fields, row), _turns(said))


def _said(turn: object, where: Where, path: str) -> _Utterance:
    if isinstance(turn, str):
        return _Utterance(turn, None)
    if not isinstance(turn, Mapping):
        raise wrong(where, path, turn, "a text, or an object with 'text'", _TODO)
    field = next((name for name in _TEXTS if name in turn), _TEXTS[0])
    speaker = next((turn[name] for name in _SPEAKERS if isinstance(turn.get(name), str | int)), None)
    role = turn.get("role")
    return _Utterance(
        text(turn, field, where, path),
        None if speaker is None else str(speaker),
        role if isinstance(role, str) else None,
    )


def _turns(said: Sequence[_Utterance]) -> tuple[Turn, ...]:
    """Return who is user and who assistant; a turn without a speaker is by the one who did not speak last."""
    turns: list[Turn] = []
    first = next((turn.speaker for turn in said if turn.speaker is not None), None)
    for turn in said:
        if turn.role is not None:
            turns.append(Turn(turn.role, turn.text, turn.speaker))
        elif turn.speaker is None:
            role = "assistant" if turns and turns[-1].speaker == "user" else "user"
            turns.append(Turn(role, turn.text))
        else:
            role = _SPEAKER_ROLES.get(
                turn.speaker.casefold(), "user" if turn.speaker == first else "assistant"
            )
            turns.append(Turn(role, turn.text, turn.speaker))
    return tuple(turns)


SHAPES: Final[Mapping[str, Shape]] = {
    "openai": _openai,
    "turns": _turns_dialogue,
    "sharegpt": _sharegpt,
    "parlai-jsonl": _parlai,
}
"""The conversation that a row of each format holds."""


def shape_of(fields: object) -> str | None:
    """Return which of ``SHAPES`` an object has; None of any other."""
    if isinstance(fields, list):
        return "openai" if fields and isinstance(fields[0], Mapping) and "role" in fields[0] else None
    if not isinstance(fields, Mapping):
        return None
    if isinstance(fields.get("messages"), list):
        return "openai"
    if isinstance(fields.get("conversations"), list):
        return "sharegpt"
    if _is_parlai(fields.get("dialog")):
        return "parlai-jsonl"
    return "turns" if any(isinstance(fields.get(name), list) for name in _LISTS) else None


def _is_parlai(dialog: object) -> bool:
    if not isinstance(dialog, list) or not dialog:
        return False
    first = dialog[0][0] if isinstance(dialog[0], list) and dialog[0] else dialog[0]
    return isinstance(first, Mapping) and {"id", "text"} <= first.keys()
