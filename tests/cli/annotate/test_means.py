"""``dialeval annotate means``: tables for people, JSON for machines, and errors that say what to do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.paths import DOCS


@pytest.fixture
def ratings(dialeval) -> str:
    """Two criteria, two systems, three raters, twelve items; new is rated a step higher on fluency."""
    rng = np.random.default_rng(0)
    lines = [
        {"item": f"q{i}", "system": system, "rater": rater, "criterion": name, "value": int(value)}
        for i in range(12)
        for system in ("old", "new")
        for rater in ("ana", "ben", "cleo")
        for name in ("fluency", "interest")
        for value in [2 + (system == "new" and name == "fluency") + rng.integers(0, 3)]
    ]
    Path("r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "r.jsonl"


def words_of(done) -> str:
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= 80
    return " ".join(done.out.split())


def test_people_see_means_differences_and_the_family_of_tests(dialeval, ratings):
    words = words_of(dialeval("annotate", "means", ratings))
    for part in (
        "fluency: mean rating of 12 items, 3 raters, 72 ratings",
        "brackets hold 95% intervals for other items and these raters",
        "fluency: differences",
        "new − old",
        "better",
        "interest: differences",
        "undecided",
        "Holm's correction over one family of 2 tests, every two systems on fluency and interest",
        "means do not model: that steps of the scale may be unequal",
    ):
        assert part in words, part
    assert "cross-check" not in words


def test_models_stand_beside_the_means(dialeval, ratings):
    words = words_of(
        dialeval(
            "annotate", "means", ratings, "--model", "mixed", "--raters", "sampled", "--criterion", "fluency"
        )
    )
    for part in (
        "intervals for other items and other raters like these",
        "the only test, so not corrected",
        "fluency: cross-check by a linear mixed model",
        "standard deviations: item",
        "does not model: that steps of the scale may be unequal; that raters use the scale differently",
        "fluency: cross-check by an ordinal probit model",
        "its p-values take all ratings to be independent",
    ):
        assert part in words, part
    assert "that a rater may like one system more" not in words
    fixed = words_of(dialeval("annotate", "means", ratings, "--model", "mixed", "--criterion", "fluency"))
    assert "that a rater may like one system more" in fixed


def test_json_has_the_documented_layout(dialeval, ratings):
    done = dialeval("annotate", "means", ratings, "--model", "mixed", "--json", "--criterion", "fluency")
    assert done.code == 0, done.err
    found = json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    page = (DOCS / "agreement.md").read_text(encoding="utf-8")
    documented = json.loads(page.split("## Mean ratings")[1].split("```json\n")[1].split("```")[0])
    ours, theirs = found["criteria"]["fluency"], documented["criteria"]["fluency"]
    assert list(ours) == list(theirs)
    for name in ("systems", "models"):
        assert list(ours[name][0]) == list(theirs[name][0])
    assert list(ours["models"][0]["differences"][0]) == list(theirs["models"][0]["differences"][0])
    assert set(theirs["differences"][0]) <= set(ours["differences"][0])
    (pair,) = ours["differences"]
    linear, ordinal = ours["models"]
    assert (pair["a"], pair["b"], pair["verdict"]) == ("new", "old", "better")
    assert linear["differences"][0]["estimate"]["value"] == pytest.approx(
        pair["difference"]["value"], abs=1e-6
    )
    assert (linear["model"], ordinal["model"], ordinal["components"]) == ("linear", "ordinal", {})


def test_less_is_better_and_primary_are_options(dialeval, ratings):
    options = ("--lower-is-better", "fluency", "--primary", "fluency", "--json")
    found = json.loads(dialeval("annotate", "means", ratings, *options).out)["criteria"]
    (pair,) = found["fluency"]["differences"]
    assert (pair["a"], pair["verdict"], pair["role"], pair["family"]) == ("old", "better", "confirmatory", 1)
    assert found["interest"]["differences"][0]["role"] == "exploratory"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--system", "new"), "Differences need two systems rated on one criterion"),
        (("--primary", "fluidity"), "There is no criterion called 'fluidity'"),
        (("--scale", "1-3"), "r.jsonl, line"),
    ],
)
def test_errors_say_what_is_needed(dialeval, ratings, options, said):
    done = dialeval("annotate", "means", ratings, *options)
    assert (done.code, done.out) == (
        2 if "fluidity" in options else 1,
        "",
    )  # an unknown name is a usage error
    assert said in " ".join(done.err.split())


def test_a_single_rater_is_neither_sampled_nor_modelled(dialeval):
    rows = "".join(f"q{i},{s},{(i + len(s)) % 5 + 1}\n" for i in range(6) for s in ("a", "bb"))
    Path("one.csv").write_text(f"item,system,ana\n{rows}")
    command = ("annotate", "means", "one.csv", "--from", "ratings-wide")
    assert "there is only one rater, ana" in words_of(dialeval(*command))
    done = dialeval(*command, "--raters", "sampled")
    assert "has one rater, 'ana', but intervals for other raters need two or more" in " ".join(
        done.err.split()
    )
    done = dialeval(*command, "--model", "mixed")
    assert (done.code, "a model needs two raters or more" in " ".join(done.err.split())) == (1, True)


def test_statsmodels_is_imported_only_where_it_is_used(dialeval, ratings):
    script = (
        "import sys; from dialeval.cli import main\n"
        "try: main()\n"
        "finally: print('statsmodels' in sys.modules, 'pandas' in sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "annotate", "means", ratings],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.split() == ["False", "False"]
    assert "fluency: differences" in done.stdout


def few_ratings(path: str) -> None:
    """Four items of two systems by one rater, from 1 to 5."""
    table = {"new": (5, 5, 5, 4), "old": (4, 1, 4, 4)}
    lines = [
        {"item": f"q{i}", "system": system, "rater": "ana", "criterion": "fluency", "value": value}
        for system, values in table.items()
        for i, value in enumerate(values)
    ]
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines))


def ends_of(done) -> tuple[list[float], list[float]]:
    """Ends of the means, and of the difference."""
    found = json.loads(done.out)["criteria"]["fluency"]
    means = [one["mean"][end] for one in found["systems"] for end in ("low", "high")]
    return means, [found["differences"][0]["difference"][end] for end in ("low", "high")]


def test_the_scale_on_the_command_line_bounds_means_and_differences(dialeval):
    few_ratings("r.jsonl")
    free, bounded = (
        dialeval("annotate", "means", "r.jsonl", "--json", *scale) for scale in ((), ("--scale", "1-5"))
    )
    means, difference = ends_of(free)
    assert (max(means) > 5, max(difference) > 4) == (True, True)
    means, difference = ends_of(bounded)
    assert (min(means) >= 1, max(means) <= 5, max(difference) <= 4) == (True, True, True)
    words = " ".join(dialeval("annotate", "means", "r.jsonl").out.split())
    assert "intervals reach beyond all ratings, 1 to 5: give the scale that raters had with --scale" in words


def test_the_scale_of_the_project_that_ratings_were_exported_from_bounds_them(dialeval):
    few_ratings("r.jsonl")
    options = [{"value": value, "label": str(value), "meaning": ""} for value in range(1, 8)]
    asks = [{"kind": "likert", "criterion": "fluency", "options": options}]
    Path("r.provenance.json").write_text(json.dumps({"dialeval": "0.1.0", "asks": asks}))
    means, difference = ends_of(dialeval("annotate", "means", "r.jsonl", "--json"))
    assert (max(means) <= 7, max(difference) <= 6) == (True, True)
    for other in ("{", "[]", '{"asks": 3}', '{"asks": [{"kind": "likert"}]}', "{}"):
        Path("r.provenance.json").write_text(other)
        assert max(ends_of(dialeval("annotate", "means", "r.jsonl", "--json"))[1]) > 4
