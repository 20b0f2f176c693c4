"""Conversations with a row for each message: ``conversation_id``, ``role`` or ``author``, ``content``, or the like."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.column_names import MESSAGE_FIELDS, Columns
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.jsonl import rows_of
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, shown
from dialeval.data.importers.conversation import KINDS as CONVERSATION, as_kind
from dialeval.data.types import Dialogue, Kind, Record, Turn
from dialeval.errors import BadInput, MissingField

KINDS: Final = CONVERSATION

_CALLED: Final = {
    "conversation": "conversation conversationid conversationuuid convid session sessionid thread threadid dialogueid"
    " dialogid chatid ticketid ticket callid call caseid case chat",
    "role": "role sendertype authortype speakerrole senderrole participanttype direction",
    "name": "author speaker sender from participant username authorname sendername name agent",
    "content": "content text message body utterance messagetext said",
    "time": "time timestamp createdat sentat date datetime messagetime ts created",
    "turn": "turn turnid turnindex turnnumber messageindex position seq sequence order messagenumber",
}
_NAMES: Final[Mapping[str, Sequence[str]]] = {field: names.split() for field, names in _CALLED.items()}
"""Names of the columns of each field, without case and signs."""

_SPEAKING: Final = {
    "user": "user customer human visitor client caller guest enduser consumer inbound incoming",
    "assistant": "assistant agent bot chatbot model ai operator advisor support gpt outbound outgoing",
    "": "tool function developer",
}
_ROLES: Final[Mapping[str, str]] = {name: role for role, names in _SPEAKING.items() for name in names.split()}
"""Roles by what files call them; an empty one stays as it is."""
_SYSTEM: Final = "system"
_TODO: Final = (
    "Fix the row, or say which columns are meant: --columns conversation=...,role=...,content=...,time=..."
)


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each conversation, in the order in which they begin; its messages by time, else as they stand."""
    rows = rows_of(source)(source, on_bad)
    first = next(rows, None)
    if first is None:
        return iter(())
    columns = message_columns(first.fields)
    if columns is None:
        raise _unlike(first)
    return message_records([first, *rows], columns, kind, on_bad, shown(source))


def message_columns(fields: object, given: Columns | None = None) -> Columns | None:
    """The columns of a file of messages, given or by their names; None of a row that holds something else."""
    if not isinstance(fields, Mapping):
        return None
    pairs = list(given.pairs) if given else []
    if any(field not in (*MESSAGE_FIELDS, "system") for field, _ in pairs):
        return None
    named, taken = {field for field, _ in pairs}, {column for _, column in pairs}
    folded = {
        re.sub(r"[\W_]+", "", name.casefold()): name
        for name in reversed(list(fields))
        if isinstance(name, str)
    }
    for field, names in _NAMES.items():
        column = next((folded[name] for name in names if name in folded and folded[name] not in taken), None)
        if field not in named and column is not None:
            pairs.append((field, column))
            named.add(field)
            taken.add(column)
    speaking = named & {"role", "name"}
    return Columns(tuple(pairs)) if {"conversation", "content"} <= named and speaking else None


def message_records(
    rows: Iterable[Row], columns: Columns, kind: Kind, on_bad: OnBad, path: str
) -> Iterator[Record]:
    """The records of these rows, all of which are read before the first record comes."""
    messages, keys, order = _ordered(list(_messages(rows, columns, on_bad)), on_bad)
    roles = _roles(messages)
    _tell(columns, roles, order, path)
    talks: dict[str, list[int]] = {}
    for place, message in enumerate(messages):
        talks.setdefault(message.conversation, []).append(place)
    for item, places in talks.items():
        said = [messages[place] for place in sorted(places, key=lambda place: keys[place])]
        try:
            yield from as_kind(_dialogue(item, said, roles), kind, said[-1].where)
        except BadInput as error:
            on_bad(BadLine(error, said[-1].text))


class _Message(NamedTuple):
    where: Where
    conversation: str
    role: str
    """Role as the file calls it; empty if only the author is known."""
    name: str
    text: str
    time: object
    turn: object
    system: str


def _messages(rows: Iterable[Row], columns: Columns, on_bad: OnBad) -> Iterator[_Message]:
    places = {field: column for field, column in columns.pairs if column}
    for row in rows:
        try:
            yield _message(row, places)
        except BadInput as error:
            on_bad(BadLine(error, row.raw))


def _message(row: Row, places: Mapping[str, str]) -> _Message:
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise BadInput(where.path, "something other than an object", "a message", _TODO, where.line)
    held = {field: fields.get(column) for field, column in places.items()}
    texts = {field: _text(held.get(field)) for field in ("conversation", "role", "name", "content", "system")}
    for field in ("conversation", "content"):
        if texts[field] is None or (field == "conversation" and not str(texts[field]).strip()):
            found = "nothing" if places[field] in fields else "no such field"
            raise MissingField(
                where.path, found, f"the {field} of a message", _TODO, where.line, places[field]
            )
    role, name = (texts[field] or "" for field in ("role", "name"))
    if not role.strip() and not name.strip():
        spoken = places.get("role") or places["name"]
        raise MissingField(where.path, "nothing", "who says the message", _TODO, where.line, spoken)
    return _Message(
        where,
        str(texts["conversation"]).strip(),
        role.strip(),
        name.strip(),
        str(texts["content"]),
        held.get("time"),
        held.get("turn"),
        (texts["system"] or "").strip(),
    )


def _text(value: object) -> str | None:
    """A cell as text; None if it holds nothing, or an object."""
    if isinstance(value, bool) or value is None or value != value:
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) else None


def _dialogue(item: str, said: Sequence[_Message], roles: Mapping[str, str]) -> Dialogue:
    systems = {message.system: message.where for message in said if message.system}
    if len(systems) > 1:
        where, names = list(systems.values())[-1], " and ".join(map(repr, systems))
        raise BadInput(
            where.path, f"the systems {names} in {item!r}", "one system", _TODO, where.line, _SYSTEM
        )
    first = said[0].role or said[0].name
    turns = []
    for message in said:
        spoken = message.role or message.name
        other = "user" if spoken == first else "assistant"
        role = roles.get(spoken.casefold()) or roles.get("") or other
        known = spoken.casefold() in roles
        name = message.name if message.role or not known else ""
        turns.append(Turn(role, message.text, name or (None if known else spoken)))
    return Dialogue(item, tuple(turns), next(iter(systems), ""))


def _roles(messages: Iterable[_Message]) -> dict[str, str]:
    """The role of each known name, in lower case; under the empty name that of everybody else, if it is clear.

    ``system`` answers if nobody else does; beside an assistant it gives instructions.
    """
    spoken = list(dict.fromkeys((message.role or message.name).casefold() for message in messages))
    roles = {name: _ROLES[_plain(name)] or name for name in spoken if _plain(name) in _ROLES}
    if _SYSTEM in spoken:
        roles[_SYSTEM] = _SYSTEM if "assistant" in roles.values() else "assistant"
    held = {role for role in roles.values() if role in ("user", "assistant")}
    if len(held) == 1:  # those with names of their own are the other side
        roles[""] = "user" if held == {"assistant"} else "assistant"
    return roles


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name)


def _tell(columns: Columns, roles: Mapping[str, str], order: str, path: str) -> None:
    named = [f"{field}={column}" for field, column in columns.pairs if column]
    mapped = [f"{name or 'others'} is the {role}" for name, role in roles.items() if name != role]
    if not {"user", "assistant"} & set(roles.values()):
        mapped.append("who writes first in a conversation is the user")
    told = "; ".join([", ".join(named), *([", ".join(mapped)] if mapped else []), order])
    tell(path, f"read as: a row for each message, {told}")


class _Order(NamedTuple):
    messages: Sequence[_Message]
    keys: Sequence[float]
    """Keys that they are sorted by; equal ones stay in the order of the file."""
    order: str
    """The order in words."""


def _ordered(messages: Sequence[_Message], on_bad: OnBad) -> _Order:
    """The messages that can be put in order; those whose time or number cannot be read go to ``on_bad``."""
    if any(_is_given(message.time) for message in messages):
        expected = "a time such as 2026-11-18T09:30:00, or seconds since 1970"
        bad = [
            _bad_key(message, message.time, expected, "time") if _is_timeless(message.time) else None
            for message in messages
        ]
        left = _set_aside(messages, bad, on_bad)
        return _Order(left, _times(left, expected), "in the order of their times")
    if any(_is_given(message.turn) for message in messages):
        bad = [
            _bad_key(message, message.turn, "the number of the message", "turn")
            if math.isnan(_number(message.turn))
            else None
            for message in messages
        ]
        left = _set_aside(messages, bad, on_bad)
        return _Order(left, [_number(message.turn) for message in left], "in the order of their numbers")
    return _Order(messages, [0.0] * len(messages), "in the order of the file")


def _set_aside(messages: Sequence[_Message], bad: Sequence[BadInput | None], on_bad: OnBad) -> list[_Message]:
    """The messages without an error."""
    for message, error in zip(messages, bad, strict=True):
        if error is not None:
            on_bad(BadLine(error, message.text))
    return [message for message, error in zip(messages, bad, strict=True) if error is None]


def _is_given(value: object) -> bool:
    return value is not None and value == value and bool(str(value).strip())


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return math.nan


def _bad_key(message: _Message, value: object, expected: str, field: str) -> BadInput:
    todo = f"Fix it, or go by the order of the file with --columns {field}="
    found = repr(value) if _is_given(value) else "nothing"
    return BadInput(message.where.path, found, expected, todo, message.where.line, field)


_SLASHED: Final = re.compile(
    r"(\d{1,4})[./-](\d{1,2})[./-](\d{2,4})[,T ]+(\d{1,2}:\d{2}(?::\d{2})?)\s*([ap]\.?m\.?)?", re.I
)


def _is_timeless(value: object) -> bool:
    """Whether no reading gives a time."""
    return all(math.isnan(reading(value)) for reading in (_seconds, _day_first, _month_first))


def _times(messages: Sequence[_Message], expected: str) -> list[float]:
    """Seconds of each message; days and months that could be swapped are read as all of the file allows."""
    readings: tuple[Callable[[object], float], ...] = (_seconds, _day_first, _month_first)
    tables = [[reading(message.time) for message in messages] for reading in readings]
    whole = [times for times in tables if not any(map(math.isnan, times))]
    if not whole:
        best = min(tables, key=lambda times: sum(map(math.isnan, times)))
        place = next(place for place, time in enumerate(best) if math.isnan(time))
        raise _bad_key(messages[place], messages[place].time, expected, "time")
    if len(whole) > 1 and _order(messages, whole[0]) != _order(messages, whole[1]):
        expected = "a date whose day and month cannot be swapped, such as 2026-11-18"
        raise _bad_key(messages[0], messages[0].time, expected, "time")
    return whole[0]


def _order(messages: Sequence[_Message], times: Sequence[float]) -> list[int]:
    return sorted(range(len(times)), key=lambda place: (messages[place].conversation, times[place]))


def _seconds(value: object) -> float:
    """A time that can be read in one way only: a number, ISO 8601, or as in e-mails; NaN of others."""
    if isinstance(value, datetime):
        return _stamp(value)
    if isinstance(value, date):
        return _stamp(datetime(value.year, value.month, value.day))
    number = _number(value)
    if not math.isnan(number):
        return number / 1000 if number > 1e11 else number
    try:
        return _stamp(datetime.fromisoformat(str(value).strip()))
    except (ValueError, OverflowError):
        pass
    from email.utils import parsedate_to_datetime

    try:
        return _stamp(parsedate_to_datetime(str(value)))
    except (ValueError, TypeError, IndexError, OverflowError):
        return math.nan


def _stamp(moment: datetime) -> float:
    """Seconds; a time without a zone is taken for UTC, since all of a file are compared alike."""
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, ValueError, OSError):
        return math.nan


def _day_first(value: object) -> float:
    return _swapped(value, day=1, month=2)


def _month_first(value: object) -> float:
    return _swapped(value, day=2, month=1)


def _swapped(value: object, *, day: int, month: int) -> float:
    match = _SLASHED.fullmatch(str(value).strip())
    if match is None:
        return math.nan
    year = int(match[3]) + (2000 if len(match[3]) == 2 else 0)
    hour, minute, second = map(int, f"{match[4]}:0".split(":")[:3])
    if match[5]:
        hour = hour % 12 + (12 if match[5].lower().startswith("p") else 0)
    try:
        return _stamp(datetime(year, int(match[month]), int(match[day]), hour, minute, second))
    except ValueError:
        return math.nan


def _unlike(row: Row) -> BadInput:
    names = (
        ", ".join(repr(name) for name in sorted(map(str, row.fields)))
        if isinstance(row.fields, Mapping)
        else ""
    )
    expected = "columns such as 'conversation_id', 'role' and 'content'"
    return BadInput(
        row.where.path, f"the columns {names}" if names else "no columns", expected, _TODO, row.where.line
    )
