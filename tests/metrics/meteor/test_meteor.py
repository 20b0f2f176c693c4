from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dialeval.data.types import Example, Response
from dialeval.errors import Unsuitable
from dialeval.metrics.meteor import Meteor
from dialeval.metrics.meteor.words import java_hashes

pytestmark = pytest.mark.usefixtures("meteor_folder")


def example(text: str, *references: str) -> Example:
    return Example("i", "s", (), Response(text), references)


def score(*examples: Example) -> float:
    metric = Meteor()
    return float(metric.aggregate(metric.statistics(examples).sum(axis=0)))


@pytest.mark.parametrize(
    ("text", "references", "expected"),
    [
        # nlg-eval's test-suite
        ("this is a good test", ("this is a test", "this is also a test"), 0.44434387),
        ("Le test est en français.", ("Test en français.", "Le test en français."), 0.48372379050300296),
        ("テスト", ("テスト",), 1.0),
        # The METEOR paper's pair, as the jar scores it.
        (
            "It is a guide to action which ensures that the military always obeys the commands of the party",
            (
                "It is a guide to action that ensures that the military will forever heed Party commands",
                "It is the guiding principle which guarantees the military forces always being under the command"
                " of the Party",
                "It is the practical guide for the army always to heed the directions of the party",
            ),
            0.44736092,
        ),
    ],
)
def test_single_sentences_score_as_published(text: str, references: tuple[str, ...], expected: float) -> None:
    assert score(example(text, *references)) == pytest.approx(expected, abs=1e-8)


def test_every_meteor_value_of_nlgevals_suite_is_reproduced(shared_data: Path) -> None:
    folder = shared_data / "nlg-eval"
    suite = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    corpus = suite["corpus_example"]
    files = [
        (folder / name).read_text(encoding="utf-8").splitlines() for name in (corpus["hyp"], *corpus["refs"])
    ]
    examples = [example(*texts) for texts in zip(*files, strict=True)]
    assert score(*examples) == pytest.approx(corpus["expected"]["METEOR"], abs=10 ** -corpus["places"])
    single = [case for case in suite["individual"] if "METEOR" in case["expected"]]
    assert len(single) >= 3
    for case in single:
        found = score(example(case["hyp"], *case["refs"]))
        assert found == pytest.approx(case["expected"]["METEOR"], abs=10 ** -case["places"])


def by_hand(precision: float, recall: float, chunks: int, matches: float) -> float:
    """Denkowski and Lavie (2014), equations 1 to 4, with the parameters for English."""
    mean = 1 / (0.15 / precision + 0.85 / recall)
    return mean * (1 - 0.6 * (chunks / matches) ** 0.2)


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        # Content words weigh 0.75, the function word "the" 0.25.
        ("the cat sleeps", "the cat purrs", by_hand(1 / 1.75, 1 / 1.75, 1, 2)),
        ("cat the", "the cat", by_hand(1, 1, 2, 2)),
        # A stem counts 0.6, a synonym 0.8, a paraphrase 0.6 of its words.
        ("zorbing parrots", "zorbed canaries", by_hand(0.3, 0.3, 1, 1)),
        ("motorcar parrots", "automobile canaries", by_hand(0.4, 0.4, 1, 1)),
        ("naturally parrots", "of course canaries", by_hand(0.3, 0.6 * (0.25 + 0.75) / 1.75, 1, 1.5)),
    ],
)
def test_scores_by_hand(text: str, reference: str, expected: float) -> None:
    assert score(example(text, reference)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["yes", "the cat sat on the mat .", "a a a a", "it 's ... 3,000 well-known\n東京"]
)
def test_identical_texts_score_1(text: str) -> None:
    assert score(example(text, text)) == 1
    assert score(example(text, "something else entirely", text)) == 1


@pytest.mark.parametrize(
    ("text", "reference"), [("", "a"), ("a", ""), ("", ""), (" \n ", " "), ("cat", "wednesday")]
)
def test_without_a_common_word_the_score_is_0(text: str, reference: str) -> None:
    assert score(example(text, reference)) == 0


def test_the_best_reference_counts_and_the_first_of_equals() -> None:
    good, bad, worse = "the cat sat", "a cat", "green ideas"
    best = example("the cat sat down", good)
    for references in ((good, bad, worse), (worse, good, bad), (bad, worse, good)):
        metric = Meteor()
        np.testing.assert_array_equal(
            metric.statistics([example("the cat sat down", *references)]), metric.statistics([best])
        )
    lengths = Meteor().statistics([example("x", "a", "b c"), example("x", "b c", "a")])[:, 1]
    assert lengths.tolist() == [1, 2]


def test_the_corpus_score_pools_counts_and_is_no_mean() -> None:
    whole, poor = (
        example("the cat sat", "the cat sat"),
        example("a dog ran by there", "the cat was not there"),
    )
    alone = [score(whole), score(poor)]
    assert alone[0] == 1
    # One chunk of all words adds its words and no chunk.
    metric = Meteor()
    rows = metric.statistics([whole, poor])
    assert rows[:, 20].tolist() == [0, rows[1, 20]]
    assert score(whole, poor) != pytest.approx(sum(alone) / 2, abs=1e-3)


def test_words_of_equal_hash_are_one_word_as_in_the_jar() -> None:
    assert np.ptp(java_hashes(["variants", "gelato"])) == 0
    assert score(example("variants", "gelato")) == 1


def test_line_breaks_and_bars_are_text() -> None:
    assert score(example("one\ntwo\r\nthree", "one two three")) == 1
    assert 0 < score(example("a ||| b", "a b")) < 1


def test_long_texts_align_past_64_words() -> None:
    words = [f"w{n}" for n in range(150)]
    assert score(example(" ".join(words), " ".join(words))) == 1
    turned = " ".join(words[75:] + words[:75])
    assert score(example(turned, " ".join(words))) == pytest.approx(by_hand(1, 1, 2, 150), rel=1e-12)
    repeated = " ".join(words[:70] * 2)
    assert score(example(repeated + " end", "start " + repeated)) == pytest.approx(
        by_hand(140 / 141, 140 / 141, 1, 140), rel=1e-12
    )


def test_an_example_without_references_is_refused() -> None:
    metric = Meteor()
    assert metric.unscorable(example("a")) == "no references"
    with pytest.raises(Unsuitable, match="meteor needs a reference for every example, but 1 of 2"):
        metric.statistics([example("a", "a"), example("a")])


def test_the_signature_names_the_tables() -> None:
    metric = Meteor()
    ((name, digest),) = metric.resources.items()
    assert f"tables={name}:{digest[:12]}" in str(metric.signature)
