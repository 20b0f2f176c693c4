"""Content of a report, put together from a run or its files: its items, sections and notes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np

from dialeval.catalogue.metrics import explainer
from dialeval.catalogue.tasks import TASKS
from dialeval.core import Floats, Metric
from dialeval.data.results import ItemValues
from dialeval.data.types import Context, Example, Turn
from dialeval.display.pages import Section
from dialeval.judge.document import judge_notes
from dialeval.judge.pair_record import pair_notes
from dialeval.meta.document import Points
from dialeval.study.document import Content, Manifest, Place, ShownItem, ShownTurn, Summary, Values
from dialeval.study.freshness import answer_notes
from dialeval.study.unmatched import sentence

Evidence: TypeAlias = Mapping[tuple[str, str, str], str]
"""What a measure found, by measure, system and item."""
NO_EVIDENCE: Final[Evidence] = MappingProxyType({})


def content_of(
    study: str,
    summary: Summary,
    manifest: Manifest,
    blocks: Sequence[ItemValues],
    points: Points,
    answers: Callable[[Collection[str]], Iterable[Example]],
    evidence: Evidence = NO_EVIDENCE,
) -> Content:
    """The content of a report.

    ``answers`` gives the systems' responses to these items at least, to prompts and to whatever else was asked.
    ``evidence`` is that of measures which cannot be asked for it again.
    """
    values, judges = Values.of_blocks(blocks), tuple(judge_notes(manifest.judges))
    chosen = choose(values)
    return Content(
        study=study,
        summary=summary,
        manifest=manifest,
        values=values,
        items=shown(
            values,
            chosen,
            answers({values.items[position] for position in chosen}),
            {system.name: system.runs for system in summary.systems},
            evidence,
        ),
        notes=(
            *answer_notes(manifest.answers, manifest.started),
            *judges,
            *(pair_notes(manifest.judge_pairs) if manifest.judge_pairs else ()),
            *map(sentence, manifest.unmatched),
            *notes_of(summary),
        ),
        points=points,
        judges=judges,
    )


def notes_of(summary: Summary) -> tuple[str, ...]:
    """Yield the notes of capabilities below the leaderboard."""
    sections = {name: given for name, given in summary.sections.items() if given}
    return tuple(line for name, given in sections.items() for line in TASKS[name].lines(given))


def page_sections(content: Content) -> Iterator[Section]:
    """Yield the sections of capabilities and of people's ratings, in the order of ``summary.json``."""
    for name, sections in content.summary.sections.items():
        if sections and (section := TASKS[name].page(sections)) is not None:
            yield section
    if content.summary.turns:
        from dialeval.selfeval.report import turns_section

        yield turns_section(content.summary.turns)
    if content.manifest.judge_pairs is not None:
        from dialeval.judge.pair_page import pairs_section

        yield pairs_section(content.manifest.judge_pairs)
    if content.summary.human is not None:
        from dialeval.meta.report.page import people_section

        yield people_section(content.summary.human, content.points)


MOST_ITEMS: Final = 500
MOST_RESPONSES: Final = 5_000
"""Items times systems, so that a page stays small with many systems too."""
MOST_CHARACTERS: Final = 4_000
MOST_TURNS: Final = 40


def choose(values: Values, *, most: int = MOST_ITEMS) -> tuple[int, ...]:
    """Positions of at most ``most`` items, in order: all of them, else extremes and an even spread."""
    total = len(values.items)
    limit = min(most, max(MOST_RESPONSES // max(len(values.systems), 1), 20))
    if total <= limit:
        return tuple(range(total))
    chosen: set[int] = set()
    for position in _in_turn(_extremes(values, limit)):
        if len(chosen) >= limit // 2:
            break
        chosen.add(position)
    rest = np.delete(np.arange(total), sorted(chosen))
    spread = np.linspace(0, len(rest) - 1, limit - len(chosen)).round().astype(int)
    return tuple(sorted(chosen.union(rest[spread].tolist())))


def shown(
    values: Values,
    chosen: Iterable[int],
    examples: Iterable[Example],
    runs: Mapping[str, int] | None = None,
    evidence: Evidence = NO_EVIDENCE,
) -> tuple[ShownItem, ...]:
    """The chosen items with their contexts and responses; ``runs`` says of which systems there are several.

    ``evidence`` is that of measures which cannot be asked for it again.
    """
    positions = tuple(chosen)
    wanted = {values.items[position] for position in positions}
    by_item: dict[str, dict[str, list[Example]]] = {item: {} for item in wanted}
    for example in examples:
        if example.item in wanted:
            known = by_item[example.item].setdefault(example.system, [])
            if len(known) < (runs or {}).get(example.system, 1):
                known.append(example)
    recorded = {measure for measure, _, _ in evidence}
    explainers = [None if label in recorded else explainer(label) for label in values.measures]
    return tuple(
        _shown(values, position, by_item[values.items[position]], explainers, evidence)
        for position in positions
    )


def _shown(
    values: Values,
    position: int,
    examples: dict[str, list[Example]],
    explainers: Sequence[Metric[Example] | None],
    evidence: Evidence,
) -> ShownItem:
    some = next(iter(examples.values()), [None])[0]
    context: Context = some.context if some else ()
    last = context[-MOST_TURNS:]
    places = [
        [Place(m, s, position) for s in range(len(values.systems))] for m in range(len(values.measures))
    ]
    return ShownItem(
        item=values.items[position],
        context=tuple(ShownTurn(turn.speaker, turn.name or turn.speaker, _cut(_said(turn))) for turn in last),
        earlier=max(len(context) - MOST_TURNS, 0),
        references=tuple(_cut(text) for text in (some.references if some else ())[:20]),
        responses=tuple(_responses(examples[s]) if s in examples else None for s in values.systems),
        values=tuple(tuple(_number(values.numbers[place]) for place in row) for row in places),
        reasons=tuple(tuple(values.reasons.get(place) for place in row) for row in places),
        evidence=_evidence(values, places, examples, explainers, evidence),
    )


def _evidence(
    values: Values,
    places: Sequence[Sequence[Place]],
    examples: dict[str, list[Example]],
    explainers: Sequence[Metric[Example] | None],
    evidence: Evidence,
) -> tuple[tuple[str | None, ...], ...]:
    """Evidence of the measures in each system's response, of its first run; empty if there is none."""
    item = values.items[places[0][0].item] if places and places[0] else ""
    found = tuple(
        tuple(
            metric.explain(examples[system][0]) or None
            if metric is not None and system in examples and np.isfinite(values.numbers[place])
            else _cut(evidence.get((measure, system, item), "")) or None
            for system, place in zip(values.systems, row, strict=True)
        )
        for measure, metric, row in zip(values.measures, explainers, places, strict=True)
    )
    return found if any(text for row in found for text in row) else ()


def _responses(runs: list[Example]) -> str | None:
    """The response of a system, or those of its runs, one after another; None where it gave none."""
    if all(example.response.missing is not None for example in runs):
        return None
    texts = [example.response.text for example in runs]
    return _cut(
        "\n".join(f"{number}: {text}" for number, text in enumerate(texts, 1)) if texts[1:] else texts[0]
    )


def _said(turn: Turn) -> str:
    """The text of a turn, and below it the tools that it calls."""
    extra = turn.extra or {}
    listed = extra.get("tool_calls")
    calls = [call.get("function", call) for call in listed] if isinstance(listed, list) else []
    calls += [extra["function_call"]] if "function_call" in extra else []
    lines = [f"→ {call.get('name')}({call.get('arguments', '')})" for call in calls if isinstance(call, dict)]
    return "\n".join([turn.text, *lines] if turn.text else lines)


def _number(value: np.float64) -> float | None:
    return float(f"{value:.6g}") if np.isfinite(value) else None


def _cut(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]}… [{len(text) - MOST_CHARACTERS:,} more characters in examples.jsonl]"


def _extremes(values: Values, limit: int) -> list[list[int]]:
    """Lists of positions, most striking first: where systems differ most, score least and most, or have no value."""
    lists: list[list[int]] = []
    for of_measure in values.numbers:
        known = np.isfinite(of_measure)
        highest = np.where(known, of_measure, -np.inf).max(axis=0, initial=-np.inf)
        lowest = np.where(known, of_measure, np.inf).min(axis=0, initial=np.inf)
        lists.append(_first(np.where(known.any(axis=0), lowest - highest, np.nan), limit))
        for row in of_measure:
            lists += [_first(row, limit), _first(-row, limit)]
    unscored = np.zeros(len(values.items), dtype=bool)
    for place in values.reasons:
        unscored[place.item] = True
    lists.append(np.flatnonzero(unscored)[:limit].tolist())
    return lists


def _first(keys: Floats, limit: int) -> list[int]:
    order = np.argsort(keys, kind="stable")[:limit]
    return [int(at) for at in order if np.isfinite(keys[at])]


def _in_turn(lists: list[list[int]]) -> Iterator[int]:
    """The first of every list, then the second of every list, and so on."""
    for rank in range(max(map(len, lists), default=0)):
        for ranked in lists:
            if rank < len(ranked):
                yield ranked[rank]
