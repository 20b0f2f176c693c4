"""A run's results can be handed to papers, spreadsheets and continuous integration."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dialeval.core import Estimate
from dialeval.study import read_summary
from dialeval.study.document import Failure, GateOutcome, Summary
from dialeval.study.report.text import as_csv, as_junit, as_latex, as_markdown


@pytest.fixture
def summary(make_run: Callable[..., Path]) -> Summary:
    return read_summary(make_run(systems=["old", "new"], significant=lambda *_: True))


@pytest.fixture
def hostile(summary: Summary) -> Summary:
    """A run with a failed gate, a failure, and a system that has every sign of LaTeX and XML in its name."""
    name = "a&b_<c>%$#{}~^\\\x07"
    first = summary.systems[0].name
    systems = tuple(replace(s, name=name if s.name == first else s.name) for s in summary.systems)
    results = tuple(replace(r, system=name if r.system == first else r.system) for r in summary.results)
    gates = (GateOutcome("rouge_l >= 0.9", name, "rouge_l", 0.25, False),)
    failures = (Failure(name, "meteor", "no <java> here"),)
    return replace(summary, systems=systems, results=results, comparisons=(), gates=gates, failures=failures)


def test_csv_has_a_row_for_each_result_with_all_digits(summary):
    rows = list(csv.DictReader(io.StringIO(as_csv(summary))))
    assert [(row["system"], row["measure"]) for row in rows] == [
        (r.system, r.measure) for r in summary.results
    ]
    assert [float(row["score"]) for row in rows if row["score"]] == [
        r.estimate.value for r in summary.results if r.estimate.value is not None
    ]


def test_an_undefined_number_is_an_empty_cell_in_csv(summary):
    unscored = replace(
        summary, results=(replace(summary.results[0], estimate=Estimate(None, None, None, 0)),)
    )
    (row,) = csv.DictReader(io.StringIO(as_csv(unscored)))
    assert (row["score"], row["low"], row["high"]) == ("", "", "")


def test_junit_counts_gates_and_failures_and_is_xml_whatever_the_names(hostile):
    suite = ElementTree.fromstring(as_junit(hostile))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "1")
    failed, broken = suite.findall("testcase")
    assert "has 0.25" in str(failed.find("failure").get("message"))
    assert broken.find("error").get("message") == "no <java> here"


def test_latex_escapes_every_sign_and_sets_the_best_in_bold(summary, hostile):
    text = as_latex(hostile)
    assert (
        r"a\&b\_\textless{}c\textgreater{}\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"
        in text
    )
    assert text.count(r"\toprule") == text.count(r"\midrule") == text.count(r"\bottomrule") == 1
    widths = {line.count(" & ") for line in text.splitlines() if line.endswith(r"\\")}
    assert len(widths) == 1
    assert r"\textbf{" in as_latex(summary)


def test_markdown_has_the_gates_and_failures_that_there_are(summary, hostile):
    assert "### Gates" in as_markdown(hostile)
    assert "### Failures" in as_markdown(hostile)
    assert "### Failures" not in as_markdown(replace(summary, failures=()))
