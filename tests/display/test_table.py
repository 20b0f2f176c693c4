from __future__ import annotations

import pytest

from dialeval.display.table import Cell, Column, Table, markdown, pieces


def test_a_table_in_markdown() -> None:
    table = Table(
        "Bots",
        (Column("system"), Column("rouge_l", numeric=True)),
        ((Cell("new"), Cell("0.210", "[0.180, 0.240]", "★", strong=True)), (Cell("old"), Cell("0.1"))),
        ("★ best score",),
    )
    assert markdown(table) == (
        "### Bots\n\n"
        "| system | rouge_l |\n"
        "| :--- | ---: |\n"
        "| new | ★ **0.210** [0.180, 0.240] |\n"
        "| old | 0.1 |\n\n"
        "- ★ best score\n"
    )


def test_names_cannot_break_out_of_a_markdown_cell() -> None:
    table = Table("t", (Column("c"),), ((Cell("a|b\n<script>*x* _y_ `z` [l](u)"),),))
    line = markdown(table).splitlines()[4]
    assert line == r"| a\|b &lt;script>\*x\* \_y\_ \`z\` [l]\(u) |"


def test_a_table_without_rows_is_its_title_and_notes() -> None:
    assert markdown(Table("Nothing", (Column("c"),), (), ("no rows",))) == "### Nothing\n\n- no rows\n"


@pytest.mark.parametrize(
    ("columns", "widths"), [(1, [1]), (7, [7]), (8, [5, 4]), (17, [7, 7, 5]), (20, [6, 6, 6, 5])]
)
def test_pieces_repeat_the_first_column_and_lose_none(columns: int, widths: list[int]) -> None:
    names = [f"c{at}" for at in range(columns)]
    table = Table("t", tuple(map(Column, names)), (tuple(map(Cell, names)),), ("a note",))
    found = pieces(table, most=7)
    assert [len(piece.columns) for piece in found] == widths
    assert all(piece.columns[0].title == piece.rows[0][0].text == "c0" for piece in found)
    assert [column.title for piece in found for column in piece.columns[1:]] == names[1:]
    assert [cell.text for piece in found for cell in piece.rows[0][1:]] == names[1:]
    assert [piece.notes for piece in found] == [()] * (len(found) - 1) + [("a note",)]
