"""The page in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from dialeval.study import render

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
FLAGS += ["--disable-component-update", "--disable-sync"]
SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
SPLIT = "a\u2028b</script>"

Make = Callable[..., Path]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Debian's chromium at {CHROMIUM}"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a folder's report, and at the end insists on a clean console and no request but the page itself."""
    complaints: list[str] = []
    requests: list[str] = []
    pages: list[Page] = []

    def open_report(folder: Path, *, width: int = 1200, fragment: str = "", scripts: bool = True) -> Page:
        page = browser.new_page(viewport={"width": width, "height": 900}, java_script_enabled=scripts)
        pages.append(page)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: requests.append(request.url))
        report = folder / "report.html"
        page.goto((report if report.exists() else render(folder)).as_uri() + fragment)
        return page

    yield open_report
    for page in pages:
        page.close()
    assert complaints == []
    others = [url for url in requests if not url.split("#")[0].endswith("/report.html")]
    assert [url[:60] for url in others if not url.startswith("data:image/svg+xml")] == []


@pytest.fixture(scope="module")
def varied(make_run: Make) -> Path:
    """Thirty items: old rises with the position, new falls, and new has no rouge_l on the fifth."""

    def value(measure: str, system: str, at: int) -> float | str:
        if measure == "rouge_l" and system == "new" and at == 4:
            return "no references"
        return at / 100 if system == "old" else (29 - at) / 50

    return make_run(items=[f"item-{n:02d}" for n in range(30)], value=value)


def ids(page: Page) -> list[str]:
    return page.locator(".item h3 a").all_inner_texts()


def test_items_are_filtered_by_text(visit: Callable[..., Page], varied: Path) -> None:
    page = visit(varied)
    assert ids(page) == [f"item-{n:02d}" for n in range(10)]
    page.locator("#words").fill("HELLO 17")
    assert ids(page) == ["item-17"]
    assert page.locator("#status").inner_text() == "Items 1 to 1 of 1 that match, of 30 on this page"
    page.locator("#words").fill("no such words")
    assert ids(page) == []
    page.get_by_role("button", name="Reset").click()
    assert len(ids(page)) == 10


def test_items_are_sorted_by_a_measure_and_by_a_difference(visit: Callable[..., Page], varied: Path) -> None:
    page = visit(varied)
    page.locator("#order").select_option("highest first")
    assert ids(page)[:2] == ["item-29", "item-28"]
    page.locator("#system").select_option("new")
    assert ids(page)[:2] == ["item-00", "item-01"]
    page.locator("#other").select_option("old")
    page.locator("#order").select_option("lowest first")
    assert ids(page)[:2] == ["item-29", "item-28"]
    assert "bleu(order=4), new − old: -0.290" in page.locator(".item h3").first.inner_text()


def test_items_are_filtered_by_range_and_by_absence(visit: Callable[..., Page], varied: Path) -> None:
    page = visit(varied)
    page.locator("#low").fill("0.05")
    page.locator("#high").fill("0.07")
    assert ids(page) == ["item-05", "item-06", "item-07"]
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("only with unscored values").check()
    assert ids(page) == ["item-04"]
    assert "unscored: no references" in page.locator(".item").inner_text()


def test_unscored_items_come_last_in_both_orders(visit: Callable[..., Page], varied: Path) -> None:
    page = visit(varied)
    page.locator("#measure").select_option("rouge_l")
    page.locator("#system").select_option("new")
    for order in ("highest first", "lowest first"):
        page.locator("#order").select_option(order)
        page.get_by_role("button", name="Next").click()
        page.get_by_role("button", name="Next").click()
        assert ids(page)[-1] == "item-04"
        assert page.get_by_role("button", name="Next").is_disabled()


def test_pages_turn_by_keyboard(visit: Callable[..., Page], varied: Path) -> None:
    page = visit(varied)
    page.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    assert ids(page)[0] == "item-10"
    assert page.locator("#place").inner_text() == "Page 2 of 3"


def test_a_link_leads_to_its_item_even_when_filters_hide_it(visit: Callable[..., Page], varied: Path) -> None:
    page = visit(varied, fragment="#item=item-23")
    assert page.locator(".item.target h3 a").inner_text() == "item-23"
    assert page.evaluate("document.activeElement.className") == "item target"
    page.locator("#words").fill("hello 3")
    page.evaluate("location.hash = '#item=item-12'")
    page.wait_for_selector(".item.target")
    assert page.locator(".item.target h3 a").inner_text() == "item-12"
    page.evaluate("location.hash = '#item=gone'")
    page.wait_for_function(
        "document.getElementById('status').textContent.includes('does not carry item gone')"
    )


def test_hostile_text_is_shown_as_text(visit: Callable[..., Page], make_run: Make) -> None:
    folder = make_run(
        systems=[SCRIPT, IMAGE],
        items=[SCRIPT, IMAGE, SPLIT],
        context=[SCRIPT, IMAGE, SPLIT],
        references=[IMAGE],
        response=lambda system, at: f"{SPLIT}{at}",
        value=lambda m, s, at: SCRIPT if at == 1 else 0.5,
        failures=[{"system": IMAGE, "measure": None, "message": SCRIPT}],
    )
    page = visit(folder)
    assert ids(page)[:2] == [SCRIPT, IMAGE]
    first = page.locator(".item").first
    assert first.locator(".turn .said").all_inner_texts()[:2] == [SCRIPT, IMAGE]
    assert first.locator(".response h4").all_inner_texts() == [SCRIPT, IMAGE]
    assert first.locator(".response .said").first.text_content() == f"{SPLIT}0"
    assert f"unscored: {SCRIPT}" in page.locator(".item").nth(1).inner_text()
    assert SCRIPT in page.locator("#failures").inner_text()
    page.locator(".item h3 a").nth(2).click()
    assert page.locator(".item.target h3 a").text_content() == SPLIT
    assert page.locator("img[src=x]").count() == 0


def test_the_plots_are_drawn_under_the_policy(visit: Callable[..., Page], varied: Path) -> None:
    page = visit(varied)
    widths = page.evaluate(
        "Promise.all([...document.images].map(i => i.decode().then(() => i.naturalWidth)))"
    )
    assert len(widths) == 6
    assert min(widths) > 300


@pytest.mark.parametrize("scripts", [True, False])
def test_a_phone_never_scrolls_the_page_sideways(
    visit: Callable[..., Page], make_run: Make, scripts: bool
) -> None:
    folder = make_run(
        systems=["a-system-with-quite-a-long-name", "x" * 120, "b", "c"],
        items=["i" * 200, "j"],
        study="s" * 150,
        measures={
            "bleu(order=4)": True,
            "a_measure_with_a_long_name(parameter=12345678)": False,
            "length": None,
        },
        response=lambda system, at: "w" * 300,
        value=lambda m, s, at: "r" * 200 if at else 0.5,
    )
    page = visit(folder, width=390, scripts=scripts)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_without_scripts_the_first_items_are_there(visit: Callable[..., Page], varied: Path) -> None:
    page = visit(varied, scripts=False)
    assert page.locator("table.static tbody tr").count() == 10
    assert not page.locator("#browser").is_visible()
    assert "old says hello 9" in page.locator("table.static").inner_text()


def test_on_paper_there_are_no_controls(visit: Callable[..., Page], varied: Path) -> None:
    page = visit(varied)
    page.emulate_media(media="print")
    assert not page.locator(".controls").is_visible()
    assert not page.locator("nav").is_visible()
    assert page.locator(".item:visible").count() == 5


def test_on_paper_nothing_is_folded_away(visit: Callable[..., Page], varied: Path) -> None:
    page = visit(varied)
    closed = page.locator("details:not([open])")
    assert closed.count() > 3
    last = page.locator("details pre")
    assert not last.is_visible()
    page.emulate_media(media="print")  # the style sheet alone, as where scripts do not run
    assert "support-bots" in last.inner_text()
    assert page.evaluate(
        "document.querySelector('details pre').checkVisibility({contentVisibilityAuto: true})"
    )
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert closed.count() == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert closed.count() > 3


@pytest.fixture(scope="module")
def wide(make_run: Make) -> Path:
    """Sixteen measures, one of them of all responses together."""
    folder = make_run(systems=["attentive", "chatty"], measures={f"measure_{n}": True for n in range(16)})
    content = json.loads((folder / "summary.json").read_text())
    content["measures"][3]["per_item"] = False
    (folder / "summary.json").write_text(json.dumps(content))
    return folder


def test_a_wide_table_scrolls_under_its_first_column_and_shows_that_it_does(
    visit: Callable[..., Page], wide: Path
) -> None:
    page = visit(wide, width=390)
    box, first = (
        page.locator("#leaderboard .scroll:visible"),
        page.locator("#leaderboard tbody th:visible").first,
    )
    assert box.count() == 1
    assert box.evaluate("e => getComputedStyle(e).backgroundAttachment") == "local, local, scroll, scroll"
    before = first.bounding_box()
    box.evaluate("e => { e.scrollLeft = 300 }")
    assert box.evaluate("e => e.scrollLeft") == 300
    assert first.bounding_box() == before


def test_on_paper_a_wide_table_is_cut_into_tables_that_fit(visit: Callable[..., Page], wide: Path) -> None:
    page = visit(wide, width=720)
    page.emulate_media(media="print")
    tables = page.locator("#leaderboard table:visible")
    assert tables.count() == 3
    assert [len(table.locator("thead th").all()) for table in tables.all()] == [7, 7, 5]
    assert page.evaluate("document.documentElement.scrollWidth") == 720
    # One list below the last table, and one that names the families of tests.
    assert page.locator("#leaderboard .notes:visible").count() == 2


def test_measures_of_all_responses_together_get_a_line_and_no_panel(
    visit: Callable[..., Page], wide: Path
) -> None:
    page = visit(wide)
    section = page.locator("#distributions")
    assert (
        "measure_3 measures all responses together, so there are no per-item values to show here."
        in section.inner_text()
    )
    assert section.locator("figure").count() == 15
    assert page.locator("#scores figure").count() == 16
