"""Results of the library on one screen, and as pictures."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import dialeval
from dialeval.errors import UnknownName

mpl.use("Agg")
SCREEN = 30


@pytest.fixture(autouse=True)
def _no_open_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def of(system: str, every: int) -> dialeval.Result:
    said = ["the cat sat" if n % every else "a dog" for n in range(1000)]
    (result,) = dialeval.score(said, ["the cat sat"] * 1000, ["rouge_l"], system=system).values()
    return result


@pytest.fixture(scope="module")
def results() -> tuple[dialeval.Result, dialeval.Result]:
    return of("new", 5), of("old", 2)


def fits(thing: object) -> bool:
    lines = str(thing).splitlines()
    return len(lines) <= SCREEN and max(map(len, lines)) <= 200 and len(repr(thing)) <= 2000


def test_a_result_prints_its_name_its_score_what_it_rests_on_and_its_first_items(results):
    new, _ = results
    assert fits(new)
    lines = str(new).splitlines()
    assert lines[:6] == [
        "rouge_l(beta=1.2)",
        "  system      new",
        "  score       0.8000",
        "  interval    [0.7738, 0.8244] (95 %)",
        "  n           1,000 of 1,000 items have a value",
        "  unanswered  0 of 1,000 items",
    ]
    assert lines[6] == f"  signature   {new.signature}"
    assert lines[8].split() == ["item", "value"], "what all items have in common is said once"
    assert lines[-1] == "987 more rows"
    assert len(lines) == 24
    assert len(repr({"rouge_l": new})) < 400
    assert repr(new).startswith("<Result rouge_l(beta=1.2) of new: 0.8000 [0.77")
    corpus = dialeval.score(["a b c"] * 1000, metrics=["distinct(n=1)"])["distinct(n=1)"]
    assert fits(corpus)
    assert "  n           1,000 of 1,000 items have a value" in str(corpus)


@pytest.mark.parametrize(
    ("measure", "rule"),
    [
        ("rouge_l", "counted as the worst value"),
        ("length", "counted as empty responses"),
        ("distinct(n=1)", "left out"),
    ],
)
def test_a_result_says_how_many_items_are_unanswered_and_what_they_count_as(measure, rule):
    said = dialeval.score([None] * 4 + [" "], ["a b"] * 5, [measure])[measure]
    assert said.unanswered == 5
    assert f"\n  unanswered  5 of 5 items, {rule}\n" in f"{said}\n"
    assert f"5 of 5 items unanswered, {rule}" in repr(said)
    assert f"5 of 5 items unanswered, {rule}" in said._repr_html_()


def test_a_result_without_an_interval_or_with_unscored_items_says_why():
    (alone,) = dialeval.score(["a b"], metrics=["length"]).values()
    assert "  interval    none: a single item or dialogue shows no spread\n" in str(alone)
    (some,) = dialeval.score(["a b", "a"], [["a b"], []], ["rouge_l"]).values()
    assert "1 of 2 items have a value (the first without: no references" in str(some)
    assert str(some).splitlines()[-1].endswith("no references"), "the reason stands beside the item"


def test_a_comparison_prints_its_sentence(results):
    compared = dialeval.compare(*results)
    assert str(compared) == compared.sentence
    assert fits(compared)


def test_a_comparison_names_systems_that_have_no_name_by_their_place(results):
    good, poor = (of("", every) for every in (5, 2))
    assert dialeval.compare(good, poor).sentence.startswith("The first is better than the second by 0.3")
    assert dialeval.compare(poor, good).sentence.startswith("The second is better than the first by 0.3")
    half = dialeval.compare(results[0], poor)
    assert (half.a, half.b, half.better) == ("new", "the second", "new")
    same = dialeval.compare(results[0], of("new", 2))
    assert same.sentence.startswith("The first new is better than the second new by 0.3")
    every = dialeval.compare_all([good, poor, of("", 3)])
    assert [(pair.a, pair.b) for pair in every] == [
        ("the first", "the second"),
        ("the first", "the third"),
        ("the second", "the third"),
    ]


def test_a_comparison_takes_the_names_that_it_is_given(results):
    good, poor = (of("", every) for every in (5, 2))
    assert dialeval.compare(good, poor, names=("pr", "main")).better == "pr"
    assert dialeval.compare(*results, names=["b", "a"]).sentence.startswith("b is better than a by")
    (pair,) = dialeval.compare_all([good, poor], names=("pr", "main"))
    assert (pair.a, pair.b) == ("pr", "main")
    for wrong in (("pr",), ("pr", "pr"), ("pr", " "), "ab"):
        with pytest.raises(
            dialeval.DialevalError, match=r"as the names of 2 systems, expected a different one"
        ):
            dialeval.compare(good, poor, names=wrong)


def test_a_run_and_its_folder_print_their_scores(dialeval_run):
    run, folder = dialeval_run
    for shown in (run, dialeval.load_run(folder)):
        assert fits(shown)
        assert "2 systems, 2 measures" in str(shown).splitlines()[0]
        axes = shown.plot()
        assert [text.get_text() for text in axes.get_yticklabels()] == ["echo", "again"]
        assert shown.plot("length", ax=axes) is axes
        with pytest.raises(UnknownName, match="There are rouge_l, length"):
            shown.plot("bleu")


def test_agreement_prints_its_coefficients():
    rng = np.random.default_rng(0)
    given = [
        dialeval.Judgement(f"i{n}", "s", rater, "overall", float(rng.integers(1, 6)))
        for n in range(300)
        for rater in ("a", "b", "c")
    ]
    (agreement,) = dialeval.agreement_of(dialeval.Ratings.of(given))
    assert fits(agreement)
    assert str(agreement).startswith("overall: 3 raters, 300 items, 900 ratings")
    assert "alpha_ordinal" in str(agreement)


def test_results_and_comparisons_can_be_drawn(results):
    new, old = results
    axes = new.plot()
    assert axes.get_title() == "rouge_l(beta=1.2)"
    assert sum(bar.get_height() for bar in axes.patches[:-1]) == 1000
    assert new.plot(ax=axes) is axes
    compared = dialeval.compare(new, old).plot()
    (name,) = compared.get_yticklabels()
    assert name.get_text() == "new − old"
    assert compared.get_title() == "rouge_l(beta=1.2): difference"
    corpus = dialeval.score(["a b c", "d"], metrics=["distinct(n=1)"])["distinct(n=1)"]
    assert corpus.plot().get_title().startswith("distinct(n=1")


@pytest.fixture
def dialeval_run(tmp_path: Path):
    lines = [
        f'{{"id": "i{n}", "context": [{{"role": "user", "content": "say {n}"}}], "references": ["say {n}"]}}\n'
        for n in range(40)
    ]
    (tmp_path / "prompts.jsonl").write_text("".join(lines))
    (tmp_path / "study.yaml").write_text(
        "name: small\ndata: prompts.jsonl\n"
        "systems: [{name: echo, kind: echo}, {name: again, kind: echo}]\nmeasures: [rouge_l, length]\n"
    )
    run = dialeval.run_study(dialeval.load_study(tmp_path / "study.yaml"))
    dialeval.write_run(run, tmp_path / "run")
    return run, tmp_path / "run"
