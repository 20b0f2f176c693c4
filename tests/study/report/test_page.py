from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dialeval.study import render

Make = Callable[..., Path]
NASTY = "</script><script>alert(1)</script>"


class Reader(HTMLParser):
    """What a browser would see: elements with their attributes, and the text of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.raw: list[tuple[str, dict[str, str], str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        if self.tags and self.cdata_elem in ("script", "style"):
            self.raw.append((*self.tags[-1], data))


def page(folder: Path) -> str:
    return render(folder).read_text(encoding="utf-8")


def data(html: str) -> dict[str, object]:
    (text,) = [text for tag, attributes, text in Reader(html).raw if attributes.get("id") == "data"]
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def test_the_page_lands_in_the_folder_and_rendering_again_changes_no_byte(make_run: Make) -> None:
    folder = make_run()
    path = render(folder)
    first = path.read_bytes()
    assert path == folder / "report.html"
    assert render(folder).read_bytes() == first
    assert not list(folder.glob("*.part"))


def test_the_policy_admits_exactly_the_script_and_style_of_the_page(make_run: Make) -> None:
    reader = Reader(page(make_run()))
    (policy,) = [a["content"] for tag, a in reader.tags if a.get("http-equiv") == "Content-Security-Policy"]
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for tag, attributes, text in reader.raw
        if attributes.get("type") != "application/json"
    ]
    style, script = hashes
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_nothing_is_fetched_and_no_style_or_handler_stands_in_an_attribute(make_run: Make) -> None:
    reader = Reader(page(make_run()))
    for tag, attributes in reader.tags:
        assert not any(name == "style" or name.startswith("on") for name in attributes), (tag, attributes)
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:")), (tag, attributes)
    assert not {tag for tag, _ in reader.tags} & {"iframe", "object", "embed", "form", "base"}


def test_the_script_never_writes_markup() -> None:
    from importlib.resources import files

    script = files("dialeval.study.report").joinpath("assets", "report.js").read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(", script)


def test_hostile_text_stays_text(make_run: Make) -> None:
    folder = make_run(
        study=NASTY,
        systems=[NASTY, '"><img src=x onerror=alert(1)>'],
        items=[NASTY, "line\u2028break"],
        measures={"<b>m</b>": True},
        context=[NASTY, "&amp;"],
        references=[NASTY],
        response=lambda system, at: f"<!-- {NASTY}",
        value=lambda m, s, at: NASTY if at else 0.5,
        failures=[{"system": None, "measure": None, "message": NASTY}],
    )
    html = page(folder)
    reader = Reader(html)
    assert [tag for tag, _ in reader.tags].count("script") == 2
    assert not [attributes for tag, attributes in reader.tags if tag == "img" and attributes["src"] == "x"]
    assert not any("\u2028" in text for _, _, text in reader.raw)
    found = data(html)
    assert found["systems"] == [NASTY, '"><img src=x onerror=alert(1)>']
    items = found["items"]
    assert isinstance(items, list)
    assert items[0]["item"] == NASTY
    assert items[1]["item"] == "line\u2028break"


@pytest.mark.parametrize(
    "sketch",
    [
        {"systems": ["only"]},
        {"compared": False},
        {"value": lambda m, s, at: "no references"},
        {"items": ["just-one"]},
        {"items": []},
        {"systems": []},
        {"measures": {}},
        {"response": lambda system, at: None},
        {"measures": {"length": None}},
    ],
    ids=[
        *("one system", "nothing compared", "all unscored", "one item", "no items"),
        *("no systems", "no measures", "no responses", "nothing ranked"),
    ],
)
def test_little_or_nothing_still_makes_a_page(make_run: Make, sketch: dict[str, object]) -> None:
    html = page(make_run(**sketch))
    assert "<h1>support-bots</h1>" in html
    assert html.rstrip().endswith("</html>")


def test_a_page_says_what_it_leaves_out(make_run: Make) -> None:
    html = " ".join(page(make_run(items=[f"i{n}" for n in range(700)])).split())
    assert "This page carries 500 of the 700 items" in html
    assert "results.parquet" in html


def test_a_description_gets_no_best_mark(make_run: Make) -> None:
    html = page(make_run(measures={"length": None}, value=lambda m, s, at: 3.0 if s == "old" else 5.0))
    assert "★" not in html


def test_pictures_are_described_in_words(make_run: Make) -> None:
    alts = [attributes["alt"] for tag, attributes in Reader(page(make_run())).tags if tag == "img"]
    assert len(alts) == 6
    assert alts[0] == (
        "Scores under bleu(order=4) with intervals: old 0.375 [0.345, 0.415]; new 0.375 [0.345, 0.415]."
    )


def test_a_large_run_renders_soon_into_a_page_of_bounded_size(make_run: Make) -> None:
    folder = make_run(
        systems=[f"system-{n}" for n in range(5)],
        items=[f"item-{n}" for n in range(2_000)],
        measures={"bleu": True, "rouge_l": True},
        value=lambda m, s, at: (at * 7919 + len(m)) % 1000 / 1000,
        response=lambda system, at: "word " * 40,
    )
    started = time.perf_counter()
    path = render(folder)
    assert time.perf_counter() - started < 20  # about 1.5 s on an idle laptop
    assert path.stat().st_size < 3_000_000
