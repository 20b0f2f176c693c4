"""What each judge of plausibility drops, by hand and by the embedded encoder."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.data import read
from dialeval.resources import check
from dialeval.selection.vetting.filter import sift
from dialeval.selection.vetting.plausibility import (
    UNJUDGED,
    FitsContext,
    GainsAsMuch,
    LikeTruth,
    default_judges,
)
from dialeval.selection.vetting.rules import Fewest
from support.sieve_audit import AsLikely, audit
from support.word_judge import DRAFT, Words, asked


def test_as_likely_is_by_the_token():
    (found,) = AsLikely(Words()).excess([DRAFT])
    assert found == pytest.approx((0, 0, -1, 1 - 2 / 5, -1 / 2))
    (wide,) = AsLikely(Words(), margin=0.5).excess([DRAFT])
    assert wide[4] == 0


def test_a_gain_is_over_no_context_at_all():
    (found,) = GainsAsMuch(Words()).excess([DRAFT])
    assert found == pytest.approx((0, 0, -1, 2 * 4 / 5 - 1, 2 / 4 - 1))


def test_by_default_a_model_judges_by_what_the_context_adds():
    assert default_judges(Words()) == (LikeTruth(), FitsContext(), GainsAsMuch(Words()))
    assert default_judges() == (LikeTruth(), FitsContext())


def test_what_has_no_token_or_no_context_cannot_be_judged():
    blank = asked("", "no idea")
    assert np.isnan(AsLikely(Words()).excess([blank])[0]).tolist() == [False, True, False]
    bare = asked("no idea", heard=" ")
    assert np.isnan(GainsAsMuch(Words()).excess([bare])).all()
    assert not np.isnan(AsLikely(Words()).excess([bare])).any()


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
