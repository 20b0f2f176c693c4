"""The page about measures and people in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from dialeval.meta.folder import render_meta
from support.made_meta import estimates

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Debian's chromium at {CHROMIUM}"),
]


def everything(content: dict[str, Any]) -> None:
    content["estimates"] = [estimates()]
    for row in content["rows"]:
        row["measure"] = row["measure"].replace(
            "rouge_l", "a_measure_with_a_long_name(and='<b>parameters</b>')"
        )


@pytest.mark.parametrize("width", [1200, 390])
def test_it_shows_its_pictures_asks_for_nothing_and_is_no_wider_than_the_screen(
    make_meta: Callable[..., Path], width: int
) -> None:
    page_file = render_meta(make_meta(everything))
    complaints: list[str] = []
    requests: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(page_file.as_uri())
        widths = page.eval_on_selector_all("img", "all => all.map(one => one.naturalWidth)")
        assert len(widths) == 6
        assert min(widths) > 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_text("Items, pooled", exact=False).first.wait_for()
        browser.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("data:image/svg+xml", "file:"))] == []
