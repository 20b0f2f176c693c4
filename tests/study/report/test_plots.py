from __future__ import annotations

import warnings
from xml.etree import ElementTree

import numpy as np

from dialeval.study.report.plots import Dot, Spread, _edges, distributions, intervals


def texts(svg: bytes) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_same_numbers_give_the_same_bytes() -> None:
    dots = [Dot("a", 0.2, (0.1, 0.3)), Dot("b", 0.4, (0.3, 0.5))]
    assert intervals(dots) == intervals(dots)
    spreads = [Spread("a", np.linspace(0, 1, 50), 3)]
    assert distributions(spreads) == distributions(spreads)
    assert b"dc:date" not in intervals(dots)


def test_labels_are_text_whatever_they_hold() -> None:
    nasty = ["a$b_c$", "<script>&", "nul\x00\nline", "日本語", "long " * 20]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = intervals([Dot(label, 0.5, (0.4, 0.6)) for label in nasty])
    shown = texts(svg)
    assert {"a$b_c$", "<script>&", "nul� line", "日本語", "long long long lo…"} <= set(shown)


def test_systems_without_a_score_keep_their_row() -> None:
    assert {"a", "b", "no score"} <= set(texts(intervals([Dot("a", None), Dot("b", 0.1)])))
    assert {"a", "3 unscored"} <= set(texts(distributions([Spread("a", np.empty(0), 3)])))


def test_nothing_at_all_one_value_and_equal_values_can_be_drawn() -> None:
    assert intervals([]).startswith(b"<?xml")
    assert distributions([]).startswith(b"<?xml")
    assert texts(distributions([Spread("a", np.array([0.25]))]))
    assert texts(distributions([Spread("a", np.full(9, 1e9)), Spread("b", np.array([-1e9]))]))


def test_yes_and_no_are_two_separate_bars() -> None:
    ticks = texts(distributions([Spread("a", np.array([0.0, 1.0, 1.0]))]))
    assert ticks[:2] == ["0", "1"]


def test_bins_of_whole_numbers_hold_equally_many_of_them() -> None:
    inner = np.diff(np.ceil(_edges(np.arange(3.0, 90.0))))
    assert set(inner.tolist()) == {3.0}
