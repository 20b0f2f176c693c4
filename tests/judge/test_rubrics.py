"""The rubrics of ours are whole, and what is wrong with another is named by file and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.errors import BadInput, UnknownName
from dialeval.judge import RUBRICS, load_rubric
from dialeval.judge.rubrics import read_rubric

GOOD = (
    "name: polite\ncriterion: Politeness.\nquestion: Is it polite?\nscores: {1: rude, 2: plain, 3: polite}\n"
)


@pytest.mark.parametrize("name", RUBRICS)
def test_a_rubric_of_ours_says_what_every_score_means(name: str) -> None:
    rubric = load_rubric(name)
    assert rubric.name == name
    assert rubric.scale == (1, 2, 3, 4, 5)
    assert rubric.question.endswith("?")
    assert rubric.best == (1 if name == "frustration" else 5)
    assert len({text for text in rubric.scores.values()}) == 5


def test_rubrics_of_ours_differ() -> None:
    assert len({load_rubric(name).sha256 for name in RUBRICS}) == len(RUBRICS) == 12


def test_the_digest_is_of_what_is_said_and_not_of_how_it_is_written() -> None:
    turned = "# ours\nscores: {3: polite, 1: rude, 2: plain}\n" + "".join(GOOD.splitlines(keepends=True)[:3])
    assert read_rubric(turned.encode(), "a").sha256 == read_rubric(GOOD.encode(), "b").sha256
    other = GOOD.replace("plain", "neutral")
    assert read_rubric(other.encode(), "a").sha256 != read_rubric(GOOD.encode(), "a").sha256


@pytest.mark.parametrize(
    ("text", "field", "found", "expected"),
    [
        (GOOD.replace("question: Is it polite?\n", ""), "question", "nothing", "a value"),
        (GOOD + "scale: 1-3\n", "scale", "the key 'scale'", "one of name, criterion"),
        (GOOD.replace("2: plain, ", ""), "scores", "{1: 'rude', 3: 'polite'}", "without a gap"),
        (GOOD.replace("plain", "7"), "scores", "7", "text"),
        (GOOD.replace("Politeness.", "' '"), "criterion", "' '", ""),
        (GOOD + "levels: [turns]\n", "levels[0]", "'turns'", "'turn' or 'dialogue'"),
        (
            GOOD + "examples: [{score: 4, reason: so}]\n",
            None,
            "{'name'",
            "examples[0].score is none of 1, 2, 3",
        ),
        (GOOD + "examples: [{score: 1}]\n", "examples[0].reason", "nothing", "a value"),
        ("- a\n", None, "a list", "keys such as name"),
        ("", None, "nothing", "keys such as name"),
        (GOOD + "name: again\n", "name", "", ""),
        ("a: b: c\n", None, "mapping values", "valid YAML"),
    ],
)
def test_what_is_wrong_with_a_rubric_is_named_by_file_and_field(
    text: str, field: str | None, found: str, expected: str
) -> None:
    with pytest.raises(BadInput) as caught:
        read_rubric(text.encode(), "polite.yaml")
    error = caught.value
    assert error.path == "polite.yaml"
    assert field is None or (error.field or field).startswith(field)
    assert found in error.found
    assert expected in error.expected


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(BadInput, match="UTF-8"):
        read_rubric(b"name: \xff", "a.yaml")


def test_a_rubric_is_found_by_name_or_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "polite.yaml").write_text(GOOD)
    assert load_rubric("polite.yaml", tmp_path).name == "polite"
    with pytest.raises(BadInput, match="no such file"):
        load_rubric("other.yaml", tmp_path)
    with pytest.raises(UnknownName, match="Did you mean 'coherence'"):
        load_rubric("coherance")
