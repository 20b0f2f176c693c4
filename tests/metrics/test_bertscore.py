from __future__ import annotations

import io
from contextlib import redirect_stderr
from math import log
from pathlib import Path

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.data.types import Example, Response
from dialeval.encoder.files import Weights
from dialeval.errors import DialevalError, Unsuitable
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.metrics.bertscore import (
    NO_MATCH,
    BertScore,
    Idf,
    IdfBertScore,
    Match,
    Tokens,
    bert_score,
    best,
    learn_idf,
    match,
)

MEASURES = ("precision", "recall", "f1")


def example(text: str, *references: str, item: str = "i", system: str = "s") -> Example:
    return Example(item, system, (), Response(text), references)


def package_scores(
    folder: Path, layer: int, examples: list[Example], *, idf: bool = False, batch_size: int = 64
) -> np.ndarray:
    """Precision, recall and F1 of each example by the bert-score package, shape (n, 3)."""
    peer = pytest.importorskip("bert_score")
    with redirect_stderr(io.StringIO()):
        scorer = peer.BERTScorer(
            model_type=str(folder), num_layers=layer, idf=idf, nthreads=0, batch_size=batch_size
        )
        if idf:
            scorer.compute_idf([text for each in examples for text in each.references])
        found = scorer.score([e.response.text for e in examples], [list(e.references) for e in examples])
    return np.stack([part.numpy() for part in found], axis=1)


def our_scores(layer: int, examples: list[Example], *, idf: bool = False) -> np.ndarray:
    metrics = [bert_score(layer=layer, idf=idf, measure=measure) for measure in MEASURES]  # type: ignore[arg-type]
    return np.stack(
        [evaluate(metric, examples, Plan(resampling=Resampling(resamples=0))).values for metric in metrics],
        axis=1,
    )


@pytest.mark.slow
@pytest.mark.parametrize("idf", [False, True])
def test_equals_the_bert_score_package_on_real_pairs(
    minilm: Weights, real_examples: list[Example], idf: bool
) -> None:
    theirs = package_scores(minilm.folder, 4, real_examples, idf=idf)
    np.testing.assert_allclose(our_scores(4, real_examples, idf=idf), theirs, atol=1e-5)


@pytest.mark.slow
def test_differs_from_the_package_only_where_its_padding_shows(
    minilm: Weights, real_examples: list[Example]
) -> None:
    # The package lets padding match with cosine 0, so a token all of whose cosines are negative gets 0, but only if
    # its batch holds a longer pair. In the last layer of MiniLM some tokens are such. Alone, nothing is padded.
    single = [example(e.response.text, e.references[0]) for e in real_examples[:150]]
    ours, theirs = our_scores(6, single), package_scores(minilm.folder, 6, single)
    apart = np.flatnonzero(np.abs(ours - theirs).max(axis=1) > 1e-5)
    assert 0 < len(apart) < 10
    for at in apart.tolist():
        alone = package_scores(minilm.folder, 6, [single[at]])
        np.testing.assert_allclose(ours[at], alone[0], atol=1e-5)
        assert (ours[at] <= theirs[at] + 1e-6).all()


def test_equals_the_package_with_an_encoder_of_ones_own(roberta: Path) -> None:
    # The package asks RoBERTa's tokenizer for a blank before each text, which transformers 5 no longer heeds there;
    # so it is given a tokenizer that was told so from the start, as ours was.
    peer = pytest.importorskip("bert_score")
    from transformers import AutoTokenizer

    examples = [
        example("the cat sat", "where is the cat?"),
        example("where is it?", "it sat on the mat", "cat"),
    ]
    scorer = peer.BERTScorer(model_type=str(roberta), num_layers=1, batch_size=1)
    scorer._tokenizer = AutoTokenizer.from_pretrained(roberta, add_prefix_space=True)
    theirs = scorer.score([e.response.text for e in examples], [list(e.references) for e in examples])
    ours = BertScore(model=str(roberta), layer=1).statistics(examples)[:, 0]
    np.testing.assert_allclose(ours, theirs[2].numpy(), atol=1e-5)


def test_the_same_text_scores_1_and_more_alike_scores_more(minilm: Weights) -> None:
    same = example("It is behind the station.", "It is behind the station.")
    near = example("It is behind the station.", "You'll find it at the back of the station.")
    far = example("It is behind the station.", "I had soup yesterday!")
    values = BertScore().statistics([same, near, far])[:, 0]
    assert values[0] == pytest.approx(1, abs=1e-6)
    assert values[0] > values[1] > values[2] + 0.1


def test_precision_and_recall_change_places_with_the_texts(minilm: Weights) -> None:
    one, other = example("hello there", "hello my old friend"), example("hello my old friend", "hello there")
    precision, recall = BertScore(measure="precision"), BertScore(measure="recall")
    np.testing.assert_allclose(precision.statistics([one]), recall.statistics([other]), atol=1e-6)
    assert abs(precision.statistics([one])[0, 0] - recall.statistics([one])[0, 0]) > 0.01


def test_of_several_references_the_best_counts(minilm: Weights) -> None:
    both = example("hello there", "hello my friend", "no way")
    each = [example("hello there", text) for text in both.references]
    found = BertScore().statistics([both, *each])[:, 0]
    assert found[0] == pytest.approx(max(found[1:]), abs=1e-6)


@pytest.mark.parametrize(("text", "reference"), [("", "hello"), ("hello", ""), ("", ""), (" \n", "hello")])
def test_empty_texts_score_0(minilm: Weights, text: str, reference: str) -> None:
    assert BertScore().statistics([example(text, reference)]).tolist() == [[0, 1]]


def test_rare_tokens_weigh_more(minilm: Weights) -> None:
    # "the" is in every reference and weighs nothing: only "cat" and "dog" are asked for.
    corpus = [example("the cat", "the cat", item="1"), example("the dog", "the cat", item="2")]
    fitted = bert_score(idf=True, measure="recall").fit([*corpus, example("x", "the sun", item="3")])
    plain = BertScore(measure="recall").statistics(corpus)[:, 0]
    weighed = fitted.statistics(corpus)[:, 0]
    assert weighed[0] == pytest.approx(1, abs=1e-6)
    assert weighed[1] < plain[1] - 0.02


def test_each_items_references_are_counted_once_whatever_the_systems(minilm: Weights) -> None:
    one = [example("a", "the cat", item="1", system="a"), example("b", "the dog", item="2", system="a")]
    two = [*one, example("c", "the cat", item="1", system="b"), example("d", "the dog", item="2", system="b")]
    metric = bert_score(idf=True)
    assert isinstance(metric, IdfBertScore)
    assert metric.fit(one) == metric.fit(two)
    assert metric.fit(one).learnt.documents == 2
    assert metric.fit(one).resources["bertscore reference corpus"] == metric.fit(one).learnt.digest


def test_weights_by_rarity_need_the_corpus_first(minilm: Weights) -> None:
    with pytest.raises(Unsuitable, match=r"has seen none. Score with evaluate\(\), which fits it"):
        bert_score(idf=True).statistics([example("a", "a")])
    assert not bert_score().has("fit")


@pytest.mark.parametrize("layer", [-1, 7])
def test_the_layer_must_be_one_of_the_models(minilm: Weights, layer: int) -> None:
    with pytest.raises(DialevalError, match=f"'layer' of bertscore: found {layer}, expected None or 0 to 6"):
        BertScore(layer=layer)


def test_the_signature_names_encoder_and_layer(minilm: Weights) -> None:
    assert str(BertScore(layer=3, measure="recall").signature) == (
        "bertscore(model='minilm',layer=3,idf=False,measure='recall',hub=False)|"
        "encoder=all-minilm-l6-v2:44ed2cabcf7e|references=best|rescaled=no|version=1"
    )


def tokens(*rows: tuple[float, float], weights: list[float] | None = None) -> Tokens:
    units = np.array(rows, np.float32)
    return Tokens(units, np.array(weights if weights is not None else [1.0] * len(rows)))


EAST, NORTH, WEST = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)
SLANT = (0.6, 0.8)


def test_each_token_takes_its_best_partner() -> None:
    # Response: east finds slant (0.6), north finds slant (0.8). Reference: slant finds north (0.8).
    found = match(tokens(EAST, NORTH), tokens(SLANT))
    assert found == pytest.approx(Match(0.7, 0.8, 2 * 0.7 * 0.8 / 1.5), abs=1e-7)


def test_tokens_count_by_their_weight() -> None:
    found = match(tokens(EAST, NORTH, weights=[3, 1]), tokens(SLANT, EAST, weights=[1, 0]))
    # A token without weight is a partner all the same: east finds east.
    assert found.precision == pytest.approx((3 * 1 + 0.8) / 4, abs=1e-7)
    assert found.recall == pytest.approx(0.8, abs=1e-7)


def test_opposites_are_negative_and_not_cut_off_at_0() -> None:
    assert match(tokens(EAST), tokens(WEST)) == Match(-1.0, -1.0, -1.0)


def test_a_text_without_weight_matches_nothing() -> None:
    bare = tokens(EAST, NORTH, weights=[0, 0])
    assert match(bare, tokens(EAST)) == match(tokens(EAST), bare) == NO_MATCH


def test_precision_and_recall_that_cancel_out_give_0() -> None:
    response, reference = tokens(EAST), tokens(EAST, WEST, weights=[0, 1])
    assert match(response, reference) == Match(1.0, -1.0, 0.0)


def test_the_best_of_each_comes_from_any_reference() -> None:
    assert best([Match(0.9, 0.1, 0.3), Match(0.2, 0.8, 0.4)]) == Match(0.9, 0.8, 0.4)


def test_a_token_counts_once_a_document_and_weighs_less_the_more_have_it() -> None:
    idf = learn_idf([[1, 7, 7], [1, 8], [1]])
    assert idf == Idf(3, {1: 3, 7: 1, 8: 1})
    assert idf.weight(1) == 0
    assert idf.weight(7) == log(4 / 2)
    assert idf.weight(99) == log(4)


def test_the_digest_follows_all_that_moves_a_weight() -> None:
    assert learn_idf([[1, 2], [3]]).digest == learn_idf([[3], [2, 1]]).digest
    assert len({learn_idf(docs).digest for docs in ([[1]], [[1], []], [[1], [1]], [[1], [2]])}) == 4
