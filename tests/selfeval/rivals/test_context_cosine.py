from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.catalogue import build
from dialeval.core import Floats
from dialeval.data import Judgement, read
from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.encoder.model import unit_vectors
from dialeval.errors import DialevalError
from dialeval.selfeval.rivals.context_cosine import ContextCosine
from dialeval.selfeval.subjects import Subject
from dialeval.stats.correlation.levels import level_correlation

TURNS = ["I have a dog.", "What is it called?", "He is called Max."]
DOG = Example("1", "s", alternating(TURNS), Response("Max is a good name for a dog."))


def value(metric: ContextCosine, subject: Subject) -> float:
    return float(metric.aggregate(metric.statistics([subject]))[0])


def cosine(one: str, other: str) -> float:
    units = unit_vectors([one, other], "minilm")
    return float(units[one] @ units[other])


def test_the_last_turn_is_compared() -> None:
    assert value(ContextCosine(), DOG) == pytest.approx(cosine(DOG.response.text, TURNS[-1]), abs=1e-6)


def test_several_turns_are_joined_or_the_nearer_of_both_is_taken() -> None:
    joined = cosine(DOG.response.text, " ".join(TURNS))
    last = cosine(DOG.response.text, TURNS[-1])
    assert joined != pytest.approx(last, abs=1e-3)
    assert value(ContextCosine(turns=3), DOG) == pytest.approx(joined, abs=1e-6)
    assert value(ContextCosine(turns=3, join="max"), DOG) == pytest.approx(max(joined, last), abs=1e-6)


def test_a_dialogue_is_the_mean_over_what_its_assistant_answered() -> None:
    turns = tuple(
        Turn(speaker, text) for speaker, text in zip(["user", "assistant", "user"], TURNS, strict=True)
    )
    dialogue = Dialogue("1", (*turns, Turn("assistant", "Good name.")), "s")
    expected = (cosine(TURNS[0], TURNS[1]) + cosine(TURNS[2], "Good name.")) / 2
    assert value(ContextCosine(), dialogue) == pytest.approx(expected, abs=1e-6)


def test_blank_turns_are_passed_over() -> None:
    heard = Example("1", "s", (Turn("user", "Hello."),), Response("Hi."))
    after_a_blank = Example("1", "s", (*heard.context, Turn("user", " ")), Response("Hi."))
    assert value(ContextCosine(), after_a_blank) == value(ContextCosine(), heard)
    assert (
        ContextCosine().unscorable(Example("1", "s", (Turn("user", " "),), Response("Hi."))) == "no context"
    )


def test_no_turns_at_all_are_refused() -> None:
    with pytest.raises(DialevalError, match="at least 1"):
        build("context_cosine(turns=0)")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format", "path", "prefix", "criterion", "pooled", "within"),
    [
        ("fed", "fed/fed_data.json", "fed", "Overall", 0.162, 0.179),
        ("usr", "usr-topicalchat/topical_chat_result.json", "usr", "overall", 0.302, 0.228),
        ("grade", "grade", "convai2", "coherence", 0.494, 0.464),
        ("grade", "grade", "dailydialog", "coherence", 0.155, 0.179),
    ],
    ids=["fed", "usr", "convai2", "dailydialog"],
)
def test_correlations_with_people_measured_elsewhere_are_reproduced(
    shared_data: Path, format: str, path: str, prefix: str, criterion: str, pooled: float, within: float
) -> None:
    """Spearman of an independent computation with the same weights on torch, to its three decimals."""
    examples = [
        row for row in read(shared_data / path, "example", format=format) if row.item.startswith(prefix)
    ]
    people = [
        row for row in read(shared_data / path, "judgement", format=format) if row.item.startswith(prefix)
    ]
    metric = ContextCosine()
    values = metric.aggregate(metric.statistics(examples))
    human, scores = _tables(examples, people, criterion, values)
    for level, expected in (("item", pooled), ("item_within_system", within)):
        found = level_correlation(human, scores, kind="spearman", level=level)  # type: ignore[arg-type]
        assert found.value == pytest.approx(expected, abs=0.0015)


def _tables(
    examples: list[Example], people: list[Judgement], criterion: str, values: Floats
) -> tuple[Floats, Floats]:
    """Mean ratings and values, shape (systems, items)."""
    said: dict[tuple[str, str], list[float]] = {}
    for row in people:
        if row.criterion == criterion and row.value is not None:
            said.setdefault((row.system, row.item), []).append(row.value)
    systems = {name: place for place, name in enumerate(sorted({row.system for row in examples}))}
    items = {name: place for place, name in enumerate(sorted({row.item for row in examples}))}
    human, scores = (np.full((len(systems), len(items)), np.nan) for _ in range(2))
    for example, value in zip(examples, values, strict=True):
        place = systems[example.system], items[example.item]
        human[place], scores[place] = np.mean(said[example.system, example.item]), value
    return human, scores


def test_a_turn_that_only_calls_a_tool_is_passed_over() -> None:
    called = (Turn("user", "Weather in Rome?"), Turn("assistant", ""), Turn("tool", "20"))
    plain, after_call = (
        Dialogue(str(n), (*turns, Turn("assistant", "It is 20 degrees in Rome.")), "s")
        for n, turns in enumerate((called[:1], called))
    )
    metric = ContextCosine()
    assert metric.unscorable(after_call) is None
    one, other = metric.values([plain, after_call])
    assert one == pytest.approx(other, abs=1e-6)
