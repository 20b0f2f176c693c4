"""Pages as HTML: what is escaped, what is shown again, and that every text of the catalogue is there."""

from __future__ import annotations

import re
import typing
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest

from dialeval.annotation.items import Item, Shown
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Fault
from dialeval.annotation.web import shown as pages
from dialeval.annotation.web.rendering import MEDIA, addresses, asset, brief, harmless, paragraphs, render
from dialeval.annotation.web.texts import ENGLISH, LANGUAGES, text, wording
from dialeval.data.types import Turn
from dialeval.stats.estimate import Estimate
from support.rating_pages import TALK, blinded

HOSTILE = "\"><script>alert(1)</script>' onclick=x {{ 7*7 }}"


def page(language: str = ENGLISH) -> pages.Page:
    names = tuple((known.code, known.name) for known in LANGUAGES.values())
    return pages.Page("/here", language, "ltr", "token", HOSTILE, names, addresses("/here"))


def task(kind: str, *, language: str = ENGLISH, **settings: Any) -> str:
    item = settings.pop("item", None) or blinded(kind)[0].item
    ask = KINDS[kind].ask(HOSTILE)
    asked = pages.PageAsk(ask, KINDS[kind].fields(ask, item), answer=settings.pop("answer", None))
    given = {"phase": "rating", "progress": pages.Progress(1, 2), "revision": 0, "least_seconds": 0.0}
    given |= {"instructions": HOSTILE, "previous": HOSTILE}
    return render("task.html", page(language), pages.TaskPage(item, (asked,), **{**given, **settings}))


class Tags(HTMLParser):
    """The tags of a page with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def check_tags(html: str) -> None:
    tags = Tags(html).found
    assert [attributes.get("src") for tag, attributes in tags if tag == "script"] == [
        addresses("/here")["app.js"]
    ]
    assert [tag for tag, _ in tags if tag in ("style", "iframe", "object", "img")] == []
    assert [a for _, attributes in tags for a in attributes if a.startswith("on") or a == "style"] == []
    places = [a[name] or "" for _, a in tags for name in ("href", "src", "action", "formaction") if name in a]
    assert [place for place in places if not re.match(r"(/here/|\?|#|$)", place)] == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_texts_are_escaped_on_the_page_of_every_kind(kind: str, language: str) -> None:
    item = blinded(kind, context=(*TALK[:2], Turn("user", HOSTILE)))[0].item
    check_tags(task(kind, language=language, item=item))


@pytest.mark.parametrize("kind", KINDS)
def test_an_earlier_answer_is_what_the_form_holds(kind: str) -> None:
    item = blinded(kind)[0].item
    ask = KINDS[kind].ask(HOSTILE)
    payload = KINDS[kind].simulated(ask, item, lambda part: 0.05)
    answer = KINDS[kind].check(ask, item, {**payload, "text": "No."} if kind == "comment" else payload)
    html = task(kind, answer=answer, item=item, revision=1)
    held: dict[str, list[str]] = {}
    for tag, attributes in Tags(html).found:
        name = (attributes.get("name") or "").removeprefix(f"{HOSTILE}.")
        chosen = "checked" in attributes or (attributes.get("type") == "number" and attributes.get("value"))
        if tag == "input" and chosen:
            held.setdefault(name, []).append(attributes["value"] or "")
    if kind == "comment":
        held = {"text": re.findall(r"<textarea[^>]*>\s*(.*?)</textarea>", html, re.DOTALL)}
    assert KINDS[kind].check(ask, item, dict(held)) == answer


def test_other_pages_are_escaped_too() -> None:
    past = pages.Past("i1", HOSTILE, {HOSTILE: {"text": HOSTILE}}, "2026-01-01T00:00:00Z")
    check_tags(render("history.html", page(), pages.HistoryPage((past,), pages.Progress(1, 2))))
    asks = tuple(kind.ask(HOSTILE) for kind in KINDS.values())
    check_tags(render("instructions.html", page(), pages.InstructionsPage(HOSTILE, asks)))
    check_tags(render("join.html", page(), pages.JoinPage("taken")))
    views = (pages.CriterionView(HOSTILE, 1, 1, 1, (pages.Coefficient("x", Estimate.undefined(HOSTILE)),)),)
    rater = pages.RaterView(
        HOSTILE, "active", True, 1, 0, None, None, 0, 0, ("too_fast",), ((HOSTILE, None, 0.5),)
    )
    owner = pages.OwnerPage(1, 1, 1, 1, 0, 1, views, (rater,), 1, 0, "2026-01-01T00:00:00Z", HOSTILE)
    check_tags(render("owner.html", page(), owner))
    item = Item("i1", TALK, (Shown("c1", HOSTILE),))
    ask = KINDS["likert"].ask("overall")
    asked = pages.PageAsk(ask, KINDS["likert"].fields(ask, item))
    disputed = pages.DisputedItem(item, HOSTILE, 0.5, ({"text": HOSTILE},), {"value": 1.0}, HOSTILE)
    check_tags(render("adjudicate.html", page(), pages.AdjudicatePage((disputed,), disputed, asked)))


def codes(of: Any) -> tuple[str, ...]:
    return typing.get_args(of)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_a_text_in_every_language(language: str) -> None:
    hints = typing.get_type_hints(pages.RefusedPage)
    keys = [f"fault.{code}" for code in codes(Fault)]
    keys += [f"flag.{code}" for code in codes(pages.Flag)]
    keys += [f"state.{code}" for code in codes(pages.RaterState)]
    for code in (
        *(f"ending.{end}" for end in codes(pages.Ending)),
        *(f"refused.{c}" for c in codes(hints["code"])),
    ):
        keys += [code, f"{code}.text"]
    assert [key for key in keys if key not in LANGUAGES[language].texts] == []
    for status, code in ((404, "not_found"), (500, "server"), (403, "csrf")):
        check_tags(render("refused.html", page(language), pages.RefusedPage(status, code)))  # type: ignore[arg-type]
    for ending in codes(pages.Ending):
        check_tags(render("done.html", page(language), pages.DonePage(ending, 3, may_return=True)))


def test_the_catalogues_have_the_same_keys_and_placeholders_and_translate_every_default() -> None:
    english, japanese = LANGUAGES["en"].texts, LANGUAGES["ja"].texts
    assert english.keys() == japanese.keys()
    slots = {key: sorted(re.findall(r"\{(\w+)\}", value)) for key, value in english.items()}
    assert {key: sorted(re.findall(r"\{(\w+)\}", value)) for key, value in japanese.items()} == slots
    for kind in KINDS.values():
        ask = kind.ask("overall")
        said = [ask.text, *(option.meaning for option in ask.options)]
        assert [one for one in said if wording("ja", one) == one] == []
    assert wording("ja", "What an owner wrote?") == "What an owner wrote?"
    assert text("xx", "close") == "Close"
    assert text("en", "done.answered", count=1) == "You answered one item."


def test_every_text_of_the_catalogue_is_used() -> None:
    root = files("dialeval.annotation.web")
    source = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("templates", "templates/kinds", ".")
        for path in root.joinpath(folder).iterdir()
        if path.name.endswith((".html", ".py"))
    )
    composed = re.compile(
        r"(fault|flag|state|ending|refused|coefficient|key|speaker|status|join)\.|owner\.(drop|re)"
    )
    keys = (key for key in LANGUAGES["en"].texts if not composed.match(key) and not key.endswith(".one"))
    assert [key for key in keys if not re.search(rf"[\"']{re.escape(key)}[\"']", source)] == []


def test_characters_that_reorder_or_hide_text_are_spelled_out() -> None:
    assert harmless("a<b>\u202eb\x00\n\tc") == (
        'a&lt;b&gt;<span class="control">U+202E</span>b<span class="control">U+0000</span>\n\tc'
    )
    assert harmless("\u200fשלום \u2067x\u2069 猫 👩‍👩‍👧") == "\u200fשלום \u2067x\u2069 猫 👩‍👩‍👧"
    assert paragraphs(" a\nb \r\n\r\n\n c ") == ["a\nb", "c"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"value": 4.0}, "4"),
        ({"value": None}, "I cannot judge"),
        ({"choice": "y"}, "B"),
        ({"choice": "tie"}, "tie: equally good"),
        ({"ranks": {"x": 2, "y": 1}}, "A: 2, B: 1"),
        ({"labels": []}, "none"),
        ({"labels": ["unsafe", "untrue"]}, "unsafe, untrue"),
        ({"turns": [2, 6]}, "2 ↔ 6"),
        ({"turns": {"2": 1.0, "4": None}}, "2: 1, 4: –"),
        ({"text": "x" * 100}, "x" * 59 + "…"),
    ],
)
def test_answers_in_a_few_words(answer: dict[str, Any], said: str) -> None:
    assert brief("en", answer, Item("i", (), (Shown("x", "1"), Shown("y", "2")))) == said


def test_static_files_have_an_address_that_changes_with_their_content() -> None:
    assert set(addresses("/p")) == set(MEDIA)
    assert addresses("/p")["app.css"] == f"/p/static/app.css?v={asset('app.css').digest}"
    with pytest.raises(KeyError):
        asset("../app.py")


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_its_background(dark: bool) -> None:
    """WCAG AA: a contrast of 4.5 to 1 for every pair of colours that pages put together."""
    style = asset("app.css").content.decode()
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[1 if dark else 0]))
    for ink in ("ink", "quiet", "accent"):
        for paper in ("paper", "card", "tint", "theirs", "mine"):
            assert contrast(colours[ink], colours[paper]) >= (4.5 if ink != "accent" else 3), (ink, paper)
    pairs = "on-accent accent, good paper, bad paper, bad card, mark mark-tint"
    for ink, paper in (pair.split() for pair in pairs.split(", ")):
        assert contrast(colours[ink], colours[paper]) >= 4.5, (ink, paper)


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)
