"""Drafts of questions, and the dialogues that give none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.data import read, write
from dialeval.errors import Unsuitable
from dialeval.selection.drafting.drafts import build_draft
from dialeval.selection.drafting.retrieval import CandidateRules
from dialeval.selection.repository.utterances import Excluded
from support.repositories import LINES, Count, dialogue, small_repository

ANY_LENGTH = CandidateRules(shortest=0, longest=100)
OPENING = ("take it , please .", "Which one do I press ?", "This one.")
TRUTHS = (
    "Do I have to focus it ?",
    "I lost the camera last week.",
    "My car is in the park.",
    "She plays tennis, you know.",
    "The button is red and new.",
)
CORPUS = [dialogue(f"d{at}", *OPENING, truth, "Bye.") for at, truth in enumerate(TRUTHS)]


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return small_repository(tmp_path_factory.mktemp("small"))


def test_a_question_hides_the_next_turn_among_its_like(repository):
    draft = build_draft(CORPUS, repository, m=3, rules=ANY_LENGTH)
    assert [question.item for question in draft.questions] == ["d0", "d1", "d2", "d3", "d4"]
    first = draft.questions[0]
    assert [turn.text for turn in first.context] == ["Take it, please.", "Which one do I press?", "This one."]
    assert [one.text for one in first.candidates if one.correct] == ["Do I have to focus it?"]
    assert {one.text for one in first.candidates if not one.correct} == set(LINES[:3])
    assert {question.status for question in draft.questions} == {"unvetted"}
    assert all(len(question.candidates) == 4 for question in draft.questions)
    assert (draft.left_out, draft.untried) == ((), 0)


def test_what_was_retrieved_is_what_is_false(repository):
    draft = build_draft(CORPUS, repository, m=3, rules=ANY_LENGTH)
    for question in draft.questions:
        false = {one.text for one in question.candidates if not one.correct}
        assert {one.text for one in draft.retrieved[question.item]} == false


def test_what_is_retrieved_is_listed_in_the_order_of_the_questions(repository):
    for seed in range(4):
        draft = build_draft(CORPUS, repository, m=2, seed=seed, rules=ANY_LENGTH)
        assert list(draft.retrieved) == [question.item for question in draft.questions]


def test_no_turn_of_any_dialogue_becomes_a_false_candidate(repository):
    # Later turns of the very dialogue, and a turn of another, all of which the repository holds.
    corpus = [
        dialogue("d0", *OPENING, TRUTHS[0], "do NOT lose your focus !", "Bye."),
        dialogue("d1", LINES[0].lower(), "No."),
    ]
    free = build_draft([dialogue("d0", *OPENING, TRUTHS[0])], repository, m=3, rules=ANY_LENGTH)
    kept = build_draft(corpus, repository, m=3, rules=ANY_LENGTH)
    assert {LINES[0], LINES[2]} <= {one.text for one in free.retrieved["d0"]}
    assert not {LINES[0], LINES[2]} & {one.text for one in kept.retrieved["d0"]}


def test_what_is_excluded_when_asked_stays_out_of_a_repository_that_holds_it(repository):
    draft = build_draft(CORPUS, repository, m=3, rules=ANY_LENGTH, exclude=Excluded.of(LINES[:2]))
    assert not {candidate.text for question in draft.questions for candidate in question.candidates} & set(
        LINES[:2]
    )
    assert len(draft.questions) == len(CORPUS)


def test_dialogues_that_give_no_question_are_listed_with_the_reason(repository):
    corpus = [
        *CORPUS[:1],
        dialogue("short", *OPENING),
        dialogue("blank", *OPENING[:2], " ", TRUTHS[1]),
        dialogue("empty"),
        dialogue("plain", *OPENING, "Yes, I will do."),
        dialogue("brief", *OPENING, "Camera!"),
        dialogue("twin", *OPENING, "do I have to focus it?"),
        dialogue("strange", *OPENING, "Zebras gallop."),
    ]
    draft = build_draft(corpus, repository, m=3, rules=CandidateRules(shortest=0.9, longest=1.1), seed=4)
    reasons = {left.item: left.reason for left in draft.left_out}
    twins = {"d0", "twin"}
    assert reasons.pop((twins & reasons.keys()).pop()) in {"the same turns as d0", "the same turns as twin"}
    assert reasons == {
        "short": "3 turns, 4 needed",
        "blank": "a blank turn among the first 4",
        "empty": "0 turns, 4 needed",
        "plain": "no content word in the ground truth",
        "brief": "fewer than 2 words in the ground truth",
        "strange": "0 fit utterances like the ground truth, 3 needed",
    }
    assert len(draft.questions) + len(draft.left_out) == len(corpus)


def test_the_limit_draws_by_the_seed_and_keeps_the_order(repository):
    drawn = [build_draft(CORPUS, repository, m=2, limit=2, seed=seed, rules=ANY_LENGTH) for seed in range(8)]
    items = [[question.item for question in draft.questions] for draft in drawn]
    assert all(len(found) == 2 and found == sorted(found) for found in items)
    assert len({tuple(found) for found in items}) > 2
    assert all(draft.untried == 3 for draft in drawn)


def test_the_same_seed_gives_the_same_draft_and_another_moves_the_candidates(repository):
    one, again, other = (
        build_draft(CORPUS, repository, m=3, seed=seed, rules=ANY_LENGTH) for seed in (5, 5, 6)
    )
    assert one == again
    assert one.questions != other.questions
    assert [set(q.candidates) for q in one.questions] == [set(q.candidates) for q in other.questions]


def test_the_place_of_the_truth_tells_nothing(repository):
    places = set()
    for seed in range(24):
        question = build_draft(CORPUS[:1], repository, m=3, seed=seed).questions[0]
        places.add([one.correct for one in question.candidates].index(True))
    assert places == {0, 1, 2, 3}


def test_more_turns_make_longer_contexts(repository):
    [question] = build_draft(CORPUS[:1], repository, turns=1, m=1, rules=ANY_LENGTH).questions
    assert len(question.context) == 1
    assert any(one.correct and one.text == "Which one do I press?" for one in question.candidates)


def test_a_repository_that_is_too_small_is_refused(tmp_path):
    tiny = small_repository(tmp_path, LINES[:3])
    with pytest.raises(Unsuitable, match="10 false candidates were asked for, but the repository has only 3"):
        build_draft(CORPUS, tiny)
    assert len(build_draft(CORPUS[:1], tiny, m=3).questions) == 1


@pytest.mark.parametrize("wrong", [{"turns": 0}, {"m": 0}])
def test_less_than_one_turn_or_candidate_cannot_be_asked_for(repository, wrong):
    with pytest.raises(Unsuitable, match="at least 1"):
        build_draft(CORPUS, repository, **wrong)


def test_nothing_gives_nothing(repository):
    draft = build_draft([], repository, m=3)
    assert (draft.questions, draft.left_out, draft.untried) == ((), (), 0)


def test_progress_hears_of_every_question(repository):
    count = Count()
    build_draft(CORPUS, repository, m=2, progress=count, rules=ANY_LENGTH)
    assert count.done == len(CORPUS)


def test_a_draft_is_written_and_read_again(repository, tmp_path):
    draft = build_draft(CORPUS, repository, m=2, rules=ANY_LENGTH)
    write(tmp_path / "draft.jsonl", draft.questions)
    assert tuple(read(tmp_path / "draft.jsonl", "question")) == draft.questions
    assert json.loads((tmp_path / "draft.jsonl").read_text().splitlines()[0])["status"] == "unvetted"


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([*OPENING, *TRUTHS, "", "Yes."]), max_size=6), max_size=8),
    st.integers(0, 5),
)
def test_every_dialogue_is_asked_left_out_or_untried(repository, texts, limit):
    corpus = [dialogue(f"d{at}", *turns) for at, turns in enumerate(texts)]
    draft = build_draft(corpus, repository, m=2, limit=limit, rules=ANY_LENGTH)
    assert len(draft.questions) + len(draft.left_out) + draft.untried == len(corpus)
    assert len(draft.questions) <= limit
    for question in draft.questions:
        assert [one.correct for one in question.candidates].count(True) == 1
        assert len({one.text for one in question.candidates}) == 3
