"""The perceptron tagger against NLTK's, and what its pickle may hold."""

from __future__ import annotations

import pickle

import pytest

from dialeval.errors import ResourceUnavailable
from dialeval.resources import check
from dialeval.resources.tagger import RESOURCE, _PlainUnpickler, load_tagger
from dialeval.text.tokenisers.treebank import word_tokenize_all
from support.mistake_examples import EXAMPLES


@pytest.fixture
def tagger():
    if check(RESOURCE, verify=False).state == "absent":
        pytest.skip("the tagger is not installed")
    return load_tagger()


def test_tags_are_those_of_nltk(tagger):
    perceptron = pytest.importorskip("nltk.tag.perceptron")
    oracle = perceptron.PerceptronTagger(load=False)
    oracle.model.weights, oracle.tagdict = tagger.weights, tagger.certain
    oracle.classes = oracle.model.classes = {t for row in tagger.weights.values() for t in row}
    texts = [one.false for one in EXAMPLES] + [one.context for one in EXAMPLES]
    texts += ["", "-", "In 1990 well-known 3rd -ers paid $5.", "naïve 東京"]
    for words in word_tokenize_all(texts):
        assert [tuple(one) for one in tagger.tag(words)] == oracle.tag(words)


def test_a_pickle_that_wants_to_run_something_is_refused(tmp_path):
    path = tmp_path / "evil.pickle"
    path.write_bytes(pickle.dumps(print))
    with path.open("rb") as handle, pytest.raises(ResourceUnavailable, match=r"builtins\.print"):
        _PlainUnpickler(handle).load()
