"""Whole studies in a real browser: a killed server, talks, the owner's pages, hostile texts, accessibility."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dialeval.annotation.blind_items import Blind
from dialeval.annotation.items import Item, Shown, Source
from dialeval.annotation.project import ChatSettings
from dialeval.data.types import Context, Response
from support.rating_pages import (
    NEEDS_CHROMIUM,
    SETTLED,
    Rating,
    ServedByCommand,
    asks,
    blinded,
    hostile_turns,
)
from support.rating_studies import made_project, made_store, served

expect.set_options(timeout=20_000)
pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]

Visit = Callable[..., Page]
Serve = Callable[..., Rating]


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def test_an_answer_given_while_the_server_is_down_is_saved_once_it_is_back(
    tmp_path: Path, visit: Visit
) -> None:
    project = made_project(
        tmp_path / "study", blinded=blinded("likert"), asks=asks("likert"), overlap=1, raters=["ann"]
    )
    server = ServedByCommand(tmp_path / "study").start()
    try:
        page = visit(server.links[1])
        press(page, "2")
        server.kill()
        press(page, "Enter")
        expect(page.locator("#status")).to_contain_text("Trying again")
        server.start()
        expect(page.locator(SETTLED)).to_have_text("Saved", timeout=40_000)
        server.kill()
    finally:
        server.kill()
    store = made_store(project)
    rater = store.rater_named("ann")
    assert rater is not None
    assert [given.answers for given in store.history(rater)] == [{"likert": {"value": 2.0}}]
    store.close()


class Echo:
    """A system that says back what it heard; the second time it is asked it gives nothing, once."""

    name = "echo"

    def __init__(self) -> None:
        self.asked = 0

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        self.asked += 1
        if self.asked == 2:
            return [(Response("", missing="down"),) for _ in contexts]
        return [(Response(f"You said: {context[-1].text}"),) for context in contexts]


def test_raters_talk_with_a_system_then_rate_and_the_talk_is_kept(rating: Serve, visit: Visit) -> None:
    whole = Blind(Item("t1"), Source("t1", "prompt-1", system="echo"))
    chat = ChatSettings(2, {"echo": "echo"})
    site = rating("dialogue", blind=[whole], chat=chat, partners={"echo": Echo()})
    page = visit(site.link(), width=390)
    page.get_by_role("textbox", name="Your message").fill("Hello <b>there</b>")
    page.keyboard.press("Enter")
    expect(page.get_by_text("You said: Hello <b>there</b>")).to_be_visible()
    expect(page.locator("#left")).to_have_text("1 of 2 turns")
    page.keyboard.insert_text("Bye")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("Not sent")
    page.keyboard.press("Enter")  # what was said is still in the box
    expect(page.get_by_role("group", name=re.compile("How good is the whole conversation"))).to_be_visible()
    assert page.locator(".turn .said").all_inner_texts() == [
        "Hello <b>there</b>",
        "You said: Hello <b>there</b>",
        "Bye",
        "You said: Bye",
    ]
    press(page, "4 Enter")
    expect(page).to_have_url(re.compile("/done$"))
    assert site.answers() == [{"dialogue": {"value": 4.0}}]
    rater = site.store.rater_named("ann")
    assert rater is not None
    assert [turn.text for turn in site.store.talk(rater, "t1")][2:] == ["Bye", "You said: Bye"]


def rate_all(site: Rating, rater: str, values: dict[str, float]) -> None:
    known = site.store.rater_named(rater) or site.store.add_rater(rater)
    for _ in values:
        held = site.store.claim(known.id)
        site.store.submit(known.id, held.item, 0, {"likert": {"value": values[held.item]}}, seconds=9)  # type: ignore[union-attr]


def test_the_owner_sees_agreement_live_drops_a_rater_and_settles_a_dispute(
    rating: Serve, visit: Visit
) -> None:
    site = rating("likert", overlap=3, raters=("ann", "bob", "cem"))
    page = visit(site.owner, width=1300)
    expect(page.get_by_role("heading", name="How it is going")).to_be_visible()
    assert site.link("ann").split("/")[-1] not in page.content()
    for rater, values in {"ann": {"i1": 5.0, "i2": 1.0}, "bob": {"i1": 4.0, "i2": 1.0}}.items():
        rate_all(site, rater, values)
    expect(page.get_by_text("4 / 6")).to_be_visible()  # without a click: the page is live
    rate_all(site, "cem", {"i1": 1.0, "i2": 5.0})
    expect(page.get_by_text("6 / 6")).to_be_visible()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="cem"))
    row.get_by_role("button", name="Drop: cem").click()
    expect(row).to_contain_text("dropped")
    row.get_by_role("button", name="Restore: cem").click()
    expect(row).not_to_contain_text("dropped")
    page.get_by_label("Name").fill("dana")
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator(".code code")).to_contain_text("/r/")
    page.get_by_role("link", name="Adjudication").first.click()
    expect(page.get_by_role("heading", name="What raters said")).to_be_visible()
    press(page, "2")
    page.get_by_label("Reason").fill("Off topic.")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".decided").first).to_be_visible()
    decided = site.store.decisions()
    assert [(answer, reason) for answer, reason in decided.values()] == [({"value": 2.0}, "Off topic.")]


@pytest.mark.parametrize("width", [1100, 390])
def test_hostile_dialogues_are_shown_as_text_and_stay_in_their_place(
    rating: Serve, visit: Visit, width: int
) -> None:
    item = Item("h1", hostile_turns(), (Shown("c1", "<svg onload=alert(1)>"),))
    site = rating("likert", blind=[Blind(item, Source("h1", "d1", system="s", systems={"c1": "s"}))])
    page = visit(site.link(), width=width)
    said = page.locator(".said")
    assert said.nth(0).text_content() == "<script>document.title = 'hacked'</script>"
    assert "U+202E" in (said.nth(3).text_content() or "")
    assert "U+0000" in (said.nth(3).text_content() or "")
    assert len(said.nth(7).text_content() or "") == 1_000_000
    assert page.title() != "hacked"
    assert page.locator(".said :not(.control)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") == width
    boxes = [said.nth(place).bounding_box() for place in range(9)]
    assert max(box["height"] for box in boxes if box) <= 0.61 * 800
    press(page, "4 Enter")
    expect(page).to_have_url(re.compile("/done$"))
    assert site.answers() == [{"likert": {"value": 4.0}}]


UNNAMED = """() => {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const brief = (one) => one.outerHTML.slice(0, 120);
  const pointed = (one) => (one.getAttribute("aria-labelledby") || "").split(" ")
    .map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const labels = (one) => [...(one.labels ?? [])].map((label) => label.textContent).join(" ");
  const name = (one) => one.getAttribute("aria-label") || labels(one) || pointed(one) || one.textContent;
  for (const one of all("input:not([type=hidden]), textarea, button, a, dialog, [role=region]"))
    if (!name(one).trim()) wrong.push("no name: " + brief(one));
  const ids = all("[id]").map((one) => one.id);
  if (new Set(ids).size < ids.length) wrong.push("an id twice");
  for (const rule of ["main", "h1"]) if (all(rule).length !== 1) wrong.push("not one " + rule);
  for (const one of all("fieldset")) if (!one.querySelector("legend")) wrong.push("no legend");
  for (const one of all("[style], [onclick], script:not([src]), style")) wrong.push("inline: " + brief(one));
  for (const one of all("label.option, button, .button, .pick")) {
    const { width, height } = one.getBoundingClientRect();
    if (one.checkVisibility() && Math.min(width, height) < 24) wrong.push("too small: " + brief(one));
  }
  if (!document.documentElement.lang || !document.title) wrong.push("no language or title");
  return wrong;
}"""
"""What axe calls serious, as far as it can be said in a few lines; the whole of axe was run by hand."""


@pytest.mark.parametrize(
    ("kind", "width"), [("several", 1100), ("turns", 390), ("contradiction", 390), ("ranking", 390)]
)
def test_controls_have_names_groups_have_legends_and_targets_are_large_enough(
    rating: Serve, visit: Visit, kind: str, width: int
) -> None:
    kinds = ("likert", "slider", "yes_no", "errors", "comment") if kind == "several" else (kind,)
    site = rating(*kinds)
    page = visit(site.link(), width=width)
    assert page.evaluate(UNNAMED) == []
    for path in ("/history", "/instructions", "/nowhere"):
        page.goto(site.address + path)
        assert page.evaluate(UNNAMED) == []
    page.goto(site.owner)
    assert page.evaluate(UNNAMED) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_people_join_by_the_form_of_a_real_browser(tmp_path: Path, visit: Callable[..., Page]) -> None:
    project = made_project(tmp_path / "study")
    with served(project, open=True, join_code="tulip") as (address, store):
        page = visit(f"{address}/join?code=tulip")
        page.fill("input[name=name]", "eve")
        page.click("button.main")
        page.wait_for_url(f"{address}/task**")  # the page adds the item that it shows
        assert [rater.name for rater in store.raters()] == ["eve"]
