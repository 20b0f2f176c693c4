"""Ranks of systems: the document, the tables and the picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.study import Run, load_study, read_summary, run_study, write_run
from dialeval.study.document import Summary
from dialeval.study.report.ranks import compact_ranks, rank_picture, rank_table
from dialeval.study.report.text import print_leaderboard
from dialeval.study.summary import summarise


def run(
    folder: Path, measures: str = "[bleu(order=2), rouge_l, length, distinct(n=1)]", more: str = ""
) -> Run:
    path = folder / "study.yaml"
    text = path.read_text().replace("[bleu(order=2), rouge_l, length]", measures)
    path.write_text(text + more)
    return run_study(load_study(path))


@pytest.fixture
def summary(study_folder: Path, tmp_path: Path) -> Summary:
    write_run(run(study_folder), tmp_path / "out")
    return read_summary(tmp_path / "out")


def test_ranks_are_over_all_measures_first_then_under_each_that_ranks(summary: Summary) -> None:
    assert [ranking.measure for ranking in summary.ranks] == [
        None,
        "bleu(order=2)",
        "rouge_l",
        "distinct(n=1)",
    ]
    overall = summary.ranking(None)
    assert overall.measures == ("bleu(order=2)", "rouge_l", "distinct(n=1)")
    assert {rank.system for rank in overall.systems} == {"good", "poor", "floor"}
    for ranking in summary.ranks:
        assert sum(rank.p_best for rank in ranking.systems) == pytest.approx(1)
        assert all(rank.best <= rank.rank <= rank.worst for rank in ranking.systems)


def test_intervals_of_ranks_follow_from_the_comparisons(summary: Summary) -> None:
    for ranking in summary.ranks[1:]:
        for rank in ranking.systems:
            beside = [
                summary.relation(ranking.measure, rank.system, o.system) for o in ranking.systems if o != rank
            ]
            assert rank.best == 1 + beside.count("worse")
            assert rank.worst == len(ranking.systems) - beside.count("better")


def test_a_system_that_few_measures_rank_is_left_out_of_the_whole(study_folder: Path) -> None:
    path = study_folder / "study.yaml"
    more = "systems:\n  - {name: lost, kind: trained, path: nowhere}\n"
    path.write_text(path.read_text().replace("systems:\n", more))
    (study_folder / "nowhere").mkdir()
    found = run(study_folder)
    assert {rank.system for rank in found.ranks[0].systems} == {"good", "poor", "floor"}


def test_one_measure_needs_no_ranks_over_all(study_folder: Path) -> None:
    found = run(study_folder, "[rouge_l]")
    assert [ranking.measure for ranking in found.ranks] == ["rouge_l"]
    table = rank_table(summarise(found))
    assert [row[0].text for row in table.rows] == ["rouge_l", "P(best)"]


def test_the_table_has_a_row_for_measures_that_rank_alike(study_folder: Path) -> None:
    summary = summarise(run(study_folder, "[rouge_l, rouge_l(beta=1.3), distinct(n=1)]"))
    table = rank_table(summary)
    assert [column.title for column in table.columns] == ["rank", "good", "floor", "poor"]
    names = [row[0].text for row in table.rows]
    assert names == ["overall", "P(best)", "rouge_l, rouge_l(beta=1.3) and distinct(n=1)"]
    assert (table.rows[2][1].mark, table.rows[2][1].text, table.rows[2][1].strong) == ("★", "1", True)


def test_the_primary_measure_leads(study_folder: Path) -> None:
    summary = summarise(run(study_folder, more="primary: rouge_l\n"))
    assert rank_table(summary).rows[0][0].text == "rouge_l (primary)"
    picture = rank_picture(summary)
    assert picture.title == "Rank under rouge_l (primary)"
    assert picture.alt.startswith("Rank under rouge_l (primary): good rank 1, P(best) 100 %;")


def test_a_terminal_gets_a_few_columns(summary: Summary, capsys: pytest.CaptureFixture[str]) -> None:
    table = compact_ranks(summary)
    assert [column.title for column in table.columns] == [
        *("system", "overall", "P(best)", "first", "perhaps first", "not first")
    ]
    for row in table.rows:
        assert sum(int(cell.text) for cell in row[3:]) == 3
    print_leaderboard(summary)
    shown = capsys.readouterr().out
    assert shown.index("Ranks") < shown.index("small: 3 systems on 40 items")


def test_the_picture_is_the_same_bytes_each_time(summary: Summary) -> None:
    first, again = rank_picture(summary), rank_picture(summary)
    assert first.svg == again.svg
    assert first.title == "Overall rank"
