from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from dialeval.errors import BadInput
from dialeval.meta.document import Document
from dialeval.meta.folder import read_meta, render_meta
from support.made_meta import estimates, interval
from support.paths import DOCS

Make = Callable[..., Path]
NASTY = '</script><script>alert(1)</script>"><img src=x onerror=alert(1)>'
FILES = DOCS / "files.md"


class Elements(HTMLParser):
    """Every element with its attributes, and the texts of headings."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.headings: list[int] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
        if re.fullmatch(r"h\d", tag):
            self.headings.append(int(tag[1]))


def html(folder: Path) -> str:
    return render_meta(folder).read_text(encoding="utf-8")


def everything(content: dict[str, Any]) -> None:
    content["estimates"] = [estimates()]
    content["combined"] = [{"measure": "mix", "fitted": True, "weights": {"length": 1.0}}]


def test_rendering_again_changes_no_byte(make_meta: Make) -> None:
    folder = make_meta()
    first = render_meta(folder).read_bytes()
    assert render_meta(folder).read_bytes() == first
    assert sorted(path.name for path in folder.iterdir()) == ["meta.html", "meta.json", "points.parquet"]


def test_the_policy_admits_the_style_and_pictures_and_nothing_else(make_meta: Make) -> None:
    page = html(make_meta())
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    elements = Elements(page).found
    (policy,) = [a["content"] for _, a in elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert not [tag for tag, _ in elements if tag == "script"]
    assert not [a for _, a in elements if "style" in a or any(name.startswith("on") for name in a)]


def test_every_word_of_the_data_is_shown_as_text(make_meta: Make) -> None:
    def nasty(content: dict[str, Any]) -> None:
        text = (
            json.dumps(content)
            .replace("rouge_l", json.dumps(NASTY)[1:-1])
            .replace('"overall"', json.dumps(NASTY))
        )
        content.update(json.loads(text))

    elements = Elements(html(make_meta(nasty))).found
    assert not [tag for tag, _ in elements if tag == "script"]
    assert {a["src"][:26] for tag, a in elements if tag == "img"} == {"data:image/svg+xml;base64,"}


def test_every_picture_has_words_and_every_heading_its_place(make_meta: Make) -> None:
    elements = Elements(html(make_meta(everything)))
    alts = [a["alt"] for tag, a in elements.found if tag == "img"]
    assert len(alts) == 2 + 2 + 2  # scatter plots, heat maps, boxes
    assert all(len(alt) > 40 for alt in alts)
    levels = elements.headings
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    ids = {a["id"] for _, a in elements.found if "id" in a}
    assert {a["href"][1:] for tag, a in elements.found if tag == "a"} <= ids


def test_a_picture_in_words_says_what_it_shows(make_meta: Make) -> None:
    page = html(make_meta())
    assert "Scatter plot of length against people&#39;s ratings." in page
    assert "With people: rouge_l 0.10; length 0.40." in page
    assert (
        "rouge_l: median 0.50, quartiles [0.20, 0.50], range [-1.00, 1.00], on all items 0.50; length: undefined"
        in page
    )


def test_a_page_of_many_points_shows_some_of_them_and_says_so(make_meta: Make) -> None:
    few, many = (len(html(make_meta(points=n))) for n in (1_000, 4_000))
    assert "of 12,000 points drawn" in html(make_meta(points=4_000))
    assert many < 1.2 * few


def test_estimates_are_shown_only_where_there_are_any(make_meta: Make) -> None:
    assert 'id="estimates"' not in html(make_meta())
    page = html(make_meta(everything))
    assert 'id="estimates"' in page
    assert "old − new" in page
    assert "Weights of the combined measures" in page


def test_plots_can_be_had_as_files(make_meta: Make) -> None:
    folder = make_meta()
    render_meta(folder, plots=True)
    assert sorted(path.name for path in (folder / "plots").iterdir()) == [
        *("boxes-people-with-people.svg", "boxes-smaller-test-sets.svg"),
        *(
            "correlations-items-pooled.svg",
            "correlations-systems.svg",
            "scatter-length.svg",
            "scatter-rouge_l.svg",
        ),
    ]


def test_the_layout_in_the_documentation_is_the_one_that_is_read() -> None:
    shown = re.findall(r"^```json\n(.*?)^```", FILES.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    found = TypeAdapter(Document).validate_json(shown[-1], strict=True)
    assert found.estimates[0].differences[0].classical.error == 0.2


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda c: c.pop("rows"), "field 'rows': found no such field"),
        (lambda c: c["rows"][0].update(level="turn"), "field 'rows[0].level': found 'turn'"),
        (lambda c: c.update(format=2), "found format 2, expected format 1"),
    ],
)
def test_a_damaged_file_is_named_with_the_field(
    make_meta: Make, change: Callable[..., Any], complaint: str
) -> None:
    folder = make_meta(change)
    with pytest.raises(BadInput) as raised:
        read_meta(folder)
    assert complaint in str(raised.value)
    assert "dialeval meta" in str(raised.value)


def test_a_folder_without_points_or_with_broken_ones_is_refused(make_meta: Make) -> None:
    folder = make_meta()
    (folder / "points.parquet").write_bytes(b"no parquet")
    with pytest.raises(BadInput, match="no readable points"):
        render_meta(folder)
    (folder / "points.parquet").unlink()
    with pytest.raises(BadInput, match=r"without points\.parquet"):
        render_meta(folder)


def test_notes_stand_above_the_tables_and_planning_has_its_section(make_meta: Make) -> None:
    def noted(content: dict[str, Any]) -> None:
        content["notes"] = ["people: ann & ben"]
        plan = {"question": "to tell them apart", "over": "items", "goal": "power", "target": 0.8}
        plan |= {"at_hand": 40, "enough": 70, "reason": None, "notes": []}
        plan |= {"design": "paired t test", "effect": 0.3, "alpha": 0.05, "trials": 500, "seed": 0}
        content["planning"] = [{**plan, "points": [{"size": 70, "power": interval(0.82, 0.02, 500)}]}]

    page = html(make_meta(noted))
    assert page.index("people: ann &amp; ben") < page.index('id="agreement"') < page.index('id="planning"')
    assert "70 items" in page
    assert 'id="planning"' not in html(make_meta())
