"""Drafts and scores for tests: made by hand, or drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hypothesis import strategies as st

from dialeval.annotation.forms import candidate_ids
from dialeval.data import Candidate, Judgement, Question, Turn

CONTEXT = (
    Turn("user", "Where are you?"),
    Turn("assistant", "On the bus."),
    Turn("user", "When are you here?"),
)


def question(item: str, false: int, *, truth: bool = True) -> Question:
    right = (Candidate("In ten minutes.", correct=True),) if truth else ()
    wrong = tuple(Candidate(f"Minute {number}, {item}.", correct=False) for number in range(1, false + 1))
    return Question(item, CONTEXT, (*right, *wrong))


def scored(draft: Question, scores: Mapping[str, Sequence[float | None]]) -> list[Judgement]:
    """Judgements of the named candidates; a rater for each place in a list."""
    assert scores.keys() <= set(candidate_ids(draft))
    return [
        Judgement(draft.item, name, f"r{place}", "acceptability", value)
        for name, given in scores.items()
        for place, value in enumerate(given)
    ]


LOW, HIGH, BROKEN = [1, 1, 2, 1, 1], [5, 5, 4, 5, 3], [0, 0, 0, 1, 1]


@st.composite
def drafts(draw: st.DrawFn) -> tuple[list[Question], list[Judgement]]:
    """Some questions with 0 to 12 false candidates, each with 0 to 6 scores that lean to one end."""
    questions, judgements = [], []
    for number in range(draw(st.integers(1, 2))):
        # A plain draft has enough scores and mostly clear ones, so that second questions come about.
        plain = draw(st.booleans())
        one = question(
            f"q{number}",
            draw(st.integers(5, 12) if plain else st.integers(0, 12)),
            truth=plain or draw(st.integers(0, 4)) > 0,
        )
        questions.append(one)
        for name in candidate_ids(one):
            truth = name == "ground_truth"
            kind = draw(st.sampled_from([_SURE] if plain and truth else _KINDS[:4] if plain else _KINDS))
            size = 5 if plain else draw(st.sampled_from([5, 5, 5, 4, 6, 0]))
            given = draw(st.lists(st.sampled_from(kind), min_size=size, max_size=size))
            judgements += scored(one, {name: given})
    return questions, judgements


_SURE = [4, 5]
_KINDS = [[1, 2], [1, 1, 0], _SURE, [1, 2, 3], [0, 1, 2, 3, 4, 5], [3, 4], [0, 0, 1]]


def rated_questions(judgements: Iterable[Judgement]) -> list[Question]:
    """Questions of which only the scores are known, as those of Sato et al. (2020): their candidates' texts are ids."""
    names: dict[str, dict[str, None]] = {}
    for judgement in judgements:
        names.setdefault(judgement.item, {}).setdefault(judgement.system)
    return [
        Question(item, (), tuple(Candidate(name, name.startswith("ground_truth")) for name in candidates))
        for item, candidates in names.items()
    ]
