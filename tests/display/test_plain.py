"""Plain tables are what rich prints where there are no colours."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from textwrap import wrap

import pytest
from rich.cells import cell_len as rich_cell_len
from rich.console import Console

from dialeval.display.consoles import PrintableConsole
from dialeval.display.plain import _ONE_CELL, cell_len, plain_width, wrapped
from dialeval.display.table import Cell, Column, Table
from dialeval.display.terminal import _folded, print_table

WORDS = (
    "bleu",
    "rouge_l",
    "a-long-name_of.some/system",
    "0.5062",
    "0.4496 – 0.5658",
    "",
    "100",
    "日本",
    "[red]",
    "x y",
)
NOTES = ("no interval, constant: nothing varies from item to item", "a note " * 30, "日本語の注")


def table(seed: int) -> Table:
    chance = random.Random(seed)
    columns = tuple(
        Column(chance.choice(("metric", "n", "score", "95 % interval")), chance.random() < 0.6)
        for _ in range(chance.randint(1, 7))
    )
    words = WORDS if chance.random() < 0.3 else WORDS[:7]
    rows = tuple(
        tuple(
            Cell(
                chance.choice(words),
                chance.choice(("", "", "0.1 – 0.2")),
                chance.choice(("", "★")),
                chance.random() < 0.2,
            )
            for _ in columns
        )
        for _ in range(chance.randint(0, 4))
    )
    return Table(
        chance.choice(("", "A title")), columns, rows, tuple(chance.sample(NOTES, chance.randint(0, 2)))
    )


@pytest.mark.parametrize("width", [30, 60, 80, 132])
def test_a_pipe_gets_what_rich_prints(width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    for seed in range(150):
        drawn = io.StringIO()
        print_table(table(seed), Console(file=drawn, width=width))
        print_table(table(seed))
        assert capsys.readouterr().out == drawn.getvalue(), seed


def test_plain_characters_take_one_cell():
    assert {rich_cell_len(char) for char in _ONE_CELL} == {1}
    assert cell_len("日本") == 4


def test_the_width_is_that_of_rich(monkeypatch, capsys):
    for columns in ("", "57", "wide"):
        monkeypatch.setenv("COLUMNS", columns)
        assert plain_width() == Console().width
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert plain_width() is None


def test_a_pipe_needs_no_rich():
    script = (
        "import sys; from dialeval.display.table import *; from dialeval.display.terminal import _folded, print_table\n"
        "print_table(Table('', (Column('n', True),), ((Cell('1 – 2'),),), ('a note',)))\n"
        "print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["    n", "─────", "1 – 2", " • a note", "False"]


def test_a_width_of_nothing_is_that_of_a_page(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "0")
    assert plain_width() == 80


def test_nothing_is_printed_where_standard_output_is_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert plain_width() is None


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("width", [20, 33, 80])
def test_wide_characters_are_wrapped_by_cells(width, whole):
    text = "  日本語ボット and bot 🚲 gave identical answers to all 48 items, é combining ones among them."
    lines = wrapped(text, width, first="- ", rest="    ", whole_words=whole)
    assert all(cell_len(line) <= width for line in lines)
    assert lines[0].startswith("-   日本語ボット")
    assert all(line.startswith("    ") for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == "- " + " ".join(text.split())
    assert wrapped("日" * 30, 20) == ["日" * 10] * 3


def test_plain_text_is_wrapped_as_ever():
    text = "One-by-one " * 20
    assert wrapped(text, 40, first=" • ", rest="   ") == wrap(
        text, 40, initial_indent=" • ", subsequent_indent="   "
    )


@pytest.mark.parametrize("width", range(10, 28))
def test_numbers_are_folded_in_one_piece(width):
    lines = _folded("new-bot - main: rouge_l >= -0.02 and 1,200.5 or 12-34", width)
    assert {"-0.02", "1,200.5"} <= set(" ".join(lines).split())


def test_pieces_of_a_wide_table_repeat_the_columns_that_tell_its_rows_apart(monkeypatch, capsys):
    columns = (Column("measure"), Column("criterion"), *(Column(f"c{n}", numeric=True) for n in range(9)))
    names = [(measure, criterion) for measure in ("rouge_l", "length") for criterion in ("fluent", "true")]
    rows = tuple(tuple(map(Cell, (*name, *["0.123456789"] * 9))) for name in names)
    monkeypatch.setenv("COLUMNS", "80")
    print_table(Table("t", columns, rows), PrintableConsole())
    heads = [line.split() for line in capsys.readouterr().out.splitlines() if "measure" in line]
    assert len(heads) > 1
    assert all(head[:2] == ["measure", "criterion"] for head in heads)
    assert [title for head in heads for title in head[2:]] == [f"c{n}" for n in range(9)]
