"""What is said of a question set, by hand and of real ones."""

from __future__ import annotations

import math

import pytest

from dialeval.data import Candidate, Question, Turn, read
from dialeval.errors import Unsuitable
from dialeval.selection.asking.questions import against
from dialeval.selection.asking.trials import listed
from dialeval.selection.statistics import agreement_of_scores, shared_words, statistics
from dialeval.selection.vetting.rules import SATO_2020
from dialeval.selection.vetting.vetting import apply
from support.drafts import HIGH, LOW, question, rated_questions, scored


def test_shared_words_by_hand():
    asked = Question(
        "q",
        (Turn("user", "Does the camera work?"),),
        (
            Candidate("Do I have to focus the camera?", correct=True),
            Candidate("Do not lose your focus!", correct=False),
            Candidate("A camera focus.", correct=False),
            Candidate("I have to be there.", correct=False),
            Candidate("Work!", correct=False),
        ),
    )
    found = shared_words([asked])
    assert found.false_with_truth == 2 / 4
    assert found.false_with_context == 2 / 4
    assert found.truth_with_context == 1
    assert math.isnan(shared_words([Question("q", (), ())]).false_with_truth)


def test_counts_and_what_cannot_be_known_of_a_tiny_set():
    drafts = [question("a", 3), question("b", 5)]
    found = statistics(drafts)
    assert (found.questions, found.contexts) == (2, 1)
    assert found.candidates == (4, 5.0, 6)
    assert found.context_turns == (3, 3.0, 3)
    assert found.chance == pytest.approx((1 / 4 + 1 / 6) / 2)
    assert found.agreement is None
    assert found.lexical.random.reason is not None
    assert found.lexical.random.value is None
    assert found.warnings == ()
    with pytest.raises(Unsuitable, match="No questions to ask"):
        statistics([])


def test_random_candidates_come_from_what_was_named_even_where_that_is_too_little():
    drafts = [question(f"q{at}", 3) for at in range(9)]
    assert statistics(drafts, trials=2).lexical.random.reason is None
    assert "0 of 0 utterances" in (
        statistics(drafts, utterances=listed([]), trials=2).lexical.random.reason or ""
    )


def test_agreement_counts_what_is_not_used():
    draft = question("q", 3)
    scores = {"ground_truth": HIGH, **{f"false_{n}": LOW for n in (1, 2)}, "false_3": [1, 1, 1, 1, 8]}
    found = agreement_of_scores([draft], scored(draft, scores))
    assert found.scores == 19
    assert found.faults == {"not an answer of the form": 1}
    # Above 3 or not: the truth has 4 yes and 1 no, all 14 others no.
    agreeing, shares = (3 * 1 + 12 / 20) / 4, (4 / 19, 15 / 19)
    chance = sum(share**2 for share in shares)
    assert found.two_classes.value == pytest.approx((agreeing - chance) / (1 - chance))


def test_the_published_scores(shared_data):
    """Sato et al. (2020), Table 1; kappas as facts.md recomputed them (.2156, and .6155 where the paper prints .63)."""
    path = shared_data / "eval-via-selection" / "human_scores.jsonl"
    judgements = list(read(path, "judgement", format="eval-via-selection"))
    vetted = apply(SATO_2020, rated_questions(judgements), judgements)
    found = agreement_of_scores(vetted.questions, vetted.scores)
    assert len(vetted.questions) == 1019
    assert found.scores == 4076 * 5
    assert found.six_classes.value == pytest.approx(0.2156, abs=5e-5)
    assert found.two_classes.value == pytest.approx(0.6155, abs=5e-5)


def test_shared_words_solve_less_where_candidates_were_chosen(shared_data):
    """The contrast of the paper's preliminary experiment (.461 and .671): chosen false candidates and random ones."""
    path = shared_data / "mutual" / "dev.jsonl"
    found = statistics(list(read(path, "question", format="mutual"))[:200], trials=10)
    assert found.candidates == (4, 4.0, 4)
    assert found.lexical.chosen.value < 0.4
    assert found.lexical.random.value > 0.75
    assert found.shared_words.false_with_truth > 0.6


def test_the_adversarial_candidates_of_dailydialog_plusplus_give_themselves_away(shared_data):
    path = shared_data / "dailydialog-plusplus" / "dev.json"
    questions = against(list(read(path, "question", format="dailydialog++"))[:120], {"adversarial"})
    found = statistics(questions, trials=5)
    by_name = {one.name: one for one in found.artefacts}
    assert by_name["position"].accuracy.value == 1
    assert by_name["length"].warning is not None
    assert len(found.warnings) >= 2
    assert found.labels == {"adversarial": 600}
