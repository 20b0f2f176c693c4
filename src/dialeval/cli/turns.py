"""Turns of ``dialeval score --per-turn``: what each does to its dialogue's score, as a file and on the terminal."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from heapq import nlargest
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Final, NamedTuple

from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.scoring import Layout, first_items, read_dialogues
from dialeval.data import refuse
from dialeval.display.plain import cell_len
from dialeval.display.wording import count, one_line

if TYPE_CHECKING:
    from dialeval.core import Metric
    from dialeval.data import Dialogue

_SHOWN: Final = 3
"""Dialogues of each metric that are printed."""
_MOST_TURNS: Final = 12
"""Turns of a dialogue that are printed, those around the worst."""
_WIDEST: Final = 100


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One line of the file: a judgement of ``DIALOGUE/TURN``, and the turn itself.

    ``value`` is how much the score would rise without the turn. ``turn`` is its number among all messages of the
    dialogue, from 1; instructions and what tools returned count, but have no line.
    """

    item: str
    system: str
    rater: str
    criterion: str
    value: float | None
    reason: str | None
    dialogue: str
    turn: int
    role: str
    text: str
    worst: bool
    """Whether it is the turn of the judged side, never of a user, that lowers the score most."""


class _Talk(NamedTuple):
    """The rows of one dialogue under one metric, and the effect of its worst turn."""

    label: str
    effect: float
    rows: Sequence[TurnRow]


def write_turn_effects(
    path: Path, metrics: Mapping[str, Metric[Dialogue]], file: str, layout: Layout, limit: int | None
) -> list[str]:
    """Write a row for each turn of each dialogue and metric; return lines that show the dialogues hurt most."""
    from dialeval.data.writer import write_fields

    able = {name: metric for name, metric in metrics.items() if metric.has("turn_effects")}
    if not able:
        raise BadUsage(
            "it needs dialogues, and a metric that weighs their turns, such as selfeval",
            where="--per-turn",
        )
    hurt: dict[str, list[_Talk]] = {label: [] for label in able}  # effects of two metrics are on two scales
    counted = dict.fromkeys(able, 0)

    def rows() -> Iterator[dict[str, object]]:
        for dialogue in first_items(read_dialogues(file, layout, refuse), limit):
            for label, metric in able.items():
                talk = _talk(label, metric, dialogue)
                if talk.effect > 0:
                    counted[label] += 1
                    hurt[label] = nlargest(_SHOWN, [*hurt[label], talk], key=lambda one: one.effect)
                yield from (asdict(row) for row in talk.rows)

    write_fields(path, TurnRow, rows())
    width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    return [line for label in able for line in _shown(label, hurt[label], counted[label], path, width)]


def _talk(label: str, metric: Metric[Dialogue], dialogue: Dialogue) -> _Talk:
    from dialeval.selfeval.scorer import worst_turn
    from dialeval.selfeval.subjects import turn_numbers, turns_of

    effects = metric.turn_effects(dialogue)
    worst = worst_turn(dialogue, effects)
    rater, criterion = str(metric.signature), f"{metric.signature.name} without the turn"
    unknown = metric.unscorable(dialogue) or "too few turns would be left"
    turns = zip(turn_numbers(dialogue), turns_of(dialogue), effects, strict=True)
    rows = [
        TurnRow(
            f"{dialogue.item}/{number}",
            dialogue.system,
            rater,
            criterion,
            effect if math.isfinite(effect) else None,
            None if math.isfinite(effect) else unknown,
            dialogue.item,
            number,
            turn.name or turn.speaker,
            turn.text,
            place == worst,
        )
        for place, (number, turn, effect) in enumerate(turns)
    ]
    return _Talk(label, 0.0 if worst is None else effects[worst], rows)


def _shown(label: str, talks: Sequence[_Talk], counted: int, path: Path, width: int) -> Iterator[str]:
    """The dialogues hurt most, each with its turns below it, the worst marked."""
    if not talks:
        yield f"{label}: no turn of the judged side lowers the score of its dialogue."
        return
    title = f"{label}: rise of the score without each turn, in the dialogues hurt most"
    yield from wrap(one_line(title), width)
    for talk in talks:
        worst = next(place for place, row in enumerate(talk.rows) if row.worst)
        row = talk.rows[worst]
        of = f" ({one_line(row.system)})" if row.system else ""
        yield ""
        yield f"{one_line(row.dialogue)}{of}: worst is turn {row.turn}, {talk.effect:+.4f} without it"
        first = max(0, min(worst - _MOST_TURNS // 2, len(talk.rows) - _MOST_TURNS))
        yield from _lines(talk.rows[first : first + _MOST_TURNS], width)
    if counted > len(talks):
        yield ""
        yield f"{count(counted - len(talks), 'other dialogue')} with a worst turn in {path}"


def _lines(rows: Sequence[TurnRow], width: int) -> Iterator[str]:
    roles = [one_line(row.role, limit=12) for row in rows]
    widest, numbers = max(map(cell_len, roles)), len(str(rows[-1].turn))
    for row, role in zip(rows, roles, strict=True):
        effect = "–" if row.value is None else f"{row.value:+.4f}"
        padded = role + " " * (widest - cell_len(role))
        head = f"{'>' if row.worst else ' '} {row.turn:>{numbers}} {padded} {effect:>7}  "
        yield head + _fitting(one_line(" ".join(row.text.split())), width - cell_len(head))


def _fitting(text: str, cells: int) -> str:
    """The text cut to so many cells of a terminal."""
    if cell_len(text) <= cells:
        return text
    while text and cell_len(text) >= cells:
        text = text[:-1] if cell_len(text) < 2 * cells else text[:cells]
    return f"{text}…"
