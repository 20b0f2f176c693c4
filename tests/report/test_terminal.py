from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from rich.console import Console

from dialeval.report import print_leaderboard

Make = Callable[..., Path]
SYSTEMS = ("new", "old", "retrieval-bm25", "echo")


def printed(folder: Path, width: int, *, colour: bool = False) -> str:
    out = io.StringIO()
    system: Literal["truecolor", "auto"] = "truecolor" if colour else "auto"
    print_leaderboard(folder, Console(file=out, width=width, force_terminal=colour, color_system=system))
    return out.getvalue()


@pytest.fixture
def four_by_four(make_run: Make) -> Path:
    return make_run(
        systems=SYSTEMS,
        measures={"bleu(order=4)": True, "rouge_l": True, "contradiction_rate": False, "length": None},
        value=lambda m, s, at: "no references" if m == "rouge_l" and at == 1 else SYSTEMS.index(s) / 8,
        gates=[
            {"gate": "rouge_l >= 0.3", "system": "new", "measure": "rouge_l", "score": 0.0, "passed": False}
        ],
        failures=[{"system": "echo", "measure": None, "message": "the endpoint answered 503"}],
    )


@pytest.mark.parametrize("width", [40, 80, 200])
def test_nothing_is_lost_or_too_wide_at_any_width(four_by_four: Path, width: int) -> None:
    text = printed(four_by_four, width)
    assert max(map(len, text.splitlines())) <= width
    for word in (
        *SYSTEMS,
        "bleu(order=4)",
        "rouge_l",
        "contradiction_rate",
        "length",
        "coverage",
        "★ 0.375",
        "92 %",
    ):
        assert word in text
    assert "[0.345, 0.415]" in text
    assert "FAILED" in text
    assert "503" in text


def test_a_wide_terminal_gets_one_line_per_system(four_by_four: Path) -> None:
    text = printed(four_by_four, 200)
    assert (
        sum(line.startswith("echo  ") for line in text.splitlines()) == 2
    )  # the leaderboard and the failures
    assert "★ 0.375 [0.345, 0.415]" in text


def test_without_colour_the_text_is_plain(four_by_four: Path) -> None:
    assert "\x1b" not in printed(four_by_four, 80)
    assert re.search("\x1b\\[1m *★ 0.375", printed(four_by_four, 80, colour=True))


def test_names_are_shown_as_they_are(make_run: Make) -> None:
    text = printed(make_run(systems=["[red]bot[/red]", "esc\x1b[31m"]), 120)
    assert "[red]bot[/red]" in text
    assert "\x1b" not in text


def test_a_terminal_that_knows_only_ascii_still_gets_the_marks(four_by_four: Path) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_leaderboard(four_by_four, Console(file=out, width=100))
    out.seek(0)
    text = out.read()
    assert "* 0.375" in text
    assert "~ 0.250" in text


def test_it_goes_to_stdout_unless_told_otherwise(make_run: Make, capsys: pytest.CaptureFixture[str]) -> None:
    print_leaderboard(make_run())
    assert "support-bots: 2 systems on 12 items" in capsys.readouterr().out
