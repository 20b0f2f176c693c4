from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dialeval.data import read
from dialeval.data.types import Example, Response
from dialeval.errors import Unsuitable
from dialeval.evaluation.runner import evaluate
from dialeval.metrics.embedding import EmbeddingAverage, GreedyMatching, VectorExtrema
from dialeval.metrics.embedding.metric import EmbeddingMetric, each_lower_word, lower_words, treebank_words
from support.embedding_oracle import ORACLES

METRICS = {metric.name: metric for metric in (EmbeddingAverage, VectorExtrema, GreedyMatching)}
each_metric = pytest.mark.parametrize("name", METRICS)
with_plane = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
TEXTS = st.lists(st.sampled_from("abcd?"), min_size=1, max_size=6).map(" ".join)


def example(text: str, *references: str) -> Example:
    return Example("i", "s", (), Response(text), references)


def score(metric: EmbeddingMetric, *examples: Example) -> float:
    return float(metric.aggregate(metric.statistics(examples).sum(axis=0)))


@pytest.mark.parametrize(
    ("name", "text", "references", "expected"),
    [
        ("embedding_average", "a b", ["a"], 1 / math.sqrt(2)),
        ("embedding_average", "d", ["a"], 3 / 5),
        ("embedding_average", "a d", ["b"], 4 / math.sqrt(32)),  # lengths count: (1, 0) + (3, 4)
        ("embedding_average", "a c", ["a"], 0.0),  # vectors that cancel out
        ("embedding_average", "a", ["b", "d", "c"], 3 / 5),  # the closest reference
        ("embedding_average", "c", ["a"], -1.0),
        ("vector_extrema", "a d", ["a"], 3 / 5),
        ("vector_extrema", "a b", ["a"], 1 / math.sqrt(2)),
        ("vector_extrema", "a c", ["a"], -1.0),  # 1 and -1 are equally far from 0: the lower one stays
        ("vector_extrema", "c a", ["a"], -1.0),
        ("vector_extrema", "c b a", ["b"], 1 / math.sqrt(2)),
        ("vector_extrema", "c d", ["a"], 3 / 5),
        ("vector_extrema", "a", ["c", "b"], 0.0),
        ("greedy_matching", "a b", ["a"], (1 + 1 / 2) / 2),
        ("greedy_matching", "a a b", ["a"], (1 + 2 / 3) / 2),  # a word said twice counts twice
        ("greedy_matching", "d a", ["b"], (0.8 + 0.4) / 2),
        ("greedy_matching", "a b", ["d c"], ((0.8 + 0) / 2 + (0.6 + 0.8) / 2) / 2),
        ("greedy_matching", "c", ["a", "b"], 0.0),
        ("greedy_matching", "c", ["a"], -1.0),
    ],
)
@pytest.mark.parametrize("profile", ["default", "nlgeval"])
def test_scores_by_hand(
    plane: str, profile: str, name: str, text: str, references: list[str], expected: float
) -> None:
    metric = METRICS[name](profile=profile, vectors=plane)  # type: ignore[arg-type]
    assert score(metric, example(text, *references)) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("embedding_average", 1.75 / math.hypot(1.75, 1.25)),
        ("vector_extrema", 1 / math.hypot(1, 1.25)),
        ("greedy_matching", (1 + (1 + 0.75 / math.hypot(0.75, 1.25)) / 2) / 2),
    ],
)
def test_an_unknown_word_is_the_mean_vector_to_nlgeval_and_is_skipped_by_default(
    plane: str, name: str, expected: float
) -> None:
    nlgeval, default = METRICS[name](profile="nlgeval", vectors=plane), METRICS[name](vectors=plane)
    assert score(nlgeval, example("a zzz", "a")) == pytest.approx(expected, abs=1e-7)
    assert score(nlgeval, example("a A", "a")) == pytest.approx(expected, abs=1e-7)  # case matters
    assert score(default, example("a zzz", "a")) == pytest.approx(1, abs=1e-7)
    assert score(default, example("A", "a")) == pytest.approx(1, abs=1e-7)


@each_metric
def test_unknown_words_are_counted(plane: str, name: str) -> None:
    for profile, words in (("default", 6), ("nlgeval", 7)):  # only the latter counts the full stop
        metric = METRICS[name](profile=profile, vectors=plane)  # type: ignore[arg-type]
        row = metric.statistics([example("a zzz b.", "a yyy", "d")])[0]
        assert row[1:].tolist() == [1, words - 4, words]


@each_metric
def test_an_empty_response_scores_nothing_and_an_empty_reference_is_passed_over(
    plane: str, name: str
) -> None:
    for profile in ("default", "nlgeval"):
        metric = METRICS[name](profile=profile, vectors=plane)  # type: ignore[arg-type]
        for text in ("", "  "):
            assert metric.unscorable(example(text, "a")) is None
            assert score(metric, example(text, "a")) == 0
        assert score(metric, example("c", "", "a")) == pytest.approx(-1)


@each_metric
@pytest.mark.parametrize(
    ("profile", "text", "references", "reason"),
    [
        ("default", "a", [], "no references"),
        ("default", "zzz", ["a"], "no known word in the response"),
        ("default", "zzz", ["yyy", ""], "no known word in any reference"),
        ("default", "", ["yyy"], "no known word in any reference"),
        ("default", "a", ["?!"], "no known word in any reference"),
        ("default", "a zzz", ["yyy", "zzz a"], None),
        ("nlgeval", "a", [], "no references"),
        ("nlgeval", "a", ["", " "], "no word in any reference"),
        ("nlgeval", "zzz", ["yyy"], None),
    ],
)
def test_what_cannot_be_scored_has_a_reason(
    plane: str, name: str, profile: str, text: str, references: list[str], reason: str | None
) -> None:
    metric = METRICS[name](profile=profile, vectors=plane)  # type: ignore[arg-type]
    assert metric.unscorable(example(text, *references)) == reason
    if reason and references:
        row = metric.statistics([example(text, *references)])[0]
        assert row[:2].tolist() == [0, 0]
        assert math.isnan(metric.aggregate(row))


def test_examples_without_references_are_refused(plane: str) -> None:
    with pytest.raises(Unsuitable, match="greedy_matching needs a reference"):
        GreedyMatching(vectors=plane).statistics([example("a")])


@each_metric
@with_plane
@given(text=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=3))
def test_words_may_stand_in_any_order(plane: str, name: str, text: str, references: list[str]) -> None:
    metric = METRICS[name](profile="nlgeval", vectors=plane)
    turned = " ".join(reversed(text.split()))
    there, back = (score(metric, example(one, *references)) for one in (text, turned))
    assert there == pytest.approx(back, abs=1e-6)


@each_metric
@with_plane
@given(left=TEXTS, right=TEXTS)
def test_response_and_reference_may_change_places(plane: str, name: str, left: str, right: str) -> None:
    metric = METRICS[name](profile="nlgeval", vectors=plane)
    assert score(metric, example(left, right)) == pytest.approx(score(metric, example(right, left)), abs=1e-6)


@each_metric
@with_plane
@given(text=st.lists(st.sampled_from("abd"), min_size=1, max_size=6).map(" ".join), other=TEXTS)
def test_a_response_equal_to_a_reference_scores_one(plane: str, name: str, text: str, other: str) -> None:
    assert score(METRICS[name](vectors=plane), example(text, other, text)) == pytest.approx(1, abs=1e-6)


@each_metric
def test_the_scale_of_the_vectors_makes_no_difference(plane: str, name: str, tmp_path: Path) -> None:
    np.save(tmp_path / "large.npy", np.load(plane) * 1000)
    (tmp_path / "large.txt").write_text("a\nb\nc\nd\n", encoding="utf-8")
    pair = example("a b d", "c d", "b b a")
    large = METRICS[name](vectors=str(tmp_path / "large.npy"))
    assert score(large, pair) == pytest.approx(score(METRICS[name](vectors=plane), pair), abs=1e-6)


def real_examples(shared_data: Path, count: int) -> list[Example]:
    prompts = read(shared_data / "multirefeval" / "multireftest.json", "prompt", format="multirefeval")
    return [example(one.context[-1].text, *one.references) for one in islice(prompts, count)]


@pytest.fixture(scope="module")
def independent(encoder_folder: Path) -> Callable[[str], np.ndarray | None]:
    """The encoder's vector of a word, by other people's code."""
    safetensors, tokenizers = pytest.importorskip("safetensors"), pytest.importorskip("tokenizers")
    with safetensors.safe_open(encoder_folder / "model.safetensors", "np") as file:
        matrix = file.get_tensor("embeddings.word_embeddings.weight").astype(np.float64)
    tokeniser = tokenizers.Tokenizer.from_file(str(encoder_folder / "tokenizer.json"))
    tokeniser.no_padding()
    unknown = tokeniser.token_to_id("[UNK]")
    mean = matrix.mean(axis=0)

    def vector(word: str) -> np.ndarray | None:
        pieces = [piece for piece in tokeniser.encode(word, add_special_tokens=False).ids if piece != unknown]
        return matrix[pieces].mean(axis=0) if pieces else None

    vector.mean = mean  # type: ignore[attr-defined]
    return vector


@each_metric
def test_real_responses_score_as_the_oracle_says(name: str, shared_data: Path, independent) -> None:
    examples = real_examples(shared_data, 150)
    metric = METRICS[name]()
    values = metric.aggregate(metric.statistics(examples))
    for given_example, value in zip(examples, values, strict=True):
        response, *references = (
            [v for word in re.findall(r"\w+", text.lower()) if (v := independent(word)) is not None]
            for text in (given_example.response.text, *given_example.references)
        )
        expected = max(ORACLES[name](response, reference) for reference in references)
        assert value == pytest.approx(expected, abs=1e-6)


@each_metric
def test_the_nlgeval_profile_scores_real_responses_as_the_oracle_says(
    name: str, shared_data: Path, independent
) -> None:
    nltk = pytest.importorskip("nltk")
    examples = [*real_examples(shared_data, 60), example("Oh \U0001f9ff \U0001f9ff !", "Well , no .")]
    metric = METRICS[name](profile="nlgeval")
    values = metric.aggregate(metric.statistics(examples))
    for given_example, value in zip(examples, values, strict=True):
        response, *references = (
            [
                independent.mean if (v := independent(word)) is None else v
                for word in nltk.word_tokenize(text, preserve_line=True)
            ]
            for text in (given_example.response.text, *given_example.references)
        )
        expected = max(ORACLES[name](response, reference) for reference in references)
        assert value == pytest.approx(expected, abs=1e-6)


@each_metric
def test_every_batch_gives_the_same_bits(name: str, shared_data: Path, encoder_folder: Path) -> None:
    examples = real_examples(shared_data, 300)
    metric = METRICS[name]()
    rows = metric.statistics(examples)
    np.testing.assert_array_equal(np.concatenate([metric.statistics([one]) for one in examples]), rows)
    np.testing.assert_array_equal(metric.statistics(examples[::-1])[::-1], rows)
    # More than are taken at once.
    np.testing.assert_array_equal(metric.statistics(examples * 10), np.tile(rows, (10, 1)))


def test_results_name_the_vectors_and_keep_reasons(plane: str) -> None:
    result = evaluate(
        EmbeddingAverage(vectors=plane), [example("a", "a"), example("zzz", "a"), example("b", "a")]
    )
    assert result.score == pytest.approx(0.5)
    assert dict(result.reasons) == {1: "no known word in the response"}
    assert [name for name, _ in result.provenance.resources] == ["plane.npy"]


def test_the_signature_spells_out_profile_and_vectors(encoder_folder: Path) -> None:
    assert str(VectorExtrema(profile="nlgeval").signature) == (
        "vector_extrema(profile='nlgeval',vectors='minilm')|vectors=minilm:53aa51172d14|tokens=treebank|case=mixed"
        "|unknown=mean|version=1"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Isn't it GREAT?", ["isn", "t", "it", "great"]),
        ("Straße", ["straße"]),  # lower-cased, not folded to strasse
        ("Λόγος", ["λόγος"]),  # the final sigma stays
        ("東京へGo", ["東", "京", "へ", "go"]),
        ("İstanbul", ["i̇stanbul"]),
        ("?! ...", []),
        ("", []),
    ],
)
def test_words_by_hand(text: str, words: list[str]) -> None:
    assert lower_words(text) == words
    assert list(each_lower_word(text)) == words


@given(st.text())
def test_words_are_the_same_all_at_once_or_one_by_one(text: str) -> None:
    assert list(each_lower_word(text)) == lower_words(text)


def test_treebank_words_keep_case_and_punctuation() -> None:
    assert treebank_words(["Don't go.", ""]) == [["Do", "n't", "go", "."], []]
