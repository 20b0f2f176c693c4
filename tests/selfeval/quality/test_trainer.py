"""Weights from ratings; heads from rated subjects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialeval.core import Floats
from dialeval.data.types import Dialogue, Example, Response, Turn
from dialeval.errors import Unsuitable
from dialeval.selfeval.quality.features import RECIPES
from dialeval.selfeval.quality.metric import FILE, find_head
from dialeval.selfeval.quality.trainer import RatedRows, RatedSet, fit_head, train, write_quality
from dialeval.selfeval.subjects import Subject


def made(
    seed: int, weights: list[float], *, count: int = 400, systems: int = 4, shift: float = 0
) -> RatedRows:
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(count, len(weights))) + shift
    ratings = rows @ np.array(weights) + 0.1 * generator.normal(size=count)
    return RatedRows(rows, ratings, tuple(f"s{number % systems}" for number in range(count)))


def test_without_ridge_the_weights_of_made_ratings_are_found() -> None:
    head = fit_head(["a", "b"], [1, -1], [made(0, [3, -4])], [1.0], ridge=0)
    # Ratings have a standard deviation of 5, so that 3 and -4 become .6 and -.8 of it.
    assert head.weight / head.scale == pytest.approx([0.6, -0.8], abs=0.03)


def test_a_weight_against_its_direction_becomes_zero() -> None:
    head = fit_head(["a", "b"], [1, 1], [made(0, [3, -4])], [1.0])
    assert head.weight[1] == 0
    assert head.weight[0] > 0.1


def test_ridge_holds_weights_back() -> None:
    weak, strong = (fit_head(["a"], [1], [made(0, [1])], [1.0], ridge=ridge) for ridge in (0.0, 1.0))
    assert strong.weight[0] == pytest.approx(weak.weight[0] / 2, rel=0.01)


def test_what_differs_only_between_sets_is_not_learnt() -> None:
    near, far = made(0, [1, 0]), made(1, [1, 0], shift=9)
    head = fit_head(["a", "b"], [1, 1], [near, far], [1.0, 1.0])
    alone = fit_head(["a", "b"], [1, 1], [near], [1.0])
    assert head.weight == pytest.approx(alone.weight, abs=0.05)


def test_importance_decides_between_sets_that_disagree() -> None:
    sets = [made(0, [1, 0]), made(1, [0, 1])]
    head = fit_head(["a", "b"], [1, 1], sets, [9.0, 1.0])
    assert head.weight[0] > 5 * head.weight[1]


def test_an_undefined_feature_counts_as_average() -> None:
    rated = made(0, [1, 1])
    rated.rows[::2, 1] = np.nan
    head = fit_head(["a", "b"], [1, 1], [rated], [1.0])
    row = np.array([[0.3, np.nan]])
    assert head.contributions(row)[0, 1] == 0
    assert np.isfinite(head.weight).all()


HI = Turn("user", "Hi.")


def responses(name: str, count: int, seed: int) -> RatedSet:
    ratings = np.random.default_rng(seed).normal(size=count)
    subjects = tuple(
        Example(f"{name}-{place}", f"s{place % 2}", (HI,), Response("Hello.")) for place in range(count)
    )
    return RatedSet(name, subjects, ratings)


def dialogues(name: str, count: int, seed: int, without: tuple[str, ...] = ()) -> RatedSet:
    ratings = np.random.default_rng(seed).normal(size=count)
    turns = (HI, Turn("assistant", "Hello."))
    subjects = tuple(Dialogue(f"{name}-{place}", turns, f"s{place % 2}") for place in range(count))
    return RatedSet(name, subjects, ratings, without)


def known_rows(*sets: RatedSet):  # type: ignore[no-untyped-def]
    """Rows in which last_cosine and reaction are the rating, and all else is 0."""
    ratings = {
        (subject.item): rating
        for rated in sets
        for subject, rating in zip(rated.subjects, rated.ratings, strict=True)
    }

    def rows(subjects: list[Subject], names: tuple[str, ...]) -> Floats:
        table = np.zeros((len(subjects), len(names)))
        for column, name in enumerate(names):
            if name in ("last_cosine", "reaction"):
                table[:, column] = [ratings[subject.item] for subject in subjects]
        return table

    return rows


def test_responses_alone_give_a_head_for_responses_alone_measured_by_fifths() -> None:
    rated = responses("a", 50, 0)
    trained = train([rated], rows=known_rows(rated))
    assert set(trained.heads) == {"turn"}
    head = trained.heads["turn"]
    assert head.names == RECIPES["turn"]
    assert dict(zip(head.names, head.weight, strict=True))["last_cosine"] == pytest.approx(0.5, abs=0.05)
    # Not quite 1: every fifth is centred on the mean of the others.
    assert [row.how for row in trained.agreement] == ["fifths left out"]
    assert 0.98 < trained.agreement[0].spearman < 1


def test_dialogues_teach_the_head_of_responses_too_but_not_the_other_way_round() -> None:
    sets = [responses("a", 30, 0), dialogues("b", 30, 1), dialogues("c", 30, 2)]
    trained = train(sets, rows=known_rows(*sets))
    assert set(trained.heads) == {"turn", "dialogue"}
    measured = [(row.recipe, row.name, row.how) for row in trained.agreement]
    assert measured == [
        ("turn", "a", "set left out"),
        ("dialogue", "b", "set left out"),
        ("dialogue", "c", "set left out"),
    ]


def test_a_feature_that_means_nothing_in_a_set_is_not_learnt_from_it() -> None:
    seen, blind = dialogues("b", 60, 1), dialogues("b", 60, 1, without=("reaction",))
    weights = []
    for rated in (seen, blind):
        head = train([rated], rows=known_rows(rated)).heads["dialogue"]
        weights.append(dict(zip(head.names, head.weight, strict=True))["reaction"])
    assert weights[0] > 0.2
    assert weights[1] == 0


def test_too_few_or_equal_ratings_are_refused() -> None:
    few = responses("a", 19, 0)
    equal = RatedSet("b", responses("b", 40, 0).subjects, np.ones(40))
    with pytest.raises(Unsuitable, match="at least 20"):
        train([few, equal], rows=known_rows(few, equal))


def test_the_folder_has_the_weights_and_a_card_with_numbers(tmp_path: Path) -> None:
    rated = responses("a", 50, 0)
    trained = train([rated], rows=known_rows(rated))
    write_quality(tmp_path, trained, [rated], "a command")
    read = find_head(tmp_path / FILE).head("turn")
    assert read.weight.tolist() == trained.heads["turn"].weight.tolist()
    card = (tmp_path / "README.md").read_text()
    assert "a: 50 ratings" in card
    assert "Command: `a command`" in card
    assert f"| turn | a | 50 | {trained.agreement[0].spearman:.3f} | fifths left out |" in card
