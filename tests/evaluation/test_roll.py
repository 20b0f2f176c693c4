"""Subjects are noted once for all metrics, and metrics that follow each other share what they compute."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from dialeval.core import Floats, Missing, Resampling, Signature
from dialeval.data import Dialogue, Example, Response, Turn
from dialeval.errors import Unsuitable
from dialeval.evaluation.roll import Roll, keep, recent_roll
from dialeval.evaluation.runner import Plan, evaluate


def example(item: str, text: str, *references: str) -> Example:
    return Example(item, "s", (), Response(text), references)


def refuses_x(example: Example) -> str | None:
    return "x" if example.response.text == "x" else None


@dataclass(frozen=True)
class Letters:
    """Letters of a response; notes the batches it is given."""

    higher_is_better: ClassVar[None] = None
    seen: list[Sequence[Example]] = field(default_factory=list)

    unscorable = staticmethod(refuses_x)

    @property
    def signature(self) -> Signature:
        return Signature("letters")

    def statistics(self, examples: Sequence[Example]) -> Floats:
        self.seen.append(examples)
        return np.array([[len(one.response.text), 1] for one in examples], dtype=float).reshape(-1, 2)

    def aggregate(self, totals: Floats) -> Floats:
        return np.asarray(totals[..., 0] / totals[..., 1])


@pytest.mark.parametrize("together", [True, False])
def test_metrics_are_given_the_same_batches_of_what_they_can_score(together):
    examples = [example("1", "a"), example("2", "x"), example("3", "abc")]
    one, other = Letters(), Letters()
    if together:
        results = list(evaluate({"1": one, "2": other}, examples, Plan()).values())
    else:
        results = [evaluate(metric, examples) for metric in (one, other)]
    assert [subject.item for subject in one.seen[0]] == ["1", "3"]
    assert one.seen[0] is other.seen[0]
    assert [dict(result.reasons) for result in results] == [{1: "x"}, {1: "x"}]
    assert results[0].provenance == results[1].provenance
    assert results[0].items is results[1].items


def test_other_examples_are_not_taken_for_the_last_ones():
    examples = [example("1", "a"), example("2", "b")]
    first = evaluate(Letters(), examples)
    changed = [examples[0], example("2", "bcd")]
    second = evaluate(Letters(), changed)
    examples[1] = changed[1]  # the list of the first evaluation, with another example in it
    third = evaluate(Letters(), examples)
    assert (first.score, second.score, third.score) == (1, 2, 2)
    assert first.provenance.data != second.provenance.data == third.provenance.data


def test_what_can_be_written_to_is_not_remembered():
    metadata = {"a": 1}
    for subjects in (
        [Dialogue("1", (), "s", metadata)],
        [Example("1", "s", (Turn("user", "", extra=metadata),), Response("a"))],
    ):
        first, batches = recent_roll(subjects, 8, digests=False)
        assert len(list(batches)) == 1
        again, batches = recent_roll(subjects, 8, digests=False)
        assert len(list(batches)) == 1
        assert first is not again
        assert first.data == again.data


def test_batches_of_another_size_or_with_digests_are_other_batches():
    examples = [example("1", "a"), example("2", "b")]
    plain = list(recent_roll(examples, 8, digests=False)[1])
    again = list(recent_roll(examples, 8, digests=False)[1])
    small = list(recent_roll(examples, 1, digests=False)[1])
    named = list(recent_roll(examples, 8, digests=True)[1])
    assert plain[0] is again[0]
    assert [len(batches) for batches in (plain, small, named)] == [1, 2, 1]
    assert [batch.digest for batch in plain] == [""]
    assert all(batch.digest for batch in named)


class Noticed(str):
    """Text whose end shows."""


def test_many_examples_are_not_kept_alive():
    text = Noticed("a")
    gone = weakref.ref(text)
    examples = [example(str(index), text) for index in range(32_769)]
    evaluate(Letters(), examples, Plan(resampling=Resampling(resamples=0)))
    del examples, text
    gc.collect()
    assert gone() is None


def test_a_roll_of_a_stream_holds_no_subjects():
    roll: Roll[Example] = Roll(2, digests=False)
    batches = roll.note(example(str(index), "a") for index in range(5))
    assert len(next(batches).subjects) == 2
    assert len(roll) == 2
    assert [batch.first for batch in batches] == [2, 4]
    assert roll.items == ("0", "1", "2", "3", "4")
    kept = keep([example(str(index), "a") for index in range(5)], 3, digests=True)
    assert [len(batch.subjects) for batch in kept.batches] == [3, 2]
    assert roll.data == kept.roll.data


def test_a_kept_roll_notes_a_batch_when_it_is_first_asked_for():
    noted = keep((example(str(index), "a") for index in range(5)), 2, digests=False)
    first = next(iter(noted.batches))
    assert len(noted.roll) == 2
    again = list(noted.batches)
    assert again[0] is first
    assert [batch.first for batch in again] == [batch.first for batch in noted.batches] == [0, 2, 4]


def test_what_cannot_be_noted_is_refused_each_time():
    noted = keep([example("1", "a"), example("2", "\ud800")], 1, digests=False)
    for _ in range(2):
        with pytest.raises(Unsuitable, match="'2' holds half of a character"):
            list(noted.batches)


def test_a_packed_roll_gives_the_same_ids_systems_and_clusters():
    subjects = [example(item, "a") for item in ("d/1", "d/2", "e/1", "é/2", "")] * 500
    plain, packed = (Roll[Example](64, digests=True, packed=packed) for packed in (False, True))
    digests = [[batch.digest for batch in roll.note(subjects)] for roll in (plain, packed)]
    assert digests[0] == digests[1]
    assert list(packed.items) == list(plain.items)
    assert list(packed.systems) == list(plain.systems)
    chosen = np.arange(len(subjects)) % 3 > 0
    for places in (np.ones(len(subjects), dtype=bool), chosen):
        np.testing.assert_array_equal(
            packed.clusters(Resampling(), places), plain.clusters(Resampling(), places)
        )


def test_clusters_are_of_the_places_asked_for():
    roll, batches = keep([example(item, "a") for item in ("d/1", "d/2", "e/1", "e/2")], 8, digests=False)
    assert len(list(batches)) == 1
    every = np.ones(4, dtype=bool)
    everything = roll.clusters(Resampling(), every)
    assert everything is not None
    assert everything.tolist() == [0, 0, 1, 1]
    assert roll.clusters(Resampling(), every) is everything
    assert roll.clusters(Resampling(), np.array([True, False, True, False])) is None
    assert roll.clusters(Resampling(cluster="none"), every) is None


def test_a_missing_subject_without_words_is_still_missing():
    result = evaluate(Letters(), [example("1", "ab"), Missing("2", "s", ""), example("3", "a")])
    assert dict(result.reasons) == {1: ""}
