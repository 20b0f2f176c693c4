from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from rich.console import Console

from dialeval.study import read_run
from dialeval.study.report.text import print_leaderboard

Make = Callable[..., Path]
SYSTEMS = ("new", "old", "retrieval-bm25", "echo")


def printed(folder: Path, width: int, *, colour: bool = False) -> str:
    out = io.StringIO()
    system: Literal["truecolor", "auto"] = "truecolor" if colour else "auto"
    console = Console(file=out, width=width, force_terminal=colour, color_system=system)
    run = read_run(folder)
    print_leaderboard(run.summary, run.values, console=console)
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
    print_leaderboard(read_run(four_by_four).summary, console=Console(file=out, width=100))
    out.seek(0)
    text = out.read()
    assert "* 0.375" in text
    assert "? 0.250" in text


def test_it_goes_to_stdout_unless_told_otherwise(make_run: Make, capsys: pytest.CaptureFixture[str]) -> None:
    print_leaderboard(read_run(make_run()).summary)
    assert "support-bots: 2 systems on 12 items" in capsys.readouterr().out


MANY = {
    **{
        "bleu(order=2)": True,
        "bleu(order=4)": True,
        "rouge_l": True,
        "meteor": True,
        "cider": True,
        "chrf": True,
    },
    **{"embedding_average": True, "vector_extrema": True, "greedy_matching": True, "sentence_cosine": True},
    **{"bertscore": True, "distinct(n=2)": True, "self_bleu": False, "vocabulary": None, "length": None},
}


def value_of(measure: str, system: str, at: int) -> float | str:
    if system == "echo" and at == 1:
        return "no answer"
    scale = {"bleu(order=4)": 0.1, "vocabulary": 1000.0, "length": 30.0}.get(measure, 1.0)
    return scale * (SYSTEMS.index(system) + 1) / 8


@pytest.mark.parametrize("measures", [3, 4, 5, 15])
def test_no_interval_is_broken_at_any_width(make_run: Make, measures: int) -> None:
    folder = make_run(systems=SYSTEMS, measures=dict(list(MANY.items())[-measures:]), value=value_of)
    for width in range(60, 161):
        text = printed(folder, width)
        assert max(map(len, text.splitlines())) <= width, width
        for line in text.split(" • ")[0].splitlines():
            assert line.count("[") == line.count("]"), (width, line)
        shown = re.findall(r"\[-?[\d.]+, [\d.]+\]", text)
        assert len(shown) == len(SYSTEMS) * measures, width


def test_as_much_is_beside_each_other_as_fits(make_run: Make) -> None:
    folder = make_run(systems=SYSTEMS, measures={"bleu(order=4)": True, "rouge_l": True}, value=value_of)
    # system 14, two columns of 24 (★ 0.5000 [0.4700, 0.5400]) or 22, coverage 8, and three gaps of 3.
    widest = max(map(len, printed(folder, 200).split(" • ")[0].splitlines()))
    rows = printed(folder, widest).splitlines()
    assert sum("[" in line for line in rows if not line.startswith(" •")) == len(SYSTEMS)
    narrower = printed(folder, widest - 1).split(" • ")[0].splitlines()
    assert max(map(len, narrower)) < widest


def test_long_names_fold_between_words_and_keep_the_gates_whole(make_run: Make) -> None:
    long = "support-bot-with-retrieval-2024-11-15-final"
    name = "embedding_average(vectors='glove-6b-50d')"
    gate = {"gate": f"{name} >= 0.3", "system": long, "measure": name, "score": 0.0, "passed": False}
    folder = make_run(systems=[long, "new"], measures={name: True, "rouge_l": True}, gates=[gate])
    text = printed(folder, 80)
    names = [line.split("  ")[0] for line in text.splitlines()]
    assert "support-bot-with-retrieval-" in names
    assert "2024-11-15-final" in names
    gates = text[text.index("Gates") :].splitlines()
    assert sum(line.startswith("gate ") for line in gates) == 1
    assert gates[1].split() == ["gate", "system", "score", "judged", "by", "outcome"]
    assert all(line.count("FAILED") <= 1 for line in gates)
    column = slice(gates[1].index("system"), gates[1].index("score"))
    assert "".join(line[column].strip() for line in gates[3:] if "0.0" not in line[column]) == long


def test_a_name_without_a_joint_is_cut_to_fit(make_run: Make) -> None:
    text = printed(make_run(systems=["x" * 70, "日本語" * 12], measures=dict(list(MANY.items())[:6])), 60)
    assert text.count("x" * 28) >= 2
    assert "日本語" * 4 in text


def test_reasons_are_told_where_the_values_are_at_hand(make_run: Make) -> None:
    folder = make_run(value=lambda m, s, at: "no references" if s == "old" and m == "rouge_l" else 0.5)
    assert "old: 12 of 12 items unscored under rouge_l: no references" in printed(folder, 100)
    out = io.StringIO()
    print_leaderboard(read_run(folder).summary, console=Console(file=out, width=100))
    assert "old: 12 of 12 items unscored under rouge_l\n" in out.getvalue()
