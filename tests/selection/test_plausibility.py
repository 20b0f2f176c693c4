"""The sieve for those without raters: what each judge drops, and how much of it on data of known worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from drafts import question

from dialeval.core import Signature
from dialeval.data import Candidate, Question, Turn, read
from dialeval.errors import Unsuitable
from dialeval.resources import check
from dialeval.selection.plausibility import (
    UNJUDGED,
    AsLikely,
    FitsContext,
    GainsAsMuch,
    LikeTruth,
    default_judges,
)
from dialeval.selection.rules import Fewest, Most
from dialeval.selection.sieve_audit import audit
from dialeval.selection.sifting import sift


@dataclass(frozen=True)
class Words:
    """Finds a text likely by its words, two nats each, and a word of the context for nothing; a token a word."""

    name: str = "words"

    @property
    def signature(self) -> Signature:
        return Signature(self.name)

    def logprob(self, contexts, responses):
        heard = [{word for turn in context for word in turn.text.split()} for context in contexts]
        costs = [
            sum(-2.0 for word in text.split() if word not in known)
            for known, text in zip(heard, responses, strict=True)
        ]
        return np.array(costs)

    def tokens(self, responses):
        return np.array([len(text.split()) for text in responses])


def asked(*false: str, truth: str = "tea please", heard: str = "tea or coffee") -> Question:
    wrong = tuple(Candidate(text, correct=False) for text in false)
    return Question("q", (Turn("user", heard),), (Candidate(truth, correct=True), *wrong))


class TestByHand:
    # The truth costs 2 nats over 2 tokens: -1 a token, of which the context has spared 1.
    draft = asked("coffee please", "no idea", "coffee or tea or nothing", "tea then go now")

    def test_the_truth_is_shown_at_each_place_equally_often_whatever_is_spare(self):
        drafted = [question(f"q{at}", 10) for at in range(200)]
        found = sift(drafted, [], fewest=Fewest(3), most=Most(3)).questions
        places = [[one.correct for one in asked.candidates].index(True) for asked in found]
        # Of 200 by chance 50 at each, with a standard deviation of 6.
        assert all(30 <= places.count(at) <= 70 for at in range(4)), places

    def test_as_likely_is_by_the_token(self):
        (found,) = AsLikely(Words()).excess([self.draft])
        assert found == pytest.approx((0, 0, -1, 1 - 2 / 5, -1 / 2))
        (wide,) = AsLikely(Words(), margin=0.5).excess([self.draft])
        assert wide[4] == 0

    def test_a_gain_is_over_no_context_at_all(self):
        (found,) = GainsAsMuch(Words()).excess([self.draft])
        assert found == pytest.approx((0, 0, -1, 2 * 4 / 5 - 1, 2 / 4 - 1))

    def test_what_has_no_token_or_no_context_cannot_be_judged(self):
        blank = asked("", "no idea")
        assert np.isnan(AsLikely(Words()).excess([blank])[0]).tolist() == [False, True, False]
        bare = asked("no idea", heard=" ")
        assert np.isnan(GainsAsMuch(Words()).excess([bare])).all()
        assert not np.isnan(AsLikely(Words()).excess([bare])).any()
        good = Candidate("neither thanks", correct=True)
        several = Question("q", (), (*asked("", truth="tea").candidates, good))
        assert audit([several], [AsLikely(Words())]).false_kept == {"false": 0.0}

    def test_what_cannot_be_judged_is_dropped_for_that_reason(self):
        sifted = sift([asked("", "no idea")], [AsLikely(Words())], fewest=Fewest(1))
        assert {one.text for one in sifted.questions[0].candidates} == {"tea please", "no idea"}
        assert sifted.removed == (("q", "false_1", "", UNJUDGED, None),)

    def test_by_default_a_model_judges_by_what_the_context_adds(self):
        assert default_judges(Words()) == (LikeTruth(), FitsContext(), GainsAsMuch(Words()))
        assert default_judges() == (LikeTruth(), FitsContext())

    def test_what_is_dropped_is_named_with_its_reason_and_the_rest_stays_unvetted(self):
        judge = AsLikely(Words())
        sifted = sift([self.draft], [judge], fewest=Fewest(2), most=None)
        (left,) = sifted.questions
        assert left.status == "unvetted"
        assert {one.text for one in left.candidates} == {"tea please", "no idea", "tea then go now"}
        assert [(one.candidate, one.text, one.excess) for one in sifted.removed] == [
            ("false_1", "coffee please", 0.0),
            ("false_3", "coffee or tea or nothing", pytest.approx(0.6)),
        ]
        assert {one.rule for one in sifted.removed} == {str(judge)}
        assert sifted.judges == ("Drop a false candidate that words finds as likely as the ground truth.",)

    def test_too_few_left_drop_the_question_and_too_many_are_spare(self):
        gone = sift([self.draft], [AsLikely(Words())])
        assert gone.questions == ()
        # Two went by the judge; the truth and the two that nobody doubted go with the question.
        assert [one[:3] for one in gone.removed[2:]] == [
            ("q", None, "tea please"),
            ("q", "false_2", "no idea"),
            ("q", "false_4", "tea then go now"),
        ]
        assert {one.rule for one in gone.removed[2:]} == {str(Fewest(3))}
        plenty = question("q", 6)
        sifted = sift([plenty], [])
        assert len(sifted.questions[0].candidates) == 4
        assert [one.rule for one in sifted.removed] == [str(Most(3))] * 3

    def test_a_question_without_one_truth_is_listed_not_judged(self):
        sifted = sift([question("q", 3, truth=False), question("r", 3)], [AsLikely(Words())])
        assert sifted.removed[0] == (
            "q",
            None,
            "",
            "Drop a question that has not exactly one ground truth.",
            None,
        )
        assert [one[:2] for one in sifted.removed[1:4]] == [("q", f"false_{at}") for at in (1, 2, 3)]

    @pytest.mark.parametrize(("fewest", "most"), [(3, 3), (1, 2), (4, 1)])
    def test_every_drafted_candidate_is_kept_or_listed_once(self, fewest, most):
        drafted = [self.draft, question("r", 6), question("s", 2)]
        sifted = sift(drafted, [AsLikely(Words())], fewest=Fewest(fewest), most=Most(most))
        kept = [(one.item, own.text) for one in sifted.questions for own in one.candidates]
        listed = [(one.question, one.text) for one in sifted.removed]
        assert sorted(kept + listed) == sorted(
            (one.item, own.text) for one in drafted for own in one.candidates
        )

    def test_what_people_vetted_stays_vetted(self):
        vetted = Question("q", (), question("q", 3).candidates, "vetted")
        assert sift([vetted], []).questions[0].status == "vetted"

    def test_an_audit_counts_what_is_rightly_dropped_and_kept(self):
        good = tuple(
            Candidate(text, correct=True) for text in ("tea please", "coffee please", "neither thanks")
        )
        bad = (Candidate("tea or coffee", False, "adversarial"), Candidate("no idea", False, "random"))
        found = audit([Question("q", self.draft.context, (*good, *bad)), self.draft], [AsLikely(Words())])
        assert found.acceptable_dropped == 0.5
        assert found.false_kept == {"adversarial": 0.0, "random": 1.0}
        assert found.questions == 1
        never = AsLikely(Words(), margin=-9)
        both = audit([Question("q", self.draft.context, (*good, *bad))], [never, AsLikely(Words())])
        assert both == found  # one judge that drops it is enough
        with pytest.raises(Unsuitable, match="two correct candidates or more"):
            audit([self.draft], [])


class TestEncoder:
    @pytest.fixture(autouse=True)
    def _installed(self):
        pytest.importorskip("transformers")
        if check("all-minilm-l6-v2", verify=False).state == "absent":
            pytest.skip("the encoder is not installed")

    def test_a_paraphrase_of_the_truth_is_dropped(self):
        draft = asked(
            *("A cup of tea, please.", "The train left an hour ago.", "My brother plays the violin.", ""),
            truth="Tea for me, please.",
            heard="Would you like tea or coffee?",
        )
        (found,) = LikeTruth(0.7).excess([draft])
        assert found[1] > 0
        assert max(found[2:4]) < 0
        assert np.isnan(found[4])  # nobody can say what a blank text is like
        (fits,) = FitsContext().excess([draft])
        assert fits[0] == 0
        assert fits[1] > -0.1
        assert max(fits[2:4]) < -0.3
        assert np.isnan(fits[4])

    def test_where_the_last_turn_is_blank_nothing_is_said_to_be_close_to_it(self):
        draft = asked("The train left.", truth="Tea for me, please.", heard=" ")
        sifted = sift([draft], [FitsContext()], fewest=Fewest(1))
        assert sifted.questions == ()
        assert sifted.removed[0] == ("q", "false_1", "The train left.", UNJUDGED, None)

    @pytest.mark.slow
    def test_on_dailydialog_plusplus_it_lets_much_pass(self, shared_data):
        """As docs/selection-vetting.md says; over all 571 questions .36 and .94."""
        path = shared_data / "dailydialog-plusplus" / "test.first571.json"
        questions = list(read(path, "question", format="dailydialog++"))[:40]
        found = audit(questions, [LikeTruth(0.3)])
        assert 0.2 < found.acceptable_dropped < 0.5
        assert found.false_kept["adversarial"] > 0.84
        assert found.false_kept["random"] > 0.9
