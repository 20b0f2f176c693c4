from __future__ import annotations

import pytest

from dialeval.display.wording import (
    about,
    count,
    decimals,
    interval,
    listing,
    number,
    one_line,
    p_value,
    percent,
    score,
    signed,
)


@pytest.mark.parametrize(
    ("numbers", "places"),
    [
        ([0.21, 0.3], 3),
        ([1.0], 3),
        ([12.3], 2),
        ([120, None], 1),
        ([4321.0], 0),
        ([0.0213], 4),
        ([0.0], 3),
        ([], 3),
    ],
)
def test_about_three_digits_are_shown(numbers: list[float | None], places: int) -> None:
    assert decimals(numbers) == places


def test_tiny_numbers_do_not_run_away() -> None:
    assert decimals([1e-12]) == 4
    assert decimals([0.00012]) == 6
    assert [score(x, 4) for x in (1e-9, 0.0, 0.00004, 0.0001, None)] == [
        "<0.0001",
        "0.0000",
        "<0.0001",
        "0.0001",
        "—",
    ]
    assert score(0.0004, 3) == "<0.001"
    assert score(-1e-9, 3) == "0.000"
    assert score(0.2, 0) == "<1"


@pytest.mark.parametrize(
    ("n", "text"),
    [
        *((1, "1"), (87, "87"), (240, "240"), (1234, "1,200"), (99_600, "100,000"), (999_999, "1 million")),
        *(
            (1_913_043, "1.9 million"),
            (25_500_000, "26 million"),
            (123_000_000, "120 million"),
            (2 * 10**9, "2 billion"),
        ),
    ],
)
def test_an_estimate_has_two_digits(n: int, text: str) -> None:
    assert about(n) == text


def test_numbers_read_well() -> None:
    assert number(0.21) == "0.210"
    assert number(None) == number(float("nan")) == "—"
    assert number(-0.0001) == "0.000"
    assert signed(0.1, 2) == "+0.10"
    assert signed(-0.1, 2) == "-0.10"
    assert signed(0.0001, 2) == "0.00"
    assert interval(0.1, 0.2, 1) == "[0.1, 0.2]"
    assert interval(None, None) == ""


def test_a_percentage_never_rounds_to_all_or_nothing() -> None:
    assert [percent(x) for x in (1.0, 0.9999, 0.5, 0.0001, 0.0, None)] == [
        "100 %",
        "99 %",
        "50 %",
        "<1 %",
        "0 %",
        "—",
    ]


def test_p_values_as_papers_print_them() -> None:
    assert [p_value(p) for p in (0.0004, 0.012, 1.0, None)] == ["<0.001", "0.012", "1.000", "—"]


def test_lists_and_counts() -> None:
    assert listing([]) == ""
    assert listing(["a"]) == "a"
    assert listing(["a", "b"]) == "a and b"
    assert listing(["a", "b", "c"], most=2) == "a, b and 1 more"
    assert [count(n, "item") for n in (0, 1, 1200)] == ["0 items", "1 item", "1,200 items"]


def test_a_line_holds_no_control_characters() -> None:
    assert one_line("a\nb\x1b[31mc\ud800") == "a b�[31mc�"
    assert one_line("abcdef", limit=4) == "abc…"
