"""What a study declares beforehand: the primary measure, the correction, margins."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dialeval.errors import BadStudy
from dialeval.study import Run, load_study, read_summary, render, run_study, write_run
from dialeval.study.document import headline_measure, ranked
from dialeval.study.report.notes import family_notes
from dialeval.study.report.tables import leaderboard
from dialeval.study.summary import summarise


def with_lines(folder: Path, *lines: str) -> Path:
    path = folder / "study.yaml"
    path.write_text(path.read_text() + "".join(f"{line}\n" for line in lines))
    return path


def run(folder: Path, *lines: str) -> Run:
    return run_study(load_study(with_lines(folder, *lines)))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            "primary: rogue_l",
            "primary: There is no measure in this study called 'rogue_l'. Did you mean 'rouge_l'",
        ),
        ("primary: length", "primary: length only describes"),
        ("correction: bonferroni", "correction: found 'bonferroni'"),
        ("margin: 0.02", "margin: found 0.02, but no measure; expected"),
        (
            "margin: {rouge: 0.02}",
            "margin: There is no measure in this study called 'rouge'. Did you mean 'rouge_l'",
        ),
        ("margin: {rouge_l: -0.02}", "margin"),
        ("margin: {rouge_l: 0}", "margin"),
        (
            "gates: ['good - good: rouge_l >= 0']",
            "gates[0]: a difference is between two systems, found 'good' twice",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_with_close_names(
    study_folder: Path, line: str, problem: str
) -> None:
    with pytest.raises(BadStudy) as refused:
        load_study(with_lines(study_folder, line))
    assert problem in str(refused.value)


def test_names_are_found_however_they_are_spelled(study_folder: Path) -> None:
    study = load_study(
        with_lines(study_folder, "primary: bleu( order = 2 )", "margin: {'bleu( order=2)': 0.1}")
    )
    assert (study.primary, study.margins) == ("bleu(order=2)", {"bleu(order=2)": 0.1})


def test_a_bare_margin_is_that_of_the_only_measure(study_folder: Path) -> None:
    path = study_folder / "study.yaml"
    path.write_text(
        path.read_text().replace("[bleu(order=2), rouge_l, length]", "[rouge_l]") + "margin: 0.02\n"
    )
    assert load_study(path).margins == {"rouge_l": 0.02}


def test_all_tests_are_one_family_unless_a_measure_is_primary(study_folder: Path) -> None:
    done = run(study_folder)
    assert {(c.role, c.family, c.correction) for c in done.compared} == {(None, 9, "holm")}
    note, _ = family_notes(summarise(done))
    assert note == "differences are significant where p < 0.05 over 9 tests (3 pairs × 3 measures, Holm)"


def test_intervals_beside_corrected_tests_are_said_to_be_uncorrected(study_folder: Path) -> None:
    told = "intervals are not corrected for the number of tests: a difference may be undecided although its interval"
    many = summarise(run(study_folder))
    assert [note for note in family_notes(many) if note.startswith(told)]
    assert [note for note in leaderboard(many).notes if note.startswith(told)]
    write_run(run_study(load_study(study_folder / "study.yaml")), study_folder / "out")
    page = render(study_folder / "out").read_text(encoding="utf-8")
    comparisons = page[page.index("<h2>Comparisons</h2>") :]
    assert told in comparisons[: comparisons.index("<details")]
    alone = replace(many, comparisons=tuple(replace(c, correction=None) for c in many.comparisons[:1]))
    assert not [note for note in family_notes(alone) if note.startswith(told)]


def test_a_primary_measure_is_a_family_of_its_own(study_folder: Path) -> None:
    done = run(study_folder, "primary: rouge_l", "correction: bh")
    families = {c.measure: (c.role, c.family, c.correction) for c in done.compared}
    assert families == {
        "bleu(order=2)": ("exploratory", 6, "bh"),
        "rouge_l": ("confirmatory", 3, "holm"),
        "length": ("exploratory", 6, "bh"),
    }
    summary = summarise(done)
    note, _ = family_notes(summary)
    assert note == (
        "rouge_l is the primary measure: its 3 tests (3 pairs × 1 measure, Holm) are confirmatory, significant where "
        "p < 0.05; 6 tests (3 pairs × 2 measures, Benjamini and Hochberg) of the other measures are exploratory"
    )
    assert headline_measure(summary).measure == "rouge_l"
    scores = [summary.score(system, "rouge_l").estimate.value for system in ranked(summary)]
    assert scores == sorted(scores, reverse=True)


def test_the_folder_keeps_what_was_declared(study_folder: Path, tmp_path: Path) -> None:
    write_run(
        run(study_folder, "primary: rouge_l", "margin: {rouge_l: 0.02}", "missing: worst"), tmp_path / "out"
    )
    plan = {"missing": "worst", "primary": "rouge_l", "correction": "holm", "margins": {"rouge_l": 0.02}}
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["plan"] == plan
    summary = read_summary(tmp_path / "out")
    assert {key: getattr(summary, key) for key in plan} == plan
