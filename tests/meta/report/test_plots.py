from __future__ import annotations

import re
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest

from dialeval.display.boxes import Box, boxes, cut_label
from dialeval.meta.report.plots import (
    JITTER_MEASURE,
    MOST_SYSTEMS,
    Cloud,
    _brief,
    _span,
    heat_map,
    scatter,
)

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: bytes) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def clouds(systems: int = 2, cells: int = 9) -> list[Cloud]:
    values = np.linspace(0, 1, cells)
    return [Cloud(f"system-{at}", 1 + values, values, 1.5, 0.5) for at in range(systems)]


def drawn(svg: bytes) -> int:
    """How many marks a plot has; ticks are marks too, so only differences mean something."""
    return len(re.findall(rb"<use ", svg))


def test_the_same_numbers_and_seed_give_the_same_bytes() -> None:
    assert scatter(clouds(), human="h", measure="m") == scatter(clouds(), human="h", measure="m")
    assert scatter(clouds(), human="h", measure="m", seed=1) != scatter(clouds(), human="h", measure="m")
    values = np.eye(3)
    assert heat_map(["a", "b", "c"], values) == heat_map(["a", "b", "c"], values)
    assert boxes([Box("a", (0, 1, 2, 3, 4))], across="x") == boxes([Box("a", (0, 1, 2, 3, 4))], across="x")


def test_every_cell_and_every_mean_is_a_point_and_every_system_has_a_key() -> None:
    small, large = (scatter(clouds(cells=n), human="overall", measure="bleu") for n in (9, 20))
    assert drawn(large) - drawn(small) == 2 * 11
    assert {"system-0", "system-1", "overall", "bleu"} <= set(texts(small))
    without = [Cloud(c.label, c.human, c.measure) for c in clouds()]
    assert drawn(small) - drawn(scatter(without, human="overall", measure="bleu")) == 2


def test_points_are_see_through_and_means_are_not() -> None:
    svg = scatter(clouds(), human="h", measure="m").decode()
    assert svg.count("fill-opacity: 0.6") + svg.count("opacity: 0.6") > 0


def test_too_many_systems_to_tell_apart_have_no_keys() -> None:
    assert "system-0" in texts(scatter(clouds(MOST_SYSTEMS), human="h", measure="m"))
    assert "system-0" not in texts(scatter(clouds(MOST_SYSTEMS + 1), human="h", measure="m"))


def test_one_far_value_does_not_blur_the_others() -> None:
    values = np.append(np.linspace(0, 10, 99), 1000.0)
    assert _span(values) < 11
    assert _span(np.array([0.0] * 99 + [5.0])) == 5.0
    assert _span(np.empty(0)) == 0.0
    assert pytest.approx(0.02) == JITTER_MEASURE  # Sharma et al. (2017), Figure 3: N(0, 0.02) on [0, 1]


def test_nothing_at_all_can_be_drawn() -> None:
    assert scatter([], human="h", measure="m").startswith(b"<?xml")
    assert scatter([Cloud("a", np.empty(0), np.empty(0))], human="h", measure="m").startswith(b"<?xml")
    assert heat_map(["human"], np.full((1, 1), np.nan)).startswith(b"<?xml")
    assert boxes([], across="x").startswith(b"<?xml")
    assert "undefined" in texts(boxes([Box("a", None)], across="x"))


def test_a_heat_map_names_rows_numbers_columns_and_leaves_undefined_cells_open() -> None:
    values = np.array([[1, -0.634, np.nan], [-0.634, 1, 0.004], [np.nan, 0.004, 1]])
    shown = texts(heat_map(["people", "bleu", "length"], values))
    assert {"people  1", "bleu  2", "length  3", "1", "2", "3", "−.63", "–", ".00"} <= set(shown)
    assert shown.count("–") == 2


def test_labels_are_text_whatever_they_hold() -> None:
    nasty = ["a$b_c$", "<script>&", "nul\x00\nline", "日本語"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = texts(boxes([Box(name, (0, 1, 2, 3, 4), 2) for name in nasty], across="$x$"))
        texts(heat_map(nasty, np.eye(4)))
        texts(scatter([Cloud(name, np.ones(1), np.ones(1)) for name in nasty], human="$h$", measure="<m>"))
    assert {"a$b_c$", "<script>&", "nul� line", "日本語", "$x$"} <= set(shown)


def test_long_names_keep_both_ends() -> None:
    assert cut_label("bleu(order=4)") == "bleu(order=4)"
    assert cut_label("fed(quality='Relevant')") == "fed(qu…'Relevant')"
    assert len(cut_label("x" * 50)) == 18


@pytest.mark.parametrize(
    ("value", "shown"), [(0.625, ".62"), (-0.05, "−.05"), (-0.001, ".00"), (1.0, "1"), (-1.0, "−1")]
)
def test_correlations_are_brief(value: float, shown: str) -> None:
    assert _brief(value) == shown
