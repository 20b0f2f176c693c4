"""People beside measures on the same axes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.data.types import Judgement
from dialeval.display.notes import Note
from dialeval.errors import UnknownName, Unsuitable
from dialeval.meta.judgements import join, system_identity
from dialeval.ratings.joined import (
    Counts,
    Coverage,
    Grid,
    Joined,
    MeasureGrid,
    Unjoined,
)
from dialeval.ratings.table import Ratings

NAN = math.nan


def people(*rows: tuple[str, str, str, float | None], criterion: str = "overall") -> list[Judgement]:
    return [Judgement(item, system, rater, criterion, value) for item, system, rater, value in rows]


HUMAN = people(
    ("i1", "a", "ann", 1.0),
    ("i1", "a", "bob", 2.0),
    ("i1", "b", "ann", 4.0),
    ("i2", "a", "bob", 5.0),
    ("i2", "b", "ann", None),
    ("i4", "a", "ann", 3.0),
)
SCORES = [
    Judgement("i1", "a", "mine", "mine", 0.1),
    Judgement("i1", "b", "mine", "mine", 0.2),
    Judgement("i2", "a", "mine", "mine", None, "no references"),
    Judgement("i2", "b", "mine", "mine", 0.4),
    Judgement("i3", "a", "mine", "mine", 0.5),
    Judgement("i2", "a", "bleu", "bleu", 0.6),
]


def joined() -> Joined:
    return join(Ratings.of([*HUMAN, *SCORES]), "overall")


def test_ratings_of_a_cell_are_averaged_over_the_people_who_could_say() -> None:
    found = joined()
    assert (found.systems, found.items) == (("a", "b"), ("i1", "i2", "i4", "i3"))
    np.testing.assert_equal(found.human.values, [[1.5, 5, 3, NAN], [4, NAN, NAN, NAN]])
    assert found.counts == Counts(ratings=5, could_not_say=1, repeated=0, set_aside={})


def test_measures_stand_on_the_axes_of_people() -> None:
    mine, bleu = joined().measures
    assert (mine.name, mine.rater, mine.criterion) == ("mine", "mine", "mine")
    np.testing.assert_equal(mine.values, [[0.1, NAN, NAN, 0.5], [0.2, 0.4, NAN, NAN]])
    np.testing.assert_equal(bleu.values, [[NAN, 0.6, NAN, NAN], [NAN] * 4])


def test_the_cube_of_raters_holds_every_rating() -> None:
    found = joined()
    assert found.rater_names == ("ann", "bob")
    cube = np.full((2, 2, 4), NAN)
    cube[found.people.rater, found.people.system, found.people.item] = found.people.value
    np.testing.assert_equal(cube, [[[1, NAN, 3, NAN], [4, NAN, NAN, NAN]], [[2, 5, NAN, NAN], [NAN] * 4]])


def test_what_does_not_join_is_counted_and_listed() -> None:
    found = joined()
    assert found.coverage == (Coverage("mine", 2, 2, 2), Coverage("bleu", 1, 3, 0))
    assert found.unjoined == (
        Unjoined("human", "i4", "a"),
        Unjoined("mine", "i3", "a"),
        Unjoined("mine", "i2", "b"),
    )


def test_people_alone_join_with_nothing_and_nothing_is_left_over() -> None:
    alone = join(Ratings.of(HUMAN), "overall")
    assert (alone.measures, alone.unjoined, alone.coverage) == ((), (), ())


def test_other_criteria_of_people_are_set_aside_unless_asked_for() -> None:
    fluency = people(("i1", "a", "ann", 7.0), ("i1", "a", "bob", 8.0), criterion="fluency")
    ratings = Ratings.of([*HUMAN, *fluency, *SCORES])
    assert dict(join(ratings, "overall").counts.set_aside) == {"fluency": 2}
    also = join(ratings, "overall", also=["flu*"])
    assert dict(also.counts.set_aside) == {}
    assert also.measures[-1].name == "fluency"
    assert also.measures[-1].rater == "people"
    assert also.measures[-1].values[0, 0] == 7.5


def test_a_rater_who_may_be_a_person_is_noted() -> None:
    ratings = Ratings.of([*HUMAN, *people(("i1", "a", "cat", 1.0), criterion="fluency")])
    (note,) = join(ratings, "overall").notes
    assert note.code == "taken_for_measures"
    assert note.text.startswith("treated as measures, because they never rated overall: cat;")
    assert join(ratings, "overall", measures=["cat"]).notes == (
        Note("people", "people: ann, bob"),
        Note("measures", "measures: cat"),
    )


def test_an_unknown_criterion_suggests_the_close_one() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'overall'"):
        join(Ratings.of(HUMAN), "overal")


def test_ratings_without_people_are_refused() -> None:
    with pytest.raises(Unsuitable, match="found only measures"):
        join(Ratings.of(SCORES), "bleu")
    with pytest.raises(Unsuitable, match="found 1 judgements by people, none with a value"):
        join(Ratings.of(people(("i", "a", "ann", None))), "overall")


def test_sides_that_share_no_cell_are_refused_with_an_example_of_each() -> None:
    scores = [Judgement("item-1", "a", "mine", "mine", 0.1)]
    with pytest.raises(Unsuitable, match=r"rated item 'i1' of system 'a'; mine scored item 'item-1'"):
        join(Ratings.of([*HUMAN, *scores]), "overall")


def test_a_measure_that_never_gave_a_value_joins_with_nothing_to_show() -> None:
    found = join(Ratings.of([*HUMAN, Judgement("i1", "a", "mine", "mine", None, "no references")]), "overall")
    assert found.coverage == (Coverage("mine", 0, 4, 0),)
    assert len(found.unjoined) == 4


def test_measures_are_found_by_name_and_added_on_the_same_axes_only() -> None:
    found = joined()
    assert found.measure_named("bleu") is found.measures[1]
    with pytest.raises(UnknownName, match="Did you mean 'bleu'"):
        found.measure_named("bleuu")
    assert found.plus(found.measures[0]).measures == (*found.measures, found.measures[0])
    stranger = MeasureGrid("x", "x", "x", Grid(("a",), ("i1",), np.zeros((1, 1))))
    with pytest.raises(ValueError, match="other axes"):
        found.plus(stranger)


def test_system_identity_gives_each_rated_cell_its_systems_mean() -> None:
    identity = system_identity(joined())
    mean = (1.5 + 5 + 3) / 3
    np.testing.assert_allclose(identity.values, [[mean, mean, mean, NAN], [4, NAN, NAN, NAN]])


def test_ratings_with_the_same_mean_on_paper_tie() -> None:
    tenths = {"q1": (0.1, 0.2, 0.3), "q2": (0.3, 0.2, 0.1), "q3": (0.2,), "q4": ()}
    rows = [("s", item, f"r{at}", value) for item, given in tenths.items() for at, value in enumerate(given)]
    made = Ratings.of(Judgement(item, system, rater, "overall", value) for system, item, rater, value in rows)
    values = join(made, "overall").human.values[0]
    assert sum(tenths["q1"]) / 3 != sum(tenths["q2"]) / 3
    assert values[0] == values[1] == values[2] == pytest.approx(0.2, rel=1e-11)


def test_single_values_stay_as_they_were_given() -> None:
    given = [0.1, 1e15, 1 / 3]
    rows = [Judgement(f"q{at}", "s", "ana", "overall", value) for at, value in enumerate(given)]
    assert join(Ratings.of(rows), "overall").human.values[0].tolist() == given


def test_ratings_that_no_measure_can_be_held_against_can_be_left_out() -> None:
    extra = people(("i9", "z", "ann", 1.0), ("i9", "z", "bob", 5.0))
    joined = join(Ratings.of([*HUMAN, *extra, *SCORES]), "overall")
    assert "z" in joined.systems
    kept = joined.scored
    assert (~np.isnan(kept.human.values)).sum() < (~np.isnan(joined.human.values)).sum()
    cells = np.any([~np.isnan(one.values) for one in joined.measures], axis=0)
    assert cells[kept.people.system, kept.people.item].all()
    assert not (~np.isnan(kept.human.values) & ~cells).any()


def test_a_measure_goes_by_its_criterion_where_that_is_its_alone() -> None:
    signed = [
        Judgement("i1", "a", f"rouge_l(beta={beta})|lcs=words|version=1", "rouge_l", 0.5) for beta in (1.2,)
    ]
    joined = join(Ratings.of([*HUMAN, *signed]), "overall")
    assert {joined.measure_named(name).name for name in ("rouge_l", "rouge_l(beta=1.2)")} == {"rouge_l"}


def test_items_may_differ_if_systems_are_compared_alone():
    human = people(("q1", "a", "ann", 1.0), ("q1", "b", "ann", 3.0))
    ratings, strange = (
        Ratings.of([*human, *(Judgement("x", system, "bleu", "bleu", 0.2) for system in systems)])
        for systems in ("ab", "cd")
    )
    with pytest.raises(Unsuitable, match="or compare systems alone with --level system"):
        join(ratings, "overall")
    found = join(ratings, "overall", other_items=True)
    assert "other_items" in [note.code for note in found.notes]
    with pytest.raises(Unsuitable, match="No answer is both rated"):
        join(strange, "overall", other_items=True)
