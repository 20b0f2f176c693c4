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


def test_a_result_prints_its_score_and_its_first_items(results):
    new, _ = results
    assert fits(new)
    assert str(new).startswith("rouge_l(beta=1.2)")
    assert "0.8000 [0.77" in str(new).splitlines()[0]
    assert str(new).splitlines()[-1] == "980 more rows"
    assert len(repr({"rouge_l": new})) < 400
    missing = dialeval.score([None, "a"], metrics=["length"])["length"]
    assert "2 of 2 items have a value" in repr(missing)  # an empty response has a length, 0
    corpus = dialeval.score(["a b c"] * 1000, metrics=["distinct(n=1)"])["distinct(n=1)"]
    assert fits(corpus)


def test_a_comparison_prints_its_sentence(results):
    compared = dialeval.compare(*results)
    assert str(compared) == compared.sentence
    assert fits(compared)


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
