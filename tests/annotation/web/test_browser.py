"""Rating in a real browser: every kind by mouse and by keyboard, and nothing lost on the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dialeval.annotation.kinds import KINDS
from support.rating_pages import NEEDS_CHROMIUM, SETTLED, Rating, asks, blinded

expect.set_options(timeout=20_000)  # a busy machine is slow
pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]

Visit = Callable[..., Page]
Serve = Callable[..., Rating]


def role(kind: str, name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role(kind, name=name, exact=True).check()  # type: ignore[arg-type]


def click_turns(page: Page) -> None:
    for text in ("Two cats.", "I never had a pet."):
        page.get_by_text(text, exact=True).click()


def drag(page: Page) -> None:
    page.get_by_role("slider").fill("30")


def ranks(page: Page) -> None:
    for letter, rank in zip("ABC", "312", strict=True):
        page.get_by_role("group", name=f"Rank of response {letter}: ranking").get_by_label(rank).check(
            force=True
        )


def rate_sentences(page: Page) -> None:
    for letter, value in zip("ABC", "514", strict=True):
        group = page.get_by_role("group", name=f"Rating of response {letter}: sentences")
        group.get_by_label(value).check(force=True)


def rate_turns(page: Page) -> None:
    for turn, value in ((2, "bad"), (4, "good")):
        page.get_by_role("group", name=f"Turn {turn}: turns").get_by_label(value).check(force=True)


def label_errors(page: Page) -> None:
    for name in ("irrelevant", "unsafe"):
        page.get_by_role("checkbox", name=re.compile(f"^{name}")).check()


def chosen(place: int) -> Callable[[list[str]], Any]:
    return lambda order: {"choice": order[place]}


MOUSE: dict[str, tuple[Callable[[Page], Any], Any]] = {
    "likert": (role("radio", "good"), {"value": 4.0}),
    "slider": (drag, {"value": 30.0}),
    "yes_no": (role("radio", "yes"), {"value": 1.0}),
    "three_way": (role("radio", "passable"), {"value": 1.0}),
    "pairwise": (lambda page: page.locator(".candidate").nth(1).click(), chosen(1)),
    "ranking": (ranks, lambda order: {"ranks": dict(zip(order, (3, 1, 2), strict=True))}),
    "sentences": (rate_sentences, lambda order: {"values": dict(zip(order, (5, 1, 4), strict=True))}),
    "best_of": (role("radio", "Response C"), chosen(2)),
    "errors": (label_errors, {"labels": ["irrelevant", "unsafe"]}),
    "turns": (rate_turns, {"turns": {"2": 1.0, "4": 3.0}}),
    "dialogue": (role("radio", "very bad"), {"value": 1.0}),
    "contradiction": (click_turns, {"turns": [2, 4]}),
    "comment": (lambda page: page.get_by_role("textbox").fill("Dull."), {"text": "Dull."}),
}
KEYS: dict[str, tuple[str, Any]] = {
    "likert": ("4 ArrowDown", {"value": 5.0}),
    "slider": ("7 ArrowRight", {"value": 71.0}),
    "yes_no": ("c", {"value": None}),
    "three_way": ("3", {"value": 0.0}),
    "pairwise": ("1", chosen(0)),
    "ranking": ("2 2 1", lambda order: {"ranks": dict(zip(order, (2, 2, 1), strict=True))}),
    "sentences": ("1 5 3", lambda order: {"values": dict(zip(order, (1, 5, 3), strict=True))}),
    "best_of": ("2", chosen(1)),
    "errors": ("1 6 1", {"labels": ["unsafe"]}),
    "turns": ("2 3 k k 1", {"turns": {"2": 1.0, "4": 3.0}}),
    "dialogue": ("ArrowRight ArrowRight", {"value": 2.0}),
    "contradiction": ("1 4 k k Space", {"turns": [2, 4]}),
    "comment": ("ArrowRight N o Control+Enter", {"text": "No"}),
}


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def order_of(page: Page) -> list[str]:
    return page.eval_on_selector_all("[data-candidate]", "all => all.map(one => one.dataset.candidate)")


def expected(answer: Any, order: list[str]) -> Any:
    return answer(order) if callable(answer) else answer


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_answered_by_mouse_and_by_keyboard(rating: Serve, visit: Visit, kind: str) -> None:
    site = rating(kind, asks=asks(kind, required=True), overlap=2)
    act, answer = MOUSE[kind]
    page = visit(site.link("ann"))
    order = order_of(page)
    act(page)
    expect(page.locator("#status")).to_have_text("Not saved yet")
    page.get_by_role("button", name="Save and next").click()
    expect(page.locator(SETTLED)).to_have_text("Saved")
    assert site.answers("ann") == [{kind: expected(answer, order)}]

    keys, answer = KEYS[kind]
    page = visit(site.link("bob"), width=390, dark=True)
    order = order_of(page)
    press(page, keys)
    if "Enter" not in keys:
        page.keyboard.press("Enter")
    expect(page.locator(SETTLED)).to_have_text("Saved")
    assert site.answers("bob") == [{kind: expected(answer, order)}]
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_several_questions_stand_on_one_page_and_digits_go_from_one_to_the_next(
    rating: Serve, visit: Visit
) -> None:
    site = rating("likert", asks=(*asks("likert", "yes_no"), *asks("comment")))
    page = visit(site.link())
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_have_text("Not saved: something is missing.")
    assert page.locator(".fault.client").count() == 2
    press(page, "4 2")
    assert page.locator(".fault.client").count() == 0
    page.keyboard.press("Enter")
    expect(page.locator(SETTLED)).to_have_text("Saved")
    assert site.answers() == [{"likert": {"value": 4.0}, "yes_no": {"value": 0.0}, "comment": {"text": ""}}]


def test_help_is_one_key_away_and_undo_takes_back_what_is_not_saved_then_leads_to_the_item_before(
    rating: Serve, visit: Visit
) -> None:
    site = rating("likert", instructions="Read it.\n\nThen rate.")
    page = visit(site.link())
    page.keyboard.press("i")
    expect(page.get_by_role("dialog", name="Instructions")).to_contain_text("Then rate.")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("next and previous turn")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    press(page, "2 u")
    assert page.locator("input:checked").count() == 0
    first = page.locator("#task").get_attribute("data-item")
    press(page, "2 Enter")
    expect(page.locator(SETTLED)).to_have_text("Saved")
    assert page.locator("#task").get_attribute("data-item") != first
    press(page, "u")
    expect(page.get_by_text("You have answered this item before.")).to_be_visible()
    assert page.locator("#task").get_attribute("data-item") == first
    assert page.locator("input:checked").get_attribute("value") == "2"
    press(page, "5 Enter")
    expect(page.locator(SETTLED)).to_have_text("Saved")
    assert site.answers() == [{"likert": {"value": 5.0}}]
    press(page, "h")
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    assert page.locator(".past li").count() == 1


def test_the_back_button_and_reload_lead_to_the_same_item_with_what_was_chosen(
    rating: Serve, visit: Visit
) -> None:
    site = rating("likert")
    page = visit(site.link())
    first = page.locator("#task").get_attribute("data-item")
    page.keyboard.press("3")
    page.reload()
    expect(page.locator("#status")).to_have_text("Your unsaved answer is back.")
    assert page.locator("#task").get_attribute("data-item") == first
    page.keyboard.press("Enter")
    expect(page.locator(SETTLED)).to_have_text("Saved")
    page.go_back()
    expect(page.get_by_text("You have answered this item before.")).to_be_visible()
    assert page.locator("#task").get_attribute("data-item") == first
    assert page.locator("input:checked").get_attribute("value") == "3"
    page.get_by_role("link", name="Leave it as it is").click()
    expect(page.locator("#task")).not_to_have_attribute("data-item", str(first))
    press(page, "1 Enter")
    expect(page).to_have_url(re.compile("/done$"))
    expect(page.get_by_text("You answered 2 items.")).to_be_visible()
    assert site.answers() == [{"likert": {"value": 3.0}}, {"likert": {"value": 1.0}}]


def test_of_two_tabs_the_second_is_told_and_does_not_overwrite_the_first(rating: Serve, visit: Visit) -> None:
    site = rating("likert")
    page = visit(site.link())
    other = page.context.new_page()
    other.goto(page.url)
    press(page, "5 Enter")
    expect(page.locator(SETTLED)).to_have_text("Saved")
    press(other, "1 Enter")
    expect(other.locator("#status")).to_contain_text("You answered this item in another tab.")
    assert site.answers() == [{"likert": {"value": 5.0}}]
    other.get_by_role("link", name="Open the saved answer").click()
    expect(other.locator("input:checked")).to_have_value("5")


def test_without_script_the_forms_do_the_same(rating: Serve, visit: Visit) -> None:
    site = rating("likert", asks=(*asks("likert"), *asks("errors")))
    page = visit(site.link(), java_script_enabled=False)
    page.get_by_role("radio", name="good", exact=True).check()
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_role("alert")).to_have_text("Something is missing. See the marks below.")
    assert page.get_by_role("radio", name="good", exact=True).is_checked()
    page.get_by_role("checkbox", name="nothing is wrong").check()
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_role("status")).to_have_text("Saved")
    assert site.answers() == [{"likert": {"value": 4.0}, "errors": {"labels": []}}]
    page.get_by_role("button", name="Skip").click()
    expect(page).to_have_url(re.compile("/done$"))


def test_the_page_waits_for_the_shortest_reading_time(rating: Serve, visit: Visit) -> None:
    site = rating("likert", least_seconds=3)
    page = visit(site.link())
    press(page, "4 Enter")
    expect(page.locator("#status")).to_contain_text("more s.")
    assert site.answers() == []
    page.wait_for_timeout(3100)
    page.keyboard.press("Enter")
    expect(page.locator(SETTLED)).to_have_text("Saved")


def test_the_interface_is_japanese_where_the_rater_wants_it(rating: Serve, visit: Visit) -> None:
    site = rating("likert", blind=blinded("likert"))
    page = visit(site.link())
    page.get_by_role("link", name="日本語").click()
    expect(page.get_by_role("button", name="保存して次へ")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "ja"
    page.get_by_label("とても良い").check()
    page.keyboard.press("Enter")
    expect(page.locator(SETTLED)).to_have_text("保存しました")
    assert site.answers() == [{"likert": {"value": 5.0}}]
