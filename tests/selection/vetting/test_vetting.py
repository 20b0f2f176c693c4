"""Rules applied to drafts: by hand, by properties, and to the published scores."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval.annotation.answers import Unusable
from dialeval.annotation.forms import candidate_ids
from dialeval.data import Candidate, Judgement, Question, read
from dialeval.errors import Unsuitable
from dialeval.files.documents import as_json
from dialeval.selection.vetting.record import FILES, CandidateCounts, vetting_record, write_vetted
from dialeval.selection.vetting.rules import SATO_2020, Fewest, Most, Rules, Settled, Votes
from dialeval.selection.vetting.vetting import apply
from dialeval.stats.agreement.kappa import counts_of, fleiss_kappa
from support.drafts import BROKEN, HIGH, LOW, drafts, question, rated_questions, scored


def names(found: Question) -> set[str]:
    return {candidate.text for candidate in found.candidates}


class TestByHand:
    def test_each_rule_removes_its_own_and_says_so(self):
        draft = question("q", 6)
        scores = {f"false_{n}": LOW for n in (1, 2, 3)} | {"false_4": HIGH, "false_5": BROKEN}
        vetted = apply(
            SATO_2020, [draft], scored(draft, {"ground_truth": HIGH, **scores, "false_6": [1, 4, 4]})
        )
        (left,) = vetted.questions
        assert left.status == "vetted"
        assert names(left) == {"In ten minutes.", "Minute 1, q.", "Minute 2, q.", "Minute 3, q."}
        by_candidate = {one.candidate: (one.rule, one.votes) for one in vetted.removed}
        assert by_candidate == {
            "false_4": (SATO_2020.acceptable, (5, 5, 4, 5, 3)),
            "false_5": (SATO_2020.ungrammatical, (0, 0, 0, 1, 1)),
            "false_6": (SATO_2020.settled, (1, 4, 4)),
        }
        assert {str(one.rule): one.candidates for one in vetted.counts if one.candidates} == {
            str(SATO_2020.acceptable): 1,
            str(SATO_2020.ungrammatical): 1,
            str(SATO_2020.settled): 1,
        }

    def test_a_question_goes_with_its_ground_truth(self):
        weak, none, twice = question("weak", 3), question("none", 3, truth=False), question("twice", 3)
        twice = Question("twice", (), (*twice.candidates, Candidate("Also right.", correct=True)))
        false = {f"false_{n}": LOW for n in (1, 2, 3)}
        judgements = scored(weak, {"ground_truth": [5, 5, 3, 2, 0], **false}) + scored(none, false)
        vetted = apply(SATO_2020, [weak, none, twice], judgements)
        assert vetted.questions == ()
        whole = [one for one in vetted.removed if one.candidate is None]
        assert [(one.question, one.text, one.rule) for one in whole] == [
            ("weak", "In ten minutes.", SATO_2020.ground_truth),
            ("none", "", SATO_2020.one_truth),
            ("twice", "", SATO_2020.one_truth),
        ]
        assert vetted.removed[0].votes == (5, 5, 3, 2, 0)
        # What went with it has its own scores, and the rule that took the question.
        assert [(one.candidate, one.rule, one.votes) for one in vetted.removed[1:4]] == [
            (f"false_{n}", SATO_2020.ground_truth, (1, 1, 2, 1, 1)) for n in (1, 2, 3)
        ]
        assert vetting_record(vetted).candidates == CandidateCounts(12, 0, 12, 0)

    def test_what_is_left_of_a_question_with_too_few_is_listed_with_it(self):
        draft = question("q", 3)
        scores = {"ground_truth": HIGH, "false_1": LOW, "false_2": HIGH, "false_3": LOW}
        removed = apply(SATO_2020, [draft], scored(draft, scores)).removed
        assert {(one.candidate, one.rule) for one in removed} == {
            ("false_2", SATO_2020.acceptable),
            (None, SATO_2020.fewest),
            ("false_1", SATO_2020.fewest),
            ("false_3", SATO_2020.fewest),
        }

    def test_six_left_make_a_second_question_around_the_best_dropped_utterance(self):
        draft = question("q", 8)
        scores = {f"false_{n}": LOW for n in range(1, 7)}
        scores |= {"false_7": [4, 4, 4, 1, 3], "false_8": [5, 5, 5, 4, 1], "ground_truth": HIGH}
        vetted = apply(SATO_2020, [draft], scored(draft, scores))
        first, second = vetted.questions
        assert (first.item, second.item) == ("q", "q/2")
        assert second.context == first.context
        truth = [one.text for one in second.candidates if one.correct]
        assert truth == ["Minute 8, q."]
        assert not names(first) & names(second)
        assert len(names(first)) == len(names(second)) == 4
        assert vetted.second_questions == 1
        assert {one.candidate: one.became for one in vetted.removed} == {"false_7": None, "false_8": "q/2"}
        assert vetting_record(vetted).candidates == CandidateCounts(9, 8, 2, 1)
        assert [one.questions for one in vetted.counts if one.rule == SATO_2020.surplus] == [1]
        kept = {(one.item, one.system): [] for one in vetted.scores}
        for one in vetted.scores:
            kept[one.item, one.system].append(one.value)
        assert kept["q/2", "ground_truth"] == [5, 5, 5, 4, 1]

    def test_an_acceptable_utterance_that_would_not_stand_makes_no_second_question(self):
        draft = question("q", 7)
        # Scored 3 by three: acceptable as a false candidate, too weak as a ground truth.
        scores = {f"false_{n}": LOW for n in range(1, 7)} | {"false_7": [3, 3, 3, 1, 1], "ground_truth": HIGH}
        vetted = apply(SATO_2020, [draft], scored(draft, scores))
        assert len(vetted.questions) == 1
        assert Counter(one.rule for one in vetted.removed) == {SATO_2020.most: 3, SATO_2020.acceptable: 1}

    def test_what_becomes_a_ground_truth_loses_the_error_it_was_thought_to_have(self):
        draft = question("q", 7)
        guessed = tuple(replace(one, error=None if one.correct else "other?") for one in draft.candidates)
        scores = {f"false_{n}": LOW for n in range(1, 7)} | {"false_7": HIGH, "ground_truth": HIGH}
        draft = replace(draft, candidates=guessed)
        second = apply(SATO_2020, [draft], scored(draft, scores)).questions[1]
        assert {(one.correct, one.error) for one in second.candidates} == {(True, None), (False, "other?")}

    def test_no_second_question_where_either_would_have_too_few_false_candidates(self):
        draft = question("q", 7)
        scores = {f"false_{n}": LOW for n in range(1, 7)} | {"false_7": HIGH, "ground_truth": HIGH}
        vetted = apply(Rules(fewest=Fewest(4), most=Most(4)), [draft], scored(draft, scores))
        assert [(one.item, len(one.candidates)) for one in vetted.questions] == [("q", 5)]

    def test_of_an_odd_number_the_first_question_has_one_more_than_the_second(self):
        draft = question("q", 8)
        scores = {f"false_{n}": LOW for n in range(1, 8)} | {"false_8": HIGH, "ground_truth": HIGH}
        vetted = apply(Rules(most=None), [draft], scored(draft, scores))
        assert [len(one.candidates) for one in vetted.questions] == [5, 4]

    def test_as_many_scores_are_expected_as_the_rules_say(self):
        draft = question("q", 3)
        scores = {f"false_{n}": [1, 1, 3] for n in (1, 2, 3)} | {"ground_truth": [5, 5, 4]}
        few = apply(Rules(settled=Settled(3)), [draft], scored(draft, scores))
        assert len(few.questions) == 1
        assert apply(SATO_2020, [draft], scored(draft, scores)).removed[0].rule == SATO_2020.settled

    def test_all_that_is_left_stays_where_no_most_is_set(self):
        draft = question("q", 5)
        scores = {f"false_{n}": LOW for n in range(1, 6)} | {"ground_truth": HIGH}
        vetted = apply(Rules(most=None, surplus=None), [draft], scored(draft, scores))
        assert len(vetted.questions[0].candidates) == 6
        assert vetted.removed == ()

    def test_a_second_question_never_takes_an_id_that_is_in_use(self):
        draft, other = question("q", 7), question("q/2", 3)
        high, low = {"ground_truth": HIGH}, {f"false_{n}": LOW for n in range(1, 7)}
        few = {f"false_{n}": LOW for n in range(1, 4)}
        judgements = scored(draft, {**high, **low, "false_7": HIGH}) + scored(other, {**high, **few})
        vetted = apply(SATO_2020, [draft, other], judgements)
        assert [one.item for one in vetted.questions] == ["q", "q/3", "q/2"]

    def test_the_truth_is_shown_at_each_place_equally_often_whatever_is_spare(self):
        drafted = [question(f"q{at}", 10) for at in range(200)]
        scores = {f"false_{n}": LOW for n in range(1, 11)} | {"ground_truth": HIGH}
        judgements = [one for draft in drafted for one in scored(draft, scores)]
        found = apply(SATO_2020, drafted, judgements).questions
        places = Counter([one.correct for one in asked.candidates].index(True) for asked in found)
        # Of 200 by chance 50 at each, with a standard deviation of 6.
        assert all(30 <= places[at] <= 70 for at in range(4)), places

    def test_the_seed_draws_and_shuffles_and_nothing_else_does(self):
        draft, other = question("q", 5), question("r", 3)
        scores = {f"false_{n}": LOW for n in range(1, 6)} | {"ground_truth": HIGH}
        judgements = scored(draft, scores)
        alone = apply(SATO_2020, [draft], judgements, seed=1)
        assert apply(SATO_2020, [other, draft], judgements, seed=1).questions == alone.questions
        drawn = {apply(SATO_2020, [draft], judgements, seed=seed).questions for seed in range(40)}
        assert len({frozenset(names(one[0])) for one in drawn}) == 10
        places = {[c.correct for c in one[0].candidates].index(True) for one in drawn}
        assert places == {0, 1, 2, 3}

    def test_unusable_answers_are_listed_and_do_not_count(self):
        draft = question("q", 3)
        false = {f"false_{n}": LOW for n in (1, 2)} | {"false_3": [1, 1, 7, 2.5, None]}
        stray = [Judgement("q", "false_9", "r1", "acceptability", 1.0)]
        vetted = apply(SATO_2020, [draft], scored(draft, {"ground_truth": HIGH, **false}) + stray)
        assert [(one.fault, one.rater, one.found) for one in vetted.unusable] == [
            ("not an answer of the form", "r2", "7"),
            ("not an answer of the form", "r3", "2.5"),
            ("no answer", "r4", "nothing"),
            ("unknown candidate", "r1", "1"),
        ]
        assert vetted.removed[0].rule == SATO_2020.settled
        assert vetted.removed[1].rule == SATO_2020.fewest

    def test_answers_that_never_became_judgements_are_in_the_record_before_the_others(self):
        draft = question("q", 3)
        scores = {f"false_{n}": LOW for n in (1, 2, 3)} | {"ground_truth": [*HIGH, 9]}
        blank = Unusable("no answer", "q1c1", "ana", "an empty cell")
        vetted = apply(SATO_2020, [draft], scored(draft, scores), unusable=[blank])
        assert [one.fault for one in vetted.unusable] == ["no answer", "not an answer of the form"]
        assert vetting_record(vetted).unusable[0] == blank


@given(drafts(), st.integers(0, 3), st.booleans())
def test_what_stands_breaks_no_rule(made, seed, every):
    rules = Rules(most=None) if every else SATO_2020
    questions, judgements = made
    vetted = apply(rules, questions, judgements, seed=seed)
    votes: dict[tuple[str, str], list[int]] = {}
    for one in judgements:
        text = next(
            candidate.text
            for draft in questions
            if draft.item == one.item
            for name, candidate in zip(candidate_ids(draft), draft.candidates, strict=True)
            if name == one.system
        )
        votes.setdefault((one.item, text), []).append(int(one.value))
    for found in vetted.questions:
        draft = found.item.removesuffix("/2")
        false = [one for one in found.candidates if not one.correct]
        (truth,) = [one for one in found.candidates if one.correct]
        assert len(false) >= 3
        assert every or len(false) == 3
        for one in false:
            own = votes[draft, one.text]
            assert sum(score >= 3 for score in own) <= 2
            assert sum(score == 0 for score in own) <= 2
        assert sum(score <= 3 for score in votes[draft, truth.text]) <= 2
        if found.item.endswith("/2"):
            assert sum(score >= 3 for score in votes[draft, truth.text]) >= 3
            assert truth.text != "In ten minutes."


@given(drafts(), st.integers(0, 3), st.booleans())
def test_vetting_twice_changes_nothing_and_loses_nothing(made, seed, every):
    rules = Rules(most=None) if every else SATO_2020
    questions, judgements = made
    once = apply(rules, questions, judgements, seed=seed)
    twice = apply(rules, once.questions, once.scores, seed=seed)
    assert twice.questions == once.questions
    assert twice.scores == once.scores
    assert twice.removed == twice.unusable == ()
    # Every candidate of the draft is kept once or listed once, unless it came back and says so.
    for draft in questions:
        stood = [one for one in once.questions if one.item.removesuffix("/2") == draft.item]
        gone = [one for one in once.removed if one.question == draft.item]
        kept = [candidate.text for one in stood for candidate in one.candidates]
        back = [one for one in gone if one.became is not None]
        assert [one.became for one in back] == [one.item for one in stood[1:]]
        assert all(one.text in kept for one in back)
        assert sum(one.candidate is None for one in gone) == (not stood)
        listed = [one.text for one in gone if one.became is None and one.text]
        assert sorted([*kept, *listed]) == sorted(candidate.text for candidate in draft.candidates)
    counted = as_json(vetting_record(once).candidates)
    assert counted["drafted"] == counted["kept"] + counted["removed"] - counted["second_truths"]


class TestPublishedScores:
    @pytest.fixture
    def judgements(self, shared_data):
        path = shared_data / "eval-via-selection" / "human_scores.jsonl"
        return list(read(path, "judgement", format="eval-via-selection"))

    def test_all_1019_questions_pass_the_rules(self, judgements):
        vetted = apply(SATO_2020, rated_questions(judgements), judgements)
        assert len(vetted.questions) == 1019
        assert vetted.removed == vetted.unusable == ()
        assert len(vetted.scores) == 1019 * 4 * 5

    def test_kappas_are_those_of_the_raw_scores(self, judgements):
        """facts.md section 3: six classes .2156 (the paper prints .22), two classes .6155 (it prints .63)."""
        vetted = apply(SATO_2020, rated_questions(judgements), judgements)
        table: dict[tuple[str, str], list[float]] = {}
        for one in vetted.scores:
            table.setdefault((one.item, one.system), []).append(one.value)
        scores = np.array(list(table.values()))
        assert fleiss_kappa(counts_of(scores)).value == pytest.approx(0.2156, abs=5e-5)
        assert fleiss_kappa(counts_of((scores > 3).astype(float))).value == pytest.approx(0.6155, abs=5e-5)

    def test_one_vote_more_against_it_and_a_question_would_fail(self, judgements):
        """The rules are tight: some false candidate has exactly two high scores, some truth two low ones."""
        table: dict[tuple[str, str], list[int]] = {}
        for one in judgements:
            table.setdefault((one.item, one.system), []).append(int(one.value))
        high = [sum(s >= 3 for s in own) for (_, name), own in table.items() if name != "ground_truth"]
        low = [sum(s <= 3 for s in own) for (_, name), own in table.items() if name == "ground_truth"]
        assert max(high) == max(low) == 2
        assert Votes((3, 3)).count((3, 4, 5)) == 2


def test_the_record_holds_all_of_it_and_an_empty_set_is_an_error(tmp_path):
    draft = question("q", 5)
    scores = {f"false_{n}": LOW for n in range(1, 5)} | {"false_5": HIGH, "ground_truth": HIGH}
    vetted = apply(SATO_2020, [draft], scored(draft, scores))
    write_vetted(vetted, tmp_path / "set")
    assert {path.name for path in (tmp_path / "set").iterdir()} == set(FILES)
    assert tuple(read(tmp_path / "set" / "questions.jsonl", "question")) == vetted.questions
    assert tuple(read(tmp_path / "set" / "scores.jsonl", "judgement")) == vetted.scores
    removed = [json.loads(line) for line in (tmp_path / "set" / "removed.jsonl").read_text().splitlines()]
    assert Counter(one["rule"] for one in removed) == {
        str(SATO_2020.acceptable): 1,
        str(SATO_2020.most): 1,
    }
    assert json.loads((tmp_path / "set" / "vetting.json").read_text())["questions"] == 1
    with pytest.raises(Unsuitable, match=r"No question of 1 is left\. There are no answers"):
        write_vetted(apply(SATO_2020, [draft], []), tmp_path / "none")
