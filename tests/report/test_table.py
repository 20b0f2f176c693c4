from __future__ import annotations

from dialeval.report import Cell, Column, Table, markdown


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
