from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval import RougeL
from dialeval.catalogue import build
from dialeval.data.types import Example, Response
from dialeval.errors import DialevalError, Unsuitable


def example(text: str, *references: str) -> Example:
    return Example("i", "s", (), Response(text), references)


def score(*examples: Example, beta: float = 1.2) -> float:
    metric = RougeL(beta)
    return float(metric.aggregate(metric.statistics(examples).sum(axis=0)))


def f_measure(precision: float, recall: float, beta: float = 1.2) -> float:
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)


@pytest.mark.parametrize(
    ("text", "references", "expected"),
    [
        ("a b c d", ["a c e"], f_measure(2 / 4, 2 / 3)),
        (
            "a b c d",
            ["a", "a b c d e f g h"],
            1.0,
        ),  # best precision and best recall come from different references
        ("b a", ["a b"], f_measure(1 / 2, 1 / 2)),  # order matters
        ("a  b", ["a b"], f_measure(2 / 3, 2 / 2)),  # a double blank holds an empty word
        (" a b\n", ["a b"], 1.0),
        ("A", ["a"], 0.0),  # case matters
        ("", ["a"], 0.0),
        ("", [""], 1.0),
        (
            "this is a good test",
            ["this is a test", "this is also a test"],
            0.9070631,
        ),  # nlg-eval's test-suite
    ],
)
def test_scores_by_hand(text: str, references: list[str], expected: float) -> None:
    assert score(example(text, *references)) == pytest.approx(expected, abs=1e-7)


def test_beta_one_weighs_both_alike() -> None:
    assert score(example("a b", "a c d"), beta=1.0) == pytest.approx(2 * (1 / 2 * 1 / 3) / (1 / 2 + 1 / 3))


def test_the_corpus_score_is_the_mean() -> None:
    assert score(example("a", "a"), example("b", "a"), example("a b", "a b")) == pytest.approx(2 / 3)


def test_every_value_nlg_eval_asserts(shared_data: Path) -> None:
    folder = shared_data / "nlg-eval"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    lines = [
        (folder / name).read_text(encoding="utf-8").splitlines()
        for name in ("hyp.txt", "ref1.txt", "ref2.txt")
    ]
    corpus = [example(text, *references) for text, *references in zip(*lines, strict=True)]
    assert score(*corpus) == pytest.approx(expected["corpus_example"]["expected"]["ROUGE_L"], abs=5e-7)
    for case in expected["individual"]:
        if "ROUGE_L" in case["expected"]:
            ours = score(example(case["hyp"], *case["refs"]))
            assert ours == pytest.approx(case["expected"]["ROUGE_L"], abs=1e-6)


@pytest.mark.parametrize("beta", [0.0, -1.0, float("inf"), float("nan")])
def test_beta_must_be_a_usable_weight(beta: float) -> None:
    with pytest.raises(DialevalError, match="'beta' of rouge_l: found"):
        RougeL(beta)


def test_examples_without_references_are_set_aside_or_refused() -> None:
    assert RougeL().unscorable(example("a")) == "no references"
    with pytest.raises(Unsuitable, match="rouge_l needs a reference"):
        RougeL().statistics([example("a")])


def test_the_signature_spells_out_the_profile() -> None:
    assert str(RougeL().signature) == "rouge_l(beta=1.2)|profile=nlgeval|tokens=blanks|case=mixed|version=1"


def real_examples(data: Path, count: int) -> list[Example]:
    rows = (data / "multirefeval" / "multireftest.json").read_text(encoding="utf-8").splitlines()
    turns = [turn for row in rows for turn in json.loads(row)["dialogue"]]
    five = [turn["responses"] for turn in turns if len(turn.get("responses", ())) == 5]
    return [example(texts[0], *texts[1 : 2 + at % 4]) for at, texts in enumerate(five[:count])]


# Stemming is slow in the judge: two hundred examples for it, two thousand without.
@pytest.mark.parametrize(("stemmer", "count"), [(False, 2000), (True, 200)])
def test_scores_are_those_of_googles_rouge(stemmer: bool, count: int, shared_data: Path) -> None:
    google = pytest.importorskip("rouge_score.rouge_scorer", reason="needs dialeval[peers]")
    odd = [("", "a"), ("a", ""), ("!", "!"), ("日本", "日本"), ("Flies", "fly")]
    examples = real_examples(shared_data, count) + [example(*texts) for texts in odd]
    metric = RougeL(profile="google", stemmer=stemmer)
    judge = google.RougeScorer(["rougeL"], use_stemmer=stemmer)
    theirs = [judge.score_multi(list(e.references), e.response.text)["rougeL"].fmeasure for e in examples]
    assert metric.aggregate(metric.statistics(examples)).tolist() == theirs


def test_scores_are_those_of_nlg_evals_code(shared_data: Path) -> None:
    rouge = pytest.importorskip("pycocoevalcap.rouge.rouge", reason="needs dialeval[peers]")
    # nlg-eval strips each line before it calls this code.
    examples = [
        example(one.response.text.strip(), *(text.strip() for text in one.references))
        for one in real_examples(shared_data, 2000)
    ]
    known = {at: list(one.references) for at, one in enumerate(examples)}
    given = {at: [one.response.text] for at, one in enumerate(examples)}
    _, theirs = rouge.Rouge().compute_score(known, given)
    assert RougeL().statistics(examples)[:, 0].tolist() == theirs.tolist()


def test_googles_words_by_hand() -> None:
    metric = RougeL(profile="google")
    rows = metric.statistics([example("It's FINE!", "it is fine", "fine"), example("日本", "日本")])
    # it, s, fine against it, is, fine: 2 of 3 both ways, better than 1 of 3 and 1 of 1; other scripts have no words.
    assert rows[:, 0] == pytest.approx([2 / 3, 0.0])
    assert RougeL(profile="google", stemmer=True).statistics([example("dogs", "dog")])[0, 0] == 1.0


def test_settings_of_one_profile_do_not_fit_the_other() -> None:
    with pytest.raises(DialevalError, match="profile 'google' has none"):
        RougeL(2.0, "google")
    with pytest.raises(DialevalError, match="only profile 'google' has one"):
        RougeL(stemmer=True)


def test_the_signature_of_google_has_no_beta() -> None:
    metric = RougeL(profile="google", stemmer=True)
    expected = (
        "rouge_l(profile='google',stemmer=True)|profile=google|tokens=google-stems|case=lower|version=1"
    )
    assert str(metric.signature) == expected
    assert build(metric.signature.call) == metric
