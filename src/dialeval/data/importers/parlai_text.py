r"""ParlAI's dialogue text: ``text:Hi.<tab>labels:Hello.|Hey.<tab>episode_done:True``, a line per exchange."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import LINE_LIMIT, Source, lines, shown
from dialeval.data.types import Dialogue, Kind, Prompt, Record, Turn
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("dialogue", "prompt")


class _Exchange(NamedTuple):
    where: Where
    text: str
    labels: tuple[str, ...]


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """One dialogue per episode, or one prompt per exchange (``<episode>/<exchange>``) with its labels as references.

    The text is the user's, the first label the assistant's answer.
    """

    def parse(row: Row) -> Sequence[Record]:
        exchanges = _exchanges(row)
        return (_dialogue(row, exchanges),) if kind == "dialogue" else _prompts(row, exchanges)

    return records(_episodes(source, on_bad), parse, on_bad)


def _episodes(source: Source, on_bad: OnBad) -> Iterator[Row]:
    """The lines of each episode; an exchange that cannot be used spoils its episode."""
    held: list[tuple[int, str]] = []
    number, size, path = 1, 0, shown(source)
    for line, text in lines(source, on_bad, expected="one exchange a line"):
        if not text.strip():
            continue
        held.append((line, text.rstrip("\r\n")))
        size += len(text)
        if "episode_done:True" in text:
            yield _row(held, number, path)
            held, number, size = [], number + 1, 0
        elif size > LINE_LIMIT:
            raise _unfinished(held, path, f"an episode longer than {LINE_LIMIT // 2**20} MiB")
    if held:
        error = _unfinished(held, path, "the end of the file inside an episode")
        on_bad(BadLine(error, "\n".join(text for _, text in held)))


def _row(held: list[tuple[int, str]], number: int, path: str) -> Row:
    return Row(Where(path, held[0][0]), number, tuple(held), "\n".join(text for _, text in held))


def _unfinished(held: list[tuple[int, str]], path: str, found: str) -> BadInput:
    todo = "Put a tab and episode_done:True at the end of each episode's last line."
    return BadInput(path, found, "episode_done:True on its last line", todo, held[0][0])


def _exchanges(row: Row) -> list[_Exchange]:
    held: Sequence[tuple[int, str]] = row.fields  # type: ignore[assignment]  # made by _row
    return [_exchange(text, Where(row.where.path, line)) for line, text in held]


def _exchange(line: str, where: Where) -> _Exchange:
    fields: dict[str, str] = {}
    for part in line.split("\t"):
        key, colon, value = part.partition(":")
        if not colon:
            todo = "Separate fields by tabs, and write breaks inside them as \\n and \\t."
            raise BadInput(where.path, f"{part[:40]!r}", "name:value between tabs", todo, where.line)
        fields[key.strip()] = value
    if "text" not in fields:
        listed = ", ".join(repr(name) for name in fields)
        todo = "Begin the line with text:"
        raise BadInput(
            where.path, f"no such field (there are: {listed})", "what was said", todo, where.line, "text"
        )
    return _Exchange(where, _plain(fields["text"]), _labels(fields))


def _labels(fields: Mapping[str, str]) -> tuple[str, ...]:
    given = fields.get("labels") or fields.get("eval_labels") or ""
    return tuple(_plain(label) for label in given.split("|")) if given else ()


def _plain(value: str) -> str:
    return value.replace("\\n", "\n").replace("\\t", "\t").replace("__PIPE__", "|")


def _said(exchange: _Exchange) -> tuple[Turn, ...]:
    answer = (Turn("assistant", exchange.labels[0]),) if exchange.labels else ()
    return (Turn("user", exchange.text), *answer)


def _dialogue(row: Row, exchanges: Sequence[_Exchange]) -> Dialogue:
    turns = tuple(turn for exchange in exchanges for turn in _said(exchange))
    return Dialogue(str(row.number), turns, metadata={})


def _prompts(row: Row, exchanges: Sequence[_Exchange]) -> list[Prompt]:
    out: list[Prompt] = []
    before: tuple[Turn, ...] = ()
    for index, exchange in enumerate(exchanges, start=1):
        context = (*before, Turn("user", exchange.text))
        out.append(Prompt(f"{row.number}/{index}", context, exchange.labels))
        before = (*before, *_said(exchange))
    return out
