"""The report of a judged study in a browser: reasons beside items, whole replies folded, the judge's notes open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, sync_playwright

from judge.test_judged_study import content, write
from support.bot_server import bot_server
from support.command import Command
from support.judge_server import response_of, verdict

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Debian's chromium at {CHROMIUM}"),
]
REASON = "It says <img src=x onerror=alert(1)>,\nand no more."


def reply(body: Mapping) -> dict:
    return verdict(body, 1 if "purple" in response_of(body) else 4, REASON)


@pytest.fixture
def page(tmp_path: Path, dialeval: Command) -> Iterator[Page]:
    """The report on a phone."""
    prompts = [{"id": str(n), "context": [{"role": "user", "content": "Why?"}]} for n in range(3)]
    write(tmp_path / "prompts.jsonl", prompts)
    for system in ("good", "poor"):
        write(tmp_path / f"{system}.jsonl", [{"id": str(n), "response": f"{system} {n}"} for n in range(3)])
    with bot_server(whole=reply) as server:
        (tmp_path / "study.yaml").write_text(yaml.safe_dump(content(server.url)), encoding="utf-8")
        assert dialeval("run", "study.yaml", "-o", "out").code == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_page(viewport={"width": 420, "height": 900})
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.goto((tmp_path / "out" / "report.html").as_uri())
        yield page
        browser.close()
    assert complaints == []


def test_reasons_stand_below_the_score_and_whole_replies_are_folded(page: Page) -> None:
    found = page.locator(".evidence").first
    reason = found.locator("p").first
    assert reason.is_visible()
    assert "onerror=alert(1)" in reason.inner_text()
    whole = found.locator("details p")
    assert not whole.is_visible()
    found.locator("summary").click()
    assert whole.is_visible()
    assert whole.inner_text().startswith('{"tag": ')
    name, told = page.locator(".told dt").first.bounding_box(), found.bounding_box()
    assert name is not None
    assert told is not None
    assert told["y"] >= name["y"] + name["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 420


def test_what_the_judge_did_is_not_folded_away(page: Page) -> None:
    notes = page.locator("#leaderboard h3:has-text('Judges') + ul")
    assert notes.is_visible()
    assert "it resisted an order planted in an answer" in notes.inner_text()
