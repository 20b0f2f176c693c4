"""Who is a person, who is a measure, and what a measure is called."""

from __future__ import annotations

import pytest

from dialeval.data.types import Judgement
from dialeval.errors import UnknownName, Unsuitable
from dialeval.meta.judgements import only_criterion
from dialeval.meta.roles import called_like_a_metric, measures_among, measuring, named, taken_for_measures
from dialeval.ratings.table import Ratings

BLEU = "bleu(order=4)|tokens=whitespace|version=1"


def table(*who: tuple[str, str]) -> Ratings:
    return Ratings.of([Judgement("i", "s", rater, criterion, 1.0) for rater, criterion in who])


MIXED = table(
    ("ann", "overall"), ("ann", "fluency"), ("mine", "mine"), (BLEU, "overall"), ("rouge_l", "overall")
)


@pytest.mark.parametrize(
    ("people", "measures", "expected"),
    [
        (None, None, ["mine", BLEU, "rouge_l"]),
        (None, ["a*"], ["ann", "mine", BLEU, "rouge_l"]),
        (["ann"], None, ["mine", BLEU, "rouge_l"]),
        (["rouge_l", "bleu*"], None, ["ann", "mine"]),
    ],
    ids=["by rule", "a pattern for measures adds", "a pattern for people", "people override the rule"],
)
def test_measures_are_told_from_people(
    people: list[str] | None, measures: list[str] | None, expected: list[str]
) -> None:
    found = measuring(MIXED, "overall", people=people, measures=measures)
    assert [name for name, one in zip(MIXED.raters, found, strict=True) if one] == expected


def test_patterns_that_fit_nobody_or_both_sides_are_refused() -> None:
    with pytest.raises(
        UnknownName, match=r"no rater called 'worker.*pattern for people must match one of the 4 raters"
    ):
        measuring(MIXED, "overall", people=["worker*"], measures=None)
    with pytest.raises(UnknownName, match=r"Did you mean 'rouge_l'.*pattern for measures"):
        measuring(MIXED, "overall", people=None, measures=["mine", "rouge_1"])
    with pytest.raises(Unsuitable, match="'ann' matches a pattern for people and one for measures"):
        measuring(MIXED, "overall", people=["a*"], measures=["*n"])


@pytest.mark.parametrize(
    ("rater", "expected"),
    [
        (BLEU, True),
        ("bleu", True),
        ("bleu(order=2)", True),
        ("distinct", True),
        ("ana", False),
        ("bleu|x", False),
        ("A (b", False),
    ],
)
def test_our_own_metrics_are_known_by_name(rater: str, expected: bool) -> None:
    assert called_like_a_metric(rater) is expected


def test_a_signature_goes_by_its_call_and_a_single_criterion_by_its_rater() -> None:
    assert [one.name for one in named([(BLEU, "bleu"), ("fed", "Interesting")])] == ["bleu", "fed"]


def test_several_criteria_of_one_rater_go_by_their_names() -> None:
    pairs = [("fed", "Interesting"), ("fed", "Fluent"), ("unieval", "Fluent"), ("unieval", "Overall")]
    assert [one.name for one in named(pairs)] == ["Interesting", "fed/Fluent", "unieval/Fluent", "Overall"]


def test_equal_calls_are_told_apart_by_the_whole_signature() -> None:
    other = BLEU.replace("whitespace", "13a")
    assert [one.name for one in named([(BLEU, "bleu"), (other, "bleu")])] == [BLEU, other]


METRICS = ("METEOR", "sim.mr.sys", "bleu(order=4)|tokens=words|version=1", "unieval(quality='overall')")


def test_measures_are_known_by_the_criterion_that_bears_their_name_or_by_our_metrics():
    ratings = table(
        ("ana", "fluency"),
        ("METEOR", "METEOR"),
        ("sim.mr.sys", "sim.mr.sys"),
        ("bleu(order=4)|tokens=words|version=1", "bleu"),
        ("unieval(quality='overall')", "unieval"),
        ("rouge_l", "fluency"),
        ("fluency", "fluency"),
        ("fluency", "other"),
    )
    assert measures_among(ratings) == {*METRICS, "rouge_l"}


def test_people_may_be_called_after_what_they_judge():
    beside = table(("human", "human"), ("rouge_l", "rouge_l"))
    assert measures_among(beside) == {"rouge_l"}
    three = table(("human", "human"), ("ann", "fluency"), ("rouge_l", "rouge_l"))
    assert measures_among(three, human="human") == {"rouge_l"}
    assert measuring(three, "human", people=None, measures=None).tolist() == [False, True, True]


def test_whoever_is_a_measure_without_being_called_one_is_noted():
    automatic = table(("cat", "fluency"), ("mine", "mine"), (BLEU, "bleu"), ("rouge_l", "fluency"))
    (note,) = taken_for_measures(automatic, "overall")
    assert note.text.startswith("treated as measures, because they never rated overall: cat;")
    assert taken_for_measures(automatic, "overall", measures=["c*"]) == ()
    assert taken_for_measures(automatic, "overall", people=["ann"]) == ()
    crowd = table(*((f"w{at}", "fluency") for at in range(5)))
    assert "w0, w1, w2 and 2 more;" in taken_for_measures(crowd, "overall")[0].text


def test_the_only_criterion_is_not_that_of_a_metric_called_after_it():
    assert only_criterion(table(("ann", "overall"), ("METEOR", "METEOR")), todo="") == "overall"
    assert only_criterion(table(("human", "human"), ("rouge_l", "rouge_l")), todo="") == "human"


def test_measures_are_called_as_in_a_study():
    lines = ("rouge_l(beta=1.2)|version=1", "bleu(order=2)|version=1", "mine(a=1)|version=1")
    assert [one.name for one in named([(line, line.split("(")[0]) for line in lines])] == [
        *("rouge_l", "bleu(order=2)", "mine")
    ]
    both = ("bleu(order=2)|version=1", "bleu(order=4)|version=1")  # 4 is the default
    assert [one.name for one in named([(line, "bleu") for line in both])] == [
        "bleu(order=2)",
        "bleu(order=4)",
    ]
    mine = ("mine(a=1,b=3)|version=1", "mine(a=2,b=3)|version=1")
    assert [one.name for one in named([(line, "mine") for line in mine])] == ["mine(a=1)", "mine(a=2)"]
